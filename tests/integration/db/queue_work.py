"""A queue's table for tests, and a process that works on it."""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy import MetaData, String, make_url
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from service.db import Database, QueueColumns, WorkQueue
from service.errors import UnavailableError


class QueueBase(DeclarativeBase):
    metadata = MetaData()


class WorkRow(QueueColumns, QueueBase):
    __tablename__ = "work"

    done_by: Mapped[str | None] = mapped_column(String(100))
    times_done: Mapped[int] = mapped_column(default=0)


async def work(url: str, worker: str, batch: int) -> None:
    """Claim and finish rows until none is left; print how many."""
    database = Database(make_url(url))
    queue = WorkQueue(WorkRow)
    finished = 0
    while True:
        async with database.write() as session:
            leases = await queue.claim(session, worker=worker, limit=batch, lease_seconds=60)
        if not leases:
            break
        async with database.write() as session:
            for lease in leases:
                values = {"done_by": worker, "times_done": WorkRow.times_done + 1}
                await queue.finish(session, lease, values=values)
        finished += len(leases)
    await database.close()
    sys.stdout.write(f"{finished}\n")


if __name__ == "__main__":
    try:
        asyncio.run(work(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    except UnavailableError as error:
        sys.exit(str(error))
