"""What lies around a norm, and between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from service.domain import RELATION_TYPES, NormId, RelationType
from service.errors import InputError
from service.graph.content import ref_sort_key
from service.graph.levels import LevelReader, OverBudgetError
from service.graph.paths import MOST_HOPS, FoundPaths, PathRequest, find_paths
from service.graph.queries import query
from service.graph.rows import norm_uid

if TYPE_CHECKING:
    from service.graph.store import GraphStore, Row

__all__ = [
    "MOST_DEPTH",
    "Between",
    "Neighbourhood",
    "NeighbourhoodRequest",
    "find_between",
    "find_neighbourhood",
]

MOST_DEPTH = 3
_RELATIONS_A_NORM = 10


@dataclass(frozen=True, slots=True)
class NeighbourhoodRequest:
    """What is wanted of a norm's surroundings.

    Attributes:
        corpus_uid: ``key@version``.
        ref: The norm in the middle.
        depth: Hops, 1 to 3.
        types: Relations walked along and shown.
        direction: Which way relations are walked, seen from the middle.
        as_of: ISO date: leaves out norms not in force then.
        limit: Norms at most, the middle counted.
        relations: Relations read at most.
    """

    corpus_uid: str
    ref: NormId
    depth: int = 1
    types: Sequence[RelationType] = RELATION_TYPES
    direction: Literal["outgoing", "incoming", "both"] = "both"
    as_of: str | None = None
    limit: int = 100
    relations: int = 50_000


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Norms around one, nearest first, those of one distance in the corpus's order.

    Attributes:
        distances: Each norm's distance; the middle's is 0.
        found: How many norms there are within ``complete_to`` hops, the middle counted.
        complete_to: Every norm within so many hops was looked at.
        relations: Rows {type, relation, source, target} among the norms, by ordinal.
        truncated: What was left out: norms beyond the limit, a level beyond the budget, relations beyond 10 a norm.
    """

    distances: dict[NormId, int]
    found: int
    complete_to: int
    relations: tuple[Row, ...]
    truncated: Literal["limit", "relations_read", "relations"] | None


async def find_neighbourhood(store: GraphStore, asked: NeighbourhoodRequest) -> Neighbourhood:
    """Walk around a norm.

    Raises:
        InputError: More hops are asked for than 3.
    """
    if not 1 <= asked.depth <= MOST_DEPTH:
        raise InputError(f"depth {asked.depth} is not between 1 and {MOST_DEPTH}; ask for {MOST_DEPTH} at most")
    reader = LevelReader(
        store,
        asked.corpus_uid,
        asked.types,
        directed=asked.direction != "both",
        as_of=asked.as_of,
        budget=asked.relations,
    )
    distances: dict[NormId, int] = {asked.ref: 0}
    level: list[NormId] = [asked.ref]
    complete_to, truncated = asked.depth, None
    for distance in range(1, asked.depth + 1):
        try:
            read = await reader.read(level, incoming=asked.direction == "incoming")
        except OverBudgetError:
            complete_to, truncated = distance - 1, "relations_read"
            break
        level = sorted({other for others in read.values() for other in others} - distances.keys(), key=ref_sort_key)
        distances.update(dict.fromkeys(level, distance))
    shown = dict(list(distances.items())[: asked.limit])
    most = max(asked.limit, len(shown)) * _RELATIONS_A_NORM
    rows = await store.read(
        query("paths/among"),
        uids=[norm_uid(asked.corpus_uid, ref) for ref in shown],
        types=[one.value for one in asked.types],
        limit=most + 1,
    )
    cut: Literal["limit", "relations_read", "relations"] | None = "relations_read" if truncated else None
    if len(shown) < len(distances):
        cut = "limit"
    elif cut is None and len(rows) > most:
        cut = "relations"
    return Neighbourhood(shown, len(distances), complete_to, tuple(rows[:most]), cut)


@dataclass(frozen=True, slots=True)
class Between:
    """What stands between two norms.

    Attributes:
        shared: Norms related to both, whichever way, in the corpus's order.
        shared_found: How many there are.
        path: The search for a shortest path, relations taken either way, at most 6 hops.
    """

    shared: tuple[NormId, ...]
    shared_found: int
    path: FoundPaths


async def find_between(
    store: GraphStore, corpus_uid: str, one: NormId, other: NormId, *, as_of: str | None, limit: int, relations: int
) -> Between:
    """Look for what two norms have to do with each other.

    Raises:
        InputError: Both are the same norm.
    """
    if one == other:
        raise InputError(f"both norms are {one!r}; name two different norms")
    row = await store.read_one(
        query("paths/shared"),
        a=norm_uid(corpus_uid, one),
        b=norm_uid(corpus_uid, other),
        as_of=as_of,
        limit=limit,
    )
    path = await find_paths(
        store,
        PathRequest(
            corpus_uid, one, other, max_hops=MOST_HOPS, directed=False, as_of=as_of, limit=1, relations=relations
        ),
    )
    refs = tuple(row["refs"]) if row else ()
    return Between(refs, row["total"] if row else 0, path)
