"""Domain types to properties of nodes and relations, and back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import orjson

from service.domain import Act, Article, CitationPlace, OutsideCitation, Relation
from service.graph.content import sort_key
from service.graph.search_text import search_fields

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "act_row",
    "article_row",
    "norm_uid",
    "outside_rows",
    "relation_row",
    "search_row",
]


def norm_uid(corpus: str, ref: str) -> str:
    """Return an article's name in the graph: ``ru@0123456789ab/ГК_1064``."""
    return f"{corpus}/{ref}"


def act_uid(corpus: str, key: str, edition: str | None) -> str:
    """Return an act's name in the graph: ``ru@0123456789ab/ГК``, with ``@edition`` where there is one."""
    return f"{corpus}/{key}@{edition}" if edition else f"{corpus}/{key}"


def act_row(corpus: str, act: Act, *, place: int, articles: int, repealed: int) -> dict[str, Any]:
    """Return the properties of an act's node.

    Args:
        corpus: ``key@version``.
        act: The act.
        place: Its place in the corpus.
        articles: How many articles it has here.
        repealed: How many of them are repealed.
    """
    row = asdict(act) | {
        "uid": act_uid(corpus, act.key, act.edition),
        "corpus_uid": corpus,
        "place": place,
        "articles": articles,
        "repealed": repealed,
        "jurisdiction": act.jurisdiction.value,
        "language": act.language.value,
        "coverage": list(act.coverage),
        "gone": list(act.gone),
    }
    return _present(row)


def article_row(corpus: str, article: Article, act: Act) -> dict[str, Any]:
    """Return {act_uid, properties} of an article's node."""
    key, _, _ = corpus.partition("@")
    row = {
        "uid": norm_uid(corpus, article.ref),
        "corpus": key,
        "corpus_uid": corpus,
        "norm_id": article.norm_id,
        "ref": article.ref,
        "act": article.act,
        "edition": article.edition,
        "number": article.number,
        "sort_key": sort_key(article),
        "title": article.title,
        "path": list(article.path),
        "text": article.text,
        "chars": len(article.text),
        "paragraphs_json": _json([_present(asdict(paragraph)) for paragraph in article.paragraphs]),
        "notes_json": _json([asdict(note) for note in article.notes]),
        "amendments_json": _json([asdict(amendment) for amendment in article.amendments]),
        "valid_from": article.valid_from,
        "valid_from_basis": article.valid_from_basis.value if article.valid_from_basis else None,
        "valid_to": article.valid_to,
        "amended_on": article.amended_on,
        "repealed": article.repealed,
        "repealed_by": article.repealed_by,
        **search_fields(corpus, article, act),
    }
    return {"act_uid": act_uid(corpus, article.act, article.edition), "properties": _present(row)}


def search_row(corpus: str, article: Article, act: Act) -> dict[str, Any]:
    """Return {uid, properties}: what the index holds of an article that is in the graph already."""
    return {"uid": norm_uid(corpus, article.ref), "properties": search_fields(corpus, article, act)}


def relation_row(corpus: str, relation: Relation) -> dict[str, Any]:
    """Return {type, source_uid, target_uid, properties} of a relation."""
    properties = {
        "uid": f"{corpus}/{relation.source_id}>{relation.target_id}",
        "corpus_uid": corpus,
        "source": relation.source.value,
        "ordinal": relation.ordinal,
        "confidence": relation.confidence,
        "explanation": relation.explanation,
        "cue": relation.cue,
        "also": [kind.value for kind in relation.also],
        "citations_json": _json([_place(place) for place in relation.citations]),
    }
    return {
        "type": relation.type.value,
        "source_uid": norm_uid(corpus, relation.source_id),
        "target_uid": norm_uid(corpus, relation.target_id),
        "properties": _present(properties),
    }


def outside_rows(
    corpus: str, citations: Iterable[OutsideCitation]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of outside acts and those of their citations."""
    acts: dict[str, dict[str, Any]] = {}
    cited = []
    for citation in citations:
        uid = f"{corpus}/outside/{citation.act_number or citation.act_title or citation.act or '?'}"
        known = acts.setdefault(uid, {"uid": uid, "corpus_uid": corpus})
        for name, value in (("key", citation.act), ("title", citation.act_title), ("number", citation.act_number)):
            if value is not None:
                known.setdefault(name, value)
        # Each citation keeps what it said itself; the act's node has what any of them said.
        properties = asdict(citation)
        del properties["source_id"]
        cited.append(
            {
                "source_uid": norm_uid(corpus, citation.source_id),
                "outside_uid": uid,
                "properties": _present(properties),
            }
        )
    return list(acts.values()), cited


def _place(place: CitationPlace) -> dict[str, Any]:
    return _present(asdict(place) | {"flags": list(place.flags) or None})


def _json(value: list[Any]) -> str:
    return orjson.dumps(value).decode()


def _present(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None}
