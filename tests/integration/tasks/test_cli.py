"""The whole way on the command line: draft, write, validate, blind package, figures, freeze."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from service.tasks import CHECKS
from tests.fake_models import FakeModels
from tests.integration.service.conftest import environment_for
from tests.integration.tasks.conftest import good_reply

pytestmark = [pytest.mark.graph, pytest.mark.anyio]

MODEL = """
  - name: {name}
    provider: openai
    model: {name}
    endpoint: {url}
    start_requests_per_second: 1000
    price: {{input: 1, output: 2, currency: USD, as_of: "2026-01"}}
"""


async def test_the_whole_way(
    graph_address: GraphAddress, loaded: BuiltCorpus, server: FakeModels, tmp_path: Path
) -> None:
    environment = environment_for(graph_address, LEXHOP_HOME=str(tmp_path), LEXHOP_CORPUS="sample")
    models = tmp_path / "models.yaml"
    text = "models:" + "".join(MODEL.format(name=name, url=server.url) for name in ("writer", "second"))
    await asyncio.to_thread(models.write_text, text, encoding="utf-8")

    def reply(asked: dict[str, Any]) -> str:
        if "norms_match" in asked["messages"][1]["content"]:
            return json.dumps(dict.fromkeys(CHECKS, True) | {"reason": "так"}, ensure_ascii=False)
        return good_reply(asked)

    server.reply = reply

    async def run(*arguments: str, status: int = 0) -> Any:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "service", "tasks", *arguments, env=environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, error = await process.communicate()
        assert process.returncode == status, error.decode()
        return json.loads(out) if "--json" in arguments and status == 0 else error.decode()

    about = ["--benchmark", "mhgb", "--licence", "CC-BY-4.0", "--source", "a test", "--wanted", "12"]
    drafted = await run("draft", "mine", *about, "--json")
    assert (drafted["name"], drafted["chains"], drafted["missing"]) == ("mine@1", 12, 0)
    by = ["--models", str(models), "--json"]
    dry = await run("write", "mine", "--model", "writer", "--dry-run", *by)
    assert (dry["calls"], dry["currency"], server.counts["ok"]) == (12, "USD", 0)
    assert 0 < dry["cost"] < 1
    assert (await run("write", "mine", "--model", "writer", *by))["valid"] == 12
    assert "wrote fabula" in await run("validate", "mine", "--model", "writer", *by, status=1)
    assert (await run("validate", "mine", "--model", "second", *by))["approved"] == 12
    assert "model 'third' is not in" in await run("validate", "mine", "--model", "third", *by, status=1)

    package = tmp_path / "review.xlsx"
    assert (await run("export-review", "mine", "--to", str(package), "--json"))["fabulas"] == 12
    for reviewer, rejected in (("anna", 3), ("boris", 3)):
        book = load_workbook(package)
        for row in range(2, 14):
            book["review"].cell(row, 12).value = "reject" if row < 2 + rejected else "approve"
        book.save(tmp_path / f"{reviewer}.xlsx")
        read = await run(
            "import-review",
            "mine",
            str(tmp_path / f"{reviewer}.xlsx"),
            "--reviewer",
            reviewer,
            "--model",
            "second",
            *by,
        )
        assert (read["reviewed"], read["left_open"]) == (12, 0)
    figures = read["figures"]
    assert (figures["approved"]["value"], figures["model_precision"]["value"]) == (0.75, 0.75)
    assert figures["agreement"]["fleiss"] == 1
    shown = await run("review", "mine", "--json")
    assert len(shown["history"]) == 24
    fabula = next(one["fabula_id"] for one in shown["history"] if one["verdict"] == "reject")
    word = ["--fabula", fabula, "--verdict", "approve"]
    assert (await run("review", "mine", *word, "--reviewer", "anna", "--json"))["validation_status"] == "rejected"
    assert (await run("review", "mine", *word, "--reviewer", "clara", "--json"))[
        "validation_status"
    ] == "expert_validated"
    assert "reviewer '' is empty" in await run("review", "mine", *word, status=1)

    frozen = await run("freeze", "mine", "--without-rejected", "--json")
    assert frozen["digest"]
    (listed,) = (await run("list", "--json"))["task_sets"]
    assert listed["fabulas"] == 10
    assert "is frozen" in await run("write", "mine", "--model", "writer", *by, status=1)
