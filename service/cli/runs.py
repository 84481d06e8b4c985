"""``lexhop runs``: what was run, and what becomes of it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from service.cli.leaderboard import show_agreement
from service.cli.output import JsonFlag, console, moment, notes, print_json, table
from service.cli.remote import KeyOption, UrlOption, api
from service.settings import Settings

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)

_RunArgument = Annotated[str, typer.Argument(help="Id of the run.")]


def _ask(method: str, path: str, url: str | None, key: str | None, **more: Any) -> Any:
    from service.evaluation import api_call

    async def ask() -> Any:
        async with api(Settings(), url, key) as client:
            return await api_call(client, method, path, **more)

    return asyncio.run(ask())


def _told(run: dict[str, Any]) -> str:
    work = run["judgements"]
    return (
        f"{run['id']} {run['participant']} on {run['task_set']}: {run['state']}, "
        f"{run['answered']} of {run['tasks']} answered, {work['judged']} of {work['total']} {run['judgements_of']} judged"
        f" ({work['unavailable']} unavailable)"
    )


@app.command("list")
def list_all(
    limit: Annotated[int, typer.Option(min=1, help="The most.")] = 50,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List your runs and those that are published, newest first.

    Example: lexhop runs list --json
    """
    page = _ask("GET", f"/v1/runs?limit={limit}", url, key)
    if as_json:
        print_json(page)
        return
    if not page["items"]:
        notes().print("no runs yet; `lexhop run --help` says how to begin one")
        return
    rows = table("run", "participant", "task set", "tasks", "created (UTC)", "closed", "published")
    for run in page["items"]:
        marks = [moment(run["created_at"]), "yes" if run["closed_at"] else "", "yes" if run["published_at"] else ""]
        rows.add_row(run["id"], run["participant"], run["task_set"], str(run["tasks"]), *marks)
    console().print(rows)


@app.command()
def show(run: _RunArgument, url: UrlOption = None, key: KeyOption = None, as_json: JsonFlag = False) -> None:
    """Show where a run stands, with its scores where they may be shown.

    Example: lexhop runs show run_0123456789abcdef
    """
    from service.errors import ConflictError

    view = _ask("GET", f"/v1/runs/{run}", url, key)
    try:
        scores = _ask("GET", f"/v1/runs/{run}/scores", url, key)
    except ConflictError as error:
        scores = {"reason": str(error)}
    if as_json:
        print_json({**view, "scores": scores})
        return
    printer = console()
    printer.print(_told(view), markup=False, soft_wrap=True)
    for mode, part in scores.get("modes", {}).items():
        final = part["final"]
        mean = "unavailable" if final["mean"] is None else f"{final['mean']:.4f}"
        printer.print(f"{mode}: {mean} over {final['scored']} of {final['total']}", markup=False)
    show_agreement(printer, scores.get("agreement", []))
    if "reason" in scores:
        printer.print(scores["reason"], markup=False, soft_wrap=True)


@app.command()
def close(run: _RunArgument, url: UrlOption = None, key: KeyOption = None, as_json: JsonFlag = False) -> None:
    """Take no more answers; what was answered is judged on.

    Example: lexhop runs close run_0123456789abcdef
    """
    view = _ask("POST", f"/v1/runs/{run}/close", url, key)
    print_json(view) if as_json else console().print(_told(view), markup=False, soft_wrap=True)


@app.command()
def publish(run: _RunArgument, url: UrlOption = None, key: KeyOption = None, as_json: JsonFlag = False) -> None:
    """Show a closed run to everybody, on its leaderboard.

    Example: lexhop runs publish run_0123456789abcdef
    """
    view = _ask("POST", f"/v1/runs/{run}/publish", url, key)
    print_json(view) if as_json else console().print(_told(view), markup=False, soft_wrap=True)


@app.command()
def withdraw(
    run: _RunArgument,
    why: Annotated[str, typer.Option(help="The board says so.")],
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Take a published run off its leaderboard; it stays off.

    Example: lexhop runs withdraw run_0123456789abcdef --why "asked with a wrong prompt"
    """
    view = _ask("POST", f"/v1/runs/{run}/withdraw", url, key, json={"why": why})
    print_json(view) if as_json else console().print(_told(view), markup=False, soft_wrap=True)


@app.command()
def rejudge(
    run: _RunArgument,
    judge: Annotated[
        str | None, typer.Option(help="Have this profile judge the run too: scores stay, agreement is shown.")
    ] = None,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Ask the judge again where it gave no verdict, or a second judge about everything; verdicts stay.

    Examples: lexhop runs rejudge run_0123456789abcdef; lexhop runs rejudge run_0123456789abcdef --judge second
    """
    body = {"json": {"judge": judge}} if judge else {}
    found = _ask("POST", f"/v1/runs/{run}/rejudge", url, key, **body)
    if as_json:
        print_json(found)
        return
    if found["reopened"] is None:
        console().print("asked; how many questions there are is for those with access to gold", markup=False)
    else:
        console().print(f"{found['reopened']} questions wait again, {found['asked']} are new", markup=False)
