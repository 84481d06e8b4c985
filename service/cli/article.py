"""``lexhop article``: one article, whole."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from service.cli.asking import AsOfOption, CorpusOption, VersionOption, desk
from service.cli.output import JsonFlag, console, print_json

__all__ = ["app"]

app = typer.Typer()


@app.callback()
def show_article(
    norm: Annotated[str, typer.Argument(help="A norm id or a citation in words.", show_default=False)],
    *,
    as_of: AsOfOption = None,
    corpus: CorpusOption = None,
    version: VersionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show one article: where it stands, since when it holds, what it says.

    Example: lexhop article "ст. 1064 ГК"
    """
    answer = asyncio.run(_article(norm, as_of, corpus, version))
    if as_json:
        print_json(answer)
        return
    from service.cli.showing import article_block

    console().print(article_block(answer))


async def _article(norm: str, as_of: str | None, corpus: str | None, version: str | None) -> dict[str, Any]:
    from service.graph.finding import Asked
    from service.graph.pages import read_article
    from service.graph.views import article_view

    async with desk() as at:
        contents, ref = await at.finder.norm(Asked(corpus, version), norm, as_of=as_of)
        return article_view(contents, await read_article(at.store, contents, ref), as_of)
