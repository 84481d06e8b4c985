"""Task sets as files: the released form, one record a line, with canary, licence and source; and a datasheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from service.domain import Depth, Mode, TaskType
from service.errors import NotFoundError, SourceError
from service.tasks.record import Fabula, ValidationStatus, fabulas_of_records
from service.tasks.sets import TaskSet

__all__ = ["STAMP", "Imported", "datasheet", "export_lines", "export_record", "read_records"]

STAMP: Final = ("canary", "licence", "source")
"""Fields that every exported record carries, so that a single line found anywhere tells whose it is."""


class Imported:
    """What a file of tasks held.

    Attributes:
        fabulas: Its fabulas, in its order.
        canary: The canary that its records carry, or None.
    """

    def __init__(self, fabulas: list[Fabula], canary: str | None) -> None:
        self.fabulas = fabulas
        self.canary = canary


def export_record(task_set: TaskSet, fabula: Fabula, mode: Mode) -> dict[str, Any]:
    """Return one record with the stamp of its set; a record's own licence and source stay."""
    stamp = {"canary": task_set.canary, "licence": task_set.licence, "source": task_set.source}
    return {**stamp, **fabula.record(mode), "canary": task_set.canary}


def export_lines(task_set: TaskSet, fabulas: Sequence[Fabula]) -> Iterator[bytes]:
    """Yield the records of a set, closed before open."""
    for fabula in fabulas:
        for mode in Mode:
            yield orjson.dumps(export_record(task_set, fabula, mode)) + b"\n"


def read_records(path: Path) -> Imported:
    """Read a file of tasks: JSON lines, or one JSON list.

    Raises:
        NotFoundError: There is no such file.
        SourceError: A line is no JSON object, or lines carry different canaries.
        InputError: The records cannot be a set; the error names the line.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"tasks file {str(path)!r} does not exist; give a file of JSON lines") from None
    except OSError as error:
        raise SourceError(
            f"tasks file {str(path)!r} cannot be read ({error.strerror}); give a readable file"
        ) from error
    records = list(_records(path.name, data))
    if not records:
        raise SourceError(f"tasks file {str(path)!r} holds no record; give one with at least one fabula in both modes")
    canaries = {record["canary"] for _, record in records if isinstance(record.get("canary"), str)}
    if len(canaries) > 1:
        raise SourceError(
            f"tasks file {str(path)!r} has records of several sets, with {len(canaries)} canaries; split it"
        )
    plain = [(where, {key: value for key, value in record.items() if key != "canary"}) for where, record in records]
    return Imported(fabulas_of_records(plain), next(iter(canaries), None))


def _records(name: str, data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    if data.lstrip()[:1] == b"[":
        try:
            found = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise SourceError(f"{name} is not JSON ({error}); write one list, or one object a line") from error
        for number, record in enumerate(found, start=1):
            yield _checked(f"{name} record {number}", record)
        return
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            try:
                record = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise SourceError(f"{name} line {number} is not JSON ({error}); write one object a line") from error
            yield _checked(f"{name} line {number}", record)


def _checked(where: str, record: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(record, dict):
        raise SourceError(f"{where} is a {type(record).__name__}, not an object; write one object a task")
    return where, record


def datasheet(task_set: TaskSet, fabulas: Sequence[Fabula]) -> str:
    """Return what one has to know of a set before using it, as Markdown."""
    tasks = [fabula.task(Mode.CLOSED) for fabula in fabulas]
    cells = Counter(task.cell for task in tasks)
    public = sum(task.public for task in tasks)
    rows = "\n".join(
        f"| {kind.value} | " + " | ".join(str(cells[kind, depth]) for depth in Depth) + " |" for kind in TaskType
    )
    lengths = Counter(len(task.norm_ids) for task in tasks)
    branches = Counter(task.branch or "unknown" for task in tasks)
    status = Counter(task.validation_status for task in tasks)
    writers = Counter(str(task.record.get("generator_model") or "people") for task in tasks)
    state = f"frozen {task_set.frozen_at}, digest `{task_set.digest}`" if task_set.frozen else "a draft"
    return f"""# {task_set.title}

`{task_set.name}`, {state}.

- Benchmark: {task_set.benchmark}; language: {task_set.language}
- Corpus: `{task_set.corpus_uid}`{f" ({task_set.notice})" if task_set.notice else ""}
- Licence: {task_set.licence}
- Source: {task_set.source}
- Canary: `{task_set.canary}`. Whoever trains a model: leave out every text that holds this string.

## What is in it

{len(fabulas)} fabulas, each as a closed and an open task; {public} are public, {len(fabulas) - public} held back.

| type | {" | ".join(depth.value for depth in Depth)} |
|---|{"---|" * len(Depth)}
{rows}

- Norms in a chain: {_listed(lengths)}
- Branches of law: {_listed(branches)}
- Written by: {_listed(writers)}

## How it was checked

{", ".join(f"{one.value}: {status[one]}" for one in ValidationStatus)}.

## What it is not

Its answers are those of the corpus version named, not legal advice. Closed-book scores lose their meaning once the
tasks are in a training corpus; held-back tasks are shown by tier only.
"""


def _listed(counts: Counter[Any]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in sorted(counts.items(), key=lambda item: str(item[0])))
