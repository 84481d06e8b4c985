"""The analyst's commands as processes of their own, on the sample: what they say and what --json holds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loaders.corpus import BuiltCorpus
from service.api import schemas
from service.graph.address import GraphAddress
from service.graph.archive import read_archive
from tests.integration.service.conftest import environment_for

pytestmark = pytest.mark.graph


@pytest.fixture
def lexhop(graph_address: GraphAddress, loaded: BuiltCorpus):
    def run(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "service", *arguments],
            env=environment_for(graph_address, LEXHOP_CORPUS="sample"),
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        return done

    return run


def test_search_and_article(lexhop) -> None:
    answer = json.loads(lexhop("search", "ст. 15 ГК об убытках", "--limit", "3", "--json").stdout)
    assert (answer["items"][0]["norm_id"], answer["items"][0]["by"]) == ("ГК_15", "citation")
    schemas.SearchPage.model_validate(answer | {"next": None})
    shown = lexhop("search", "алименты", "--act", "СК", "--living").stdout
    assert "СК_" in shown
    assert "учебный пересказ" in shown
    article = json.loads(lexhop("article", "ст. 15 ГК", "--json").stdout)
    schemas.ArticleView.model_validate(article)
    assert article["norm_id"] == "ГК_15"
    assert article["text"].splitlines()[0] in " ".join(lexhop("article", "ГК_15").stdout.split())


def test_relations_of(lexhop, sample: BuiltCorpus) -> None:
    incoming = [one for one in sample.content.relations if one.target_id == "ГК_15"]
    answer = json.loads(lexhop("relations", "of", "ст. 15 ГК", "--direction", "incoming", "--json").stdout)
    assert [one["source"]["norm_id"] for one in answer["items"]] == [one.source_id for one in incoming]
    for one in answer["items"]:
        schemas.RelationView.model_validate(one)
    kind = incoming[0].type.value
    shown = lexhop("relations", "of", "ГК_15", "--type", kind.lower(), "--limit", "1").stdout
    assert kind in shown
    said = lexhop("relations", "of", "ГК_15", "--type", "LOVES", status=1).stderr
    assert "type 'LOVES' does not exist" in said


def test_path_and_between(lexhop, sample: BuiltCorpus) -> None:
    answer = json.loads(lexhop("path", "ст. 256 ГК", "СК_34", "--max-hops", "2", "--any", "--json").stdout)
    schemas.PathsView.model_validate(answer)
    assert answer["items"][0]["hops"] == 1
    explanation = next(
        one.explanation for one in sample.content.relations if {one.source_id, one.target_id} == {"ГК_256", "СК_34"}
    )
    assert explanation in " ".join(lexhop("path", "ст. 256 ГК", "СК_34", "--any").stdout.replace("│", " ").split())
    between = json.loads(lexhop("between", "ГК_256", "ст. 34 СК", "--json").stdout)
    schemas.BetweenView.model_validate(between)
    assert "related to both" in lexhop("between", "ГК_256", "СК_34").stdout
    assert "max_hops 9 is not between 1 and 6" in lexhop("path", "ГК_256", "СК_34", "--max-hops", "9", status=1).stderr
    assert "both ends are 'ГК_256'" in lexhop("path", "ГК_256", "ГК_256", status=1).stderr


def test_datasheet_and_exports(lexhop, sample: BuiltCorpus, tmp_path: Path) -> None:
    version = sample.content.version
    sheet = lexhop("corpus", "datasheet", "sample").stdout
    for said in (version, "учебный пересказ", "not legal advice", "| REFERS_TO | structural |", "## Known limits"):
        assert said in sheet
    facts = json.loads(lexhop("corpus", "datasheet", "sample", "--json").stdout)
    assert {act["key"]: act["articles"] for act in facts["acts"]} == {
        act.key: sum(article.act == act.key for article in sample.content.articles) for act in sample.content.acts
    }
    assert sum(count for act in facts["acts"] for count in act["dates"].values()) == len(sample.content.articles)
    lexhop("corpus", "export", "sample", "--to", str(tmp_path / "s.ndjson.gz"))
    assert read_archive(tmp_path / "s.ndjson.gz").content == sample.content
    done = json.loads(
        lexhop("corpus", "export", "sample", "--to", str(tmp_path / "s.json"), "--format", "node-link", "--json").stdout
    )
    assert done["version"] == json.loads((tmp_path / "s.json").read_bytes())["graph"]["version"] == version
    said = lexhop("corpus", "diff", "sample", "--from", version, status=1).stderr
    assert "both versions are" in said
