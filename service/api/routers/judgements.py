"""Judges: their profiles, and the ledger for those that work elsewhere."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path
from fastapi.responses import Response

from service.api.access import Asker
from service.api.answers import json_answer
from service.api.paging import CursorParameter, LimitParameter, page_of
from service.api.run_schemas import JudgeLeaseBody, JudgeView, JudgeWorkView, VerdictBody, VerdictView
from service.api.schemas import Page
from service.api.state import State
from service.db import StoredProfile, find_judge_profile, iso_moment, list_judge_profiles
from service.errors import InputError
from service.evaluation import claim_for_judge, question_view, reclaimed, take_verdict
from service.judging import JudgeProfile

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["judges"])


def _view(profile: StoredProfile) -> dict[str, Any]:
    # The words themselves are the operator's, who may not be free to show them.
    known = JudgeProfile.model_validate(profile.body)
    body = {**known.model_dump(mode="json"), "wording": known.wording_digest}
    return {**body, "fingerprint": profile.fingerprint, "created_at": iso_moment(profile.created_at)}


@router.get("/judges", summary="Judge profiles", response_model=Page[JudgeView])
async def judges(state: State, limit: LimitParameter = None, cursor: CursorParameter = None) -> Response:
    """Everything that decides a verdict besides the question; equal fingerprints judge alike."""
    async with state.ledger.read() as session:
        found = await list_judge_profiles(session)
    rows, following = page_of(
        "judges", found, lambda one: one.name, limit=limit, cursor=cursor, settings=state.settings
    )
    return json_answer({"items": [_view(one) for one in rows], "next": following})


@router.post("/judgements/leases", summary="Lease questions to a judge", response_model=JudgeWorkView)
async def lease(state: State, asker: Asker, body: Annotated[JudgeLeaseBody, Body()]) -> Response:
    """Messages ready to send, and the values allowed. Who answered, how and in which mode is not told."""
    if body.n > state.settings.leases_max:
        raise InputError(f"n {body.n} is above {state.settings.leases_max} (LEXHOP_LEASES_MAX); lease fewer at a time")
    async with state.ledger.read() as session:
        profile = await find_judge_profile(session, body.profile)
    worker = f"{asker.key}:{body.worker}"[:100]
    claimed = await claim_for_judge(state.evaluator, profile.id, worker=worker, limit=body.n, seconds=body.seconds)
    return json_answer({"items": [question_view(one, question) for one, question in claimed]})


@router.put("/judgements/{judgement_id}/verdict", summary="Give a verdict", response_model=VerdictView)
async def verdict(
    state: State,
    asker: Asker,
    judgement_id: Annotated[int, Path(ge=1, lt=2**63, description="Id of the question")],
    body: Annotated[VerdictBody, Body()],
) -> Response:
    """Read by the question's contract; an unreadable one puts the question back. A late different one is 409 and kept."""
    claimed = await reclaimed(state.evaluator, judgement_id, body.fence)
    stands = await take_verdict(
        state.evaluator,
        claimed,
        worker=str(asker.key),
        reply=body.reply,
        value=None if body.value is None else float(body.value),
        reason=body.reason,
    )
    return json_answer(stands)
