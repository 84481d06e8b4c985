"""From nothing to an answering service: the wheel in an empty folder, and the two scripts of a fresh clone."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance.conftest import ROOT, newcomer, processes_of, uv
from tests.integration.conftest import QUICK_JAVA

pytestmark = [pytest.mark.graph, pytest.mark.slow]

NOTICE = "учебный пересказ, не текст закона"


def run(command: list[str], where: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done


def hold_demo(said: str) -> dict[str, Any]:
    """What `lexhop demo --once --json` prints: one object, with everything in it that the demo shows."""
    shown: dict[str, Any] = json.loads(said)
    assert (shown["corpus"], shown["notice"]) == ("sample", NOTICE)
    assert re.fullmatch(r"[0-9a-f]{12}", shown["version"])
    assert shown["url"].startswith("http://127.0.0.1:")
    assert shown["relations"]
    seeds = set(shown["chain"])
    assert len(seeds) == 2
    assert seeds <= {chunk["norm_id"] for chunk in shown["context"]["chunks"]}
    assert shown["context"]["version"] == shown["version"]
    assert NOTICE in shown["context"]["text"]
    return shown


def test_the_wheel_in_an_empty_folder_and_a_fresh_environment_runs_the_demo(tmp_path: Path) -> None:
    wheels, venv, empty = tmp_path / "wheels", tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    # The clone's demo shows the Java machine as it comes; here it is quick, as in most tests.
    environment = newcomer(tmp_path / "home", LEXHOP_LOCAL_JAVA_OPTIONS=QUICK_JAVA)
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)], ROOT, dict(os.environ))
    (wheel,) = wheels.glob("lexhop-*.whl")
    run([uv(), "venv", "--quiet", "--python", environment["LEXHOP_PYTHON"], str(venv)], empty, environment)
    into = environment | {"VIRTUAL_ENV": str(venv)}
    lock = ROOT / "requirements" / "runtime.txt"
    run([uv(), "pip", "sync", "--quiet", "--require-hashes", str(lock)], empty, into)
    run([uv(), "pip", "install", "--quiet", "--no-deps", str(wheel)], empty, into)
    where = run([str(venv / "bin" / "python"), "-c", "import service; print(service.__file__)"], empty, environment)
    assert Path(where.stdout.strip()).is_relative_to(venv)
    done = run([str(venv / "bin" / "lexhop"), "demo", "--once", "--json"], empty, environment)
    hold_demo(done.stdout)
    assert list(empty.iterdir()) == []
    assert processes_of(tmp_path) == []


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clone") / "lexhop"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def test_the_demo_of_a_fresh_clone_without_uv(
    clone: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    shell = shutil.which("dash") or "/bin/sh"
    environment = newcomer(tmp_path / "home")
    assert shutil.which("uv", path=environment["PATH"]) is None
    first = run([shell, "scripts/demo", "--once", "--json"], clone, environment)
    shown = hold_demo(first.stdout)
    assert (clone / ".venv").is_dir()
    assert processes_of(tmp_path) == []
    assert subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, check=True).stdout == b""

    begun = time.monotonic()
    with subprocess.Popen(
        [shell, "scripts/demo"],
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as demo:
        try:
            assert demo.stderr is not None
            told = []
            for line in demo.stderr:
                told.append(line)
                if "Ctrl-C ends everything" in line:
                    break
            seconds = round(time.monotonic() - begun, 1)
            record_property("second start, seconds", seconds)
            sys.stdout.write(f"second start of scripts/demo: {seconds} s\n")
            (url,) = re.findall(r"the service answers at (http://\S+)", "".join(told))
            answer = httpx.get(f"{url}/v1/corpora", timeout=60).json()
            assert [one["version"] for one in answer["items"]] == [shown["version"]]
            assert processes_of(tmp_path), "the local graph's host names its home: this would find it"
            # A terminal sends Ctrl-C to everything in the foreground.
            os.killpg(demo.pid, signal.SIGINT)
            printed, left = demo.communicate(timeout=120)
        finally:
            if demo.poll() is None:
                demo.kill()
    assert demo.returncode == 0, left
    assert "Traceback" not in left
    assert "the demo is over; its graph is shut down" in left
    # The guided print: an article, a tree of relations in words, a context.
    assert NOTICE in printed
    for norm in shown["chain"]:
        assert f"[{norm}]" in printed or norm in printed
    assert processes_of(tmp_path) == []
