"""Beside a board whose contexts tell more than their norms stands what participants reach that read no law."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from statistics import fmean
from typing import Any

import pytest

from service.resources import resource_text
from tests.integration.service.test_runs_http import World, answers, world  # noqa: F401 - a service with the sample's tasks
from tests.participants import norm_coverage

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

GOLD = {
    f"{row['id']}_open": row["norm_ids"]
    for row in map(json.loads, resource_text("data/sample/tasks.jsonl").splitlines())
}


def by_hand(world: World, configuration: str) -> dict[str, float]:  # noqa: F811 - the fixture
    """What the three name, read off the rendered text as a reader would."""
    reached: dict[str, list[float]] = {"marker": [], "hub": [], "everything": []}
    for task, gold in GOLD.items():
        text = world.ok(None, "GET", f"/v1/tasks/{task}/context?configuration={configuration}")["text"]
        shown, lines = [], []
        for block in text.split("\n\n"):
            if head := re.match(r"\[([^\]]+)\] ", block):
                shown.append(head[1])
            lines += [(shown[-1], *pair) for pair in re.findall(r"Связь «[^»]+» между \[(.+?)\] и \[(.+?)\]\.", block)]
        counted = Counter(norm for _, one, other in lines for norm in (one, other))
        marked = set(counted) - {carrier for carrier, _, _ in lines}
        most = {norm for norm, count in counted.items() if count == max(counted.values())}
        for name, named in (("marker", marked), ("hub", most), ("everything", set(shown))):
            reached[name].append(norm_coverage(named or set(shown), gold))
    return {name: fmean(values) for name, values in reached.items()}


def publish(world: World, participant: str, **more: Any) -> str:  # noqa: F811 - the fixture
    run = world.run("owl", participant, **more)
    assert {one["status"] for one in world.send("owl", run, answers("owl")[:2])} == {201}
    world.ok("owl", "POST", f"/v1/runs/{run}/close")
    world.ok("owl", "POST", f"/v1/runs/{run}/publish")
    return run


@pytest.mark.parametrize("configuration", ["full_graph_edges", "full_graph_relations"])
def test_boards_of_marked_contexts(world: World, configuration: str) -> None:  # noqa: F811 - the fixture
    run = publish(world, f"owl-{configuration}", configuration=configuration)
    boards = world.ok(None, "GET", "/v1/leaderboards/mhgb?unranked=true")["boards"]
    (board,) = [one for one in boards if run in {row["run"] for row in one["rows"]}]
    shown = {row["participant"]: row for row in board["test_participants"]}
    assert {name: row["mean"] for name, row in shown.items()} == pytest.approx(by_hand(world, configuration))
    assert {(row["token_budget"], row["component"], row["tasks"]) for row in shown.values()} == {
        (40_000, "norm_coverage", 24)
    }
    betrayer = "marker" if configuration == "full_graph_edges" else "hub"
    # The sample is so small that the hubs of its contexts are no seeds: what is shown is what is reached, less too.
    assert (shown[betrayer]["mean"] > shown["everything"]["mean"]) is (betrayer == "marker")
    said = subprocess.run(
        [sys.executable, "-m", "service", "leaderboard", "mhgb", "--unranked", "--url", world.url],
        env={**os.environ, "LEXHOP_KEY": world.keys["reader"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{betrayer} (reads no law): norm coverage {shown[betrayer]['mean']:.4f} over 24 open tasks" in said.stdout


def test_a_budget_has_its_own_row_and_the_default_none(world: World) -> None:  # noqa: F811 - the fixture
    plain = publish(world, "owl-plain")
    runs = [
        publish(world, f"owl-{budget}", configuration="full_graph_edges", token_budget=budget) for budget in (300, 900)
    ]
    boards = world.ok(None, "GET", "/v1/leaderboards/mhgb?unranked=true")["boards"]
    of_run = {row["run"]: board for board in boards for row in board["rows"]}
    assert of_run[plain]["test_participants"] == []
    marked = of_run[runs[0]]
    assert marked is of_run[runs[1]]
    budgets = [row["token_budget"] for row in marked["test_participants"] if row["participant"] == "marker"]
    assert budgets[:2] == [300, 900]
