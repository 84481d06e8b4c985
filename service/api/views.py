"""Versions and citations as the values that answers show; articles and relations: :mod:`service.graph.views`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from service.domain import Citation
from service.graph.catalog import CorpusVersion
from service.graph.views import (
    act_view,
    article_line,
    article_view,
    hit_view,
    in_force,
    related_view,
    relation_view,
    search_view,
)

__all__ = [
    "act_view",
    "article_line",
    "article_view",
    "citation_view",
    "corpus_view",
    "hit_view",
    "in_force",
    "related_view",
    "relation_view",
    "search_view",
]


def corpus_view(version: CorpusVersion) -> dict[str, Any]:
    """Return a version as ``CorpusView``."""
    view = asdict(version)
    del view["search_scheme"]
    return view


def citation_view(citation: Citation, norm_id: str | None) -> dict[str, Any]:
    """Return a citation as ``CitationView``."""
    view = asdict(citation)
    view["self"] = view.pop("is_self")
    view["flags"] = [flag.value for flag in citation.flags]
    view["norm_id"] = norm_id
    return view
