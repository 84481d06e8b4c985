"""What this service is: versions, limits, licences, notices."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

import service
from service.api.answers import json_answer
from service.api.schemas import MetaView
from service.api.state import State
from service.api.views import corpus_view
from service.graph.exports import NOT_ADVICE

__all__ = ["router"]


router = APIRouter(prefix="/v1", tags=["meta"])


@router.get("/meta", summary="Versions, limits, licences, notices", response_model=MetaView)
async def meta(state: State) -> Response:
    """What runs here, what it holds, and how much one may ask."""
    current = state.watcher.catalog.current()
    settings = state.settings
    limits = {
        "request_bytes": settings.request_bytes,
        "request_seconds": settings.request_seconds,
        "graph_read_seconds": settings.graph_read_seconds,
        "page_limit": settings.page_limit,
        "page_limit_max": settings.page_limit_max,
        "citations_chars": settings.citations_chars,
        "context_seeds_max": settings.context_seeds_max,
        "context_max_chunks": settings.context_max_chunks,
        "context_token_budget": settings.context_token_budget,
        "walk_relations": settings.walk_relations,
        "walk_steps": settings.walk_steps,
        "paths_max": settings.paths_max,
        "norms_max": settings.norms_max,
        "hourly_public": settings.hourly_public,
        "hourly_key": settings.hourly_key,
    }
    notices = [NOT_ADVICE, *dict.fromkeys(one.notice for one in current if one.notice)]
    return json_answer(
        {
            "name": "Lexhop",
            "version": service.__version__,
            "graph": f"Neo4j {state.graph}",
            "licence": "Apache-2.0",
            "notices": notices,
            "corpora": [corpus_view(one) for one in current],
            "limits": limits,
        }
    )
