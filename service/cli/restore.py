"""``lexhop restore``: a backup, put back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.backup import tell
from service.cli.output import JsonFlag
from service.settings import Settings

if TYPE_CHECKING:
    from service.backup import BackupReport

__all__ = ["app"]

# A noun without verbs: options may stand behind the file.
app = typer.Typer()


@app.callback()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that lexhop backup wrote.", show_default=False)],
    ledger_only: Annotated[bool, typer.Option("--ledger-only", help="Of a backup without corpora; no graph.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Put a backup into an empty ledger, and its corpora into the graph; an interrupted restore is begun again.

    Example: LEXHOP_HOME=/srv/new lexhop restore lexhop.backup
    """
    from service.backup import restore as read
    from service.db import Database
    from service.graph.opening import open_graph

    settings = Settings()

    async def run() -> BackupReport:
        ledger = Database.from_settings(settings)
        try:
            if ledger_only:
                return await read(file, ledger, None, settings)
            async with open_graph(settings) as store:
                return await read(file, ledger, store, settings)
        finally:
            await ledger.close()

    tell(asyncio.run(run()), file, "is restored", as_json)
