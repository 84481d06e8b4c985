"""``lexhop relations of``: how one article of the graph relates to others."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import typer

from service.cli.asking import AsOfOption, CorpusOption, TypeOption, VersionOption, desk, types_of
from service.cli.output import JsonFlag, console, print_json

__all__ = ["of"]


def of(
    norm: Annotated[str, typer.Argument(help="A norm id or a citation in words.", show_default=False)],
    kind: TypeOption = None,
    direction: Annotated[
        Literal["outgoing", "incoming", "both"], typer.Option(help="Seen from this article.")
    ] = "both",
    as_of: AsOfOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Relations shown.")] = 100,
    corpus: CorpusOption = None,
    version: VersionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show how an article relates to others, each relation told in words: outgoing ones first.

    Example: lexhop relations of "ст. 1064 ГК" --type EXCLUDES --direction incoming
    """
    answer = asyncio.run(_relations(norm, kind, direction, as_of, limit, corpus, version))
    if as_json:
        print_json(answer)
        return
    from service.cli.showing import relation_tree, relations_end

    out = console()
    out.print(relation_tree(answer["norm_id"], answer["items"]))
    out.print(relations_end(answer))


async def _relations(
    norm: str,
    kind: list[str] | None,
    direction: Literal["outgoing", "incoming", "both"],
    as_of: str | None,
    limit: int,
    corpus: str | None,
    version: str | None,
) -> dict[str, Any]:
    from service.graph.finding import Asked
    from service.graph.pages import related_rows
    from service.graph.views import related_view

    async with desk() as at:
        contents, ref = await at.finder.norm(Asked(corpus, version), norm, as_of=as_of)
        rows = await related_rows(
            at.store, contents.version.uid, ref, types=types_of(kind), direction=direction, as_of=as_of, limit=limit + 1
        )
    return {
        "corpus": contents.version.key,
        "version": contents.version.version,
        "notice": contents.version.notice,
        "norm_id": ref,
        "items": [related_view(row) for row in rows[:limit]],
        "truncated": len(rows) > limit,
    }
