"""What an evaluation needs from elsewhere: the tasks of a set, and the law that it is pinned to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from service.benchmarks import Law

__all__ = ["Laws", "Records"]


class Records(Protocol):
    """Finds tasks in their benchmark's own exchange format."""

    async def records(self, task_set: str, task_ids: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return the records of some tasks of a set (``key@version``), by id.

        Raises:
            NotFoundError: One of them is not in the set.
        """


class Laws(Protocol):
    """Finds the version of a corpus that answers are read against."""

    async def law(self, corpus: str, version: str) -> Law:
        """Return it.

        Raises:
            NotFoundError: The graph does not hold it.
        """
