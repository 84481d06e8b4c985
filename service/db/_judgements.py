"""Judge profiles and the ledger of judgements: exactly one verdict a key, every reply on record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import case, func, select, true, update

from service.db._base import now_ms
from service.db._many import among, insert_rows, update_rows
from service.db._queue import Lease, WorkQueue, WorkState
from service.db._run_tables import JudgementRow, JudgeProfileRow, RunItemRow, SubmissionRow, VerdictLogRow
from service.errors import ConflictError, InputError, NotFoundError

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = [
    "ClaimedJudgement",
    "EndedJudgement",
    "JudgementValue",
    "StoredProfile",
    "add_judge_profile",
    "add_judgements",
    "claim_judgements",
    "end_judgements",
    "find_judge_profile",
    "give_back_judgements",
    "heartbeat_judgements",
    "judge_profile",
    "judged_answer_counts",
    "judgement_counts",
    "judgement_leases",
    "judgement_value",
    "judgement_values",
    "list_judge_profiles",
    "read_judgement",
    "reopen_judgements",
    "verdict_log",
]

# Attempts count claims, and a worker that is killed loses its whole batch each time: what ends a question is how often
# a judge was asked (``asked``), not how often a worker died over it.
# The first of these that one of an answer's questions is in is the answer's own.
_ANSWER_STATES = (WorkState.LEASED, WorkState.PENDING, WorkState.UNAVAILABLE)

_QUEUE = WorkQueue(JudgementRow, max_attempts=50)


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """A judge profile as stored; ``body`` is the profile itself."""

    id: int
    name: str
    fingerprint: str
    body: dict[str, Any]
    created_at: int
    created_by: str


@dataclass(frozen=True, slots=True)
class ClaimedJudgement:
    """A question that waits for its judge.

    Attributes:
        asked: How often a judge was asked it without a verdict, rounds before a reopening included.
    """

    lease: Lease
    run_id: str
    submission_id: int
    task_id: str
    item_key: str
    profile_id: int
    repeat: int
    asked: int
    text: str


@dataclass(frozen=True, slots=True)
class EndedJudgement:
    """What a worker has to say about one of its leases.

    Attributes:
        kind: verdict, unreadable or no_reply.
        final: It ends the judgement: with ``value``, or without one as unavailable. Else it goes back to the queue.
        counts: A judge was asked, and its reply counts against the most that it is asked.
    """

    lease: Lease
    kind: str
    value: float | None
    words: str | None
    reply: str | None
    failure: str | None
    final: bool
    counts: bool = True


@dataclass(frozen=True, slots=True)
class JudgementValue:
    """A judgement as scores see it."""

    submission_id: int
    item_key: str
    repeat: int
    state: WorkState
    value: float | None
    words: str | None = None
    reason: str | None = None


def _profile(row: JudgeProfileRow) -> StoredProfile:
    body = orjson.loads(row.body_json)
    return StoredProfile(row.id, row.name, row.fingerprint, body, row.created_at, row.created_by)


async def add_judge_profile(
    session: AsyncSession, *, name: str, fingerprint: str, body: Mapping[str, Any], actor: str
) -> StoredProfile:
    """Keep a profile; the same one again changes nothing.

    Raises:
        ConflictError: The name is taken by another profile.
    """
    row = await session.scalar(select(JudgeProfileRow).where(JudgeProfileRow.name == name))
    if row is not None:
        if row.fingerprint != fingerprint:
            raise ConflictError(
                f"judge profile {name!r} exists and differs (fingerprint {row.fingerprint[:12]}, not {fingerprint[:12]}); "
                "verdicts rest on it, so take another name"
            )
        return _profile(row)
    row = JudgeProfileRow(
        name=name,
        fingerprint=fingerprint,
        body_json=orjson.dumps(dict(body), option=orjson.OPT_SORT_KEYS).decode(),
        created_at=await session.scalar(select(now_ms())),
        created_by=actor,
    )
    session.add(row)
    await session.flush()
    return _profile(row)


async def list_judge_profiles(session: AsyncSession) -> list[StoredProfile]:
    """Return all profiles by name."""
    return [_profile(row) for row in await session.scalars(select(JudgeProfileRow).order_by(JudgeProfileRow.name))]


async def find_judge_profile(session: AsyncSession, name: str) -> StoredProfile:
    """Return a profile by name.

    Raises:
        NotFoundError: There is none; the error names those there are.
    """
    row = await session.scalar(select(JudgeProfileRow).where(JudgeProfileRow.name == name))
    if row is None:
        names = tuple(one.name for one in await list_judge_profiles(session))
        raise NotFoundError(
            f"judge profile {name!r} does not exist; there is {', '.join(names) or 'none: lexhop judges add makes one'}",
            nearest=names,
        )
    return _profile(row)


async def judge_profile(session: AsyncSession, profile_id: int) -> StoredProfile:
    """Return a profile by id."""
    row = await session.get(JudgeProfileRow, profile_id)
    if row is None:
        raise NotFoundError(f"judge profile {profile_id!r} does not exist")
    return _profile(row)


async def add_judgements(session: AsyncSession, rows: Sequence[tuple[str, int, str, int, int]]) -> None:
    """Add questions (run, submission, item key, profile, repeat); those that are there already stay as they are."""
    if not rows:
        return
    values = [
        {
            "run_id": run_id,
            "submission_id": submission_id,
            "item_key": key,
            "profile_id": profile_id,
            "repeat": repeat,
            "asked": 0,
            "state": WorkState.PENDING.value,
            "attempts": 0,
            "fence": 0,
        }
        for run_id, submission_id, key, profile_id, repeat in rows
    ]
    await insert_rows(session, JudgementRow, values, or_nothing=True)


def _claimable() -> Any:
    return (
        select(
            JudgementRow.id,
            JudgementRow.run_id,
            JudgementRow.submission_id,
            RunItemRow.task_id,
            JudgementRow.item_key,
            JudgementRow.profile_id,
            JudgementRow.repeat,
            JudgementRow.asked,
            SubmissionRow.text,
        )
        .join(SubmissionRow, SubmissionRow.id == JudgementRow.submission_id)
        .join(RunItemRow, RunItemRow.id == SubmissionRow.item_id)
    )


async def claim_judgements(
    session: AsyncSession,
    *,
    worker: str,
    limit: int,
    seconds: float,
    profiles: Sequence[int] | None = None,
    run_id: str | None = None,
) -> list[ClaimedJudgement]:
    """Lease questions, those of ``profiles`` where given."""
    where: ColumnElement[bool] = true()
    if profiles is not None:
        where = where & JudgementRow.profile_id.in_(list(profiles))
    if run_id is not None:
        where = where & (JudgementRow.run_id == run_id)
    leases = await _QUEUE.claim(session, worker=worker, limit=limit, lease_seconds=seconds, where=where)
    rows = await session.execute(_claimable().where(among(JudgementRow.id, [lease.id for lease in leases])))
    found: dict[int, Sequence[Any]] = {row[0]: row for row in rows}
    return [ClaimedJudgement(lease, *found[lease.id][1:]) for lease in leases]


async def judgement_leases(session: AsyncSession, worker: str) -> list[Lease]:
    """Return what a worker holds."""
    rows = await session.execute(
        select(JudgementRow.id, JudgementRow.fence, JudgementRow.attempts, JudgementRow.leased_until).where(
            JudgementRow.state == WorkState.LEASED.value, JudgementRow.worker == worker
        )
    )
    return [Lease(row_id, fence, attempts, until or 0) for row_id, fence, attempts, until in rows]


async def heartbeat_judgements(session: AsyncSession, leases: Sequence[Lease], *, seconds: float) -> set[int]:
    """Prolong leases; those that are lost are passed over.

    Returns:
        The ids of those that are still held.
    """
    held = await _held(session, leases)
    if held:
        await session.execute(
            update(JudgementRow)
            .where(among(JudgementRow.id, held))
            .values(leased_until=now_ms() + int(seconds * 1000))
            .execution_options(synchronize_session=False)
        )
    return set(held)


async def give_back_judgements(session: AsyncSession, leases: Sequence[Lease]) -> None:
    """Return questions that were never asked, as a worker does that stops."""
    held = await _held(session, leases)
    if held:
        await session.execute(
            update(JudgementRow)
            .where(among(JudgementRow.id, held))
            .values(
                state=WorkState.PENDING.value,
                leased_until=None,
                worker=None,
                reason="returned",
                attempts=JudgementRow.attempts - 1,
            )
            .execution_options(synchronize_session=False)
        )


async def _held(session: AsyncSession, leases: Sequence[Lease]) -> dict[int, int]:
    """Return the ids of the leases that are still valid with how often each was asked, their rows locked."""
    fences = {lease.id: lease.fence for lease in leases}
    rows = await session.execute(
        select(JudgementRow.id, JudgementRow.fence, JudgementRow.state, JudgementRow.asked)
        .where(among(JudgementRow.id, fences))
        .order_by(JudgementRow.id)
        .with_for_update()
    )
    return {
        row_id: asked
        for row_id, fence, state, asked in rows
        if state == WorkState.LEASED.value and fence == fences[row_id]
    }


async def end_judgements(session: AsyncSession, ended: Sequence[EndedJudgement], *, worker: str) -> set[int]:
    """Write verdicts, or that there came none, where the lease still holds; every reply goes on record.

    Returns:
        The ids of the judgements whose lease is lost: their replies are logged as ``late`` and change nothing.
    """
    held = await _held(session, [one.lease for one in ended])
    moment = await session.scalar(select(now_ms()))
    finals, returns, log = [], [], []
    for one in ended:
        there = one.lease.id in held
        log.append(
            {
                "judgement_id": one.lease.id,
                "at": moment,
                "worker": worker,
                "fence": one.lease.fence,
                "kind": one.kind if there else "late",
                "value": one.value,
                "reply": one.reply,
                "failure": one.failure,
            }
        )
        if not there:
            continue
        row = {
            "id": one.lease.id,
            "asked": held[one.lease.id] + int(one.counts),
            "reason": one.failure,
            "leased_until": None,
        }
        if one.final:
            state = WorkState.DONE if one.value is not None else WorkState.UNAVAILABLE
            finals.append({**row, "state": state.value, "value": one.value, "words": one.words, "ended_at": moment})
        else:
            returns.append({**row, "state": WorkState.PENDING.value, "worker": None})
    await update_rows(session, JudgementRow, finals)
    await update_rows(session, JudgementRow, returns)
    await insert_rows(session, VerdictLogRow, log)
    return {one.lease.id for one in ended} - held.keys()


async def read_judgement(session: AsyncSession, judgement_id: int) -> ClaimedJudgement:
    """Return a judgement with the lease that it has now, whoever holds it.

    Raises:
        NotFoundError: There is none of that id.
    """
    row: Sequence[Any] | None = (await session.execute(_claimable().where(JudgementRow.id == judgement_id))).first()
    if row is None:
        raise NotFoundError(f"judgement {judgement_id!r} does not exist; POST /v1/judgements/leases gives some")
    lease = (
        await session.execute(
            select(JudgementRow.fence, JudgementRow.attempts, JudgementRow.leased_until).where(
                JudgementRow.id == judgement_id
            )
        )
    ).one()
    return ClaimedJudgement(Lease(judgement_id, lease[0], lease[1], lease[2] or 0), *row[1:])


async def judgement_value(session: AsyncSession, judgement_id: int) -> JudgementValue:
    """Return what stands of a judgement.

    Raises:
        NotFoundError: There is none of that id.
    """
    row = await session.get(JudgementRow, judgement_id, populate_existing=True)
    if row is None:
        raise NotFoundError(f"judgement {judgement_id!r} does not exist; POST /v1/judgements/leases gives some")
    return JudgementValue(
        row.submission_id, row.item_key, row.repeat, WorkState(row.state), row.value, row.words, row.reason
    )


async def judgement_values(
    session: AsyncSession,
    *,
    profile_id: int,
    submissions: Sequence[int] | None = None,
    run_id: str | None = None,
) -> list[JudgementValue]:
    """Return the judgements of one profile on some submissions, or on a whole run."""
    columns = (
        JudgementRow.submission_id,
        JudgementRow.item_key,
        JudgementRow.repeat,
        JudgementRow.state,
        JudgementRow.value,
        JudgementRow.words,
        JudgementRow.reason,
    )
    if (submissions is None) == (run_id is None):
        raise InputError("judgements are asked for by submissions or by run; name one of the two")
    part = JudgementRow.run_id == run_id if submissions is None else among(JudgementRow.submission_id, set(submissions))
    rows = await session.execute(
        select(*columns).where(JudgementRow.profile_id == profile_id, part).order_by(JudgementRow.id)
    )
    return [JudgementValue(row[0], row[1], row[2], WorkState(row[3]), row[4], row[5], row[6]) for row in rows]


async def judgement_counts(session: AsyncSession, run_id: str, profile_id: int | None = None) -> dict[WorkState, int]:
    """Return how many judgements of a run stand in each state."""
    statement = (
        select(JudgementRow.state, func.count()).where(JudgementRow.run_id == run_id).group_by(JudgementRow.state)
    )
    if profile_id is not None:
        statement = statement.where(JudgementRow.profile_id == profile_id)
    found = {WorkState(state): count for state, count in (await session.execute(statement)).all()}
    return {state: found.get(state, 0) for state in WorkState}


async def judged_answer_counts(session: AsyncSession, run_id: str, profile_id: int) -> dict[WorkState, int]:
    """Return how many answers of a run stand in each state: that of the question which is least far."""
    places = {state.value: place for place, state in enumerate(_ANSWER_STATES)}
    worst = (
        select(func.min(case(places, value=JudgementRow.state, else_=len(places))).label("place"))
        .where(JudgementRow.run_id == run_id, JudgementRow.profile_id == profile_id)
        .group_by(JudgementRow.submission_id)
        .subquery()
    )
    found = (await session.execute(select(worst.c.place, func.count()).group_by(worst.c.place))).tuples().all()
    counts = dict.fromkeys(WorkState, 0)
    for place, count in found:
        counts[_ANSWER_STATES[place] if place < len(_ANSWER_STATES) else WorkState.DONE] += count
    return counts


async def reopen_judgements(session: AsyncSession, run_id: str, *, profile_id: int) -> int:
    """Put the unavailable judgements of a run back into the queue; verdicts stay.

    How often each was asked stays too: a call is known by it, and one that was made must not be taken for a new one.

    Returns:
        How many.
    """
    rows = await session.scalars(
        update(JudgementRow)
        .where(
            JudgementRow.run_id == run_id,
            JudgementRow.profile_id == profile_id,
            JudgementRow.state == WorkState.UNAVAILABLE.value,
        )
        .values(state=WorkState.PENDING.value, attempts=0, reason=None)
        .returning(JudgementRow.id)
        .execution_options(synchronize_session=False)
    )
    return len(rows.all())


async def verdict_log(session: AsyncSession, judgement_id: int) -> list[dict[str, Any]]:
    """Return every reply on record about a judgement, oldest first."""
    rows = await session.scalars(
        select(VerdictLogRow).where(VerdictLogRow.judgement_id == judgement_id).order_by(VerdictLogRow.id)
    )
    return [
        {
            "at": row.at,
            "worker": row.worker,
            "fence": row.fence,
            "kind": row.kind,
            "value": row.value,
            "reply": row.reply,
            "failure": row.failure,
        }
        for row in rows
    ]
