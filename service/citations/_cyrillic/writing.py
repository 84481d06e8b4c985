"""Citations in Russian and Ukrainian words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.domain import Language

if TYPE_CHECKING:
    from service.citations.registry import Registry
    from service.domain import Citation

__all__ = ["write"]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SHORT_RU = {"paragraph": "абз.", "subpoint": "подп.", "point": "п.", "part": "ч.", "article": "ст."}
_SHORT_UK = {"paragraph": "абз.", "subpoint": "підп.", "point": "п.", "part": "ч.", "article": "ст."}


def write(citation: Citation, registry: Registry) -> str:
    """Return the citation in the words of its law, such as ``п. 2 ч. 1 ст. 12.1 КоАП РФ``."""
    uk = registry.language is Language.UK
    short = _SHORT_UK if uk else _SHORT_RU
    units = [
        f"{short[field]} {_unit(value)}"
        for field in ("paragraph", "subpoint", "point", "part")
        if (value := getattr(citation, field)) is not None
    ]
    if citation.article is not None:
        units.append(f"{short['article']} {_article(citation, registry)}")
    if citation.subsection is not None:
        units.append(f"підрозділу {citation.subsection}")
    if citation.section is not None:
        units.append(f"розділу {citation.section}")
    return " ".join([*units, _act(citation, registry, uk=uk)]).strip()


def _article(citation: Citation, registry: Registry) -> str:
    """Write «1-5» as 1⁵, for an ascending hyphen would read as a range."""
    number = citation.article or ""
    act = registry.act(citation.act) if citation.act is not None else None
    mark = (act.insertion_mark if act else None) or registry.insertion_mark
    head, hyphen, tail = number.partition("-")
    if mark == "-" and hyphen and head.isdigit() and tail.isdigit() and int(head) < int(tail):
        return head + tail.translate(_SUPERSCRIPTS)
    return number


def _unit(value: str) -> str:
    return f"«{value}»" if value[:1].isalpha() else value


def _act(citation: Citation, registry: Registry, *, uk: bool) -> str:
    country = f" {registry.country[0]}" if registry.country else ""
    if citation.act is not None:
        act = registry.act(citation.act)
        if act.edition is not None:
            return next(iter(act.abbreviations or act.names), act.title)
        if not act.abbreviations:
            genitive = act.names[1] if len(act.names) > 1 else act.names[0]
            return genitive + (country if act.kind != "treaty" else "")
        year = ""
        if citation.edition is not None:
            year = f" {citation.edition} року" if uk else f" {citation.edition} года"
        keyed = act.abbreviations[0]
        return keyed + (country if act.kind != "treaty" and " " not in keyed else "") + year
    law = "Закону" if uk else "Закона"
    number = f" № {citation.act_number}" if citation.act_number else ""
    if not uk and number.endswith("ФЗ"):
        return f"Федерального закона{number}"
    title = f" «{citation.act_title}»" if citation.act_title and not number else ""
    return f"{law}{country}{number}{title}"
