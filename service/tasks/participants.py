"""The open-book context of a task and the conditions under which participants get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.context import Configuration, Context, ContextRequest, build_context
from service.domain import Language, Mode
from service.errors import InputError, NotFoundError
from service.graph.contents import Contents
from service.tasks.record import Task

if TYPE_CHECKING:
    from service.graph.catalog import Catalog, CorpusVersion
    from service.graph.store import GraphStore
    from service.tasks.sets import TaskSet

__all__ = ["LEAST_CHUNKS", "LEAST_TOKENS", "Conditions", "task_context", "version_of_set"]

LEAST_CHUNKS: Final = 20
"""Fewest chunks that a participant may ask for: seeds are always in, so that a small number would leave them alone."""

LEAST_TOKENS: Final = 20_000
"""Smallest token budget that a participant may ask for, for the same reason."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the context of tasks is built; part of a run's fingerprint.

    Attributes:
        configuration: What it tells beside the norms.
        token_budget: Tokens of all chunks.
        max_chunks: Chunks in all.
    """

    configuration: Configuration = Configuration.FULL_GRAPH
    token_budget: int = 40_000
    max_chunks: int = 25

    def check_for_participants(self) -> None:
        """Check that a context under these conditions does not tell its seeds.

        Raises:
            InputError: Seeds, which are gold, would stand out.
        """
        if self.configuration is not Configuration.FULL_GRAPH:
            raise InputError(
                f"configuration {self.configuration.value!r} lets the seeds be told from their neighbours; without access "
                f"to gold take {Configuration.FULL_GRAPH.value!r}"
            )
        for name, value, least in (
            ("max_chunks", self.max_chunks, LEAST_CHUNKS),
            ("token_budget", self.token_budget, LEAST_TOKENS),
        ):
            if value < least:
                raise InputError(
                    f"{name} {value!r} leaves little but the seeds in the context; without access to gold take {least} "
                    "or more"
                )


def version_of_set(catalog: Catalog, task_set: TaskSet) -> CorpusVersion:
    """Return the corpus version that a set is pinned to.

    Raises:
        NotFoundError: It is gone.
    """
    try:
        return catalog.find(task_set.corpus, task_set.corpus_version)
    except NotFoundError as error:
        raise NotFoundError(
            f"corpus {task_set.corpus_uid} of task set {task_set.name!r} is gone; load that version again "
            "(lexhop corpus import FILE)",
            nearest=error.nearest,
        ) from error


async def task_context(store: GraphStore, contents: Contents, task: Task, conditions: Conditions) -> Context:
    """Build the context of an open task from the graph, whatever its record holds.

    Args:
        store: The graph.
        contents: The corpus version of the task's set.
        task: The task.
        conditions: How it is built.

    Raises:
        InputError: The task is closed.
        NotFoundError: A norm of the chain is not in this version.
    """
    if task.mode is not Mode.OPEN:
        raise InputError(f"task {task.id!r} is closed and has no context; ask for {task.fabula_id}_open")

    def language_of(act: str) -> Language:
        return contents.languages[act]

    return await build_context(
        store,
        ContextRequest(
            corpus_uid=contents.version.uid,
            seeds=task.norm_ids,
            order_key=task.id,
            configuration=conditions.configuration,
            token_budget=conditions.token_budget,
            max_chunks=conditions.max_chunks,
        ),
        language_of=language_of,
        notice=contents.version.notice,
    )
