"""Every ``sh`` block of the documentation really runs, in a scratch clone, with a service on the sample at LEXHOP_URL.

Blocks of ``text`` are for the eye: they need what a test has not got, or are what the tests run anyway.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from loaders.corpus import build_sample
from service.graph.address import GraphAddress
from tests.acceptance.conftest import ROOT, newcomer
from tests.integration.conftest import NEO4J_VERSION, QUICK_JAVA
from tests.integration.service.conftest import environment_for, put, serving

pytestmark = [pytest.mark.graph, pytest.mark.slow]

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Run as they stand by test_install.py, which looks at much more than the exit status.
# Run by a test of its own: the page begins with a key (tests/integration/service/test_evaluation_docs.py).
KEYED = ("docs/evaluation.md",)
ELSEWHERE = {"scripts/demo --once   # without --once the service goes on until Ctrl-C\n"}


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks() -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(page.relative_to(ROOT).as_posix(), line, match[1]))
    return found


def test_there_are_blocks_and_none_is_of_an_unknown_kind() -> None:
    assert len(blocks()) >= 6
    assert {block.text for block in blocks()} >= ELSEWHERE
    for page in PAGES:
        kinds = set(re.findall(r"^```(\w*)", page.read_text(encoding="utf-8"), re.MULTILINE)) - {""}
        assert kinds <= {"sh", "text", "python", "yaml", "json", "cypher", "sql", "toml"}, page


@pytest.fixture(scope="module")
def reader(
    graph_address: GraphAddress, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, dict[str, str]]]:
    """A clone to stand in, and the environment of somebody who has read that far."""
    clone = tmp_path_factory.mktemp("reader") / "lexhop"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    # Pages are read from the checkout; what is not committed yet is there as well.
    for name in ("README.md", "docs"):
        subprocess.run(["cp", "-R", str(ROOT / name), str(clone)], check=True)
    write_what_the_pages_name(clone)
    put(graph_address, build_sample())
    scratch = tmp_path_factory.mktemp("scratch")
    environment = environment_for(
        graph_address,
        LEXHOP_CORPUS="sample",
        PYTHONPATH=str(clone),
        TMPDIR=str(scratch),
        PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    )
    with serving(environment) as (url, _):
        yield clone, environment | {"LEXHOP_URL": url}


def write_what_the_pages_name(clone: Path) -> None:
    """Files that a page tells its reader to have."""
    page = (ROOT / "docs" / "adding-an-act.md").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (clone / "data" / "acts" / "by.yaml").write_text(entry, encoding="utf-8")
    (clone / "TEXT.txt").write_text("Відповідно до статті 5 Цивільного кодексу України.", encoding="utf-8")
    (clone / "STATUTE.txt").write_text("Как указано в статье 13 настоящего Кодекса.", encoding="utf-8")
    row = {"id": "1", "lang": "ru", "text": "по статьям 15–17 ГК РФ"}
    (clone / "IN.jsonl").write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    index = {"ru": {"ГК": ["15", "16", "17"]}}
    (clone / "INDEX.json").write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


@pytest.mark.parametrize(
    "block", [one for one in blocks() if one.text not in ELSEWHERE and one.page not in KEYED], ids=str
)
def test_a_block_runs(reader: tuple[Path, dict[str, str]], block: Block, tmp_path: Path) -> None:
    clone, environment = reader
    if "lexhop graph" in block.text:
        # About the local graph: in a home of its own, with the jars that are there.
        environment = {name: value for name, value in environment.items() if not name.startswith("LEXHOP_GRAPH_")}
        own = {"PATH": environment["PATH"], "LEXHOP_LOCAL_VERSION": NEO4J_VERSION}
        environment |= newcomer(tmp_path, LEXHOP_LOCAL_JAVA_OPTIONS=QUICK_JAVA, **own)
    # curl reports a refusal only when it is told to.
    script = 'curl() { command curl --fail-with-body "$@"; }\n' + block.text
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, f"{block}\n{block.text}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert "Traceback" not in done.stderr
