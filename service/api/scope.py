"""Which corpus, version and norm a request means: the parameters, and the finding of :mod:`service.graph.finding`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from service.api.paging import Cursor
from service.api.state import ServiceState
from service.domain import NormId
from service.errors import ConflictError, NotFoundError
from service.graph.catalog import CorpusVersion
from service.graph.contents import Contents
from service.graph.finding import Asked, check_date, nearest_norms
from service.graph.store import Row

__all__ = [
    "AsOf",
    "Asked",
    "Scope",
    "check_date",
    "default_scope",
    "find_act",
    "find_norm",
    "find_norms",
    "nearest_norms",
    "scope_of",
    "version_of_cursor",
]

AsOf = Annotated[
    str | None,
    Query(
        description="ISO date: leaves out what was not in force then. No default, never today.", examples=["2020-03-01"]
    ),
]


def _asked(
    corpus: Annotated[str | None, Query(description="The corpus's key; see /v1/corpora.", examples=["ru"])] = None,
    version: Annotated[
        str | None, Query(description="A version of it, or its first digits; by default the current one.")
    ] = None,
) -> Asked:
    return Asked(corpus, version)


Scope = Annotated[Asked, Depends(_asked)]


def scope_of(state: ServiceState, asked: Asked) -> CorpusVersion:
    """Return the one version that a request without an id means."""
    return state.finder.version(asked)


def version_of_cursor(state: ServiceState, place: Cursor) -> CorpusVersion:
    """Return the version in which a list goes on.

    Raises:
        ConflictError: It was dropped since.
    """
    try:
        return state.watcher.catalog.find(place.corpus, place.version)
    except NotFoundError as error:
        raise ConflictError(
            f"cursor belongs to version {place.version!r} of corpus {place.corpus!r}, which is gone; "
            "begin the list again without the cursor",
            choices=error.nearest,
        ) from error


def default_scope(state: ServiceState, asked: Asked) -> CorpusVersion | None:
    """Return the version that a request means, or None where it names no corpus and none or several are there."""
    return state.finder.version_or_none(asked)


async def find_act(state: ServiceState, asked: Asked, given: str, *, as_of: str | None = None) -> tuple[Contents, Row]:
    """Return the version and the act that a key means, with ``@edition`` where a certain one is meant."""
    return await state.finder.act(asked, given, as_of=as_of)


async def find_norm(
    state: ServiceState, asked: Asked, given: str, *, as_of: str | None = None
) -> tuple[Contents, NormId]:
    """Return the version and the norm's ref that an id or a citation in words means."""
    return await state.finder.norm(asked, given, as_of=as_of)


async def find_norms(
    state: ServiceState, asked: Asked, given: list[str], *, as_of: str | None = None
) -> tuple[Contents, list[NormId]]:
    """Return the same for several ids, all of one corpus."""
    return await state.finder.norms(asked, given, as_of=as_of)
