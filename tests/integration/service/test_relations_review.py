"""``lexhop relations sample`` on a real graph, and the way back through filled-in sheets."""

from __future__ import annotations

import json
import subprocess
import sys

from openpyxl import load_workbook

from tests.integration.service.conftest import environment_for


def lexhop(environment, *arguments):
    command = [sys.executable, "-m", "service", "relations", *arguments, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_package_of_a_loaded_corpus_is_drawn_and_read_back(graph_address, loaded, tmp_path):
    environment = environment_for(graph_address)
    arguments = ("--corpus", loaded.key, "--doctrinal", "5", "--structural", "3", "--seed", "42")
    first = lexhop(environment, "sample", "--to", str(tmp_path / "one"), *arguments)
    lexhop(environment, "sample", "--to", str(tmp_path / "two"), *arguments)
    assert first["items"] == 8
    assert first["version"] == loaded.content.version
    key = json.loads((tmp_path / "one" / "key.json").read_text(encoding="utf-8"))
    assert key == json.loads((tmp_path / "two" / "key.json").read_text(encoding="utf-8"))
    book = load_workbook(first["review"])
    for row, item in enumerate(key["items"], 2):
        book["review"].cell(row, 7).value = item["label"]
    book.save(tmp_path / "filled.xlsx")
    review = lexhop(environment, "import-review", str(tmp_path / "filled.xlsx"), "--key", first["key"])
    assert review["precision"]["all"]["value"] == 1
    assert review["items"] == 8
