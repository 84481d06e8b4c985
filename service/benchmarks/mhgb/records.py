"""Reads and writes ``gap_records.jsonl``: one line a model and fabula, both modes side by side (mhgb 7)."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from service.analysis import Column, GapTable, Quadrant, quadrants
from service.domain import Depth, TaskType
from service.errors import InputError, SourceError

__all__ = ["FIELDS", "FILE_NAME", "Experiment", "gap_records_bytes", "read_gap_records", "read_results"]

FILE_NAME: Final = "gap_records.jsonl"

_NAMES: Final = ("model_name", "task_id", "task_type", "hop_group", "branch_of_law")
_SCORES: Final = ("closed_final_score", "open_final_score")
_GAPS: Final = ("norm_coverage_gap", "step_correctness_gap", "answer_correctness_gap", "final_score_gap")

FIELDS: Final = (*_NAMES, *_SCORES, *_GAPS, "quadrant")
"""The published fields, in their order."""

_CLOSED_SETS: Final = {
    "task_type": frozenset(kind.value for kind in TaskType),
    "hop_group": frozenset(depth.value for depth in Depth),
}
_QUADRANTS: Final = tuple(quadrant.value for quadrant in Quadrant)
_ROUNDING: Final = 0.5e-4 + 1e-9
"""The recorded gap is rounded to four digits."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One folder of released results.

    Attributes:
        key: The folder's name.
        table: Its pairs.
        sha256: Digest of the file that they were read from.
    """

    key: str
    table: GapTable
    sha256: str


@dataclass(slots=True)
class _Columns:
    """What has been read so far; names are stored once, so that a large file stays small in memory."""

    places: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in _NAMES})
    codes: dict[str, list[int]] = field(default_factory=lambda: {name: [] for name in _NAMES})
    numbers: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in (*_SCORES, *_GAPS)})
    quadrant: list[int] = field(default_factory=list)


def read_results(folder: Path) -> list[Experiment]:
    """Return the experiments of a folder: its subfolders that hold a ``gap_records.jsonl``, or the folder itself.

    Raises:
        SourceError: There is none, a file cannot be read, or a model occurs in two experiments.
    """
    if not folder.is_dir():
        raise SourceError(f"results {str(folder)!r} is not a folder; give the one that holds the experiments")
    files = [folder / FILE_NAME] if (folder / FILE_NAME).is_file() else sorted(folder.glob(f"*/{FILE_NAME}"))
    if not files:
        raise SourceError(
            f"results {str(folder)!r} hold no {FILE_NAME}, neither directly nor one folder down; give another folder"
        )
    experiments = [_experiment(path) for path in files]
    homes: dict[str, str] = {}
    for experiment in experiments:
        for model in experiment.table.model.names:
            if model in homes:
                raise SourceError(
                    f"model {model!r} occurs in {homes[model]!r} and in {experiment.key!r}; report one experiment a model"
                )
            homes[model] = experiment.key
    return experiments


def _experiment(path: Path) -> Experiment:
    return Experiment(path.resolve().parent.name, read_gap_records(path), hashlib.sha256(path.read_bytes()).hexdigest())


def read_gap_records(path: Path) -> GapTable:
    """Return the pairs of a file, in its order.

    A model or a branch that nobody knows is kept under its own name. A score of null is unavailable: it is kept as such,
    counted, and never taken as a zero. Fields beyond the published ones are passed over.

    Raises:
        SourceError: A line is not a record: no JSON, a field missing or of the wrong kind, a score outside its range, a gap
            or a quadrant that contradicts the scores, a fabula twice for a model. The message names file, line, field and
            value.
    """
    columns = _Columns()
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    _add(columns, line, f"{path.parent.name}/{path.name} line {number}")
    except OSError as error:
        raise SourceError(f"{str(path)!r} cannot be read ({error.strerror}); give a readable {FILE_NAME}") from error
    if not columns.quadrant:
        raise SourceError(f"{path.parent.name}/{path.name} holds no record; give a file with at least one line")
    read = {name: Column(tuple(columns.places[name]), np.array(columns.codes[name], dtype=np.int32)) for name in _NAMES}
    numbers = {name: np.array(values, dtype=np.float64) for name, values in columns.numbers.items()}
    try:
        return GapTable(
            model=read["model_name"],
            task=read["task_id"],
            task_type=read["task_type"],
            depth=read["hop_group"],
            branch=read["branch_of_law"],
            closed=numbers["closed_final_score"],
            open=numbers["open_final_score"],
            gap=numbers["final_score_gap"],
            component_gaps=np.stack([numbers[name] for name in _GAPS[:3]], axis=1),
        )
    except InputError as error:
        raise SourceError(f"{path.parent.name}/{path.name}: {error}") from error


def _add(columns: _Columns, line: bytes, where: str) -> None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        hint = (
            "; NaN and Infinity are not JSON, an unavailable score is null"
            if b"NaN" in line or b"Infinity" in line
            else ""
        )
        raise SourceError(f"{where} is not JSON ({error}){hint}; write one object a line") from error
    if not isinstance(record, dict):
        raise SourceError(f"{where} is a {type(record).__name__}, not an object; write one object a line")
    for name in FIELDS:
        if name not in record:
            raise SourceError(f"{where} has no {name!r}; give the field, null where the score is unavailable")
    for name in _NAMES:
        value = record[name]
        if not isinstance(value, str) or not value:
            raise SourceError(f"{where}: {name} {value!r} is not a name; give a non-empty string")
        if name in _CLOSED_SETS and value not in _CLOSED_SETS[name]:
            raise SourceError(
                f"{where}: {name} {value!r} is none of {', '.join(sorted(_CLOSED_SETS[name]))}; give one of them"
            )
        places = columns.places[name]
        columns.codes[name].append(places.setdefault(value, len(places)))
    for name in (*_SCORES, *_GAPS):
        columns.numbers[name].append(_number(record[name], name, where))
    columns.quadrant.append(_checked_quadrant(record, where))


def _number(value: Any, name: str, where: str) -> float:
    if value is None:
        return math.nan
    low = 0.0 if name in _SCORES else -1.0
    if type(value) not in {float, int} or not low <= value <= 1:
        raise SourceError(f"{where}: {name} {value!r} is not a number from {low:g} to 1; correct it, or give null")
    return float(value)


def _checked_quadrant(record: dict[str, Any], where: str) -> int:
    """Return the place of the quadrant, -1 without one, after holding it and the gap against the scores."""
    closed, opened, recorded = record["closed_final_score"], record["open_final_score"], record["quadrant"]
    if closed is None or opened is None:
        if recorded is not None or record["final_score_gap"] is not None:
            raise SourceError(f"{where} has a score of null, but a quadrant or a gap; give null for these too")
        return -1
    if recorded not in _QUADRANTS:
        raise SourceError(f"{where}: quadrant {recorded!r} is none of {', '.join(_QUADRANTS)}; give one of them")
    place = (0 if closed >= 0.5 else 1) if opened >= 0.5 else (2 if closed >= 0.5 else 3)
    if _QUADRANTS[place] != recorded:
        raise SourceError(
            f"{where}: quadrant {recorded!r} contradicts the scores {closed!r} and {opened!r}, which make it "
            f"{_QUADRANTS[place]!r} at threshold 0.5; correct the record"
        )
    gap = record["final_score_gap"]
    if gap is None or abs(opened - closed - gap) > _ROUNDING:
        raise SourceError(
            f"{where}: final_score_gap {gap!r} is not open - closed, {opened - closed:.4f}; correct the record"
        )
    return place


def gap_records_bytes(table: GapTable) -> bytes:
    """Return the file of these pairs, with exactly the published fields, in the order of the rows."""
    return b"".join(_lines(table))


def _lines(table: GapTable) -> Iterator[bytes]:
    places = quadrants(table.closed, table.open).tolist()
    names = [column.values() for column in (table.model, table.task, table.task_type, table.depth, table.branch)]
    numbers = [
        values.tolist()
        for values in (table.closed, table.open, *(table.component_gaps[:, k] for k in range(3)), table.gap)
    ]
    for row in zip(*names, *numbers, places, strict=True):
        values = [None if isinstance(value, float) and math.isnan(value) else value for value in row[:-1]]
        record = dict(zip(FIELDS, [*values, _QUADRANTS[row[-1]] if row[-1] >= 0 else None], strict=True))
        # json and not orjson: the released files have a space after colons and commas.
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"
