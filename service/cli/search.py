"""``lexhop search``: articles by words, norms by their names."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer

from service.cli.asking import AsOfOption, CorpusOption, VersionOption, desk
from service.cli.output import JsonFlag, console, print_json

__all__ = ["app"]

app = typer.Typer()


@app.callback()
def search_articles(
    words: Annotated[str, typer.Argument(help="Words in any form, or a citation.", show_default=False)],
    *,
    act: Annotated[str | None, typer.Option(help="Only articles of this act, such as ГК.")] = None,
    branch: Annotated[str | None, typer.Option(help="Only acts of this branch of law, such as civil.")] = None,
    repealed: Annotated[
        bool | None, typer.Option("--repealed/--living", help="Only repealed ones, or only others.")
    ] = None,
    as_of: AsOfOption = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Hits shown.")] = 10,
    corpus: CorpusOption = None,
    version: VersionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Search articles: a norm that is named comes first, then what the words find in any of their forms.

    Example: lexhop search "как делится имущество при разводе" --branch family
    """
    given = {"act": act, "branch": branch, "repealed": repealed, "as_of": as_of}
    answer = asyncio.run(_search(words, given, limit, corpus, version))
    if as_json:
        print_json(answer)
        return
    from service.cli.showing import search_block

    console().print(search_block(answer))


async def _search(
    words: str, given: dict[str, Any], limit: int, corpus: str | None, version: str | None
) -> dict[str, Any]:
    from service.graph.finding import Asked, check_date
    from service.graph.pages import article_filter
    from service.graph.search import SearchRequest, add_highlights, search
    from service.graph.views import search_view

    if given["as_of"] is not None:
        check_date(given["as_of"])
    async with desk() as at:
        contents = await at.finder.contents(at.finder.version(Asked(corpus, version)))
        wanted = await article_filter(at.finder, contents, given)
        asked = SearchRequest(words, wanted.act, wanted.branch, wanted.repealed, wanted.as_of)
        found = await search(at.store, contents, asked)
        shown = await add_highlights(at.store, contents, found.hits[:limit], found.words)
        return search_view(contents, found, shown, begin=0, as_of=wanted.as_of)
