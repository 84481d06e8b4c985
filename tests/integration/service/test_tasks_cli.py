"""`lexhop tasks` as a process: the plan, the sample set, its checks, its files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from tests.integration.service.conftest import environment_for

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]


@pytest.fixture(scope="module")
def environment(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    home = tmp_path_factory.mktemp("tasks-home")
    return environment_for(graph_address, LEXHOP_HOME=str(home), LEXHOP_CORPUS="sample")


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "service", "tasks", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def answer(environment: dict[str, str], *arguments: str) -> Any:
    done = run(environment, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_plan_and_its_chains(environment: dict[str, str], loaded: BuiltCorpus, tmp_path: Path) -> None:
    file = tmp_path / "chains.jsonl"
    plan = answer(environment, "chains", "--plan", "--seed", "42", "--wanted", "36", "--out", str(file))
    assert (plan["corpus"], plan["version"]) == ("sample", loaded.content.version)
    assert len(plan["cells"]) == 12
    chains = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(chains) == plan["drawn"] == sum(cell["drawn"] for cell in plan["cells"])
    for cell in plan["cells"]:
        low, high = cell["interval"]
        assert low <= cell["available"] <= high
        assert cell["exact"] == (low == high)
        assert cell["wanted"] == 3 == cell["drawn"] + cell["missing"]
    again = answer(environment, "chains", "--plan", "--seed", "42", "--wanted", "36")
    assert again == plan


def test_chains_that_begin_at_a_norm(environment: dict[str, str]) -> None:
    found = answer(environment, "chains", "--from", "ГК_26", "--type", "issue_spotting", "--depth", "medium")
    assert all(chain["norm_ids"][0] == "ГК_26" for chain in found["chains"])
    assert ["ГК_26", "ГК_1074", "ГК_1064"] in [chain["norm_ids"] for chain in found["chains"]]
    neither = run(environment, "chains")
    assert neither.returncode == 1
    assert "--plan" in neither.stderr


def test_a_cell_that_cannot_be_filled_says_so(environment: dict[str, str]) -> None:
    done = run(environment, "chains", "--plan", "--wanted", "2400")
    assert done.returncode == 0
    assert "cell issue_spotting/shallow lacks" in done.stderr


def test_impossible_weights(environment: dict[str, str]) -> None:
    shares = {"LEXHOP_CHAINS_LENGTH_SHARES": '{"3": 1}'}
    done = run(environment | shares, "chains", "--plan")
    assert done.returncode == 1
    assert "no length of depth 'deep'" in done.stderr


def test_the_sample_set_from_making_to_dropping(environment: dict[str, str], tmp_path: Path) -> None:
    made = answer(environment, "load-sample")
    assert made["name"] == "sample@1"
    assert made["digest"]
    assert answer(environment, "load-sample") == made
    checked = answer(environment, "check", "sample")
    assert (checked["fabulas"], checked["faulty"]) == (24, 0)
    assert any("amendment" in remark for one in checked["reports"] for remark in one["remarks"])
    drawn = answer(environment, "subset", "sample", "--per-cell", "1", "--publish")
    assert len(drawn["task_ids"]) == 24
    (listed,) = answer(environment, "list")["task_sets"]
    assert (listed["fabulas"], listed["public"]) == (24, 12)
    assert listed["digest"] == made["digest"]
    file = tmp_path / "public.jsonl"
    answer(environment, "export", "sample", "--to", str(file), "--public")
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [record["id"] for record in records] != []
    assert {record["id"] for record in records} == set(drawn["task_ids"])
    assert all(record["canary"] == made["canary"] for record in records)

    spoiled = [json.dumps(record | {"norm_ids": ["ГК_9999"]}, ensure_ascii=False) for record in records]
    file.write_text("\n".join(spoiled), encoding="utf-8")
    options = ["--corpus", "sample", "--benchmark", "mhgb", "--licence", "Apache-2.0", "--source", "us"]
    draft = answer(environment, "import", str(file), "--key", "mine", *options)
    assert (draft["name"], draft["digest"], draft["canary"]) == ("mine@1", None, made["canary"])
    refused = run(environment, "check", "mine")
    assert refused.returncode == 1
    assert "'ГК_9999' is not in this version" in refused.stdout

    sheet = run(environment, "datasheet", "sample")
    assert made["canary"] in sheet.stdout
    unnamed = run(environment, "drop", "mine")
    assert (unnamed.returncode, "mine@1" in unnamed.stderr) == (1, True)
    assert answer(environment, "drop", "mine@1")["name"] == "mine@1"
    assert [one["name"] for one in answer(environment, "list")["task_sets"]] == ["sample@1"]


def test_a_pinned_version_cannot_be_dropped(environment: dict[str, str]) -> None:
    answer(environment, "load-sample")
    command = [sys.executable, "-m", "service", "corpus", "drop", "sample"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "task set sample@1" in done.stderr
