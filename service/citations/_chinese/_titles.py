"""Titles in 《》, and what stands in brackets behind a name: the edition, the official number, a short name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.citations._chinese._lexicon import Mention, is_contract_title, kind_of, mention_of, skeleton

if TYPE_CHECKING:
    from service.citations._chinese._lexicon import Lexicon

__all__ = [
    "Notes",
    "composed_title",
    "edition_before",
    "foreign_before",
    "notes_at",
    "outside",
    "read_note",
    "title_of",
    "title_pairs",
]

LONGEST_TITLE = 160

_MARKS = re.compile("[《》〈〉]")
_ARTICLE_INSIDE = re.compile(r"第[\d零〇一二三四五六七八九十百千两]+条")
_YEAR = r"(?:19[4-9]|20\d)\d"
_EDITION = re.compile(
    rf"^({_YEAR})(?!\d)|({_YEAR})年?(?:\d{{1,2}}月\d{{1,2}}日)?(?:第.次)?(?:修正|修订|修改|版|通过|公布)"
)
_NUMBER = re.compile(r"[\u4e00-\u9fff]{1,10}[〔\[(【]\d{4}[〕\])】]第?\d{1,5}号")
_SHORT_NAME = re.compile(
    r"(?:简称|下称|合称)(?:为)?:?[\"“”《〈‘'「『]?([^\"“”《》〈〉’'」』,;。()]{1,30}(?:\([^()]{1,6}\))?)"
)
_TRAILING_NOTE = re.compile(r"\(([^()]*)\)$")
_BOOK = re.compile(r"[·•・(—-]{0,2}(?:总则|物权|合同|人格权|婚姻家庭|继承|侵权责任|分则)编?\)?$")
_LEADING_YEAR = re.compile(rf"^({_YEAR})年?(?:修正|修订|版)?(?:的)?(?=[\u4e00-\u9fff])")
_EDITION_BEFORE = re.compile(
    rf"({_YEAR})(?:年?(?:版|修正版|修订版|修正|修订|修改)?后?的?|年\d{{1,2}}月\d{{1,2}}日(?:修正|修订|修改)后?的?)$"
)
_REST_KINDS = "解释|规定|意见|决定|通知|批复|答复"
_REST = re.compile(
    rf"([^。;,:《》〈〉第]{{0,30}}若干(?:问题的)?)?[^。;,:《》〈〉第]{{0,40}}?(?:{_REST_KINDS})(?:\([^()]{{1,4}}\))?"
)
_REST_END = re.compile(rf"(?:{_REST_KINDS})(?:\([^()]{{1,4}}\))?")
_ISSUER_BEFORE = re.compile(r"(?:最高人民法院|最高人民检察院|最高法|最高检|公安部|司法部|国家安全部|国务院)[、和]?$")
_PLACES = (
    "美国|英国|德国|法国|日本|韩国|泰国|越南|新加坡|马来西亚|印度尼西亚|印尼|印度|俄罗斯|加拿大|澳大利亚|新西兰|意大利|西班牙|葡萄牙|"
    "荷兰|比利时|瑞士|瑞典|挪威|丹麦|芬兰|奥地利|波兰|巴西|墨西哥|阿根廷|智利|秘鲁|埃及|南非|尼日利亚|埃塞俄比亚|肯尼亚|沙特|阿联酋|以色列|"
    "土耳其|伊朗|巴基斯坦|菲律宾|柬埔寨|老挝|缅甸|蒙古|哈萨克斯坦|乌克兰|欧盟|澳门|香港|台湾|开曼|联邦|加州|纽约州|特拉华州|中华民国|中華民國|[A-Z]国"
)
_FOREIGN_BEFORE = re.compile(rf"(?:{_PLACES})(?:特别行政区|地区|共和国|联邦|群岛)?的?(?:\d{{4}}年)?的?(?:《)?$")
_FOREIGN_ENDS = frozenset(place[-1] for place in _PLACES.split("|")) | frozenset("国区邦岛的年")
_FOREIGN_TITLE = re.compile(rf"^(?:{_PLACES})")


@dataclass(frozen=True, slots=True)
class Notes:
    """What the brackets behind a name say.

    Attributes:
        end: Where they end; where they would start when there are none.
        edition: Year of the edition.
        number: The official number.
        short_names: Names that the text gives the act from here on.
    """

    end: int
    edition: str | None = None
    number: str | None = None
    short_names: tuple[str, ...] = ()


def title_pairs(text: str) -> dict[int, int]:
    """Return each 《 or 〈 with the mark that closes it, in one pass; an unclosed one is left out."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for mark in _MARKS.finditer(text):
        if mark[0] in "《〈":
            opened.append(mark.start())
        elif opened:
            pairs[opened.pop()] = mark.start()
    return pairs


def title_of(text: str, start: int, end: int, lexicon: Lexicon, short_names: dict[str, Mention]) -> Mention | None:
    """Return the act, or other document, whose title stands between 《 at ``start`` and 》 at ``end``.

    None where these are no title: too long, several sentences, or with articles inside (《民法典第577条》).
    """
    if end - start > LONGEST_TITLE:
        return None
    title = text[start + 1 : end]
    if not title or "。" in title or _ARTICLE_INSIDE.search(title):
        return None
    if title in short_names:
        return short_names[title]
    foreign = foreign_before(text, start)
    edition = edition_before(text, start)
    act = None if foreign else lexicon.titled(title)
    if act is None:
        title, own_edition = _without_edition(title)
        edition = own_edition or edition
        act = None if foreign else lexicon.titled(title)
    if act is None and not foreign and (book := _BOOK.search(title)) is not None:
        act = lexicon.titled(title[: book.start()])  # 《民法典合同编》 is cited by the Code's own numbers
    if act is not None:
        return mention_of(act, edition)
    return outside(title, foreign=foreign, edition=edition)


def composed_title(text: str, start: int, end: int, lexicon: Lexicon) -> tuple[int, int, Mention] | None:
    """Return (start, end, act) of 关于适用《…》若干问题的规定（三） that has no marks around the whole, None elsewhere.

    Args:
        text: The squeezed text.
        start: Where the inner title's 《 stands.
        end: Behind its 》.
        lexicon: The registry's names.
    """
    about = text.rfind("关于", max(0, start - 24), start)
    if about < 0 or any(mark in "。;,》〉" for mark in text[about:start]):
        return None
    rest = _REST.match(text, end)
    if rest is None:
        return None
    whole = _with_issuers(text, about)
    for kind in _REST_END.finditer(text, end, rest.end()):
        act = lexicon.skeletons.get(skeleton(text[about : kind.end()]))
        if act is not None:
            return whole, kind.end(), mention_of(act)
    if rest[1] is None:
        return None
    return whole, rest.end(), outside(text[whole : rest.end()])


def _with_issuers(text: str, at: int) -> int:
    for _ in range(12):
        issuer = _ISSUER_BEFORE.search(text, max(0, at - 9), at)
        if issuer is None:
            break
        at = issuer.start()
    return at


def outside(title: str, *, foreign: bool = False, edition: str | None = None) -> Mention:
    """Return the mention of a document that the registry does not have."""
    inner = title.replace("〈", "《").replace("〉", "》").replace("(", "（").replace(")", "）")
    foreign = foreign or _FOREIGN_TITLE.match(title) is not None
    kind = kind_of(title)
    contract = is_contract_title(title) or kind is None
    return Mention(None, inner, kind, foreign=foreign, contract=contract, edition=edition)


def _without_edition(title: str) -> tuple[str, str | None]:
    edition = None
    leading = _LEADING_YEAR.match(title)
    if leading is not None:
        edition, title = leading[1], title[leading.end() :]
    while (note := _TRAILING_NOTE.search(title)) is not None:
        year = _EDITION.search(note[1])
        if year is None and not re.fullmatch(r"修正|修订|修改|新|旧|新修订|现行", note[1]):
            break
        edition = (year[1] or year[2]) if year else edition
        title = title[: note.start()]
    return title, edition


def foreign_before(text: str, at: int) -> bool:
    """Tell whether another country, or a region with a law of its own, is named right before ``at``."""
    if at == 0 or text[at - 1] not in _FOREIGN_ENDS:
        return False
    return _FOREIGN_BEFORE.search(text, max(0, at - 16), at) is not None


def edition_before(text: str, at: int) -> str | None:
    """Return the year right before a name (2001年《商标法》)."""
    if at == 0 or text[at - 1] not in "年版正订改后的" + "0123456789":
        return None
    year = _EDITION_BEFORE.search(text, max(0, at - 24), at)
    return year[1] if year else None


def notes_at(text: str, at: int) -> Notes:
    """Read the brackets at ``at``, three at most."""
    end, edition, number = at, None, None
    names: list[str] = []
    for _ in range(3):
        close = _closing(text, end)
        if close is None:
            break
        note = read_note(text[end + 1 : close])
        if note is None:
            break
        edition, number = edition or note.edition, number or note.number
        names.extend(note.short_names)
        end = close + 1
    return Notes(end, edition, number, tuple(names))


def read_note(content: str) -> Notes | None:
    """Read what stands inside one pair of brackets; None where it says nothing about an act."""
    short = tuple(name.strip() for name in _SHORT_NAME.findall(content))
    number = _NUMBER.search(content)
    year = None if number or short else _EDITION.search(content)
    if not short and number is None and year is None:
        return None
    return Notes(0, (year[1] or year[2]) if year else None, number[0] if number else None, short)


def _closing(text: str, at: int) -> int | None:
    """Return the bracket that closes the one at ``at``, within a bound."""
    if at >= len(text) or text[at] != "(":
        return None
    depth = 0
    for place in range(at, min(len(text), at + LONGEST_TITLE)):
        if text[place] == "(":
            depth += 1
        elif text[place] == ")":
            depth -= 1
            if depth == 0:
                return place
    return None
