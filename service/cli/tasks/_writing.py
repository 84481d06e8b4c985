"""Drafts on the command line: chains drawn into a set, written and validated by models."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.output import JsonFlag, console, notes, print_json
from service.cli.progress import bars
from service.cli.tasks._chains import CorpusOption, SeedOption, VersionOption, WantedOption, draw_plan
from service.cli.tasks._sets import KeyArgument, ledger_and_graph, set_record
from service.settings import Settings

if TYPE_CHECKING:
    from service.tasks import Estimate, TaskSet, Validated, Written

__all__ = ["ModelOption", "ModelsOption", "register"]

ModelsOption = Annotated[Path, typer.Option("--models", help="The models file.", show_default=False)]
ModelOption = Annotated[str, typer.Option("--model", help="Name of a model in it.", show_default=False)]
BudgetOption = Annotated[
    float | None, typer.Option(min=0, help="Most to spend now, in the currency of the model's price.")
]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Say what it would cost; nobody is called.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(draft)
    app.command()(write)
    app.command()(validate)


def draft(
    key: Annotated[str, typer.Argument(help="Key of the new task set.")],
    benchmark: Annotated[str, typer.Option(help="Key of the benchmark whose prompts apply.")],
    licence: Annotated[str, typer.Option(help="Under which the tasks may be used.")],
    source: Annotated[str, typer.Option(help="Who makes them.")],
    title: Annotated[str | None, typer.Option(help="By default the key.")] = None,
    seed: SeedOption = 42,
    wanted: WantedOption = 300,
    corpus: CorpusOption = None,
    version: VersionOption = None,
    language: Annotated[str, typer.Option(help="Of the tasks.")] = "ru",
    as_json: JsonFlag = False,
) -> None:
    """Draw chains into a new draft.

    Example: lexhop tasks draft mine --benchmark mhgb --licence CC-BY-4.0 --source us --corpus ru --wanted 300
    """
    from service.db import open_ledger
    from service.tasks import TaskSetInfo, create_task_set, keep_chains

    settings = Settings()

    async def run() -> tuple[TaskSet, int, int]:
        plan, found = await draw_plan(settings, corpus, version, seed, wanted, None, quiet=as_json)
        info = TaskSetInfo(
            key, title or key, benchmark, language, found.key, found.version, licence, source, found.notice
        )
        async with open_ledger(settings) as ledger, ledger.write() as session:
            made = await create_task_set(session, info)
            await keep_chains(session, made, plan.chains)
            return made, len(plan.chains), sum(cell.missing for cell in plan.cells)

    made, drawn, missing = asyncio.run(run())
    if as_json:
        print_json(set_record(made) | {"chains": drawn, "missing": missing})
        return
    console().print(f"{made.name} is a draft of {drawn} chains over {made.corpus_uid}", markup=False)
    if missing:
        notes().print(f"{missing} chains are missing; lexhop tasks chains --plan says in which cells", markup=False)
    notes().print("next: lexhop tasks write, lexhop tasks validate, lexhop tasks freeze", markup=False)


def write(
    key: KeyArgument,
    models: ModelsOption,
    model: ModelOption,
    budget: BudgetOption = None,
    dry_run: DryOption = False,
    again: Annotated[bool, typer.Option("--again", help="Try chains anew that failed before.")] = False,
    prompts: Annotated[Path | None, typer.Option(help="Folder of prompts with other wording.")] = None,
    overlap: Annotated[float, typer.Option(min=0, max=1, help="Most of the words that facts and norms share.")] = 0.15,
    as_json: JsonFlag = False,
) -> None:
    """Let a model turn a draft's chains into tasks; interrupted, the same command goes on and pays for nothing twice.

    The exit status is 1 when a chain has no task at the end. Example: lexhop tasks write mine --models models.yaml --model m
    """
    from service.graph.catalog import read_catalog
    from service.graph.queries import query
    from service.models import open_model, read_models_file
    from service.tasks import WRITE, estimate_writing, get_task_set, read_prompts, version_of_set, write_tasks

    settings = Settings()

    async def run() -> Written | Estimate:
        async with ledger_and_graph(settings) as (ledger, store):
            async with ledger.read() as session:
                task_set = await get_task_set(session, key)
            version = version_of_set(await read_catalog(store), task_set)
            wording = read_prompts(task_set.benchmark, WRITE, task_set.language, prompts or settings.prompts)
            async with open_model(read_models_file(models).get(model), database=ledger) as client:
                if dry_run:
                    return await estimate_writing(ledger, store, task_set, client, wording)
                acts = await store.read(query("catalog/acts"), corpus_uid=version.uid)
                with bars(quiet=as_json) as show:
                    return await write_tasks(
                        ledger,
                        store,
                        task_set,
                        client,
                        wording,
                        branches={row["act"]["key"]: row["act"].get("branch") for row in acts},
                        budget=budget,
                        most_overlap=overlap,
                        again=again,
                        progress=show,
                    )

    done = asyncio.run(run())
    if _tell_estimate(done, as_json):
        return
    assert not hasattr(done, "calls")  # noqa: S101 - that was an estimate
    found: Any = done
    if as_json:
        print_json(asdict(found))
    else:
        console().print(
            f"{found.valid} tasks, {len(found.failed)} chains without one, {found.untouched} left for later"
        )
        _tell_reasons(found.failed)
    if found.failed or found.untouched:
        raise typer.Exit(1)


def validate(
    key: KeyArgument,
    models: ModelsOption,
    model: ModelOption,
    budget: BudgetOption = None,
    dry_run: DryOption = False,
    same_model: Annotated[bool, typer.Option("--same-model", help="Allow the model that wrote the tasks.")] = False,
    prompts: Annotated[Path | None, typer.Option(help="Folder of prompts with other wording.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Let a second model answer the five checks of every fabula; all must hold. What experts said stays.

    Example: lexhop tasks validate mine --models models.yaml --model second
    """
    from service.models import open_model, read_models_file
    from service.tasks import VALIDATE, estimate_validation, get_task_set, read_prompts, validate_tasks

    settings = Settings()

    async def run() -> Validated | Estimate:
        async with ledger_and_graph(settings) as (ledger, store):
            async with ledger.read() as session:
                task_set = await get_task_set(session, key)
            wording = read_prompts(task_set.benchmark, VALIDATE, task_set.language, prompts or settings.prompts)
            async with open_model(read_models_file(models).get(model), database=ledger) as client:
                if dry_run:
                    return await estimate_validation(ledger, store, task_set, client, wording)
                with bars(quiet=as_json) as show:
                    return await validate_tasks(
                        ledger,
                        store,
                        task_set,
                        client,
                        wording,
                        same_model=same_model,
                        budget=budget,
                        progress=show,
                    )

    done = asyncio.run(run())
    if _tell_estimate(done, as_json):
        return
    found: Any = done
    if as_json:
        print_json(asdict(found))
    else:
        console().print(
            f"{found.approved} approved, {len(found.rejected)} rejected, {len(found.unavailable)} without a readable word, "
            f"{found.untouched} left for later"
        )
        for name, count in found.failed_checks.items():
            console().print(f"  {name} does not hold: {count}")
        _tell_reasons({**found.rejected, **found.unavailable})
    if found.unavailable or found.untouched:
        raise typer.Exit(1)


def _tell_estimate(done: object, as_json: bool) -> bool:
    from service.tasks import Estimate

    if not isinstance(done, Estimate):
        return False
    if as_json:
        print_json({"dry_run": True, **asdict(done)})
        return True
    cost = "no price is known" if done.cost is None else f"about {done.cost:.2f} {done.currency}"
    console().print(
        f"{done.calls} calls, {done.kept} done already; about {done.prompt_tokens:,} tokens to the model and "
        f"{done.completion_tokens:,} from it: {cost}. Nobody was called."
    )
    return True


def _tell_reasons(reasons: Mapping[str, str]) -> None:
    for name, reason in reasons.items():
        notes().print(f"{name}: {reason}", markup=False)
