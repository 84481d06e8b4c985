"""A process that asks a model about numbered items, with a ledger; to be killed and started again."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from sqlalchemy import URL

from service.db import Database, upgrade
from service.models import Message, ModelProfile, open_model


async def run(file: str, url: str, items: int, concurrency: int) -> None:
    database = Database(URL.create("sqlite+aiosqlite", database=file))
    await upgrade(database)
    profile = ModelProfile.model_validate(
        {
            "name": "fake",
            "provider": "openai",
            "model": "fake",
            "endpoint": url,
            "concurrency": concurrency,
            "start_requests_per_second": 1000,
        }
    )
    async with open_model(profile, database=database) as client:

        async def one(number: int) -> str:
            ask = [Message("user", f"item {number}")]
            reply = await client.ask(ask, purpose="test", subject=str(number), reuse=True)
            return reply.status.value

        ends = await asyncio.gather(*(one(number) for number in range(items)))
    await database.close()
    sys.stdout.write(f"{ends.count('answered')}\n")


if __name__ == "__main__":
    asyncio.run(run(str(Path(sys.argv[1])), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
