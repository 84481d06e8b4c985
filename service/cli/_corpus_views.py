"""``lexhop corpus diff`` and ``datasheet``: looking at versions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.asking import desk
from service.cli.output import JsonFlag, console, print_json
from service.errors import SetupError

if TYPE_CHECKING:
    from service.graph.datasheet import Datasheet

__all__ = ["datasheet", "diff"]

_Key = Annotated[str, typer.Argument(help="The corpus's key, such as ru.")]


def diff(
    key: _Key,
    earlier: Annotated[str, typer.Option("--from", help="A version or its first digits.", show_default=False)],
    later: Annotated[str | None, typer.Option("--to", help="Another one; by default the current version.")] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Entries of each kind at most; all by default.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show what changed between two versions: articles with their texts, relations.

    Example: lexhop corpus diff ru --from 0c0a52 --to 77698c
    """
    answer = asyncio.run(_diff(key, earlier, later, limit))
    if as_json:
        print_json(answer)
        return
    from service.cli.showing import diff_block

    console().print(diff_block(answer))


def datasheet(
    key: _Key,
    to: Annotated[Path | None, typer.Option("--to", help="File to write; standard output without it.")] = None,
    version: Annotated[str | None, typer.Option("--version", help="A version or its first digits.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a corpus's datasheet as Markdown: what it is, covers, leaves out, how it was made, its limits.

    Example: lexhop corpus datasheet ru --to ru.md
    """
    sheet = asyncio.run(_datasheet(key, version))
    if as_json:
        print_json(sheet.as_dict())
    elif to is None:
        console().print(sheet.markdown(), markup=False, soft_wrap=True, end="")
    else:
        try:
            to.write_text(sheet.markdown(), encoding="utf-8")
        except OSError as error:
            raise SetupError(f"datasheet {str(to)!r} cannot be written: {error.strerror}; name another file") from error


async def _diff(key: str, earlier: str, later: str | None, limit: int | None) -> dict[str, Any]:
    from service.graph.catalog import read_catalog
    from service.graph.diff import diff_versions, diff_view

    async with desk() as at:
        catalog = await read_catalog(at.store)
        found = await diff_versions(at.store, catalog.find(key, earlier), catalog.find(key, later), limit=limit)
        return diff_view(found)


async def _datasheet(key: str, version: str | None) -> Datasheet:
    from service.graph.datasheet import read_datasheet
    from service.graph.finding import Asked

    async with desk() as at:
        contents = await at.finder.contents(at.finder.version(Asked(key, version)))
        return await read_datasheet(at.store, contents)
