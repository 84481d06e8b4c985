"""A judge worker as ``lexhop work`` runs it, its laws apart: ``python -m … LEDGER_URL MODEL_URL PROFILE``.

Prints ``ready``, begins at the next line of its standard input, works until nothing is left, and prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

from sqlalchemy import make_url

from service.db import Database
from service.evaluation import Evaluator, JudgeWorker, LedgerRecords
from service.judging import JudgeProfile, ModelJudge
from service.loops import run_async
from service.models import ModelProfile, open_model
from tests.integration.evaluation.conftest import SampleLaws


async def main(url: str, model_url: str, profile: int) -> None:
    database = Database(make_url(url))
    model = ModelProfile.model_validate(
        {
            "name": "judge",
            "provider": "openai",
            "model": "fake",
            "endpoint": model_url,
            "concurrency": 16,
            "requests_per_second": 100_000,
            "start_requests_per_second": 100_000,
        }
    )
    client = open_model(model, database=database, shared_pace=True)
    judges = {profile: ModelJudge(JudgeProfile(name="judge", model="judge"), client)}
    evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
    worker = JudgeWorker(evaluator, judges, name=f"p{os.getpid()}", poll_seconds=0)
    await database.ping()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    begun, cpu = time.monotonic(), time.process_time()
    report = await worker.run(once=True)
    ended = time.monotonic()
    figures = {
        "verdicts": report.verdicts,
        "others": report.unavailable + report.returned + report.lost,
        "begun": begun,
        "ended": ended,
        "cpu": time.process_time() - cpu,
    }
    sys.stdout.write(json.dumps(figures) + "\n")
    await database.close()


if __name__ == "__main__":
    run_async(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
