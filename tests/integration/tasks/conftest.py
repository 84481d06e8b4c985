"""A draft over the sample in a real graph, a ledger of its own, and a model server that misbehaves on order."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from loaders.corpus import BuiltCorpus, build_sample
from service.chains import content_graph, make_plan
from service.db import Database, upgrade
from service.graph.address import GraphAddress
from service.graph.opening import open_graph
from service.graph.store import GraphStore
from service.tasks import TaskSet, TaskSetInfo, create_task_set, keep_chains
from tests.fake_models import FakeModels
from tests.integration.service.conftest import put, settings_for


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def loaded(graph_address: GraphAddress) -> BuiltCorpus:
    return put(graph_address, build_sample())


@pytest.fixture
async def store(graph_address: GraphAddress, loaded: BuiltCorpus) -> AsyncIterator[GraphStore]:
    async with open_graph(settings_for(graph_address)) as opened:
        yield opened


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(URL.create("sqlite+aiosqlite", database=str(tmp_path / "ledger.sqlite3")))
    await upgrade(database)
    yield database
    await database.close()


@pytest.fixture
async def server() -> AsyncIterator[FakeModels]:
    async with FakeModels() as fake:
        fake.reply = good_reply
        yield fake


async def draft_of(ledger: Database, loaded: BuiltCorpus, wanted: int, key: str = "mine") -> TaskSet:
    """A draft with chains over the sample."""
    plan = make_plan(content_graph(loaded.content), wanted=wanted, draws=50)
    info = TaskSetInfo(key, "Mine", "mhgb", "ru", "sample", loaded.content.version, "Apache-2.0", "a test")
    async with ledger.write() as session:
        made = await create_task_set(session, info)
        await keep_chains(session, made, plan.chains)
        return made


def fields_of(asked: dict[str, Any]) -> list[str]:
    """The fields that a prompt asks for: read from its requirement, as a model would."""
    text = next(one["content"] for one in asked["messages"] if one["role"] == "user")
    return re.findall(r'"(fabula|question|step_\d+|conclusion|event_date)"', text)


def good_reply(asked: dict[str, Any]) -> str:
    """A task that passes: words of no statute, and a late day where one is asked for."""
    value = {
        "fabula": "Жёлтый зонт Зои улетел. Пётр поймал его 5 мая 2031 года. Зонт сломался.",
        "question": "Кто купит зонт?",
    }
    for name in dict.fromkeys(fields_of(asked)):
        if name.startswith("step_"):
            value[name] = f"Довод {name[5:]}."
        elif name == "conclusion":
            value[name] = "Зонт купит Пётр."
        elif name == "event_date":
            value[name] = "2031-05-05"
    return json.dumps(value, ensure_ascii=False)


Reply = Callable[[dict[str, Any]], str]
