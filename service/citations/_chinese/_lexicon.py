"""The registry's acts by every way in which a Chinese text writes their names.

A name is looked up from its end: the text before 第…条 is tried at each length that a name has, longest first, so the
cost of a citation does not depend on the number of acts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from service.citations.registry import RegistryAct

if TYPE_CHECKING:
    from service.citations.registry import Registry

__all__ = [
    "ISSUERS",
    "KINDS",
    "Lexicon",
    "Mention",
    "is_contract_title",
    "kind_of",
    "lexicon_of",
    "mention_of",
    "skeleton",
]

KINDS = (
    *(
        "法典",
        "宪法",
        "法",
        "条例",
        "规定",
        "办法",
        "解释",
        "细则",
        "规则",
        "决定",
        "意见",
        "通知",
        "批复",
        "规范",
        "准则",
    ),
    *("标准", "纪要", "指引", "指南", "公约", "条约", "协定", "议定书", "修正案", "规程", "通告", "答复", "复函"),
)
"""How the title of a legal act ends, longer endings first where one ends with another."""

_PEOPLE = "中华人民共和国"
ISSUERS = re.compile(
    r"(?:(?:最高人民法院|最高人民检察院|最高法院|最高检察院|最高院|最高法|最高检|两高|公安部|司法部|国家安全部|国务院办公厅|国务院|"
    r"人力资源和社会保障部|人力资源社会保障部|人社部|劳动和社会保障部|劳动部|财政部|商务部|生态环境部|教育部|民政部|卫生部|"
    r"中国证监会|证监会|中国人民银行|国家市场监督管理总局|市场监管总局|国家税务总局|国家知识产权局|全国人大常委会|"
    r"全国人民代表大会常务委员会|全国人民代表大会)[、和与及]?)+"
)
_BRACKETS = re.compile(r"[《》〈〉<>＜＞﹤﹥«»]")
_DROPPED = re.compile(rf"{_PEOPLE}|[的、\s*]")
_TRAILING = re.compile(r"[(（][^()（）]*[)）]$")
_CONTRACT = re.compile(
    r"(?:合同|协议|协议书|合同书|契约|章程|约定|承诺书|承诺函|声明|公证书|遗嘱|保单|保函|手册|政策|制度|备忘录|意向书|确认函|确认书|"
    r"委托书|说明书|须知|方案|计划|判决书|裁定书|决定书|调解书|起诉状|答辩状|申请书|报告|报告书|证明|证书|通知书|告知书|公告|函|议案|"
    r"决议|管理规约|业主公约|居民公约|招标文件|投标文件|订单|附件|清单|图纸|凭证|批复意见|条款|保险单|细目|记录|纪律)$"
)


_NUMBER = re.compile(r"[\u4e00-\u9fff]{1,8}([〔\[(【]\d{4}[〕\])】]第?\d{1,5}号)$")


def kind_of(title: str) -> str | None:
    """Return the kind of act that a title names by its end (法 for 民法典 too), None where it is no act's title."""
    bare = title
    while (trailing := _TRAILING.search(bare)) is not None:
        bare = bare[: trailing.start()]
    for kind in KINDS:
        if bare.endswith(kind):
            return "法" if kind in ("法典", "宪法") else kind
    return None


def is_contract_title(title: str) -> bool:
    """Tell whether a title is of a document between parties or of a case, whose articles are no law."""
    bare = title
    while (trailing := _TRAILING.search(bare)) is not None:
        bare = bare[: trailing.start()]
    if _CONTRACT.search(bare) is not None or "章程" in bare:
        return True
    private = bare.endswith(("通知", "决定", "意见", "答复", "复函", "批复", "通告"))  # a party can give notice, too
    return private and "关于" not in bare and ISSUERS.match(bare) is None


def skeleton(title: str) -> str:
    """Return a title without what texts write now so, now so: brackets, the country, 的, 、 and the issuers."""
    folded = _BRACKETS.sub("", title.replace("（", "(").replace("）", ")").replace("若千", "若干"))
    issuers = ISSUERS.match(folded)
    if issuers is not None and folded.startswith("关于", issuers.end()):
        folded = folded[issuers.end() :]
    return _DROPPED.sub("", folded)


@dataclass(frozen=True, slots=True)
class Mention:
    """An act as a text names it.

    Attributes:
        act: The registry's act; None outside it.
        title: The title in the text's words, for an act outside the registry.
        kind: Its kind by the title's end.
        foreign: Another country's or another part of the country's, so not of this jurisdiction.
        contract: A document whose articles are no citation.
        edition: The year that the text gives.
        number: The official number that the text gives.
    """

    act: RegistryAct | None
    title: str
    kind: str | None
    foreign: bool = False
    contract: bool = False
    edition: str | None = None
    number: str | None = None


def mention_of(act: RegistryAct, edition: str | None = None) -> Mention:
    """Return the mention of a registry's act."""
    return Mention(act, act.title, kind_of(act.key or act.title), edition=edition)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Names compiled for look-up.

    Attributes:
        names: Act by folded name, as it stands right before 第…条.
        lengths: By a name's last two characters the lengths of the names that end so, longest first.
        skeletons: Act by skeleton of a name or title.
        numbers: Act by official number, brackets and all but digits and ideographs left out.
    """

    names: dict[str, RegistryAct] = field(default_factory=dict)
    lengths: dict[str, tuple[int, ...]] = field(default_factory=dict)
    skeletons: dict[str, RegistryAct] = field(default_factory=dict)
    numbers: dict[str, RegistryAct] = field(default_factory=dict)

    def ending_at(self, text: str, end: int) -> tuple[int, RegistryAct] | None:
        """Return (start, act) of the longest name that ends at ``end``, the country before it included."""
        for length in self.lengths.get(text[max(0, end - 2) : end], ()):
            if length > end:
                continue
            act = self.names.get(text[end - length : end])
            if act is not None:
                start = end - length
                if text.endswith(_PEOPLE, max(0, start - len(_PEOPLE)), start):
                    start -= len(_PEOPLE)
                return start, act
        return None

    def numbered_at(self, text: str, end: int) -> tuple[int, RegistryAct] | None:
        """Return (start, act) of the official number (法释〔2015〕5号) that ends at ``end``."""
        if end == 0 or text[end - 1] != "号":
            return None
        number = _NUMBER.search(text, max(0, end - 24), end)
        if number is None:
            return None
        for start in range(number.start(), number.start(1)):
            act = self.numbers.get(_bare_number(text[start:end]))
            if act is not None:
                return start, act
        return None

    def titled(self, title: str) -> RegistryAct | None:
        """Return the act of a title without its edition."""
        return self.names.get(title.removeprefix(_PEOPLE)) or self.skeletons.get(skeleton(title))


@lru_cache(maxsize=16)
def lexicon_of(registry: Registry) -> Lexicon:
    """Compile a registry once; a name that two acts share goes to the one in force."""
    names: dict[str, RegistryAct] = {}
    skeletons: dict[str, RegistryAct] = {}
    for act in sorted(registry.acts, key=lambda act: not act.in_force):
        for name in (*act.names, *act.abbreviations, act.title):
            for form in _forms(name):
                names.setdefault(form, act)
            skeletons.setdefault(skeleton(name), act)
    lengths: dict[str, set[int]] = {}
    for name in names:
        lengths.setdefault(name[-2:], set()).add(len(name))
    longest_first = {tail: tuple(sorted(found, reverse=True)) for tail, found in lengths.items()}
    numbers = {_bare_number(act.number): act for act in registry.acts if act.number}
    return Lexicon(names, longest_first, skeletons, numbers)


def _bare_number(number: str) -> str:
    return re.sub(r"[^\w]", "", number)


def _forms(name: str) -> set[str]:
    """Return a name in the folded spellings that stand in running text: (二), 二 and 2 for the part of a series."""
    folded = name.replace("（", "(").replace("）", ")").removeprefix(_PEOPLE)
    forms = {folded}
    series = re.search(r"\(([一二三四五六七八九十]{1,2})\)$", folded)
    if series is not None and len(folded) < 40:
        forms.add(folded[: series.start()] + series[1])
    without_issuer = ISSUERS.match(folded)
    if without_issuer is not None and folded[without_issuer.end() :].startswith("关于"):
        forms |= _forms(folded[without_issuer.end() :])
    return forms
