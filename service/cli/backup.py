"""``lexhop backup``: everything that is ours, into one file."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.output import JsonFlag, console, print_json
from service.settings import Settings

if TYPE_CHECKING:
    from service.backup import BackupReport

__all__ = ["app", "tell"]

# A noun without verbs: options may stand behind the file.
app = typer.Typer()


@app.callback()
def backup(
    file: Annotated[Path, typer.Argument(help="File to write.", show_default=False)],
    ledger_only: Annotated[bool, typer.Option("--ledger-only", help="Without corpora; needs no graph.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Write keys, grants, usage and all else of the ledger, and every corpus, to one file, also while in use.

    Example: lexhop backup lexhop.backup
    """
    from service.backup import backup as write
    from service.db import open_ledger
    from service.graph.opening import open_graph

    settings = Settings()

    async def run() -> BackupReport:
        async with open_ledger(settings) as ledger:
            if ledger_only:
                return await write(file, ledger, None)
            async with open_graph(settings) as store:
                return await write(file, ledger, store)

    tell(asyncio.run(run()), file, "is written", as_json)


def tell(report: BackupReport, file: Path, done: str, as_json: bool) -> None:
    """Say what a backup holds."""
    if as_json:
        print_json({"file": str(file), **asdict(report)})
        return
    rows = ", ".join(f"{name} {count:,}" for name, count in report.rows.items() if count) or "no rows"
    console().print(
        f"{file} {done}: {rows}; corpora {', '.join(report.corpora) or 'none'}", markup=False, soft_wrap=True
    )
