"""`lexhop run` without its command line: a fake model on loopback, an API that is the real one but for its graph."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from service.db import read_run
from service.domain import Outcome
from service.evaluation import Runner, outcome_of, run_view
from service.models import ReplyStatus
from tests.fake_models import FakeModels
from tests.integration.evaluation.conftest import Desk, add_set, invented_fabula
from tests.integration.models.conftest import client_of

pytestmark = pytest.mark.anyio
TEXT = "ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15\nЦЕПОЧКА РАССУЖДЕНИЙ:\nГК_15\nВЫВОД:\nДа."


@asynccontextmanager
async def api(desk: Desk) -> AsyncIterator[httpx.AsyncClient]:
    """The application on the test's ledger; only closed tasks are run, which need no graph."""
    from service.api import ServiceState, create_api
    from service.db import HourlyLimiter, Scope, create_key
    from service.settings import Settings

    settings = Settings(database_url=None)

    @asynccontextmanager
    async def state(metrics: Any) -> AsyncIterator[ServiceState]:
        yield ServiceState(
            settings=settings,
            store=None,  # type: ignore[arg-type]
            watcher=None,  # type: ignore[arg-type]
            metrics=metrics,
            ledger=desk.database,
            hours=HourlyLimiter(desk.database),
        )

    async with desk.database.write() as session:
        _, key = await create_key(session, name="runner", scopes=[Scope.SUBMIT], actor="test")
    app = create_api(settings, state)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            base_url="http://lexhop",
            transport=httpx.ASGITransport(app=app),
            headers={"Authorization": f"Bearer {key.get_secret_value()}"},
        ) as client,
    ):
        yield client


def body(**more: Any) -> dict[str, Any]:
    return {"task_set": "small", "participant": "fake", "modes": ["closed"], "conditions": {"model": "fake"}, **more}


async def small(desk: Desk, fabulas: int = 12) -> None:
    await add_set(desk.database, [invented_fabula(n) for n in range(fabulas)], key="small")


async def test_a_run_is_driven_to_its_end_and_again_asks_nobody(desk: Desk, server: FakeModels) -> None:
    await small(desk)
    server.reply = TEXT
    async with api(desk) as client:
        async with client_of(server) as model:
            report = await Runner(client, model, concurrency=4).run(body())
        assert (report.total, report.outcomes, report.stopped) == (12, {"answered": 12}, None)
        assert report.health == "the first 10: all answered"
        asked = len(server.seen)
        async with client_of(server) as model:
            again = await Runner(client, model).run(body())
    assert (again.run, again.total, len(server.seen)) == (report.run, 0, asked)
    async with desk.database.read() as session:
        view = await run_view(session, await read_run(session, report.run))
    assert (view["answered"], view["leased"]) == (12, {"closed": 0})


async def test_what_is_no_answer_stays_open_and_is_tried_by_the_next_run(desk: Desk, server: FakeModels) -> None:
    await small(desk, 6)
    server.reply, server.script = TEXT, ("ok", "overflow", "empty")
    async with api(desk) as client:
        async with client_of(server, attempts=1) as model:
            report = await Runner(client, model, concurrency=1).run(body())
        assert report.outcomes == {"answered": 2, "context_overflow": 2, "empty": 2}
        server.script = ("ok",)
        async with client_of(server) as model:
            again = await Runner(client, model).run(body())
    assert (again.total, again.outcomes) == (2, {"answered": 2})


async def test_a_circuit_that_opens_stops_the_run_and_returns_the_tasks(desk: Desk, server: FakeModels) -> None:
    await small(desk, 12)
    server.script = ("500",)
    async with api(desk) as client, client_of(server, attempts=1) as model:
        report = await Runner(client, model, concurrency=1).run(body())
    assert report.stopped is not None
    assert "calls in a row failed" in report.stopped
    async with desk.database.read() as session:
        view = await run_view(session, await read_run(session, report.run))
    assert (view["answered"], view["leased"], view["left"]) == (0, {"closed": 0}, {"closed": 12})
    assert view["outcomes"]["closed"] == {"error": 8}


@pytest.mark.parametrize("status", ReplyStatus)
async def test_every_reply_has_an_outcome(status: ReplyStatus) -> None:
    assert outcome_of(status) in Outcome
    assert outcome_of(status).is_answer is status.received
