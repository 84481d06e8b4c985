"""``lexhop run``: a model over a task set."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.output import JsonFlag, console, notes, print_json
from service.cli.remote import KeyOption, UrlOption, api
from service.errors import UnavailableError
from service.settings import Settings

if TYPE_CHECKING:
    from service.evaluation import RunnerReport
    from service.models import ModelProfile

__all__ = ["app"]

app = typer.Typer()
_NANO = 1_000_000_000


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
        found = asyncio.run(_estimate(settings, profile, body, url, key))
        print_json(found) if as_json else console().print(_told_estimate(found), soft_wrap=True, markup=False)
        return
    report = asyncio.run(_run(settings, profile, body, url, key, concurrency=concurrency, quiet=as_json))
    shown = {
        "run": report.run,
        "total": report.total,
        "outcomes": dict(report.outcomes),
        "prompt_tokens": report.prompt_tokens,
        "completion_tokens": report.completion_tokens,
        "cost": None if report.cost_nano is None else report.cost_nano / _NANO,
        "seconds": round(report.seconds, 1),
        "health": report.health,
        "stopped": report.stopped,
    }
    print_json(shown) if as_json else console().print(_line(report), soft_wrap=True, markup=False)
    if report.stopped:
        raise UnavailableError(report.stopped)


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
) -> RunnerReport:
    from service.db import open_ledger
    from service.evaluation import Runner
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
        return await runner.run(body)


def _line(report: RunnerReport) -> str:
    rate = report.done / report.seconds if report.seconds else 0.0
    eta = report.eta_seconds
    cost = "" if report.cost_nano is None else f", cost {report.cost_nano / _NANO:.4f}"
    said = ", ".join(f"{count} {name}" for name, count in sorted(report.outcomes.items()))
    return (
        f"{report.run}: {report.done} of {report.total} ({said or 'nothing yet'}), {rate:.1f}/s, "
        f"{'done' if eta is None or report.done >= report.total else f'{eta:.0f} s left'}, "
        f"{report.prompt_tokens}+{report.completion_tokens} tokens{cost}"
    )


async def _estimate(
    settings: Settings, profile: ModelProfile, body: dict[str, Any], url: str | None, key: str | None
) -> dict[str, Any]:
    """Count what would be sent, from the prompts themselves; answers are bounded by max_tokens."""
    import orjson

    from service.evaluation import api_call

    characters: dict[str, int] = {}
    tasks = 0
    async with api(settings, url, key) as client:
        await api_call(client, "GET", "/v1/benchmarks")
        async with client.stream("GET", f"/v1/task-sets/{body['task_set']}/prompts") as answer:
            if answer.status_code >= 300:
                await answer.aread()
                raise UnavailableError(f"the prompts of {body['task_set']!r} cannot be had: {answer.text[:300]}")
            seen: set[str] = set()
            async for line in answer.aiter_lines():
                row = orjson.loads(line)
                fabula = row["id"].rpartition("_")[0]
                if fabula not in seen and body.get("limit") and len(seen) >= body["limit"]:
                    continue
                seen.add(fabula)
                if row["mode"] in body["modes"]:
                    tasks += 1
                    size = sum(len(message["content"]) for message in row["messages"])
                    characters[row["mode"]] = characters.get(row["mode"], 0) + size
    calls = tasks * body["repeats"]
    prompt = sum(characters.values()) // 3 * body["repeats"]
    most = profile.price.cost_nano(prompt, calls * profile.max_tokens) if profile.price else None
    least = profile.price.cost_nano(prompt, 0) if profile.price else None
    return {
        "model": profile.name,
        "task_set": body["task_set"],
        "calls": calls,
        "prompt_tokens": prompt,
        "characters": characters,
        "cost_at_least": None if least is None else least / _NANO,
        "cost_at_most": None if most is None else most / _NANO,
        "currency": profile.price.currency if profile.price else None,
    }


def _told_estimate(found: dict[str, Any]) -> str:
    cost = "its price is not in the models file"
    if found["currency"]:
        cost = f"{found['cost_at_least']:.2f} to {found['cost_at_most']:.2f} {found['currency']}"
    return f"{found['calls']} calls, about {found['prompt_tokens']} prompt tokens: {cost}; nobody was called"
