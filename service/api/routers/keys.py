"""Keys, their grants, and the audit: for administrators. Keys are made and ended on the command line."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.paging import (
    CursorParameter,
    CursorShape,
    LimitParameter,
    PlaceNumber,
    next_cursor,
    page_limit,
    page_of,
    read_cursor,
)
from service.api.schemas import AuditView, KeyView, Page
from service.api.state import State
from service.db import AuditAction, iso_moment, list_audit, list_grants, list_keys

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["administration"])

_AUDIT_CURSOR = CursorShape(PlaceNumber, action=AuditAction)
_MOMENTS = ("at", "created_at", "expires_at", "revoked_at")


@router.get("/keys", summary="Keys and their grants", response_model=Page[KeyView])
async def keys(state: State, limit: LimitParameter = None, cursor: CursorParameter = None) -> Response:
    """All keys, oldest first, revoked ones too; never a key's text, which is kept nowhere."""
    async with state.ledger.read() as session:
        found, grants = await list_keys(session), await list_grants(session)
    rows, following = page_of(
        "keys", found, lambda key: key.prefix, limit=limit, cursor=cursor, settings=state.settings
    )
    items = [{**_plain(key), "grants": [_plain(one) for one in grants if one.key == key.prefix]} for key in rows]
    return json_answer({"items": items, "next": following})


@router.get("/audit", summary="Who did what", response_model=Page[AuditView])
async def audit(
    state: State,
    action: Annotated[AuditAction | None, Query(description="Only this action")] = None,
    limit: LimitParameter = None,
    cursor: CursorParameter = None,
) -> Response:
    """Keys, grants, reviews and publications, newest first."""
    filters: dict[str, Any] = {"action": action}
    before = None
    if cursor is not None:
        place = read_cursor("audit", cursor, corpus=None, version=None, filters=filters, shape=_AUDIT_CURSOR)
        before, filters = place.after, place.filters
    size = page_limit(limit, state.settings)
    async with state.ledger.read() as session:
        found = await list_audit(session, limit=size + 1, before=before, action=filters["action"])
    rows = found[:size]
    following = next_cursor("audit", "", "", rows[-1].id, filters) if len(found) > size else None
    return json_answer({"items": [_plain(one) for one in rows], "next": following})


def _plain(record: Any) -> dict[str, Any]:
    facts = asdict(record)
    return {name: iso_moment(value) if name in _MOMENTS else value for name, value in facts.items()}
