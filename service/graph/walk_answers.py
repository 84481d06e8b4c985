"""Answers about paths, neighbourhoods and what stands between two norms, the same over HTTP and on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from service.domain import RELATION_TYPES, NormId, RelationType
from service.errors import InputError
from service.graph.finding import Asked, Finder
from service.graph.levels import read_norms, read_steps
from service.graph.neighbourhood import NeighbourhoodRequest, find_between, find_neighbourhood
from service.graph.paths import PathRequest, find_paths
from service.graph.views import in_force, relation_view

if TYPE_CHECKING:
    from service.graph.contents import Contents
    from service.graph.store import GraphStore, Row
    from service.settings import Settings

__all__ = ["NORM_ORDER", "PATH_ORDER", "Walks"]

NORM_ORDER = "nearest first; those of one distance by act, edition and number"
PATH_ORDER = "fewest hops first; those of one length by act, edition and number of their norms, from the start on"


class Walks:
    """Answers questions that walk the graph.

    Args:
        settings: Their limits.
        store: The graph.
        finder: Finds the norms that a question names.
    """

    def __init__(self, settings: Settings, store: GraphStore, finder: Finder) -> None:
        self._settings = settings
        self._store = store
        self._finder = finder

    async def paths(
        self,
        asked: Asked,
        start: str,
        end: str,
        *,
        max_hops: int = 4,
        types: Sequence[RelationType] = RELATION_TYPES,
        directed: bool = True,
        as_of: str | None = None,
        limit: int = 20,
    ) -> dict[str, Any]:
        """Return the paths between two norms as ``PathsView``; the ends by ids or in words.

        Raises:
            InputError: The ends are the same, or more hops or paths are asked for than allowed.
            NotFoundError: No corpus holds both ends.
        """
        settings = self._settings
        _check_limit(limit, settings.paths_max, "LEXHOP_PATHS_MAX")
        contents, (first, last) = await self._finder.norms(asked, [start, end], as_of=as_of)
        uid = contents.version.uid
        found = await find_paths(
            self._store,
            PathRequest(
                uid,
                first,
                last,
                max_hops=max_hops,
                types=types,
                directed=directed,
                as_of=as_of,
                limit=limit,
                relations=settings.walk_relations,
                steps=settings.walk_steps,
            ),
        )
        shown = await self._paths(uid, found.paths, types, directed=directed, as_of=as_of)
        ends = await read_norms(self._store, uid, (first, last))
        return {
            **_head(contents),
            "from": _norm(ends[first], as_of),
            "to": _norm(ends[last], as_of),
            "max_hops": max_hops,
            "directed": directed,
            "types": [one.value for one in types],
            "items": shown,
            "order": PATH_ORDER,
            "truncated": found.truncated is not None,
            "truncated_by": found.truncated,
            "complete_to": found.complete_to,
            "relations_read": found.relations_read,
            "unknown_force": _unknown({norm["norm_id"]: norm for path in shown for norm in path["norms"]}.values()),
        }

    async def between(
        self, asked: Asked, one: str, other: str, *, as_of: str | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """Return what two norms have to do with each other as ``BetweenView``.

        Raises:
            InputError: Both are the same norm, or more shared neighbours are asked for than allowed.
            NotFoundError: No corpus holds both.
        """
        settings = self._settings
        _check_limit(limit, settings.norms_max, "LEXHOP_NORMS_MAX")
        contents, (a, b) = await self._finder.norms(asked, [one, other], as_of=as_of)
        uid = contents.version.uid
        found = await find_between(self._store, uid, a, b, as_of=as_of, limit=limit, relations=settings.walk_relations)
        pairs = [(a, b), (b, a)]
        pairs += [pair for ref in found.shared for end in (a, b) for pair in ((end, ref), (ref, end))]
        steps = await read_steps(self._store, uid, pairs, RELATION_TYPES)
        norms = await read_norms(self._store, uid, (a, b, *found.shared))
        shown = await self._paths(uid, found.path.paths[:1], RELATION_TYPES, directed=False, as_of=as_of)
        shared = [
            {
                **_norm(norms[ref], as_of),
                "with_a": _relations(steps, (a, ref), (ref, a)),
                "with_b": _relations(steps, (b, ref), (ref, b)),
            }
            for ref in found.shared
        ]
        return {
            **_head(contents),
            "a": _norm(norms[a], as_of),
            "b": _norm(norms[b], as_of),
            "relations": _relations(steps, (a, b), (b, a)),
            "shared": shared,
            "shared_found": found.shared_found,
            "order": "by act, edition and number",
            "truncated": found.shared_found > len(shared),
            "path": shown[0] if shown else None,
            # Without a path the search may have ended by its budget: then nobody knows beyond complete_to.
            "path_searched_to": found.path.complete_to if not shown else shown[0]["hops"],
            "unknown_force": _unknown(shared),
        }

    async def neighbourhood(
        self,
        asked: Asked,
        norm: str,
        *,
        depth: int = 1,
        types: Sequence[RelationType] = RELATION_TYPES,
        direction: Literal["outgoing", "incoming", "both"] = "both",
        as_of: str | None = None,
        limit: int = 100,
    ) -> dict[str, Any]:
        """Return what lies around a norm as ``NeighbourhoodView``.

        Raises:
            InputError: More hops or norms are asked for than allowed.
        """
        _check_limit(limit, self._settings.norms_max, "LEXHOP_NORMS_MAX")
        contents, ref = await self._finder.norm(asked, norm, as_of=as_of)
        uid = contents.version.uid
        found = await find_neighbourhood(
            self._store,
            NeighbourhoodRequest(
                uid,
                ref,
                depth=depth,
                types=types,
                direction=direction,
                as_of=as_of,
                limit=limit,
                relations=self._settings.walk_relations,
            ),
        )
        norms = await read_norms(self._store, uid, found.distances)
        shown = [{**_norm(norms[one], as_of), "distance": distance} for one, distance in found.distances.items()]
        return {
            **_head(contents),
            "norm_id": ref,
            "depth": depth,
            "norms": shown,
            "relations": [_edge(row) for row in found.relations],
            "found": found.found,
            "complete_to": found.complete_to,
            "order": NORM_ORDER,
            "truncated": found.truncated is not None,
            "truncated_by": found.truncated,
            "unknown_force": _unknown(shown),
        }

    async def _paths(
        self,
        uid: str,
        paths: Sequence[Sequence[NormId]],
        types: Sequence[RelationType],
        *,
        directed: bool,
        as_of: str | None,
    ) -> list[dict[str, Any]]:
        hops = [pair for path in paths for pair in pairwise(path)]
        steps = await read_steps(self._store, uid, hops if directed else [*hops, *(hop[::-1] for hop in hops)], types)
        norms = await read_norms(self._store, uid, (ref for path in paths for ref in path))
        return [
            {
                "hops": len(path) - 1,
                "norms": [_norm(norms[ref], as_of) for ref in path],
                "steps": [
                    {"from": one, "to": other, "relations": _relations(steps, (one, other), (other, one))}
                    for one, other in pairwise(path)
                ],
            }
            for path in paths
        ]


def _check_limit(limit: int, most: int, setting: str) -> None:
    if not 1 <= limit <= most:
        raise InputError(f"limit {limit} is not between 1 and {most} ({setting}); ask for less")


def _head(contents: Contents) -> dict[str, Any]:
    version = contents.version
    return {"corpus": version.key, "version": version.version, "notice": version.notice}


def _norm(article: Row, as_of: str | None) -> dict[str, Any]:
    return {
        "norm_id": article["ref"],
        "title": article["title"],
        "act": article["act"],
        "repealed": article["repealed"],
        "in_force": in_force(article, as_of),
    }


def _relations(steps: dict[tuple[NormId, NormId], Row], *pairs: tuple[NormId, NormId]) -> list[dict[str, Any]]:
    rows = [steps[pair] for pair in pairs if pair in steps]
    return [relation_view(row["type"], row["relation"], row["source"], row["target"]) for row in rows]


def _edge(row: Row) -> dict[str, Any]:
    relation = row["relation"]
    return {
        "source": row["source"]["ref"],
        "target": row["target"]["ref"],
        "type": row["type"],
        "family": RelationType(row["type"]).family.value,
        "basis": relation["source"],
        "confidence": relation["confidence"],
        "explanation": relation["explanation"],
        "cue": relation["cue"],
    }


def _unknown(norms: Any) -> int:
    return sum(norm["in_force"] == "unknown" for norm in norms)
