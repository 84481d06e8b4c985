"""The grammar of 条, 款, 项, 目: one list or range of them, read in one pass.

A unit names a level: 条 the article, 款 the part, 项 the point, 目 the subpoint. ``第十条第一款、第三款`` keeps the
article, ``第25、26条`` gives both numbers the unit that follows, ``第十七条至第十九条`` is a range.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from service.citations._chinese._numbers import CIRCLED, HAN, number_of

__all__ = ["LEVELS", "Group", "Leaf", "read_group"]

LEVELS = {"条": 0, "款": 1, "项": 2, "目": 3}

_NUMBER = rf"\d{{1,5}}|[{HAN}]{{1,9}}"
_INSERTED = r"之(\d{1,2}(?!\d)|[一二三四五六七八九十]{1,3}(?![切般定起种旁]))"
_ITEM = re.compile(
    rf"(第)?(?:\(({_NUMBER})\)|([{CIRCLED}])|({_NUMBER}))(?:(条)(?:{_INSERTED})?|{_INSERTED}(条)|(款|项|目(?!前)))?"
)
_INSERTED_ALONE = re.compile(_INSERTED)  # 第一百二十条之一、之二
_COMMENT = re.compile(r"[(【][^()【】\n]{1,30}[)】](?=[、,和及与或以至到;])")
_NAME_COMMENT = re.compile(r"[(【](?:《[^《》()]{2,40}》|[^《》()第条]{1,18}法典?)(?:\([^()]{1,12}\))?[)】]")
_COMMENT_BELOW = re.compile(
    rf"[(【][^()【】\n]{{1,30}}[)】](?=第(?:\d{{1,3}}|[{HAN}]{{1,5}}|\((?:\d{{1,3}}|[{HAN}]{{1,5}})\))[款项目])"
)
_AHEAD = rf"(?=[第之(\d{HAN}{CIRCLED}])"
_LIST = re.compile(rf"(?:[、,;/]|[、,]?(?:以及|或者|并且|或|和|及|与|并|暨)){_AHEAD}")
_RANGE = re.compile(rf"(?:至|到|[-–—―－−～~─]{{1,2}}){_AHEAD}")
_BARE_PART = re.compile(r"(?<=条)\d{1,2}款")  # 第148条2款
_STRICT = frozenset(",;")  # behind these only an item with its own 第 goes on


class _Link(Enum):
    FIRST = 0
    BELOW = 1
    LIST = 2
    RANGE = 3


@dataclass(slots=True)
class _Item:
    level: int
    value: str
    link: _Link


@dataclass(frozen=True, slots=True)
class Leaf:
    """One cited unit: values by level, None where the text leaves a level out.

    Attributes:
        path: Values of article, part, point, subpoint.
        range_from: The value from which a range leads to this leaf, at ``range_level``; None outside a range.
        range_level: The level of that range (0 the article).
        opens_range: This leaf is the first of a range.
    """

    path: tuple[str | None, str | None, str | None, str | None]
    range_from: str | None = None
    range_level: int = 0
    opens_range: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Leaves in text order.

    Attributes:
        leaves: The cited units.
        end: Where the group ends; without leaves how far the attempt went, from where a scan may go on.
        first_end: Where the first item with a unit ends.
    """

    leaves: tuple[Leaf, ...]
    end: int
    first_end: int


def read_group(text: str, start: int, above: int = -1, *, implied: bool = False, unnamed: bool = False) -> Group:
    """Read the list that starts at ``start``.

    Args:
        text: The squeezed text.
        start: Where 第 stands.
        above: The level that was named before the group (0 behind 本条); the group then starts below it.
        implied: The first item may do without its 第 (刑法264条).
        unnamed: No act is named in front, so one in brackets is the list's and ends it: 第577条（《民法典》），第579条.
    """
    items: list[_Item] = []
    waiting: list[tuple[str, _Link]] = []
    at = end = first_end = start
    link, mark = _Link.FIRST, ""
    while True:
        match = _ITEM.match(text, at)
        if match is None:
            alone = _inserted_alone(text, at, link, items)
            if alone is None:
                break
            items.append(_Item(0, alone[0], link))
            stop = end = alone[1]
        else:
            value, level = _value_and_level(match)
            last = items[-1].level if items else above
            if value is not None and _is_insertion(value, level, link, mark, waiting):
                before, link = waiting.pop()  # 第224-1条
                value = f"{before}-{value}"
            elif value is None or not _may_follow(
                match, level, _Joint(link, mark, last, bool(items), bool(waiting), implied)
            ):
                break
            stop = match.end()
            if level is None:
                waiting.append((value, link))
            else:
                items.extend(_Item(level, number, how) for number, how in waiting)
                waiting.clear()
                items.append(_Item(level, value, link))
                end = stop
                first_end = first_end if first_end > start else end
        if unnamed and _NAME_COMMENT.match(text, stop):
            break
        at, link, mark = _onward(text, stop, implied=implied)
        if at < 0:
            at = stop
            break
    return Group(tuple(_leaves(items)), end if items else max(at, start + 1), first_end)


def _inserted_alone(text: str, at: int, link: _Link, items: list[_Item]) -> tuple[str, int] | None:
    """Return the number and the end of 之二 behind 第一百二十条之一, None where there is no such thing."""
    if link not in (_Link.LIST, _Link.RANGE) or not items or items[-1].level != 0 or "-" not in items[-1].value:
        return None
    match = _INSERTED_ALONE.match(text, at)
    number = number_of(match[1]) if match else None
    if match is None or number is None:
        return None
    return f"{items[-1].value.split('-')[0]}-{number}", match.end()


def _is_insertion(value: str, level: int | None, link: _Link, mark: str, waiting: list[tuple[str, _Link]]) -> bool:
    """Tell 第224-1条 from a range: what stands behind the dash is smaller."""
    if link is not _Link.RANGE or level != 0 or not waiting or mark in ("至", "到") or "-" in waiting[-1][0]:
        return False
    return value.isdigit() and int(value) < int(waiting[-1][0])


def _value_and_level(match: re.Match[str]) -> tuple[str | None, int | None]:
    _, bracketed, circled, plain, article, after, before, inserted_article, below = match.groups()
    number = number_of(bracketed or circled or plain)
    if number is None:
        return None, None
    if below:
        return str(number), LEVELS[below]
    if not (article or inserted_article):
        return str(number), None
    insertion = after or before
    if insertion is None:
        return str(number), 0
    second = number_of(insertion)
    return (f"{number}-{second}" if second else str(number)), 0


@dataclass(frozen=True, slots=True)
class _Joint:
    """How an item hangs on what was read: the link and its mark, the last level, whether anything was read or waits."""

    link: _Link
    mark: str
    last: int
    begun: bool
    waiting: bool
    implied: bool


def _may_follow(match: re.Match[str], level: int | None, joint: _Joint) -> bool:
    """Tell whether an item continues the group, so that ``第五条、3名`` or ``第五条,一款手机`` do not."""
    own = match[1] is not None
    bracketed = match[2] is not None or match[3] is not None
    if joint.link is _Link.FIRST:
        return (own or joint.implied) and (level is None or level > joint.last)
    if joint.link is _Link.BELOW:
        if own:
            return level is None or level > joint.last
        if level is not None and not bracketed and not joint.waiting:
            return joint.last < level and joint.last == 0  # 148条2款
        return bracketed and (level is None or level > joint.last or not joint.begun or joint.waiting)
    if joint.mark in _STRICT or own:
        return own
    if joint.waiting or level is None:
        return True
    if level == 0 and len(match[4] or "") > 1:
        return True  # 第三十一条第(三)项、三十二条
    return level == joint.last or (bracketed and level >= joint.last)


def _onward(text: str, at: int, *, implied: bool) -> tuple[int, _Link, str]:
    """Return where the next item would start, how it is joined, and the mark that joins; -1 where nothing follows."""
    comment = _COMMENT.match(text, at) if at < len(text) and text[at] in "(【" else None
    joint = comment.end() if comment and number_of(comment[0][1:-1]) is None else at
    found = _RANGE.match(text, joint)
    if found is not None:
        return found.end(), _Link.RANGE, found[0]
    found = _LIST.match(text, joint)
    if found is not None:
        return found.end(), _Link.LIST, found[0]
    remark = _COMMENT_BELOW.match(text, at) if text.startswith(("(", "【"), at) else None
    if remark is not None and number_of(remark[0][1:-1]) is None:
        return remark.end(), _Link.BELOW, ""  # 第二百三十四条（故意伤害罪）第二款
    if at < len(text) and (
        text[at] in "第(" + CIRCLED or _BARE_PART.match(text, at) or (implied and text[at].isdigit())
    ):
        return at, _Link.BELOW, ""
    return -1, _Link.FIRST, ""


def _leaves(items: list[_Item]) -> list[Leaf]:
    leaves: list[Leaf] = []
    path: list[str | None] = [None, None, None, None]
    range_from: str | None = None
    range_level = 0
    for item, following in zip(items, [*items[1:], None], strict=False):
        if item.link is _Link.RANGE:
            range_from, range_level = path[item.level], item.level
        path[item.level :] = [item.value, *[None] * (3 - item.level)]
        if following and following.link is _Link.BELOW and following.level > item.level:
            continue
        opens = following is not None and following.link is _Link.RANGE
        leaves.append(Leaf((path[0], path[1], path[2], path[3]), range_from, range_level, opens))
        range_from, range_level = None, 0
    return leaves
