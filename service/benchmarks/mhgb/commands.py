"""MHGB: reports of released results, these results as runs, and the import of the released corpus."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.output import JsonFlag, console, print_json
from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from service.benchmarks.mhgb.records import Experiment
    from service.reports import ReportInput, ReportLanguage

__all__ = ["app", "report_input"]

app = typer.Typer(no_args_is_help=True)

_CELL_SIZE = 25
_OPEN_LABEL = "open_full_graph_edges"


@app.callback()
def _mhgb() -> None:
    """MHGB: multi-hop legal reasoning over Russian statutory law."""


@app.command()
def report(
    results: Annotated[Path, typer.Option(help="Folder of released results, an experiment a subfolder.")],
    out: Annotated[Path, typer.Option(help="Folder to write to; it is made where it is missing.")],
    language: Annotated[str, typer.Option(help="Language of the figures: en or ru.")] = "en",
    fabulas_a_cell: Annotated[
        int, typer.Option(min=1, help="Fabulas in each cell of type and depth of the whole set.")
    ] = _CELL_SIZE,
    as_json: JsonFlag = False,
) -> None:
    """Write the published statistics, and what goes beyond them, from gap_records.jsonl.

    Example: lexhop benchmark mhgb report --results results --out report
    """
    from service.benchmarks.mhgb.records import FILE_NAME, gap_records_bytes, read_results
    from service.reports import build_report, write_report

    chosen = _language(language)
    if out.resolve() == results.resolve():
        raise InputError(
            f"--out {str(out)!r} is the folder of the results itself; give another, so that nothing is overwritten"
        )
    experiments = read_results(results)
    extra = {f"{one.key}/{FILE_NAME}": gap_records_bytes(one.table) for one in experiments}
    built = build_report(report_input(experiments, fabulas_a_cell), chosen, extra)
    write_report(built, out)
    if as_json:
        print_json({"out": str(out), "files": list(built.files), "not_applicable": list(built.notes)})
        return
    printer = console()
    models = sum(len(one.table.model.names) for one in experiments)
    records = sum(len(one.table) for one in experiments)
    printer.print(f"{records} records of {models} models: {len(built.files)} files in {out}", markup=False)
    printer.print(f"Open {out / 'report.html'}", markup=False)
    for note in built.notes:
        printer.print(note, markup=False)


@app.command("import-results")
def import_results(
    results: Annotated[Path, typer.Option(help="Folder of released results, an experiment a subfolder.")],
    as_json: JsonFlag = False,
) -> None:
    """Take released results in as finished, published runs with scores alone; again changes nothing.

    Example: lexhop benchmark mhgb import-results --results results
    """
    import asyncio

    from service.benchmarks.mhgb.records import read_results
    from service.benchmarks.mhgb.release import released_runs
    from service.db import COMMAND_LINE, open_ledger
    from service.evaluation import import_release
    from service.settings import Settings

    released = released_runs(read_results(results))

    async def load() -> list[tuple[str, str, bool]]:
        async with open_ledger(Settings()) as ledger:
            return await import_release(ledger, released, actor=COMMAND_LINE)

    found = asyncio.run(load())
    if as_json:
        print_json({"runs": [{"run": run, "participant": name, "new": new} for run, name, new in found]})
        return
    for run, name, new in found:
        console().print(f"{run} {name}: {'taken in' if new else 'was there'}", markup=False)


def report_input(experiments: list[Experiment], cell_size: int) -> ReportInput:
    """Return the input of a report on released results; p values are the published normal approximation.

    Args:
        experiments: What was read.
        cell_size: Fabulas in each cell of type and depth of the whole set.
    """
    from service.benchmarks.mhgb.models import MODELS, display_name
    from service.benchmarks.mhgb.records import FILE_NAME
    from service.reports import Entry, ReportInput, Source

    entries = []
    for one in experiments:
        for model, table in one.table.by_model().items():
            group = MODELS[model].slice if model in MODELS else ""
            entries.append(Entry(one.key, model, display_name(model), group, table))
    public, reason = _public(experiments, cell_size)
    return ReportInput(
        title="MHGB: results by model",
        entries=tuple(entries),
        sources=tuple(Source(f"{one.key}/{FILE_NAME}", one.sha256) for one in experiments),
        public=public,
        public_reason=reason,
        open_label=_OPEN_LABEL,
        tail="normal",
        cell_size=cell_size,
    )


def _public(experiments: list[Experiment], cell_size: int) -> tuple[frozenset[str] | None, str]:
    """Return the public fabulas, or why they cannot be told: the draw needs every id of the set."""
    from service.domain import Depth, TaskType
    from service.tasks import public_fabulas

    cells: dict[str, tuple[TaskType, Depth]] = {}
    for one in experiments:
        table = one.table
        for task, kind, depth in zip(table.task.values(), table.task_type.values(), table.depth.values(), strict=True):
            cell = (TaskType(kind), Depth(depth))
            if cells.setdefault(task, cell) != cell:
                raise InputError(
                    f"task {task!r} of {one.key!r} is {kind}/{depth} here and another cell elsewhere; correct one"
                )
    sizes = [sum(cell == (kind, depth) for cell in cells.values()) for kind in TaskType for depth in Depth]
    if any(size != cell_size for size in sizes):
        known = f"{min(sizes)} to {max(sizes)}"
        return None, f"the public fabulas are drawn from all ids, {cell_size} a cell, and the records hold {known}"
    return public_fabulas(cells), ""


def _language(value: str) -> ReportLanguage:
    if value == "en":
        return "en"
    if value == "ru":
        return "ru"
    raise InputError(f"language {value!r} is neither en nor ru; give one of them")


@app.command("import-corpus")
def import_corpus(
    corpus: Annotated[Path, typer.Option(help="The release's corpus.jsonl.")],
    graph: Annotated[Path, typer.Option(help="The release's graph.json, in either layout of node-link JSON.")],
    key: Annotated[str, typer.Option(help="The key that the corpus gets.")] = "mhgb",
    leave_out_missing: Annotated[
        bool, typer.Option("--leave-out-missing", help="Leave out nodes without a record instead of refusing.")
    ] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for another load.")] = 0.0,
    as_json: JsonFlag = False,
) -> None:
    """Load the released corpus and graph as a corpus of its own, its relations in the order of the file.

    Example: lexhop benchmark mhgb import-corpus --corpus corpus.jsonl --graph graph.json
    """
    from service.benchmarks.mhgb.corpus_files import read_corpus_files
    from service.cli._loading import load_content

    imported = read_corpus_files(corpus, graph, leave_out_missing=leave_out_missing)
    loading = load_content(Settings(), key, imported.content, left_out=imported.left_out, wait=wait, quiet=as_json)
    outcome = asyncio.run(loading)
    if as_json:
        print_json(
            {
                "corpus": outcome.key,
                "version": outcome.version,
                "unchanged": outcome.unchanged,
                "counts": dict(outcome.counts),
                "left_out": dict(imported.left_out),
                "made_by": dict(imported.made_by),
            }
        )
        return
    out = console()
    counts = outcome.counts
    out.print(f"{outcome.key}@{outcome.version}: {counts['articles']:,} articles, {counts['relations']:,} relations")
    for name, count in imported.left_out.items():
        out.print(f"left out: {name} {count:,}")
