"""The relations of a corpus."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.paging import (
    CursorParameter,
    CursorShape,
    LimitParameter,
    PlaceNumber,
    PlaceText,
    next_cursor,
    page_limit,
    read_cursor,
)
from service.api.schemas import Page, RelationView
from service.api.scope import Asked, AsOf, Scope, check_date, find_act, scope_of, version_of_cursor
from service.api.state import State
from service.api.streams import ROWS_TOO, FormatParameter, RowFormat, row_format, streamed_rows
from service.api.views import relation_view
from service.domain import RELATION_TYPES, Family, RelationSource, RelationType
from service.graph.exports import RELATION_COLUMNS, export_header, relation_items
from service.graph.pages import RelationFilter, relation_rows, types_wanted

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["relations"])

_CURSOR = CursorShape(
    PlaceNumber,
    type=list[RelationType],
    act=PlaceText,
    cross_act=bool,
    as_of=PlaceText,
    source=list[RelationSource],
)


@router.get("/relations", summary="Relations of a corpus", response_model=Page[RelationView], responses=ROWS_TOO)
async def relations(
    request: Request,
    state: State,
    scope: Scope,
    type: Annotated[list[RelationType] | None, Query(description="Only these types")] = None,  # noqa: A002 - the API's word
    family: Annotated[Family | None, Query(description="Only types of this family")] = None,
    act: Annotated[str | None, Query(description="Only those with an end in this act", examples=["ГК"])] = None,
    cross_act: Annotated[bool | None, Query(description="Only those between acts, or only those inside one")] = None,
    source: Annotated[list[RelationSource] | None, Query(description="Only types resting on these")] = None,
    as_of: AsOf = None,
    form: FormatParameter = None,
    limit: LimitParameter = None,
    cursor: CursorParameter = None,
) -> Response:
    """By type, then by the target's place, then by the source's.

    As `ndjson` (a header line first) or `csv` all rows are streamed, or as many as `limit` says; what they are of also
    stands in the header `X-Lexhop-Export`.
    """
    if as_of is not None:
        check_date(as_of)
    filters: dict[str, Any] = {
        "type": [one.value for one in types_wanted(type, family)] if type or family else None,
        "act": act,
        "cross_act": cross_act,
        "as_of": as_of,
        "source": [one.value for one in source] if source else None,
    }
    after, place = -1, None
    if cursor is not None:
        place = read_cursor(
            "relations", cursor, corpus=scope.corpus, version=scope.version, filters=filters, shape=_CURSOR
        )
        after, filters = place.after, place.filters
    version = version_of_cursor(state, place) if place else scope_of(state, scope)
    if filters["act"]:
        await find_act(state, Asked(version.key, version.version), str(filters["act"]))
    wanted = RelationFilter(
        types=RELATION_TYPES if filters["type"] is None else tuple(map(RelationType, filters["type"])),
        sources=tuple(map(RelationSource, filters["source"] or RelationSource)),
        act=filters["act"],
        cross_act=filters["cross_act"],
        as_of=filters["as_of"],
    )
    wanted_form = row_format(request, form)
    if wanted_form is not RowFormat.JSON:
        header = export_header(await state.watcher.contents(version))
        items = relation_items(state.store, version, wanted, after=after, most=limit)
        return await streamed_rows(wanted_form, f"relations-{version.uid}", header, RELATION_COLUMNS, items)
    rows = await relation_rows(
        state.store, version.uid, wanted, after=after, limit=page_limit(limit, state.settings) + 1
    )
    shown = rows[: page_limit(limit, state.settings)]
    following = None
    if len(rows) > len(shown):
        last = shown[-1]["relation"]["ordinal"]
        following = next_cursor("relations", version.key, version.version, last, filters)
    return json_answer(
        {
            "corpus": version.key,
            "version": version.version,
            "notice": version.notice,
            "items": [relation_view(row["type"], row["relation"], row["source"], row["target"]) for row in shown],
            "next": following,
        }
    )
