"""The corpora and their versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.paging import CursorParameter, LimitParameter, page_of
from service.api.schemas import CorpusView, Page
from service.api.state import State
from service.api.views import corpus_view

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["corpora"])


@router.get("/corpora", summary="Corpora and their versions", response_model=Page[CorpusView])
async def corpora(
    state: State,
    current: Annotated[bool, Query(description="Only the current version of each")] = False,
    limit: LimitParameter = None,
    cursor: CursorParameter = None,
) -> Response:
    """Every whole version, oldest first within its corpus."""
    catalog = state.watcher.catalog
    versions = catalog.current() if current else catalog.versions
    rows, following = page_of(
        "corpora", versions, lambda one: one.uid, limit=limit, cursor=cursor, settings=state.settings
    )
    return json_answer({"items": [corpus_view(one) for one in rows], "next": following})
