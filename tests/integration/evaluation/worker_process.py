"""A judge worker as a process of its own, to be killed: `python -m … URL PROFILE SECONDS`."""

from __future__ import annotations

import asyncio
import os
import sys

from sqlalchemy import make_url

from service.db import Database
from service.evaluation import Evaluator, JudgeWorker, LedgerRecords
from service.judging import Question, Verdict
from tests.integration.evaluation.conftest import FixedJudge, SampleLaws


class SlowJudge(FixedJudge):
    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def judge(self, question: Question, *, subject: str) -> Verdict:
        # Replies come one after another, so that a kill finds some written, some under way and some not begun.
        await asyncio.sleep(self._seconds * (1 + len(self.asked) % 7))
        return await super().judge(question, subject=subject)


async def main(url: str, profile: int, seconds: float) -> None:
    database = Database(make_url(url))
    evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
    judges = {profile: SlowJudge(seconds)}
    worker = JudgeWorker(evaluator, judges, name=f"p{os.getpid()}", batch=20, lease_seconds=1.0, poll_seconds=0.05)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await worker.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
