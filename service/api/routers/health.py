"""Whether the service lives, whether it can serve, and its figures."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.schemas import ReadyView
from service.api.state import State

__all__ = ["router"]

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Whether the process lives")
async def healthz() -> Response:
    """Answers as long as the process does; asks nobody else."""
    return json_answer({"alive": True})


@router.get("/readyz", summary="Whether the service can serve", response_model=ReadyView)
async def readyz(state: State) -> Response:
    """Really asks the graph and the ledger; 503 when one does not answer."""
    version = await state.store.verify()
    await state.ledger.ping()
    catalog = await state.watcher.refresh()
    return json_answer(
        {"ready": True, "graph": f"Neo4j {version}", "ledger": state.ledger.kind, "corpora": len(catalog.current())}
    )


@router.get("/metrics", summary="Figures for Prometheus", response_class=Response)
async def metrics(state: State) -> Response:
    """Prometheus' text format."""
    figures = state.metrics
    figures.graph_up.set(1 if state.watcher.healthy else 0)
    if state.watcher.healthy:
        for one in state.watcher.catalog.current():
            figures.corpora.labels(one.key, one.version).set(one.counts.get("articles", 0))
    return Response(figures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
