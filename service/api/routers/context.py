"""The open-book context of some norms."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from fastapi.responses import Response
from pydantic import Field

from service.api.answers import json_answer
from service.api.bodies import MOST_TOKENS
from service.api.bodies import Body as JsonBody
from service.api.schemas import ContextView
from service.api.scope import Asked, AsOf, Scope, find_norms
from service.api.state import ServiceState, State
from service.context import Configuration, ContextRequest, build_context
from service.errors import InputError

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["context"])

_NORMS = "Seed norms in task order: norm ids or citations in words"
_SEED = "Text whose hash decides the order of the chunks; by default the norm ids as given, joined by commas"


class ContextBody(JsonBody):
    """The same fields as the GET takes, as a body."""

    norm_id: list[str] = Field(min_length=1, description=_NORMS, examples=[["ГК_1064", "ГК_1079"]])
    configuration: Configuration = Configuration.FULL_GRAPH
    token_budget: int | None = Field(
        default=None, ge=1, le=MOST_TOKENS, description="Tokens of all chunks, seeds counted"
    )
    max_chunks: int | None = Field(default=None, ge=1, le=1000, description="Chunks in all, seeds counted")
    seed: str | None = Field(default=None, description=_SEED)
    as_of: str | None = Field(default=None, description="ISO date: leaves out what was not in force then")
    corpus: str | None = None
    version: str | None = None


@router.get("/context", summary="The open-book context of some norms", response_model=ContextView)
async def get_context(
    state: State,
    scope: Scope,
    norm_id: Annotated[list[str], Query(min_length=1, description=_NORMS, examples=[["ГК_1064", "ГК_1079"]])],
    configuration: Annotated[
        Configuration, Query(description="What it tells beside the norms")
    ] = Configuration.FULL_GRAPH,
    token_budget: Annotated[
        int | None, Query(ge=1, le=MOST_TOKENS, description="Tokens of all chunks, seeds counted")
    ] = None,
    max_chunks: Annotated[int | None, Query(ge=1, le=1000, description="Chunks in all, seeds counted")] = None,
    seed: Annotated[str | None, Query(description=_SEED)] = None,
    as_of: AsOf = None,
) -> Response:
    """Seeds and their neighbours at one hop, shuffled; cacheable by its ETag."""
    return await _answer(
        state,
        ContextBody.model_construct(
            norm_id=norm_id,
            configuration=configuration,
            token_budget=token_budget,
            max_chunks=max_chunks,
            seed=seed,
            as_of=as_of,
            corpus=scope.corpus,
            version=scope.version,
        ),
    )


@router.post("/context", summary="The same by a body", response_model=ContextView)
async def post_context(state: State, body: Annotated[ContextBody, Body()]) -> Response:
    """For many norms at once; never answered with 304."""
    return await _answer(state, body)


async def _answer(state: ServiceState, asked: ContextBody) -> Response:
    settings = state.settings
    if len(asked.norm_id) > settings.context_seeds_max:
        raise InputError(
            f"norm_id is given {len(asked.norm_id)} times, the most is {settings.context_seeds_max} "
            "(LEXHOP_CONTEXT_SEEDS_MAX); ask for fewer seeds"
        )
    contents, seeds = await find_norms(state, Asked(asked.corpus, asked.version), asked.norm_id, as_of=asked.as_of)
    if len(set(seeds)) < len(seeds):
        twice = next(seed for seed in seeds if seeds.count(seed) > 1)
        raise InputError(f"norm_id names {twice!r} twice; name each seed once")
    version = contents.version
    context = await build_context(
        state.store,
        ContextRequest(
            corpus_uid=version.uid,
            seeds=tuple(seeds),
            order_key=asked.seed if asked.seed is not None else ",".join(asked.norm_id),
            configuration=asked.configuration,
            token_budget=asked.token_budget or settings.context_token_budget,
            max_chunks=asked.max_chunks or settings.context_max_chunks,
            as_of=asked.as_of,
        ),
        language_of=contents.languages.__getitem__,
        notice=version.notice,
    )
    answer: dict[str, Any] = {
        "corpus": version.key,
        "version": version.version,
        "configuration": asked.configuration.value,
        "chunks": context.chunks,
        "text": context.text,
        "tokens": context.tokens,
        "truncated": context.truncated,
        "left_out": context.left_out,
        "not_in_force": context.not_in_force,
        "unknown_force": context.unknown_force,
        "notice": version.notice,
    }
    return json_answer(answer)
