"""Runs and leases: what is to be answered, by whom, and where it stands."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import Response

from service.api.access import Asker
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
from service.api.run_access import own_run, sees_items, visible_run
from service.api.run_schemas import (
    LeaseBody,
    LeaseView,
    RejudgeBody,
    RejudgeView,
    RunBody,
    RunLineView,
    RunView,
    WithdrawBody,
)
from service.api.schemas import Page
from service.api.state import ServiceState, State
from service.db import (
    Principal,
    Run,
    Scope,
    Tier,
    close_run,
    heartbeat_item,
    iso_moment,
    item_run,
    list_runs,
    publish_run,
    read_run,
    return_item,
    tier_of,
    withdraw_run,
)
from service.errors import InputError, NotFoundError
from service.evaluation import RunSpec, judge_again, open_run, run_line, run_view
from service.tasks import Conditions, get_task_set, list_fabulas, require_participation

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["runs"])

_POLL_SECONDS = 0.25
_CURSOR = CursorShape(tuple[PlaceNumber, PlaceText], benchmark=PlaceText)
_RunPath = Annotated[str, Path(max_length=40, description="Id of the run", examples=["run_0123456789abcdef"])]
_LeasePath = Annotated[str, Path(max_length=60, description="Id of the lease", examples=["17.1"])]


@router.post(
    "/runs", summary="Begin a run", response_model=RunView, status_code=201, responses={200: {"model": RunView}}
)
async def make_run(state: State, asker: Asker, body: Annotated[RunBody, Body()]) -> Response:
    """One participant over one task set. Private until published; 200 where an open run is taken up again."""
    settings = state.settings
    spec = RunSpec(
        benchmark=body.benchmark,
        task_set=body.task_set,
        participant=body.participant,
        conditions=body.conditions,
        modes=tuple(body.modes),
        configuration=body.configuration,
        token_budget=body.token_budget or settings.context_token_budget,
        max_chunks=body.max_chunks or settings.context_max_chunks,
        repeats=body.repeats,
        limit=body.limit,
        subset=body.subset,
        judge=body.judge,
    )
    await _may_run(state, asker, spec)
    async with state.ledger.write() as session:
        run, new = await open_run(
            session,
            spec,
            owner=asker.key or "",
            default_judge=settings.judge_profile,
            prompts_folder=settings.prompts,
            resume=body.resume,
        )
    answer = json_answer(await _view(state, asker, run))
    answer.status_code = 201 if new else 200
    answer.headers["Location"] = f"/v1/runs/{run.id}"
    return answer


async def _may_run(state: ServiceState, asker: Principal, spec: RunSpec) -> None:
    async with state.ledger.read() as session:
        task_set = await get_task_set(session, spec.task_set)
        fabulas = await list_fabulas(session, task_set)
        all_public = all(fabula.shared.get("public") is True for fabula in fabulas)
        if Scope.ADMIN not in asker.scopes:
            await require_participation(session, asker, task_set, all_public=all_public or spec.subset == "public")
        sees_gold = all_public or await tier_of(session, asker, task_set.key) is Tier.FULL
    if not sees_gold and Scope.ADMIN not in asker.scopes:
        Conditions(spec.configuration, spec.token_budget, spec.max_chunks).check_for_participants()


@router.get("/runs", summary="Runs", response_model=Page[RunLineView])
async def runs(
    state: State,
    asker: Asker,
    benchmark: Annotated[str | None, Query(max_length=40, description="Only this benchmark's")] = None,
    limit: LimitParameter = None,
    cursor: CursorParameter = None,
) -> Response:
    """The caller's own and those that are published, newest first; an administrator sees all."""
    filters: dict[str, Any] = {"benchmark": benchmark}
    after = None
    if cursor is not None:
        place = read_cursor("runs", cursor, corpus=None, version=None, filters=filters, shape=_CURSOR)
        after, filters = place.after, place.filters
    size = page_limit(limit, state.settings)
    owner = None if Scope.ADMIN in asker.scopes else asker.key or ""
    async with state.ledger.read() as session:
        found = await list_runs(session, owner=owner, limit=size + 1, after=after, benchmark=filters["benchmark"])
    rows = found[:size]
    following = None
    if len(found) > size:
        following = next_cursor("runs", "", "", [rows[-1].created_at, rows[-1].id], filters)
    return json_answer({"items": [run_line(run) for run in rows], "next": following})


@router.get("/runs/{run_id}", summary="Where a run stands", response_model=RunView)
async def one_run(
    state: State,
    asker: Asker,
    run_id: _RunPath,
    wait: Annotated[float, Query(ge=0, description="Hold the answer until something changes, so many seconds")] = 0.0,
    change: Annotated[int | None, Query(description="The change number that the caller knows")] = None,
) -> Response:
    """State, counts by outcome, judgements, and when it may be done."""
    run = await visible_run(state, asker, run_id)
    if wait > state.settings.wait_seconds:
        most = state.settings.wait_seconds
        raise InputError(f"wait {wait:g} is above {most:g} s (LEXHOP_WAIT_SECONDS); ask again after that time")
    known = run.change if change is None else change
    until = monotonic() + wait
    while run.change == known and monotonic() < until:
        await asyncio.sleep(min(_POLL_SECONDS, max(0.0, until - monotonic())))
        async with state.ledger.read() as session:
            run = await read_run(session, run_id)
    return json_answer(await _view(state, asker, run))


async def _view(state: ServiceState, asker: Principal, run: Run) -> dict[str, Any]:
    by_answer = not await sees_items(state, asker, run)
    async with state.ledger.read() as session:
        return await run_view(session, run, by_answer=by_answer)


@router.post("/runs/{run_id}/close", summary="Take no more answers", response_model=RunView)
async def close(state: State, asker: Asker, run_id: _RunPath) -> Response:
    """What was answered is judged on; closing twice changes nothing."""
    await own_run(state, asker, run_id)
    async with state.ledger.write() as session:
        run = await close_run(session, run_id)
    return json_answer(await _view(state, asker, run))


@router.post("/runs/{run_id}/publish", summary="Show a run to everybody", response_model=RunView)
async def publish(state: State, asker: Asker, run_id: _RunPath) -> Response:
    """Its scores are public and it stands on its board; it must be closed."""
    await own_run(state, asker, run_id)
    async with state.ledger.write() as session:
        run = await publish_run(session, run_id, actor=asker.key or "")
    return json_answer(await _view(state, asker, run))


@router.post("/runs/{run_id}/withdraw", summary="Take a run off its board", response_model=RunView)
async def withdraw(state: State, asker: Asker, run_id: _RunPath, body: Annotated[WithdrawBody, Body()]) -> Response:
    """The board says so; the scores stay with the owner."""
    await own_run(state, asker, run_id)
    async with state.ledger.write() as session:
        run = await withdraw_run(session, run_id, actor=asker.key or "", why=body.why)
    return json_answer(await _view(state, asker, run))


@router.post(
    "/runs/{run_id}/rejudge",
    summary="Ask again where there is no verdict, or a second judge",
    response_model=RejudgeView,
)
async def rejudge(
    state: State, asker: Asker, run_id: _RunPath, body: Annotated[RejudgeBody | None, Body()] = None
) -> Response:
    """Without a body what is unavailable is asked again; with one, another profile is asked about every answer read.

    Verdicts stay. Those of another profile change no score: they appear as agreement beside scores and boards.
    """
    run = await own_run(state, asker, run_id)
    async with state.ledger.write() as session:
        reopened, asked = await judge_again(session, run, body.judge if body else None)
    if not await sees_items(state, asker, run):
        return json_answer({"reopened": None, "asked": None})
    return json_answer({"reopened": reopened, "asked": asked})


@router.post("/runs/{run_id}/leases", summary="Lease tasks", response_model=LeaseView)
async def lease(state: State, asker: Asker, run_id: _RunPath, body: Annotated[LeaseBody, Body()]) -> Response:
    """Tasks without an answer, each with its messages ready to send; none where all are answered or leased."""
    run = await own_run(state, asker, run_id)
    if body.n > state.settings.leases_max:
        raise InputError(f"n {body.n} is above {state.settings.leases_max} (LEXHOP_LEASES_MAX); lease fewer at a time")
    seconds = body.seconds or state.settings.lease_seconds
    items = await state.desk.lease(
        run, mode=body.mode, worker=body.worker, limit=body.n, seconds=seconds, tasks=body.task_ids
    )
    return json_answer({"items": items})


@router.put("/leases/{lease}", summary="Prolong a lease")
async def heartbeat(state: State, asker: Asker, lease: _LeasePath) -> Response:
    """A heartbeat, while a model thinks; 409 when the task went to another."""
    item, fence = await _lease(state, asker, lease)
    async with state.ledger.write() as session:
        held = await heartbeat_item(session, item, fence, seconds=state.settings.lease_seconds)
    return json_answer({"lease": lease, "leased_until": iso_moment(held.lease.leased_until)})


@router.delete("/leases/{lease}", summary="Return a task unanswered", status_code=204)
async def give_back(state: State, asker: Asker, lease: _LeasePath) -> Response:
    """It is handed out again at once."""
    item, fence = await _lease(state, asker, lease)
    async with state.ledger.write() as session:
        await return_item(session, item, fence)
    return Response(status_code=204)


async def _lease(state: ServiceState, asker: Principal, given: str) -> tuple[int, int]:
    item, _, fence = given.partition(".")
    unknown = NotFoundError(f"lease {given!r} does not exist, or is another's; POST /v1/runs/{{id}}/leases gives some")
    if not (item.isascii() and item.isdigit() and fence.isascii() and fence.isdigit() and len(given) < 38):
        raise unknown
    if int(item) >= 2**63 or int(fence) >= 2**63:
        raise unknown
    try:
        async with state.ledger.read() as session:
            run_id = await item_run(session, int(item))
        await own_run(state, asker, run_id)
    except NotFoundError:
        # Ids follow one another: another's is answered like one that is not there, without the name of its run.
        raise unknown from None
    return int(item), int(fence)
