"""Runs as a report: one self-contained page, or every file of it."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from service.api.access import Asker
from service.api.run_access import check_figures, visible_run
from service.api.state import ServiceState, State
from service.db import Principal
from service.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from service.evaluation import JudgedTwice, RunTable

__all__ = ["router"]

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["scores"])

_RunPath = Annotated[str, Path(max_length=40, description="Id of the run")]
# The earliest that a ZIP can say: the same report gives the same bytes.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


@router.get("/report", summary="A report of runs", response_class=Response)
async def report(
    state: State,
    asker: Asker,
    run_id: _RunPath,
    beside: Annotated[list[str] | None, Query(description="Further runs in the same report, by id")] = None,
    format: Annotated[Literal["html", "zip"], Query(description="One page, or all files")] = "html",  # noqa: A002 - the API's word
    lang: Annotated[Literal["en", "ru"], Query(description="Language of the figures' labels")] = "en",
) -> Response:
    """CSV, Markdown, LaTeX, figures and a page with all of it, as for released results.

    It shows single scores, so it is for closed runs and for those who may see the item scores of each.
    """
    tables = [await _table(state, asker, one) for one in (run_id, *(beside or ()))]
    from service.evaluation import judged_twice  # noqa: PLC0415 - it loads scipy, which a start can do without

    if len({table.run.benchmark for table in tables}) == 1:
        judged = await judged_twice(state.ledger, [table.run for table in tables])
        given_away = [await state.given_away.beside([table.run]) for table in tables]
        public = await _public(state, tables)
    else:
        judged, given_away, public = [], None, None  # refused below, by name
    # Drawing takes seconds and holds nothing: a thread of its own leaves the event loop to others.
    files = await asyncio.to_thread(_files, tables, judged, given_away, public, lang)
    if format == "html":
        return Response(files["report.html"], media_type="text/html; charset=utf-8")
    return Response(
        await asyncio.to_thread(_packed, files),
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="report-{run_id}.zip"'},
    )


async def _table(state: ServiceState, asker: Principal, run_id: str) -> RunTable:
    run = await visible_run(state, asker, run_id)
    everything = await check_figures(state, asker, run)
    table = await state.tables.table(state.ledger, run_id)
    if not everything or table.run.closed_at is None:
        raise ConflictError(
            f"a report shows single scores: that of run {run_id!r} needs the tier full and a closed run; "
            "its means stand at /scores, /gap and /slices"
        )
    return table


async def _public(state: ServiceState, tables: list[RunTable]) -> frozenset[str] | None:
    """Return the public fabulas of the runs' task sets; None where a set is gone or was never here, as a release's."""
    found: set[str] = set()
    for task_set in sorted({table.run.task_set for table in tables}):
        try:
            tasks = await state.records.tasks(task_set)
        except NotFoundError:
            return None
        found |= {task.fabula_id for task in tasks.values() if task.public}
    return frozenset(found)


def _files(
    tables: list[RunTable],
    judged: Sequence[JudgedTwice],
    given_away: Sequence[Sequence[Mapping[str, Any]]] | None,
    public: frozenset[str] | None,
    lang: Literal["en", "ru"],
) -> Mapping[str, bytes]:
    # Loads matplotlib and scipy, which nothing else that is served needs.
    from service.reports import build_report, runs_report  # noqa: PLC0415

    report = runs_report(tables, public=public, judged=judged, given_away=given_away)
    return build_report(report, lang).files


def _packed(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(zipfile.ZipInfo(path, _NO_TIME), files[path], zipfile.ZIP_DEFLATED)
    return packed.getvalue()
