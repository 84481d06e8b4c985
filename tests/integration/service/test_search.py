"""Search over HTTP on a real index."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from loaders.corpus import BuiltCorpus
from service.api import schemas
from service.errors import ConflictError
from service.graph.address import GraphAddress
from service.graph.catalog import read_catalog
from service.graph.contents import read_contents
from service.graph.load import load_version
from service.graph.opening import open_graph
from service.graph.queries import query
from service.graph.search import SearchRequest, search
from service.graph.writer import writing
from tests.integration.service.conftest import settings_for, temporarily

pytestmark = pytest.mark.graph


def found(http: httpx.Client, q: str, **more: object) -> dict:
    answer = http.get("/v1/articles", params={"q": q, **more})
    assert answer.status_code == 200, answer.text
    page = answer.json()
    schemas.SearchPage.model_validate(page)
    return page


def norms(page: dict) -> list[str]:
    return [one["norm_id"] for one in page["items"]]


def test_a_word_is_found_in_any_of_its_forms_and_marked(http: httpx.Client, sample: BuiltCorpus) -> None:
    texts = {article.norm_id: article.text for article in sample.content.articles}
    page = found(http, "опекунами")
    assert norms(page)
    seen = set()
    for hit in page["items"]:
        assert hit["by"] == "words"
        for highlight in hit["highlights"]:
            whole = texts[hit["norm_id"]] if highlight["field"] == "text" else hit["title"]
            assert whole[highlight["start"] : highlight["end"]] == highlight["text"]
            assert highlight["marks"]
            seen |= {whole[start:end].lower() for start, end in highlight["marks"]}
    assert seen
    assert all(form.startswith(("опек", "попечит")) for form in seen)
    assert len(seen) > 1


def test_the_best_come_first_and_ranks_count(http: httpx.Client) -> None:
    page = found(http, "вред", limit=5)
    assert [one["rank"] for one in page["items"]] == [1, 2, 3, 4, 5]
    scores = [one["score"] for one in page["items"]]
    assert scores == sorted(scores, reverse=True)


def test_pages_go_on_by_the_cursor_alone(http: httpx.Client) -> None:
    whole = found(http, "вред договор суд", limit=200)
    gathered, page = [], found(http, "вред договор суд", limit=7)
    gathered += norms(page)
    while page["next"]:
        answer = http.get("/v1/articles", params={"cursor": page["next"], "limit": 7})
        page = answer.json()
        gathered += norms(page)
    assert gathered == norms(whole)
    assert len(set(gathered)) == len(gathered) == whole["found"]


@pytest.mark.parametrize("q", ["ст. 15 ГК РФ", "ГК_15", "что говорит статья 15 ГК об убытках"])
def test_a_norm_that_is_named_comes_before_anything_else(http: httpx.Client, q: str) -> None:
    first, *rest = found(http, q)["items"]
    assert (first["norm_id"], first["by"], first["rank"], first["score"]) == ("ГК_15", "citation", 1, None)
    assert "ГК_15" not in [one["norm_id"] for one in rest]


def test_filters_hold_for_every_hit(http: httpx.Client, sample: BuiltCorpus) -> None:
    branches = {act.key: act.branch for act in sample.content.acts}
    assert {one["act"] for one in found(http, "суд", act="СК")["items"]} == {"СК"}
    assert {branches[one["act"]] for one in found(http, "право", branch="civil")["items"]} == {"civil"}
    everything = found(http, "право", limit=200)
    living = found(http, "право", limit=200, repealed=False)
    assert not any(one["repealed"] for one in living["items"])
    assert set(norms(living)) == {one["norm_id"] for one in everything["items"] if not one["repealed"]}
    assert found(http, "ст. 15 ГК", act="СК", limit=200)["items"] == [
        one for one in found(http, "ст. 15 ГК", act="СК", limit=200)["items"] if one["act"] == "СК"
    ]


def test_as_of_leaves_out_what_was_not_in_force(http: httpx.Client, sample: BuiltCorpus) -> None:
    late = [a for a in sample.content.articles if a.valid_from_basis == "stated" and a.title and not a.repealed]
    article = max(late, key=lambda one: one.valid_from or "")
    assert article.norm_id in norms(found(http, article.title, limit=200))
    before = found(http, article.title, limit=200, as_of="1900-01-01")
    assert article.norm_id not in norms(before)
    assert {one["in_force"] for one in before["items"]} <= {"unknown"}


def test_an_unknown_branch_names_those_there_are(http: httpx.Client) -> None:
    answer = http.get("/v1/articles", params={"q": "суд", "branch": "maritime"})
    assert answer.status_code == 404
    assert "civil" in answer.json()["nearest"]


def test_the_list_takes_a_branch_too(http: httpx.Client, sample: BuiltCorpus) -> None:
    page = http.get("/v1/articles", params={"branch": "family", "limit": 500}).json()
    acts = {act.key for act in sample.content.acts if act.branch == "family"}
    assert norms(page) == [article.norm_id for article in sample.content.articles if article.act in acts]


HOSTILE = [
    "",
    "   ",
    "и",
    "ст. 10/1",
    "№ 5-ФЗ",
    '"не закрыто',
    "a AND OR NOT b",
    "search_text:* OR *:*",
    "§sample",
    "(((((",
    "[1 TO 9}",
    "вред~0.5^9 +суд -договор !закон",
    "\\",
    "\x01\x1f",
    "𗀀 🦉",
    "слово " * 1666,
    "ы" * 10_000,
    "*" * 10_000,
    "ст. 15 ГК " * 1000,
]


@pytest.mark.parametrize("q", HOSTILE, ids=range(len(HOSTILE)))
def test_no_query_is_an_error(http: httpx.Client, q: str) -> None:
    page = found(http, q, limit=3)
    assert page["found"] <= 200


def test_a_nul_is_refused_and_said(http: httpx.Client) -> None:
    answer = http.get("/v1/articles", params={"q": "вред\x00"})
    assert (answer.status_code, "NUL" in answer.json()["detail"]) == (422, True)


def test_marks_of_the_index_cannot_be_asked_for(http: httpx.Client) -> None:
    assert found(http, "§sample §living")["found"] == 0


def test_an_index_written_otherwise_is_refused_and_a_load_writes_it_anew(
    graph_address: GraphAddress, sample: BuiltCorpus
) -> None:
    async def run() -> tuple[bool, int]:
        async with (
            open_graph(settings_for(graph_address)) as store,
            temporarily(store, "old", sample.content) as (one,),
        ):
            async with writing(store, "test", stale_seconds=60, wait_seconds=60) as writer:
                await writer.write(query("load/search_scheme"), uid=one.uid, scheme=0)
                rows = [{"uid": f"{one.uid}/ГК_15", "properties": {"search_text": "", "search_title": ""}}]
                await writer.write(query("load/search"), rows=rows)
            old = await read_contents(store, (await read_catalog(store)).find("old"))
            with pytest.raises(ConflictError, match="load it again"):
                await search(store, old, SearchRequest("убытки"))
            outcome = await load_version(store, "old", sample.content, wait_seconds=60)
            new = await read_contents(store, (await read_catalog(store)).find("old"))
            found = await search(store, new, SearchRequest("убытки", act="ГК"))
            refs = [hit.article["ref"] for hit in found.hits]
            return outcome.unchanged, refs.index("ГК_15")

    unchanged, rank = asyncio.run(run())
    assert unchanged
    assert rank < 10
