"""Lists as one parameter: looked up in an index, whatever their length, and written in their order."""

from __future__ import annotations

import pytest
from sqlalchemy import func, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite

from service.db import Database, WorkQueue
from service.db._many import among, insert_rows, update_rows
from service.db._tables import AttemptRow, RefinementRow
from tests.integration.db.queue_work import QueueBase, WorkRow

pytestmark = pytest.mark.anyio


def attempt(number: int, **more: object) -> dict[str, object]:
    names = {"id": f"{number:032d}", "purpose": "judge", "subject": f"s{number}", "model": "m", "number": 1}
    return {**names, "request_digest": "d", "started_at": number, "status": "in_flight", **more}


@pytest.fixture
async def queue(ledger: Database) -> WorkQueue[WorkRow]:
    async with ledger.engine.begin() as connection:
        await connection.run_sync(QueueBase.metadata.create_all)
    return WorkQueue(WorkRow, max_attempts=3)


async def plan(ledger: Database, statement) -> str:
    dialect = sqlite.dialect() if ledger.is_sqlite else postgresql.dialect()
    words = str(statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
    explain = "EXPLAIN QUERY PLAN " if ledger.is_sqlite else "EXPLAIN "
    async with ledger.read() as session:
        if not ledger.is_sqlite:
            await session.execute(text("SET LOCAL enable_seqscan = off"))
        return "\n".join(str(row) for row in await session.execute(text(explain + words.replace(":", r"\:"))))


async def test_a_list_is_looked_up_in_the_index(ledger: Database) -> None:
    by_number = await plan(ledger, select(AttemptRow.id).where(among(AttemptRow.id, ["x", "y"])))
    both = among(AttemptRow.subject, {"s1"})
    by_subject = await plan(ledger, select(AttemptRow.id).where(AttemptRow.purpose == "judge", both))
    if ledger.is_sqlite:
        assert "SEARCH attempts USING" in by_number
        assert "SCAN attempts" not in by_number
        assert "ix_attempts_purpose_subject (purpose=? AND subject=?)" in by_subject
    else:
        assert "Index Cond: ((id)::text = ANY" in by_number
        assert "Index Cond: (((purpose)::text = 'judge'::text) AND ((subject)::text = ANY" in by_subject


async def test_lists_of_any_length_find_what_is_in_them(ledger: Database) -> None:
    async with ledger.write() as session:
        await insert_rows(session, AttemptRow, [attempt(n) for n in range(3000)])
        names = [f"s{n}" for n in range(1, 70_000, 2)]
        count = select(func.count()).where(among(AttemptRow.subject, names))
        assert await session.scalar(count) == 1500
        assert await session.scalar(select(func.count()).where(among(AttemptRow.subject, []))) == 0
        odd = ["it's", 'a "quoted" \\ name', "кириллица", "%(x)s :y ?"]
        await insert_rows(session, AttemptRow, [attempt(5000 + n, subject=name) for n, name in enumerate(odd)])
        found = await session.scalars(select(AttemptRow.subject).where(among(AttemptRow.subject, odd)))
        assert sorted(found) == sorted(odd)


async def test_rows_get_their_ids_in_their_order(ledger: Database, queue: WorkQueue[WorkRow]) -> None:
    rows = [
        {"state": "pending", "attempts": n % 3, "fence": 0, "done_by": f"w{n}", "times_done": n} for n in range(700)
    ]
    async with ledger.write() as session:
        await insert_rows(session, WorkRow, rows)
        found = await session.execute(select(WorkRow.done_by, WorkRow.times_done).order_by(WorkRow.id))
        assert [tuple(row) for row in found] == [(f"w{n}", n) for n in range(700)]


async def test_rows_are_updated_by_their_key_and_only_where_they_may_be(ledger: Database) -> None:
    async with ledger.write() as session:
        await insert_rows(session, AttemptRow, [attempt(n, status="done" if n == 2 else "in_flight") for n in range(4)])
        ends = [
            {"id": f"{n:032d}", "status": "read", "milliseconds": n, "reply": None, "cost_nano": 2**40}
            for n in (1, 2, 9)
        ]
        await update_rows(session, AttemptRow, ends, where=AttemptRow.__table__.c.status == "in_flight")
        found = await session.execute(
            select(AttemptRow.status, AttemptRow.milliseconds, AttemptRow.cost_nano).order_by(AttemptRow.id)
        )
        assert [tuple(row) for row in found] == [
            ("in_flight", None, None),
            ("read", 1, 2**40),
            ("done", None, None),
            ("in_flight", None, None),
        ]


async def test_rows_that_are_there_stay(ledger: Database) -> None:
    row = {"key": "k", "model": "m", "prompt_version": "1", "pair": "a b", "value_json": "1", "created_at": 1}
    async with ledger.write() as session:
        await session.execute(insert(RefinementRow), [row])
        await insert_rows(session, RefinementRow, [{**row, "value_json": "2"}, {**row, "key": "l"}], or_nothing=True)
        found = await session.execute(select(RefinementRow.key, RefinementRow.value_json).order_by(RefinementRow.key))
        assert [tuple(one) for one in found] == [("k", "1"), ("l", "1")]
