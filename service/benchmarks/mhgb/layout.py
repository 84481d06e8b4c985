"""The layouts in which answers name norms: ids written freely, acts as headings over their articles, rows of tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from service.benchmarks.mhgb.sections import Section, find_sections
from service.citations import load_registry, read_citations
from service.domain import Citation, CitationFlag, Jurisdiction, Language

if TYPE_CHECKING:
    from service.benchmarks._protocol import Law
    from service.citations import RegistryAct

__all__ = ["cited", "with_plain_ids"]

_MARKS = r"(?:[^\w\n|]|_){0,12}(?:\d{1,2}[.)]{1,2}[ \t*_]{0,6})?"
_BARE_NUMBER = r"\d{1,4}(?:[.\-]\d{1,3}){0,3}"
_BARE_END = r"(?=[ \t*_`\])]{0,6}(?:$|и\s|[,;(|—–:]|-\s|\.(?:\s|$)))"
_ROW = re.compile(r"^\|(?=[^\n]*\d)", re.MULTILINE)
_MOST_BREAKS = 2000
_UNIT = r"(?=[ \t]{0,3}[,(—–-]?[ \t]{0,3}(?:ст(?:\.|ат|\s)|п\.|пункт|ч\.|част|абз|гл\.|№|\d))"


@dataclass(frozen=True, slots=True)
class _Patterns:
    acts: dict[str, RegistryAct]
    spelled: re.Pattern[str]
    bare: re.Pattern[str]
    heading: re.Pattern[str]
    name: re.Pattern[str]


@lru_cache(maxsize=16)
def _patterns(jurisdiction: Jurisdiction) -> _Patterns | None:
    registry = load_registry(jurisdiction)
    if registry.language is Language.ZH:
        return None
    keyed = [act for act in registry.acts if act.key and act.kind in ("code", "constitution") and act.edition is None]
    acts: dict[str, RegistryAct] = {}
    for act in keyed:
        # The first of the names is the nominative, in which a heading names its act; «Гражданского кодекса» at a line's
        # start ends what stands before it.
        for name in (str(act.key), *act.abbreviations, act.title, *act.names[:1]):
            acts.setdefault(name.lower(), act)
    keys = _either(name for act in keyed for name in (str(act.key), *act.abbreviations))
    names = _either(acts)
    country = f"(?:[ \\t]{{0,2}}(?:{_either(registry.country)}))?" if registry.country else ""
    short_country = f"(?:[ _]?(?:{_either(registry.country[:1])}))?" if registry.country else ""
    return _Patterns(
        acts,
        # «гк_15», «ГК_РФ_15», «ГК РФ_15», «ГК_ст_15»
        re.compile(
            rf"(?<![^\W_])({keys}){short_country}_{{1,2}}(?:(?:статья|ст)(?:\.?_|\.[ ]?))?(?=\d)", re.IGNORECASE
        ),
        # «ГК 15», «ГК РФ-15», «ГК | 15» as a whole item of the list of articles
        re.compile(
            rf"(^|[,;:]|\sи(?=\s))({_MARKS}|\|?[ \t*`]{{0,6}})({keys}){short_country}[*`]{{0,3}}"
            rf"(?:[ \t]{{1,2}}|[ \t]?[-–/|№:][*`]{{0,3}}[ \t]?)({_BARE_NUMBER}){_BARE_END}",
            re.MULTILINE,
        ),
        re.compile(
            rf"^(?P<marks>{_MARKS})(?P<act>{names})(?![^\W_]){country}"
            rf"(?:[ \t]{{1,3}}\([^()\n]{{1,60}}\))?(?!_\d)[*_»\"”#\]) \t]{{0,8}}"
            rf"(?:(?P<colon>[:：])|(?P<alone>$)|(?P<unit>{_UNIT}))",
            re.MULTILINE | re.IGNORECASE,
        ),
        re.compile(rf"(?<![^\W_])(?:{names})(?![^\W_])", re.IGNORECASE),
    )


def _either(names: object) -> str:
    return "|".join(re.escape(name) for name in sorted(set(names), key=lambda name: (-len(name), name)))  # type: ignore[call-overload]


def _home(law: Law) -> Jurisdiction:
    return law.jurisdiction or (Jurisdiction.UA if law.language is Language.UK else Jurisdiction.RU)


def with_plain_ids(text: str, law: Law) -> str:
    """Return a text whose ids are written as the corpus writes them: «гк_15», «ГК_РФ_15» and, as an item, «ГК 15»."""
    patterns = _patterns(_home(law)) if law.language is not Language.ZH else None
    if patterns is None:
        return text

    def key_of(name: str) -> str:
        return str(patterns.acts[name.lower()].key)

    text = patterns.spelled.sub(lambda match: f"{key_of(match[1])}_", text)
    pieces, at = [], 0
    for span in find_sections(text):
        if span.section is Section.ARTICLES:
            items = patterns.bare.sub(
                lambda match: f"{match[1]}{match[2]}{key_of(match[3])}_{match[4]}", text[span.start : span.end]
            )
            pieces += [text[at : span.start], items]
            at = span.end
    return "".join((*pieces, text[at:]))


def cited(text: str, law: Law) -> list[Citation]:
    """Return the citations of an answer, in text order.

    It is read as a whole, but where its lines are parted: an act on a line of its own is that of the articles under
    it, not of those above, and rows of a table are apart. An article without an act is of the heading's act, else of
    the only act that its row or the whole answer names; with several it stays unresolved.
    """
    found: list[Citation] = []
    patterns = _patterns(_home(law)) if law.language is not Language.ZH else None
    heads = _breaks(text, patterns) if patterns is not None else [(0, None)]
    for (start, above), (end, _) in zip(heads, [*heads[1:], (len(text), None)], strict=True):
        of_part = [
            replace(one, start=one.start + start, end=one.end + start)
            for one in read_citations(text[start:end], law.language, articles=law.coverage.articles)
        ]
        in_row = above is None and patterns is not None and text.startswith("|", start)
        act = _act_of_row(text[start:end], patterns) if in_row and patterns is not None else above
        found += [_given(one, act) for one in of_part]
    only = _only_act(found)
    return [_given(one, only) for one in found] if only else found


_Act = tuple[Jurisdiction | None, str, str | None]


def _breaks(text: str, patterns: _Patterns) -> list[tuple[int, _Act | None]]:
    """Return where an answer is to be read anew, and under which act."""
    breaks: dict[int, _Act | None] = dict.fromkeys((0, *(match.start() for match in _ROW.finditer(text))))
    under: dict[int, _Act | None] = {}
    for match in patterns.heading.finditer(text):
        if match["alone"] is None or _is_heading(text, match):
            under[match.start()] = _act_of(patterns.acts[match["act"].lower()])
    if under:
        # A section's end is that of its headings as well.
        breaks |= {span.start: None for span in find_sections(text)}
    # Each costs a reading of its own. A text with more of them is no answer, and is read on as a whole.
    return sorted({**breaks, **under}.items())[:_MOST_BREAKS]


def _act_of(act: RegistryAct) -> _Act:
    return act.jurisdiction, str(act.key), act.title


def _act_of_row(row: str, patterns: _Patterns) -> _Act | None:
    acts = {_act_of(patterns.acts[match.group().lower()]) for match in patterns.name.finditer(row)}
    return acts.pop() if len(acts) == 1 else None


def _is_heading(text: str, match: re.Match[str]) -> bool:
    """Tell whether an act alone on its line stands over what follows, and does not end what stands before."""
    if match["marks"].strip(" \t("):
        return True
    above = text[max(0, match.start() - 200) : match.start()].rstrip(" \t")
    return not above or above.endswith("\n\n") or above.rstrip("\n*_ ").endswith((":", "："))


def _only_act(citations: list[Citation]) -> _Act | None:
    acts = {(one.jurisdiction, one.act): one.act_title for one in citations if one.article and _names_act(one)}
    if len(acts) != 1:
        return None
    ((jurisdiction, act), title) = next(iter(acts.items()))
    return (jurisdiction, act, title) if act is not None else None


def _names_act(citation: Citation) -> bool:
    return CitationFlag.UNRESOLVED not in citation.flags


def _given(citation: Citation, act: _Act | None) -> Citation:
    """Return a citation that lacks an act with the one that its place in the answer gives it."""
    bare = citation.article is not None and citation.act is None and citation.act_title is None
    if act is None or not bare or CitationFlag.UNRESOLVED not in citation.flags or citation.act_number is not None:
        return citation
    flags = tuple(flag for flag in citation.flags if flag is not CitationFlag.UNRESOLVED)
    return replace(citation, jurisdiction=act[0], act=act[1], act_title=act[2], flags=flags)
