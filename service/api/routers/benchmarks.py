"""Benchmarks, and how an answer would be read."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Body, Path
from fastapi.responses import Response

from service.api.answers import json_answer
from service.api.paging import CursorParameter, LimitParameter, page_of
from service.api.run_schemas import BenchmarkView, ReadBody, ReadingView
from service.api.schemas import Page
from service.api.scope import Asked, scope_of
from service.api.state import State
from service.benchmarks import benchmark_keys, evaluation_of
from service.errors import TooLargeError

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["evaluation"])


@router.get("/benchmarks", summary="Benchmarks", response_model=Page[BenchmarkView])
async def benchmarks(state: State, limit: LimitParameter = None, cursor: CursorParameter = None) -> Response:
    """What an answer is scored by, and what a judge may give."""
    rows, following = page_of("benchmarks", benchmark_keys(), str, limit=limit, cursor=cursor, settings=state.settings)
    items = []
    for key in rows:
        evaluation = await asyncio.to_thread(evaluation_of, key)
        items.append(
            {
                "key": key,
                "components": list(evaluation.components),
                "weights": list(evaluation.weights.values),
                "values": {level: list(values) for level, values in evaluation.values.items()},
            }
        )
    return json_answer({"items": items, "next": following})


@router.post("/benchmarks/{benchmark}/read", summary="How an answer would be read", response_model=ReadingView)
async def read(
    state: State,
    benchmark: Annotated[str, Path(description="Key of the benchmark", examples=["mhgb"])],
    body: Annotated[ReadBody, Body()],
) -> Response:
    """Sections, the norms named, those invented and those outside the corpus; without a task, nothing is kept."""
    most = state.settings.submission_chars
    if len(body.text) > most:
        raise TooLargeError(
            f"text has {len(body.text)} characters, the most is {most} (LEXHOP_SUBMISSION_CHARS); send what the model said"
        )
    evaluation = await asyncio.to_thread(evaluation_of, benchmark)
    version = scope_of(state, Asked(body.corpus, body.version))
    law = await state.evaluator.laws.law(version.key, version.version)
    reading = await asyncio.to_thread(evaluation.read, body.text, law)
    return json_answer({"corpus": version.key, "version": version.version, **reading})
