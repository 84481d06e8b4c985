"""A judge worker as a process of its own, to be killed: `python -m … URL PROFILE SECONDS [SKEW [LEASE]]`."""

from __future__ import annotations

import asyncio
import datetime
import os
import sys
import time
from typing import Any


def skew_clocks(seconds: int) -> None:
    """Set everything that Python tells of the time of day, before anything of ours is loaded that might keep it."""
    true_time, true_ns, true_moment = time.time, time.time_ns, datetime.datetime

    class Skewed(true_moment):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return true_moment.now(tz) + datetime.timedelta(seconds=seconds)

        @classmethod
        def utcnow(cls) -> Any:
            return true_moment.now(datetime.UTC).replace(tzinfo=None) + datetime.timedelta(seconds=seconds)

    time.time = lambda: true_time() + seconds
    time.time_ns = lambda: true_ns() + seconds * 10**9
    datetime.datetime = Skewed  # type: ignore[misc]


if len(sys.argv) > 4:
    skew_clocks(int(sys.argv[4]))

from sqlalchemy import make_url  # noqa: E402

from service.db import Database  # noqa: E402
from service.evaluation import Evaluator, JudgeWorker, LedgerRecords  # noqa: E402
from service.judging import Question, Verdict  # noqa: E402
from tests.integration.evaluation.conftest import FixedJudge, SampleLaws  # noqa: E402


class SlowJudge(FixedJudge):
    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def judge(self, question: Question, *, subject: str) -> Verdict:
        # Replies come one after another, so that a kill finds some written, some under way and some not begun.
        await asyncio.sleep(self._seconds * (1 + len(self.asked) % 7))
        return await super().judge(question, subject=subject)


async def main(url: str, profile: int, seconds: float, lease: float) -> None:
    database = Database(make_url(url))
    evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
    judges = {profile: SlowJudge(seconds)}
    worker = JudgeWorker(evaluator, judges, name=f"p{os.getpid()}", batch=20, lease_seconds=lease, poll_seconds=0.05)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await worker.run()


if __name__ == "__main__":
    asyncio.run(
        main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[5]) if len(sys.argv) > 5 else 1.0)
    )
