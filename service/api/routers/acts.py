"""The acts of a corpus."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.paging import CursorParameter, LimitParameter, page_of
from service.api.schemas import ActView, Page
from service.api.scope import AsOf, Scope, check_date, find_act, scope_of
from service.api.state import State
from service.api.views import act_view

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["acts"])


@router.get("/acts", summary="The acts of a corpus", response_model=Page[ActView])
async def acts(state: State, scope: Scope, limit: LimitParameter = None, cursor: CursorParameter = None) -> Response:
    """Each act with its branch of law, its coverage and its counts."""
    version = scope_of(state, scope)
    contents = await state.watcher.contents(version)
    rows, following = page_of(
        "acts",
        contents.acts,
        lambda act: act["uid"].partition("/")[2],
        limit=limit,
        cursor=cursor,
        settings=state.settings,
    )
    return json_answer(
        {
            "corpus": version.key,
            "version": version.version,
            "notice": version.notice,
            "items": [act_view(act) for act in rows],
            "next": following,
        }
    )


@router.get("/acts/{act}", summary="One act", response_model=ActView)
async def one_act(state: State, scope: Scope, act: str, as_of: AsOf = None) -> Response:
    """By its key (`ГК`), with `@edition` where a certain one is meant, else the one in force at `as_of` or the newest."""
    if as_of is not None:
        check_date(as_of)
    _, row = await find_act(state, scope, act, as_of=as_of)
    return json_answer(act_view(row))
