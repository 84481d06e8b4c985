"""Task sets and tasks, each caller's view by tier."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

from service.api.access import Asker
from service.api.answers import json_answer
from service.api.bodies import MOST_TOKENS
from service.api.paging import (
    CursorParameter,
    CursorShape,
    LimitParameter,
    PlaceNumber,
    PlaceText,
    next_cursor,
    page_limit,
    page_of,
    read_cursor,
)
from service.api.schemas import Page
from service.api.state import ServiceState, State
from service.api.task_schemas import (
    PromptView,
    ReviewBody,
    ReviewView,
    TaskContextView,
    TaskLine,
    TaskSetView,
    TaskView,
)
from service.context import Configuration
from service.db import Principal, Tier, cell_counts, fabula_rows
from service.domain import Depth, Mode, TaskType
from service.tasks import (
    PARTICIPANT,
    Conditions,
    Prompts,
    Task,
    TaskSet,
    cell_sample,
    chosen_tasks,
    fabula_of_row,
    find_task,
    get_task_set,
    gold_view,
    list_task_sets,
    list_tasks,
    participant_prompt,
    participant_view,
    read_prompts,
    require_participation,
    require_tier,
    review_task,
    set_tier,
    task_context,
    version_of_set,
)

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["router"]

router = APIRouter(tags=["tasks"])

_ROBOTS = "User-agent: *\nDisallow: /v1/\n"
_KeyPath = Annotated[str, Path(description="Key of the task set, or key@version", examples=["sample"])]
_IdPath = Annotated[str, Path(description="Id of the task, with _closed or _open")]
_SetQuery = Annotated[str | None, Query(description="Key of the task set, where an id stands in several")]
_TokensQuery = Annotated[
    int | None, Query(ge=1, le=MOST_TOKENS, description="Tokens of all chunks; the default is a setting")
]
_ChunksQuery = Annotated[int | None, Query(ge=1, le=1000, description="Chunks in all; the default is a setting")]
_ConfigurationQuery = Annotated[Configuration, Query(description="What it tells beside the norms")]


class View(StrEnum):
    """How much of a task is shown."""

    LINE = "line"
    PARTICIPANT = "participant"
    GOLD = "gold"


_TASKS_CURSOR = CursorShape(PlaceNumber, set=PlaceText, mode=Mode, type=TaskType, depth=Depth, view=View)


@router.get("/robots.txt", include_in_schema=False)
async def robots() -> Response:
    """Keep crawlers away from what must not get into training corpora."""
    return PlainTextResponse(_ROBOTS)


@router.get("/v1/task-sets", summary="Task sets", response_model=Page[TaskSetView])
async def task_sets(
    state: State, asker: Asker, limit: LimitParameter = None, cursor: CursorParameter = None
) -> Response:
    """Frozen sets with their counts; drafts are shown to those with the tier full."""
    async with state.ledger.read() as session:
        found = [
            one
            for one in await list_task_sets(session)
            if one.frozen or (await _tier(state, session, asker, one)) is Tier.FULL
        ]
        counted = await cell_counts(session, [one.id for one in found])
    rows, following = page_of(
        "task-sets", found, lambda one: one.name, limit=limit, cursor=cursor, settings=state.settings
    )
    return json_answer({"items": [_set_view(one, counted) for one in rows], "next": following})


@router.get("/v1/task-sets/{key}/tasks", summary="Tasks of a set", response_model=Page[TaskLine | TaskView])
async def tasks_of_set(
    state: State,
    asker: Asker,
    key: _KeyPath,
    mode: Annotated[Mode | None, Query(description="Only this mode")] = None,
    type: Annotated[TaskType | None, Query(description="Only this type")] = None,  # noqa: A002 - the API's word
    depth: Annotated[Depth | None, Query(description="Only this depth")] = None,
    view: Annotated[View | None, Query(description="line (the default): id and cell; participant; gold")] = None,
    limit: LimitParameter = None,
    cursor: CursorParameter = None,
) -> Response:
    """Public tasks; with the tier browse all ids and cells; with the tier full everything."""
    filters: dict[str, Any] = {"set": key, "mode": mode, "type": type, "depth": depth, "view": view}
    after = -1
    if cursor is not None:
        place = read_cursor("tasks", cursor, corpus=None, version=None, filters=filters, shape=_TASKS_CURSOR)
        after, filters = place.after, place.filters
    shown = View(filters["view"] or View.LINE)
    async with state.ledger.read() as session:
        task_set = await get_task_set(session, key)
        tier = await _tier(state, session, asker, task_set)
        if not task_set.frozen:
            require_tier(tier, Tier.FULL, asker, task_set, "a draft")
        # Content in bulk is for the tier full; one step below it there are ids and cells.
        everything = tier is Tier.FULL or (tier is Tier.BROWSE and shown is View.LINE)
        size = page_limit(limit, state.settings)
        rows = await fabula_rows(
            session,
            task_set.id,
            # A fabula is two tasks: the cursor counts tasks.
            after=after // 2 if after % 2 else after // 2 - 1,
            limit=size + 1,
            public=None if everything else True,
            task_type=filters["type"],
            depth=filters["depth"],
        )
    found = [
        (row.place * 2 + number, fabula_of_row(row).task(one))
        for row in rows
        for number, one in enumerate(Mode)
        if filters["mode"] in (None, one) and row.place * 2 + number > after
    ]
    following = next_cursor("tasks", "", "", found[size - 1][0], filters) if len(found) > size else None
    items = [_task_view(one, shown) for _, one in found[:size]]
    answer = {
        "corpus": task_set.corpus,
        "version": task_set.corpus_version,
        "notice": "; ".join(one for one in (task_set.notice, task_set.licence, task_set.canary) if one),
        "items": items,
        "next": following,
    }
    return _noindex(json_answer(answer))


@router.get("/v1/tasks/{id}", summary="One task", response_model=TaskView)
async def task(
    state: State,
    asker: Asker,
    request: Request,
    id: _IdPath,  # noqa: A002 - the API's word
    task_set: _SetQuery = None,
    gold: Annotated[bool, Query(description="With its answer key, where the tier allows it")] = False,
) -> Response:
    """What a participant sees of it; the answer key only when asked for and allowed."""
    _, found, _ = await _open_task(state, asker, request, id, task_set, gold=gold)
    return _noindex(json_answer(_task_view(found, View.GOLD if gold else View.PARTICIPANT)))


@router.get("/v1/tasks/{id}/context", summary="The open-book context of a task", response_model=TaskContextView)
async def context_of_task(
    state: State,
    asker: Asker,
    request: Request,
    id: _IdPath,  # noqa: A002 - the API's word
    task_set: _SetQuery = None,
    configuration: _ConfigurationQuery = Configuration.FULL_GRAPH,
    token_budget: _TokensQuery = None,
    max_chunks: _ChunksQuery = None,
) -> Response:
    """Built from the graph; conditions that would tell its seeds need access to gold."""
    conditions = _conditions(state, configuration, token_budget, max_chunks)
    of_set, found, sees_gold = await _open_task(state, asker, request, id, task_set)
    if not sees_gold:
        conditions.check_for_participants()
    version = version_of_set(state.watcher.catalog, of_set)
    built = await task_context(state.store, await state.watcher.contents(version), found, conditions)
    body = orjson.dumps(
        {
            "id": found.id,
            "corpus": version.key,
            "version": version.version,
            "notice": version.notice,
            "configuration": conditions.configuration.value,
            "text": built.text,
            "tokens": built.tokens,
            "truncated": built.truncated,
        }
    )
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    given = request.headers.get("if-none-match", "")
    if etag in {one.strip().removeprefix("W/") for one in given.split(",")}:
        return _noindex(Response(status_code=304, headers=headers))
    return _noindex(Response(body, media_type="application/json", headers=headers))


@router.get("/v1/tasks/{id}/prompt", summary="What a participant is asked", response_model=PromptView)
async def prompt_of_task(
    state: State,
    asker: Asker,
    request: Request,
    id: _IdPath,  # noqa: A002 - the API's word
    task_set: _SetQuery = None,
) -> Response:
    """Facts, context in open mode, question, the format wanted; under the default conditions."""
    of_set, found, _ = await _open_task(state, asker, request, id, task_set)
    conditions = _conditions(state, Configuration.FULL_GRAPH, None, None)
    return _noindex(json_answer(await _prompt(state, of_set, found, _prompts(state, of_set), conditions)))


@router.get(
    "/v1/task-sets/{key}/prompts",
    summary="All prompts of a set, for workers who work offline",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {}}, "description": "One prompt a line"}},
)
async def prompts_of_set(
    state: State,
    asker: Asker,
    key: _KeyPath,
    mode: Annotated[list[Mode] | None, Query(description="Only this mode; repeatable")] = None,
    configuration: _ConfigurationQuery = Configuration.FULL_GRAPH,
    token_budget: _TokensQuery = None,
    max_chunks: _ChunksQuery = None,
    fabulas: Annotated[int | None, Query(ge=1, description="Only the first so many, as a run with this limit")] = None,
    public: Annotated[bool, Query(description="Only public fabulas")] = False,
    per_cell: Annotated[
        int | None, Query(ge=1, le=1000, description="A sample: so many of each type, depth and mode, with cell_tasks")
    ] = None,
) -> Response:
    """As NDJSON. Needs the scope submit and, unless the whole set is public, a grant that names it.

    Conditions are as those of a run: what would tell the seeds needs access to gold.
    """
    conditions = _conditions(state, configuration, token_budget, max_chunks)
    async with state.ledger.read() as session:
        task_set = await get_task_set(session, key)
        everything = await list_tasks(session, task_set)
        all_public = all(one.public for one in everything)
        await require_participation(session, asker, task_set, all_public=all_public or public)
        sees_gold = all_public or public or await _tier(state, session, asker, task_set) is Tier.FULL
    if not sees_gold:
        conditions.check_for_participants()
    chosen = chosen_tasks(everything, modes=mode or tuple(Mode), limit=fabulas, public=public)
    tasks = [(one, None) for one in chosen] if per_cell is None else list(cell_sample(chosen, per_cell))
    prompts = _prompts(state, task_set)

    async def line(one: Task, cell_tasks: int | None) -> bytes:
        shown = await _prompt(state, task_set, one, prompts, conditions)
        return orjson.dumps(shown if cell_tasks is None else shown | {"cell_tasks": cell_tasks}) + b"\n"

    # The first one before the answer begins, so that what is wrong is an error and not a cut stream.
    first = [await line(*one) for one in tasks[:1]]

    async def lines() -> AsyncIterator[bytes]:
        for one in first:
            yield one
        for later in tasks[1:]:
            yield await line(*later)

    return _noindex(StreamingResponse(lines(), media_type="application/x-ndjson"))


@router.put("/v1/tasks/{id}/reviews", summary="Review a task", response_model=ReviewView)
async def review(
    state: State,
    asker: Asker,
    request: Request,
    id: _IdPath,  # noqa: A002 - the API's word
    body: Annotated[ReviewBody, Body()],
    task_set: _SetQuery = None,
) -> Response:
    """Say what an expert thinks of a fabula, both modes at once; every word is kept, the last of a reviewer counts."""
    of_set, found, _ = await _open_task(state, asker, request, id, task_set, gold=True)
    async with state.ledger.write() as session:
        status = await review_task(
            session,
            of_set,
            found.fabula_id,
            reviewer=asker.key or "",
            approve=body.verdict == "approve",
            checks=body.checks,
            comment=body.comment,
            actor=asker.key or "",
        )
    return json_answer({"id": found.id, "fabula_id": found.fabula_id, "validation_status": status.value})


async def _tier(state: ServiceState, session: AsyncSession, asker: Principal, task_set: TaskSet) -> Tier:
    return await set_tier(session, asker, task_set, browse_anonymous=state.settings.browse_anonymous)


async def _open_task(
    state: ServiceState,
    asker: Principal,
    request: Request,
    task_id: str,
    task_set: str | None,
    *,
    gold: bool = False,
) -> tuple[TaskSet, Task, bool]:
    """Return a task that the caller may see, and whether its gold may be seen too; browsing is counted."""
    async with state.ledger.read() as session:
        of_set, found = await find_task(session, task_id, task_set)
        tier = await _tier(state, session, asker, of_set)
    sees_gold = tier is Tier.FULL or (found.public and of_set.frozen)
    if not sees_gold:
        browsable = of_set.frozen and not gold
        require_tier(tier, Tier.BROWSE if browsable else Tier.FULL, asker, of_set, "the gold" if gold else "a task")
        await state.hours.spend(
            subject=asker.key or (request.client.host if request.client else "unknown"),
            limit_name="LEXHOP_HOURLY_BROWSE",
            limit=state.settings.hourly_browse,
        )
    return of_set, found, sees_gold


def _conditions(
    state: ServiceState, configuration: Configuration, token_budget: int | None, max_chunks: int | None
) -> Conditions:
    settings = state.settings
    return Conditions(
        configuration, token_budget or settings.context_token_budget, max_chunks or settings.context_max_chunks
    )


def _prompts(state: ServiceState, task_set: TaskSet) -> Prompts:
    return read_prompts(task_set.benchmark, PARTICIPANT, task_set.language, state.settings.prompts)


async def _prompt(
    state: ServiceState, task_set: TaskSet, task: Task, prompts: Prompts, conditions: Conditions
) -> dict[str, Any]:
    text = None
    if task.mode is Mode.OPEN:
        version = version_of_set(state.watcher.catalog, task_set)
        text = (await task_context(state.store, await state.watcher.contents(version), task, conditions)).text
    return {
        "id": task.id,
        "mode": task.mode.value,
        "type": task.task_type.value,
        "depth": task.depth.value,
        "prompt": prompts.digest,
        "canary": task_set.canary,
        "messages": [
            {"role": message.role, "content": message.content} for message in participant_prompt(task, text, prompts)
        ],
    }


def _task_view(task: Task, view: View) -> dict[str, Any]:
    shown = participant_view(task)
    if view is View.LINE:
        return {name: shown[name] for name in ("id", "mode", "type", "depth")}
    return shown | {"gold": gold_view(task) if view is View.GOLD else None}


def _set_view(task_set: TaskSet, counted: Sequence[tuple[int, str, str, bool, int]]) -> dict[str, Any]:
    cells: dict[tuple[str, str], list[int]] = {}
    for set_id, kind, depth, public, count in counted:
        if set_id == task_set.id:
            cell = cells.setdefault((kind, depth), [0, 0])
            cell[0] += count
            cell[1] += count if public else 0
    return {
        "key": task_set.key,
        "version": task_set.version,
        "title": task_set.title,
        "benchmark": task_set.benchmark,
        "language": task_set.language,
        "corpus": task_set.corpus,
        "corpus_version": task_set.corpus_version,
        "licence": task_set.licence,
        "source": task_set.source,
        "notice": task_set.notice,
        "canary": task_set.canary,
        "digest": task_set.digest,
        "fabulas": sum(count for count, _ in cells.values()),
        "public": sum(count for _, count in cells.values()),
        "cells": [
            {"type": kind, "depth": depth, "fabulas": count, "public": public}
            for (kind, depth), (count, public) in cells.items()
        ],
    }


def _noindex(response: Response) -> Response:
    response.headers["X-Robots-Tag"] = "noindex"
    return response
