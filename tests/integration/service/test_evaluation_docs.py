"""The page docs/evaluation.md does what it says: its curl and its Python, from a key to a score."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.integration.service.test_runs_http import World, world  # noqa: F401 - a service with the sample's tasks

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]
PAGE = (Path(__file__).resolve().parents[3] / "docs" / "evaluation.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def environment(world: World) -> dict[str, str]:  # noqa: F811 - the fixture
    return {**os.environ, "LEXHOP_URL": world.url, "LEXHOP_KEY": world.keys["magpie"]}


def test_curl(world: World, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block("sh")],
        env=environment(world),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"status":201' in done.stdout
    assert '"state":"awaiting_judge"' in done.stdout
    assert '"modes":{"closed"' in done.stdout


def test_python_within_thirty_lines(world: World, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    code = block("python")
    assert len(code.strip().splitlines()) <= 30
    ended = threading.Event()

    def judge() -> None:
        while not ended.wait(0.2):
            world.judge()

    judging = threading.Thread(target=judge)
    judging.start()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment(world),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    finally:
        ended.set()
        judging.join()
    assert done.returncode == 0, done.stderr
    assert re.findall(r"over (\d+) of (\d+)", done.stdout) == [("24", "24"), ("24", "24")]
