"""Articles and how they relate."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.paging import (
    CursorParameter,
    CursorShape,
    LimitParameter,
    PlaceNumber,
    PlaceText,
    foreign_cursor,
    next_cursor,
    page_limit,
    read_cursor,
)
from service.api.schemas import ArticleLine, ArticleView, Page, RelationView, SearchPage
from service.api.scope import Asked, AsOf, Scope, check_date, find_norm, scope_of, version_of_cursor
from service.api.state import ServiceState, State
from service.api.streams import ROWS_TOO, FormatParameter, RowFormat, row_format, streamed_rows
from service.api.views import article_line, article_view, related_view, search_view
from service.domain import RELATION_TYPES, RelationSource, RelationType
from service.errors import InputError
from service.graph.contents import Contents
from service.graph.exports import ARTICLE_COLUMNS, article_items, export_header
from service.graph.pages import ArticleFilter, article_filter, article_rows, read_article, related_rows
from service.graph.search import SearchRequest, add_highlights, search

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["articles"])

# A list goes on behind a sort key, a search behind so many.
_CURSOR = CursorShape(
    PlaceNumber | PlaceText, q=PlaceText, act=PlaceText, branch=PlaceText, repealed=bool, as_of=PlaceText
)
_RELATIONS_CURSOR = CursorShape(
    tuple[PlaceNumber, PlaceNumber],
    norm=PlaceText,
    direction=Literal["outgoing", "incoming", "both"],
    type=list[RelationType],
    source=list[RelationSource],
    as_of=PlaceText,
)

_Q = (
    "Words to search for, or a citation: norms that it names come first, then what its words find in any of their forms. "
    "At most 200 in all"
)


@router.get(
    "/articles",
    summary="Articles of a corpus, in its order or by a search",
    response_model=SearchPage | Page[ArticleLine],
    responses=ROWS_TOO,
)
async def articles(
    request: Request,
    state: State,
    scope: Scope,
    q: Annotated[str | None, Query(description=_Q, examples=["с какого возраста можно работать"])] = None,
    act: Annotated[str | None, Query(description="Only this act's", examples=["ГК"])] = None,
    branch: Annotated[str | None, Query(description="Only acts of this branch of law", examples=["civil"])] = None,
    repealed: Annotated[bool | None, Query(description="Only repealed ones, or only others")] = None,
    as_of: AsOf = None,
    form: FormatParameter = None,
    limit: LimitParameter = None,
    cursor: CursorParameter = None,
) -> Response:
    """One line an article, by act and number; with `q` those found, best first, at most 200 in all.

    As `ndjson` (a header line first) or `csv` all rows are streamed, or as many as `limit` says; what they are of also
    stands in the header `X-Lexhop-Export`.
    """
    wanted_form = row_format(request, form)
    if as_of is not None:
        check_date(as_of)
    filters: dict[str, Any] = {"q": q, "act": act, "branch": branch, "repealed": repealed, "as_of": as_of}
    after: str | int = ""
    place = None
    if cursor is not None:
        place = read_cursor(
            "articles", cursor, corpus=scope.corpus, version=scope.version, filters=filters, shape=_CURSOR
        )
        after, filters = place.after, place.filters
        if isinstance(after, int) is (filters["q"] is None):
            raise foreign_cursor(cursor)
    contents = await state.watcher.contents(version_of_cursor(state, place) if place else scope_of(state, scope))
    version = contents.version
    filtered = await article_filter(state.finder, contents, filters)
    if filters["q"] is not None:
        if form not in (None, RowFormat.JSON):
            raise InputError(f"format {str(form)!r} does not go with q; a search answers in pages of JSON")
        return await _search(state, contents, filtered, filters, begin=int(after or 0), limit=limit)
    if wanted_form is not RowFormat.JSON:
        header = export_header(contents)
        items = article_items(state.store, contents, filtered, after=str(after), most=limit)
        return await streamed_rows(wanted_form, f"articles-{version.uid}", header, ARTICLE_COLUMNS, items)
    rows = await article_rows(
        state.store, contents, filtered, after=str(after), limit=page_limit(limit, state.settings) + 1
    )
    shown = rows[: page_limit(limit, state.settings)]
    following = None
    if len(rows) > len(shown):
        last = shown[-1]["article"]["sort_key"]
        following = next_cursor("articles", version.key, version.version, last, filters)
    return json_answer(
        {
            "corpus": version.key,
            "version": version.version,
            "notice": version.notice,
            "items": [article_line(row["article"]) for row in shown],
            "next": following,
        }
    )


async def _search(
    state: ServiceState,
    contents: Contents,
    filtered: ArticleFilter,
    filters: dict[str, Any],
    *,
    begin: int,
    limit: int | None,
) -> Response:
    version = contents.version
    asked = SearchRequest(str(filters["q"]), filtered.act, filtered.branch, filtered.repealed, filtered.as_of)
    found = await search(state.store, contents, asked)
    end = begin + page_limit(limit, state.settings)
    shown = await add_highlights(state.store, contents, found.hits[begin:end], found.words)
    following = None
    if end < len(found.hits):
        following = next_cursor("articles", version.key, version.version, end, filters)
    return json_answer(search_view(contents, found, shown, begin=begin, as_of=filtered.as_of) | {"next": following})


@router.get("/articles/{norm_id}", summary="One article", response_model=ArticleView)
async def article(state: State, scope: Scope, norm_id: str, as_of: AsOf = None) -> Response:
    """By its norm id (`ГК_1064`) or by a citation in words (`ст. 1064 ГК`)."""
    contents, ref = await find_norm(state, scope, norm_id, as_of=as_of)
    row = await read_article(state.store, contents, ref)
    return json_answer(article_view(contents, row, as_of))


@router.get("/articles/{norm_id}/relations", summary="How an article relates", response_model=Page[RelationView])
async def relations(
    state: State,
    scope: Scope,
    norm_id: str,
    direction: Annotated[Literal["outgoing", "incoming", "both"], Query(description="Seen from this article")] = "both",
    type: Annotated[list[RelationType] | None, Query(description="Only these types")] = None,  # noqa: A002 - the API's word
    source: Annotated[list[RelationSource] | None, Query(description="Only types resting on these")] = None,
    as_of: AsOf = None,
    limit: LimitParameter = None,
    cursor: CursorParameter = None,
) -> Response:
    """Outgoing relations first, each way by type and then by the other norm's place."""
    list_name = "relations of an article"
    if cursor is not None:
        begun = read_cursor(
            list_name, cursor, corpus=scope.corpus, version=scope.version, filters={}, shape=_RELATIONS_CURSOR
        )
        going_on = version_of_cursor(state, begun)
        scope = Asked(going_on.key, going_on.version)
    contents, ref = await find_norm(state, scope, norm_id, as_of=as_of)
    version = contents.version
    filters: dict[str, Any] = {
        "norm": ref,
        "direction": direction,
        "type": [one.value for one in type or RELATION_TYPES],
        "source": [one.value for one in source or RelationSource],
        "as_of": as_of,
    }
    way, ordinal = -1, -1
    if cursor is not None:
        held: dict[str, Any] = {"norm": ref, "as_of": as_of}
        place = read_cursor(list_name, cursor, corpus=None, version=None, filters=held, shape=_RELATIONS_CURSOR)
        (way, ordinal), filters = place.after, place.filters
    rows = await related_rows(
        state.store,
        version.uid,
        ref,
        types=filters["type"],
        sources=filters["source"],
        direction=filters["direction"],
        after=(way, ordinal),
        as_of=filters["as_of"],
        limit=page_limit(limit, state.settings) + 1,
    )
    shown = rows[: page_limit(limit, state.settings)]
    following = None
    if len(rows) > len(shown):
        last = [shown[-1]["way"], shown[-1]["relation"]["ordinal"]]
        following = next_cursor(list_name, version.key, version.version, last, filters)
    return json_answer(
        {
            "corpus": version.key,
            "version": version.version,
            "notice": version.notice,
            "items": [related_view(row) for row in shown],
            "next": following,
        }
    )
