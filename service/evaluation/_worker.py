"""A judge worker: any number of them share one ledger."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import structlog

from service.db import (
    ClaimedJudgement,
    EndedJudgement,
    claim_judgements,
    give_back_judgements,
    heartbeat_judgements,
)
from service.errors import LexhopError, UnavailableError
from service.judging import Judge, Verdict, VerdictStatus

if TYPE_CHECKING:
    from service.evaluation._evaluator import Evaluator
    from service.judging import Question

__all__ = ["MOST_ASKED", "JudgeWorker", "WorkerReport", "ended_by"]

_log = structlog.get_logger("lexhop.work")

MOST_ASKED = 3
"""How often a judge is asked one question before it is unavailable, and again after each reopening; each time it may be
asked again at once."""

_GATHER_SECONDS = 0.1
# Answers are read when questions run short; while they do not, unread answers wait no longer than this.
_READ_SECONDS = 1.0
_LONGEST_PAUSE = 30.0


@dataclass(slots=True)
class WorkerReport:
    """What a worker has done.

    Attributes:
        read: Answers read.
        verdicts: Verdicts written.
        unavailable: Questions that ended without a verdict.
        returned: Questions put back to be asked again.
        lost: Replies that came after the lease had gone to another worker.
    """

    read: int = 0
    verdicts: int = 0
    unavailable: int = 0
    returned: int = 0
    lost: int = 0


def ended_by(claimed: ClaimedJudgement, verdict: Verdict) -> EndedJudgement:
    """Return what a verdict, or a reply that is none, does to the question."""
    if verdict.status is VerdictStatus.READ:
        return EndedJudgement(claimed.lease, "verdict", verdict.value, verdict.reason, verdict.reply, None, final=True)
    counts = not verdict.passing
    final = counts and (claimed.asked + 1) % MOST_ASKED == 0
    return EndedJudgement(
        claimed.lease, verdict.status.value, None, None, verdict.reply, verdict.failure, final=final, counts=counts
    )


async def _judged(judge: Judge, question: Question, subject: str) -> Verdict:
    try:
        return await judge.judge(question, subject=subject)
    except LexhopError as error:
        # The ledger or the set-up failed, not the judge: the question is asked again.
        return Verdict(VerdictStatus.NO_REPLY, None, failure=str(error), passing=True)


class JudgeWorker:
    """Claims, asks, writes, until it is told to stop.

    Args:
        evaluator: The ledger and what belongs to it.
        judges: Who answers for which profile; questions to other profiles are left to other workers.
        name: Unique among workers.
        batch: Questions held at a time.
        lease_seconds: How long a question stays with a worker that says nothing; heartbeats come three times as often.
        grace_seconds: How long a stopping worker waits for what is under way, before it returns the rest.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        judges: Mapping[int, Judge],
        *,
        name: str,
        batch: int = 64,
        lease_seconds: float = 60.0,
        poll_seconds: float = 1.0,
        grace_seconds: float = 20.0,
    ) -> None:
        self._evaluator = evaluator
        self._judges = dict(judges)
        self.name = name
        self._batch = batch
        self._lease_seconds = lease_seconds
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._stopping = asyncio.Event()
        self._held: dict[int, ClaimedJudgement] = {}
        self._asking: dict[asyncio.Task[Verdict], int] = {}
        self._beaten = monotonic()
        self._read_at = 0.0
        self._short = True
        self._pause_until = 0.0
        self._passing = 0
        self.report = WorkerReport()

    def stop(self) -> None:
        """Claim nothing more, finish or return what is held, and end."""
        self._stopping.set()

    async def run(self, *, once: bool = False) -> WorkerReport:
        """Work until stopped; with ``once`` until nothing is left for this worker."""
        try:
            while not self._stopping.is_set():
                try:
                    busy = await self._turn()
                except UnavailableError as error:
                    # The ledger restarts, or the graph: leases end by themselves meanwhile, nothing is lost.
                    _log.warning("work_paused", worker=self.name, reason=str(error))
                    await self._sleep(min(float(error.retry_after), _LONGEST_PAUSE))
                    continue
                if not busy and once:
                    break
                if not busy:
                    await self._sleep(self._poll_seconds)
        finally:
            await self._end()
        return self.report

    async def _turn(self) -> bool:
        """Do one round; False when there was nothing to do."""
        read = 0
        looked = (self._has_room and self._short) or monotonic() - self._read_at > _READ_SECONDS
        if looked:
            read = await self._evaluator.read_some(worker=self.name, limit=self._batch)
            self._read_at = monotonic()
            self.report.read += read
        await self._refill()
        if self._asking:
            await self._gather()
            return True
        if self._paused:
            await self._sleep(min(0.2, self._pause_until - monotonic()))
            return True
        # Who did not look for answers has not seen yet that there is nothing to do.
        return read > 0 or not looked

    @property
    def _has_room(self) -> bool:
        """Whether enough is done for it to be worth claiming more."""
        return len(self._asking) <= self._batch // 2

    @property
    def _paused(self) -> bool:
        return monotonic() < self._pause_until

    async def _sleep(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _refill(self) -> None:
        if self._paused or not self._judges or not self._has_room:
            return
        wanted = self._batch - len(self._asking)
        async with self._evaluator.database.write() as session:
            claimed = await claim_judgements(
                session,
                worker=self.name,
                limit=wanted,
                seconds=self._lease_seconds,
                profiles=list(self._judges),
            )
        self._short = len(claimed) < wanted
        if not claimed:
            return
        self._held.update({one.lease.id: one for one in claimed})
        questions = await self._evaluator.questions(claimed)
        for one in claimed:
            # The subject is the same after a crash, so that a reply that was paid for is not paid for again; it
            # changes when the judge has answered without a verdict.
            subject = f"{one.lease.id}:{one.asked}"
            judging = _judged(self._judges[one.profile_id], questions[one.lease.id], subject)
            task = asyncio.create_task(judging)
            self._asking[task] = one.lease.id

    async def _gather(self) -> None:
        patience = max(0.5, self._lease_seconds / 3)
        done, _ = await asyncio.wait(self._asking, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if done and len(done) < len(self._asking):
            # Replies that arrive together are written together.
            await asyncio.wait(self._asking, timeout=_GATHER_SECONDS)
        await self._write([task for task in self._asking if task.done()])
        if monotonic() - self._beaten > self._lease_seconds / 3:
            await self._beat()

    async def _write(self, finished: list[asyncio.Task[Verdict]]) -> None:
        if not finished:
            return
        ended = []
        for task in finished:
            claimed = self._held[self._asking[task]]
            ended.append(ended_by(claimed, task.result()))
        lost = await self._evaluator.end(self._held, ended, worker=self.name)
        for task in finished:
            self._held.pop(self._asking.pop(task))
        self._count(ended, lost)

    def _count(self, ended: list[EndedJudgement], lost: set[int]) -> None:
        report = self.report
        for one in ended:
            if one.lease.id in lost:
                report.lost += 1
            elif not one.final:
                report.returned += 1
            elif one.value is None:
                report.unavailable += 1
            else:
                report.verdicts += 1
        if all(not one.final and not one.counts for one in ended):
            # The judge's server is down, for it answered nothing at all: full jitter, twice as long each time. One that
            # answers now and then is paced by the limiter.
            self._passing += 1
            self._pause_until = monotonic() + random.uniform(0, min(_LONGEST_PAUSE, 0.25 * 2**self._passing))
        else:
            self._passing = 0

    async def _beat(self) -> None:
        leases = [one.lease for one in self._held.values()]
        async with self._evaluator.database.write() as session:
            held = await heartbeat_judgements(session, leases, seconds=self._lease_seconds)
        self._beaten = monotonic()
        for task, judgement in list(self._asking.items()):
            if judgement not in held:
                # Another worker has it by now; whatever this one would say comes too late.
                task.cancel()
                del self._asking[task]
                self._held.pop(judgement)
                self.report.lost += 1

    async def _end(self) -> None:
        """Finish what is under way within the grace, return the rest."""
        until = monotonic() + self._grace_seconds
        try:
            while self._asking and monotonic() < until:
                await asyncio.wait(self._asking, timeout=max(0.01, until - monotonic()))
                await self._write([task for task in self._asking if task.done()])
        except (LexhopError, asyncio.CancelledError) as error:
            _log.warning("work_cut_short", worker=self.name, reason=str(error))
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        left = [one.lease for one in self._held.values()]
        self._asking.clear()
        self._held.clear()
        if left:
            with contextlib.suppress(LexhopError):
                async with self._evaluator.database.write() as session:
                    await give_back_judgements(session, left)
        for judge in self._judges.values():
            await judge.close()
