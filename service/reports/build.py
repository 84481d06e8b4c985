"""Puts a report together: every file of it, by its path, as bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import orjson
from matplotlib.figure import Figure

import service
from service.analysis import PUBLISHED_WEIGHTS, tau_over_weights, weight_grid
from service.domain import Mode
from service.errors import InputError
from service.reports import figures, page, summary
from service.reports.answers import AnswerTable
from service.reports.labels import ReportLanguage, label
from service.reports.model import ReportInput
from service.reports.published import Standing, experiment_files, missing_cells, standings, statistics_files
from service.reports.tables import Table

__all__ = ["Report", "build_report", "write_report"]


@dataclass(frozen=True, slots=True)
class Report:
    """A report in memory.

    Attributes:
        files: Every file's bytes, by path with forward slashes.
        tables: The tables that the page shows.
        notes: What the report cannot show and why.
    """

    files: Mapping[str, bytes]
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = field(default=())


def build_report(
    report: ReportInput, language: ReportLanguage = "en", extra: Mapping[str, bytes] | None = None
) -> Report:
    """Return every file of a report; the same input gives the same bytes.

    Args:
        report: What it shows.
        language: Of the figures' labels.
        extra: Further files to be listed in the manifest, by path.

    Raises:
        InputError: An extra file has the path of one of the report's.
    """
    ranked = standings(report)
    published = {**statistics_files(ranked), **experiment_files(report)}
    comparable, remarks = _comparable(report, ranked)
    common = summary.common_scores(comparable, report.bootstrap)
    slices = summary.slices_of_models(ranked, report.bootstrap)
    tables = (
        *report.conditions,
        summary.leaderboard_table(report, ranked, common),
        *report.beside,
        summary.rank_table(common),
        summary.neighbour_table(common, report.bootstrap),
        summary.power_table(ranked),
        summary.quadrant_table(ranked),
        summary.slice_table(slices),
        summary.depth_table(report, ranked),
        summary.contamination_table(report, ranked),
        summary.sensitivity_table(common),
        summary.agreement_table(report),
        missing_cells(published, report),
    )
    drawn, notes = _figures(report, ranked, common, slices, language)
    files: dict[str, bytes] = {path: table.csv().encode() for path, table in published.items()}
    files |= {f"tables/{table.key}.csv": table.csv().encode() for table in tables}
    for name, (png, svg) in drawn.items():
        files |= {f"figures/{name}.png": png, f"figures/{name}.svg": svg}
    versions = _versions()
    content = page.Content(
        report.title, remarks, tables, {name: svg for name, (_, svg) in drawn.items()}, notes, report.sources, versions
    )
    files |= {
        "report.md": page.markdown(content, language).encode(),
        "report.tex": page.latex(content, language).encode(),
        "report.html": page.html_page(content, language).encode(),
    }
    for path, data in (extra or {}).items():
        if path in files:
            raise InputError(f"extra file {path!r} has the path of one of the report's own; give it another")
        files[path] = data
    files["manifest.json"] = _manifest(report, files, versions, remarks, notes)
    return Report(dict(sorted(files.items())), tables, notes)


def _comparable(report: ReportInput, ranked: Sequence[Standing]) -> tuple[list[Standing], tuple[str, ...]]:
    """Return the models that ranks and the common fabulas are told of, and what a reader must know of that.

    A partial run would shrink the common fabulas to its own few, a model without a pair to none, and a run that no board
    ranks would push others down.
    """
    paired = [one for one in ranked if one.pairs]
    if not paired:
        return list(ranked), report.remarks
    rank = [one for one in paired if not one.entry.not_ranked]
    if not rank:
        remark = "No board ranks any of these; ranks and comparisons below are among themselves."
        return paired, (*report.remarks, remark)
    if len(rank) < len(ranked):
        left_out = ", ".join(one.entry.display for one in ranked if one not in rank)
        remark = (
            f"Ranks, common fabulas, neighbours and sensitivity leave out {left_out}, not ranked or without a pair."
        )
        return rank, (*report.remarks, remark)
    return rank, report.remarks


def _figures(
    report: ReportInput,
    ranked: Sequence[Standing],
    common: summary.Common,
    slices: dict[str, Any],
    language: ReportLanguage,
) -> tuple[dict[str, tuple[bytes, bytes]], tuple[str, ...]]:
    order = [one.entry.display for one in ranked]
    plans: dict[str, Callable[[], Figure]] = {
        "leaderboard": lambda: figures.leaderboard_figure(ranked, language),
        "quadrants": lambda: figures.quadrant_figure(ranked, language),
        "gap": lambda: figures.gap_figure(slices, order, language),
        "radar": lambda: figures.radar_figure(ranked, language),
    }
    notes: list[str] = []
    boxed = figures.names_in_boxes([*order, *(one.entry.group for one in ranked)])
    if boxed:
        notes.append(
            f"Figures show boxes in {', '.join(boxed)}: no font of this machine has all of its characters. Tables have them."
        )
    ranks = common.ranks
    if ranks is not None:
        plans["ranks"] = lambda: figures.rank_figure(common.names, ranks, language)
    else:
        notes.append("Ranks and their figure: not applicable, no fabula is common to all models.")
    if len(common.names) > 1 and not np.isnan(common.components).any():
        grid = weight_grid()
        taus = tau_over_weights(common.components, grid, PUBLISHED_WEIGHTS[0])
        if any(tau is not None for tau in taus):
            plans["weights"] = lambda: figures.weight_figure(grid, taus, language)
    if "weights" not in plans:
        notes.append(
            "Ranking under other weights: not applicable, it needs two models that differ and their components' gaps."
        )
    if report.answers is None:
        notes.append("Error taxonomy: not applicable, the records hold no components of single answers.")
    else:
        counts = _error_counts(report.answers, ranked, report.open_label, language)
        kinds = report.answers.kinds
        plans["errors"] = lambda: figures.error_figure(counts, kinds, language)
    drawn: dict[str, tuple[bytes, bytes]] = {}
    with figures.styled():
        for name, plan in plans.items():
            figure = plan()
            drawn[name] = (figures.png_bytes(figure), figures.svg_bytes(figure))
    return drawn, tuple(notes)


def _error_counts(
    answers: AnswerTable, ranked: Sequence[Standing], open_label: str, language: ReportLanguage
) -> dict[str, list[int]]:
    modes = {Mode.CLOSED.value: Mode.CLOSED, open_label: Mode.OPEN}
    return {
        f"{one.entry.display} · {label(key.value, language)}": answers.error_counts(one.entry.model, mode)
        for one in ranked
        for mode, key in modes.items()
    }


def _versions() -> dict[str, str]:
    return {"lexhop": service.__version__, "matplotlib": mpl.__version__, "numpy": np.__version__}


def _manifest(
    report: ReportInput,
    files: Mapping[str, bytes],
    versions: Mapping[str, str],
    remarks: Sequence[str],
    notes: Sequence[str],
) -> bytes:
    content = {
        "title": report.title,
        "sources": [{"name": source.name, "sha256": source.sha256} for source in report.sources],
        "bootstrap": {
            "resamples": report.bootstrap.resamples,
            "seed": report.bootstrap.seed,
            "alpha": report.bootstrap.alpha,
        },
        "p_values": report.tail,
        "versions": versions,
        "remarks": list(remarks),
        "not_applicable": list(notes),
        "files": {path: hashlib.sha256(data).hexdigest() for path, data in files.items()},
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def write_report(report: Report, folder: Path) -> None:
    """Write every file below a folder, which is made where it is missing; other files there stay.

    Raises:
        InputError: The folder or a file in it cannot be written.
    """
    for path, data in report.files.items():
        target = folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        except OSError as error:
            raise InputError(f"{str(target)!r} cannot be written ({error.strerror}); give a folder that can") from error
