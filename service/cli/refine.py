"""``lexhop corpus refine``: relations typed by a model."""

from __future__ import annotations

import asyncio
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.output import JsonFlag, console, print_json
from service.cli.progress import bars
from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from loaders.relations.refine import Plan, Refinement
    from service.graph.catalog import CorpusVersion

__all__ = ["refine"]

_NANO = 1_000_000_000


def refine(
    key: Annotated[str, typer.Argument(help="The corpus's key, such as ru.")],
    model: Annotated[str, typer.Option(help="Name of a model in the models file.")],
    models: Annotated[Path | None, typer.Option(help="The models file. Default: LEXHOP_MODELS_FILE.")] = None,
    version: Annotated[str | None, typer.Option("--version", help="A version or its first digits.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Ask about pairs that a cue has typed too.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask about no more pairs than this.")] = None,
    budget: Annotated[str | None, typer.Option(help="Spend no more, in the currency of the model's price.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be asked and its cost; call nobody.")
    ] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for another load.")] = 0.0,
    as_json: JsonFlag = False,
) -> None:
    """Let a model type the relations that no cue typed, and make the result the corpus's current version.

    Every verdict is kept: after an interruption, or with another limit, the same command asks only what is still open.

    Example: lexhop corpus refine ru --model judge-1 --dry-run
    """
    settings = Settings()
    spend = _nano(budget)
    done = asyncio.run(
        _run(
            settings,
            key,
            model,
            models or settings.models_file or settings.home / "models.yaml",
            version=version,
            every=every,
            limit=limit,
            budget=spend,
            dry_run=dry_run,
            wait=wait,
            quiet=as_json,
        )
    )
    if as_json:
        print_json(done)
    else:
        console().print(_told(done), markup=False, soft_wrap=True)


async def _run(
    settings: Settings,
    key: str,
    model: str,
    models: Path,
    *,
    version: str | None,
    every: bool,
    limit: int | None,
    budget: int | None,
    dry_run: bool,
    wait: float,
    quiet: bool,
) -> dict[str, Any]:
    from loaders.relations.refine import plan_refinement
    from loaders.relations.refine import refine as refine_content
    from service.db import open_ledger
    from service.graph.catalog import read_catalog
    from service.graph.load import load_version
    from service.graph.opening import open_graph
    from service.graph.reading import read_content
    from service.models import open_model, read_models_file

    profile = read_models_file(models).get(model)
    async with (
        open_ledger(settings) as ledger,
        open_graph(settings) as store,
        open_model(profile, database=ledger) as client,
    ):
        found = (await read_catalog(store)).find(key, version)
        content = await read_content(store, found)
        if dry_run:
            plan = await plan_refinement(content, client, ledger, every=every, limit=limit)
            return _plan(found, model, plan)
        with bars(quiet=quiet) as show:
            refinement = await refine_content(
                content, client, ledger, every=every, limit=limit, budget_nano=budget, progress=show
            )
            outcome = await load_version(
                store,
                key,
                refinement.content,
                left_out={**found.left_out, "refinement": {"model": model, **refinement.counts}},
                batch_rows=settings.load_batch_rows,
                keep=settings.keep_versions,
                stale_seconds=settings.load_stale_seconds,
                wait_seconds=wait,
                progress=show,
            )
        return _result(found, model, refinement, outcome.version)


def _plan(found: CorpusVersion, model: str, plan: Plan) -> dict[str, Any]:
    return {
        "corpus": found.key,
        "version": found.version,
        "model": model,
        "dry_run": True,
        "pairs": plan.pairs,
        "known": plan.known,
        "too_long": plan.too_long,
        "to_ask": len(plan.to_ask),
        "prompt_tokens": plan.prompt_tokens,
        "completion_tokens": plan.completion_tokens,
        "cost": _amount(plan.cost_nano),
        "currency": plan.currency,
    }


def _result(found: CorpusVersion, model: str, refinement: Refinement, version: str) -> dict[str, Any]:
    return {
        "corpus": found.key,
        "from_version": found.version,
        "version": version,
        "model": model,
        "dry_run": False,
        "counts": dict(refinement.counts),
        "left": refinement.left,
        "stopped": refinement.stopped,
        "cost": _amount(refinement.cost_nano) if refinement.currency else None,
        "currency": refinement.currency,
    }


def _told(done: dict[str, Any]) -> str:
    cost = "cost unknown, the model has no price" if done["cost"] is None else f"{done['cost']} {done['currency']}"
    if done["dry_run"]:
        return (
            f"{done['corpus']}@{done['version']}: {done['pairs']:,} candidates, {done['known']:,} known, "
            f"{done['too_long']:,} too long for {done['model']}, {done['to_ask']:,} to ask: "
            f"about {done['prompt_tokens']:,} + {done['completion_tokens']:,} tokens, about {cost}"
        )
    counts = ", ".join(f"{name} {number:,}" for name, number in sorted(done["counts"].items()) if number)
    left = f"; {done['left']:,} left" + (f" ({done['stopped']})" if done["stopped"] else "") if done["left"] else ""
    return f"{done['corpus']}@{done['version']} is current: {counts or 'nothing to ask'}; {cost}{left}"


def _nano(budget: str | None) -> int | None:
    if budget is None:
        return None
    try:
        amount = Decimal(budget)
    except InvalidOperation:
        raise InputError(f"budget {budget!r} is no amount; write it as 2.50") from None
    if not amount.is_finite() or amount <= 0:
        raise InputError(f"budget {budget!r} is not above 0; write it as 2.50")
    return int(amount * _NANO)


def _amount(nano: int | None) -> str | None:
    return None if nano is None else f"{Decimal(nano) / _NANO:.4f}"
