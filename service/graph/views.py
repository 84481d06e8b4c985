"""Rows of the graph as the values that answers and ``--json`` show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from service.domain import DateBasis, RelationType
from service.graph.contents import Contents
from service.graph.search import Found, Hit
from service.graph.store import Row

__all__ = [
    "act_view",
    "article_line",
    "article_view",
    "hit_view",
    "in_force",
    "related_view",
    "relation_view",
    "search_view",
]


def act_view(act: Row) -> dict[str, Any]:
    """Return an act as ``ActView``."""
    return {
        "key": act["key"],
        "edition": act.get("edition"),
        "title": act["title"],
        "jurisdiction": act["jurisdiction"],
        "language": act["language"],
        "branch": act.get("branch"),
        "coverage": act.get("coverage", ["unknown"]),
        "valid_from": act.get("valid_from"),
        "valid_to": act.get("valid_to"),
        "source": act.get("source", ""),
        "articles": act["articles"],
        "repealed": act["repealed"],
    }


def article_line(article: Row) -> dict[str, Any]:
    """Return an article as ``ArticleLine``; its ``norm_id`` carries the edition where there is one."""
    return {
        "norm_id": article["ref"],
        "act": article["act"],
        "edition": article["edition"],
        "number": article["number"],
        "title": article["title"],
        "valid_from": article["valid_from"],
        "valid_from_basis": article["valid_from_basis"],
        "valid_to": article["valid_to"],
        "amended_on": article["amended_on"],
        "repealed": article["repealed"],
        "chars": article["chars"],
    }


def in_force(article: Row, as_of: str | None) -> str | None:
    """Tell from stated dates alone whether an article was in force: yes, no, unknown; None without a date."""
    if as_of is None:
        return None
    if article["valid_to"] and article["valid_to"] <= as_of:
        return "no"
    if article["valid_from_basis"] != DateBasis.STATED or (article["repealed"] and not article["valid_to"]):
        return "unknown"
    return "no" if article["valid_from"] > as_of else "yes"


def relation_view(kind: str, relation: Row, source: Row, target: Row, direction: str | None = None) -> dict[str, Any]:
    """Return a relation as ``RelationView``."""
    view = {
        "source": {"norm_id": source["ref"], "title": source["title"]},
        "target": {"norm_id": target["ref"], "title": target["title"]},
        "type": kind,
        "family": RelationType(kind).family.value,
        "basis": relation["source"],
        "confidence": relation["confidence"],
        "explanation": relation["explanation"],
        "cue": relation["cue"],
        "also": relation["also"] or [],
        "ordinal": relation["ordinal"],
        "citations": orjson.Fragment(relation["citations_json"]),
    }
    if direction:
        view["direction"] = direction
    return view


def related_view(row: Row) -> dict[str, Any]:
    """Return a relation of one article as ``RelationView`` with its direction; ``row`` is of ``relations/of_article``."""
    if row["way"] == 0:
        return relation_view(row["type"], row["relation"], row["me"], row["other"], "outgoing")
    return relation_view(row["type"], row["relation"], row["other"], row["me"], "incoming")


def article_view(contents: Contents, row: Row, as_of: str | None) -> dict[str, Any]:
    """Return a whole article as ``ArticleView``; ``row`` is of the query ``articles/by_uid``."""
    version, found = contents.version, row["article"]
    return {
        **article_line(found),
        "corpus": version.key,
        "version": version.version,
        "official": version.official,
        "notice": version.notice,
        "act_title": contents.act_titles[found["act"]],
        "path": found["path"],
        "text": found["text"],
        "paragraphs": orjson.Fragment(found["paragraphs_json"]),
        "notes": orjson.Fragment(found["notes_json"]),
        "amendments": orjson.Fragment(found["amendments_json"]),
        "repealed_by": found["repealed_by"],
        "in_force": in_force(found, as_of),
        "relations": {"outgoing": row["outgoing"], "incoming": row["incoming"], "outside": len(row["outside"])},
        "outside": row["outside"],
    }


def hit_view(hit: Hit, rank: int, as_of: str | None) -> dict[str, Any]:
    """Return an article found as ``ArticleHit``, with its rank from 1."""
    return {
        **article_line(hit.article),
        "in_force": in_force(hit.article, as_of),
        "rank": rank,
        "by": hit.by,
        "score": hit.score,
        "highlights": [one.as_dict() for one in hit.highlights],
    }


def search_view(
    contents: Contents, found: Found, shown: Sequence[Hit], *, begin: int, as_of: str | None
) -> dict[str, Any]:
    """Return what a search found as ``SearchPage``, without ``next``; ``shown`` are its hits from ``begin`` on."""
    version, asked = contents.version, found.words
    return {
        "corpus": version.key,
        "version": version.version,
        "notice": version.notice,
        "items": [hit_view(hit, rank, as_of) for rank, hit in enumerate(shown, begin + 1)],
        "found": len(found.hits),
        "truncated": found.truncated,
        "terms": [list(term) for term in asked.terms],
        "meanings": list(asked.meanings),
        "words_left_out": asked.left_out,
    }
