"""Reads a whole version back from the graph: as content with the same digest, or as its lines, page by page."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from typing import Any

import orjson
from pydantic import TypeAdapter

from service.domain import Act, Article, OutsideCitation, Relation
from service.errors import LexhopError
from service.graph.catalog import CorpusVersion
from service.graph.content import CorpusContent, CorpusInfo, corpus_content, outside_sort_key, record_line
from service.graph.queries import query
from service.graph.store import GraphStore, Row

__all__ = ["corpus_info", "read_content", "stream_lines"]

_ACTS = TypeAdapter(list[Act])
_ARTICLES = TypeAdapter(list[Article])
_RELATIONS = TypeAdapter(list[Relation])
_OUTSIDE = TypeAdapter(list[OutsideCitation])
_ACT_FIELDS = tuple(Act.__dataclass_fields__)
_ARTICLE_FIELDS = tuple(Article.__dataclass_fields__)
_PAGE = 1000


async def read_content(store: GraphStore, version: CorpusVersion) -> CorpusContent:
    """Read a version back.

    Raises:
        LexhopError: What the graph holds is not what the version's name says.
    """
    records: dict[str, list[Any]] = {"act": [], "article": [], "relation": [], "outside": []}
    async for kind, some in _record_pages(store, version):
        records[kind].extend(some)
    content = corpus_content(
        corpus_info(version),
        records["act"],
        records["article"],
        records["relation"],
        records["outside"],
        keep_ordinals=True,
    )
    if content.version != version.version:
        raise LexhopError(
            f"the graph's content of {version.uid} has the digest {content.version}: "
            "it was changed outside Lexhop; load it again"
        )
    return content


async def stream_lines(store: GraphStore, version: CorpusVersion) -> AsyncIterator[bytes]:
    """Yield a version's canonical lines in blocks, read page by page; the same bytes as an export has.

    Raises:
        LexhopError: At the end, when the lines do not have the digest that the version's name says.
    """
    digest = hashlib.sha256()
    first = record_line("corpus", corpus_info(version)) + b"\n"
    digest.update(first)
    yield first
    async for kind, some in _record_pages(store, version):
        block = b"".join(record_line(kind, record) + b"\n" for record in some)
        digest.update(block)
        yield block
    if digest.hexdigest()[:12] != version.version:
        raise LexhopError(f"version {version.uid} was dropped or changed while it was read; begin again")


def corpus_info(version: CorpusVersion) -> CorpusInfo:
    """Return what is said of a version's corpus as a whole."""
    return CorpusInfo(
        title=version.title,
        official=version.official,
        licence=version.licence,
        source=version.source,
        notice=version.notice,
        fold_inserted=version.fold_inserted,
    )


async def _record_pages(store: GraphStore, version: CorpusVersion) -> AsyncIterator[tuple[str, list[Any]]]:
    """Yield (kind, records) in canonical order."""
    uid = version.uid
    acts = [row["act"] for row in await store.read(query("catalog/acts"), corpus_uid=uid)]
    yield (
        "act",
        _ACTS.validate_python(
            [{name: act[name] for name in _ACT_FIELDS if name in act} | _branch(act) for act in acts]
        ),
    )
    after = ""
    while True:
        rows = await store.read(query("export/articles"), corpus_uid=uid, after=after, limit=_PAGE)
        yield "article", _ARTICLES.validate_python([_article(row["article"]) for row in rows])
        if len(rows) < _PAGE:
            break
        after = rows[-1]["article"]["sort_key"]
    place = -1
    while True:
        rows = await store.read(query("export/relations"), corpus_uid=uid, after=place, limit=_PAGE)
        yield "relation", _RELATIONS.validate_python([_relation(row) for row in rows])
        if len(rows) < _PAGE:
            break
        place = rows[-1]["relation"]["ordinal"]
    outside = _OUTSIDE.validate_python(await store.read(query("export/outside"), corpus_uid=uid))
    yield "outside", sorted(outside, key=outside_sort_key)


def _branch(act: Row) -> Row:
    return {"branch": act.get("branch")}


def _article(row: Row) -> Row:
    article = {name: row[name] for name in _ARTICLE_FIELDS if name in row}
    for name in ("paragraphs", "notes", "amendments"):
        article[name] = orjson.loads(row[f"{name}_json"])
    return article


def _relation(row: Row) -> Row:
    relation = row["relation"]
    return {
        **{name: relation[name] for name in ("source", "ordinal", "confidence", "explanation", "cue", "also")},
        "source_id": row["source"],
        "target_id": row["target"],
        "type": row["type"],
        "citations": orjson.loads(relation["citations_json"]),
    }
