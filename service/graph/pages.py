"""Lists of articles and relations, one page at a time: what the API lists and what exports stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from service.domain import RELATION_TYPES, Family, NormId, RelationSource, RelationType
from service.errors import NotFoundError
from service.graph.finding import Asked
from service.graph.queries import query
from service.graph.rows import norm_uid

if TYPE_CHECKING:
    from service.graph.contents import Contents
    from service.graph.finding import Finder
    from service.graph.store import GraphStore, Row

__all__ = [
    "ArticleFilter",
    "RelationFilter",
    "article_filter",
    "article_rows",
    "read_article",
    "related_rows",
    "relation_rows",
    "types_wanted",
]

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
        _, row = await finder.act(Asked(version.key, version.version), str(given["act"]), as_of=given["as_of"])
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


@dataclass(frozen=True, slots=True)
class RelationFilter:
    """Which relations of a version are wanted.

    Attributes:
        types: Of these types.
        sources: Whose types rest on these.
        act: With an end in this act (its key).
        cross_act: Only those between acts, or only those inside one; None for both.
        as_of: ISO date: leaves out those with an end that was not in force then.
    """

    types: tuple[RelationType, ...] = RELATION_TYPES
    sources: tuple[RelationSource, ...] = tuple(RelationSource)
    act: str | None = None
    cross_act: bool | None = None
    as_of: str | None = None


def types_wanted(types: Sequence[RelationType] | None, family: Family | None) -> tuple[RelationType, ...]:
    """Return the types that a request means by types and a family, all without either."""
    return tuple(one for one in RELATION_TYPES if (not types or one in types) and family in (None, one.family))


async def relation_rows(
    store: GraphStore, corpus_uid: str, wanted: RelationFilter, *, after: int, limit: int
) -> list[Row]:
    """Return rows {type, relation, source, target} by ordinal.

    Args:
        store: The graph.
        corpus_uid: ``key@version``.
        wanted: Which relations.
        after: The ordinal of the last row before, or -1.
        limit: Rows at most.
    """
    return await store.read(
        query("relations/page"),
        corpus_uid=corpus_uid,
        types=[one.value for one in wanted.types],
        sources=[one.value for one in wanted.sources],
        act=wanted.act,
        cross_act=wanted.cross_act,
        as_of=wanted.as_of,
        after=after,
        limit=limit,
    )


async def related_rows(
    store: GraphStore,
    corpus_uid: str,
    ref: NormId,
    *,
    types: Sequence[str] = RELATION_TYPES,
    sources: Sequence[str] = tuple(RelationSource),
    direction: Literal["outgoing", "incoming", "both"] = "both",
    as_of: str | None = None,
    after: tuple[int, int] = (-1, -1),
    limit: int,
) -> list[Row]:
    """Return rows {way, type, me, relation, other} of one article: outgoing ones first, each way by ordinal.

    Args:
        store: The graph.
        corpus_uid: ``key@version``.
        ref: The article.
        types: Only relations of these types.
        sources: Only relations whose types rest on these.
        direction: Seen from the article.
        as_of: ISO date: leaves out norms not in force then.
        after: Way (0 outgoing, 1 incoming) and ordinal of the last row before.
        limit: Rows at most.
    """
    return await store.read(
        query("relations/of_article"),
        uid=norm_uid(corpus_uid, ref),
        ways={"outgoing": [0], "incoming": [1], "both": [0, 1]}[direction],
        types=[str(one) for one in types],
        sources=[str(one) for one in sources],
        after_way=after[0],
        after_ordinal=after[1],
        as_of=as_of,
        limit=limit,
    )


async def read_article(store: GraphStore, contents: Contents, ref: NormId) -> Row:
    """Return one article's row of the query ``articles/by_uid``.

    Raises:
        NotFoundError: The version was dropped meanwhile.
    """
    row = await store.read_one(query("articles/by_uid"), uid=norm_uid(contents.version.uid, ref))
    if row is None:
        raise NotFoundError(f"version {contents.version.uid} is gone; ask again without a version")
    return row
