"""The corpora and their versions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

import orjson
from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.paging import CursorParameter, LimitParameter, page_limit, page_of
from service.api.schemas import CorpusView, DiffView, Page
from service.api.state import State
from service.api.streams import GraphFormat, streamed
from service.api.views import corpus_view
from service.graph.archive import archive_header
from service.graph.diff import diff_versions, diff_view
from service.graph.exports import export_header, graphml, node_link
from service.graph.reading import stream_lines

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


@router.get("/corpora/{key}/diff", summary="What changed between two versions", response_model=DiffView)
async def diff(
    state: State,
    key: str,
    earlier: Annotated[str, Query(alias="from", description="A version, or its first digits")],
    later: Annotated[str | None, Query(alias="to", description="Another one; by default the current version")] = None,
    limit: LimitParameter = None,
) -> Response:
    """Articles added, removed and changed, with a unified diff of each changed wording; relations gained, lost, retyped.

    `limit` bounds each of the six lists; `counts` has them all.
    """
    catalog = state.watcher.catalog
    found = await diff_versions(
        state.store,
        catalog.find(key, earlier),
        catalog.find(key, later),
        limit=page_limit(limit, state.settings),
    )
    return json_answer(diff_view(found))


@router.get("/corpora/{key}/export", summary="A whole version as a file", response_class=Response)
async def export(
    state: State,
    key: str,
    form: Annotated[
        GraphFormat,
        Query(alias="format", description="ndjson (importable, texts included), graphml or node-link (without texts)"),
    ] = GraphFormat.NDJSON,
    version: Annotated[str | None, Query(description="A version, or its first digits")] = None,
) -> Response:
    """Streamed. `ndjson` is what `lexhop corpus import` takes; the others are for tools that draw or analyse graphs."""
    found = state.watcher.catalog.find(key, version)
    contents = await state.watcher.contents(found)
    header = export_header(contents)
    if form is GraphFormat.GRAPHML:
        return await streamed(form, found.uid, header, graphml(state.store, contents))
    if form is GraphFormat.NODE_LINK:
        return await streamed(form, found.uid, header, node_link(state.store, contents))

    async def lines() -> AsyncIterator[bytes]:
        yield orjson.dumps(archive_header(found.key, found.version)) + b"\n"
        async for block in stream_lines(state.store, found):
            yield block

    return await streamed(form, found.uid, header, lines())
