"""Task sets: versioned, frozen with a digest, pinned to a version of their corpus."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from service.db import (
    FabulaRow,
    TaskSetRow,
    add_task_set,
    fabula_rows,
    find_fabulas,
    freeze_task_set,
    iso_moment,
    put_fabulas,
    remove_task_set,
    set_public,
    task_set_rows,
)
from service.domain import Mode
from service.errors import ConflictError, InputError, NotFoundError
from service.graph.catalog import corpus_uid
from service.graph.queries import query
from service.tasks.record import Fabula, Task, ValidationStatus

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from service.graph.store import GraphStore

__all__ = [
    "TaskSet",
    "TaskSetInfo",
    "create_task_set",
    "fabula_of_row",
    "find_task",
    "freeze",
    "get_task_set",
    "list_fabulas",
    "list_task_sets",
    "list_tasks",
    "publish",
    "remove",
    "replace_fabulas",
    "set_digest",
]

_KEY_MARKS: Final = "-_."


@dataclass(frozen=True, slots=True)
class TaskSetInfo:
    """What is said of a new task set.

    Attributes:
        key: Small letters, digits and ``-_.``.
        benchmark: Whose prompts, reading and scores apply.
        language: Of the tasks, two letters.
        corpus: Key of the corpus.
        corpus_version: Its version; the set never changes to another.
        notice: What every answer from the set must say; may be empty.
        canary: That of a set made elsewhere; None for a new one.
    """

    key: str
    title: str
    benchmark: str
    language: str
    corpus: str
    corpus_version: str
    licence: str
    source: str
    notice: str = ""
    canary: str | None = None


@dataclass(frozen=True, slots=True)
class TaskSet:
    """One version of a task set.

    Attributes:
        canary: A string by which a training corpus that swallowed the tasks can be told.
        digest: SHA-256 of corpus version and tasks; None while it is a draft.
    """

    id: int
    key: str
    version: int
    title: str
    benchmark: str
    language: str
    corpus: str
    corpus_version: str
    licence: str
    source: str
    notice: str
    canary: str
    digest: str | None
    created_at: str
    frozen_at: str | None

    @property
    def frozen(self) -> bool:
        """Whether it can no longer change."""
        return self.digest is not None

    @property
    def corpus_uid(self) -> str:
        """``key@version`` of its corpus."""
        return corpus_uid(self.corpus, self.corpus_version)

    @property
    def name(self) -> str:
        """``key@version`` of the set."""
        return f"{self.key}@{self.version}"


async def create_task_set(session: AsyncSession, info: TaskSetInfo, fabulas: Sequence[Fabula] = ()) -> TaskSet:
    """Add a draft; of a key that is there already, its next version.

    Raises:
        InputError: The key has other characters, or a fabula stands twice.
    """
    if not info.key or not all(one.isascii() and (one.isalnum() or one in _KEY_MARKS) for one in info.key):
        raise InputError(f"task set {info.key!r} has no usable key; take letters a–z, digits and {_KEY_MARKS}")
    row = await add_task_set(
        session,
        {
            "key": info.key,
            "title": info.title,
            "benchmark": info.benchmark,
            "language": info.language,
            "corpus": info.corpus,
            "corpus_version": info.corpus_version,
            "licence": info.licence,
            "source": info.source,
            "notice": info.notice,
            "canary": info.canary or f"lexhop-canary {uuid.uuid4()}",
        },
    )
    found = _task_set(row)
    if fabulas:
        await replace_fabulas(session, found, fabulas)
    return found


async def replace_fabulas(session: AsyncSession, task_set: TaskSet, fabulas: Iterable[Fabula]) -> None:
    """Give a draft its fabulas, instead of those it has.

    Raises:
        ConflictError: The set is frozen.
        InputError: A fabula stands twice.
    """
    if task_set.frozen:
        raise ConflictError(f"task set {task_set.name!r} is frozen; make a new version of it")
    rows = []
    seen = set()
    for fabula in fabulas:
        if fabula.id in seen:
            raise InputError(f"fabula {fabula.id!r} stands twice in task set {task_set.name!r}; keep one of them")
        seen.add(fabula.id)
        task = fabula.task(Mode.CLOSED)
        rows.append(
            {
                "fabula_id": fabula.id,
                "type": task.task_type.value,
                "depth": task.depth.value,
                "branch": task.branch,
                "public": task.public,
                "status": task.validation_status.value,
                "record_json": orjson.dumps(
                    {"shared": fabula.shared, "own": {mode.value: own for mode, own in fabula.own.items()}}
                ).decode(),
            }
        )
    await put_fabulas(session, task_set.id, rows)


async def get_task_set(session: AsyncSession, key: str, version: int | None = None) -> TaskSet:
    """Return a version of a set; by default the newest frozen one, else the newest draft. ``key@version`` works too.

    Raises:
        NotFoundError: There is none; the error names the keys or versions there are.
    """
    name, mark, number = key.partition("@")
    if mark and version is None:
        if not number.isdigit():
            raise NotFoundError(f"no task set {key!r}; a version is a number: {name}@1")
        version = int(number)
    rows = await task_set_rows(session, name)
    if not rows:
        keys = tuple(dict.fromkeys(row.key for row in await task_set_rows(session)))
        raise NotFoundError(f"no task set {name!r}; there is {', '.join(keys) or 'none yet'}", nearest=keys)
    if version is None:
        return _task_set(next((row for row in rows if row.digest is not None), rows[0]))
    for row in rows:
        if row.version == version:
            return _task_set(row)
    versions = tuple(f"{name}@{row.version}" for row in rows)
    raise NotFoundError(f"task set {name!r} has no version {version!r}; it has {', '.join(versions)}", nearest=versions)


async def list_task_sets(session: AsyncSession) -> list[TaskSet]:
    """Return all versions of all sets, by key, the newest first."""
    return [_task_set(row) for row in await task_set_rows(session)]


async def list_fabulas(session: AsyncSession, task_set: TaskSet, *, public: bool | None = None) -> list[Fabula]:
    """Return a set's fabulas in its order."""
    return [fabula_of_row(row) for row in await fabula_rows(session, task_set.id, public=public)]


async def list_tasks(
    session: AsyncSession, task_set: TaskSet, *, mode: Mode | None = None, public: bool | None = None
) -> list[Task]:
    """Return a set's tasks in its order, closed before open; those of one mode, or the public ones, when asked so."""
    fabulas = await list_fabulas(session, task_set, public=public)
    return [fabula.task(one) for fabula in fabulas for one in Mode if mode in (None, one)]


async def find_task(session: AsyncSession, task_id: str, task_set: str | None = None) -> tuple[TaskSet, Task]:
    """Return a task by its id, from the newest version of its set.

    Args:
        session: The ledger.
        task_id: With ``_closed`` or ``_open``.
        task_set: Key, or ``key@version``, where an id stands in several sets or a certain version is meant.

    Raises:
        NotFoundError: There is none.
        ConflictError: It stands in several sets; the error names them.
    """
    fabula_id, mark, suffix = task_id.rpartition("_")
    if not mark or suffix not in [mode.value for mode in Mode]:
        raise NotFoundError(f"no task {task_id!r}; a task's id ends in _closed or _open")
    found = [(_task_set(row), fabula) for row, fabula in await find_fabulas(session, fabula_id)]
    if task_set is not None:
        wanted = await get_task_set(session, task_set)
        found = [(one, fabula) for one, fabula in found if one.id == wanted.id]
    else:
        newest: dict[str, TaskSet] = {}
        for one, _ in sorted(found, key=lambda pair: (not pair[0].frozen, -pair[0].version)):
            newest.setdefault(one.key, one)
        found = [(one, fabula) for one, fabula in found if newest[one.key].id == one.id]
    if len(found) > 1:
        keys = tuple(one.key for one, _ in found)
        raise ConflictError(
            f"task {task_id!r} is in several task sets ({', '.join(keys)}); name one by task_set=", choices=keys
        )
    if not found:
        where = f" in task set {task_set!r}" if task_set else ""
        raise NotFoundError(f"no task {task_id!r}{where}; list the tasks of a set by /v1/task-sets/{{key}}/tasks")
    return found[0][0], fabula_of_row(found[0][1]).task(Mode(suffix))


def set_digest(task_set: TaskSet, fabulas: Sequence[Fabula]) -> str:
    """Return the SHA-256 of what scores depend on: benchmark, corpus version, and the tasks by id.

    What was checked or published of a task is not part of it.
    """
    digest = hashlib.sha256(f"{task_set.benchmark}\n{task_set.corpus_uid}\n".encode())
    for fabula in sorted(fabulas, key=lambda one: one.id):
        for mode in Mode:
            record = {key: value for key, value in fabula.record(mode).items() if key not in _NOT_IN_DIGEST}
            digest.update(orjson.dumps(record, option=orjson.OPT_SORT_KEYS) + b"\n")
    return digest.hexdigest()


_NOT_IN_DIGEST: Final = frozenset({"validation_status", "public", "canary", "licence", "source"})


async def freeze(
    session: AsyncSession, store: GraphStore, task_set: TaskSet, *, without_rejected: bool = False
) -> TaskSet:
    """Freeze a draft: it gets its digest, and its corpus version a pin, so that neither changes any more.

    Args:
        session: The ledger.
        store: The graph.
        task_set: The draft; a frozen set stays as it is.
        without_rejected: Leave out the fabulas that a validation rejected.

    Raises:
        ConflictError: It has no fabula.
        NotFoundError: Its corpus version is gone.
    """
    if task_set.frozen:
        return task_set
    fabulas = await list_fabulas(session, task_set)
    if without_rejected:
        rejected = ValidationStatus.REJECTED.value
        fabulas = [one for one in fabulas if one.shared["validation_status"] != rejected]
        await replace_fabulas(session, task_set, fabulas)
    if not fabulas:
        raise ConflictError(f"task set {task_set.name!r} has no fabula; add tasks before it is frozen")
    pinned = await store.write(query("catalog/pin"), uid=task_set.corpus_uid, by=_pin(task_set))
    if not pinned:
        raise NotFoundError(
            f"corpus {task_set.corpus_uid} of task set {task_set.name!r} is gone; load that version again "
            "(lexhop corpus import), or make the set anew over another version"
        )
    await freeze_task_set(session, task_set.id, set_digest(task_set, fabulas))
    return await get_task_set(session, task_set.key, task_set.version)


async def publish(session: AsyncSession, task_set: TaskSet, fabula_ids: frozenset[str]) -> None:
    """Make exactly these fabulas the public part of a set; a frozen set keeps its digest.

    Raises:
        NotFoundError: A fabula is not in the set.
    """
    known = {row.fabula_id for row in await fabula_rows(session, task_set.id)}
    for fabula_id in sorted(fabula_ids - known):
        raise NotFoundError(f"task set {task_set.name!r} has no fabula {fabula_id!r}; publish those it has")
    await set_public(session, task_set.id, fabula_ids)


async def remove(session: AsyncSession, store: GraphStore, task_set: TaskSet) -> None:
    """Remove a version of a set and take its pin back."""
    await remove_task_set(session, task_set.id)
    await store.write(query("catalog/unpin"), uid=task_set.corpus_uid, by=_pin(task_set))


def fabula_of_row(row: FabulaRow) -> Fabula:
    """Return a fabula as the ledger has it; status and publication are the row's."""
    kept: dict[str, Any] = orjson.loads(row.record_json)
    shared = {**kept["shared"], "validation_status": row.status, "public": row.public}
    return Fabula(row.fabula_id, shared, {Mode(mode): own for mode, own in kept["own"].items()})


def _pin(task_set: TaskSet) -> str:
    return f"task set {task_set.name}"


def _task_set(row: TaskSetRow) -> TaskSet:
    return TaskSet(
        id=row.id,
        key=row.key,
        version=row.version,
        title=row.title,
        benchmark=row.benchmark,
        language=row.language,
        corpus=row.corpus,
        corpus_version=row.corpus_version,
        licence=row.licence,
        source=row.source,
        notice=row.notice,
        canary=row.canary,
        digest=row.digest,
        created_at=iso_moment(row.created_at) or "",
        frozen_at=iso_moment(row.frozen_at),
    )
