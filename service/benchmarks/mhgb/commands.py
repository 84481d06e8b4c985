"""MHGB: reports of released results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.output import JsonFlag, console, print_json
from service.errors import InputError

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
