"""Leaderboards, frozen ones, and comparisons of two runs."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from service.api.access import Asker
from service.api.answers import json_answer
from service.api.routers.scores import WeightsParameter
from service.api.run_access import check_figures, visible_run
from service.api.run_schemas import BoardView
from service.api.state import State
from service.benchmarks import benchmark as known_benchmark
from service.db import freeze_board, iso_moment, read_board
from service.errors import InputError
from service.evaluation import BoardOptions, compare_runs, leaderboard, read_weights

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["leaderboards"])

_BenchmarkPath = Annotated[str, Path(max_length=40, description="Key of the benchmark", examples=["mhgb"])]
_OnQuery = Annotated[
    Literal["own", "common"], Query(description="common: over the fabulas scored for every listed run")
]
_UnrankedQuery = Annotated[bool, Query(description="Also partial runs and judges that do not rank")]
_BoardQuery = Annotated[str | None, Query(max_length=80, description="Only this board: the first digits of its name")]


@router.get("/leaderboards/{benchmark}", summary="Leaderboards", response_model=BoardView)
async def boards(
    state: State,
    benchmark: _BenchmarkPath,
    on: _OnQuery = "own",
    weights: WeightsParameter = None,
    unranked: _UnrankedQuery = False,
    board: _BoardQuery = None,
) -> Response:
    """One board for all that was scored alike, with the parts in which boards differ; rows by open, best first.

    closed and open are means over complete pairs; n_closed, n_open, n_pairs, outcomes and coverage stand beside them.
    GAP has no better end. Where the context configuration gives something away, test_participants says how much: what
    scripted participants that read no law reach by it.
    """
    known_benchmark(benchmark)
    options = BoardOptions(on, read_weights(weights), unranked, board, state.settings.least_shown)
    return json_answer(await leaderboard(state.ledger, state.tables, benchmark, options, state.given_away))


@router.post("/leaderboards/{benchmark}/frozen", summary="Freeze the boards as they are", status_code=201)
async def freeze(
    state: State,
    asker: Asker,
    benchmark: _BenchmarkPath,
    on: _OnQuery = "own",
    weights: WeightsParameter = None,
    unranked: _UnrankedQuery = False,
    board: _BoardQuery = None,
) -> Response:
    """Keeps them under a permalink that never changes; the audit says who did it."""
    known_benchmark(benchmark)
    options = BoardOptions(on, read_weights(weights), unranked, board, state.settings.least_shown)
    body = await leaderboard(state.ledger, state.tables, benchmark, options, state.given_away)
    async with state.ledger.write() as session:
        board_id = await freeze_board(session, benchmark, body, actor=asker.key or "")
    answer = json_answer({"board": board_id, "url": f"/v1/boards/{board_id}"})
    answer.status_code = 201
    return answer


@router.get("/boards/{board}", summary="A frozen board", response_model=BoardView)
async def frozen(
    state: State, board: Annotated[str, Path(max_length=40, description="Id of the permalink")]
) -> Response:
    """As it was when it was frozen."""
    async with state.ledger.read() as session:
        _, body, at = await read_board(session, board)
    return json_answer({**body, "frozen": board, "frozen_at": iso_moment(at)})


@router.get("/comparisons", summary="Two runs side by side")
async def comparisons(
    state: State,
    asker: Asker,
    runs: Annotated[str, Query(max_length=100, description="Two ids with a comma between", examples=["run_a,run_b"])],
) -> Response:
    """Paired over the fabulas that both have complete: differences with interval and test; whether they compare at all."""
    ids = [one.strip() for one in runs.split(",")]
    if len(ids) != 2:
        raise InputError(f"runs {runs[:60]!r} are not two; name two ids with a comma between")
    found = [await visible_run(state, asker, one) for one in ids]
    everything = all([await check_figures(state, asker, run) for run in found])
    least = 0 if everything else state.settings.least_shown
    return json_answer(await compare_runs(state.ledger, state.tables, found, least=least))
