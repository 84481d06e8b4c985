"""Several editions of an act in one corpus, and what changed between two versions of it. The texts are ours."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from loaders.corpus import BuiltCorpus
from service.api import schemas
from service.domain import Act, Article, DateBasis, Jurisdiction, Language, Relation, RelationSource, RelationType
from service.graph.address import GraphAddress
from service.graph.content import CorpusContent, CorpusInfo, corpus_content
from service.graph.opening import open_graph
from tests.integration.service.conftest import environment_for, serving, settings_for, temporarily

pytestmark = pytest.mark.graph

KEY = "editions"
INFO = CorpusInfo("两个版本", official=False, licence="ours", source="tests", notice="测试文本")
OLD = Act(
    "公司法", "公司法", Jurisdiction.CN, Language.ZH, "commercial", ("complete",), "2018", "2018-10-26", "2024-07-01"
)
NEW = replace(OLD, edition="2023", valid_from="2024-07-01", valid_to=None)
BOTH = (("15", "对外担保由股东会决议。"), ("16", "公司保护职工的权益。"), ("25", "章程写明注册资本。"))


def article(act: Act, number: str, text: str) -> Article:
    return Article(
        act.key, number, f"第{number}条", (), text, (), act.edition, valid_from=act.valid_from,
        valid_from_basis=DateBasis.STATED, valid_to=act.valid_to,
    )  # fmt: skip


def relation(source: str, target: str, kind: RelationType = RelationType.REFERS_TO) -> Relation:
    return Relation(source, target, kind, RelationSource.CITATION, 1.0, f"{source}引用{target}")


def content(**changes: Any) -> CorpusContent:
    texts = dict(BOTH) | changes.get("texts", {})
    articles = [article(act, number, text) for act in (OLD, NEW) for number, text in texts.items() if text]
    relations = changes.get(
        "relations", [relation("公司法@2018_15", "公司法@2018_16"), relation("公司法@2023_15", "公司法@2023_16")]
    )
    return corpus_content(INFO, [OLD, NEW], articles, relations)


FIRST = content()
SECOND = content(
    texts={"16": "公司保护职工的权益。\n职工可以组织工会。", "25": "", "26": "股东可以查阅账簿。"},
    relations=[
        relation("公司法@2018_15", "公司法@2018_16", RelationType.EXCLUDES),
        relation("公司法@2023_26", "公司法@2023_15"),
    ],
)


@pytest.fixture(scope="module")
def editions(graph_address: GraphAddress, loaded: BuiltCorpus) -> Iterator[httpx.Client]:
    """A service whose default corpus has two editions of an act, in two versions."""
    loop = asyncio.new_event_loop()

    async def hold(ready: asyncio.Event, done: asyncio.Event) -> None:
        async with open_graph(settings_for(graph_address)) as store, temporarily(store, KEY, FIRST, SECOND):
            ready.set()
            await done.wait()

    ready, done = asyncio.Event(), asyncio.Event()
    task = loop.create_task(hold(ready, done))
    waiting = loop.create_task(ready.wait())
    loop.run_until_complete(asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED))
    try:
        with (
            serving(environment_for(graph_address, LEXHOP_CORPUS=KEY)) as (url, _),
            httpx.Client(base_url=url, timeout=60) as client,
        ):
            yield client
    finally:
        waiting.cancel()
        done.set()
        loop.run_until_complete(task)
        loop.close()


def ok(http: httpx.Client, path: str, **parameters: object) -> dict:
    answer = http.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("as_of", "wanted"),
    [
        (None, "公司法@2023_15"),
        ("2020-01-01", "公司法@2018_15"),
        ("2024-06-30", "公司法@2018_15"),
        ("2024-07-01", "公司法@2023_15"),
        ("1999-01-01", "公司法@2018_15"),
    ],
)
@pytest.mark.parametrize("name", ["公司法_15", "《公司法》第十五条"])
def test_a_norm_without_an_edition_is_that_in_force(
    editions: httpx.Client, name: str, as_of: str | None, wanted: str
) -> None:
    found = ok(editions, f"/v1/articles/{name}", **({"as_of": as_of} if as_of else {}))
    assert found["norm_id"] == wanted
    assert found["in_force"] == (None if as_of is None else "no" if as_of < "2018" else "yes")


def test_a_named_edition_is_that_edition(editions: httpx.Client) -> None:
    assert ok(editions, "/v1/articles/公司法@2018_15")["edition"] == "2018"
    assert ok(editions, "/v1/articles/公司法@2018_15", as_of="2025-01-01")["in_force"] == "no"
    named = "《公司法》（2018年修正）第十五条"
    assert ok(editions, f"/v1/articles/{named}")["norm_id"] == "公司法@2018_15"
    assert ok(editions, "/v1/articles", q=named)["items"][0]["norm_id"] == "公司法@2018_15"
    read = editions.post("/v1/citations", json={"text": named, "language": "zh"}).json()
    assert read["citations"][0]["norm_id"] == "公司法@2018_15"
    unknown = editions.get("/v1/articles/《公司法》（2013年修正）第十五条")
    assert unknown.status_code == 404, unknown.text
    assert ok(editions, "/v1/acts/公司法")["edition"] == "2023"
    assert ok(editions, "/v1/acts/公司法", as_of="2020-01-01")["edition"] == "2018"


def test_lists_and_searches_take_the_edition_in_force(editions: httpx.Client) -> None:
    def listed(**given: str) -> set[str]:
        return {one["edition"] for one in ok(editions, "/v1/articles", **given)["items"]}

    assert listed() == {"2018", "2023"}
    assert listed(act="公司法") == {"2023"}
    assert listed(act="公司法", as_of="2020-01-01") == {"2018"}
    assert listed(act="公司法@2018") == {"2018"}
    assert listed(q="股东会", as_of="2020-01-01") == {"2018"}
    assert listed(q="股东会", act="公司法@2018") == {"2018"}
    assert listed(q="股东会") == {"2018", "2023"}
    assert ok(editions, "/v1/articles", q="《公司法》第十五条")["items"][0]["norm_id"] == "公司法@2023_15"


def test_walks_and_relations_leave_out_the_other_edition(editions: httpx.Client) -> None:
    then = ok(editions, "/v1/relations", as_of="2020-01-01")["items"]
    assert [(one["source"]["norm_id"], one["target"]["norm_id"]) for one in then] == [
        ("公司法@2018_15", "公司法@2018_16")
    ]
    around = ok(editions, "/v1/articles/公司法_15/neighbourhood", as_of="2025-01-01")["norms"]
    assert [one["norm_id"] for one in around] == ["公司法@2023_15", "公司法@2023_26"]


def test_the_diff_tells_every_change(editions: httpx.Client) -> None:
    found = ok(editions, f"/v1/corpora/{KEY}/diff", **{"from": FIRST.version[:6]})
    schemas.DiffView.model_validate(found)
    assert (found["from"], found["to"]) == (FIRST.version, SECOND.version)
    articles, relations = found["articles"], found["relations"]
    assert [one["norm_id"] for one in articles["added"]] == ["公司法@2018_26", "公司法@2023_26"]
    assert [one["norm_id"] for one in articles["removed"]] == ["公司法@2018_25", "公司法@2023_25"]
    assert [one["norm_id"] for one in articles["changed"]] == ["公司法@2018_16", "公司法@2023_16"]
    assert articles["changed"][0]["fields"] == ["text"]
    assert "\n+职工可以组织工会。" in articles["changed"][0]["diff"]
    assert "\n-" not in articles["changed"][0]["diff"].partition("@@")[2]
    assert relations["gained"] == [{"source": "公司法@2023_26", "target": "公司法@2023_15", "type": "REFERS_TO"}]
    assert relations["lost"] == [{"source": "公司法@2023_15", "target": "公司法@2023_16", "type": "REFERS_TO"}]
    assert relations["retyped"] == [
        {"source": "公司法@2018_15", "target": "公司法@2018_16", "from": "REFERS_TO", "to": "EXCLUDES"}
    ]
    assert found["counts"] == {"added": 2, "removed": 2, "changed": 2, "gained": 1, "lost": 1, "retyped": 1}
    assert not found["truncated"]


def test_the_diff_backwards_is_the_reverse_and_a_limit_is_told(editions: httpx.Client) -> None:
    back = ok(editions, f"/v1/corpora/{KEY}/diff", **{"from": SECOND.version, "to": FIRST.version, "limit": 1})
    assert [one["norm_id"] for one in back["articles"]["added"]] == ["公司法@2018_25"]
    assert back["counts"]["added"] == 2
    assert back["truncated"]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({}, 422, "from"),
        ({"from": "ffff"}, 404, "has no version 'ffff'"),
        ({"from": SECOND.version}, 422, "both versions are"),
    ],
)
def test_bad_diffs_are_told_by_name(editions: httpx.Client, query: dict, status: int, said: str) -> None:
    answer = editions.get(f"/v1/corpora/{KEY}/diff", params=query)
    assert answer.status_code == status
    assert said in answer.json()["detail"]


def test_a_norm_of_another_corpus_is_told(editions: httpx.Client) -> None:
    answer = editions.get("/v1/paths", params={"from": "公司法_15", "to": "ГК_15"})
    assert answer.status_code == 404
    assert "no norm 'ГК_15' in corpus editions; it is in sample" in answer.json()["detail"]


def test_a_cursor_goes_on_in_its_own_version(editions: httpx.Client) -> None:
    old = ok(editions, "/v1/articles", version=FIRST.version, limit=2)
    page = ok(editions, "/v1/articles", cursor=old["next"], limit=9)
    assert page["version"] == FIRST.version
    assert [one["norm_id"] for one in old["items"] + page["items"]] == [one.ref for one in FIRST.articles]
    answer = editions.get("/v1/articles", params={"cursor": old["next"], "version": SECOND.version})
    assert answer.status_code == 409
    relations = ok(editions, "/v1/articles/公司法@2023_15/relations", version=SECOND.version, limit=1)
    assert relations["next"] is None


def test_a_cursor_whose_version_is_gone_says_how_to_go_on(editions: httpx.Client, graph_address: GraphAddress) -> None:
    third = content(texts={"15": "别的文字。"})

    async def page_and_drop() -> str:
        async with open_graph(settings_for(graph_address)) as store, temporarily(store, "gone", third):
            page = await asyncio.to_thread(until, editions, {"corpus": "gone", "limit": 1}, 200)
            return page.json()["next"]

    cursor = asyncio.run(page_and_drop())
    answer = until(editions, {"cursor": cursor}, 409)
    assert "begin the list again without the cursor" in answer.json()["detail"]


def until(http: httpx.Client, asked: dict[str, object], status: int) -> httpx.Response:
    """Ask until the service has seen what became of the corpora."""
    for _ in range(300):
        answer = http.get("/v1/articles", params=asked)
        if answer.status_code == status:
            return answer
        time.sleep(0.1)
    raise AssertionError(answer.text)
