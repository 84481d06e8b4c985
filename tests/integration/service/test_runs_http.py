"""The whole way over HTTP: runs, leases, answers, judges, scores, boards; and what nobody else may see of it."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import httpx
import pytest
from sqlalchemy import URL

from loaders.corpus import BuiltCorpus
from service.db import Database, Scope, Tier, create_key, grant_tier, upgrade
from service.graph.address import GraphAddress
from service.graph.catalog import read_catalog
from service.graph.opening import open_graph
from service.resources import resource
from service.tasks import create_task_set, freeze, load_sample_set, sample_info
from tests.integration.service.conftest import environment_for, serving, settings_for
from tests.integration.service.test_tasks_http import _named, held_back

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

KEYS = {
    "owl": ([Scope.SUBMIT], {"held": Tier.BROWSE}),
    "magpie": ([Scope.SUBMIT], {}),
    "full": ([Scope.SUBMIT], {"held": Tier.FULL}),
    "judge": ([Scope.JUDGE], {}),
    "admin": ([Scope.ADMIN], {}),
    "reader": ([Scope.READ], {}),
}


class World:
    def __init__(self, url: str, keys: dict[str, str]) -> None:
        self.url, self.keys = url, keys
        # One client: each new one reads the certificates of the machine, which takes longer than an answer.
        self._client = httpx.Client(timeout=120)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, who: str | None, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        headers.update(more.pop("headers", {}))
        return self._client.request(method, self.url + path, headers=headers, **more)

    def ok(self, who: str | None, method: str, path: str, **more: Any) -> Any:
        answer = self.ask(who, method, path, **more)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def refused(self, status: int, who: str | None, method: str, path: str, **more: Any) -> str:
        answer = self.ask(who, method, path, **more)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        return str(answer.json()["detail"])

    def run(self, who: str, participant: str | None = None, **more: Any) -> str:
        body = {"task_set": "sample", "participant": participant or who, **more}
        return str(self.ok(who, "POST", "/v1/runs", json=body)["id"])

    def send(self, who: str, run: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        content = "".join(json.dumps(row) + "\n" for row in rows)
        answer = self.ask(
            who,
            "POST",
            f"/v1/runs/{run}/submissions",
            content=content.encode(),
            headers={"Content-Type": "application/x-ndjson"},
        )
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]

    def judge(self, profile: str = "lexical", value_of: Any = None) -> int:
        """An outside judge: gives each level one value, by JSON replies."""
        given = 0
        while True:
            items = self.ok("judge", "POST", "/v1/judgements/leases", json={"profile": profile, "n": 200})["items"]
            if not items:
                return given
            for item in items:
                value = (value_of or {"step": 0.5, "answer": 0.67})[item["level"]]
                body = {"fence": item["fence"], "reply": json.dumps({"score": value})}
                stands = self.ok("judge", "PUT", f"/v1/judgements/{item['id']}/verdict", json=body)
                assert stands["value"] == value
                given += 1


@pytest.fixture(scope="module")
def world(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    home = tmp_path_factory.mktemp("runs-home")
    with serving(
        environment_for(graph_address, LEXHOP_HOME=str(home), LEXHOP_CORPUS="sample", LEXHOP_SUBMISSION_BATCH="7")
    ) as (url, _):
        keys = asyncio.run(_fill(graph_address, loaded.content.version, home))
        with World(url, keys) as world:
            yield world


async def _fill(address: GraphAddress, corpus_version: str, home: Path) -> dict[str, str]:
    ledger = Database(URL.create("sqlite+aiosqlite", database=str(home / "ledger.sqlite3")))
    await upgrade(ledger)
    keys = {}
    async with open_graph(settings_for(address)) as store:
        version = (await read_catalog(store)).find("sample", corpus_version)
        await load_sample_set(ledger, store, version)
        async with ledger.write() as session:
            held = await create_task_set(session, _named(sample_info(version.version), "held"), held_back())
            await freeze(session, store, held)
            for name, (scopes, grants) in KEYS.items():
                key, text = await create_key(session, name=name, scopes=scopes, actor="test")
                keys[name] = text.get_secret_value()
                for task_set, tier in grants.items():
                    await grant_tier(
                        session, key.prefix, task_set=task_set, tier=tier, purpose="t", actor="test", days=1
                    )
    await ledger.close()
    return keys


def answers(name: str) -> list[dict[str, Any]]:
    rows = [
        json.loads(line)
        for line in resource(f"data/sample/answers/{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return [
        {
            "task_id": row["task_id"],
            "attempt_key": "1-" + row["task_id"],
            "outcome": row["outcome"],
            "text": row["answer"],
        }
        for row in rows
    ]


def test_from_a_key_to_a_board(world: World) -> None:
    run = world.run("owl", conditions={"model": "owl-1", "temperature": 0, "window": 32_000})
    leased = world.ok("owl", "POST", f"/v1/runs/{run}/leases", json={"n": 48, "worker": "w"})["items"]
    assert len(leased) == 48
    opened = [work for work in leased if work["mode"] == "open"]
    assert len(opened) == 24
    for work in leased:
        text = work["messages"][-1]["content"]
        assert ("Нормы, которыми можно пользоваться" in text) is (work["mode"] == "open")
        assert work["characters"] == sum(len(message["content"]) for message in work["messages"])
        assert work["max_tokens"] <= 32_000 - work["estimated_tokens"]
        assert work["seeds_exceed_budget"] is False
    assert world.ok("owl", "POST", f"/v1/runs/{run}/leases", json={"n": 1})["items"] == []
    lease = leased[0]["lease"]
    world.ok("owl", "PUT", f"/v1/leases/{lease}")
    world.ok("owl", "DELETE", f"/v1/leases/{lease}")
    assert "lost" in world.refused(409, "owl", "PUT", f"/v1/leases/{lease}")
    by_task = {row["task_id"]: row for row in answers("owl")}
    sent = [by_task[work["task_id"]] for work in leased]
    receipts = world.send("owl", run, sent)
    assert [(one["line"], one["status"]) for one in receipts] == [(n, 201) for n in range(1, 49)]
    assert {one["status"] for one in world.send("owl", run, sent)} == {200}
    state = world.ok("owl", "GET", f"/v1/runs/{run}")
    assert (state["state"], state["answered"], state["unread"]) == ("awaiting_judge", 48, 48)
    steps = sum(
        row["hop_count"]
        for row in map(json.loads, resource("data/sample/tasks.jsonl").read_text(encoding="utf-8").splitlines())
    )
    assert world.judge() == 2 * (steps + 24)
    waited = world.ok("owl", "GET", f"/v1/runs/{run}?wait=5&change=0")
    assert waited["state"] == "complete"
    world.ok("owl", "POST", f"/v1/runs/{run}/close")
    scores = world.ok("owl", "GET", f"/v1/runs/{run}/scores")
    for mode in ("closed", "open"):
        of_mode = scores["modes"][mode]
        assert (of_mode["final"]["scored"], of_mode["final"]["total"]) == (24, 24)
        assert of_mode["components"]["step_correctness"]["mean"] == pytest.approx(0.5)
        assert of_mode["components"]["answer_correctness"]["mean"] == pytest.approx(0.67)
        coverage = of_mode["components"]["norm_coverage"]["mean"]
        assert of_mode["final"]["mean"] == pytest.approx((coverage + 0.5 + 0.67) / 3)
    # The owl names every norm in open mode; closed it misses the last one of each of its eight deep chains.
    assert scores["modes"]["open"]["components"]["norm_coverage"]["mean"] == pytest.approx(1.0)
    gap = world.ok("owl", "GET", f"/v1/runs/{run}/gap")
    assert gap["n_pairs"] == 24
    assert gap["gap"] == pytest.approx(
        scores["modes"]["open"]["final"]["mean"] - scores["modes"]["closed"]["final"]["mean"]
    )
    assert len(world.ok("owl", "GET", f"/v1/runs/{run}/slices?by=type&by=depth")["slices"]) == 12
    assert world.ok("owl", "GET", f"/v1/runs/{run}/errors")["modes"]["open"]["failed"] == 0
    world.ok("owl", "POST", f"/v1/runs/{run}/publish")
    board = world.ok(None, "GET", "/v1/leaderboards/mhgb?unranked=true")["boards"][0]
    assert [row["run"] for row in board["rows"]] == [run]
    assert world.ok(None, "GET", "/v1/leaderboards/mhgb")["boards"] == []
    frozen = world.ok("admin", "POST", "/v1/leaderboards/mhgb/frozen?unranked=true")
    world.ok("owl", "POST", f"/v1/runs/{run}/withdraw", json={"why": "a test"})
    assert world.ok(None, "GET", "/v1/leaderboards/mhgb?unranked=true")["boards"][0]["rows"] == []
    assert world.ok(None, "GET", frozen["url"])["boards"][0]["rows"][0]["run"] == run


def test_two_participants_cannot_see_each_other(world: World) -> None:
    run = world.run("owl", "hidden")
    ours = answers("owl")
    (first, *_) = world.send("owl", run, ours[:2])
    assert "does not exist" in world.refused(404, "magpie", "GET", f"/v1/runs/{run}")
    for method, path, more in (
        ("GET", f"/v1/runs/{run}/submissions", {}),
        ("GET", f"/v1/submissions/{first['id']}", {}),
        ("GET", f"/v1/runs/{run}/scores", {}),
        ("GET", f"/v1/runs/{run}/gap", {}),
        ("POST", f"/v1/runs/{run}/leases", {"json": {"n": 1}}),
        ("POST", f"/v1/runs/{run}/submissions", {"json": ours[3]}),
        ("POST", f"/v1/runs/{run}/close", {}),
        ("POST", f"/v1/runs/{run}/rejudge", {}),
        ("GET", f"/v1/comparisons?runs={run},{run}", {}),
    ):
        world.refused(404, "magpie", method, path, **more)
    assert run not in str(world.ok("magpie", "GET", "/v1/runs"))
    assert world.ok("owl", "GET", f"/v1/submissions/{first['id']}")["text"] == ours[0]["text"]
    assert run in str(world.ok("admin", "GET", "/v1/runs?limit=1000"))
    # Once published it is seen, but its answers are not.
    world.ok("owl", "POST", f"/v1/runs/{run}/close")
    world.ok("owl", "POST", f"/v1/runs/{run}/publish")
    world.ok("magpie", "GET", f"/v1/runs/{run}")
    world.refused(403, "magpie", "GET", f"/v1/runs/{run}/submissions")
    world.refused(403, "magpie", "GET", f"/v1/submissions/{first['id']}")


def test_lines_are_judged_one_by_one(world: World) -> None:
    run = world.run("owl", "lines")
    good = answers("owl")
    broken = [
        good[0],
        {"task_id": "no-such_open", "attempt_key": "x", "text": "a"},
        {**good[1], "outcome": "done"},
        good[1],
        {**good[1], "attempt_key": "again"},
        {**good[1], "text": "other"},
        good[2],
    ]
    receipts = world.send("owl", run, broken)
    assert [one["status"] for one in receipts] == [201, 404, 422, 201, 409, 409, 201]
    assert "'done'" in receipts[2]["detail"]
    answer = world.ask(
        "owl",
        "POST",
        f"/v1/runs/{run}/submissions",
        content=b'not json\n\n{"task_id": 1}\n',
        headers={"Content-Type": "application/x-ndjson"},
    )
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert [(one["line"], one["status"]) for one in lines] == [(1, 422), (3, 422)]
    assert "content-type" in world.refused(
        422, "owl", "POST", f"/v1/runs/{run}/submissions", content=b"x", headers={"Content-Type": "text/csv"}
    )
    single = world.ask("owl", "POST", f"/v1/runs/{run}/submissions", json=good[3])
    assert single.status_code == 201
    assert world.ask("owl", "POST", f"/v1/runs/{run}/submissions", json=good[3]).status_code == 200
    assert "answered already by submission" in world.refused(
        409, "owl", "POST", f"/v1/runs/{run}/submissions", json={**good[3], "attempt_key": "other"}
    )


def test_what_is_not_public_needs_a_grant_and_shows_no_single_score(world: World) -> None:
    body = {"task_set": "held", "participant": "p"}
    assert "grant" in world.refused(403, "magpie", "POST", "/v1/runs", json=body)
    assert "max_chunks" in world.refused(422, "owl", "POST", "/v1/runs", json={**body, "max_chunks": 1})
    assert "configuration" in world.refused(
        422, "owl", "POST", "/v1/runs", json={**body, "configuration": "full_graph_edges"}
    )
    run = str(world.ok("owl", "POST", "/v1/runs", json=body)["id"])
    work = world.ok("owl", "POST", f"/v1/runs/{run}/leases", json={"n": 48})["items"]
    assert "GOLD" not in json.dumps(work)
    rows = [{"task_id": one["task_id"], "attempt_key": one["lease"], "text": "Вывод: да."} for one in work]
    world.send("owl", run, rows[:4])
    world.judge()
    assert "is open" in world.refused(409, "owl", "GET", f"/v1/runs/{run}/scores")
    world.send("owl", run, rows[4:])
    world.judge()
    world.ok("owl", "POST", f"/v1/runs/{run}/close")
    world.ok("owl", "GET", f"/v1/runs/{run}/scores")
    assert "tier full" in world.refused(409, "owl", "GET", f"/v1/runs/{run}/scores?items=true")
    parts = world.ok("owl", "GET", f"/v1/runs/{run}/slices?by=type&by=depth")["slices"]
    assert {part.get("too_few_to_show") for part in parts} == {True}
    few = str(world.ok("owl", "POST", "/v1/runs", json={**body, "participant": "few", "limit": 1})["id"])
    world.send("owl", few, [{**row, "attempt_key": "f"} for row in rows[:1] if row["task_id"].startswith("held0_")])
    world.ok("owl", "POST", f"/v1/runs/{few}/close")
    assert "LEXHOP_LEAST_SHOWN" in world.refused(409, "owl", "GET", f"/v1/runs/{few}/scores")
    mine = str(world.ok("full", "POST", "/v1/runs", json=body)["id"])
    world.send("full", mine, rows)
    world.judge()
    assert "closed run" in world.refused(409, "full", "GET", f"/v1/runs/{mine}/scores?items=true")
    assert "closed run" in world.refused(409, "full", "GET", f"/v1/runs/{mine}/report")
    world.ok("full", "POST", f"/v1/runs/{mine}/close")
    assert len(world.ok("full", "GET", f"/v1/runs/{mine}/scores?items=true")["items"]) == 48
    _holds_a_report(world, mine)


def test_no_figure_without_access_to_gold_rests_on_one_answer(world: World) -> None:
    """How many questions an answer has tells its chain; a mean over one answer, or over zeros and one, its score."""
    body = {"task_set": "held", "participant": "prober"}
    run = str(world.ok("owl", "POST", "/v1/runs", json=body)["id"])
    work = world.ok("owl", "POST", f"/v1/runs/{run}/leases", json={"n": 48})["items"]
    deep = next(one for one in work if one["depth"] == "deep" and one["mode"] == "closed")
    row = {"task_id": deep["task_id"], "attempt_key": deep["lease"], "text": "Вывод: да."}
    world.send("owl", run, [row])
    state = world.ok("owl", "GET", f"/v1/runs/{run}")
    assert (state["judgements_of"], state["judgements"]["total"], state["judgements"]["waiting"]) in (
        ("answers", 0, 0),
        ("answers", 1, 1),
    )
    world.judge()
    state = world.ok("owl", "GET", f"/v1/runs/{run}")
    assert (state["judgements"]["total"], state["judgements"]["judged"]) == (1, 1)
    assert world.ok("admin", "GET", f"/v1/runs/{run}")["judgements"]["total"] > 5
    silent = [
        {"task_id": one["task_id"], "attempt_key": one["lease"], "outcome": "empty"} for one in work if one is not deep
    ]
    world.send("owl", run, silent)
    world.judge()
    world.ok("owl", "POST", f"/v1/runs/{run}/close")
    for path in ("scores", "gap", "slices", "errors"):
        assert "single scores" in world.refused(409, "owl", "GET", f"/v1/runs/{run}/{path}")
    assert world.ok("owl", "POST", f"/v1/runs/{run}/rejudge") == {"reopened": None, "asked": None}
    world.ok("owl", "POST", f"/v1/runs/{run}/publish")
    boards = world.ok(None, "GET", "/v1/leaderboards/mhgb?unranked=true")["boards"]
    (line,) = [row for board in boards for row in board["rows"] if row["run"] == run]
    assert (line["closed"], line["open"], line["gap"], line["n_pairs"]) == (None, None, None, 24)
    assert line["without_zeros"]["closed"] is None
    assert set(line["components"]["closed"].values()) == {None}
    # The other mode said nothing anywhere: its zeros are no secret.
    assert set(line["components"]["open"].values()) == {0.0}
    assert "may be shown" in line["not_ranked"] or "does not rank" in line["not_ranked"]
    whole = str(world.ok("full", "POST", "/v1/runs", json={**body, "participant": "whole"})["id"])
    rows = [{"task_id": one["task_id"], "attempt_key": f"w{one['task_id']}", "text": "Вывод: да."} for one in work]
    world.send("full", whole, rows)
    world.judge()
    world.ok("full", "POST", f"/v1/runs/{whole}/close")
    world.ok("full", "POST", f"/v1/runs/{whole}/publish")
    assert "in common" in world.refused(409, "owl", "GET", f"/v1/comparisons?runs={run},{whole}")
    assert world.ok("full", "GET", f"/v1/runs/{run}/scores")["modes"]["closed"]["without_zeros"]["scored"] == 1


def _holds_a_report(world: World, run: str) -> None:
    page = world.ask("full", "GET", f"/v1/runs/{run}/report")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert f"run {run}" in page.text
    assert "its judge does not rank" in page.text
    assert "Runs and their conditions" in page.text
    assert "Not applicable: the contexts of these runs mark no norm" in page.text
    packed = world.ask("full", "GET", f"/v1/runs/{run}/report?format=zip")
    with zipfile.ZipFile(io.BytesIO(packed.content)) as archive:
        assert archive.testzip() is None
        assert archive.read("report.html") == page.content
        assert {"report.md", "manifest.json"} <= set(archive.namelist())
    assert world.ask("full", "GET", f"/v1/runs/{run}/report?format=zip").content == packed.content
    assert "twice" in world.refused(422, "full", "GET", f"/v1/runs/{run}/report?beside={run}")


def test_the_judge_sees_no_more_than_the_question(world: World) -> None:
    run = world.run("owl", "judged-participant")
    world.send("owl", run, [answers("owl")[0]])
    items = world.ok("judge", "POST", "/v1/judgements/leases", json={"profile": "lexical", "n": 1})["items"]
    (item,) = items
    assert set(item) == {"id", "fence", "leased_until", "level", "values", "repeat", "messages"}
    assert "judged-participant" not in json.dumps(items)
    path = f"/v1/judgements/{item['id']}/verdict"
    assert "0.7" in world.refused(422, "judge", "PUT", path, json={"fence": item["fence"], "value": 0.7})
    world.refused(422, "judge", "PUT", path, json={"fence": item["fence"], "value": True})
    world.refused(403, "owl", "PUT", path, json={"fence": item["fence"], "value": 1})
    world.ok("judge", "PUT", path, json={"fence": item["fence"], "value": 1, "reason": "да"})
    world.ok("judge", "PUT", path, json={"fence": item["fence"], "value": 1})
    assert "lost" in world.refused(409, "judge", "PUT", path, json={"fence": item["fence"], "value": 0})
    world.judge()


def test_reading_without_a_run(world: World) -> None:
    text = "<think>хм</think>ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15, ГК_1999\nВЫВОД: Да."
    read = world.ok(None, "POST", "/v1/benchmarks/mhgb/read", json={"text": text, "corpus": "sample"})
    assert (read["listed"], read["sections"], read["thinking"]) == (["ГК_15"], ["articles", "conclusion"], True)
    assert read["text"].startswith("ПРИМЕНИМЫЕ")
    assert "nope" in world.refused(404, None, "POST", "/v1/benchmarks/nope/read", json={"text": "a"})


def test_resuming_over_http(world: World) -> None:
    body = {"task_set": "sample", "participant": "again", "resume": True}
    first = world.ask("owl", "POST", "/v1/runs", json=body)
    second = world.ask("owl", "POST", "/v1/runs", json=body)
    assert (first.status_code, second.status_code, second.json()["id"]) == (201, 200, first.json()["id"])
    assert "max_chunks 25 then, 24 now" in world.refused(
        409, "owl", "POST", "/v1/runs", json={**body, "max_chunks": 24}
    )
