"""Reads answers, keeps the ledger of judgements, and writes a submission's scores anew with each verdict on it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from service.benchmarks import AnswerPlan, Law, evaluation_of
from service.db import (
    ClaimedJudgement,
    EndedJudgement,
    JudgementValue,
    NewScore,
    Run,
    StoredScore,
    UnreadSubmission,
    WorkState,
    add_judgements,
    claim_unread,
    end_judgements,
    finish_reading,
    judge_profile,
    judgement_values,
    read_run,
    stored_scores,
    touch_run,
    write_scores,
)
from service.domain import Outcome
from service.judging import REFUSAL, Aggregation, JudgeProfile, Question, aggregate, refusal_question, worded
from service.models import without_thinking

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from service.db import Database
    from service.evaluation._sources import Laws, Records

__all__ = ["Evaluator"]

_READ_SECONDS = 120.0


class Evaluator:
    """What workers and routes share; it keeps profiles and what runs are made of, which never change."""

    def __init__(self, database: Database, records: Records, laws: Laws) -> None:
        self.database = database
        self._records = records
        self.laws = laws
        self._profiles: dict[int, JudgeProfile] = {}
        self._runs: dict[str, Run] = {}

    async def profile(self, session: AsyncSession, profile_id: int) -> JudgeProfile:
        """Return a judge profile."""
        if profile_id not in self._profiles:
            stored = await judge_profile(session, profile_id)
            self._profiles[profile_id] = JudgeProfile.model_validate(stored.body)
        return self._profiles[profile_id]

    async def _run(self, session: AsyncSession, run_id: str) -> Run:
        """Return a run as it was made: its state may be another by now."""
        if run_id not in self._runs:
            self._runs[run_id] = await read_run(session, run_id)
        return self._runs[run_id]

    async def read_some(self, *, worker: str, limit: int = 64, run_id: str | None = None) -> int:
        """Read answers that wait for it: their coverage is scored, their judgements go into the ledger.

        Returns:
            How many were read.
        """
        async with self.database.write() as session:
            claimed = await claim_unread(session, worker=worker, limit=limit, seconds=_READ_SECONDS, run_id=run_id)
            runs = {one: await self._run(session, one) for one in {unread.run_id for unread in claimed}}
        if not claimed:
            return 0
        plans = await self._plans(claimed, runs)
        async with self.database.write() as session:
            scores = [self._first_score(unread, runs[unread.run_id], plans[unread.lease.id]) for unread in claimed]
            written = await finish_reading(session, scores)
            rows = []
            for unread in claimed:
                run = runs[unread.run_id]
                if unread.lease.id not in written or run.profile_id is None:
                    continue
                profile = await self.profile(session, run.profile_id)
                rows += [
                    (run.id, unread.lease.id, key, run.profile_id, repeat)
                    for key in plans[unread.lease.id].keys
                    for repeat in range(1, profile.repeats + 1)
                ]
            await add_judgements(session, rows)
            for run_id_ in sorted({unread.run_id for unread in claimed if unread.lease.id in written}):
                await touch_run(session, run_id_)
        return len(written)

    async def _plans(self, claimed: Sequence[UnreadSubmission], runs: Mapping[str, Run]) -> dict[int, AnswerPlan]:
        plans: dict[int, AnswerPlan] = {}
        by_run: dict[str, list[UnreadSubmission]] = defaultdict(list)
        for unread in claimed:
            by_run[unread.run_id].append(unread)
        for run_id, unread_of_run in by_run.items():
            run = runs[run_id]
            records = await self._records.records(run.task_set, [unread.task_id for unread in unread_of_run])
            law = await self.laws.law(run.corpus, run.version)
            plans.update(await asyncio.to_thread(_read_all, run.benchmark, unread_of_run, records, law))
        return plans

    @staticmethod
    def _first_score(unread: UnreadSubmission, run: Run, plan: AnswerPlan) -> NewScore:
        evaluation = evaluation_of(run.benchmark)
        scored = evaluation.score(plan.components, dict.fromkeys(plan.keys))
        waiting = f"{len(plan.keys)} questions to the judge wait" if plan.keys else None
        error = None if scored.final is None else evaluation.error(scored.components, plan.details, scored.final)
        return NewScore(
            submission_id=unread.lease.id,
            fence=unread.lease.fence,
            run_id=run.id,
            item_id=unread.item_id,
            zero=plan.zero,
            keys=plan.keys,
            known=plan.components,
            reading=plan.reading,
            details=plan.details,
            components=scored.components,
            final=scored.final,
            reason=waiting or scored.reason,
            error=error,
        )

    async def questions(self, claimed: Sequence[ClaimedJudgement]) -> dict[int, Question]:
        """Return what the judge is asked for each lease, by judgement id."""
        async with self.database.read() as session:
            for run_id in {one.run_id for one in claimed}:
                await self._run(session, run_id)
            profiles = {one: await self.profile(session, one) for one in {one.profile_id for one in claimed}}
        tasks: dict[str, set[str]] = defaultdict(set)
        for one in claimed:
            tasks[self._runs[one.run_id].task_set].add(one.task_id)
        records = {key: await self._records.records(key, sorted(ids)) for key, ids in tasks.items()}
        questions = {}
        for one in claimed:
            run = self._runs[one.run_id]
            record = records[run.task_set][one.task_id]
            if one.item_key == REFUSAL:
                answer, _, _ = without_thinking(one.text)
                questions[one.lease.id] = refusal_question(str(record["question"]), answer)
            else:
                question = evaluation_of(run.benchmark).question(record, one.text, one.item_key)
                questions[one.lease.id] = worded(question, profiles[one.profile_id].wording)
        return questions

    async def end(
        self, claimed: Mapping[int, ClaimedJudgement], ended: Sequence[EndedJudgement], *, worker: str
    ) -> set[int]:
        """Write what came of some leases and the scores that depend on it, as one transaction.

        Returns:
            The ids whose lease was lost: somebody else's verdict counts there.
        """
        async with self.database.write() as session:
            lost = await end_judgements(session, ended, worker=worker)
            touched = {claimed[one.lease.id].submission_id for one in ended if one.final and one.lease.id not in lost}
            await self.rescore(session, sorted(touched))
        return lost

    async def rescore(self, session: AsyncSession, submissions: Sequence[int]) -> None:
        """Compute scores anew from the verdicts of each run's own profile."""
        stored = await stored_scores(session, submissions, lock=True)
        by_run: dict[str, list[StoredScore]] = defaultdict(list)
        for score in stored:
            by_run[score.run_id].append(score)
        for run_id, scores in sorted(by_run.items()):
            run = await self._run(session, run_id)
            if run.profile_id is None:
                continue
            profile = await self.profile(session, run.profile_id)
            values = await judgement_values(
                session, profile_id=run.profile_id, submissions=[score.submission_id for score in scores]
            )
            verdicts = verdicts_of(values, profile)
            written = [_rescored(run.benchmark, score, verdicts.get(score.submission_id, {})) for score in scores]
            await write_scores(session, written)
            await touch_run(session, run_id)


def _read_all(
    benchmark: str, claimed: Sequence[UnreadSubmission], records: Mapping[str, Mapping[str, Any]], law: Law
) -> dict[int, AnswerPlan]:
    evaluation = evaluation_of(benchmark)
    return {
        unread.lease.id: evaluation.plan(records[unread.task_id], Outcome(unread.outcome), unread.text, law)
        for unread in claimed
    }


def verdicts_of(
    values: Sequence[JudgementValue], profile: JudgeProfile
) -> dict[int, dict[str, tuple[float | None, bool]]]:
    """Return (value, whether it is final) by submission and key; a value comes only when every repeat has ended."""
    grouped: dict[tuple[int, str], list[JudgementValue]] = defaultdict(list)
    for value in values:
        grouped[value.submission_id, value.item_key].append(value)
    found: dict[int, dict[str, tuple[float | None, bool]]] = defaultdict(dict)
    for (submission, key), repeats in grouped.items():
        ended = all(one.state not in (WorkState.PENDING, WorkState.LEASED) for one in repeats)
        joined = aggregate(
            [one.value for one in repeats], Aggregation(profile.aggregation), min_valid=profile.min_valid
        )
        found[submission][key] = (joined.value if ended else None, ended)
    return found


def _rescored(
    benchmark: str, score: StoredScore, verdicts: Mapping[str, tuple[float | None, bool]]
) -> tuple[int, Mapping[str, float | None], float | None, str | None, str | None]:
    evaluation = evaluation_of(benchmark)
    values = {key: verdicts.get(key, (None, False)) for key in score.keys}
    scored = evaluation.score(score.known, {key: value for key, (value, _) in values.items()})
    waiting = sum(not ended for _, ended in values.values())
    reason = f"{waiting} of {len(values)} questions to the judge wait" if waiting else scored.reason
    error = None if scored.final is None else evaluation.error(scored.components, score.details, scored.final)
    return score.submission_id, scored.components, scored.final, reason, error
