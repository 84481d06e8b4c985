"""Rows of the graph as the values that answers show."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson

from service.domain import Citation, DateBasis, RelationType
from service.graph.catalog import CorpusVersion
from service.graph.store import Row

__all__ = ["act_view", "article_line", "citation_view", "corpus_view", "in_force", "relation_view"]


def corpus_view(version: CorpusVersion) -> dict[str, Any]:
    """Return a version as ``CorpusView``."""
    return asdict(version)


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


def citation_view(citation: Citation, norm_id: str | None) -> dict[str, Any]:
    """Return a citation as ``CitationView``."""
    view = asdict(citation)
    view["self"] = view.pop("is_self")
    view["flags"] = [flag.value for flag in citation.flags]
    view["norm_id"] = norm_id
    return view
