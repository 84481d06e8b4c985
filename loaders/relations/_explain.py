"""A relation tells itself in words, in the language of the law."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from service.domain import Language, RelationType, split_norm_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.domain import NormId

__all__ = ["explain", "norm_in_words", "quote", "unit_in_words"]

_QUOTED = 240
_LETTERS = re.compile(r"[^\W\d_]{1,6}")
_UNITS = {
    Language.RU: ("ч. {}", "п. {}", "подп. {}"),
    Language.UK: ("ч. {}", "п. {}", "підп. {}"),
    Language.ZH: ("第{}款", "第{}项", "第{}目"),
}
_SAYS: dict[Language, Mapping[RelationType, str]] = {
    Language.RU: {
        RelationType.REFERS_TO: "{a} ссылается на {b}{because}",
        RelationType.APPLIES_TO: "{a} определяет, к чему применяется {b}{because}",
        RelationType.EXCLUDES: "{a} вытесняет {b}: где действует первая, вторая не применяется{because}",
        RelationType.SUPPLEMENTS: "{a} дополняет или уточняет {b}{because}",
        RelationType.PREVAILS_OVER: "{a} имеет приоритет перед {b}: при расхождении действует первая{because}",
    },
    Language.UK: {
        RelationType.REFERS_TO: "{a} посилається на {b}{because}",
        RelationType.APPLIES_TO: "{a} визначає, до чого застосовується {b}{because}",
        RelationType.EXCLUDES: "{a} витісняє {b}: де діє перша, друга не застосовується{because}",
        RelationType.SUPPLEMENTS: "{a} доповнює або уточнює {b}{because}",
        RelationType.PREVAILS_OVER: "{a} має перевагу перед {b}: у разі розбіжності діє перша{because}",
    },
    Language.ZH: {
        RelationType.REFERS_TO: "{a}援引{b}{because}",
        RelationType.APPLIES_TO: "{a}规定{b}在何处适用{because}",
        RelationType.EXCLUDES: "{a}排除{b}的适用{because}",
        RelationType.SUPPLEMENTS: "{a}补充或细化{b}{because}",
        RelationType.PREVAILS_OVER: "{a}优先于{b}{because}",
    },
}
_BECAUSE = {
    Language.RU: ", потому что в {where} сказано: «{words}»",
    Language.UK: ", тому що в {where} сказано: «{words}»",
    Language.ZH: ",因为{where}规定:“{words}”",
}


def explain(
    kind: RelationType,
    source: NormId,
    target: NormId,
    language: Language,
    *,
    citing: NormId,
    unit: str | None = None,
    words: str = "",
    titles: Mapping[str, str] | None = None,
) -> str:
    """Tell a relation in words: what its source does to its target, and by which words.

    Args:
        kind: The relation's type.
        source: The norm that acts.
        target: The norm acted on.
        language: Language of the law.
        citing: The norm in which the words stand: ``target`` where the cited norm acts on the citing one.
        unit: The unit in which they stand, such as ``п. 2``.
        words: The deciding words, or the citation; empty to leave the reason out.
        titles: Act's key to its title, for acts whose key is no abbreviation.
    """
    where = norm_in_words(citing, language, titles)
    if unit:
        where = where + unit if language is Language.ZH else f"{unit} {where}"
    because = _BECAUSE[language].format(where=where, words=words) if words else ""
    a, b = (norm_in_words(norm, language, titles) for norm in (source, target))
    return _SAYS[language][kind].format(a=a, b=b, because=because)


def norm_in_words(norm_id: NormId, language: Language, titles: Mapping[str, str] | None = None) -> str:
    """Return «ст. 1064 ГК», «ст. 5 («О банкротстве»)» or 《公司法》第20条."""
    act, number = split_norm_id(norm_id)
    key, _, edition = act.partition("@")
    name = key if titles is None or _LETTERS.fullmatch(key) else titles.get(key, key)
    if language is Language.ZH:
        base, *inserted = number.split("-")
        return f"《{name}{f'({edition})' if edition else ''}》第{base}条" + "".join(f"之{step}" for step in inserted)
    name = name if _LETTERS.fullmatch(name) else f"({name})"
    return f"ст. {number} {name}{f' ред. {edition}' if edition else ''}"


def unit_in_words(language: Language, part: str | None, point: str | None, subpoint: str | None) -> str | None:
    """Return the unit that a paragraph is, as it is cited: «подп. 3 п. 2 ч. 1», 第2款第3项; None where it has none."""
    named = [form.format(value) for form, value in zip(_UNITS[language], (part, point, subpoint), strict=True) if value]
    if not named:
        return None
    return "".join(named) if language is Language.ZH else " ".join(reversed(named))


def quote(text: str, start: int, end: int) -> str:
    """Return ``text[start:end]`` on one line, shortened in its middle to a length that fits a sentence."""
    words = " ".join(text[start:end].split())
    if len(words) <= _QUOTED:
        return words
    half = _QUOTED // 2 - 2
    return f"{words[:half].rstrip()} … {words[-half:].lstrip()}"
