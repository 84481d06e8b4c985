"""The record of a task, as the benchmark's release writes it (mhgb.md 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from service.domain import Depth, Mode, NormId, TaskType
from service.errors import InputError

__all__ = [
    "BLOOM_LEVELS",
    "Fabula",
    "GoldStep",
    "Task",
    "ValidationStatus",
    "fabula_of",
    "fabulas_of_records",
    "read_task",
    "task_record",
]

BLOOM_LEVELS: Final = {
    TaskType.ISSUE_SPOTTING: "analyze",
    TaskType.RULE_SELECTION: "apply",
    TaskType.CONFLICT_RESOLUTION: "evaluate",
    TaskType.TEMPORAL_VALIDITY: "apply+analyze",
}

TWIN_FIELDS: Final = ("type", "hop_group", "norm_ids", "fabula", "question", "answer", "gold_chain")
"""What closed and open twins must share."""

_MODE_FIELDS: Final = ("id", "mode", "context_chunks")
_LONGEST_ID: Final = 100


class ValidationStatus(StrEnum):
    """How far a task was checked."""

    PENDING = "pending"
    LLM_VALIDATED = "llm_validated"
    EXPERT_VALIDATED = "expert_validated"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class GoldStep:
    """A step of the gold chain.

    Attributes:
        norm_id: None for the concluding step.
        text: The reasoning, or the conclusion.
    """

    step: int
    norm_id: NormId | None
    text: str
    is_critical: bool = True


@dataclass(frozen=True)
class Task:
    """One task in one mode. All but id, mode, cell, fabula, question and answer format is gold.

    Attributes:
        id: ``<fabula_id>_closed`` or ``<fabula_id>_open``.
        norm_ids: The chain's norms, which are the context's seeds.
        public: Belongs to the public part of its set.
        event_date: ISO date of the facts; temporal_validity alone has one.
        record: The whole record as imported, unknown fields included.
    """

    id: str
    fabula_id: str
    mode: Mode
    task_type: TaskType
    depth: Depth
    branch: str | None
    norm_ids: tuple[NormId, ...]
    fabula: str
    question: str
    answer: str
    gold_chain: tuple[GoldStep, ...]
    expected_answer_format: str
    validation_status: ValidationStatus
    public: bool
    event_date: str | None
    record: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def cell(self) -> tuple[TaskType, Depth]:
        """Type and depth."""
        return self.task_type, self.depth


@dataclass(frozen=True)
class Fabula:
    """A fact pattern with its two twins.

    Attributes:
        shared: Fields that both records have alike.
        own: Fields of one mode alone, by mode.
    """

    id: str
    shared: Mapping[str, Any]
    own: Mapping[Mode, Mapping[str, Any]]

    def record(self, mode: Mode) -> dict[str, Any]:
        """Return the record of one mode."""
        return {"id": f"{self.id}_{mode.value}", "mode": mode.value, **self.shared, **self.own.get(mode, {})}

    def task(self, mode: Mode) -> Task:
        """Return the task of one mode."""
        return read_task(self.record(mode), f"task {self.id}_{mode.value}")

    def tasks(self) -> tuple[Task, Task]:
        """Return the twins, closed first."""
        return self.task(Mode.CLOSED), self.task(Mode.OPEN)


def read_task(record: Mapping[str, Any], where: str) -> Task:
    """Read a record.

    Args:
        record: The record; optional fields may be absent, unknown ones are kept.
        where: Names the record in errors.

    Raises:
        InputError: A field is missing or has a value that cannot be.
    """
    name = _text(record, "id", where)
    fabula_id, mode = _split_id(name, record.get("mode"), where)
    norms = record.get("norm_ids")
    if not isinstance(norms, list) or not norms or not all(isinstance(norm, str) and norm for norm in norms):
        raise InputError(f"{where}: norm_ids {norms!r} is not a list of norm ids; give at least one")
    if len(set(norms)) < len(norms):
        twice = next(norm for norm in norms if norms.count(norm) > 1)
        raise InputError(f"{where}: norm_ids has {twice!r} twice; each norm of a chain stands once")
    return Task(
        id=name,
        fabula_id=fabula_id,
        mode=mode,
        task_type=TaskType(_choice(record, "type", [one.value for one in TaskType], where)),
        depth=Depth(_choice(record, "hop_group", [one.value for one in Depth], where)),
        branch=record.get("branch_of_law"),
        norm_ids=tuple(norms),
        fabula=_text(record, "fabula", where),
        question=_text(record, "question", where),
        answer=str(record.get("answer") or ""),
        gold_chain=_gold_chain(record.get("gold_chain") or [], where),
        expected_answer_format=str(record.get("expected_answer_format") or ""),
        validation_status=ValidationStatus(
            _choice({"validation_status": "pending"} | dict(record), "validation_status", list(ValidationStatus), where)
        ),
        public=record.get("public") is True,
        event_date=record.get("event_date"),
        record=record,
    )


def task_record(task: Task) -> dict[str, Any]:
    """Return the record of a task, unknown fields included."""
    return dict(task.record)


def fabula_of(record: Mapping[str, Any]) -> Fabula:
    """Return the fabula of one record without a mode, such as people write and models yield."""
    shared = {key: value for key, value in record.items() if key not in ("id", "mode")}
    fabula = Fabula(str(record.get("id")), shared, {})
    fabula.tasks()
    return fabula


def fabulas_of_records(records: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Fabula]:
    """Join twins, in the order in which fabulas first occur.

    Args:
        records: Each with the words that name it in errors, such as ``tasks.jsonl line 3``.

    Raises:
        InputError: A record cannot be read, an id stands twice, a twin is missing, or twins differ in what they share.
    """
    found: dict[str, dict[Mode, Mapping[str, Any]]] = {}
    for where, record in records:
        task = read_task(record, where)
        modes = found.setdefault(task.fabula_id, {})
        if task.mode in modes:
            raise InputError(f"{where}: task {task.id!r} stands twice; keep one of them")
        modes[task.mode] = record
    fabulas = []
    for fabula_id, modes in found.items():
        for mode in Mode:
            if mode not in modes:
                raise InputError(f"fabula {fabula_id!r} has no {mode.value} task; give both modes")
        closed, opened = modes[Mode.CLOSED], modes[Mode.OPEN]
        for name in TWIN_FIELDS:
            if closed.get(name) != opened.get(name):
                raise InputError(
                    f"fabula {fabula_id!r}: {name} differs between the closed and the open task; give both the same"
                )
        shared = {
            key: value
            for key, value in closed.items()
            if key not in _MODE_FIELDS and key in opened and opened[key] == value
        }
        own = {
            mode: {key: value for key, value in record.items() if key not in shared and key not in ("id", "mode")}
            for mode, record in modes.items()
        }
        fabulas.append(Fabula(fabula_id, shared, own))
    return fabulas


def _split_id(name: str, mode: Any, where: str) -> tuple[str, Mode]:
    fabula_id, mark, suffix = name.rpartition("_")
    modes = [one.value for one in Mode]
    if not mark or not fabula_id or suffix not in modes:
        raise InputError(f"{where}: id {name!r} does not end in _closed or _open; write it so")
    if mode is not None and mode != suffix:
        raise InputError(f"{where}: mode {mode!r} contradicts the id {name!r}; correct one of them")
    if len(name) > _LONGEST_ID or "/" in name:
        raise InputError(f"{where}: id {name!r} is longer than {_LONGEST_ID} characters or has a slash; shorten it")
    return fabula_id, Mode(suffix)


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}: {name} {value!r} is not a text; give one")
    return value


def _choice(record: Mapping[str, Any], name: str, allowed: list[str], where: str) -> str:
    value = record.get(name)
    if value not in allowed:
        raise InputError(f"{where}: {name} {value!r} is none of {', '.join(allowed)}; give one of them")
    return str(value)


def _gold_chain(steps: Any, where: str) -> tuple[GoldStep, ...]:
    if not isinstance(steps, list):
        raise InputError(f"{where}: gold_chain {steps!r} is not a list of steps; give one object a step")
    found = []
    for number, step in enumerate(steps, start=1):
        if not isinstance(step, dict):
            raise InputError(
                f"{where}: gold_chain step {number} is {step!r}, not an object; give step, norm_id and text"
            )
        norm = step.get("norm_id")
        text = step.get("reasoning" if norm is not None else "conclusion") or step.get("reasoning") or ""
        if norm is not None and not isinstance(norm, str):
            raise InputError(
                f"{where}: gold_chain step {number} has norm_id {norm!r}; give a norm id, or null to conclude"
            )
        found.append(GoldStep(int(step.get("step", number)), norm, str(text), step.get("is_critical") is not False))
    return tuple(found)
