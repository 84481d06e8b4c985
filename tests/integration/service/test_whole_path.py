"""The whole path of MHGB on the real codes: chains, tasks by a model, a frozen set, three participants, judges, a board.

Commands where an operator or an author would type them, HTTP where a participant or a reader would ask. What comes out is
compared with figures that `path_scenes` works out from what the participants say.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import httpx
import pytest
from sqlalchemy import URL

from loaders.corpus import BuiltCorpus
from service.db import Database, Scope, create_key
from service.graph.address import GraphAddress
from tests.fake_models import FakeModels, in_thread
from tests.integration.service.conftest import environment_for, serving
from tests.integration.service.path_scenes import JUDGES, PARTICIPANTS, Known, reply, worth
from tests.integration.service.test_tasks_betray_nothing import hold

pytestmark = [pytest.mark.graph, pytest.mark.any_graph, pytest.mark.data]

MODEL = """
  - name: {name}
    provider: openai
    model: {name}
    endpoint: {url}
    start_requests_per_second: 1000
"""
ABOUT = ["--benchmark", "mhgb", "--licence", "CC-BY-4.0", "--source", "a test", "--corpus", "ru"]
CELLS = 12
A_CELL = 2


@dataclass
class Scene:
    environment: dict[str, str]
    keys: dict[str, str] = field(default_factory=dict)
    client: httpx.Client = field(default_factory=httpx.Client)

    def lexhop(self, *arguments: str) -> Any:
        command = [sys.executable, "-m", "service", *arguments, "--json"]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def ask(self, who: str | None, method: str, path: str, **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.keys[who]}"} if who else {}
        headers |= more.pop("headers", {})
        answer = self.client.request(method, f"/v1/{path}", headers=headers, **more)
        assert answer.status_code < 300, answer.text
        if answer.headers["content-type"] == "application/x-ndjson":
            return [json.loads(line) for line in answer.text.splitlines()]
        return answer.json()


@pytest.fixture(scope="module")
def scene(graph_address: GraphAddress, real: BuiltCorpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A frozen, public set over the real codes, and a service that hands it out."""
    home = tmp_path_factory.mktemp("path-home")
    environment = environment_for(graph_address, LEXHOP_HOME=str(home), LEXHOP_CORPUS="ru")
    models = home / "models.yaml"
    with in_thread(FakeModels(reply=reply)) as server:
        text = "models:" + "".join(MODEL.format(name=name, url=server.url) for name in ("writer", "second", "judge"))
        models.write_text(text, encoding="utf-8")
        made = Scene(environment | {"LEXHOP_MODELS_FILE": str(models)})
        drafted = made.lexhop("tasks", "draft", "codes", *ABOUT, "--seed", "42", "--wanted", str(CELLS * A_CELL))
        assert (drafted["chains"], drafted["missing"]) == (CELLS * A_CELL, 0)
        by = ["--models", str(models), "--model"]
        assert made.lexhop("tasks", "write", "codes", *by, "writer")["valid"] == CELLS * A_CELL
        assert made.lexhop("tasks", "validate", "codes", *by, "second")["approved"] == CELLS * A_CELL
        assert made.lexhop("tasks", "freeze", "codes")["digest"]
        assert len(made.lexhop("tasks", "subset", "codes", "--per-cell", str(A_CELL), "--publish")["task_ids"]) == 48
        made.lexhop("judges", "add", "main", "--model", "judge")
        made.keys = asyncio.run(_keys(home))
        with (
            serving(made.environment) as (url, _),
            httpx.Client(base_url=url, timeout=120) as made.client,
        ):
            yield made


async def _keys(home: Path) -> dict[str, str]:
    ledger = Database(URL.create("sqlite+aiosqlite", database=str(home / "ledger.sqlite3")))
    keys = {}
    async with ledger.write() as session:
        for name in PARTICIPANTS:
            _, text = await create_key(session, name=name, scopes=[Scope.SUBMIT], actor="test")
            keys[name] = text.get_secret_value()
    await ledger.close()
    return keys


def take_part(scene: Scene, name: str, judge: str) -> tuple[str, Known]:
    """Answer every task of the set over HTTP; return the run and what is known of it."""
    body = {"task_set": "codes", "participant": name, "judge": judge, "conditions": {"model": f"{name}-1"}}
    run = scene.ask(name, "POST", "runs", json=body)["id"]
    leased = scene.ask(name, "POST", f"runs/{run}/leases", json={"n": 100})["items"]
    assert len(leased) == 2 * CELLS * A_CELL
    known, lines = Known(), []
    for work in leased:
        fabula, _, mode = work["task_id"].rpartition("_")
        # The answer key of a public task is public; a participant that plays a part needs it.
        gold = scene.ask(name, "GET", f"tasks/{work['task_id']}?gold=true")["gold"]["norm_ids"]
        bystander = None
        if mode == "open":
            context = scene.ask(name, "GET", f"tasks/{work['task_id']}/context")["text"]
            assert context in work["messages"][-1]["content"]
            others = [norm for norm in re.findall(r"^\[([^\]]+)\]", context, re.MULTILINE) if norm not in gold]
            bystander = others[0] if others else None
        prompt = scene.ask(name, "GET", f"tasks/{work['task_id']}/prompt")
        assert prompt["messages"] == work["messages"]
        said = PARTICIPANTS[name](gold, mode, work["depth"], bystander)
        known.worths[fabula, mode] = worth(said, gold, judge)
        known.cells[fabula] = (work["type"], work["depth"])
        known.outcomes[mode][said.outcome] = known.outcomes[mode].get(said.outcome, 0) + 1
        line = {"task_id": work["task_id"], "attempt_key": work["lease"], "outcome": said.outcome, "text": said.text}
        lines.append(json.dumps({key: value for key, value in line.items() if value is not None}))
    sent = scene.ask(
        name,
        "POST",
        f"runs/{run}/submissions",
        content="\n".join(lines).encode(),
        headers={"Content-Type": "application/x-ndjson"},
    )
    assert {one["status"] for one in sent} == {201}
    return run, known


def near(value: float) -> Any:
    return pytest.approx(value, abs=1e-9)


def check_scores(scene: Scene, name: str, run: str, known: Known) -> None:
    scores = scene.ask(name, "GET", f"runs/{run}/scores")["modes"]
    for mode in ("closed", "open"):
        there = known.of_mode(mode)
        final, parts = scores[mode]["final"], scores[mode]["components"]
        assert (final["scored"], final["total"]) == (len(there), CELLS * A_CELL)
        assert final["mean"] == near(fmean(one.fs for one in there))
        assert parts["norm_coverage"]["mean"] == near(fmean(one.nc for one in there))
        assert parts["step_correctness"]["mean"] == near(fmean(one.sc for one in there))
        assert parts["answer_correctness"]["mean"] == near(fmean(one.ac for one in there))
        assert {key: count for key, count in scores[mode]["outcomes"].items() if count} == known.outcomes[mode]
        spoke = [one.fs for one in there if not one.zero]
        assert (scores[mode]["without_zeros"]["mean"], scores[mode]["without_zeros"]["scored"]) == (
            near(fmean(spoke)),
            len(spoke),
        )


def check_gap(scene: Scene, name: str, run: str, known: Known) -> None:
    gap = scene.ask(name, "GET", f"runs/{run}/gap")
    pairs = known.pairs()
    assert (gap["n_pairs"], gap["pairs"]) == (len(pairs), CELLS * A_CELL)
    assert gap["gap"] == near(fmean(opened.fs - closed.fs for closed, opened in pairs))
    assert gap["components"]["norm_coverage"]["mean"] == near(fmean(opened.nc - closed.nc for closed, opened in pairs))
    assert gap["quadrants"] == known.quadrants()
    slices = scene.ask(name, "GET", f"runs/{run}/slices?by=type&by=depth")["slices"]
    assert len(slices) == CELLS
    for part in slices:
        of_cell = known.pairs(**part["slice"])
        assert (part["pairs"], part["n_pairs"]) == (A_CELL, len(of_cell))
        wanted = near(fmean(opened.fs - closed.fs for closed, opened in of_cell)) if of_cell else None
        assert part["gap"]["mean"] == wanted


def check_board(scene: Scene, judge: str, runs: dict[str, tuple[str, Known]]) -> None:
    boards = scene.ask(None, "GET", "leaderboards/mhgb?unranked=true")["boards"]
    (board,) = [one for one in boards if one["judge"] == judge]
    means = {
        name: (fmean(one.fs for one, _ in known.pairs()), fmean(other.fs for _, other in known.pairs()))
        for name, (_, known) in runs.items()
    }
    order = sorted(means, key=lambda name: -means[name][1])
    assert [row["participant"] for row in board["rows"]] == order
    for row in board["rows"]:
        closed, opened = means[row["participant"]]
        assert (row["closed"], row["open"], row["gap"]) == (near(closed), near(opened), near(opened - closed))
        assert row["n_pairs"] == len(runs[row["participant"]][1].pairs())
        assert row["gap_interval"][0] <= row["gap"] <= row["gap_interval"][1]
    ranked = [order.index(name) + 1 for name in order] if judge == "main" else [None] * len(order)
    assert [row["rank"] for row in board["rows"]] == ranked


def test_from_the_codes_to_a_board(scene: Scene) -> None:
    runs = {judge: {name: take_part(scene, name, judge) for name in PARTICIPANTS} for judge in JUDGES}
    work = scene.lexhop("work", "--once")
    asked = sum(
        len(scene.ask(name, "GET", f"runs/{run}/submissions?limit=1000")["items"])
        for of_judge in runs.values()
        for name, (run, _) in of_judge.items()
    )
    assert (asked, work["unavailable"], work["returned"], work["lost"]) == (6 * 48, 0, 0, 0)
    for judge, of_judge in runs.items():
        for name, (run, known) in of_judge.items():
            closed = scene.ask(name, "POST", f"runs/{run}/close")
            assert (closed["state"], closed["judgements"]["waiting"]) == ("closed", 0)
            check_scores(scene, name, run, known)
            check_gap(scene, name, run, known)
            scene.ask(name, "POST", f"runs/{run}/publish")
        check_board(scene, judge, of_judge)
    ranked = scene.ask(None, "GET", "leaderboards/mhgb")["boards"]
    assert [board["judge"] for board in ranked] == ["main"]
    # The two judges agree on none of it by chance: the same answers are worth something else to each.
    values = {judge: runs[judge]["weak"][1].of_mode("closed")[0].ac for judge in JUDGES}
    assert values == {"main": 0.33, "lexical": 0.67}
    assert Counter(kind for kind, _ in runs["main"]["odd"][1].cells.values()).most_common()[0][1] == 3 * A_CELL


def test_the_set_gives_nothing_away(scene: Scene) -> None:
    tasks = scene.ask(None, "GET", "task-sets/codes/tasks?mode=open&view=gold&limit=100")["items"]
    assert len(tasks) == CELLS * A_CELL
    hold(scene.client, [tuple(task["gold"]["norm_ids"]) for task in tasks], "ru")
