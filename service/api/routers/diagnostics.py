"""Figures of a corpus's graph."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.schemas import DiagnosticsView
from service.api.scope import Scope, scope_of
from service.api.state import State
from service.graph.diagnostics import diagnose, read_edges, read_nodes

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["diagnostics"])


@router.get("/diagnostics", summary="Figures of the graph", response_model=DiagnosticsView)
async def diagnostics(state: State, scope: Scope) -> Response:
    """The figures of MHGB's `graph_diagnostics_v2.json`, under the same names, and what was left out."""
    version = scope_of(state, scope)
    nodes = read_nodes(await state.watcher.contents(version))
    edges = await read_edges(state.store, version.uid)
    figures = await asyncio.to_thread(diagnose, nodes, edges)
    return json_answer(
        {
            "corpus": version.key,
            "version": version.version,
            "notice": version.notice,
            **figures,
            "relations_by_basis": version.counts.get("relations_by_source", {}),
            "left_out": version.left_out,
        }
    )
