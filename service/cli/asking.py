"""What the commands that ask the graph share: their options, and a graph opened for one question."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from service.domain import RelationType
    from service.graph.finding import Finder
    from service.graph.store import GraphStore

__all__ = ["AsOfOption", "CorpusOption", "Desk", "TypeOption", "VersionOption", "desk", "types_of"]

CorpusOption = Annotated[str | None, typer.Option("--corpus", help="The corpus's key; by default the only real one.")]
VersionOption = Annotated[str | None, typer.Option("--version", help="A version of it, or its first digits.")]
AsOfOption = Annotated[str | None, typer.Option("--as-of", help="ISO date: leaves out what was not in force then.")]
TypeOption = Annotated[
    list[str] | None, typer.Option("--type", "--types", help="Only relations of these types; repeatable, or by commas.")
]


@dataclass(frozen=True, slots=True)
class Desk:
    """A graph opened for a question, and who finds what the question means."""

    settings: Settings
    store: GraphStore
    finder: Finder


@asynccontextmanager
async def desk() -> AsyncIterator[Desk]:
    """Open the graph that the settings mean and read what it holds."""
    from service.graph.finding import Finder
    from service.graph.opening import open_graph
    from service.graph.watch import CatalogWatcher

    settings = Settings()
    async with open_graph(settings) as store:
        watcher = CatalogWatcher(store)
        await watcher.refresh()
        yield Desk(settings, store, Finder(watcher, settings.corpus))


def types_of(given: list[str] | None) -> list[RelationType]:
    """Read the types that an option names, all by default.

    Raises:
        InputError: There is no such type.
    """
    from service.domain import RELATION_TYPES, RelationType

    if not given:
        return list(RELATION_TYPES)
    types = []
    for name in (part.strip() for one in given for part in one.split(",")):
        try:
            types.append(RelationType(name.upper()))
        except ValueError:
            raise InputError(f"type {name!r} does not exist; take some of {', '.join(RELATION_TYPES)}") from None
    return types
