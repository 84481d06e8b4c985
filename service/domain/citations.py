"""A citation of a statute's article, as the reader finds it in a text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.names import Jurisdiction, NormId, norm_id_of

__all__ = ["Citation", "CitationFlag"]


class CitationFlag(StrEnum):
    """What has to be known about a citation before it is relied on."""

    RANGE_MEMBER = "range_member"
    ANAPHORA = "anaphora"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"
    INVENTED = "invented"
    OUTSIDE_CORPUS = "outside_corpus"


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited unit of one article; members of a list or range share ``raw``.

    Attributes:
        jurisdiction: Whose law; None where the act stayed unresolved.
        act: The registry's key, or None for an act outside the registry.
        act_title: The act's title: the registry's, or as the text has it.
        act_number: An act's number, such as ``127-ФЗ``, where the text or the registry gives it.
        article: The article's number; None only for an unresolved anaphor.
        part, point, subpoint, paragraph: Units below the article as stated, in digits where the text has words.
        section, subsection: Where provisions without articles stand («підрозділ 10 розділу XX»).
        edition: Year of the edition or of the old code, where the text names one.
        raw: ``text[start:end]`` of the text as given, before any normalisation.
        is_self: The article in which the citation stands cites itself.
    """

    jurisdiction: Jurisdiction | None
    act: str | None
    article: str | None
    raw: str
    start: int
    end: int
    act_title: str | None = None
    act_number: str | None = None
    part: str | None = None
    point: str | None = None
    subpoint: str | None = None
    paragraph: str | None = None
    section: str | None = None
    subsection: str | None = None
    edition: str | None = None
    flags: tuple[CitationFlag, ...] = ()
    is_self: bool = False

    @property
    def norm_id(self) -> NormId | None:
        """The cited norm's name, or None when act or article is not known."""
        if self.act is None or self.article is None:
            return None
        return norm_id_of(self.act, self.article)
