"""``lexhop run``: a model over a task set."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.main import STOPPED
from service.cli.output import JsonFlag, console, notes, print_json
from service.cli.remote import KeyOption, UrlOption, api
from service.errors import UnavailableError
from service.settings import Settings

if TYPE_CHECKING:
    from service.evaluation import CostEstimate, RunnerReport
    from service.models import ModelProfile

__all__ = ["app"]

app = typer.Typer()
_NANO = 1_000_000_000
_PER_CELL = 3


@app.callback()
def run(
    model: Annotated[str, typer.Option(help="Name of a model in the models file.")],
    task_set: Annotated[str, typer.Option(help="Key of the task set, or key@version.")],
    benchmark: Annotated[str, typer.Option(help="Its benchmark.")] = "mhgb",
    models: Annotated[Path | None, typer.Option(help="The models file. Default: LEXHOP_MODELS_FILE.")] = None,
    mode: Annotated[list[str] | None, typer.Option(help="closed or open; repeatable. Default: both.")] = None,
    configuration: Annotated[str, typer.Option(help="Of the open context.")] = "full_graph",
    token_budget: Annotated[int | None, typer.Option(min=1, help="Tokens of an open context.")] = None,
    max_chunks: Annotated[int | None, typer.Option(min=1, help="Chunks of an open context.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Answers of each task.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many fabulas; such a run is never ranked.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Only the set's public fabulas.")] = False,
    judge: Annotated[str | None, typer.Option(help="Judge profile. Default: the Lexhop's own.")] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Calls at a time. Default: the model's.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how much would be asked and its cost; call nobody.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Answer so many tasks of each type, depth and mode, say what the whole run will cost, and stop; the same "
            "command without it goes on. With --dry-run: so many prompts are measured (3).",
        ),
    ] = None,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Ask a model every task that it has not answered yet. Ctrl-C is safe: the same command goes on.

    Example: lexhop run --model gpt-4o --task-set mhgb --url https://lexhop.example --limit 5
    """
    from service.models import read_models_file

    settings = Settings()
    profile = read_models_file(models or settings.models_file or settings.home / "models.yaml").get(model)
    body: dict[str, Any] = {
        "benchmark": benchmark,
        "task_set": task_set,
        "participant": profile.shown_name,
        "conditions": _conditions(profile),
        "configuration": configuration,
        "token_budget": token_budget or profile.token_budget,
        "max_chunks": max_chunks,
        "repeats": repeats,
        "limit": limit,
        "subset": "public" if public else None,
        "judge": judge,
        "modes": mode or ["closed", "open"],
    }
    body = {name: value for name, value in body.items() if value is not None}
    if dry_run:
        found = asyncio.run(_dry(settings, profile, body, url, key, sample or _PER_CELL))
        shown = {"model": profile.name, "task_set": task_set, **asdict(found)}
        print_json(shown) if as_json else console().print(
            f"{_told(found, profile)}; nobody was called", soft_wrap=True, markup=False
        )
        return
    report, estimate = asyncio.run(
        _run(settings, profile, body, url, key, concurrency=concurrency, quiet=as_json, sample=sample)
    )
    shown = {
        "run": report.run,
        "total": report.total,
        "outcomes": dict(report.outcomes),
        "prompt_tokens": report.prompt_tokens,
        "completion_tokens": report.completion_tokens,
        "cost": None if report.cost_nano is None else report.cost_nano / _NANO,
        "currency": report.currency,
        "seconds": round(report.seconds, 1),
        "health": report.health,
        "stopped": report.stopped,
        "interrupted": report.interrupted,
        "estimate": None if estimate is None else asdict(estimate),
    }
    if as_json:
        print_json(shown)
    else:
        console().print(_line(report), soft_wrap=True, markup=False)
        if estimate is not None:
            console().print(f"the whole run: {_told(estimate, profile)}", soft_wrap=True, markup=False)
    if report.stopped:
        raise UnavailableError(report.stopped)
    if report.interrupted:
        raise typer.Exit(STOPPED)


def _conditions(profile: ModelProfile) -> dict[str, Any]:
    facts = {
        "model": profile.model or profile.name,
        "provider": profile.provider.value,
        "temperature": profile.temperature,
        "max_tokens": profile.max_tokens,
        "thinking": profile.thinking,
        "window": profile.window,
        "kind": profile.kind.value,
        "slice": profile.slice.value if profile.slice else None,
        "size": profile.size,
        "seed": profile.seed,
    }
    return {name: value for name, value in facts.items() if value is not None}


async def _run(
    settings: Settings,
    profile: ModelProfile,
    body: dict[str, Any],
    url: str | None,
    key: str | None,
    *,
    concurrency: int | None,
    quiet: bool,
    sample: int | None,
) -> tuple[RunnerReport, CostEstimate | None]:
    from service.db import open_ledger
    from service.evaluation import Runner, draw_sample, estimate_cost, usage_of
    from service.models import open_model

    printer = notes()
    told_health = False

    def tell(report: RunnerReport) -> None:
        nonlocal told_health
        if quiet:
            return
        if report.health and not told_health:
            told_health = True
            printer.print(report.health, markup=False, soft_wrap=True)
        printer.print(_line(report), end="\r" if printer.is_terminal else "\n", markup=False, soft_wrap=True)

    async with (
        open_ledger(settings) as ledger,
        api(settings, url, key) as client,
        open_model(profile, database=ledger) as model,
    ):
        runner = Runner(client, model, concurrency=concurrency or profile.concurrency, tell=tell)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, runner.stop)
        if sample is None:
            return await runner.run(body), None
        drawn = await draw_sample(client, body, sample)
        report = await runner.run(body, only=[one.task for one in drawn])
        if report.interrupted:
            return report, None
        measured = await usage_of(client, report.run, drawn)
        return report, estimate_cost(measured, profile, repeats=body["repeats"])


def _line(report: RunnerReport) -> str:
    eta, rate = report.eta_seconds, report.rate
    cost = ""
    if report.cost_nano is not None:
        whole = report.whole_cost_nano or 0.0
        cost = f", {report.cost_nano / _NANO:.4f} of about {whole / _NANO:.4f} {report.currency or ''}".rstrip()
    said = ", ".join(f"{count} {name}" for name, count in sorted(report.outcomes.items()))
    return (
        f"{report.run}: {report.done} of {report.total} ({said or 'nothing yet'}), {rate or 0.0:.1f}/s, "
        f"{'done' if eta is None or report.done >= report.total else f'{eta:.0f} s left'}, "
        f"{report.prompt_tokens}+{report.completion_tokens} tokens{cost}"
    )


async def _dry(
    settings: Settings, profile: ModelProfile, body: dict[str, Any], url: str | None, key: str | None, per_cell: int
) -> CostEstimate:
    from service.evaluation import draw_sample, estimate_cost

    async with api(settings, url, key) as client:
        return estimate_cost(await draw_sample(client, body, per_cell), profile, repeats=body["repeats"])


def _told(found: CostEstimate, profile: ModelProfile) -> str:
    prompt, completion = found.prompt_tokens, found.completion_tokens
    basis = (
        "as the sample's answers"
        if found.completion_from == "sample"
        else f"300 to {profile.max_tokens} a reply assumed"
    )
    cost = "its price is not in the models file"
    if found.cost is not None:
        cost = f"{found.cost.likely:.4f} {found.currency} ({found.cost.low:.4f} to {found.cost.high:.4f}, prices of "
        cost += f"{found.price_as_of})"
    return (
        f"{found.calls} calls over {found.tasks} tasks, by {found.sampled} of them from {found.cells} cells: "
        f"{prompt.likely:,.0f} tokens to the model ({prompt.low:,.0f} to {prompt.high:,.0f}), "
        f"{completion.likely:,.0f} from it ({completion.low:,.0f} to {completion.high:,.0f}, {basis}): {cost}"
    )
