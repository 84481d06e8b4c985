"""``lexhop leaderboard``: who scored what, under which conditions."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer
from rich.console import Console

from service.cli.output import JsonFlag, console, print_json, table
from service.cli.remote import KeyOption, UrlOption, api
from service.settings import Settings

__all__ = ["app", "show_agreement", "show_boards"]

app = typer.Typer(context_settings={"allow_interspersed_args": True})


@app.callback()
def leaderboard(
    benchmark: Annotated[str, typer.Argument(help="Key of the benchmark.")] = "mhgb",
    common: Annotated[bool, typer.Option("--common", help="Over the fabulas scored for every listed run.")] = False,
    unranked: Annotated[
        bool, typer.Option("--unranked", help="Also partial runs and judges that do not rank.")
    ] = False,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the boards of a benchmark, one for all that was scored alike.

    Example: lexhop leaderboard mhgb --common
    """
    from service.evaluation import api_call

    async def ask() -> Any:
        query = {"on": "common" if common else "own", "unranked": str(unranked).lower()}
        async with api(Settings(), url, key) as client:
            return await api_call(client, "GET", f"/v1/leaderboards/{benchmark}", params=query)

    found = asyncio.run(ask())
    print_json(found) if as_json else show_boards(console(), found)


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.4f}"


def show_boards(printer: Console, found: dict[str, Any]) -> None:
    """Print boards as tables; every mean stands beside what it rests on."""
    if not found["boards"]:
        printer.print(f"no board of {found['benchmark']} has a published run that ranks (--unranked shows the others)")
    for board in found["boards"]:
        judge = board["judge"] or "of the release"
        title = f"{board['task_set']} on {board['corpus']}, judge {judge}, board {board['board']}"
        rows = table(
            "rank",
            "participant",
            "closed",
            "open",
            "gap [95 %]",
            "pairs",
            "coverage",
            "without zeros",
            whole=4,
            title=title,
        )
        for row in board["rows"]:
            low, high = row["gap_interval"] or (None, None)
            zeros = row["without_zeros"]
            coverage = "—" if row["coverage"] is None else f"{row['coverage']:.0%}"
            rows.add_row(
                str(row["rank"] or "—"),
                row["participant"],
                _number(row["closed"]),
                _number(row["open"]),
                f"{_number(row['gap'])} [{_number(low)}, {_number(high)}]",
                str(row["n_pairs"]),
                coverage,
                f"{_number(zeros['gap'])} over {zeros['n']}",
            )
        printer.print(rows)
        reasons = {row["not_ranked"] for row in board["rows"] if row["not_ranked"]}
        for reason in sorted(reasons):
            printer.print(f"not ranked: {reason}", markup=False)
        show_agreement(printer, board["agreement"])
        _show_test_participants(printer, board["test_participants"])
        for one in board["withdrawn"]:
            printer.print(f"withdrawn: {one['participant']} ({one['why']})", markup=False)


def show_agreement(printer: Console, rows: list[dict[str, Any]]) -> None:
    """Print how far further judges agree with the run's or board's own, a line a level."""
    for row in rows:
        if row["reason"]:
            printer.print(f"judge {row['second']} beside {row['judge']}: {row['reason']}", markup=False, soft_wrap=True)
        for one in row["levels"]:
            low, high = one["interval"] or (None, None)
            kappa = one["reason"] or f"κ {_number(one['kappa'])} [{_number(low)}, {_number(high)}]"
            bias = "" if one["bias"] is None else f", bias {one['bias']:+.4f}"
            printer.print(
                f"judge {row['second']} beside {row['judge']}, {one['level']}: {kappa}{bias}, "
                f"over {one['both']} of {one['asked']}",
                markup=False,
                soft_wrap=True,
            )


def _show_test_participants(printer: Console, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        name, component = row["participant"] or "test participants", row["component"].replace("_", " ")
        said = row["reason"] if row["mean"] is None else f"{_number(row['mean'])} over {row['tasks']} open tasks"
        printer.print(
            f"{name} (reads no law): {component} {said}, at {row['token_budget']} tokens", markup=False, soft_wrap=True
        )
