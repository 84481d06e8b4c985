"""What a load made of each act, for the operator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from service.domain import ActText, DateBasis

__all__ = ["LoadReport", "report_of"]


@dataclass(frozen=True, slots=True)
class LoadReport:
    """Figures of one act.

    Attributes:
        articles: How many, repealed ones included.
        repealed: How many of them are repealed.
        gone: Numbers of articles that the source names only as repealed, without a heading of their own.
        valid_from: How many articles have a date, by basis; ``unknown`` counts those without.
        amendments: How many articles have an amendment noted.
        skipped: (what, why) of everything that was left out.
        characters: Of all texts together.
    """

    act: str
    edition: str | None
    title: str
    coverage: tuple[str, ...]
    articles: int
    repealed: int
    gone: tuple[str, ...]
    valid_from: dict[str, int]
    amendments: int
    skipped: tuple[tuple[str, str], ...]
    characters: int

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for ``--json``."""
        return {
            "act": self.act,
            "edition": self.edition,
            "title": self.title,
            "coverage": list(self.coverage),
            "articles": self.articles,
            "repealed": self.repealed,
            "gone": list(self.gone),
            "valid_from": self.valid_from,
            "amendments": self.amendments,
            "skipped": [{"what": what, "why": why} for what, why in self.skipped],
            "characters": self.characters,
        }


def report_of(text: ActText) -> LoadReport:
    """Return the report of an act."""
    bases = Counter(article.valid_from_basis or "unknown" for article in text.articles)
    return LoadReport(
        act=text.act.key,
        edition=text.act.edition,
        title=text.act.title,
        coverage=text.act.coverage,
        articles=len(text.articles),
        repealed=sum(article.repealed for article in text.articles),
        gone=text.gone,
        valid_from={str(basis): bases.get(basis, 0) for basis in (*DateBasis, "unknown")},
        amendments=sum(bool(article.amendments) for article in text.articles),
        skipped=text.skipped,
        characters=sum(len(article.text) for article in text.articles),
    )
