"""Intake, judging, boards and single verdicts, each beside its reference, on SQLite and PostgreSQL.

``python -m tests.benchmarks.evaluation [sqlite] [postgresql] [intake] [judging] [boards] [one_verdict]`` prints JSON lines.
A thing and its reference are measured in turn, so that the machine's moods hit both; ``load`` is that of the last minute.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import text

from service.db import (
    Database,
    EndedJudgement,
    NewRun,
    NewScore,
    Run,
    RunItem,
    Scope,
    add_judgements,
    claim_judgements,
    claim_unread,
    close_run,
    create_key,
    create_run,
    finish_reading,
    publish_run,
    run_scores,
)
from service.evaluation import (
    BoardOptions,
    Evaluator,
    JudgeWorker,
    LedgerRecords,
    TableCache,
    leaderboard,
    read_line,
    submit,
)
from tests.benchmarks._evaluation_ledger import (
    ANSWER,
    BATCH,
    Busy,
    Ledgers,
    Processors,
    address,
    helper,
    ledgers,
    lines,
    make_run,
    middle,
    one_more,
    said,
    say,
)
from tests.integration.evaluation.conftest import FixedJudge, SampleLaws

_LONGEST = 400_000


async def send(database: Database, run: Run, sent: Sequence[bytes]) -> None:
    """Take in answers without HTTP."""
    for start in range(0, len(sent), BATCH):
        batch = [read_line(json.loads(line), longest=_LONGEST) for line in sent[start : start + BATCH]]
        receipts = await submit(database, run.id, batch)
        if not all(receipt.new for receipt in receipts):
            raise SystemExit(f"an answer was refused: {next(one.error for one in receipts if one.error)}")


async def intake(made: Ledgers, fabulas: int = 2000, rounds: int = 3) -> None:
    """NDJSON over HTTP to a service in a process of its own; the reference is the same texts by a plain insert."""
    database = await made.new("intake")
    async with database.write() as session:
        key, secret = await create_key(session, name="bench", scopes=[Scope.SUBMIT], actor="bench")
    first = await make_run(database, fabulas, "intake", owner=key.prefix)
    runs = [first, *[await one_more(database, "intake", owner=key.prefix) for _ in range(rounds)]]
    sent = lines(fabulas)
    file = made.folder / "answers.ndjson"
    file.write_bytes(b"\n".join(sent))
    async with database.engine.begin() as connection:
        await connection.execute(text("CREATE TABLE plain_rows (k TEXT, body TEXT)"))
    seconds: dict[str, list[float]] = {"http": [], "plain": []}
    busy: list[Busy] = []
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(
            helper("tests.benchmarks._evaluation_service", address(database), str(made.folder / "home"))
        )
        where = urlsplit(await said(service))
        sender = await stack.enter_async_context(
            helper("tests.benchmarks._evaluation_sender", str(where.hostname), str(where.port))
        )
        processes = {"service": [service.pid], "sender": [sender.pid], "database": [made.server] if made.server else []}
        for place, run in enumerate(runs):
            order = {"path": f"/v1/runs/{run.id}/submissions", "key": secret.get_secret_value(), "file": str(file)}
            assert sender.stdin is not None
            looked = Processors(processes)
            sender.stdin.write(json.dumps(order).encode() + b"\n")
            figures = json.loads(await said(sender))
            if figures["statuses"] != {"201": len(sent)}:
                raise SystemExit(f"of {len(sent)} answers came {figures['statuses']}")
            used, plain = looked.done(), await plain_insert(database, len(sent))
            if place:  # The first is the service's first: it imports what runs need.
                seconds["http"].append(figures["seconds"])
                seconds["plain"].append(plain)
                busy.append(used)
    whole, plain = middle(seconds["http"]), middle(seconds["plain"])
    say(
        what="intake over HTTP",
        ledger=made.kind,
        answers=len(sent),
        bytes_each=len(ANSWER.encode()),
        rounds=rounds,
        per_second=round(len(sent) / whole),
        best_per_second=round(len(sent) / min(seconds["http"])),
        plain_insert_per_second=round(len(sent) / plain),
        ratio=round(whole / plain, 2),
        **cores(busy),
    )


async def plain_insert(database: Database, rows: int) -> float:
    """Return the seconds in which the driver writes as many texts, a transaction a batch."""
    begun = time.perf_counter()
    for start in range(0, rows, BATCH):
        async with database.write() as session:
            values = [{"k": str(start + n), "body": ANSWER} for n in range(min(BATCH, rows - start))]
            await session.execute(text("INSERT INTO plain_rows VALUES (:k, :body)"), values)
    return time.perf_counter() - begun


def cores(busy: Sequence[Busy]) -> dict[str, Any]:
    """Return who used the processors, and how loaded the machine was."""
    names = [name for name in busy[0].own if any(one.own[name] for one in busy)]
    return {
        "cores_in_use": round(sum(one.machine for one in busy) / len(busy), 2),
        "of_these": {name: round(sum(one.own[name] for one in busy) / len(busy), 2) for name in names},
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


async def judging(made: Ledgers, fabulas: int = 300, rounds: int = 2) -> None:
    """A worker, and on PostgreSQL three, against a judge on loopback that answers at once; each process its own.

    The reference is what the judge's server bears alone, asked with the same bodies by a client that does nothing else.
    """
    async with helper("tests.fake_models", "--reply", '{"score": 1}') as judge:
        url = await said(judge)
        wanted = {1: fabulas, 3: 2 * fabulas} if made.server else {1: fabulas}
        found: dict[int, list[float]] = {count: [] for count in wanted}
        busy: dict[int, list[Busy]] = {count: [] for count in wanted}
        served, reading, verdicts = [], [], dict.fromkeys(wanted, 0)
        for turn in range(rounds):
            for count, size in wanted.items():
                database = await made.new(f"judging_{turn}_{count}")
                run = await make_run(database, size, "judging")
                await send(database, run, lines(size))
                evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
                begun = time.perf_counter()
                while await evaluator.read_some(worker="reader", limit=200):
                    pass
                reading.append(2 * size / (time.perf_counter() - begun))
                rate, used, verdicts[count] = await _workers(made, database, run, url, judge.pid, count)
                found[count].append(rate)
                busy[count].append(used)
            served.append(await _served(url))
    for count in wanted:
        say(
            what=f"judging, {count} worker{'s' if count > 1 else ''}",
            ledger=made.kind,
            items=verdicts[count],
            rounds=rounds,
            per_second=round(middle(found[count])),
            best_per_second=round(max(found[count])),
            times_one_worker=round(middle([many / one for many, one in zip(found[count], found[1], strict=True)]), 2),
            judge_alone_per_second=round(middle(served)),
            answers_read_per_second=round(middle(reading)),
            **cores(busy[count]),
        )


async def _workers(
    made: Ledgers, database: Database, run: Run, url: str, judge: int, count: int
) -> tuple[float, Busy, int]:
    """Return verdicts a second of so many workers together, what they used, and how many verdicts there were."""
    async with AsyncExitStack() as stack:
        arguments = (address(database), url, str(run.profile_id))
        workers = [
            await stack.enter_async_context(helper("tests.benchmarks._evaluation_worker", *arguments))
            for _ in range(count)
        ]
        for worker in workers:
            await said(worker)
        looked = Processors(
            {
                "workers": [worker.pid for worker in workers],
                "judge": [judge],
                "database": [made.server] if made.server else [],
            }
        )
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write(b"go\n")
        reports = [json.loads(await said(worker)) for worker in workers]
        used = looked.done()
    verdicts = sum(report["verdicts"] for report in reports)
    if verdicts != 3 * run.items or any(report["others"] for report in reports):
        raise SystemExit(f"{3 * run.items} verdicts were due, the workers report {reports}")
    seconds = max(report["ended"] for report in reports) - min(report["begun"] for report in reports)
    return verdicts / seconds, used, verdicts


async def _served(url: str, requests: int = 3000, connections: int = 16) -> float:
    """Return requests a second that the judge's server bears, of the size that judges get."""
    where = urlsplit(url)
    body = json.dumps(
        {"model": "fake", "temperature": 0, "messages": [{"role": "user", "content": ANSWER + ANSWER}]}
    ).encode()
    head = f"POST {where.path}/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    left = iter(range(requests))

    async def ask() -> None:
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        for _ in left:
            writer.write(head + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            place = answer.index(b"content-length: ") + 16
            await reader.readexactly(int(answer[place : answer.index(b"\r", place)]))
        writer.close()

    begun = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(connections)))
    return requests / (time.perf_counter() - begun)


async def boards(made: Ledgers, rounds: int = 9) -> None:
    """Twelve runs of 600 rows with intervals, nothing kept; the reference is the plain select of their rows."""
    database = await made.new("boards")
    runs = [
        await make_run(database, 300, "board", participant="p0"),
        *[await one_more(database, "board", participant=f"p{n}") for n in range(1, 12)],
    ]
    evaluator = Evaluator(database, LedgerRecords(database), SampleLaws())
    sent = lines(300)
    for run in runs:
        await send(database, run, sent)
        worker = JudgeWorker(evaluator, {run.profile_id or 0: FixedJudge()}, name=run.id, batch=500, poll_seconds=0)
        await worker.run(once=True)
        async with database.write() as session:
            await close_run(session, run.id)
            await publish_run(session, run.id, actor="bench")
    options = BoardOptions(unranked=True)

    async def select_rows() -> None:
        async with database.read() as session:
            for run in runs:
                await run_scores(session, run.id)

    kept = TableCache()
    ways: dict[str, Callable[[], Awaitable[Any]]] = {
        "cold": lambda: leaderboard(database, TableCache(), "mhgb", options),
        "kept": lambda: leaderboard(database, kept, "mhgb", options),
        "select": select_rows,
    }
    first_select, first = await timed(ways["select"]), await timed(ways["cold"])
    await timed(ways["kept"])
    times: dict[str, list[float]] = {name: [] for name in ways}
    used: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            begun = time.process_time()
            times[name].append(await timed(way))
            used[name].append(time.process_time() - begun)
    ratios = [cold / select for cold, select in zip(times["cold"], times["select"], strict=True)]
    say(
        what="board of 12 x 600",
        ledger=made.kind,
        rounds=rounds,
        first_select_ms=round(first_select * 1000),
        first_ms=round(first * 1000),
        cold_ms=round(middle(times["cold"]) * 1000),
        kept_ms=round(middle(times["kept"]) * 1000, 1),
        select_ms=round(middle(times["select"]) * 1000),
        ratio_first=round(first / first_select, 2),
        ratio_cold=round(middle(ratios), 2),
        ratio_cold_worst=round(max(ratios), 2),
        ratio_of_processor_time=round(middle(used["cold"]) / middle(used["select"]), 2),
        ratio_kept=round(middle(times["kept"]) / middle(times["select"]), 3),
        load=round(os.getloadavg()[0], 1),
    )


async def timed(call: Callable[[], Awaitable[Any]]) -> float:
    """Return the seconds of a call."""
    begun = time.perf_counter()
    await call()
    return time.perf_counter() - begun


class _Invented:
    """Tasks of runs that have no task set: a verdict's cost does not depend on it."""

    async def records(self, task_set: str, task_ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        raise SystemExit(f"nothing here asks for the tasks of {task_set!r}")


async def one_verdict(made: Ledgers, sizes: Sequence[int] = (1_000, 100_000), rounds: int = 60) -> None:
    """Claim one question and write its verdict, on a run of 1,000 and of 100,000 answers, all of which wait.

    Each run has a ledger of its own; the reference of the large one is the small one, in turn.
    """
    ready = {size: await _waiting(made, size) for size in sizes}
    times: dict[int, list[tuple[float, float]]] = {size: [] for size in sizes}
    for _ in range(rounds):
        for size, (database, run) in ready.items():
            evaluator = Evaluator(database, _Invented(), SampleLaws())
            begun = time.perf_counter()
            async with database.write() as session:
                (one,) = await claim_judgements(
                    session, worker="w", limit=1, seconds=60, profiles=[run.profile_id or 0]
                )
            claimed = time.perf_counter()
            lost = await evaluator.end(
                {one.lease.id: one},
                [EndedJudgement(one.lease, "verdict", 1.0, None, "{}", None, final=True)],
                worker="w",
            )
            if lost:
                raise SystemExit(f"the lease of judgement {one.lease.id} was lost")
            times[size].append((claimed - begun, time.perf_counter() - claimed))
    figures: dict[str, Any] = {}
    for name, part in (("claim", lambda one: one[0]), ("end", lambda one: one[1]), ("verdict", sum)):
        small, large = ([part(one) for one in times[size]] for size in sizes)
        figures[f"{name}_ms"] = [round(middle(small) * 1000, 2), round(middle(large) * 1000, 2)]
        figures[f"{name}_ratio"] = round(middle(large) / middle(small), 2)
    say(
        what="one verdict",
        ledger=made.kind,
        runs=list(sizes),
        rounds=rounds,
        **figures,
        load=round(os.getloadavg()[0], 1),
    )


async def _waiting(made: Ledgers, answers: int) -> tuple[Database, Run]:
    """Return a ledger with a run, each of whose answers is read and waits for two verdicts."""
    database = await made.new(f"verdicts_{answers}")
    like = await make_run(database, 1, "like")
    tasks = [(f"f{n // 2:06d}", ("closed", "open")[n % 2]) for n in range(answers)]
    items = [RunItem(f"{name}_{mode}", name, mode, "issue_spotting", "shallow", "civil", "ГК") for name, mode in tasks]
    async with database.write() as session:
        run = await create_run(session, _like(like, items))
    for start in range(0, answers, BATCH):
        part = range(start, min(start + BATCH, answers))
        sent = [
            {"task_id": items[n].task_id, "attempt_key": f"k{n}", "text": "ВЫВОД: Да. ГК_15, ГК_1064"} for n in part
        ]
        receipts = await submit(database, run.id, [read_line(one, longest=_LONGEST) for one in sent])
        if any(receipt.error for receipt in receipts):
            raise SystemExit("an answer was refused")
        async with database.write() as session:
            claimed = await claim_unread(session, worker="r", limit=BATCH, seconds=600)
            scores = [
                NewScore(
                    submission_id=one.lease.id,
                    fence=one.lease.fence,
                    run_id=run.id,
                    item_id=one.item_id,
                    zero=None,
                    keys=("step:1", "answer"),
                    known={"nc": 1.0},
                    reading={},
                    details={},
                    components={"nc": 1.0, "sc": None, "ac": None},
                    final=None,
                    reason="2 questions to the judge wait",
                    error=None,
                )
                for one in claimed
            ]
            await finish_reading(session, scores)
            await add_judgements(
                session,
                [
                    (run.id, one.lease.id, key, run.profile_id or 0, 1)
                    for one in claimed
                    for key in ("step:1", "answer")
                ],
            )
    return database, run


def _like(run: Run, items: Sequence[RunItem]) -> NewRun:
    names = NewRun.__dataclass_fields__.keys() - {"items"}
    return replace(NewRun(**{name: getattr(run, name) for name in names}), items=items)


PARTS = {"intake": intake, "judging": judging, "boards": boards, "one_verdict": one_verdict}


async def main(words: Sequence[str]) -> None:
    kinds = [word for word in words if word not in PARTS] or ["sqlite", "postgresql"]
    for kind in kinds:
        for part in [PARTS[word] for word in words if word in PARTS] or PARTS.values():
            async with ledgers(kind) as made:
                begun = time.perf_counter()
                await part(made)
                sys.stderr.write(f"{part.__name__} on {kind}: {time.perf_counter() - begun:.0f} s\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
