"""``lexhop corpus refine`` as an operator runs it: a dry run, a kill in the middle, the same command again."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from service.graph.catalog import read_catalog
from service.graph.opening import open_graph
from tests.integration.service.conftest import environment_for, settings_for

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

_ROOT = Path(__file__).resolve().parents[3]
_VERDICT = {"explanation": "по словам статьи", "relation": "SUPPLEMENTS", "direction": "A_TO_B"}


@pytest.fixture
def model_url() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.fake_models", "--reply", json.dumps(_VERDICT), "--latency", "0.3"]
    server = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


def kept(home: Path) -> int:
    """How many verdicts the ledger holds."""
    with closing(sqlite3.connect(home / "ledger.sqlite3")) as connection:
        return connection.execute("SELECT count(*) FROM refinements").fetchone()[0]


def test_refined_from_the_command_line(
    graph_address: GraphAddress, sample: BuiltCorpus, own_corpus: str, model_url: str, tmp_path: Path
) -> None:
    async def current() -> tuple[str, dict]:
        async with open_graph(settings_for(graph_address)) as store:
            found = (await read_catalog(store)).find(own_corpus)
            return found.version, dict(found.counts["relations_by_source"])

    models = {
        "models": [
            {
                "name": "typist",
                "provider": "openai",
                "model": "fake",
                "endpoint": model_url,
                "role": "tool",
                "concurrency": 4,
                "price": {"input": 1, "output": 2, "currency": "USD", "as_of": "2026-01"},
            }
        ]
    }
    (tmp_path / "models.yaml").write_text(json.dumps(models), encoding="utf-8")
    environment = environment_for(graph_address, LEXHOP_HOME=str(tmp_path))
    command = [sys.executable, "-m", "service", "corpus", "refine", own_corpus, "--model", "typist", "--json"]

    def run(*more: str) -> dict:
        done = subprocess.run([*command, *more], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    plan = run("--dry-run")
    assert plan["to_ask"] > 50
    assert float(plan["cost"]) > 0
    part = run("--limit", "5")
    assert (part["counts"]["asked"], part["left"]) == (5, plan["to_ask"] - 5)
    # Killed in the middle of the rest: what came is kept, no new version is there.
    before, _ = asyncio.run(current())
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while kept(tmp_path) < 15 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.1)
    process.kill()
    process.wait()
    assert asyncio.run(current())[0] == before
    known = kept(tmp_path) - 5
    assert known >= 10
    done = run()
    assert done["counts"]["known"] == known
    assert done["counts"]["asked"] == plan["to_ask"] - 5 - known
    version, by_source = asyncio.run(current())
    assert version == done["version"] != sample.content.version
    assert by_source["model"] > 50
    assert run()["version"] == version
    wrong = subprocess.run([*command[:-2], "nobody"], env=environment, capture_output=True, text=True, check=False)
    assert (wrong.returncode, "model 'nobody' is not in" in wrong.stderr) == (1, True)
