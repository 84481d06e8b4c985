"""``lexhop path``: how one norm leads to another."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from service.cli.asking import AsOfOption, CorpusOption, TypeOption, VersionOption, desk, types_of
from service.cli.output import JsonFlag, console, print_json

__all__ = ["app"]

app = typer.Typer()


@app.callback()
def show_paths(
    start: Annotated[str, typer.Argument(help="A norm id or a citation in words.", show_default=False)],
    end: Annotated[str, typer.Argument(help="Another norm of the same corpus.", show_default=False)],
    *,
    max_hops: Annotated[int, typer.Option("--max-hops", help="Longest path, 1 to 6 relations.")] = 4,
    kind: TypeOption = None,
    directed: Annotated[
        bool, typer.Option("--directed/--any", help="Along the relations' direction only, or either way.")
    ] = True,
    as_of: AsOfOption = None,
    limit: Annotated[int, typer.Option(help="Paths at most.")] = 5,
    corpus: CorpusOption = None,
    version: VersionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the simple paths between two norms, fewest hops first, each step told in words.

    Example: lexhop path "ст. 256 ГК" СК_34 --max-hops 3 --any
    """
    given: dict[str, Any] = {
        "max_hops": max_hops,
        "types": types_of(kind),
        "directed": directed,
        "as_of": as_of,
        "limit": limit,
    }
    answer = asyncio.run(_paths(start, end, given, corpus, version))
    if as_json:
        print_json(answer)
        return
    from service.cli.showing import paths_block

    console().print(paths_block(answer))


async def _paths(start: str, end: str, given: dict[str, Any], corpus: str | None, version: str | None) -> Any:
    from service.graph.finding import Asked
    from service.graph.walk_answers import Walks

    async with desk() as at:
        return await Walks(at.settings, at.store, at.finder).paths(Asked(corpus, version), start, end, **given)
