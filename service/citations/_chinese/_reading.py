"""One walk over a Chinese text: titles, names and anaphors set the scene, 第…条 is read in it.

Rules of resolution, in this order:

* the act named right before the article: 《title》, a name, a short name that the text defined;
* 本法: the surrounding act, else the act whose article is being quoted, else the last one named of that kind; 该法,
  同法: the last one named of that kind;
* nothing named: in a statute its own article, elsewhere the act named last before it; a new line that starts with
  第…条 goes on with the quoted act;
* no such antecedent: the citation is given as unresolved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.citations._chinese._lexicon import Mention, kind_of, lexicon_of, mention_of
from service.citations._chinese._names import Named, NamedBy, TitleAt, name_before
from service.citations._chinese._ranges import Ranges
from service.citations._chinese._squeezed import Squeezed
from service.citations._chinese._titles import (
    composed_title,
    edition_before,
    foreign_before,
    notes_at,
    title_of,
    title_pairs,
)
from service.citations._chinese._units import Group, Leaf, read_group
from service.domain import Citation, CitationFlag

if TYPE_CHECKING:
    from service.citations._reading import Surrounding
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import Registry

__all__ = ["Reading"]

# Every alternative starts with its own character: the search then skips to one of these. 前 and its like are looked at
# from behind, since 目前 and 此前 are no citations.
_TOKEN = re.compile(
    r"[《〈]|第(?=[(\d零〇一二三四五六七八九十百千两①-⑳])|法(?![律院规人定官庭治制学理则令警系务域盲])典?|"
    r"本条(?<![根基版日资样]本条)(?<!(?<![构组造形])成本条)(?![例件约款])|该条(?<![共相不各]该条)(?:(?=规定)|(?![例件约款理线路信消短微规]))|"
    r"同条(?<![合不共相]同条)(?=第|规定|之)|该款(?=第|规定)|"
    r"前(?<![之目此以先事空生]前)(?:[两二三四五六]?条(?![例件约款])|[两二三四五六]?款(?!项))"
)
_LOOKALIKE = re.compile(
    r"(?:件|例(?!外)|款|约(?!定)|路|线|街|河|腿|船|鱼|狗|裤|毛巾|微博|微信|短信|信息|消息|新闻|评论|评价|留言|弹幕|理由|意见|建议|"
    r"证据|记录|聊天|通话|转账|诉请|诉讼请求|诉求|生产线|高速|航道|通道|赛道|渠道|途径|回复|朋友圈|广告|视频|语音)"
)
_AGREED = re.compile(r"(?:中|里)?(?:明确)?(?:约定|载明|写明)")
_QUOTED = re.compile(r"(?:\([^()]{1,30}\))?(?:的?(?:明确)?规定)?(?:如下)?[:“\"【]")
_WITHOUT_MARK = re.compile(
    r"(?:\d{2,4}|[一二三四五六七八九十百千零〇两]{2,9}|\d{1,4}(?:[、,及和与或/至到-]{1,2}\d{1,4}){1,30})条"
)
_SAYS_SOMETHING = re.compile(r"[第规所之的中前(罪行是]|情形|列|义务")  # 本条3分 of a marking scheme is no article
_TO_UNITS = re.compile(r"(?:规定)?[的中之]?(?=第)")
_NO_BARE_NAME = ("解释", "司法解", "修正案", "实施")
_AGREEMENT = re.compile(
    r"(?:订立|签订|签署|达成|制定|制订)(?:本|如下|以下|此)?[^,。;《》]{0,8}(?:合同|协议|契约|章程|公约|规约)|"
    r"本(?:合同|协议|协议书|契约|章程|公约|规约)(?:如下|[。:])|制定本(?:法|条例|办法|规定|细则|规则)。"
)
_SAYS = re.compile("的?(?:明确)?规定|之规定|中")
_PREAMBLE = 160
_COUNTS = {"两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6}
_SHORTEST_TITLE = 6


@dataclass(frozen=True, slots=True)
class _Cited:
    """Articles cited together, for those that point back to them."""

    mention: Mention | None
    articles: tuple[str, ...]
    part: str | None = None


_NOTHING = _Cited(None, ())


class Reading:
    """The state of one walk; made for one text and thrown away."""

    def __init__(self, text: str, registry: Registry, surrounding: Surrounding, articles: ArticleIndex | None) -> None:
        self._squeezed = Squeezed(text)
        self._text = self._squeezed.text
        self._lexicon = lexicon_of(registry)
        self._jurisdiction = registry.jurisdiction
        self._articles = articles
        self._own: Mention | None = None
        if surrounding.act is not None:
            act = registry.act(surrounding.act)
            self._own = mention_of(act)
        self._here = surrounding.article
        self._pairs = title_pairs(self._text)
        self._found: list[Citation] = []
        self._ranges = Ranges(registry.jurisdiction, articles, len(text))
        self._done = 0
        self._title: TitleAt | None = None
        self._short_names: dict[str, Mention] = {}
        self._by_kind: dict[str, Mention] = {}
        self._current: Mention | None = None
        self._contract_between = False
        self._quoted: _Cited | None = None
        self._last: _Cited | None = None
        self._clause = 0

    def citations(self) -> list[Citation]:
        """Walk the text and return what it cites, in text order."""
        for token in _TOKEN.finditer(self._text):
            if token.start() < self._done:
                continue
            first = token[0][0]
            if first in "《〈":
                self._read_title(token.start())
            elif first == "第":
                self._read_article(token.start())
            elif first == "法":
                self._read_bare_name(token.end())
            else:
                self._read_pointer(token)
        return self._found

    # -- what sets the scene

    def _read_title(self, at: int) -> None:
        close = self._pairs.get(at)
        if close is None:
            return
        mention = title_of(self._text, at, close, self._lexicon, self._short_names)
        if mention is None:
            return
        if mention.act is None and mention.kind is not None and len(mention.title) <= _SHORTEST_TITLE:
            named = self._by_kind.get(mention.kind)  # 《暂行办法》 after the full title
            mention = named if named is not None and named.title.endswith(mention.title) else mention
        start, end = at, close + 1
        composed = composed_title(self._text, at, end, self._lexicon)
        if composed is not None:
            start, end, mention = composed
        notes = notes_at(self._text, end)
        if notes.edition or notes.number:
            mention = _with(mention, notes.edition, notes.number)
        self._title = TitleAt(start, end, notes.end, mention)
        for name in notes.short_names:
            self._short_names[name] = mention
        self._mention(mention)
        self._done = notes.end
        self._read_without_mark(start, notes.end, mention)

    def _read_bare_name(self, end: int) -> None:
        if self._text.startswith(_NO_BARE_NAME, end):
            return
        hit = self._lexicon.ending_at(self._text, end)
        if hit is None or foreign_before(self._text, hit[0]):
            return
        start, act = hit
        edition = edition_before(self._text, start)
        mention = mention_of(act, edition)
        notes = notes_at(self._text, end)
        for name in notes.short_names:
            self._short_names[name] = mention
        self._mention(mention)
        self._read_without_mark(start, notes.end, mention)

    def _read_without_mark(self, start: int, at: int, mention: Mention) -> None:
        """Read 264条 right behind a law's name, where haste left out 第."""
        if mention.act is None or _WITHOUT_MARK.match(self._text, at) is None:
            return
        group = read_group(self._text, at, implied=True)
        if group.leaves:
            self._emit(start, group, mention, ())

    def _mention(self, mention: Mention) -> None:
        if mention.contract:
            self._contract_between = True
            return
        self._contract_between = False
        self._current = mention
        if mention.kind is not None:
            self._by_kind[mention.kind] = mention

    # -- articles

    def _read_article(self, at: int) -> None:
        group = read_group(self._text, at)
        self._done = group.end
        if not group.leaves:
            return
        if group.leaves[0].path[0] is None:
            self._read_own_part(at, group)
            return
        starts_line = self._squeezed.begins_line(at)
        if starts_line and self._own is not None and self._squeezed.gap_before(group.first_end):
            self._here, self._done = group.leaves[0].path[0], group.first_end  # its own article's heading
            return
        named = name_before(self._text, at, self._lexicon, self._title, self._short_names)
        if starts_line and named.start < at and self._squeezed.place(named.start) < self._line_of(at):
            crossed_title = named.mention is not None and self._title is not None and named.start == self._title.start
            if not crossed_title:
                named = Named(NamedBy.NOTHING, at)
        if named.by is NamedBy.NOTHING:
            self._read_bare_article(at, group, starts_line=starts_line)
            return
        mention, flags = self._resolved(named)
        if mention is not None and mention.contract:
            self._current, self._contract_between = mention, False
            return
        if mention is None:
            self._emit(named.start, group, None, (*flags, CitationFlag.UNRESOLVED))
            return
        if named.by is NamedBy.NAME:
            self._mention(mention)
        self._emit(named.start, group, mention, flags)

    def _line_of(self, at: int) -> int:
        return self._squeezed.given.rfind("\n", 0, self._squeezed.place(at)) + 1

    def _resolved(self, named: Named) -> tuple[Mention | None, tuple[CitationFlag, ...]]:
        """Return the act that a name or a pointing word stands for, None where that cannot be told."""
        if named.by is NamedBy.NAME:
            return named.mention, ()
        if named.by is NamedBy.UNKNOWN:
            return None, ()
        if named.by is NamedBy.OWN and self._own is not None:
            if _is_called(self._own, named.word):
                return self._own, ()
            return None, (CitationFlag.ANAPHORA,)
        if named.word.startswith("实施") and self._current is not None and self._current.act is not None:
            rules = self._lexicon.names.get(f"{self._current.act.key}{named.word}")  # 道路交通安全法及其实施条例
            if rules is not None:
                return mention_of(rules), (CitationFlag.ANAPHORA,)
        quoted = self._quoted.mention if self._quoted is not None and named.by is NamedBy.OWN else None
        kind = _kind_of_word(named.word)
        for candidate in (quoted, self._by_kind.get(kind or "")):
            if candidate is not None and _is_called(candidate, named.word):
                return candidate, (CitationFlag.ANAPHORA,)
        return None, (CitationFlag.ANAPHORA,)

    def _read_bare_article(self, at: int, group: Group, *, starts_line: bool) -> None:
        heading = starts_line and self._squeezed.gap_before(group.first_end)
        is_claim = self._text.startswith(("诉请", "诉讼请求", "诉求"), group.end)
        if is_claim or (self._text[group.end - 1] == "条" and _LOOKALIKE.match(self._text, group.end) is not None):
            return
        if self._own is not None:
            self._emit(at, group, self._own, ())
            return
        group = read_group(self._text, at, unnamed=True)
        self._done = group.end
        if (behind := self._named_behind(group.end)) is not None:
            self._mention(behind[0])
            self._emit(at, group, behind[0], (), end=behind[1])
        elif _AGREED.match(self._text, group.end):
            self._current = Mention(None, "", None, contract=True)
        elif self._is_clause(at, group):
            self._emit(at, group, None, (CitationFlag.UNRESOLVED,))
        elif heading and self._quoted is not None:
            if self._quoted.articles == (group.leaves[0].path[0],):  # the heading of the article cited right before it
                self._done = group.first_end
            else:
                self._emit(at, group, self._quoted.mention, (CitationFlag.ANAPHORA,))
        else:
            self._emit_of_last_act(at, group)

    def _is_clause(self, at: int, group: Group) -> bool:
        """Tell whether this is a clause of the paper itself: 第一条 of no act opened a sentence, 第二条 opens a later one.

        A contract or a charter names laws between its clauses, but is none of them.
        """
        number = group.leaves[0].path[0] or ""
        opens = (at == 0 or self._text[at - 1] in "。;:!?" or self._squeezed.begins_line(at)) and len(group.leaves) == 1
        if not opens or not number.isdigit() or int(number) != self._clause + 1 or _SAYS.match(self._text, group.end):
            return False
        is_named = self._current is not None or self._quoted is not None
        if self._clause == 0 and is_named and not _AGREEMENT.search(self._text, max(0, at - _PREAMBLE), at):
            return False  # 第一条 may be of the law named before
        self._clause = int(number)
        return True

    def _emit_of_last_act(self, at: int, group: Group) -> None:
        """Give a bare article to the act named last; to nobody where that is a contract."""
        if self._current is None:
            if not self._contract_between:
                self._emit(at, group, None, (CitationFlag.UNRESOLVED,))
        elif not self._current.contract:
            former = at > 0 and self._text[at - 1] == "原"  # 第二十三条（原第二十一条）: the number in an older edition
            doubt = (CitationFlag.AMBIGUOUS,) if self._contract_between or former else ()
            self._emit(at, group, self._current, (CitationFlag.ANAPHORA, *doubt))

    def _named_behind(self, end: int) -> tuple[Mention, int] | None:
        """Return the act named behind its article, and where its name ends: 第577条（《民法典》), 第577条《民法典》."""
        text = self._text
        bracket = text.startswith("(", end)
        start = end + 1 if bracket else end
        if text.startswith("《", start):
            if (
                not bracket
                and "\n" in self._squeezed.given[self._squeezed.place(end - 1) : self._squeezed.place(start)]
            ):
                return None  # the next line's title heads a list of its own
            close = self._pairs.get(start)
            if close is None or text.startswith("第", close + 1) or (bracket and not text.startswith(")", close + 1)):
                return None
            mention = title_of(text, start, close, self._lexicon, self._short_names)
            if mention is None or mention.act is None:
                return None
            return mention, close + (2 if bracket else 1)
        close = text.find(")", start, start + 20) if bracket else -1
        hit = self._lexicon.ending_at(text, close) if close > 0 else None
        if hit is None or hit[0] != start:
            return None
        return mention_of(hit[1]), close + 1

    def _read_own_part(self, at: int, group: Group) -> None:
        """第一款 without an article is the article's own, in a statute; elsewhere it says nothing."""
        if self._own is None or self._here is None or group.leaves[0].path[1] is None:
            return
        self._emit(at, group, self._own, (), base=self._here)

    # -- 本条, 该条, 前条, 前款

    def _read_pointer(self, token: re.Match[str]) -> None:
        word = token[0]
        if self._own is None and word in ("本条", "前款") and _SAYS_SOMETHING.match(self._text, token.end()) is None:
            return
        if _AGREED.match(self._text, token.end()) or (self._current is not None and self._current.contract):
            return
        above = 1 if word.endswith("款") else 0
        units = _TO_UNITS.match(self._text, token.end())
        start = units.end() if units else token.end()
        group = read_group(self._text, start, above) if units or self._text.startswith("(", start) else None
        if group is None or not group.leaves:
            group = Group((Leaf((None, None, None, None)),), token.end(), token.end())
        self._done = group.end
        mention, articles, flags = self._pointed_at(word)
        if mention is None or not articles:
            self._emit(token.start(), group, mention, (*flags, CitationFlag.UNRESOLVED), base=None)
            return
        for article in articles:
            part = self._last.part if word == "该款" and self._last is not None else None
            self._emit(token.start(), group, mention, flags, base=article, part=part)

    def _pointed_at(self, word: str) -> tuple[Mention | None, tuple[str, ...], tuple[CitationFlag, ...]]:
        """Return the act and the articles of a pointing word, and what has to be known about them."""
        flags: tuple[CitationFlag, ...] = (CitationFlag.ANAPHORA,)
        if word[0] not in "该同" and self._own is not None:
            cited = _Cited(self._own, (self._here,) if self._here is not None else ())
            flags = () if cited.articles else flags
        elif word[0] in "该同":
            cited = self._last or _NOTHING
        else:
            cited = self._quoted or (self._last if word == "本条" else None) or _NOTHING
        if len(set(cited.articles)) > 1:  # several antecedents are none
            return cited.mention, (), (CitationFlag.ANAPHORA, CitationFlag.AMBIGUOUS)
        if cited.mention is None or not cited.articles or word[0] != "前" or word.endswith("款"):
            return cited.mention, cited.articles[:1], flags
        before, known = self._before(cited.mention, cited.articles[0], _COUNTS.get(word[1], 1))
        doubt = () if known else (CitationFlag.AMBIGUOUS,)
        return cited.mention, before, (CitationFlag.ANAPHORA, *doubt)

    def _before(self, mention: Mention, article: str, count: int) -> tuple[tuple[str, ...], bool]:
        """Return the ``count`` articles before one, and whether the act's own list says so."""
        key = mention.act.key if mention.act else None
        if self._articles is not None and key is not None:
            numbers = self._articles.numbers(self._jurisdiction, key)
            if article in numbers:
                place = numbers.index(article)
                return numbers[max(0, place - count) : place], True
        if not article.isdigit() or int(article) <= count:
            return (), False
        return tuple(str(int(article) - step) for step in range(count, 0, -1)), False

    # -- what is given

    def _emit(
        self,
        start: int,
        group: Group,
        mention: Mention | None,
        flags: tuple[CitationFlag, ...],
        *,
        base: str | None = None,
        part: str | None = None,
        end: int | None = None,
    ) -> None:
        first, last = self._squeezed.span(start, end or group.end)
        self._done = end or group.end
        raw = self._squeezed.given[first:last]
        act = mention.act if mention else None
        own = mention is not None and self._own is not None and mention.act is self._own.act
        cited: list[str] = []
        for path, ranged, doubtful in self._ranges.counted_out(group, act.key if act else None):
            article = path[0] or base
            if article is not None:
                cited.append(article)
            self._found.append(
                Citation(
                    jurisdiction=None if mention is None or mention.foreign else self._jurisdiction,
                    act=act.key if act else None,
                    article=article,
                    raw=raw,
                    start=first,
                    end=last,
                    act_title=(mention.title or None) if mention else None,
                    act_number=(act.number if act and act.number else mention.number) if mention else None,
                    part=path[1] or (part if path[0] is None else None),
                    point=path[2],
                    subpoint=path[3],
                    edition=mention.edition if mention else None,
                    flags=_flags(flags, ranged=ranged, doubtful=doubtful),
                    is_self=own and article == self._here and (article is not None or base is None),
                )
            )
        if mention is not None and cited:
            self._last = _Cited(mention, tuple(cited), group.leaves[-1].path[1])
            if self._own is None and base is None and len(set(cited)) == 1 and self._opens_quotation(group.end):
                self._quoted = self._last

    def _opens_quotation(self, end: int) -> bool:
        return self._squeezed.gap_before(end) or _QUOTED.match(self._text, end) is not None


def _flags(flags: tuple[CitationFlag, ...], *, ranged: bool, doubtful: bool) -> tuple[CitationFlag, ...]:
    own = (*([CitationFlag.RANGE_MEMBER] if ranged else []), *([CitationFlag.AMBIGUOUS] if doubtful else []))
    return tuple(dict.fromkeys((*own, *flags)))


def _with(mention: Mention, edition: str | None, number: str | None) -> Mention:
    return Mention(
        mention.act,
        mention.title,
        mention.kind,
        mention.foreign,
        mention.contract,
        edition or mention.edition,
        number or mention.number,
    )


def _kind_of_word(word: str) -> str | None:
    return "法" if word.endswith("法律") else kind_of(word)


def _is_called(mention: Mention, word: str) -> bool:
    """Tell whether 本… or 该… can stand for an act: 法 for any law, 管理规则 for a title that ends so."""
    if word.endswith("司法解释"):
        return mention.act is not None and mention.act.kind == "interpretation"
    kind = _kind_of_word(word)
    if mention.kind != kind:
        return False
    if word in ("法", "法律", "法典") or word == kind:
        return word != "法典" or "法典" in mention.title
    return word in mention.title
