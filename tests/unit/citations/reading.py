"""What a citation was read as, in one line: ``ГК_10 ч2 п1 +flag``."""

from __future__ import annotations

from service.citations import ArticleIndex, Surrounding, read_citations
from service.domain import Citation, Jurisdiction, Language

UNITS = (
    ("ч", "part"),
    ("п", "point"),
    ("пп", "subpoint"),
    ("абз", "paragraph"),
    ("р", "section"),
    ("пр", "subsection"),
)


def line(citation: Citation) -> str:
    act = citation.act or citation.act_number or citation.act_title or "?"
    units = [f"{short}{value}" for short, name in UNITS if (value := getattr(citation, name)) is not None]
    flags = [f"+{flag.value}" for flag in citation.flags]
    own = ["self"] if citation.is_self else []
    return " ".join([f"{act}_{citation.article or '?'}", *units, *flags, *own])


def read(
    text: str,
    language: Language = Language.RU,
    *,
    here: tuple[str, str, str] | None = None,
    articles: ArticleIndex | None = None,
) -> list[str]:
    """Read a text; ``here`` is (jurisdiction, act, article)."""
    where = Surrounding(Jurisdiction(here[0]), here[1] or None, here[2] or None) if here else None
    found = read_citations(text, language, surrounding=where, articles=articles)
    for citation in found:
        assert text[citation.start : citation.end] == citation.raw
    assert [citation.start for citation in found] == sorted(citation.start for citation in found)
    return [line(citation) for citation in found]
