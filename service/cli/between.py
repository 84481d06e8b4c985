"""``lexhop between``: what two norms have to do with each other."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from service.cli.asking import AsOfOption, CorpusOption, VersionOption, desk
from service.cli.output import JsonFlag, console, print_json

__all__ = ["app"]

app = typer.Typer()


@app.callback()
def show_between(
    one: Annotated[str, typer.Argument(help="A norm id or a citation in words.", show_default=False)],
    other: Annotated[str, typer.Argument(help="Another norm of the same corpus.", show_default=False)],
    *,
    as_of: AsOfOption = None,
    limit: Annotated[int, typer.Option(help="Shared neighbours at most.")] = 10,
    corpus: CorpusOption = None,
    version: VersionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show the relations between two norms either way, norms related to both, and a shortest path.

    Example: lexhop between "ст. 256 ГК" "ст. 34 СК"
    """
    answer = asyncio.run(_between(one, other, as_of, limit, corpus, version))
    if as_json:
        print_json(answer)
        return
    from service.cli.showing import between_block

    console().print(between_block(answer))


async def _between(one: str, other: str, as_of: str | None, limit: int, corpus: str | None, version: str | None) -> Any:
    from service.graph.finding import Asked
    from service.graph.walk_answers import Walks

    async with desk() as at:
        walks = Walks(at.settings, at.store, at.finder)
        return await walks.between(Asked(corpus, version), one, other, as_of=as_of, limit=limit)
