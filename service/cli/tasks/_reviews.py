"""Experts on the command line: one word, or whole blind packages."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.output import JsonFlag, console, print_json
from service.cli.tasks._sets import KeyArgument, ledger_and_graph
from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from service.tasks.packages import Figures

__all__ = ["register"]

ReviewerOption = Annotated[str, typer.Option(help="Who reviews.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(review)
    app.command("export-review")(export_review)
    app.command("import-review")(import_review)


def review(
    key: KeyArgument,
    fabula: Annotated[str | None, typer.Option(help="Id of a fabula; without it what was said is shown.")] = None,
    verdict: Annotated[str | None, typer.Option(help="approve or reject.")] = None,
    reviewer: ReviewerOption = "",
    holds: Annotated[list[str] | None, typer.Option(help="A check that holds; may be repeated.")] = None,
    fails: Annotated[list[str] | None, typer.Option(help="A check that does not hold; may be repeated.")] = None,
    comment: Annotated[str, typer.Option(help="In words.")] = "",
    models: Annotated[Path | None, typer.Option("--models", help="Models file, to compare with a validator.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="The validator to compare with.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Say what you think of a fabula, or show the history and what it amounts to.

    Example: lexhop tasks review mine --fabula 4fbd --verdict approve --reviewer anna --holds solvable
    """
    from service.db import COMMAND_LINE, iso_moment, open_ledger, reviews_of
    from service.tasks import get_task_set, review_task

    if fabula is None:
        asyncio.run(_show(key, models, model, as_json))
        return
    if verdict not in ("approve", "reject"):
        raise InputError(f"verdict {verdict!r} is neither approve nor reject; give one of them by --verdict")
    checks = dict.fromkeys(holds or (), True) | dict.fromkeys(fails or (), False)

    async def run() -> tuple[str, list[dict[str, Any]]]:
        async with open_ledger(Settings()) as ledger, ledger.write() as session:
            task_set = await get_task_set(session, key)
            status = await review_task(
                session,
                task_set,
                fabula,
                reviewer=reviewer,
                approve=verdict == "approve",
                checks=checks,
                comment=comment,
                actor=COMMAND_LINE,
            )
            history = [
                {"reviewer": row.reviewer, "verdict": row.verdict, "comment": row.comment, "at": iso_moment(row.at)}
                for row in await reviews_of(session, task_set.id, fabula)
            ]
            return status.value, history

    status, history = asyncio.run(run())
    if as_json:
        print_json({"task_set": key, "fabula_id": fabula, "validation_status": status, "history": history})
    else:
        console().print(f"{fabula} is {status} after {len(history)} reviews", markup=False)


async def _show(key: str, models: Path | None, model: str | None, as_json: bool) -> None:
    from service.db import iso_moment, reviews_of
    from service.tasks import get_task_set

    async with ledger_and_graph(Settings()) as (ledger, store):
        async with ledger.read() as session:
            task_set = await get_task_set(session, key)
            rows = await reviews_of(session, task_set.id)
        figures = await _figures(ledger, store, task_set, models, model)
    if as_json:
        history = [
            {
                "fabula_id": row.fabula_id,
                "reviewer": row.reviewer,
                "verdict": row.verdict,
                "comment": row.comment,
                "at": iso_moment(row.at),
            }
            for row in rows
        ]
        print_json({"task_set": task_set.name, "history": history, "figures": asdict(figures)})
        return
    for row in rows:
        line = f"{iso_moment(row.at)}  {row.fabula_id}  {row.reviewer}: {row.verdict}  {row.comment}"
        console().print(line, markup=False)
    _tell(figures)


def export_review(
    key: KeyArgument,
    to: Annotated[Path, typer.Option("--to", help="Workbook to write (.xlsx).", show_default=False)],
    seed: Annotated[int, typer.Option(help="Decides the order of the rows.")] = 42,
    as_json: JsonFlag = False,
) -> None:
    """Write a blind package: it says nothing of who wrote or checked a task.

    Example: lexhop tasks export-review mine --to review.xlsx
    """
    from service.tasks import articles_of, get_task_set, list_fabulas
    from service.tasks.packages import write_package

    async def run() -> int:
        async with ledger_and_graph(Settings()) as (ledger, store):
            async with ledger.read() as session:
                task_set = await get_task_set(session, key)
                fabulas = await list_fabulas(session, task_set)
            norms = [norm for fabula in fabulas for norm in fabula.shared["norm_ids"]]
            write_package(to, task_set, fabulas, await articles_of(store, task_set.corpus_uid, norms), seed=seed)
            return len(fabulas)

    count = asyncio.run(run())
    if as_json:
        print_json({"task_set": key, "file": str(to), "fabulas": count})
    else:
        console().print(f"{count} fabulas are written to {to}", markup=False)


def import_review(
    key: KeyArgument,
    file: Annotated[Path, typer.Argument(help="A filled-in workbook.")],
    reviewer: ReviewerOption,
    models: Annotated[Path | None, typer.Option("--models", help="Models file, to compare with a validator.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="The validator to compare with.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Read one expert's workbook; every word is kept, the last of each expert counts.

    Example: lexhop tasks import-review mine review-anna.xlsx --reviewer anna
    """
    from service.db import COMMAND_LINE
    from service.tasks import get_task_set, list_fabulas, review_task
    from service.tasks.packages import read_package

    async def run() -> tuple[int, int, Figures]:
        async with ledger_and_graph(Settings()) as (ledger, store):
            async with ledger.write() as session:
                task_set = await get_task_set(session, key)
                filled = read_package(file, task_set, await list_fabulas(session, task_set))
                for word in filled.words:
                    await review_task(
                        session,
                        task_set,
                        word.fabula_id,
                        reviewer=reviewer,
                        approve=word.approve,
                        checks=word.checks,
                        comment=word.comment,
                        actor=COMMAND_LINE,
                    )
            return len(filled.words), filled.empty, await _figures(ledger, store, task_set, models, model)

    words, empty, figures = asyncio.run(run())
    if as_json:
        print_json({"task_set": key, "reviewed": words, "left_open": empty, "figures": asdict(figures)})
        return
    console().print(f"{words} fabulas reviewed by {reviewer}, {empty} left open", markup=False)
    _tell(figures)


async def _figures(ledger: Any, store: Any, task_set: Any, models: Path | None, model: str | None) -> Figures:
    from service.db import reviews_of
    from service.models import open_model, read_models_file
    from service.tasks import VALIDATE, last_words, model_verdicts, read_prompts
    from service.tasks.packages import review_figures

    async with ledger.read() as session:
        words: dict[str, dict[str, bool]] = {}
        for row in last_words(await reviews_of(session, task_set.id)):
            words.setdefault(row.fabula_id, {})[row.reviewer] = row.verdict == "approve"
    said = None
    if models is not None and model is not None:
        wording = read_prompts(task_set.benchmark, VALIDATE, task_set.language, Settings().prompts)
        async with open_model(read_models_file(models).get(model), database=ledger) as client:
            said = await model_verdicts(ledger, store, task_set, client, wording)
    return review_figures(words, said)


def _tell(figures: Figures) -> None:
    out = console()
    if figures.approved is None:
        out.print("no fabula has a majority yet")
        return
    share = figures.approved
    out.print(f"{figures.fabulas} fabulas reviewed, {figures.ties} tied; approved {_share(share)}")
    if figures.agreement is not None:
        kappa = figures.agreement.fleiss
        out.print(f"reviewers agree on {figures.agreement.raw:.3f} of pairs; Fleiss' κ {_number(kappa)}")
    if figures.model_precision is not None:
        out.print(f"of what the model approves the experts approve {_share(figures.model_precision)}")
    if figures.model_kappa is not None:
        out.print(f"Cohen's κ of model and experts' majority {_number(figures.model_kappa.value)}")


def _share(share: Any) -> str:
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}] of {share.n}"


def _number(value: float | None) -> str:
    return "not applicable" if value is None else f"{value:.3f}"
