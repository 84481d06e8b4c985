"""What a client does wrong when it is in a hurry: nothing may be lost, and every refusal says what to do."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import pytest

from tests.integration.service.test_runs_http import World, answers, world  # noqa: F401 - a service with the sample's tasks

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]
NDJSON = "application/x-ndjson"


def post(world: World, run: str, content: bytes, kind: str = NDJSON, **headers: str) -> httpx.Response:  # noqa: F811
    path = f"/v1/runs/{run}/submissions"
    return world.ask("owl", "POST", path, content=content, headers={"Content-Type": kind, **headers})


def receipts(answer: httpx.Response) -> list[tuple[int, int]]:
    assert answer.status_code == 200, answer.text
    return [(one["line"], one["status"]) for one in map(json.loads, answer.text.splitlines())]


def line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode()


def test_a_line_as_long_as_a_book_costs_no_other_line(world: World) -> None:  # noqa: F811
    run, good = world.run("owl", "books"), answers("owl")
    book = line({**good[1], "text": "я" * 3_000_000})
    sent = post(world, run, b"\n".join([line(good[0]), book, line(good[2]), book]))
    assert receipts(sent) == [(1, 201), (2, 413), (3, 201), (4, 413)]
    assert "LEXHOP_SUBMISSION_CHARS" in sent.text
    assert world.ok("owl", "GET", f"/v1/runs/{run}")["answered"] == 2


def test_the_longest_answer_fits_however_it_is_escaped(world: World) -> None:  # noqa: F811
    run, good = world.run("owl", "long"), answers("owl")
    longest = {**good[0], "text": "я" * 400_000}
    assert post(world, run, json.dumps(longest).encode(), "application/json").status_code == 201
    text = json.dumps({"text": "я" * 400_000, "corpus": "sample"}).encode()
    read = world.ask(
        None, "POST", "/v1/benchmarks/mhgb/read", content=text, headers={"Content-Type": "application/json"}
    )
    assert read.status_code == 200
    beyond = post(world, run, b'"' + b"a" * 6_000_000 + b'"', "application/json")
    assert beyond.status_code == 413
    assert "LEXHOP_SUBMISSION_CHARS" in beyond.json()["detail"]


def test_files_of_windows_are_read(world: World) -> None:  # noqa: F811
    run, good = world.run("owl", "windows"), answers("owl")
    mark = b"\xef\xbb\xbf"
    assert receipts(post(world, run, mark + line(good[0]) + b"\r\n\r\n" + line(good[1]) + b"\r\n")) == [
        (1, 201),
        (3, 201),
    ]
    assert post(world, run, mark + line(good[2]), "application/json; charset=utf-8").status_code == 201


@pytest.mark.parametrize("kind", ["application/jsonl", "application/ndjson", "Application/X-NDJSON; charset=utf-8"])
def test_lines_go_by_several_names(world: World, kind: str) -> None:  # noqa: F811
    run, good = world.run("owl", kind[:30]), answers("owl")
    assert receipts(post(world, run, line(good[0]) + b"\n" + line(good[1]), kind)) == [(1, 201), (2, 201)]


@pytest.mark.parametrize(
    ("content", "headers", "said"),
    [
        (gzip.compress(b"{}\n"), {"Content-Encoding": "gzip"}, "without compression"),
        (b"", {}, "no submission"),
        (b"\n \n", {}, "no submission"),
    ],
    # Compressed bytes tell the second in which they were made: no name for a test.
    ids=["compressed", "empty", "blank lines"],
)
def test_a_body_that_holds_no_line_is_refused(world: World, content: bytes, headers: dict[str, str], said: str) -> None:  # noqa: F811
    answer = post(world, world.run("owl", "nothing"), content, **headers)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert said in answer.json()["detail"]


def test_other_encodings_are_named(world: World) -> None:  # noqa: F811
    run, good = world.run("owl", "encodings"), answers("owl")
    text = json.dumps(good[0], ensure_ascii=False)
    for content, said in ((text.encode("cp1251"), "UTF-8"), (gzip.compress(text.encode()), "gzip")):
        answer = post(world, run, content, "application/json")
        assert answer.status_code == 422
        assert said in answer.json()["detail"]


def test_a_closed_run_confirms_what_it_took_in(world: World) -> None:  # noqa: F811
    run, good = world.run("owl", "closed"), answers("owl")
    world.send("owl", run, good[:2])
    world.ok("owl", "POST", f"/v1/runs/{run}/close")
    again = [one["status"] for one in world.send("owl", run, [good[0], good[2], {**good[1], "text": "other"}])]
    assert again == [200, 409, 409]
    assert post(world, run, line(good[1]), "application/json").status_code == 200
    assert "closed" in world.refused(409, "owl", "POST", f"/v1/runs/{run}/submissions", json=good[2])


def test_leases_of_what_is_not_there_are_refused(world: World) -> None:  # noqa: F811
    run = world.run("owl", "leases", modes=["closed"])
    path = f"/v1/runs/{run}/leases"
    assert "ask for closed" in world.refused(422, "owl", "POST", path, json={"n": 1, "mode": "open"})
    task = world.ok("owl", "POST", path, json={"n": 1})["items"][0]["task_id"]
    said = world.refused(404, "owl", "POST", path, json={"n": 1, "task_ids": [task, "no-such", "nor-this"]})
    assert "'no-such' and 1 more" in said
    other = {"task_id": task.replace("_closed", "_open"), "attempt_key": "1", "text": "a"}
    assert "modes: closed" in world.refused(404, "owl", "POST", f"/v1/runs/{run}/submissions", json=other)
