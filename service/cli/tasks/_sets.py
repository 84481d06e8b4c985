"""Task sets on the command line: list, import, check, freeze, subset, export, drop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from service.cli.output import JsonFlag, console, notes, print_json, table
from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from service.db import Database
    from service.graph.store import GraphStore
    from service.tasks import TaskSet

__all__ = ["KeyArgument", "ledger_and_graph", "register", "set_record"]

_T = TypeVar("_T")

KeyArgument = Annotated[str, typer.Argument(help="Key of the task set, or key@version.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("list")(list_sets)
    app.command("load-sample")(load_sample)
    app.command("import")(import_set)
    app.command()(check)
    app.command()(freeze)
    app.command()(subset)
    app.command("export")(export_set)
    app.command()(datasheet)
    app.command()(drop)


@asynccontextmanager
async def ledger_and_graph(settings: Settings) -> AsyncIterator[tuple[Database, GraphStore]]:
    """Open both for a block."""
    from service.db import open_ledger
    from service.graph.opening import open_graph

    async with open_ledger(settings) as ledger, open_graph(settings) as store:
        yield ledger, store


def _in_ledger(work: Callable[[Any], Awaitable[_T]]) -> _T:
    """Run something in one transaction of the ledger."""
    from service.db import open_ledger

    async def run() -> _T:
        async with open_ledger(Settings()) as ledger, ledger.write() as session:
            return await work(session)

    return asyncio.run(run())


def set_record(task_set: TaskSet) -> dict[str, Any]:
    """Return a task set as a record."""
    from dataclasses import asdict

    return {name: value for name, value in asdict(task_set).items() if name != "id"} | {"name": task_set.name}


def list_sets(as_json: JsonFlag = False) -> None:
    """List every version of every task set.

    Example: lexhop tasks list --json
    """
    from service.db import cell_counts
    from service.tasks import list_task_sets

    async def work(session: Any) -> tuple[list[TaskSet], Counter[int], Counter[int]]:
        found = await list_task_sets(session)
        fabulas: Counter[int] = Counter()
        public: Counter[int] = Counter()
        for set_id, _, _, is_public, count in await cell_counts(session, [one.id for one in found]):
            fabulas[set_id] += count
            public[set_id] += count if is_public else 0
        return found, fabulas, public

    found, fabulas, public = _in_ledger(work)
    if as_json:
        records = [set_record(one) | {"fabulas": fabulas[one.id], "public": public[one.id]} for one in found]
        print_json({"task_sets": records})
        return
    if not found:
        notes().print("no task set yet; `lexhop tasks load-sample` brings the sample's, `lexhop tasks draft` makes one")
        return
    rows = table("task set", "", "corpus", "fabulas", "public", "licence", "title", whole=3)
    for one in found:
        state = "frozen" if one.frozen else "draft"
        rows.add_row(one.name, state, one.corpus_uid, str(fabulas[one.id]), str(public[one.id]), one.licence, one.title)
    console().print(rows)


def load_sample(as_json: JsonFlag = False) -> None:
    """Make the sample set over the sample corpus, which `lexhop corpus load sample` loads (`lexhop demo` does both).

    Example: lexhop tasks load-sample
    """
    from service.errors import NotFoundError
    from service.graph.catalog import read_catalog
    from service.tasks import load_sample_set

    async def run() -> TaskSet:
        async with ledger_and_graph(Settings()) as (ledger, store):
            try:
                version = (await read_catalog(store)).find("sample")
            except NotFoundError:
                raise NotFoundError(
                    "the corpus 'sample' of these tasks is not loaded; load it: lexhop corpus load sample"
                ) from None
            return await load_sample_set(ledger, store, version)

    _tell(asyncio.run(run()), "is there", as_json)


def import_set(
    file: Annotated[Path, typer.Argument(help="Records in the released form: JSON lines or one list.")],
    key: Annotated[str, typer.Option(help="Key of the task set.")],
    corpus: Annotated[str, typer.Option(help="The corpus's key.")],
    benchmark: Annotated[str, typer.Option(help="Key of the benchmark whose prompts and scores apply.")],
    licence: Annotated[str, typer.Option(help="Under which the tasks may be used.")],
    source: Annotated[str, typer.Option(help="Where they come from.")],
    version: Annotated[str | None, typer.Option("--version", help="Version of the corpus.")] = None,
    title: Annotated[str | None, typer.Option(help="By default the key.")] = None,
    language: Annotated[str, typer.Option(help="Of the tasks.")] = "ru",
    as_json: JsonFlag = False,
) -> None:
    """Read records into a draft; check it, then freeze it.

    Example: lexhop tasks import tasks.jsonl --key mine --corpus ru --benchmark mhgb --licence CC-BY-4.0 --source us
    """
    from service.graph.catalog import read_catalog
    from service.tasks import TaskSetInfo, create_task_set, read_records

    read = read_records(file)

    async def run() -> TaskSet:
        async with ledger_and_graph(Settings()) as (ledger, store):
            found = (await read_catalog(store)).find(corpus, version)
            info = TaskSetInfo(
                key=key,
                title=title or key,
                benchmark=benchmark,
                language=language,
                corpus=found.key,
                corpus_version=found.version,
                licence=licence,
                source=source,
                notice=found.notice,
                canary=read.canary,
            )
            async with ledger.write() as session:
                return await create_task_set(session, info, read.fabulas)

    _tell(asyncio.run(run()), f"is a draft of {len(read.fabulas)} fabulas", as_json)


def check(key: KeyArgument, as_json: JsonFlag = False) -> None:
    """Hold every fabula of a set against the graph and against itself; no model is asked.

    The exit status is 1 when there is a fault. Example: lexhop tasks check sample
    """
    from service.domain import Language, Mode
    from service.tasks import check_tasks, get_task_set, list_tasks

    async def run() -> Any:
        async with ledger_and_graph(Settings()) as (ledger, store):
            async with ledger.read() as session:
                found = await get_task_set(session, key)
                tasks = await list_tasks(session, found, mode=Mode.CLOSED)
            return found, await check_tasks(store, found.corpus_uid, tasks, Language(found.language))

    found, reports = asyncio.run(run())
    faulty = [one for one in reports if one.faults]
    if as_json:
        items = [
            {
                "fabula_id": one.fabula_id,
                "faults": one.faults,
                "remarks": one.remarks,
                "overlap": one.overlap._asdict() if one.overlap else None,
            }
            for one in reports
        ]
        print_json({"task_set": found.name, "fabulas": len(reports), "faulty": len(faulty), "reports": items})
    else:
        for one in faulty:
            for fault in one.faults:
                console().print(f"{one.fabula_id}: {fault}", markup=False)
        console().print(f"{found.name}: {len(reports)} fabulas, {len(faulty)} with faults")
    if faulty:
        raise typer.Exit(1)


def freeze(
    key: KeyArgument,
    without_rejected: Annotated[bool, typer.Option("--without-rejected", help="Leave rejected fabulas out.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Freeze a draft: its tasks get a digest and its corpus version is kept for good.

    Example: lexhop tasks freeze mine@1
    """
    from service.tasks import freeze as freeze_set
    from service.tasks import get_task_set

    async def run() -> TaskSet:
        async with ledger_and_graph(Settings()) as (ledger, store), ledger.write() as session:
            found = await get_task_set(session, key)
            return await freeze_set(session, store, found, without_rejected=without_rejected)

    _tell(asyncio.run(run()), "is frozen", as_json)


def subset(
    key: KeyArgument,
    per_cell: Annotated[int, typer.Option(help="Fabulas of each cell.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 42,
    publish: Annotated[bool, typer.Option("--publish", help="Make exactly these the public part of the set.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Draw the public subset: the same number of fabulas of every cell, both modes of each.

    Example: lexhop tasks subset mine --per-cell 5 --seed 42
    """
    from service.tasks import TaskKey, get_task_set, list_tasks, public_subset
    from service.tasks import publish as publish_fabulas

    async def work(session: Any) -> list[TaskKey]:
        found = await get_task_set(session, key)
        tasks = await list_tasks(session, found)
        drawn = public_subset(
            (TaskKey(task.fabula_id, task.mode, task.task_type, task.depth) for task in tasks), per_cell, seed
        )
        if publish:
            await publish_fabulas(session, found, frozenset(one.fabula for one in drawn))
        return drawn

    drawn = _in_ledger(work)
    ids = [f"{one.fabula}_{one.mode.value}" for one in drawn]
    if as_json:
        print_json({"task_set": key, "per_cell": per_cell, "seed": seed, "published": publish, "task_ids": ids})
    else:
        for one in ids:
            console().print(one, markup=False)


def export_set(
    key: KeyArgument,
    to: Annotated[Path, typer.Option("--to", help="File to write, JSON lines.")],
    public: Annotated[bool, typer.Option("--public", help="Only the public part.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Write a set in the released form, gold included, with canary, licence and source in every record.

    Example: lexhop tasks export sample --to sample.jsonl
    """
    from service.tasks import export_lines, get_task_set, list_fabulas

    async def work(session: Any) -> tuple[TaskSet, list[bytes]]:
        found = await get_task_set(session, key)
        return found, list(export_lines(found, await list_fabulas(session, found, public=True if public else None)))

    found, lines = _in_ledger(work)
    if not lines:
        raise InputError(f"task set {found.name!r} has no public part; draw one by `lexhop tasks subset --publish`")
    to.write_bytes(b"".join(lines))
    if as_json:
        print_json({"task_set": found.name, "file": str(to), "records": len(lines), "canary": found.canary})
    else:
        console().print(f"{found.name}: {len(lines)} records are written to {to}", markup=False)


def datasheet(key: KeyArgument) -> None:
    """Print what one has to know of a set before using it, as Markdown.

    Example: lexhop tasks datasheet sample
    """
    from service.tasks import datasheet as sheet
    from service.tasks import get_task_set, list_fabulas

    async def work(session: Any) -> str:
        found = await get_task_set(session, key)
        return sheet(found, await list_fabulas(session, found))

    typer.echo(_in_ledger(work), nl=False)


def drop(key: KeyArgument, as_json: JsonFlag = False) -> None:
    """Remove one version of a set (name it as key@version) and let its corpus version go.

    Example: lexhop tasks drop mine@1
    """
    from service.tasks import get_task_set, remove

    if "@" not in key:
        raise InputError(f"task set {key!r} is named without a version; name the one to remove: {key}@1")

    async def run() -> TaskSet:
        async with ledger_and_graph(Settings()) as (ledger, store), ledger.write() as session:
            found = await get_task_set(session, key)
            await remove(session, store, found)
            return found

    _tell(asyncio.run(run()), "is removed", as_json)


def _tell(task_set: TaskSet, said: str, as_json: bool) -> None:
    if as_json:
        print_json(set_record(task_set))
        return
    console().print(f"{task_set.name} {said} (corpus {task_set.corpus_uid})", markup=False)
    if not task_set.frozen:
        notes().print("next: lexhop tasks check, lexhop tasks freeze", markup=False)
