"""Judges that work elsewhere, with a key of scope judge: the run's own, and a second one in an operator's own words."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from tests.integration.service.conftest import environment_for, serving
from tests.integration.service.test_runs_http import World, _fill, answers

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

WORDS = "Судите по нашим официальным правилам."


class Place:
    """A service and the machine that it runs on."""

    def __init__(self, world: World, environment: dict[str, str]) -> None:
        self.world, self.environment = world, environment

    def lexhop(self, *arguments: str, as_json: bool = True) -> Any:
        command = [sys.executable, "-m", "service", *arguments, *(["--json"] if as_json else [])]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if as_json else done.stdout


@pytest.fixture(scope="module")
def place(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("judges-home")
    environment = environment_for(graph_address, LEXHOP_HOME=str(home), LEXHOP_CORPUS="sample")
    with serving(environment) as (url, _):
        keys = asyncio.run(_fill(graph_address, loaded.content.version, home))
        with World(url, keys) as world:
            yield Place(world, environment)


def test_from_leases_to_a_score_and_to_an_agreement(place: Place, tmp_path: Path) -> None:
    world = place.world
    place.lexhop("judges", "add", "outside", "--external", "--model-id", "kin-1")
    (tmp_path / "judge-step.md").write_text(f"# system\n\n{WORDS}\n", encoding="utf-8")
    added = place.lexhop("judges", "add", "official", "--external", "--prompts", str(tmp_path))
    shown = {one["name"]: one for one in world.ok(None, "GET", "/v1/judges")["items"]}
    assert (shown["outside"]["kind"], shown["outside"]["wording"]) == ("external", None)
    assert shown["official"]["wording"] == added["wording"] is not None
    assert (shown["official"]["wording_of"], shown["official"]["prompt_version"]) == ("mhgb", tmp_path.name)
    assert WORDS not in json.dumps(shown, ensure_ascii=False)

    run = world.run("owl", judge="outside", conditions={"model": "owl-1"})
    assert {one["status"] for one in world.send("owl", run, answers("owl"))} == {201}
    given = world.judge("outside")
    assert world.judge("official") == 0
    state = world.ok("owl", "GET", f"/v1/runs/{run}")
    assert (state["state"], state["judgements"]["judged"], state["judgements"]["total"]) == ("complete", given, given)
    world.ok("owl", "POST", f"/v1/runs/{run}/close")
    before = world.ok("owl", "GET", f"/v1/runs/{run}/scores")
    for mode in ("closed", "open"):
        parts = before["modes"][mode]["components"]
        assert (parts["step_correctness"]["mean"], parts["answer_correctness"]["mean"]) == pytest.approx((0.5, 0.67))
    assert before["agreement"] == []

    world.refused(404, "magpie", "POST", f"/v1/runs/{run}/rejudge", json={"judge": "official"})
    world.refused(404, "owl", "POST", f"/v1/runs/{run}/rejudge", json={"judge": "nobody"})
    by_owl = ["--url", world.url, "--key", world.keys["owl"]]
    asked = place.lexhop("runs", "rejudge", run, "--judge", "official", *by_owl)
    assert asked == {"reopened": 0, "asked": given}
    assert place.lexhop("runs", "rejudge", run, "--judge", "official", *by_owl) == {"reopened": 0, "asked": 0}
    items = world.ok("judge", "POST", "/v1/judgements/leases", json={"profile": "official", "n": 100, "seconds": 1})
    for item in items["items"]:
        assert (WORDS in item["messages"][0]["content"]) is (item["level"] == "step")
        assert '"score"' in item["messages"][0]["content"]
        body = {"fence": item["fence"], "value": 1.0 if item["level"] == "step" else 0.67}
        world.ok("judge", "PUT", f"/v1/judgements/{item['id']}/verdict", json=body)
    seen = len(items["items"])
    assert world.judge("official", {"step": 1, "answer": 0.67}) == given - seen

    after = world.ok("owl", "GET", f"/v1/runs/{run}/scores")
    assert after["modes"] == before["modes"]
    (row,) = after["agreement"]
    levels = {one["level"]: one for one in row["levels"]}
    assert (row["judge"], row["second"], sum(one["both"] for one in levels.values())) == ("outside", "official", given)
    assert (levels["step"]["bias"], levels["answer"]["bias"]) == pytest.approx((-0.5, 0.0))
    told = place.lexhop("runs", "show", run, *by_owl, as_json=False)
    assert "judge official beside outside, answer: not applicable: both raters give one and the same label" in told
    world.ok("owl", "POST", f"/v1/runs/{run}/publish")
    (board,) = world.ok(None, "GET", "/v1/leaderboards/mhgb")["boards"]
    assert (board["judge"], board["rows"][0]["rank"]) == ("outside", 1)
    assert board["agreement"] == after["agreement"]
    board_said = place.lexhop("leaderboard", "mhgb", "--unranked", *by_owl, as_json=False)
    assert "judge official beside outside, step: κ 0.0000" in board_said


def test_the_judges_own_model_is_not_ranked(place: Place) -> None:
    world = place.world
    run = world.run("owl", "kin", judge="outside", conditions={"model": "kin-1"})
    world.send("owl", run, answers("owl"))
    world.judge("outside")
    for verb in ("close", "publish"):
        world.ok("owl", "POST", f"/v1/runs/{run}/{verb}")
    boards = world.ok(None, "GET", "/v1/leaderboards/mhgb")["boards"]
    row = next(row for board in boards for row in board["rows"] if row["run"] == run)
    assert (row["rank"], row["not_ranked"]) == (None, "it shares the judge's model 'kin-1'")
