"""What no store takes is refused with its place, before a route sees it."""

from __future__ import annotations

import json

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import ValidationError

from service.api.bodies import Body, KeptBody
from service.api.problems import add_problem_handlers

LONE = "\ud800"


class Passing(Body):
    text: object


class Kept(KeptBody):
    text: object


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (LONE, "body.text holds half a character (a lone surrogate) at offset 0"),
        ("да" + LONE, "at offset 2"),
        ({"a": [1, {"b": LONE}]}, "body.text.a.b holds half"),
        ({LONE: 1}, "a name in body.text holds half"),
        (2**63, "body.text is an integer beyond 64 bits"),
        ([-(2**63) - 1], "beyond 64 bits"),
        ({"window": 10**400}, "body.text.window is an integer"),
    ],
)
def test_what_no_store_takes(value: object, said: str) -> None:
    for model in (Passing, Kept):
        with pytest.raises(ValidationError) as caught:
            model.model_validate({"text": value})
        assert said in str(caught.value)


def test_a_nul_is_refused_where_it_would_be_kept() -> None:
    assert Passing.model_validate({"text": "a\0b"}).text == "a\0b"
    for value in ("a\0b", ["a\0b"], {"a\0b": 1}):
        with pytest.raises(ValidationError, match="holds a NUL at offset 1"):
            Kept.model_validate({"text": value})


def test_the_depth_of_a_body_is_no_matter() -> None:
    deep: object = 2**64
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValidationError, match="beyond 64 bits"):
        Passing.model_validate({"text": deep})


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), True, None, 1e308, "😀", {"a": ["б"]}])
def test_everything_else_passes(value: object) -> None:
    assert Kept.model_validate({"text": value}).text == value


@pytest.mark.parametrize("body", [{"text": 1, LONE: 1}, {"text": LONE}, {"a\0": 1}])
def test_the_problem_document_itself_can_be_written(body: dict[str, object]) -> None:
    app = FastAPI()
    add_problem_handlers(app)

    @app.post("/")
    def take(one: Kept) -> None: ...

    take.__annotations__["one"] = Kept
    answer = TestClient(app).post("/", content=json.dumps(body))
    assert answer.status_code == 422
    assert answer.json()["status"] == 422
