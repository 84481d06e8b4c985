"""``lexhop work``: a judge worker."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.output import JsonFlag, console, notes, print_json
from service.errors import SetupError
from service.settings import Settings

if TYPE_CHECKING:
    from service.db import Database
    from service.evaluation import WorkerReport
    from service.judging import Judge

__all__ = ["app", "open_judges"]

app = typer.Typer()


@app.callback()
def work(
    judge: Annotated[
        list[str] | None, typer.Option(help="Only this judge profile; repeatable. Default: all that can be asked here.")
    ] = None,
    models: Annotated[Path | None, typer.Option(help="The models file. Default: LEXHOP_MODELS_FILE.")] = None,
    once: Annotated[bool, typer.Option("--once", help="End when nothing is left instead of waiting for more.")] = False,
    batch: Annotated[int, typer.Option(min=1, max=1000, help="Questions held at a time.")] = 64,
    as_json: JsonFlag = False,
) -> None:
    """Read answers, ask judges, write verdicts and scores. Run as many as you like, on any machine with the ledger.

    Ctrl-C or SIGTERM: what is under way is finished, the rest returned. Example: lexhop work --once
    """
    from service.loops import run_async

    settings = Settings()
    report = run_async(_work(settings, judge or [], models, once=once, batch=batch, quiet=as_json))
    if as_json:
        print_json(report)
    else:
        facts = ", ".join(f"{count} {name}" for name, count in asdict(report).items())
        console().print(facts, markup=False)


async def _work(
    settings: Settings, wanted: list[str], models: Path | None, *, once: bool, batch: int, quiet: bool
) -> WorkerReport:
    from service.db import open_ledger
    from service.evaluation import Evaluator, GraphLaws, JudgeWorker, LedgerRecords
    from service.graph.opening import open_graph
    from service.graph.watch import CatalogWatcher

    async with open_ledger(settings) as ledger, open_graph(settings) as store:
        watcher = CatalogWatcher(store)
        evaluator = Evaluator(ledger, LedgerRecords(ledger), GraphLaws(watcher))
        path = models or settings.models_file or settings.home / "models.yaml"
        judges, left_out = await open_judges(ledger, path, wanted)
        name = f"{socket.gethostname()[:40]}-{os.getpid()}-{secrets.token_hex(3)}"
        worker = JudgeWorker(evaluator, judges, name=name, batch=batch)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, worker.stop)
        if not quiet:
            for line in left_out:
                notes().print(line, markup=False, soft_wrap=True)
            served = f"worker {name} serves {len(judges)} judge profile{'' if len(judges) == 1 else 's'}"
            remedy = "" if judges else "; `lexhop judges add --help` says how to make one"
            notes().print(f"{served}{remedy}{'' if once else '; Ctrl-C ends it'}", markup=False)
        return await worker.run(once=once)


async def open_judges(ledger: Database, models: Path, wanted: list[str]) -> tuple[dict[int, Judge], list[str]]:
    """Return who answers for which profile here, and a line for each profile that nobody answers for.

    Raises:
        NotFoundError: A profile asked for does not exist.
        SetupError: A profile asked for cannot be asked here.
    """
    from service.db import find_judge_profile, list_judge_profiles
    from service.errors import LexhopError
    from service.judging import JudgeKind, JudgeProfile, LexicalJudge, ModelJudge
    from service.models import open_model, read_models_file

    async with ledger.read() as session:
        stored = [await find_judge_profile(session, name) for name in wanted] or await list_judge_profiles(session)
    judges: dict[int, Judge] = {}
    left_out = []
    for one in stored:
        profile = JudgeProfile.model_validate(one.body)
        if profile.kind is JudgeKind.LEXICAL:
            judges[one.id] = LexicalJudge()
            continue
        try:
            if profile.kind is JudgeKind.EXTERNAL:
                raise SetupError(f"judge profile {profile.name!r} is asked elsewhere, over HTTP")
            model = read_models_file(models).get(profile.model)
            if (model.model or model.name) != profile.model_id:
                raise SetupError(
                    f"judge profile {profile.name!r} means model id {profile.model_id!r}, {str(models)!r} has "
                    f"{model.model!r} for {profile.model!r}; verdicts would not compare"
                )
            judges[one.id] = ModelJudge(profile, open_model(model, database=ledger, shared_pace=True))
        except LexhopError as error:
            if wanted:
                raise
            left_out.append(f"profile {profile.name} waits for others: {error}")
    return judges, left_out
