"""Which act is named right before 第…条: by title, name, 本法 or 该法, or not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from service.citations._chinese._lexicon import KINDS, Mention, mention_of
from service.citations._chinese._titles import edition_before, foreign_before, outside, read_note

if TYPE_CHECKING:
    from service.citations._chinese._lexicon import Lexicon

__all__ = ["Named", "NamedBy", "TitleAt", "defined_name_before", "name_before"]

_KIND = "|".join(sorted(KINDS, key=len, reverse=True))
_BOOKS = "总则|物权|合同|人格权|婚姻家庭|继承|侵权责任"
_GLUE = re.compile(
    rf"(?:中的|[中之的]|总则|分则|附则|第[一二三四五六七八九十百\d]{{1,4}}[编章节分]{{1,2}}|(?:{_BOOKS})编(?:通则|总则)?)$"
)
_GLUE_ENDS = frozenset("中之的则编章节分")
_QUOTES = frozenset("》〉>”\"’'」』")
_OPENING = {")": "(", "】": "【", "]": "[", "〕": "〔"}
_CONTRACT = re.compile(
    r"(?:(?<!议定)书|合同|协议|契约|章程|约定|承诺函|手册|制度|保函|保单|备忘录|确认函|订单|附件|招标文件|投标文件|"
    r"判决|起诉状|答辩状|声明|遗嘱|守则|规约|须知|方案|报告|条款|清单|政策|诉讼请求|上诉请求|反诉请求)$"
)
_CONTRACT_ENDS = frozenset("求同书议约程定函册度单录件决状明嘱则知案告款策")
_OF_ITS_OWN = re.compile(
    r"(?<![基根资日样版])(?<!(?<![构组造形])成)(本|该|同|此|上述|前述|上列|所述)(?:部|一)?((?:(?![本该同此依照按据违反适用构成的])[\u4e00-\u9fff]){0,8}?)$"
)
_ITS = re.compile(r"(?:其|该法的?|同法的?)(实施条例|实施细则|实施办法)$")
_KIND_WORD = re.compile(rf"(?:司法解释|指导意见|法律|{_KIND})$")
_POINTING_ENDS = frozenset(kind[-1] for kind in KINDS) | frozenset("律编章节")
_DIVISION = re.compile(r"(?<![基根资日样版])(?<!(?<![构组造形])成)本[编章节]$")
_TRIGGERS = re.compile(
    r".*(?:根据|依据|依照|按照|遵照|违反|适用|参照|符合|援引|引用|结合|认为|构成|以及|属于|及其|和其|第[零〇一二三四五六七八九十百千两\d]{1,9}[条款项目][及和与或]?|对照|违背|触犯|所称|关于|[,。;:、“”\"'《》()])"
)
_NO_TITLE = re.compile(
    r"^(?:.{0,6}(?:依|合|违|非|方|做|说|看|无|手|立|司|执|枉|用|想|写|语|书|疗|办|魔|军|国|宪|各|此|其|何|等)法|.{0,4}法律|.{0,8}(?:法规|司法解释|"
    r"规章|有关规定|相关规定|法律规定|下列规定|上述规定|前述规定|如下规定|明确规定|具体规定|特别规定|强制性规定|禁止性规定|的规定|之规定)|"
    rf"(?:{_KIND}))$"
)
_UNKNOWN = re.compile(rf"([\u4e00-\u9fff]{{2,30}}(?:{_KIND})(?:\([一二三四五六七八九十\d]{{1,2}}\))?)$")
_OFFICIAL_NUMBER = re.compile(
    r"(?:(?P<kind>法释|高检发释字)|法发|法办发?|高检发[研诉侦办]?字?|公通字|国发|国办发|国函|财税|人社部发|劳部发|银发|建市)"
    r"[〔\[(【]\d{4}[〕\])】]第?\d{1,5}号\Z"
)
_LONGEST_NUMBER = 26


class NamedBy(Enum):
    """How the act of a citation is told."""

    NAME = "name"
    OWN = "own"  # 本法, 本条例, 本章
    BACK = "back"  # 该法, 同法
    UNKNOWN = "unknown"  # words that stand for some law, but for none that can be told
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Named:
    """What stands before 第…条.

    Attributes:
        by: How the act is told.
        start: Where its words start; the citation's own start where there are none.
        mention: The act, with ``NamedBy.NAME``.
        word: The kind that 本… or 该… names.
    """

    by: NamedBy
    start: int
    mention: Mention | None = None
    word: str = ""


@dataclass(frozen=True, slots=True)
class TitleAt:
    """The last title in 《》: its place, its end with the brackets behind it, the act."""

    start: int
    end: int
    notes_end: int
    mention: Mention


def name_before(text: str, at: int, lexicon: Lexicon, title: TitleAt | None, short_names: dict[str, Mention]) -> Named:
    """Return what names the act of the article at ``at``; the look-back is bounded."""
    edition = number = None
    end = at
    for _ in range(7):
        found = _at(text, end, lexicon, title, short_names)
        if found is not None:
            if found.mention is not None and (edition or number):
                better = replace(
                    found.mention, edition=edition or found.mention.edition, number=number or found.mention.number
                )
                return replace(found, mention=better)
            return found
        stripped = _stripped(text, end)
        if stripped is None:
            break
        if text[end - 1] in _OPENING:
            note = read_note(text[stripped + 1 : end - 1])
            if note is not None:
                edition, number = edition or note.edition, number or note.number
        end = stripped
    return _unknown(text, at) or Named(NamedBy.NOTHING, at)


def _at(text: str, end: int, lexicon: Lexicon, title: TitleAt | None, short_names: dict[str, Mention]) -> Named | None:
    if title is not None and (
        end in (title.end, title.notes_end) or (end == title.notes_end + 1 and text[end - 1] == ":")
    ):
        return Named(NamedBy.NAME, title.start, title.mention)
    return (
        _listed(text, end, lexicon, defined_name_before(text, end, short_names))
        or _contract(text, end)
        or _pointing(text, end)
    )


def _listed(text: str, end: int, lexicon: Lexicon, defined: Named | None) -> Named | None:
    """Return the registry's act whose name ends here, unless a short name of the text is as long."""
    hit = lexicon.ending_at(text, end) or lexicon.numbered_at(text, end)
    if hit is None and defined is None and text[end - 1 : end] == "号":
        number = _OFFICIAL_NUMBER.search(text, max(0, end - _LONGEST_NUMBER), end)
        if number is not None:
            # 法释〔2020〕17号第三条: a document that is named by its number alone
            return Named(NamedBy.NAME, number.start(), Mention(None, "", number["kind"] and "解释", number=number[0]))
    if hit is None or (defined is not None and defined.start <= hit[0]):
        return defined
    start, act = hit
    if foreign_before(text, start):
        return Named(NamedBy.NAME, start, outside(text[start:end], foreign=True))
    return Named(NamedBy.NAME, start, mention_of(act, edition_before(text, start)))


def _contract(text: str, end: int) -> Named | None:
    if end == 0 or text[end - 1] not in _CONTRACT_ENDS:
        return None
    found = _CONTRACT.search(text, max(0, end - 8), end)
    return None if found is None else Named(NamedBy.NAME, found.start(), Mention(None, found[0], None, contract=True))


def defined_name_before(text: str, end: int, short_names: dict[str, Mention]) -> Named | None:
    """Return the longest name ending at ``end`` that the text itself gave an act."""
    if not short_names:
        return None
    for length in range(min(30, end), 0, -1):
        mention = short_names.get(text[end - length : end])
        if mention is not None:
            return Named(NamedBy.NAME, end - length, mention)
    return None


def _pointing(text: str, end: int) -> Named | None:
    if end == 0 or text[end - 1] not in _POINTING_ENDS:
        return None
    division = _DIVISION.search(text, max(0, end - 3), end)
    if division is not None:
        return Named(NamedBy.OWN, division.start(), word="法")
    its = _ITS.search(text, max(0, end - 8), end)
    if its is not None:
        return Named(NamedBy.BACK, its.start(), word=its[1])
    kind = _KIND_WORD.search(text, max(0, end - 6), end)
    if kind is None:
        return None
    pointer = _OF_ITS_OWN.search(text, max(0, kind.start() - 12), kind.start())
    if pointer is None:
        return None
    by = NamedBy.OWN if pointer[1] == "本" else NamedBy.BACK
    return Named(by, pointer.start(), word=pointer[2] + kind[0])


def _stripped(text: str, end: int) -> int | None:
    """Return where the text ends without one closing bracket, quotation mark or word between name and article."""
    if end == 0:
        return None
    last = text[end - 1]
    if last in _OPENING:
        depth = 0
        for place in range(end - 1, max(-1, end - 80), -1):
            if text[place] == last:
                depth += 1
            elif text[place] == _OPENING[last]:
                depth -= 1
                if depth == 0:
                    return place
        return None
    if last in _QUOTES:
        return end - 1
    glue = _GLUE.search(text, max(0, end - 8), end) if last in _GLUE_ENDS else None
    return glue.start() if glue is not None else None


def _unknown(text: str, at: int) -> Named | None:
    """Return a law that no registry has, or UNKNOWN where words like 司法解释 stand for one that cannot be told."""
    if at == 0 or text[at - 1] not in _POINTING_ENDS | {")"}:
        return None
    found = _UNKNOWN.search(text, max(0, at - 40), at)
    if found is None:
        return None
    words = found[1]
    cut = _TRIGGERS.match(words)
    title = words[cut.end() :] if cut else words
    start = at - len(title)
    if _NO_TITLE.match(title) is not None or len(title) < 3:
        generic = title.endswith(("法", "司法解释", "法规", "规章", "法律", "解释", "办法", "条例", "细则"))
        return Named(NamedBy.UNKNOWN, start) if generic else None
    mention = outside(title, foreign=foreign_before(text, start))
    return None if mention.contract else Named(NamedBy.NAME, start, mention)
