"""Citations held against what a corpus has loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from service.citations.article_index import ArticleIndex
from service.domain import Citation, CitationFlag, Jurisdiction, article_sort_key

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["Coverage", "check_citations"]

_RANGE = re.compile(r"\s*(\S+?)\s*[–—]\s*(\S+)\s*")


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a corpus version has loaded.

    Attributes:
        articles: The articles that it has.
        stated: (jurisdiction, act) → what the manifest states: ``("complete",)``, ``("unknown",)`` or ranges such
            as ``("1–142.9",)``. An act that is not named here is not loaded.
        gone: (jurisdiction, act) → articles that were law and have no text any more: never invented.
    """

    articles: ArticleIndex
    stated: Mapping[tuple[Jurisdiction, str], tuple[str, ...]] = field(default_factory=dict)
    gone: Mapping[tuple[Jurisdiction, str], frozenset[str]] = field(default_factory=dict)

    def covers(self, jurisdiction: Jurisdiction, act: str, article: str) -> bool:
        """Tell whether the manifest says that this article would be there if it existed."""
        if article in self.gone.get((jurisdiction, act), ()):
            return False
        key = article_sort_key(article)
        for stated in self.stated.get((jurisdiction, act), ()):
            if stated == "complete":
                return True
            ends = _RANGE.fullmatch(stated)
            first, last = ends.groups() if ends else (stated, stated)
            if stated != "unknown" and article_sort_key(first) <= key <= article_sort_key(last):
                return True
        return False


def check_citations(citations: Iterable[Citation], coverage: Coverage) -> list[Citation]:
    """Return the citations with ``invented`` or ``outside_corpus`` added where one holds.

    An article that is missing inside the stated coverage is invented; one outside it, and any article of an act that
    is not loaded, is outside the corpus. Citations without an act of their own or without an article, which nobody
    can look up, are outside it too, unless they are unresolved.
    """
    return [_checked(citation, coverage) for citation in citations]


def _checked(citation: Citation, coverage: Coverage) -> Citation:
    if CitationFlag.UNRESOLVED in citation.flags:
        return citation
    flag = CitationFlag.OUTSIDE_CORPUS
    if citation.jurisdiction and citation.act and citation.article:
        if coverage.articles.has(citation.jurisdiction, citation.act, citation.article):
            return citation
        if coverage.covers(citation.jurisdiction, citation.act, citation.article):
            flag = CitationFlag.INVENTED
    if flag in citation.flags:
        return citation
    return replace(citation, flags=(*citation.flags, flag))
