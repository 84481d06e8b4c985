"""Paths between norms, and what lies around them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.schemas import BetweenView, NeighbourhoodView, PathsView
from service.api.scope import AsOf, Scope
from service.api.state import ServiceState, State
from service.domain import RELATION_TYPES, RelationType
from service.graph.walk_answers import Walks

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["walks"])

_NORM = "A norm id, or a citation in words"
_TypesParameter = Annotated[list[RelationType] | None, Query(description="Only relations of these types")]


@router.get("/paths", summary="Paths between two norms", response_model=PathsView)
async def paths(
    state: State,
    scope: Scope,
    start: Annotated[str, Query(alias="from", description=_NORM, examples=["ГК_1064"])],
    end: Annotated[str, Query(alias="to", description=_NORM, examples=["СК_38"])],
    max_hops: Annotated[int, Query(description="Longest path, 1 to 6 relations")] = 4,
    types: _TypesParameter = None,
    directed: Annotated[bool, Query(description="Along the relations' direction only; false: either way")] = True,
    as_of: AsOf = None,
    limit: Annotated[int, Query(description="Paths at most")] = 20,
) -> Response:
    """Simple paths (no norm twice), fewest hops first, each step with its relations in words.

    `complete_to`: every path of up to so many hops is among them. Where a limit or a budget ended the search,
    `truncated_by` says which: `limit` (of paths), `relations` (read) or `steps` (walked).
    """
    return json_answer(
        await _walks(state).paths(
            scope,
            start,
            end,
            max_hops=max_hops,
            types=types or RELATION_TYPES,
            directed=directed,
            as_of=as_of,
            limit=limit,
        )
    )


@router.get("/between", summary="What two norms have to do with each other", response_model=BetweenView)
async def between(
    state: State,
    scope: Scope,
    a: Annotated[str, Query(description=_NORM, examples=["ГК_256"])],
    b: Annotated[str, Query(description=_NORM, examples=["СК_34"])],
    as_of: AsOf = None,
    limit: Annotated[int, Query(description="Shared neighbours at most")] = 50,
) -> Response:
    """Relations either way, norms related to both, and a shortest path of at most 6 hops taken either way."""
    return json_answer(await _walks(state).between(scope, a, b, as_of=as_of, limit=limit))


@router.get(
    "/articles/{norm_id}/neighbourhood", summary="What lies around an article", response_model=NeighbourhoodView
)
async def neighbourhood(
    state: State,
    scope: Scope,
    norm_id: str,
    depth: Annotated[int, Query(description="Hops, 1 to 3")] = 1,
    types: _TypesParameter = None,
    direction: Annotated[
        Literal["outgoing", "incoming", "both"], Query(description="Which way relations are walked")
    ] = "both",
    as_of: AsOf = None,
    limit: Annotated[int, Query(description="Norms at most, the article counted")] = 100,
) -> Response:
    """Norms by distance and every relation among those shown; `truncated_by` says what was left out, if anything."""
    return json_answer(
        await _walks(state).neighbourhood(
            scope,
            norm_id,
            depth=depth,
            types=types or RELATION_TYPES,
            direction=direction,
            as_of=as_of,
            limit=limit,
        )
    )


def _walks(state: ServiceState) -> Walks:
    return Walks(state.settings, state.store, state.finder)
