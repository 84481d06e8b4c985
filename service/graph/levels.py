"""Walks read the graph level by level: one query for all norms of a level, within a budget of relations read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from service.domain import RELATION_TYPES, NormId, RelationType
from service.graph.queries import query
from service.graph.rows import norm_uid

if TYPE_CHECKING:
    from service.graph.store import GraphStore, Row

__all__ = ["LevelReader", "OverBudgetError", "read_norms", "read_steps"]

_BOTH = (0, 1)


class OverBudgetError(Exception):
    """A level has more relations than a walk may still read; never leaves a walk."""


@dataclass
class LevelReader:
    """Reads levels of one walk.

    Attributes:
        store: The graph.
        corpus_uid: ``key@version``; a walk never leaves it, since no relation does.
        types: Relations walked along.
        directed: Whether relations are walked along their direction only.
        as_of: ISO date: norms not in force then are not walked to.
        keep: Norms that are walked to all the same: the ends that somebody named.
        budget: Relations that the walk may still read.
    """

    store: GraphStore
    corpus_uid: str
    types: Sequence[RelationType] = RELATION_TYPES
    directed: bool = False
    as_of: str | None = None
    keep: Sequence[NormId] = ()
    budget: int = 50_000
    spent: int = 0
    _known: dict[tuple[NormId, tuple[int, ...]], frozenset[NormId]] = field(default_factory=dict)

    async def read(self, refs: Iterable[NormId], *, incoming: bool = False) -> Mapping[NormId, frozenset[NormId]]:
        """Return for each norm those one step away; ``incoming`` walks against the direction.

        Raises:
            OverBudgetError: The level has more relations than may still be read.
        """
        ways = ((1,) if incoming else (0,)) if self.directed else _BOTH
        wanted = list(dict.fromkeys(refs))
        unknown = [ref for ref in wanted if (ref, ways) not in self._known]
        if unknown:
            room = self.budget - self.spent
            rows = await self.store.read(
                query("paths/level"),
                uids=[norm_uid(self.corpus_uid, ref) for ref in unknown],
                ways=list(ways),
                types=[one.value for one in self.types],
                as_of=self.as_of,
                keep=[norm_uid(self.corpus_uid, ref) for ref in self.keep],
                limit=room + 1,
            )
            read = sum(len(row["others"]) for row in rows)
            self.spent += read
            if read > room:
                raise OverBudgetError
            found = {row["ref"]: frozenset(row["others"]) for row in rows}
            for ref in unknown:
                self._known[ref, ways] = found.get(ref, frozenset())
        return {ref: self._known[ref, ways] for ref in wanted}


async def read_norms(store: GraphStore, corpus_uid: str, refs: Iterable[NormId]) -> dict[NormId, Row]:
    """Return the properties of norms, without their texts, in the order given."""
    uids = [norm_uid(corpus_uid, ref) for ref in dict.fromkeys(refs)]
    if not uids:
        return {}
    rows = await store.read(query("articles/named"), uids=uids)
    return {row["article"]["ref"]: row["article"] for row in rows}


async def read_steps(
    store: GraphStore, corpus_uid: str, pairs: Iterable[tuple[NormId, NormId]], types: Sequence[RelationType]
) -> dict[tuple[NormId, NormId], Row]:
    """Return the relation from the one to the other, for those ordered pairs that have one of these types."""
    asked = [[norm_uid(corpus_uid, one), norm_uid(corpus_uid, other)] for one, other in dict.fromkeys(pairs)]
    if not asked:
        return {}
    rows = await store.read(query("paths/steps"), pairs=asked, types=[one.value for one in types])
    return {(row["source"]["ref"], row["target"]["ref"]): row for row in rows}
