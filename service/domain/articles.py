"""Acts and their articles, as loaders hand them on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.names import Jurisdiction, Language, NormId, norm_id_of, norm_ref

__all__ = ["Act", "ActText", "Amendment", "Article", "DateBasis", "Note", "Paragraph"]


class DateBasis(StrEnum):
    """Where an article's ``valid_from`` comes from."""

    STATED = "stated"
    AMENDMENT = "amendment"


@dataclass(frozen=True, slots=True)
class Act:
    """A statute as one corpus holds it.

    Attributes:
        key: The registry's key, such as ``ГК``.
        edition: Names an edition where a corpus has several of the act (``2018``), else None.
        branch: The branch of law, such as ``civil``; None where nobody stated it.
        coverage: ``("complete",)``, ``("unknown",)`` or ranges in the act's own order, such as ``("1–142.9",)``.
        valid_from: ISO date of entry into force, where stated.
        valid_to: ISO date, the first day on which it was no longer in force.
        source: Where the text comes from, for exports and answers.
        gone: Articles that the source names only as repealed, without a text: a citation of them is not invented.
    """

    key: str
    title: str
    jurisdiction: Jurisdiction
    language: Language
    branch: str | None
    coverage: tuple[str, ...]
    edition: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    source: str = ""
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A stretch of an article's text with the units it stands in.

    Attributes:
        start: Offset of its first character in ``Article.text``.
        end: Offset behind its last character.
        part: Часть, when the act counts in parts.
        point: Пункт.
        subpoint: Подпункт.
        remark: It stands in the article's «Примечание»; points count within that.
    """

    start: int
    end: int
    part: str | None = None
    point: str | None = None
    subpoint: str | None = None
    remark: bool = False


@dataclass(frozen=True, slots=True)
class Amendment:
    """An amendment noted in the source.

    Attributes:
        part: The unit that the note stands in, such as ``часть 2``; None for the whole article.
        law: The amending law's number, such as ``171-ФЗ``.
        date: The law's signing date, ISO; None where the note gives none.
    """

    part: str | None
    law: str | None
    date: str | None


@dataclass(frozen=True, slots=True)
class Note:
    """An editorial note that was kept apart from the text.

    Attributes:
        kind: ``amendment`` or ``editorial``.
        at: Offset in ``Article.text`` at which it stood.
    """

    kind: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """One article, the norm of the graph.

    Attributes:
        number: As cited: ``1064``, ``12.1``, ``123.20-1``; superscripts are written with a dot.
        title: Without «Статья N.»; empty where the source gives none.
        path: Headings above it, outermost first.
        text: The wording, paragraphs joined by a line feed, without notes.
        valid_from: ISO date, or None when unknown.
        valid_to: ISO date, the first day on which it was no longer in force.
        valid_from_basis: What ``valid_from`` rests on; None exactly when ``valid_from`` is.
        amended_on: Signing date of the last amendment noted, ISO.
        repealed_by: The law that repealed it, as the source names it.
    """

    act: str
    number: str
    title: str
    path: tuple[str, ...]
    text: str
    paragraphs: tuple[Paragraph, ...]
    edition: str | None = None
    notes: tuple[Note, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    valid_from: str | None = None
    valid_from_basis: DateBasis | None = None
    valid_to: str | None = None
    amended_on: str | None = None
    repealed: bool = False
    repealed_by: str | None = None

    @property
    def norm_id(self) -> NormId:
        """The norm's name, such as ``ГК_1064``."""
        return norm_id_of(self.act, self.number)

    @property
    def ref(self) -> NormId:
        """The norm's name within its corpus, with the edition where there is one, such as ``公司法@2018_25``."""
        return norm_ref(self.act, self.edition, self.number)


@dataclass(frozen=True, slots=True)
class ActText:
    """An act with its articles in the act's own order, and what the loader left out.

    Attributes:
        skipped: (what, why) for everything that looked like an article or a text and was not taken.
        gone: Numbers of articles that the source names only as repealed, in a heading of several: they were law and
            have no text; a citation of them is not invented.
    """

    act: Act
    articles: tuple[Article, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    gone: tuple[str, ...] = ()
