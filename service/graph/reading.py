"""Reads a whole version back from the graph, as content with the same digest."""

from __future__ import annotations

import orjson
from pydantic import TypeAdapter

from service.domain import Act, Article, OutsideCitation, Relation
from service.errors import LexhopError
from service.graph.catalog import CorpusVersion
from service.graph.content import CorpusContent, CorpusInfo, corpus_content
from service.graph.queries import query
from service.graph.store import GraphStore, Row

__all__ = ["read_content"]

_ACTS = TypeAdapter(list[Act])
_ARTICLES = TypeAdapter(list[Article])
_RELATIONS = TypeAdapter(list[Relation])
_OUTSIDE = TypeAdapter(list[OutsideCitation])
_ACT_FIELDS = tuple(Act.__dataclass_fields__)
_ARTICLE_FIELDS = tuple(Article.__dataclass_fields__)
_PAGE = 2000


async def read_content(store: GraphStore, version: CorpusVersion) -> CorpusContent:
    """Read a version back.

    Raises:
        LexhopError: What the graph holds is not what the version's name says.
    """
    uid = version.uid
    acts = [row["act"] for row in await store.read(query("catalog/acts"), corpus_uid=uid)]
    articles: list[Article] = []
    after = ""
    while True:
        rows = await store.read(query("export/articles"), corpus_uid=uid, after=after, limit=_PAGE)
        articles.extend(_ARTICLES.validate_python([_article(row["article"]) for row in rows]))
        if len(rows) < _PAGE:
            break
        after = rows[-1]["article"]["sort_key"]
    relations: list[Relation] = []
    place = -1
    while True:
        rows = await store.read(query("export/relations"), corpus_uid=uid, after=place, limit=_PAGE)
        relations.extend(_RELATIONS.validate_python([_relation(row) for row in rows]))
        if len(rows) < _PAGE:
            break
        place = rows[-1]["relation"]["ordinal"]
    outside = await store.read(query("export/outside"), corpus_uid=uid)
    content = corpus_content(
        CorpusInfo(
            title=version.title,
            official=version.official,
            licence=version.licence,
            source=version.source,
            notice=version.notice,
            fold_inserted=version.fold_inserted,
        ),
        _ACTS.validate_python(
            [{name: act[name] for name in _ACT_FIELDS if name in act} | _branch(act) for act in acts]
        ),
        articles,
        relations,
        _OUTSIDE.validate_python(outside),
        keep_ordinals=True,
    )
    if content.version != version.version:
        raise LexhopError(
            f"the graph's content of {uid} has the digest {content.version}: it was changed outside Lexhop; load it again"
        )
    return content


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
