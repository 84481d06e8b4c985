"""A queue's table for tests, and a process that works on it."""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy import MetaData, String, make_url
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from tenacity import retry, retry_if_exception_type, stop_after_attempt

from service.db import Database, Lease, QueueColumns, WorkQueue
from service.errors import UnavailableError


class QueueBase(DeclarativeBase):
    metadata = MetaData()


class WorkRow(QueueColumns, QueueBase):
    __tablename__ = "work"

    done_by: Mapped[str | None] = mapped_column(String(100))
    times_done: Mapped[int] = mapped_column(default=0)


# Under SQLite's way of waiting a writer can lose to others for all its patience; then it says so, and any worker repeats.
repeated = retry(retry=retry_if_exception_type(UnavailableError), stop=stop_after_attempt(10), reraise=True)


async def work(url: str, worker: str, batch: int) -> None:
    """Claim and finish rows until none is left; print how many."""
    database = Database(make_url(url))
    queue = WorkQueue(WorkRow)

    @repeated
    async def claim() -> list[Lease]:
        async with database.write() as session:
            return await queue.claim(session, worker=worker, limit=batch, lease_seconds=600)

    @repeated
    async def finish(leases: list[Lease]) -> None:
        async with database.write() as session:
            for lease in leases:
                values = {"done_by": worker, "times_done": WorkRow.times_done + 1}
                await queue.finish(session, lease, values=values)

    finished = 0
    while leases := await claim():
        await finish(leases)
        finished += len(leases)
    await database.close()
    sys.stdout.write(f"{finished}\n")


if __name__ == "__main__":
    try:
        asyncio.run(work(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    except UnavailableError as error:
        sys.exit(str(error))
