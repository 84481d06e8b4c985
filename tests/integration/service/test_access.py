"""Keys over HTTP: every route with no key, a wrong one, one of another scope, a revoked one; limits by the hour."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from loaders.corpus import BuiltCorpus
from service.api import schemas
from service.api.access import RULES
from service.db import COMMAND_LINE, Scope, Tier, create_key, grant_tier, open_ledger, revoke_key
from service.graph.address import GraphAddress
from service.settings import Settings
from tests.integration.conftest import keep_clear_of_the_hours_end
from tests.integration.service.conftest import environment_for, serving
from tests.integration.service.test_http import ok, problem

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

# A value for each path parameter, so that every route of the document can be called.
PARAMETERS = {
    "act": "ГК",
    "norm_id": "ГК_15",
    "key": "sample",
    "id": "no-such_open",
    "run_id": "run_0",
    "lease": "1.1",
    "submission_id": "1",
    "judgement_id": "1",
    "benchmark": "mhgb",
    "board": "none",
}
BODIES = {"POST /v1/citations": {"text": "ст. 15 ГК"}, "POST /v1/context": {"norm_id": ["ГК_15"]}}
QUERIES = {"GET /v1/context": {"norm_id": "ГК_15"}}


@dataclass(frozen=True)
class Keys:
    reader: str
    submitter: str
    admin: str
    revoked: str


@dataclass(frozen=True)
class Guarded:
    url: str
    keys: Keys
    home: Path
    # One client: each new one reads the certificates of the machine, which takes longer than an answer.
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60))


@pytest.fixture(scope="module")
def guarded(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guarded]:
    """A service with keys of every kind."""
    home = tmp_path_factory.mktemp("home")

    async def make() -> Keys:
        texts = {}
        async with open_ledger(Settings(home=home, database_url=None)) as ledger:
            for name, scope in (("reader", "read"), ("submitter", "submit"), ("admin", "admin"), ("revoked", "admin")):
                async with ledger.write() as session:
                    key, text = await create_key(session, name=name, scopes=[Scope(scope)], actor=COMMAND_LINE)
                    texts[name] = text.get_secret_value()
                    if name == "revoked":
                        await revoke_key(session, key.prefix, actor=COMMAND_LINE)
                    if name == "reader":
                        await grant_tier(
                            session, key.prefix, task_set="*", tier=Tier.FULL, purpose="p", actor="x", days=1
                        )
        return Keys(**texts)

    keys = asyncio.run(make())
    with serving(environment_for(graph_address, LEXHOP_HOME=str(home))) as (url, _):
        found = Guarded(url, keys, home)
        yield found
        found.client.close()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def routes(guarded: Guarded) -> list[str]:
    document = ok(httpx.get(f"{guarded.url}/openapi.json", timeout=60))
    return [f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods]


def call(guarded: Guarded, route: str, headers: dict[str, str] | None = None) -> httpx.Response:
    method, _, path = route.partition(" ")
    url = guarded.url + path.format(**PARAMETERS)
    return guarded.client.request(method, url, headers=headers, json=BODIES.get(route), params=QUERIES.get(route))


OPEN = 0
"""The caller got past the rule, to whatever the route says to a request about nothing: never a 5xx."""


def _said(answer: httpx.Response) -> int:
    assert answer.status_code < 500, answer.text
    return answer.status_code if answer.status_code in (401, 403) else OPEN


def test_every_route_of_the_openapi_document_has_a_rule(guarded: Guarded) -> None:
    found = routes(guarded)
    assert found
    assert [route for route in found if route not in RULES] == []


def test_every_route_with_every_kind_of_key(guarded: Guarded) -> None:
    keys = guarded.keys
    wrong = keys.admin[:-2] + ("AA" if not keys.admin.endswith("AA") else "BB")
    for route in routes(guarded):
        scope = RULES[route].scope
        health = scope is None
        needs_key = scope not in (None, Scope.READ)
        expected = {
            "none": 401 if needs_key else OPEN,
            "wrong": OPEN if health else 401,
            "revoked": OPEN if health else 401,
            "nonsense": OPEN if health else 401,
            "reader": 403 if needs_key else OPEN,
            "submitter": 403 if scope not in (None, Scope.READ, Scope.SUBMIT) else OPEN,
            "admin": OPEN,
        }
        headers = {
            "none": None,
            "wrong": bearer(wrong),
            "revoked": bearer(keys.revoked),
            "nonsense": {"Authorization": "Basic dXNlcjpwYXNzd29yZA=="},
            "reader": bearer(keys.reader),
            "submitter": bearer(keys.submitter),
            "admin": bearer(keys.admin),
        }
        got = {kind: call(guarded, route, headers[kind]) for kind in expected}
        assert {kind: _said(answer) for kind, answer in got.items()} == expected, route
        for answer in got.values():
            if answer.status_code == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
                document = problem(answer, 401)
                for secret in (wrong, keys.revoked, "dXNlcjpwYXNzd29yZA=="):
                    assert secret not in str(document)


def test_a_cached_answer_is_no_way_around_a_wrong_key(guarded: Guarded) -> None:
    for _ in range(2):
        assert call(guarded, "GET /v1/acts/{act}").status_code == 200
    problem(call(guarded, "GET /v1/acts/{act}", bearer(guarded.keys.revoked)), 401)


def test_administrators_see_keys_and_the_audit_page_by_page(guarded: Guarded) -> None:
    headers = bearer(guarded.keys.admin)
    seen, cursor = [], None
    while True:
        params = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page = ok(httpx.get(f"{guarded.url}/v1/keys", headers=headers, params=params, timeout=60))
        schemas.Page[schemas.KeyView].model_validate(page)
        seen += page["items"]
        cursor = page["next"]
        if cursor is None:
            break
    assert [key["name"] for key in seen] == ["reader", "submitter", "admin", "revoked"]
    assert [grant["tier"] for grant in seen[0]["grants"]] == ["full"]
    assert seen[3]["revoked_at"]
    lines, cursor = [], None
    while True:
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = ok(httpx.get(f"{guarded.url}/v1/audit", headers=headers, params=params, timeout=60))
        schemas.Page[schemas.AuditView].model_validate(page)
        lines += page["items"]
        cursor = page["next"]
        if cursor is None:
            break
    # The walk over all routes froze a board on its way.
    lines = [line for line in lines if line["action"] != "board_frozen"]
    assert [line["action"] for line in lines] == [
        "key_revoked",
        "key_created",
        "key_created",
        "key_created",
        "tier_granted",
        "key_created",
    ]
    only = ok(httpx.get(f"{guarded.url}/v1/audit?action=key_revoked", headers=headers, timeout=60))
    assert [line["action"] for line in only["items"]] == ["key_revoked"]
    for secret in guarded.keys.__dict__.values():
        assert secret not in str(seen) + str(lines)


def test_a_key_revoked_meanwhile_is_refused_at_once(guarded: Guarded) -> None:
    async def make_and_revoke(prefix: str | None) -> str:
        async with open_ledger(Settings(home=guarded.home, database_url=None)) as ledger, ledger.write() as session:
            if prefix is None:
                return (await create_key(session, name="x", scopes=[Scope.READ], actor="t"))[1].get_secret_value()
            await revoke_key(session, prefix, actor="t")
            return ""

    text = asyncio.run(make_and_revoke(None))
    assert call(guarded, "GET /v1/acts", bearer(text)).status_code == 200
    asyncio.run(make_and_revoke(text.split("_")[1]))
    assert call(guarded, "GET /v1/acts", bearer(text)).status_code == 401


def test_the_hour_of_a_key_ends_for_all_processes_together(
    graph_address: GraphAddress, loaded: BuiltCorpus, tmp_path: Path
) -> None:
    async def make() -> str:
        async with open_ledger(Settings(home=tmp_path, database_url=None)) as ledger, ledger.write() as session:
            return (await create_key(session, name="x", scopes=[Scope.READ], actor="t"))[1].get_secret_value()

    key = asyncio.run(make())
    environment = environment_for(graph_address, LEXHOP_HOME=str(tmp_path), LEXHOP_HOURLY_KEY="7")
    with serving(environment) as (first, _), serving(environment) as (second, _):
        keep_clear_of_the_hours_end()
        statuses = [
            httpx.get(f"{url}/v1/acts", headers=bearer(key), timeout=60).status_code
            for _ in range(5)
            for url in (first, second)
        ]
        last = httpx.get(f"{first}/v1/acts", headers=bearer(key), timeout=60)
        assert statuses == [200] * 7 + [429] * 3
        document = problem(last, 429)
        assert "LEXHOP_HOURLY_KEY=7" in document["detail"]
        assert 1 <= int(last.headers["retry-after"]) <= 3600
        # Without a key, from this machine, nothing is counted.
        assert {httpx.get(f"{first}/v1/acts", timeout=60).status_code for _ in range(12)} == {200}


def test_readiness_asks_the_ledger_too(guarded: Guarded) -> None:
    assert ok(httpx.get(f"{guarded.url}/readyz", timeout=60))["ledger"] == "SQLite"
