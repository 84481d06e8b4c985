"""The reader's face: normalises, hands the text to the language's reader, brings offsets back."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, cast

from service.citations.registry import load_registry
from service.domain import Citation, Jurisdiction, Language
from service.text.normalise import normalise

if TYPE_CHECKING:
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import Registry

__all__ = ["Surrounding", "read_citations"]

_SOFT = "\u00ad"
# «под-⏎пункта», «Граждан-⏎ского»: the hyphen of a line's end. That of «Уголовно-⏎исполнительного» is the word's own.
_DIVIDED = re.compile(r"-(?<=[а-яёіїєґ]-)(\r?\n[^\S\n]{0,8})(?=[а-яёіїєґ])")
_COMPOUND = re.compile(r"[^\W\d_]{4}о$")
_OWN_HYPHEN = re.compile(r"[а-яёіїєґ]{6}")

_HOME = {Language.RU: Jurisdiction.RU, Language.UK: Jurisdiction.UA, Language.ZH: Jurisdiction.CN}
_READERS = {
    Language.RU: "service.citations._cyrillic",
    Language.UK: "service.citations._cyrillic",
    Language.ZH: "service.citations._chinese",
}


@dataclass(frozen=True, slots=True)
class Surrounding:
    """Where the text stands, for what it leaves unsaid.

    Attributes:
        jurisdiction: Whose law an act's name means; None: that of the language.
        act: Key of the act in whose text it stands («статья 12» is then its own); None outside statutes.
        article: The article in which it stands («настоящая статья»).
        edition: The act's edition, where the corpus has several.
    """

    jurisdiction: Jurisdiction | None = None
    act: str | None = None
    article: str | None = None
    edition: str | None = None


class _Reader(Protocol):
    def read(
        self,
        text: str,
        registry: Registry,
        surrounding: Surrounding,
        articles: ArticleIndex | None,
        language: Language,
    ) -> list[Citation]: ...


def read_citations(
    text: str,
    language: Language,
    *,
    surrounding: Surrounding | None = None,
    articles: ArticleIndex | None = None,
    registry: Registry | None = None,
) -> list[Citation]:
    """Read every statutory citation of a text, in text order.

    Time is linear in the text. Members of a list or range share ``raw``, ``start`` and ``end``, which are of the text
    as given. What the text leaves open stays open: an anaphor without an antecedent is flagged unresolved.

    Args:
        text: Any text.
        language: The language it is written in.
        surrounding: Where the text stands.
        articles: Existing articles, for ranges and flattened superscripts; without them a range of whole numbers is
            counted out and others give their ends.
        registry: Acts to read with; by default those of the surrounding's jurisdiction, else of the language's.

    Raises:
        InputError: The jurisdiction or the surrounding act is not known.
    """
    here = surrounding or Surrounding()
    registry = registry or load_registry(here.jurisdiction or _HOME[language])
    if here.act is not None:
        here = replace(here, act=registry.act(here.act).key)
    given = text if language is Language.ZH else _DIVIDED.sub(_joined, text)
    normalised = normalise(given, language)
    reader = cast("_Reader", importlib.import_module(_READERS[language]))
    found = reader.read(normalised.text, registry, here, articles, language)
    if normalised.text is text:
        return found
    return [_as_given(citation, text, *normalised.span(citation.start, citation.end)) for citation in found]


def _joined(end: re.Match[str]) -> str:
    """Return as many soft hyphens as the line's end has characters, so that offsets stay and the word is whole."""
    text = end.string
    keeps = _COMPOUND.search(text, max(0, end.start() - 5), end.start()) and _OWN_HYPHEN.match(text, end.end())
    return ("-" if keeps else _SOFT) + _SOFT * len(end[1])


def _as_given(citation: Citation, text: str, start: int, end: int) -> Citation:
    return replace(citation, raw=text[start:end], start=start, end=end)
