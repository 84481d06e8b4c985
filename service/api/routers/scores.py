"""A run's figures: its owner's while it is private, everybody's once it is published."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Body, Path, Query
from fastapi.responses import Response

from service.api.access import Asker
from service.api.answers import json_answer
from service.api.run_access import check_figures, own_run, visible_run
from service.api.run_schemas import FiguresView, RefusalsBody
from service.api.state import ServiceState, State
from service.db import Principal
from service.errors import ConflictError
from service.evaluation import (
    SLICES,
    Agreements,
    HiddenSlices,
    RunTable,
    ask_for_refusals,
    few_pairs,
    few_said,
    gap_view,
    hidden_slices,
    item_views,
    read_weights,
    refusals_view,
    run_errors,
    run_scores_view,
    run_slices,
    said_counts,
    veiled_mode,
    veiled_slices,
)

__all__ = ["WeightsParameter", "router"]

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["scores"])

WeightsParameter = Annotated[
    str | None,
    Query(
        max_length=100,
        description="Weights of the components, in their order; they sum to 1",
        examples=["0.5,0.25,0.25"],
    ),
]
_RunPath = Annotated[str, Path(max_length=40, description="Id of the run")]


async def _table(state: ServiceState, asker: Principal, run_id: str, weights: str | None) -> tuple[RunTable, bool]:
    run = await visible_run(state, asker, run_id)
    everything = await check_figures(state, asker, run)
    table = (await state.tables.table(state.ledger, run_id)).with_weights(read_weights(weights))
    most, least = max(said_counts(table).values()), state.settings.least_shown
    if not everything and most < least:
        raise ConflictError(
            f"run {run_id!r} has {most} scored answers with words in a mode; figures of fewer than {least} "
            "(LEXHOP_LEAST_SHOWN) would tell single scores and need the tier full"
        )
    return table, everything


@router.get("/scores", summary="A run's scores", response_model=FiguresView)
async def scores(
    state: State,
    asker: Asker,
    run_id: _RunPath,
    weights: WeightsParameter = None,
    items: Annotated[bool, Query(description="Every task's scores too: tier full and a closed run")] = False,
) -> Response:
    """By mode: means with scored and total, components, outcomes, and what they are without those who said nothing.

    agreement: how far further judges of the run agree with its own.
    """
    table, everything = await _table(state, asker, run_id, weights)
    view = run_scores_view(table)
    least = 0 if everything else state.settings.least_shown
    view["modes"] = {
        mode: veiled_mode(figures) if few_said(table, mode, least) else figures
        for mode, figures in view["modes"].items()
    }
    view["agreement"] = await Agreements(state.ledger, state.tables).of([table.run], least=least)
    if items:
        if not everything or table.run.closed_at is None:
            raise ConflictError(
                f"scores of single tasks of run {run_id!r} need the tier full and a closed run; leave items out"
            )
        view["items"] = item_views(table)
    return json_answer(view)


@router.get("/gap", summary="Open less closed", response_model=FiguresView)
async def gap(
    state: State,
    asker: Asker,
    run_id: _RunPath,
    weights: WeightsParameter = None,
    threshold: Annotated[float, Query(gt=0, le=1, description="From here up a score is high")] = 0.5,
) -> Response:
    """Over complete pairs: by component, with bootstrap interval, test and quadrants; what is incomplete is counted."""
    table, everything = await _table(state, asker, run_id, weights)
    least = state.settings.least_shown
    if not everything and few_pairs(table.complete, least):
        raise ConflictError(
            f"run {run_id!r} has complete pairs, but with words on either side or on both in fewer than {least} "
            "(LEXHOP_LEAST_SHOWN): their GAP would tell single scores and needs the tier full"
        )
    return json_answer(gap_view(table, threshold=threshold))


@router.get("/slices", summary="By type, depth, branch, act", response_model=FiguresView)
async def slices(
    state: State,
    asker: Asker,
    run_id: _RunPath,
    by: Annotated[list[str] | None, Query(description=f"Some of {', '.join(SLICES)}; several make a table")] = None,
    weights: WeightsParameter = None,
) -> Response:
    """Means, deviations and counts of each slice; slices of few tasks show their counts alone.

    What the other slices, the whole run and its other tables would tell of a small one by subtraction is hidden with it.
    Acts and branches of law are gold: slices hidden by them are shown as one, without a name.
    """
    table, everything = await _table(state, asker, run_id, weights)
    by = by or ["type"]
    found = run_slices(table, by)
    if not everything:
        hidden = (await _hidden(state, table)).get(tuple(name for name in SLICES if name in by), frozenset())
        found = veiled_slices(found, hidden)
    answer = {"run": run_id, "participant": table.run.participant, "change": table.run.change, "slices": found}
    return json_answer(answer)


async def _hidden(state: ServiceState, table: RunTable) -> HiddenSlices:
    least = state.settings.least_shown
    key = ("hidden", table.run.id, table.run.change, table.weights, least)
    found: HiddenSlices | None = state.tables.derived(key)
    if found is None:
        found = await asyncio.to_thread(hidden_slices, table, least)
        state.tables.keep(key, found)
    return found


@router.get("/errors", summary="Why answers failed", response_model=FiguresView)
async def errors(state: State, asker: Asker, run_id: _RunPath) -> Response:
    """The taxonomy of mhgb.md 5 over answers below 0.5; what has no score has no kind and is counted."""
    table, everything = await _table(state, asker, run_id, None)
    view = run_errors(table)
    if not everything:
        small = {key[0] for key in (await _hidden(state, table)).get(("depth",), frozenset())}
        for mode, part in view["modes"].items():
            few = few_said(table, mode, state.settings.least_shown)
            shown = {} if few else {depth: kinds for depth, kinds in part["by_depth"].items() if depth not in small}
            view["modes"][mode] = {
                **part,
                **({"failed": None, "kinds": None} if few else {}),
                "by_depth": shown,
                "too_few_to_show": few or sorted(small),
            }
    return json_answer(view)


@router.post("/refusals", summary="Have refusals told", status_code=202)
async def ask_refusals(state: State, asker: Asker, run_id: _RunPath, body: Annotated[RefusalsBody, Body()]) -> Response:
    """One question for each answer with a text, to a detector of its own; scores stay as they are."""
    run = await own_run(state, asker, run_id)
    async with state.ledger.write() as session:
        asked = await ask_for_refusals(session, run, body.detector)
    answer = json_answer({"run": run_id, "detector": body.detector, "answers": asked})
    answer.status_code = 202
    return answer


@router.get("/refusals", summary="Refusals to answer", response_model=FiguresView)
async def refusals(
    state: State,
    asker: Asker,
    run_id: _RunPath,
    detector: Annotated[str, Query(max_length=100, description="The judge profile that told them")],
    second: Annotated[str | None, Query(max_length=100, description="Another one, for κ on the label")] = None,
) -> Response:
    """The rate over answers without errors, overflows and empties; what a detector could not tell is counted apart."""
    run = await visible_run(state, asker, run_id)
    await check_figures(state, asker, run)
    async with state.ledger.read() as session:
        return json_answer(await refusals_view(session, run, detector, second))
