"""Submissions: taken in many at a time, each exactly once."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import func, select, update

from service.db._base import now_ms
from service.db._many import among, insert_rows
from service.db._queue import Lease, WorkQueue, WorkState
from service.db._run_tables import RunItemRow, SubmissionRow
from service.db._runs import read_run, touch_run
from service.errors import ConflictError, InputError, LexhopError, NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = [
    "NewSubmission",
    "Receipt",
    "Submission",
    "UnreadSubmission",
    "answers_to_judge",
    "claim_unread",
    "list_submissions",
    "outcome_counts",
    "read_submission",
    "receive_submissions",
    "unread_count",
    "untried_count",
]

_READING = WorkQueue(SubmissionRow, max_attempts=50)


@dataclass(frozen=True, slots=True)
class NewSubmission:
    """What a participant sends.

    Attributes:
        attempt_key: The sender's own name for this attempt; sending it again changes nothing.
        is_answer: Whether the outcome closes the task.
    """

    task_id: str
    attempt_key: str
    outcome: str
    is_answer: bool
    text: str = ""
    finish_reason: str | None = None
    usage: Mapping[str, Any] | None = None
    latency_ms: int | None = None
    provider_id: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of all that was sent."""
        facts = [
            self.task_id,
            self.outcome,
            self.text,
            self.finish_reason,
            dict(self.usage) if self.usage is not None else None,
            self.latency_ms,
            self.provider_id,
        ]
        return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of one submission.

    Attributes:
        id: The submission's id; of a repeated one that of the first; None when refused.
        new: It was not there before.
        scored: It is an answer that will be scored.
        repeat: Which answer to its task it is, from 1; None when it is no answer.
        error: Why it was refused.
    """

    id: int | None
    new: bool = False
    scored: bool = False
    repeat: int | None = None
    error: LexhopError | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission as stored."""

    id: int
    run_id: str
    task_id: str
    mode: str
    attempt_key: str
    outcome: str
    repeat: int | None
    text: str
    finish_reason: str | None
    usage: dict[str, Any] | None
    latency_ms: int | None
    provider_id: str | None
    received_at: int


@dataclass(frozen=True, slots=True)
class UnreadSubmission:
    """An answer that waits to be read."""

    lease: Lease
    run_id: str
    item_id: int
    task_id: str
    outcome: str
    text: str


@dataclass(frozen=True, slots=True)
class _Taken:
    """A submission that goes in; ``place`` is its place among those sent."""

    place: int
    sent: NewSubmission
    digest: str
    item_id: int
    repeat: int | None


async def receive_submissions(session: AsyncSession, run_id: str, sent: Sequence[NewSubmission]) -> list[Receipt]:
    """Take in submissions of one run, each on its own merits; one that is refused stops no other.

    The run is locked, so that senders who overlap wait for each other and nothing slips in behind its closing. A closed
    run still confirms what it took in: its sender may have missed the receipt.

    Raises:
        ConflictError: The run is closed, and nothing of this was taken in before.
    """
    run = await read_run(session, run_id, lock=True)
    known = await _known(session, run_id, {one.attempt_key for one in sent})
    closed = None
    if run.closed_at is not None:
        closed = ConflictError(f"run {run_id!r} is closed and takes no more submissions; make a new run")
        if not known:
            raise closed
    items = await _items(session, run_id, {one.task_id for one in sent})
    receipts: list[Receipt | None] = [None] * len(sent)
    taken: list[_Taken] = []
    answered = {task: count for task, (_, count) in items.items()}
    within: dict[str, tuple[str, int]] = {}
    for place, one in enumerate(sent):
        digest = one.digest
        if one.attempt_key in within:
            sent_first, first = within[one.attempt_key]
            receipts[place] = _clash(one) if sent_first != digest else Receipt(-first - 1)
            continue
        if one.attempt_key in known:
            submission_id, stored, repeat = known[one.attempt_key]
            same = Receipt(submission_id, scored=repeat is not None, repeat=repeat)
            receipts[place] = same if stored == digest else _clash(one)
            continue
        if closed is not None:
            receipts[place] = Receipt(None, error=closed)
            continue
        if one.task_id not in items:
            error = NotFoundError(
                f"task {one.task_id!r} is not in run {run_id!r} (its modes: {', '.join(run.modes)}); "
                "send answers to the tasks that its leases name"
            )
            receipts[place] = Receipt(None, error=error)
            continue
        repeat = None
        if one.is_answer:
            if answered[one.task_id] >= run.repeats:
                receipts[place] = await _late(session, items[one.task_id][0], one, taken)
                continue
            answered[one.task_id] += 1
            repeat = answered[one.task_id]
        within[one.attempt_key] = (digest, place)
        taken.append(_Taken(place, one, digest, items[one.task_id][0], repeat))
    ids = await _insert(session, run_id, taken)
    for one_taken, submission_id in zip(taken, ids, strict=True):
        repeat = one_taken.repeat
        receipts[one_taken.place] = Receipt(submission_id, new=True, scored=repeat is not None, repeat=repeat)
    await _count_answers(session, items, answered, run.repeats)
    if taken:
        await touch_run(session, run_id)
    return [_resolved(receipt, receipts) for receipt in receipts]


def _resolved(receipt: Receipt | None, receipts: Sequence[Receipt | None]) -> Receipt:
    assert receipt is not None  # noqa: S101 - every place was filled
    if receipt.id is not None and receipt.id < 0:
        first = receipts[-receipt.id - 1]
        assert first is not None  # noqa: S101 - an earlier place
        return Receipt(first.id, scored=first.scored, repeat=first.repeat)
    return receipt


def _clash(one: NewSubmission) -> Receipt:
    error = ConflictError(
        f"attempt_key {one.attempt_key!r} was used before with another body; a new attempt takes a new key"
    )
    return Receipt(None, error=error)


async def _late(session: AsyncSession, item_id: int, one: NewSubmission, taken: Sequence[_Taken]) -> Receipt:
    first = await session.scalar(
        select(SubmissionRow.id).where(SubmissionRow.item_id == item_id, SubmissionRow.repeat == 1)
    )
    where = f"submission {first}" if first is not None else "an earlier line of the same request"
    assert first is not None or any(other.item_id == item_id for other in taken)  # noqa: S101 - somebody answered it
    error = ConflictError(
        f"task {one.task_id!r} is answered already by {where}, which is the one that is scored; leave it so, "
        "or make another run (with repeats, to have several answers to a task)"
    )
    return Receipt(None, error=error)


async def _items(session: AsyncSession, run_id: str, tasks: Collection[str]) -> dict[str, tuple[int, int]]:
    rows = await session.execute(
        select(RunItemRow.task_id, RunItemRow.id, RunItemRow.answered).where(
            RunItemRow.run_id == run_id, among(RunItemRow.task_id, tasks)
        )
    )
    return {task: (item, answered) for task, item, answered in rows}


async def _known(session: AsyncSession, run_id: str, keys: Collection[str]) -> dict[str, tuple[int, str, int | None]]:
    rows = await session.execute(
        select(SubmissionRow.attempt_key, SubmissionRow.id, SubmissionRow.digest, SubmissionRow.repeat).where(
            SubmissionRow.run_id == run_id, among(SubmissionRow.attempt_key, keys)
        )
    )
    return {key: (submission, digest, repeat) for key, submission, digest, repeat in rows}


async def _insert(session: AsyncSession, run_id: str, taken: Sequence[_Taken]) -> list[int]:
    if not taken:
        return []
    moment = await session.scalar(select(now_ms()))
    rows = [
        {
            "run_id": run_id,
            "item_id": one.item_id,
            "attempt_key": one.sent.attempt_key,
            "digest": one.digest,
            "outcome": one.sent.outcome,
            "repeat": one.repeat,
            "text": one.sent.text,
            "finish_reason": one.sent.finish_reason,
            "usage_json": None if one.sent.usage is None else orjson.dumps(dict(one.sent.usage)).decode(),
            "latency_ms": one.sent.latency_ms,
            "provider_id": one.sent.provider_id,
            "received_at": moment,
            "state": WorkState.PENDING.value if one.repeat is not None else WorkState.EXCLUDED.value,
            "attempts": 0,
            "fence": 0,
        }
        for one in taken
    ]
    await insert_rows(session, SubmissionRow, rows)
    # Asked for by their keys: ids that come back with the insert cost SQLite a statement a row.
    keys = [one.sent.attempt_key for one in taken]
    found = await session.execute(
        select(SubmissionRow.attempt_key, SubmissionRow.id).where(
            SubmissionRow.run_id == run_id, among(SubmissionRow.attempt_key, keys)
        )
    )
    ids = dict(found.all())
    return [ids[key] for key in keys]


async def _count_answers(
    session: AsyncSession, items: Mapping[str, tuple[int, int]], answered: Mapping[str, int], repeats: int
) -> None:
    changed: dict[int, list[int]] = defaultdict(list)
    for task, count in answered.items():
        item, before = items[task]
        if count != before:
            changed[count].append(item)
    for count, ids in changed.items():
        state = WorkState.DONE if count >= repeats else WorkState.PENDING
        await session.execute(
            update(RunItemRow)
            .where(among(RunItemRow.id, ids))
            .values(answered=count, state=state.value, leased_until=None)
            .execution_options(synchronize_session=False)
        )


async def claim_unread(
    session: AsyncSession, *, worker: str, limit: int, seconds: float, run_id: str | None = None
) -> list[UnreadSubmission]:
    """Lease answers that wait to be read."""
    where = None if run_id is None else SubmissionRow.run_id == run_id
    leases = await _READING.claim(session, worker=worker, limit=limit, lease_seconds=seconds, where=where)
    rows = await session.execute(
        select(
            SubmissionRow.id,
            SubmissionRow.run_id,
            SubmissionRow.item_id,
            RunItemRow.task_id,
            SubmissionRow.outcome,
            SubmissionRow.text,
        )
        .join(RunItemRow, RunItemRow.id == SubmissionRow.item_id)
        .where(among(SubmissionRow.id, [lease.id for lease in leases]))
    )
    found = {row[0]: row for row in rows}
    return [UnreadSubmission(lease, *found[lease.id][1:]) for lease in leases]


async def unread_count(session: AsyncSession, run_id: str) -> int:
    """Return how many answers of a run nobody has read yet."""
    return int(
        await session.scalar(
            select(func.count()).where(
                SubmissionRow.run_id == run_id,
                SubmissionRow.state.in_([WorkState.PENDING.value, WorkState.LEASED.value]),
            )
        )
        or 0
    )


async def untried_count(session: AsyncSession, run_id: str) -> int:
    """Return for how many of a run's tasks nothing was ever sent, not even that they came to nothing."""
    sent = select(SubmissionRow.id).where(SubmissionRow.item_id == RunItemRow.id).exists()
    where = (RunItemRow.run_id == run_id, RunItemRow.answered == 0, ~sent)
    return int(await session.scalar(select(func.count()).select_from(RunItemRow).where(*where)) or 0)


async def answers_to_judge(session: AsyncSession, run_id: str) -> list[tuple[int, int]]:
    """Return (submission, item) of a run's answers in which something was said."""
    rows = await session.execute(
        select(SubmissionRow.id, SubmissionRow.item_id)
        .where(
            SubmissionRow.run_id == run_id,
            SubmissionRow.outcome.in_(["answered", "cut"]),
            func.trim(SubmissionRow.text) != "",
        )
        .order_by(SubmissionRow.id)
    )
    return [(submission, item) for submission, item in rows]


async def outcome_counts(session: AsyncSession, run_id: str) -> list[tuple[str, str, str, int]]:
    """Return (mode, depth, outcome, submissions) of a run."""
    rows = await session.execute(
        select(RunItemRow.mode, RunItemRow.depth, SubmissionRow.outcome, func.count())
        .join(RunItemRow, RunItemRow.id == SubmissionRow.item_id)
        .where(SubmissionRow.run_id == run_id)
        .group_by(RunItemRow.mode, RunItemRow.depth, SubmissionRow.outcome)
        .order_by(RunItemRow.mode, RunItemRow.depth, SubmissionRow.outcome)
    )
    return [(mode, depth, outcome, count) for mode, depth, outcome, count in rows]


def _submission(row: SubmissionRow, task_id: str, mode: str) -> Submission:
    return Submission(
        id=row.id,
        run_id=row.run_id,
        task_id=task_id,
        mode=mode,
        attempt_key=row.attempt_key,
        outcome=row.outcome,
        repeat=row.repeat,
        text=row.text,
        finish_reason=row.finish_reason,
        usage=None if row.usage_json is None else orjson.loads(row.usage_json),
        latency_ms=row.latency_ms,
        provider_id=row.provider_id,
        received_at=row.received_at,
    )


async def read_submission(session: AsyncSession, submission_id: int) -> Submission:
    """Return a submission.

    Raises:
        NotFoundError: There is none of that id.
    """
    row = (
        await session.execute(
            select(SubmissionRow, RunItemRow.task_id, RunItemRow.mode)
            .join(RunItemRow, RunItemRow.id == SubmissionRow.item_id)
            .where(SubmissionRow.id == submission_id)
        )
    ).first()
    if row is None:
        raise NotFoundError(f"submission {submission_id!r} does not exist; GET /v1/runs/{{id}}/submissions lists them")
    return _submission(*row)


async def list_submissions(session: AsyncSession, run_id: str, *, limit: int, after: int = 0) -> list[Submission]:
    """Return a run's submissions in the order in which they came; ``after`` (an id) begins the next page."""
    if limit < 1:
        raise InputError(f"limit {limit!r} is less than 1; ask for at least one")
    rows = await session.execute(
        select(SubmissionRow, RunItemRow.task_id, RunItemRow.mode)
        .join(RunItemRow, RunItemRow.id == SubmissionRow.item_id)
        .where(SubmissionRow.run_id == run_id, SubmissionRow.id > after)
        .order_by(SubmissionRow.id)
        .limit(limit)
    )
    return [_submission(*row) for row in rows]
