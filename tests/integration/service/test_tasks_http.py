"""Tasks over HTTP: each tier sees what it may, and a walk over the whole OpenAPI document finds nothing else."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import URL

from loaders.corpus import BuiltCorpus
from service.db import Database, Scope, Tier, create_key, grant_tier, upgrade
from service.domain import Mode
from service.graph.address import GraphAddress
from service.graph.catalog import read_catalog
from service.graph.opening import open_graph
from service.tasks import (
    TaskSet,
    create_task_set,
    fabula_of,
    freeze,
    load_sample_set,
    sample_fabulas,
    sample_info,
)
from tests.integration.conftest import keep_clear_of_the_hours_end
from tests.integration.service.conftest import environment_for, serving, settings_for

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

WHITE = {"id", "mode", "type", "depth", "fabula", "question", "expected_answer_format"}
KEYS = {
    "read": ([Scope.READ], {}),
    "browse": ([Scope.READ], {"held": Tier.BROWSE}),
    "full": ([Scope.READ], {"held": Tier.FULL}),
    "submit": ([Scope.SUBMIT], {}),
    "submit_all": ([Scope.SUBMIT], {"*": Tier.BROWSE}),
    "runner": ([Scope.SUBMIT], {"held": Tier.BROWSE}),
    "judge": ([Scope.JUDGE], {}),
    "review": ([Scope.REVIEW], {"held": Tier.FULL}),
    "review_blind": ([Scope.REVIEW], {"held": Tier.BROWSE}),
    "admin": ([Scope.ADMIN], {}),
}


def held_back() -> list[Any]:
    """The sample's fabulas under other ids and with answers that can be told anywhere, none of them public."""
    found = []
    for number, fabula in enumerate(sample_fabulas()):
        record = fabula.record(Mode.CLOSED)
        steps = [
            step | {("reasoning" if step["norm_id"] else "conclusion"): f"GOLDSTEP{number}"}
            for step in record["gold_chain"]
        ]
        found.append(
            fabula_of(
                record
                | {
                    "id": f"held{number}",
                    "public": False,
                    "fabula": f"FACTS{number} " + record["fabula"],
                    "answer": f"GOLDANSWER{number}",
                    "gold_chain": steps,
                    "branch_of_law": "GOLDBRANCH",
                    "context_chunks": [{"norm_id": "GOLDCHUNK"}],
                }
            )
        )
    return found


class World:
    def __init__(self, url: str, keys: dict[str, str], held: TaskSet, draft: TaskSet) -> None:
        self.url, self.keys, self.held, self.draft = url, keys, held, draft
        self._client = httpx.Client(timeout=60)
        self.run, self.lease, self.submission = self._start_run()

    def _start_run(self) -> tuple[str, str, str]:
        """Begin a run over the held-back set and answer one of its tasks."""

        def post(path: str, body: dict[str, Any]) -> Any:
            answer = self.ask("runner", path, "POST", json=body)
            assert answer.status_code < 300, answer.text
            return answer.json()

        run = str(post("/v1/runs", {"task_set": "held", "participant": "runner"})["id"])
        one, other = post(f"/v1/runs/{run}/leases", {"n": 2})["items"]
        answer = {"task_id": one["task_id"], "attempt_key": "1", "text": "ВЫВОД: не знаю"}
        receipt = post(f"/v1/runs/{run}/submissions", answer)
        return run, str(other["lease"]), str(receipt["id"])

    def ask(self, who: str | None, path: str, method: str = "GET", **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        headers.update(more.pop("headers", {}))
        return self._client.request(method, self.url + path, headers=headers, **more)


@pytest.fixture(scope="module")
def world(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    home = tmp_path_factory.mktemp("tiers-home")
    environment = environment_for(
        graph_address, LEXHOP_HOME=str(home), LEXHOP_CORPUS="sample", LEXHOP_HOURLY_BROWSE="400"
    )

    async def fill() -> tuple[dict[str, str], TaskSet, TaskSet]:
        ledger = Database(URL.create("sqlite+aiosqlite", database=str(home / "ledger.sqlite3")))
        await upgrade(ledger)
        keys = {}
        async with open_graph(settings_for(graph_address)) as store:
            version = (await read_catalog(store)).find("sample", loaded.content.version)
            await load_sample_set(ledger, store, version)
            async with ledger.write() as session:
                info = sample_info(version.version)
                held = await create_task_set(session, _named(info, "held"), held_back())
                held = await freeze(session, store, held)
                draft = await create_task_set(
                    session,
                    _named(info, "draft"),
                    [fabula_of(sample_fabulas()[0].record(Mode.CLOSED) | {"id": "drafted"})],
                )
                for name, (scopes, grants) in KEYS.items():
                    key, text = await create_key(session, name=name, scopes=scopes, actor="test")
                    keys[name] = text.get_secret_value()
                    for task_set, tier in grants.items():
                        await grant_tier(
                            session, key.prefix, task_set=task_set, tier=tier, purpose="test", actor="test", days=1
                        )
        await ledger.close()
        return keys, held, draft

    keys, held, draft = asyncio.run(fill())
    with serving(environment) as (url, _):
        world = World(url, keys, held, draft)
        yield world
        world._client.close()


def _named(info: Any, key: str) -> Any:
    from dataclasses import replace

    return replace(info, key=key)


GOLD = re.compile("GOLD[A-Z]+")
SEES_GOLD = ("full", "review")
SEES_FACTS = ("full", "review", "browse", "runner", "review_blind", "submit_all")


def paths(world: World) -> list[tuple[str, str]]:
    """Every route of the OpenAPI document, its places filled in all ways that could lead to a held-back task."""
    document = httpx.get(world.url + "/openapi.json", timeout=60).json()
    fillings = {
        "{key}": ["held", "held@1", "draft@1", "sample"],
        "{id}": ["held3_open", "held4_closed", "held5", "drafted_open"],
        "{norm_id}": ["ГК_1079"],
        "{act}": ["ГК"],
        "{benchmark}": ["mhgb"],
        "{run_id}": [world.run],
        "{lease}": [world.lease],
        "{submission_id}": [world.submission],
        "{judgement_id}": ["1"],
        "{board}": ["1"],
    }
    found = []
    for path, methods in document["paths"].items():
        filled = [path]
        for place, values in fillings.items():
            filled = [one.replace(place, value) for one in filled for value in (values if place in one else values[:1])]
        assert not any("{" in one for one in filled), f"the walk does not know how to fill {path}"
        for method in methods:
            if method == "get":
                asked = [
                    "", "?gold=true", "?view=gold", "?view=participant", "?view=gold&limit=1000",
                    "?configuration=full_graph_edges", "?max_chunks=1", "?token_budget=1", "?mode=open",
                ]  # fmt: skip
                found += [("GET", one + more) for one in filled for more in (asked if "task" in one else asked[:1])]
            else:
                found += [(method.upper(), one) for one in filled]
    return found


@pytest.mark.parametrize("who", [None, *KEYS])
def test_no_route_shows_more_than_the_tier_allows(world: World, who: str | None) -> None:
    asked = answered = 0
    for method, path in paths(world):
        body = {"json": {"verdict": "approve"}} if method != "GET" else {}
        answer = world.ask(who, path, method, **body)
        asked += 1
        answered += answer.status_code == 200
        assert answer.status_code < 500 or answer.status_code == 503, (path, answer.text)
        if who not in SEES_GOLD:
            assert GOLD.search(answer.text) is None, (who, path)
            assert '"norm_ids":["' not in answer.text or "held" not in answer.text, (who, path)
        if who not in SEES_FACTS:
            assert "FACTS" not in answer.text, (who, path)
        elif who in ("browse", "review_blind", "submit_all"):
            # One at a time: no list and no export holds the facts of two tasks.
            assert len(set(re.findall(r"FACTS\d+", answer.text))) <= 1, (who, path)
        if "/tasks" in path and answer.status_code == 200 and method == "GET":
            assert answer.headers["x-robots-tag"] == "noindex"
    assert asked > 60
    assert answered > 15


def test_the_participants_view_is_the_white_list(world: World) -> None:
    for who in ("browse", "runner", "full"):
        answer = world.ask(who, "/v1/tasks/held3_closed").json()
        assert set(answer) == WHITE | {"gold"}
        assert answer["gold"] is None
    lines = world.ask("browse", "/v1/task-sets/held/tasks?limit=1000").json()["items"]
    assert len(lines) == 48
    assert all(set(line) == {"id", "mode", "type", "depth"} for line in lines)
    page = world.ask("read", "/v1/task-sets/held/tasks").json()
    assert page["items"] == []
    assert world.held.canary in page["notice"]
    gold = world.ask("full", "/v1/tasks/held3_closed?gold=true").json()["gold"]
    assert gold["answer"] == "GOLDANSWER3"
    refused = world.ask("browse", "/v1/tasks/held3_closed?gold=true")
    assert refused.status_code == 403
    assert "needs the tier 'full'" in refused.json()["detail"]
    assert world.ask(None, "/v1/tasks/held3_closed").status_code == 401


def test_public_tasks_are_shown_with_their_gold(world: World) -> None:
    first = sample_fabulas()[0]
    answer = world.ask(None, f"/v1/tasks/{first.id}_closed?gold=true").json()
    assert answer["gold"]["norm_ids"] == ["ГК_1079"]
    listed = world.ask(None, "/v1/task-sets/sample/tasks?view=gold&limit=1000").json()["items"]
    assert len(listed) == 48
    pages: list[str] = []
    cursor = ""
    while cursor is not None:
        page = world.ask(None, f"/v1/task-sets/sample/tasks?limit=7{cursor and '&cursor=' + cursor}").json()
        pages += [item["id"] for item in page["items"]]
        cursor = page["next"]
    assert pages == [item["id"] for item in listed]
    (held, sample) = world.ask(None, "/v1/task-sets").json()["items"]
    assert (held["key"], held["fabulas"], held["public"], held["digest"]) == ("held", 24, 0, world.held.digest)
    assert (sample["key"], sample["public"]) == ("sample", 24)


def test_prompts_need_submit_and_a_grant_that_names_the_set(world: World) -> None:
    path = "/v1/task-sets/held/prompts"
    assert world.ask(None, path).status_code == 401
    for who in ("read", "full", "submit", "submit_all", "review"):
        assert world.ask(who, path).status_code == 403, who
    answer = world.ask("runner", path + "?mode=open")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert len(lines) == 24
    assert all(set(line) == {"id", "mode", "type", "depth", "prompt", "canary", "messages"} for line in lines)
    assert GOLD.search(answer.text) is None
    one = world.ask("runner", "/v1/tasks/held0_open/prompt").json()
    assert one in lines
    assert len(world.ask("submit", "/v1/task-sets/sample/prompts").text.splitlines()) == 48


def test_a_context_is_the_graphs_and_cacheable(world: World) -> None:
    path = "/v1/tasks/held3_open/context"
    answer = world.ask("browse", path)
    task = sample_fabulas()[3].record(Mode.OPEN)
    assert all(f"[{norm}]" in answer.json()["text"] for norm in task["norm_ids"])
    again = world.ask("browse", path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.text) == (304, "")
    by_norms = httpx.get(
        world.url + "/v1/context",
        params={"norm_id": task["norm_ids"], "seed": "held3_open", "corpus": "sample"},
        timeout=60,
    ).json()
    assert by_norms["text"] == answer.json()["text"]
    closed = world.ask("browse", "/v1/tasks/held3_closed/context")
    assert closed.status_code == 422
    assert "held3_open" in closed.json()["detail"]


@pytest.mark.parametrize("asked", ["max_chunks=10", "token_budget=3000", "configuration=full_graph_edges"])
def test_conditions_that_tell_the_seeds_need_access_to_gold(world: World, asked: str) -> None:
    refused = world.ask("runner", f"/v1/tasks/held3_open/context?{asked}")
    assert refused.status_code == 422
    assert asked.partition("=")[0] in refused.json()["detail"]
    assert world.ask("full", f"/v1/tasks/held3_open/context?{asked}").status_code == 200


def test_reviews_are_kept_and_decide_by_majority(world: World) -> None:
    body = {"verdict": "approve", "checks": {"solvable": True}, "comment": "gut"}
    answer = world.ask("review", "/v1/tasks/held7_open/reviews", "PUT", json=body)
    assert answer.json()["validation_status"] == "expert_validated"
    answer = world.ask("review", "/v1/tasks/held7_closed/reviews", "PUT", json={"verdict": "reject"})
    assert answer.json()["validation_status"] == "rejected"
    for who, status in (("review_blind", 403), ("full", 403), (None, 401)):
        assert world.ask(who, "/v1/tasks/held7_open/reviews", "PUT", json=body).status_code == status
    unknown = world.ask("review", "/v1/tasks/held7_open/reviews", "PUT", json=body | {"checks": {"nice": True}})
    assert unknown.status_code == 422
    entries = world.ask("admin", "/v1/audit?action=task_reviewed").json()["items"]
    assert {"held7"} <= {entry["subject"] for entry in entries}


def test_a_draft_is_for_the_tier_full(world: World) -> None:
    for who in (None, "read", "browse"):
        assert world.ask(who, "/v1/tasks/drafted_open").status_code in (401, 403)
    assert "draft" not in [one["key"] for one in world.ask("full", "/v1/task-sets").json()["items"]]


def test_what_is_not_there(world: World) -> None:
    assert world.ask(None, "/v1/task-sets/none/tasks").status_code == 404
    assert "sample" in world.ask(None, "/v1/task-sets/none/tasks").json()["nearest"]
    assert world.ask(None, "/v1/tasks/none_open").status_code == 404
    assert world.ask(None, "/robots.txt").text.startswith("User-agent: *\nDisallow: /v1/")


def test_browsing_without_a_key_when_the_operator_allows_it(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path: Path, world: World
) -> None:
    async def fill() -> None:
        ledger = Database(URL.create("sqlite+aiosqlite", database=str(tmp_path / "ledger.sqlite3")))
        await upgrade(ledger)
        async with open_graph(settings_for(graph_address)) as store, ledger.write() as session:
            held = await create_task_set(session, _named(sample_info(loaded.content.version), "held"), held_back())
            await freeze(session, store, held)
        await ledger.close()

    asyncio.run(fill())
    environment = environment_for(
        graph_address, LEXHOP_HOME=str(tmp_path), LEXHOP_BROWSE_ANONYMOUS="on", LEXHOP_HOURLY_BROWSE="3"
    )
    with serving(environment) as (url, _):
        keep_clear_of_the_hours_end()
        lines = httpx.get(url + "/v1/task-sets/held/tasks", timeout=60).json()["items"]
        assert all(set(line) == {"id", "mode", "type", "depth"} for line in lines)
        assert httpx.get(url + "/v1/task-sets/held/tasks?view=participant", timeout=60).json()["items"] == []
        for number in range(3):
            answer = httpx.get(url + f"/v1/tasks/held{number}_closed", timeout=60)
            assert answer.json()["fabula"].startswith("FACTS")
            assert answer.headers["x-robots-tag"] == "noindex"
        used_up = httpx.get(url + "/v1/tasks/held9_closed", timeout=60)
        assert used_up.status_code == 429
        assert "LEXHOP_HOURLY_BROWSE=3" in used_up.json()["detail"]
        assert int(used_up.headers["retry-after"]) > 0
        assert httpx.get(url + "/v1/tasks/held9_closed?gold=true", timeout=60).status_code == 401
