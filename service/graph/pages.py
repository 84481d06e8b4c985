"""Lists of articles and relations, one page at a time: what the API lists and what exports stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service.errors import NotFoundError
from service.graph.finding import Asked
from service.graph.queries import query

if TYPE_CHECKING:
    from service.graph.finding import Finder
    from service.graph.store import GraphStore, Row
    from service.graph.watch import Contents

__all__ = ["ArticleFilter", "article_filter", "article_rows"]

_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class ArticleFilter:
    """Which articles of a version are wanted.

    Attributes:
        act: Those of this act (its key, with ``@edition`` where there is one).
        branch: Those of acts of this branch of law.
        repealed: Only repealed ones, or only others; None for both.
        as_of: ISO date: leaves out what was not in force then.
    """

    act: str | None = None
    branch: str | None = None
    repealed: bool | None = None
    as_of: str | None = None


async def article_filter(finder: Finder, contents: Contents, given: Mapping[str, Any]) -> ArticleFilter:
    """Check what a request says of the articles it wants.

    Args:
        finder: Finds the act.
        contents: The version asked.
        given: {act, branch, repealed, as_of}, each perhaps None.

    Raises:
        NotFoundError: The version has no such act, or no act of such a branch; the error names those there are.
    """
    act = None
    if given["act"]:
        version = contents.version
        _, row = await finder.act(Asked(version.key, version.version), str(given["act"]))
        act = f"{row['key']}@{row['edition']}" if row.get("edition") else str(row["key"])
    branch = given["branch"]
    known = tuple(sorted(set(contents.branches.values())))
    if branch is not None and branch not in known:
        raise NotFoundError(
            f"no act of {contents.version.uid} is of branch {branch!r}; there is {', '.join(known) or 'none stated'}",
            nearest=known,
        )
    return ArticleFilter(act, branch, given["repealed"], given["as_of"])


async def article_rows(
    store: GraphStore, contents: Contents, wanted: ArticleFilter, *, after: str, limit: int
) -> list[Row]:
    """Return rows {article} in the corpus's order.

    Args:
        store: The graph.
        contents: The version.
        wanted: Which articles.
        after: The sort key of the last row before, or the empty string.
        limit: Rows at most.
    """
    first, until = "", _LAST
    if wanted.act is not None:
        key, _, edition = wanted.act.partition("@")
        first = f"{key}\t{edition}\t"
        until = first + _LAST
    acts = None
    if wanted.branch is not None:
        acts = [act for act, branch in contents.branches.items() if branch == wanted.branch]
    return await store.read(
        query("articles/page"),
        corpus_uid=contents.version.uid,
        after=max(after, first),
        until=until,
        acts=acts,
        repealed=wanted.repealed,
        as_of=wanted.as_of,
        limit=limit,
    )
