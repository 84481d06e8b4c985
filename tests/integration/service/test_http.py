"""What HTTP clients get: articles, relations, citations, lists, errors."""

from __future__ import annotations

import socket

import httpx
import pytest

from loaders.corpus import BuiltCorpus
from service.api import schemas

pytestmark = pytest.mark.graph

NOTICE = "учебный пересказ, не текст закона"


def ok(answer: httpx.Response) -> dict:
    assert answer.status_code == 200, answer.text
    return answer.json()


def problem(answer: httpx.Response, status: int) -> dict:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == status
    assert document["instance"] == answer.headers["x-request-id"]
    return document


def test_an_article_by_id_and_in_words_is_the_same(http: httpx.Client, sample: BuiltCorpus) -> None:
    by_id = ok(http.get("/v1/articles/ГК_15"))
    schemas.ArticleView.model_validate(by_id)
    assert by_id == ok(http.get("/v1/articles/ст. 15 ГК РФ"))
    (wanted,) = [article for article in sample.content.articles if article.norm_id == "ГК_15"]
    assert by_id["text"] == wanted.text
    assert by_id["version"] == sample.content.version
    assert by_id["notice"] == NOTICE
    assert [by_id["text"][one["start"] : one["end"]] for one in by_id["paragraphs"]] == wanted.text.split("\n")


def test_all_relations_page_by_page_are_those_of_the_corpus(http: httpx.Client, sample: BuiltCorpus) -> None:
    found, cursor = [], None
    while True:
        page = ok(http.get("/v1/relations", params={"limit": 37} | ({"cursor": cursor} if cursor else {})))
        schemas.Page[schemas.RelationView].model_validate(page)
        found += [(one["source"]["norm_id"], one["target"]["norm_id"], one["type"]) for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == [(one.source_id, one.target_id, one.type.value) for one in sample.content.relations]


def test_relations_of_an_article_are_those_of_the_corpus_either_way(http: httpx.Client, sample: BuiltCorpus) -> None:
    norm = "ГК_15"
    outgoing = [one for one in sample.content.relations if one.source_id == norm]
    incoming = [one for one in sample.content.relations if one.target_id == norm]
    assert incoming
    found, cursor = [], None
    while True:
        page = ok(
            http.get(f"/v1/articles/{norm}/relations", params={"limit": 3} | ({"cursor": cursor} if cursor else {}))
        )
        found += [(one["source"]["norm_id"], one["target"]["norm_id"], one["direction"]) for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == [(one.source_id, one.target_id, "outgoing") for one in outgoing] + [
        (one.source_id, one.target_id, "incoming") for one in incoming
    ]


def test_articles_page_through_an_act_in_its_order(http: httpx.Client, sample: BuiltCorpus) -> None:
    found, cursor = [], None
    while True:
        page = ok(http.get("/v1/articles", params={"act": "ГК", "limit": 7} | ({"cursor": cursor} if cursor else {})))
        schemas.Page[schemas.ArticleLine].model_validate(page)
        found += [one["norm_id"] for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert found == [article.norm_id for article in sample.content.articles if article.act == "ГК"]


@pytest.mark.parametrize(
    ("path", "view"),
    [
        ("/v1/meta", schemas.MetaView),
        ("/v1/corpora", schemas.Page[schemas.CorpusView]),
        ("/v1/acts", schemas.Page[schemas.ActView]),
        ("/v1/acts/ГК", schemas.ActView),
        ("/v1/diagnostics", schemas.DiagnosticsView),
        ("/v1/context?norm_id=ГК_15", schemas.ContextView),
        ("/readyz", schemas.ReadyView),
    ],
)
def test_answers_have_the_shape_that_the_openapi_document_says(http: httpx.Client, path: str, view: type) -> None:
    view.model_validate(ok(http.get(path)))  # type: ignore[attr-defined]


def test_citations_say_what_the_corpus_holds(http: httpx.Client) -> None:
    text = "по п. 1 ст. 15 ГК РФ, ст. 9999 ГК РФ и статье 1 Закона от 01.02.2003 № 7-ФЗ"
    answer = ok(http.post("/v1/citations", json={"text": text}))
    schemas.CitationsView.model_validate(answer)
    first, second, third = answer["citations"]
    assert (first["norm_id"], first["point"], text[first["start"] : first["end"]]) == ("ГК_15", "1", first["raw"])
    assert second["norm_id"] is None
    assert set(second["flags"]) & {"invented", "outside_corpus"}
    assert (third["act"], third["act_number"], third["article"]) == (None, "7-ФЗ", "1")


def test_an_unknown_norm_names_the_nearest(http: httpx.Client) -> None:
    document = problem(http.get("/v1/articles/ГК_16"), 404)
    assert "ГК_15" in document["nearest"]
    assert "ГК_15" in document["detail"]


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/v1/articles/ГК", 404, "no norm 'ГК'"),
        ("/v1/acts/ГКК", 404, "ГК"),
        ("/v1/articles?limit=100000", 422, "LEXHOP_PAGE_LIMIT_MAX"),
        ("/v1/articles?limit=x", 422, "limit"),
        ("/v1/articles/ГК_15?as_of=2020-13-01", 422, "'2020-13-01' is not a date"),
        ("/v1/articles/ГК_15?corpus=nope", 404, "no corpus 'nope'"),
        ("/v1/articles/ГК_15?version=ffffffffffff", 404, "has no version 'ffffffffffff'"),
        ("/v1/relations?type=LOVES", 422, "type"),
        ("/v1/context", 422, "norm_id"),
        ("/v1/context?norm_id=ГК_15&norm_id=ст. 15 ГК", 422, "names 'ГК_15' twice"),
        ("/v1/context?norm_id=ГК_15&configuration=all", 422, "configuration"),
        ("/v1/relations?cursor=abc", 422, "not one of ours"),
        ("/nope", 404, "no route '/nope'"),
    ],
)
def test_bad_input_is_told_by_name(http: httpx.Client, path: str, status: int, said: str) -> None:
    assert said in problem(http.get(path), status)["detail"]


def test_a_cursor_goes_on_alone_and_refuses_another_corpus(http: httpx.Client) -> None:
    cursor = ok(http.get("/v1/relations", params={"limit": 5, "type": "EXCLUDES"}))["next"]
    page = ok(http.get("/v1/relations", params={"cursor": cursor}))
    assert {one["type"] for one in page["items"]} == {"EXCLUDES"}
    document = problem(http.get("/v1/relations", params={"cursor": cursor, "corpus": "ru"}), 409)
    assert "send the cursor alone" in document["detail"]
    assert problem(http.get("/v1/articles", params={"cursor": cursor}), 422)


def test_a_large_body_is_refused(http: httpx.Client) -> None:
    document = problem(http.post("/v1/citations", content=b'{"text": "' + b"a" * 50_000_000 + b'"}'), 413)
    assert "LEXHOP_REQUEST_BYTES" in document["detail"]
    assert http.get("/healthz").status_code == 200


def test_a_large_body_without_a_length_is_refused(http: httpx.Client) -> None:
    def parts():
        for _ in range(50):
            yield b"a" * 100_000

    problem(http.post("/v1/citations", content=parts()), 413)


def test_raw_cyrillic_in_the_target_is_taken(service_url: str, http: httpx.Client) -> None:
    host, port = service_url.removeprefix("http://").split(":")
    wanted = http.get("/v1/articles/ГК_15", headers={"accept-encoding": "identity"}).content
    for target in ("/v1/articles/ГК_15", "/v1/articles/ГК_15?corpus=sample&as_of=2020-01-01&ё=ж"):
        with socket.create_connection((host, int(port))) as connection:
            data = f"GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
            # In two pieces, cut inside a letter.
            connection.sendall(data[:19])
            connection.sendall(data[19:])
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        assert answer.startswith(b"HTTP/1.1 200"), answer[:300]
        if "?" not in target:
            assert answer.endswith(wanted)


INJECTED = "ГК_15'}) DETACH DELETE n //"


def test_cypher_in_every_string_parameter_is_harmless(http: httpx.Client, sample: BuiltCorpus) -> None:
    document = ok(http.get("/openapi.json"))
    asked = 0
    for path, methods in document["paths"].items():
        if "get" not in methods or path == "/metrics":
            continue
        parameters = methods["get"].get("parameters", [])
        names = [one["name"] for one in parameters if one["in"] == "query"]
        target = path
        for one in parameters:
            if one["in"] == "path":
                target = target.replace("{" + one["name"] + "}", INJECTED.replace("/", "%2F"))
        for name in names or [None]:
            answer = http.get(target, params={name: INJECTED} if name else {})
            assert answer.status_code < 500, (path, name, answer.text)
            asked += 1
    assert asked > 20
    assert ok(http.get("/v1/diagnostics"))["nodes_total"] == len(sample.content.articles)


def test_every_answer_has_a_request_id_and_a_callers_is_kept(http: httpx.Client) -> None:
    assert http.get("/healthz", headers={"x-request-id": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert len(http.get("/healthz", headers={"x-request-id": "not good"}).headers["x-request-id"]) == 16


def test_answers_are_packed_when_asked(http: httpx.Client) -> None:
    answer = http.get("/v1/relations", params={"limit": 100}, headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.json()["items"]) == 100


def test_metrics_count_by_route(http: httpx.Client) -> None:
    http.get("/v1/acts")
    text = http.get("/metrics").text
    assert 'lexhop_requests_total{method="GET",route="/v1/acts",status="200"}' in text
    assert "lexhop_graph_up 1.0" in text
