"""Lists as NDJSON and CSV, whole versions as files: read back by plain tools and by our own import."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from pathlib import Path

import httpx
import networkx as nx
import pytest

from loaders.corpus import BuiltCorpus
from service.api import schemas
from service.graph.address import GraphAddress
from service.graph.archive import read_archive
from service.graph.contents import read_contents
from service.graph.opening import open_graph
from service.graph.search import SearchRequest, search
from tests.integration.service.conftest import settings_for, temporarily
from tests.integration.service.reference import graph_of

pytestmark = pytest.mark.graph


def header_of(answer: httpx.Response) -> dict:
    assert answer.status_code == 200, answer.text
    return json.loads(answer.headers["x-lexhop-export"])


def check_header(header: dict, sample: BuiltCorpus) -> None:
    assert (header["corpus"], header["version"]) == ("sample", sample.content.version)
    assert header["licence"] == sample.content.info.licence
    assert header["source_of_texts"] == sample.content.info.source
    assert header["notice"] == sample.content.info.notice
    assert "not legal advice" in header["not_advice"]
    assert len(header["editions"]) == len(sample.content.acts)


@pytest.mark.parametrize("how", [{"params": {"format": "ndjson"}}, {"headers": {"accept": "application/x-ndjson"}}])
def test_relations_as_ndjson_are_all_of_them(http: httpx.Client, sample: BuiltCorpus, how: dict) -> None:
    answer = http.get("/v1/relations", **how)
    check_header(header_of(answer), sample)
    assert answer.headers["content-type"] == "application/x-ndjson"
    first, *rows = [json.loads(line) for line in answer.text.splitlines()]
    assert first.pop("kind") == "header"
    check_header(first, sample)
    for row in rows[:50]:
        schemas.RelationView.model_validate(row)
    found = [(one["source"]["norm_id"], one["target"]["norm_id"]) for one in rows]
    assert found == [(one.source_id, one.target_id) for one in sample.content.relations]


@pytest.mark.parametrize("how", [{"params": {"format": "csv"}}, {"headers": {"accept": "text/csv"}}])
def test_relations_as_csv_are_all_of_them(http: httpx.Client, sample: BuiltCorpus, how: dict) -> None:
    answer = http.get("/v1/relations", **how)
    check_header(header_of(answer), sample)
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    wanted = [(one.source_id, one.target_id, one.type.value, one.explanation) for one in sample.content.relations]
    assert [(one["source"], one["target"], one["type"], one["explanation"]) for one in rows] == wanted
    assert {(one["corpus"], one["version"]) for one in rows} == {("sample", sample.content.version)}
    assert {one["notice"] for one in rows} == {sample.content.info.notice}
    assert [len(json.loads(one["citations"])) for one in rows] == [
        len(one.citations) for one in sample.content.relations
    ]


def test_filters_and_limits_hold_in_exports(http: httpx.Client, sample: BuiltCorpus) -> None:
    answer = http.get("/v1/relations", params={"format": "ndjson", "family": "doctrinal", "cross_act": False})
    rows = [json.loads(line) for line in answer.text.splitlines()[1:]]
    assert len(rows) == sum(
        one.type.family == "doctrinal" and one.source_id.split("_")[0] == one.target_id.split("_")[0]
        for one in sample.content.relations
    )
    assert len(http.get("/v1/articles", params={"format": "ndjson", "limit": 3}).text.splitlines()) == 4
    articles = list(csv.DictReader(io.StringIO(http.get("/v1/articles?format=csv&act=СК").text, newline="")))
    assert [one["norm_id"] for one in articles] == [one.norm_id for one in sample.content.articles if one.act == "СК"]


def test_a_browser_gets_a_page_of_json(http: httpx.Client) -> None:
    answer = http.get("/v1/relations", headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert answer.json()["items"]


def test_errors_of_exports_are_problem_documents(http: httpx.Client) -> None:
    for path in (
        "/v1/relations?format=csv&act=НЕТ",
        "/v1/corpora/nope/export",
        "/v1/corpora/sample/export?version=ffff",
    ):
        answer = http.get(path)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"] == "application/problem+json"
    assert http.get("/v1/relations?format=xls").status_code == 422
    assert "format 'csv'" in http.get("/v1/articles?q=вред&format=csv").json()["detail"]


def wanted_graph(sample: BuiltCorpus) -> nx.DiGraph:
    return graph_of(sample.content)


def test_graphml_is_read_by_networkx(http: httpx.Client, sample: BuiltCorpus, tmp_path: Path) -> None:
    answer = http.get("/v1/corpora/sample/export?format=graphml")
    check_header(header_of(answer), sample)
    file = tmp_path / "sample.graphml"
    file.write_bytes(answer.content)
    read = nx.read_graphml(file)
    check_graph(read, sample)
    assert read.graph["version"] == sample.content.version
    assert read.graph["licence"] == sample.content.info.licence


def test_node_link_json_is_read_by_networkx(http: httpx.Client, sample: BuiltCorpus) -> None:
    answer = http.get("/v1/corpora/sample/export?format=node-link")
    read = nx.node_link_graph(answer.json(), edges="edges")
    check_graph(read, sample)
    check_header(read.graph, sample)


def check_graph(read: nx.DiGraph, sample: BuiltCorpus) -> None:
    wanted = wanted_graph(sample)
    assert read.is_directed()
    assert set(read.nodes) == set(wanted.nodes)
    assert set(read.edges) == set(wanted.edges)
    for one in sample.content.relations:
        edge = read.edges[one.source_id, one.target_id]
        assert (edge["type"], edge["basis"], edge["ordinal"]) == (one.type.value, one.source.value, one.ordinal)
        assert edge["explanation"] == one.explanation
        assert edge["citations"] == len(one.citations)
    for article in sample.content.articles:
        node = read.nodes[article.ref]
        assert (node["title"], node["repealed"], node["chars"]) == (article.title, article.repealed, len(article.text))


def test_the_export_over_http_is_imported_with_the_same_digest(
    http: httpx.Client, sample: BuiltCorpus, tmp_path: Path, graph_address: GraphAddress
) -> None:
    file = tmp_path / "sample.ndjson"
    file.write_bytes(http.get("/v1/corpora/sample/export").content)
    archive = read_archive(file)
    assert archive.content == sample.content

    async def searched() -> list[str]:
        async with (
            open_graph(settings_for(graph_address)) as store,
            temporarily(store, "again", archive.content) as (version,),
        ):
            assert version.version == sample.content.version
            found = await search(store, await read_contents(store, version), SearchRequest("опека"))
            return [hit.article["ref"] for hit in found.hits]

    wanted = [one["norm_id"] for one in http.get("/v1/articles?q=опека&limit=200").json()["items"]]
    assert wanted
    assert asyncio.run(searched()) == wanted
