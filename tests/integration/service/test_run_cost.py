"""`lexhop run` says what a run costs before it is paid: without a call, and by a sample of real ones that are kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fake_models import FakeModels, in_thread
from tests.integration.service.test_runs_http import World, world  # noqa: F401 - a service with the sample's tasks

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

TEXT = "ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15\nЦЕПОЧКА РАССУЖДЕНИЙ:\nГК_15\nВЫВОД:\nДа."
MODELS = """
models:
  - name: fake
    provider: openai
    model: fake
    endpoint: {url}
    start_requests_per_second: 1000
    max_tokens: 1000
    price: {{input: 1, output: 2, currency: RUB, as_of: "2026-01"}}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[FakeModels]:
    with in_thread(FakeModels(reply=TEXT)) as running:
        yield running


@pytest.fixture
def models(server: FakeModels, tmp_path: Path) -> Path:
    path = tmp_path / "models.yaml"
    path.write_text(MODELS.format(url=server.url), encoding="utf-8")
    return path


def lexhop(world: World, models: Path, *arguments: str, as_json: bool = True) -> Any:  # noqa: F811 - the fixture
    command = [sys.executable, "-m", "service", "run", "--model", "fake", "--task-set", "sample", *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEXHOP_")}
    environment = kept | {
        "LEXHOP_URL": world.url,
        "LEXHOP_KEY": world.keys["owl"],
        "LEXHOP_HOME": str(models.parent),
        "LEXHOP_MODELS_FILE": str(models),
    }
    command += ["--json"] if as_json else []
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if as_json else done.stdout + done.stderr


def characters(world: World, **conditions: Any) -> dict[str, int]:  # noqa: F811 - the fixture
    """What a run under some conditions sends, by mode, off its own leases."""
    run = world.run("owl", "measured", **conditions)
    found = {"closed": 0, "open": 0}
    for work in world.ok("owl", "POST", f"/v1/runs/{run}/leases", json={"n": 48})["items"]:
        found[work["mode"]] += work["characters"]
    return found


def test_a_dry_run_goes_by_the_runs_own_conditions(world: World, models: Path, server: FakeModels) -> None:  # noqa: F811
    runs = len(world.ok("owl", "GET", "/v1/runs?limit=1000")["items"])
    # Two tasks a cell: a sample of two is the whole set, and the figure is exact.
    whole = lexhop(world, models, "--dry-run", "--sample", "2")
    small = lexhop(world, models, "--dry-run", "--sample", "2", "--token-budget", "300", "--repeats", "2")
    few = lexhop(world, models, "--dry-run", "--mode", "closed", "--limit", "3")
    assert (server.seen, len(world.ok("owl", "GET", "/v1/runs?limit=1000")["items"])) == ([], runs)
    for found, conditions, repeats in ((whole, {}, 1), (small, {"token_budget": 300}, 2)):
        sent = sum(characters(world, **conditions).values()) / 3
        prompt = found["prompt_tokens"]
        assert prompt["low"] == pytest.approx(prompt["high"])
        assert prompt["likely"] == pytest.approx(repeats * sent)
        assert (found["tasks"], found["calls"], found["cells"]) == (48, 48 * repeats, 24)
    assert small["prompt_tokens"]["likely"] / 2 < whole["prompt_tokens"]["likely"]
    assert (few["tasks"], few["calls"]) == (3, 3)
    assert (whole["completion_from"], whole["completion_tokens"]["high"]) == ("assumption", 48_000)
    # 1,200 tokens are likely, but this model may say 1,000 at most.
    assert whole["cost"]["low"] < whole["cost"]["likely"] == whole["cost"]["high"]
    said = lexhop(world, models, "--dry-run", as_json=False)
    assert "48 calls over 48 tasks" in said
    assert "RUB" in said
    assert "300 to 1000 a reply assumed" in said
    assert "nobody was called" in said


def test_a_sample_is_answered_kept_and_gone_on_from(world: World, models: Path, server: FakeModels) -> None:  # noqa: F811
    before = len(server.seen)
    first = lexhop(world, models, "--sample", "1")
    assert (first["outcomes"], len(server.seen) - before) == ({"answered": 24}, 24)
    assert first["health"] == "the first 10: all answered"
    estimate = first["estimate"]
    # The server counts 100 tokens to it and a third of the characters from it, for every call.
    assert estimate["completion_from"] == "sample"
    assert estimate["prompt_tokens"]["likely"] == pytest.approx(48 * 100)
    assert estimate["completion_tokens"]["likely"] == pytest.approx(48 * (len(TEXT) // 3))
    assert estimate["cost"]["likely"] == pytest.approx((48 * 100 + 2 * 48 * (len(TEXT) // 3)) / 1e6)
    assert first["cost"] == pytest.approx(estimate["cost"]["likely"] / 2)
    rest = lexhop(world, models, as_json=False)
    assert len(server.seen) - before == 48
    assert f"{first['run']}: 24 of 24 (24 answered)" in rest
    assert "the first 10: all answered" in rest
    assert f"{first['cost']:.4f} of about {first['cost']:.4f} RUB" in rest
    state = world.ok("owl", "GET", f"/v1/runs/{first['run']}")
    assert (state["answered"], state["left"]) == (48, {"closed": 0, "open": 0})
