"""Every route has a rule of access; nothing is needed for this but the application itself."""

from __future__ import annotations

import re

import httpx
import pytest
from fastapi import FastAPI

from service.api import access
from service.api.access import RULES
from service.app import create_app
from service.db import Scope
from service.settings import Settings

_WRITING = {"PUT", "PATCH", "DELETE"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def app() -> FastAPI:
    return create_app(Settings.model_validate({"graph_url": "bolt://127.0.0.1:1"}))


def test_every_route_of_the_openapi_document_has_a_rule(app: FastAPI) -> None:
    routes = [f"{method.upper()} {path}" for path, methods in app.openapi()["paths"].items() for method in methods]
    assert len(routes) > 15
    assert [route for route in routes if route not in RULES] == []


def test_what_writes_is_never_open_to_the_public() -> None:
    for route, rule in RULES.items():
        if route.partition(" ")[0] in _WRITING:
            assert rule.scope not in (None, Scope.READ), route


@pytest.mark.anyio
async def test_without_rules_every_route_is_closed(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each route is called with an empty table: one to which the check was not attached would answer."""
    monkeypatch.setattr(access, "RULES", {})
    # No route gets as far as to ask for the state; who asks from loopback is not counted.
    app.state.lexhop = None
    routes = [(method, path) for path, methods in app.openapi()["paths"].items() for method in methods]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://lexhop") as client:
        for method, path in routes:
            answer = await client.request(method, re.sub(r"{[^}]*}", "x", path))
            assert answer.status_code == 403, (method, path, answer.text)
            assert "has no rule of access" in answer.json()["detail"]
