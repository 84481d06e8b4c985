"""Search: the norms that a query cites, then those that its words find, best first."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from service.domain import Language
from service.errors import ConflictError
from service.graph.finding import named_norms
from service.graph.highlights import Highlight, highlights
from service.graph.queries import query
from service.graph.rows import norm_uid
from service.graph.search_text import SEARCH_SCHEME, Marks, QueryWords, lucene_query, read_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.graph.contents import Contents
    from service.graph.store import GraphStore, Row

__all__ = ["MOST_HITS", "Found", "Hit", "SearchRequest", "add_highlights", "search"]

MOST_HITS = 200
_CITED = 20
_CITED_SHARE = 0.1
"""An article that others cite is likelier meant than one that says the same words of a special case."""
_DATED_FETCH = 2_000


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is looked for.

    Attributes:
        text: What somebody typed.
        act: Only articles of this act (its key, with ``@edition`` where there is one).
        branch: Only articles of acts of this branch of law.
        repealed: Only repealed articles, or only others; None for both.
        as_of: ISO date: leaves out what was not in force then.
    """

    text: str
    act: str | None = None
    branch: str | None = None
    repealed: bool | None = None
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One article found.

    Attributes:
        article: Its properties, without the text.
        by: Whether the query cites it or its words found it.
        score: The index's weight; None for a cited one.
        highlights: Where the words stand, once :func:`add_highlights` has looked.
    """

    article: Row
    by: Literal["citation", "words"]
    score: float | None
    highlights: tuple[Highlight, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    Attributes:
        hits: Best first, at most 200.
        words: What was looked for.
        truncated: There were more.
    """

    hits: tuple[Hit, ...]
    words: QueryWords
    truncated: bool


async def search(store: GraphStore, contents: Contents, asked: SearchRequest) -> Found:
    """Search one version of one corpus.

    A norm id or a citation in words anywhere in the query comes first, in the query's order; then what the words find, by
    the index's weight (BM25 over title and text, the title counting more, and a little for each article that cites it),
    equals by place. A query without any word
    that says something finds nothing.

    Raises:
        ConflictError: The version was loaded by a Lexhop that wrote no index, or another one.
    """
    version = contents.version
    if version.search_scheme != SEARCH_SCHEME:
        raise ConflictError(
            f"version {version.uid} was loaded by another Lexhop and cannot be searched; load it again, "
            "which only writes its index anew"
        )
    languages = tuple(Language(one) for one in version.languages)
    named, asked_words = await asyncio.to_thread(_read, contents, asked, languages)
    cited = [hit for hit in await _cited(store, contents, named) if _wanted(hit.article, contents, asked)]
    rows: Sequence[Row] = ()
    if asked_words.terms:
        marks = Marks(version.uid, asked.act, asked.branch, asked.repealed)
        rows = await store.read(
            query("search/hits"),
            query=lucene_query(marks, asked_words),
            fetch=MOST_HITS + _CITED + 1 if asked.as_of is None else _DATED_FETCH,
            as_of=asked.as_of,
            cited=_CITED_SHARE,
            limit=MOST_HITS + _CITED + 1,
        )
    seen = {hit.article["ref"] for hit in cited}
    hits = cited + [Hit(row["article"], "words", row["score"]) for row in rows if row["article"]["ref"] not in seen]
    return Found(tuple(hits[:MOST_HITS]), asked_words, len(hits) > MOST_HITS)


async def add_highlights(
    store: GraphStore, contents: Contents, hits: Sequence[Hit], asked_words: QueryWords
) -> list[Hit]:
    """Say of each hit where the query's words stand in it."""
    uids = [norm_uid(contents.version.uid, hit.article["ref"]) for hit in hits]
    rows = await store.read(query("search/texts"), uids=uids)
    texts = {row["ref"]: row["text"] for row in rows}
    lemmas = asked_words.lemmas

    def mark() -> list[Hit]:
        marked = []
        for hit in hits:
            article = hit.article
            language = contents.languages[article["act"]]
            found = highlights(article["title"], texts.get(article["ref"], ""), lemmas, language)
            marked.append(Hit(article, hit.by, hit.score, found))
        return marked

    return await asyncio.to_thread(mark)


def _read(contents: Contents, asked: SearchRequest, languages: tuple[Language, ...]) -> tuple[list[str], QueryWords]:
    return named_norms(contents, asked.text, as_of=asked.as_of)[:_CITED], read_words(asked.text, languages)


async def _cited(store: GraphStore, contents: Contents, refs: Sequence[str]) -> list[Hit]:
    if not refs:
        return []
    uids = [norm_uid(contents.version.uid, ref) for ref in refs]
    rows = await store.read(query("articles/named"), uids=uids)
    return [Hit(row["article"], "citation", None) for row in rows]


def _wanted(article: Row, contents: Contents, asked: SearchRequest) -> bool:
    edition = article["edition"]
    if asked.act not in (None, article["act"], f"{article['act']}@{edition}"):
        return False
    if asked.branch is not None and contents.branches.get(article["act"]) != asked.branch:
        return False
    return asked.repealed is None or bool(article["repealed"]) == asked.repealed
