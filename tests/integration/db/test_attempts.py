"""Usage: every attempt is on record, also those whose process died."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import event, select

from service.db import (
    AttemptEnd,
    AttemptRecorder,
    AttemptStart,
    Base,
    Database,
    cached_refinements,
    keep_refinement,
    spending,
)
from service.errors import InputError

pytestmark = pytest.mark.anyio
_ATTEMPTS = Base.metadata.tables["attempts"]


def start(number: int = 1, subject: str = "s1", model: str = "m") -> AttemptStart:
    return AttemptStart("judge", subject, model, "d" * 64, number)


PAID = AttemptEnd("answered", 1200, 200, "stop", 1000, 50, 10, 2_500_000, "USD", "reply")


async def test_sums_are_over_every_attempt(ledger: Database) -> None:
    recorder = AttemptRecorder(ledger)
    for number, end in enumerate([AttemptEnd("throttled", 5, 429), PAID, PAID], start=1):
        await recorder.ended(await recorder.started(start(number)), end)
    await recorder.started(start(4))
    await recorder.ended(await recorder.started(start(model="free")), AttemptEnd("answered", 1, 200, reply="x"))
    async with ledger.read() as session:
        free, paid = await spending(session)
        assert await spending(session, subject="nothing") == []
    assert (paid.attempts, paid.in_flight, paid.unpriced, paid.currency) == (4, 1, 0, "USD")
    assert (paid.prompt_tokens, paid.completion_tokens, paid.reasoning_tokens) == (2000, 100, 20)
    assert paid.cost_nano == 5_000_000
    assert (free.attempts, free.unpriced, free.currency) == (1, 1, None)


async def test_a_reply_received_is_kept(ledger: Database) -> None:
    recorder = AttemptRecorder(ledger)
    await recorder.ended(await recorder.started(start()), PAID)
    await recorder.ended(await recorder.started(start(2)), AttemptEnd("timeout", 5))
    wanted = [("d", "judge", "s1"), ("d", "judge", "s2"), ("e", "judge", "s1"), ("d", "refine", "s1")]
    found = [recorder.kept(digest * 64, purpose=purpose, subject=subject) for digest, purpose, subject in wanted]
    assert await asyncio.gather(*found) == [PAID, None, None, None]


async def test_replies_asked_for_together_are_one_query_and_the_newest_counts(ledger: Database) -> None:
    recorder = AttemptRecorder(ledger)
    for subject in ("s1", "s2", "s1"):
        await recorder.ended(await recorder.started(start(subject=subject)), PAID)
        await asyncio.sleep(0.005)
    newest = AttemptEnd("answered", 1, 200, reply="newest")
    await recorder.ended(await recorder.started(start(subject="s1")), newest)
    queries = []
    event.listen(ledger.engine.sync_engine, "before_cursor_execute", lambda *given: queries.append(given[2]))
    found = await asyncio.gather(*(recorder.kept("d" * 64, purpose="judge", subject=f"s{n}") for n in range(50)))
    assert found == [None, newest, PAID, *[None] * 47]
    assert len([query for query in queries if "attempts" in query]) == 1
    await recorder.close()


async def test_an_attempt_ends_once(ledger: Database) -> None:
    recorder = AttemptRecorder(ledger)
    attempt = await recorder.started(start())
    await recorder.ended(attempt, PAID)
    await recorder.ended(attempt, AttemptEnd("timeout", 1))
    async with ledger.read() as session:
        assert await session.scalar(select(_ATTEMPTS.c.status)) == "answered"


async def test_attempts_that_wait_together_share_commits(ledger: Database) -> None:
    commits = []
    event.listen(ledger.engine.sync_engine, "commit", commits.append)
    recorder = AttemptRecorder(ledger)
    await asyncio.gather(*(recorder.started(start(number)) for number in range(200)))
    assert 1 <= len(commits) <= 3


async def test_a_name_too_long_for_its_column_is_told_and_holds_up_nobody(ledger: Database) -> None:
    recorder = AttemptRecorder(ledger)
    with pytest.raises(InputError, match="subject"):
        await recorder.started(start(subject="s" * 301))
    await recorder.started(start())
    async with ledger.read() as session:
        assert [line.attempts for line in await spending(session)] == [1]


async def test_a_cancelled_caller_loses_no_row(ledger: Database) -> None:
    recorder = AttemptRecorder(ledger)
    task = asyncio.create_task(recorder.started(start()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await recorder.close()
    async with ledger.read() as session:
        assert [line.in_flight for line in await spending(session)] == [1]


async def test_the_refinement_cache_keeps_the_first_word(ledger: Database) -> None:
    async with ledger.write() as session:
        for kind in ("EXCLUDES", "SUPPLEMENTS"):
            await keep_refinement(session, "k", model="m", prompt_version="1", pair="A_1 A_2", value={"type": kind})
        found = await cached_refinements(session, ["k", "other", *map(str, range(1200))])
    assert found == {"k": {"type": "EXCLUDES"}}
