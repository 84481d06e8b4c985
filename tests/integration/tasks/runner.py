"""A process that writes a draft's tasks; to be killed and started again. The graph's password comes on standard input."""

from __future__ import annotations

import asyncio
import sys

from pydantic import SecretStr
from sqlalchemy import URL

from service.db import Database
from service.graph.address import GraphAddress
from service.graph.opening import open_graph
from service.models import ModelProfile, open_model
from service.tasks import get_task_set, read_prompts, write_tasks
from tests.integration.service.conftest import settings_for


async def run(file: str, url: str, address: GraphAddress, key: str) -> None:
    ledger = Database(URL.create("sqlite+aiosqlite", database=file))
    profile = ModelProfile.model_validate(
        {
            "name": "fake",
            "provider": "openai",
            "model": "fake",
            "endpoint": url,
            "concurrency": 4,
            "start_requests_per_second": 1000,
        }
    )
    async with open_graph(settings_for(address)) as store, open_model(profile, database=ledger) as client:
        async with ledger.read() as session:
            task_set = await get_task_set(session, key)
        prompts = read_prompts(task_set.benchmark, "write", task_set.language)
        written = await write_tasks(ledger, store, task_set, client, prompts, branches={})
    await ledger.close()
    sys.stdout.write(f"{written.valid} {len(written.failed)}\n")


if __name__ == "__main__":
    password = SecretStr(sys.stdin.readline().strip())
    asyncio.run(run(sys.argv[1], sys.argv[2], GraphAddress(sys.argv[3], sys.argv[4], password, "neo4j"), sys.argv[5]))
