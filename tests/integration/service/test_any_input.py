"""Whatever is sent, by whomever: never a 5xx, always a documented status, every error a problem document.

Two ways over the whole OpenAPI document, on PostgreSQL, which takes less than SQLite does (no NUL, no lone surrogate):
requests drawn by schemathesis, and a list of what has broken services before.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from service.api.problems import PROBLEM_TYPE, Problem
from tests.integration.service.filled import KEYS, Filled, answers_of

if TYPE_CHECKING:
    from schemathesis.schemas import APIOperation

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]
load_all_checks()

KINDS = (None, "wrong", *KEYS)
EXAMPLES = 3
"""Of each route, each way (valid, not valid) and each filling of its path (what is there, anything)."""


@dataclass(frozen=True)
class Stage:
    """What routes can be pointed at. The runs, leases and questions are these tests' own, and may come to any end."""

    world: Filled
    document: dict[str, Any]
    places: dict[str, str]
    doomed: str

    def filling(self, path: str) -> dict[str, str]:
        found = {name: value for name, value in self.places.items() if f"{{{name}}}" in path}
        if "key" in found and "/corpora/" in path:
            found["key"] = "sample"
        if path.endswith(("/close", "/publish", "/withdraw")):
            found["run_id"] = self.doomed
        return found

    def headers(self, kind: str | None) -> dict[str, str]:
        if kind is None:
            return {}
        key = self.world.keys["admin"][:-4] + "AAAA" if kind == "wrong" else self.world.keys[kind]
        return {"Authorization": f"Bearer {key}"}


@pytest.fixture(scope="module")
def stage(filled: Filled) -> Stage:
    run = filled.held_run("owl", "any-input", answers_of("any-input", 3))
    lease = filled.ok("owl", "POST", f"/v1/runs/{run}/leases", json={"n": 1})["items"][0]["lease"]
    first = filled.ok("owl", "GET", f"/v1/runs/{run}/submissions")["items"][0]["id"]
    question = filled.ok("judge", "POST", "/v1/judgements/leases", json={"profile": "lexical", "n": 1})["items"][0]
    places = {
        "run_id": run,
        "lease": lease,
        "submission_id": str(first),
        "judgement_id": str(question["id"]),
        "benchmark": "mhgb",
        "board": filled.ok("admin", "POST", "/v1/leaderboards/mhgb/frozen")["board"],
        "act": "ГК",
        "norm_id": "ГК_1079",
        "id": "held3_open",
        "key": "held",
    }
    doomed = filled.held_run("owl", "doomed", answers_of("doomed", 1))
    return Stage(filled, filled.document(), places, doomed)


@dataclass
class Complaints:
    """What was wrong with answers; told all at once."""

    found: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def look(self, label: str, asked: str, status: int, kind: str, body: bytes, documented: set[int]) -> None:
        self.statuses[status] += 1
        wrong = []
        if status >= 500:
            wrong.append("is a server's error")
        if status not in documented:
            wrong.append("is not documented")
        if status >= 400:
            if kind != PROBLEM_TYPE:
                wrong.append(f"is no problem document but {kind!r}")
            elif Problem.model_validate_json(body).status != status:
                wrong.append("says another status")
        self.found += [f"{label}: {status} {one}: {asked[:300]}: {body[:300]!r}" for one in wrong]

    def end(self, least: int) -> None:
        assert not self.found, "\n".join([f"{len(self.found)} complaints", *self.found[:40]])
        assert self.statuses.total() >= least


def documented(operation: dict[str, Any]) -> set[int]:
    return {int(status) for status in operation["responses"]}


# --- requests drawn by schemathesis


def drawn(operation: APIOperation[Any, Any, Any], places: dict[str, str]) -> list[schemathesis.Case]:
    """The same cases at every run: each way, with what is there and with anything in the path."""
    kept: list[schemathesis.Case] = []
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        for filling in [places, None] if places else [None]:

            @settings(
                max_examples=EXAMPLES,
                derandomize=True,
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(operation.as_strategy(generation_mode=mode, path_parameters=filling))
            def keep(case: schemathesis.Case) -> None:
                kept.append(case)

            try:
                keep()
            except Unsatisfiable:
                # A route without any parameter takes nothing that could be wrong.
                assert mode is GenerationMode.NEGATIVE
    return kept


@pytest.mark.slow
def test_requests_drawn_from_the_document(stage: Stage) -> None:
    complaints = Complaints()
    kinds = itertools.cycle(KINDS)
    asked: set[tuple[str, str | None]] = set()
    checks = [status_code_conformance, content_type_conformance, response_schema_conformance]
    with requests.Session() as session:
        for result in schemathesis.openapi.from_dict(stage.document).get_all_operations():
            operation = result.ok()
            cases = drawn(operation, stage.filling(operation.path))
            assert cases, operation.label
            # An administrator gets past every rule, the others as far as theirs goes.
            sent = [(case, "admin") for case in cases]
            sent += [(cases[number % len(cases)], next(kinds)) for number in range(max(len(KINDS), len(cases)))]
            for case, kind in sent:
                asked.add((operation.label, kind))
                answer = case.call(stage.world.url, session=session, headers=stage.headers(kind), timeout=60)
                body = answer.content or b""
                media = "".join(answer.headers.get("content-type", [])).partition(";")[0]
                allowed = {int(status) for status in operation.definition.raw["responses"]}
                complaints.look(operation.label, case.as_curl_command(), answer.status_code, media, body, allowed)
                try:
                    case.validate_response(answer, checks=checks)
                except schemathesis.errors.FailureGroup as group:
                    complaints.found += [f"{operation.label} as {kind}: {one}" for one in group.exceptions]
    routes = {label for label, _ in asked}
    assert asked == {(label, kind) for label in routes for kind in KINDS}
    assert len(routes) == sum(len(methods) for methods in stage.document["paths"].values())
    complaints.end(1000)


# --- what has broken services before

IN_PATH = (
    "%00",
    "%ED%A0%80",
    "%FF%FE",
    "9223372036854775808",
    "-1",
    "1.9223372036854775808",
    "%2E%2E%2F%2E%2E%2Fetc",
    "%E2%80%AE%F0%9F%92%A3",
    "%",
    "x" * 5000,
    "@_",
)
IN_QUERY = (
    "%00",
    "%ED%A0%80",
    "",
    "9223372036854775808",
    "1" + "0" * 5000,
    "-1",
    "NaN",
    "x" * 10_000,
    "%27%22%3B--%60%24%7B%7D",
)
LONE = "\\ud800"


LISTS = {
    "/v1/articles": "articles",
    "/v1/relations": "relations",
    "/v1/articles/{norm_id}/relations": "relations of an article",
    "/v1/task-sets/{key}/tasks": "tasks",
    "/v1/runs": "runs",
    "/v1/runs/{run_id}/submissions": "submissions",
    "/v1/audit": "audit",
}
AFTER = ("x", None, [], [1], ["x", "y"], {"a": 1}, 2**63, -(2**63), 1.5, True, "a\0b", [2**62, "\0"], [1, 1], -7)
FILTERS: tuple[Any, ...] = ({}, {"q": 1, "type": ["x"], "act": 5, "set": "sample"}, {"q": "иск"}, {"view": 1}, [])


def forged_cursors(path: str) -> Iterator[str]:
    """Cursors with the right digest, which anybody can compute, and with anything inside."""
    name = LISTS.get(path, path.rpartition("/")[2])
    for after, filters in [*((after, {}) for after in AFTER), *itertools.product(("x", 1), FILTERS)]:
        yield _cursor([name, "sample", "", after, filters])
    for body in ([], {}, 1, [1, 2, 3, 4, 5], [LISTS.get(path), None, None, None, None], ["other", "", "", 1, {}]):
        yield _cursor(body)


def _cursor(value: Any) -> str:
    body = json.dumps(value).encode()
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()[:6] + body).decode().rstrip("=")


RUBBISH_CURSORS = ("", "x", "%00", "====", "AAAA", "_" * 3000, "%D0%96", "%ED%A0%80", "%2525")

BODIES = (
    b"",
    b"null",
    b"[]",
    b'""',
    b"0",
    b"{",
    b"{}",
    b"NaN",
    b'{"a":' * 3000,
    b"[" * 100_000,
    b'{"\xff": 1}',
    b'{"%s": 1}' % LONE.encode(),
    b'{"a\\u0000": 1}',
    b"\xef\xbb\xbf{}",
    b"\x00",
)
KINDS_OF_BODY = (
    "",
    "application/json; charset=utf-16",
    "application/json; charset=nonsense",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "application/xml",
    "/",
    "application/problem+json",
)
LEAVES: tuple[Any, ...] = (
    "a\0b",
    "LONE",
    "",
    "x" * 100_000,
    2**63,
    -(2**63) - 1,
    10**400,
    "NAN",
    -1,
    True,
    None,
    [],
    {},
    {"a\0": "b"},
    {"LONE": "LONE"},
    ["a\0b", 2**64],
)


def encoded(value: Any) -> bytes:
    """JSON with what Python's own writer would not write."""
    return json.dumps(value).replace('"NAN"', "NaN").replace("LONE", LONE).encode()


# A body that is taken, for each route that takes one.
GOOD: dict[str, dict[str, Any]] = {
    "POST /v1/citations": {
        "text": "ст. 15 ГК",
        "language": "ru",
        "jurisdiction": "ru",
        "act": "ГК",
        "article": "15",
        "corpus": "sample",
        "version": None,
    },
    "POST /v1/context": {
        "norm_id": ["ГК_15"],
        "configuration": "full_graph",
        "token_budget": 1000,
        "max_chunks": 5,
        "seed": "s",
        "as_of": "2020-01-01",
        "corpus": "sample",
        "version": None,
    },
    "PUT /v1/tasks/{id}/reviews": {"verdict": "approve", "checks": {"solvable": True}, "comment": "gut"},
    "POST /v1/benchmarks/{benchmark}/read": {"text": "ВЫВОД: да", "corpus": "sample", "version": None},
    "POST /v1/runs": {
        "benchmark": "mhgb",
        "task_set": "sample",
        "participant": "p",
        "conditions": {"model": "m", "temperature": 0.5, "window": 1000, "max_tokens": 100, "seed": 1},
        "modes": ["closed"],
        "configuration": "full_graph",
        "token_budget": 1000,
        "max_chunks": 5,
        "repeats": 1,
        "limit": 1,
        "subset": "public",
        "judge": "lexical",
        "resume": False,
    },
    "POST /v1/runs/{run_id}/withdraw": {"why": "x"},
    "POST /v1/runs/{run_id}/leases": {"n": 1, "mode": "open", "worker": "w", "seconds": 0.1},
    "POST /v1/runs/{run_id}/submissions": {
        "task_id": "held9_open",
        "attempt_key": "k",
        "outcome": "answered",
        "text": "да",
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 1},
        "latency_ms": 5,
        "provider_id": "i",
    },
    "POST /v1/judgements/leases": {"profile": "lexical", "n": 1, "worker": "w", "seconds": 0.1},
    "PUT /v1/judgements/{judgement_id}/verdict": {"fence": 1, "reply": None, "value": 0.5, "reason": "r"},
    "POST /v1/runs/{run_id}/refusals": {"detector": "lexical"},
    "POST /v1/runs/{run_id}/rejudge": {"judge": "lexical"},
}


def leaves(value: Any) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a body, those inside of objects and lists too."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inside:
        yield (name,)
        yield from ((name, *further) for further in leaves(one))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replaced(copy[place[0]], place[1:], new)
    return copy


@dataclass(frozen=True)
class Nasty:
    label: str
    method: str
    target: str
    content: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


def nasty_requests(stage: Stage) -> Iterator[Nasty]:
    for path, methods in stage.document["paths"].items():
        filling = stage.filling(path)
        real = path.format(**filling)
        for method, operation in methods.items():
            label, verb = f"{method.upper()} {path}", method.upper()
            good = encoded(GOOD[label]) if label in GOOD else None
            as_json = {"Content-Type": "application/json"} if good else {}
            for name in filling:
                for value in IN_PATH:
                    target = path.format(**{**filling, name: value})
                    yield Nasty(label, verb, target, good, as_json)
            names = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
            needed = {
                "/v1/context": "norm_id=ГК_15",
                "/v1/paths": "from=ГК_15&to=ГК_1079",
                "/v1/between": "a=ГК_15&b=ГК_1079",
                "/v1/corpora/{key}/diff": "from=0",
                "/v1/comparisons": f"runs={stage.doomed},{stage.doomed}",
                "/v1/runs/{run_id}/refusals": "detector=lexical",
            }
            for name in names:
                for value in (*RUBBISH_CURSORS, *forged_cursors(path)) if name == "cursor" else IN_QUERY:
                    rest = needed.get(path, "")
                    joined = "" if f"{name}=" in rest else f"&{rest}"
                    yield Nasty(label, verb, f"{real}?{name}={value}{joined}", good, as_json)
            if "requestBody" in operation:
                yield from _nasty_bodies(label, verb, real, GOOD[label])


def _nasty_bodies(label: str, verb: str, real: str, good: dict[str, Any]) -> Iterator[Nasty]:
    for kind in ("application/json", *(["application/x-ndjson"] if label.endswith("/submissions") else [])):
        headers = {"Content-Type": kind}
        for body in BODIES:
            yield Nasty(label, verb, real, body, headers)
        for place in leaves(good):
            for leaf in LEAVES:
                yield Nasty(label, verb, real, encoded(replaced(good, place, leaf)), headers)
        yield Nasty(label, verb, real, encoded(good | {"LONE": 1}), headers)
        yield Nasty(label, verb, real, encoded(good | {"a\0": 1}), headers)
    for kind in KINDS_OF_BODY:
        yield Nasty(label, verb, real, encoded(good), {"Content-Type": kind} if kind else {})


@pytest.mark.slow
def test_what_has_broken_services_before(stage: Stage, request: pytest.FixtureRequest) -> None:
    complaints = Complaints()
    where = urlsplit(stage.world.url)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    request.addfinalizer(connection.close)
    for one in nasty_requests(stage):
        allowed = documented(stage.document["paths"][one.label.partition(" ")[2]][one.method.lower()])
        told = f"{one.target[:200]} {one.headers} {(one.content or b'')[:200]!r}"
        try:
            target = quote(one.target, safe="/?&=%.,@-_")
            connection.request(one.method, target, one.content, stage.headers("admin") | one.headers)
            answer = connection.getresponse()
            body = answer.read()
        except (http.client.HTTPException, OSError) as error:
            complaints.found.append(f"{one.label}: no answer ({error!r}): {told}")
            connection.close()
            continue
        media = answer.headers.get("content-type", "").partition(";")[0]
        # A path may be none of the route's any more: 404 and 405 are always said.
        complaints.look(one.label, told, answer.status, media, body, allowed | {404, 405})
    connection.close()
    complaints.end(3000)


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": b"Bearer \xff\xfe"},
        {"Authorization": b"Bearer"},
        {"Authorization": b""},
        {"Authorization": b"Bearer " + b"x" * 30_000},
        {"Authorization": b"bearer lxh__"},
        {"Authorization": "Bearer lxh_ж_ж".encode()},
        {"Accept": b"\xff, */*;q=x"},
        {"Accept-Encoding": b"gzip;q=x, \xff"},
        {"If-None-Match": b'W/"\xff", *, "'},
        {"X-Request-ID": b"\xff\xff"},
        {"Content-Type": b"\xff"},
    ],
)
@pytest.mark.parametrize("path", ["/v1/acts", "/v1/runs", "/v1/articles/ГК_15"])
def test_odd_headers(stage: Stage, headers: dict[str, bytes], path: str) -> None:
    answer = httpx.get(stage.world.url + path, headers=headers, timeout=60)
    assert answer.status_code in (200, 400, 401), answer.text
    if answer.status_code == 401:
        assert answer.headers["content-type"] == PROBLEM_TYPE


def test_every_path_refuses_other_methods_with_a_problem(stage: Stage) -> None:
    for path, methods in stage.document["paths"].items():
        other = next(one for one in ("patch", "delete", "put") if one not in methods)
        answer = stage.world.ask("admin", other.upper(), path.format(**stage.filling(path)))
        assert answer.status_code == 405, path
        assert Problem.model_validate_json(answer.content).status == 405
