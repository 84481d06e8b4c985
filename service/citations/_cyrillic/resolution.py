"""Which act a phrase cites, and which articles: from events in text order to citations."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from service.citations._cyrillic.acts import GENITIVES, ActRef, Mention
from service.citations._cyrillic.articles import ArticleNumbers
from service.citations._cyrillic.headings import Headings
from service.citations._cyrillic.lexicon import FILLERS, Level, Noun, Pointer, words_of
from service.citations._cyrillic.units import Phrase
from service.domain import Citation, CitationFlag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from service.citations._reading import Surrounding
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import Registry

__all__ = ["Aside", "Event", "Resolver"]

_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+){0,4}")
_DIRECT = re.compile(r"(?:\s{1,2}(?:и|та)\s(?:др\.|друг[иі][а-яіїєґ]{1,2}|ін\.|інш[а-яіїєґ]{1,3}))?[\s*`]{0,6}\(?\s?")
_REMARK = re.compile(r"\s{0,3}\([^()\n]{3,400}\)")
_AMENDING = re.compile(
    r"(?:ред(?:\.|акции|акції)|\(?введен[а-я]{0,2}|дополнени[ея]\s[а-я]{4,9}\s?-)\s{1,3}$", re.IGNORECASE
)
_AMENDING_TITLE = re.compile(r"О внесении (?:изменени|дополнени|поправ)|Про внесення змін")
_CAPITAL = re.compile(r"[^\S\n]{1,3}[А-ЯЇІЄҐ][А-ЯЇІЄҐа-яїієґ]")
_OF_CHAPTER = re.compile(
    r"(?:глав[а-яії]{1,3}|гл\.|параграф[а-яії]{0,3}|§|раздел[а-я]{0,3}|розділ[а-яії]{0,3})\s{0,2}[\dIVXІХ][\d.IVXІХ-]{0,8}\s\($"
)
_COMMA = re.compile(r"(?:\s?\([^()\n]{1,100}\))?,\s{0,2}")
_ENDS = re.compile(r"\s{0,2}(?:[;.)\]\"»\n]|$)|\s-\s")
_CODES = (Noun.CODE, Noun.CONSTITUTION)
_QUOTED_JOINT = re.compile(r'"\s?,\s{0,40}"')
_JOINS = re.compile(r"[\s,;*`+→-]*")
_NUMBERED = tuple(str(number) for number in range(1, 10))
_INTRODUCES = words_of("зокрема именно частности том числе числі саме см див в у її его его")
_ITS = ("ее", "её", "его", "її", "його", "их", "їх")
_HUMAN_RIGHTS = ("прав людини", "прав человека", "ЄСПЛ", "ЕСПЧ")
_FLATTENING = "uk"
_KINDS = {"code": Noun.CODE, "constitution": Noun.CONSTITUTION, "law": Noun.LAW, "treaty": Noun.TREATY}
_LONGEST_GAP = 80
_NEAR = 200
_IDIOMS = ("одной и ", "однієї і ", "однією і ", "однієї й ")
_VAGUE = re.compile(r"(?:соответствующ|відповідн)[а-яії]{2,3}\s(?:статьи|статье|статьей|статті|статтею)(?!\s?\d)")


@dataclass(frozen=True, slots=True)
class Aside:
    """A remark that stands inside a phrase, with what it cites itself.

    Attributes:
        start: Offset of the remark.
        text: Its text, of which the offsets of its events are.
    """

    start: int
    text: str
    events: Iterator[Event]


Event = Phrase | Mention | tuple[Mention, Phrase] | Aside


class _Group:
    """Phrases of one enumeration that wait for their act."""

    __slots__ = ("before", "is_listed", "phrases", "start")

    def __init__(self, before: ActRef | None = None, start: int | None = None, *, is_listed: bool = False) -> None:
        self.phrases: list[Phrase] = []
        self.before = before
        self.start = start
        self.is_listed = is_listed

    def without_last(self, text: str) -> _Group:
        """Take out the phrases that stay with the act in front, when another one is named behind the last.

        «ГК РФ: ст. 10, ст. 30 ЖК РФ», «ГК РФ, ст. 10; ст. 30 ЖК РФ»; of «нормы АПК РФ, ст. 309, ст. 310 ГК РФ» none.
        """
        taken = _Group(self.before, self.start)
        if self.start is None and not self.is_listed:
            return taken
        ends = [
            place
            for place in range(1, len(self.phrases))
            if self.is_listed or ";" in text[self.phrases[place - 1].end : self.phrases[place].lead]
        ]
        first = ends[-1] if ends else 0
        taken.phrases, self.phrases = self.phrases[:first], self.phrases[first:]
        return taken


class Resolver:
    """Gives each phrase its act and turns it into citations.

    Args:
        text: Normalised text.
        registry: The acts meant where no country is named.
        surrounding: Where the text stands.
        articles: Existing articles, where known.
        defined: What the text says a bare noun means («далее - Закон»); grows while events come in.
    """

    def __init__(
        self,
        text: str,
        registry: Registry,
        surrounding: Surrounding,
        articles: ArticleIndex | None,
        defined: Mapping[Noun, ActRef] | None = None,
    ) -> None:
        self._text = text
        self._registry = registry
        self._surrounding = surrounding
        self._defined_names = defined if defined is not None else {}
        self._numbers = ArticleNumbers(
            articles, registry.insertion_mark, flattens=registry.language.value == _FLATTENING
        )
        self._found: list[Citation] = []
        self._asides: list[Citation] = []
        self._last_of: dict[Noun, ActRef] = {}
        self._last_act: ActRef | None = None
        self._last_article: tuple[ActRef, str] | None = None
        self._several = False
        self._own = self._own_act()
        self._group = _Group()
        self._named: Mention | None = None
        self._headings = Headings(text)

    def citations(self, events: Iterable[Event]) -> list[Citation]:
        """Return the citations of all events, in text order."""
        previous: Phrase | Mention | None = None
        for event in events:
            if isinstance(event, Aside):
                self._take_aside(event)
            elif isinstance(event, tuple):
                self._close()
                mention, phrase = event
                self._emit(phrase, self._meant(mention), phrase.start, phrase.end)
                previous = phrase
            elif isinstance(event, Mention):
                if isinstance(previous, Phrase) and self._is_amended_by(event, previous):
                    continue
                self._take_mention(event, previous)
                previous = event
            else:
                self._take_phrase(event, previous)
                previous = event
        self._close()
        if self._asides:
            self._found = sorted((*self._found, *self._asides), key=lambda citation: citation.start)
        return self._found

    # Events

    def _take_aside(self, aside: Aside) -> None:
        """Read a remark by itself: it sees what was spoken of before, and nothing later means what it cites."""
        inner = Resolver(aside.text, self._registry, self._surrounding, None, self._defined_names)
        inner._numbers = self._numbers
        inner._last_of, inner._last_act = dict(self._last_of), self._last_act
        inner._last_article, inner._several = self._last_article, self._several
        for citation in inner.citations(aside.events):
            start, end = citation.start + aside.start, citation.end + aside.start
            self._asides.append(replace(citation, raw=self._text[start:end], start=start, end=end))

    def _take_phrase(self, phrase: Phrase, previous: Phrase | Mention | None) -> None:
        gap = self._gap(previous, phrase)
        if isinstance(previous, Phrase) and gap is not None and self._goes_on(gap):
            self._group.phrases.append(phrase)
            return
        self._close()
        if (
            isinstance(previous, Mention)
            and gap is not None
            and not previous.only_behind
            and self._may_stand_before(gap, phrase)
        ):
            near = len(gap) <= 3 and previous is not self._named
            self._group = _Group(
                self._meant(previous),
                previous.start if near else None,
                is_listed="," not in gap and (near or ":" in gap),
            )
        elif self._text[max(0, phrase.start - 5) : phrase.start].split(" ")[-2:-1] in ([its] for its in _ITS):
            # «…Конституции, а судебная защита гарантирована её статьёй 46»
            self._group = _Group(self._last_act)
        self._group.phrases.append(phrase)

    def _goes_on(self, gap: str) -> bool:
        """Tell whether a phrase goes on with the enumeration: behind a joint, a bracket, in a list as JSON has it."""
        listed = self._group.is_listed and _QUOTED_JOINT.fullmatch(gap) is not None
        return listed or _joins(gap) or (gap == " (" and self._own is None)

    def _take_mention(self, mention: Mention, previous: Phrase | Mention | None) -> None:
        ref = self._meant(mention)
        is_heading = self._own is None and mention.ref is not None and self._headings.is_heading(mention)
        if isinstance(previous, Phrase) and not (is_heading and "\n" in self._text[previous.end : mention.start]):
            gap = self._gap(previous, mention)
            if gap is not None and (
                _DIRECT.fullmatch(gap) or self._is_before(gap, previous, mention) or self._is_aside(gap, mention)
            ):
                # Of «глава 30 (статьи 454 - 491) ГК РФ» the name is no part of what is cited.
                self._close(ref, None if gap.startswith(")") else mention)
                self._named = mention
        self._close()
        if self._own is None and mention.ref is not None:
            self._headings.meet(mention, ref, is_heading=is_heading, is_free=mention is not self._named)
        if ref.kind is not None and mention.ref is not None and not self._only_amends(mention):
            self._last_of[ref.kind] = ref
            self._last_act = ref

    def _is_amended_by(self, mention: Mention, phrase: Phrase) -> bool:
        """Tell whether a remark only says who worded the article: «ст. 168 (в ред. Закона № 100-ФЗ) ГК РФ»."""
        gap = self._gap(phrase, mention)
        return gap is not None and gap.startswith(" (") and ")" not in gap and self._only_amends(mention)

    def _is_before(self, gap: str, phrase: Phrase, mention: Mention) -> bool:
        """Tell whether only a remark or a stray dot parts a citation from its act: «ст. 15 (убытки) ГК РФ»."""
        if _REMARK.fullmatch(gap.rstrip()):
            return gap[-1:].isspace() and mention.pointer is None
        if gap == ") ":
            # «глава 30 (статьи 454 - 491) ГК РФ»
            return (
                mention.pointer is None
                and _OF_CHAPTER.search(self._text[max(0, phrase.start - 40) : phrase.start]) is not None
            )
        # «ст. 29.10. КоАП РФ»
        name = self._text[mention.start : mention.end].split(" ", maxsplit=1)[0]
        dotted = "." in self._text[phrase.head.numbers[-1].start : phrase.end] if phrase.head.numbers else False
        return (
            (gap == "." or (gap == ". " and dotted))
            and self._own is None
            and (sum(letter.isupper() for letter in name) > 1 or name.lower() in GENITIVES)
        )

    def _is_aside(self, gap: str, mention: Mention) -> bool:
        """Tell whether a code ends its citation behind a comma: «ст. 15, ГК РФ; ст. 34 (имущество), СК РФ»."""
        if self._own is not None or self._group.start is not None or self._group.is_listed:
            return False
        is_code = mention.ref is not None and mention.ref.act is not None and mention.ref.kind in _CODES
        return is_code and _COMMA.fullmatch(gap) is not None and _ENDS.match(self._text, mention.end) is not None

    def _only_amends(self, mention: Mention) -> bool:
        """Tell whether an act is named only as the one that gave another its wording: nothing later means it."""
        if _AMENDING_TITLE.match((mention.ref and mention.ref.title) or ""):
            return True
        return _AMENDING.search(self._text[max(0, mention.start - 14) : mention.start]) is not None

    def _close(self, ref: ActRef | None = None, mention: Mention | None = None) -> None:
        group, self._group = self._group, _Group()
        if not group.phrases:
            return
        if ref is not None and group.before not in (None, ref):
            self._group = group.without_last(self._text)
            self._close()
        act = ref or group.before or self._own or self._headings.act_over(group.phrases[0].start)
        spans = [[phrase.start, phrase.end] for phrase in group.phrases]
        if mention is not None:
            spans[-1][1] = mention.name_end
        elif ref is None and group.start is not None and group.phrases[0].head.pointer is None:
            # The name in front belongs to the citation: «ГК РФ, ст. 10», «КоАП РФ (статья 12.9)».
            opened = "(" in self._text[group.start : spans[0][0]]
            spans[0][0] = group.start
            spans[0][1] += opened and self._text.startswith(")", spans[0][1])
        for phrase, (start, end) in zip(group.phrases, spans, strict=True):
            if phrase.is_inferred and not (ref is not None and ref.act is not None and ref.act.points_name_article):
                continue
            self._emit(phrase, act, start, end)

    # Which act

    def _own_act(self) -> ActRef | None:
        key = self._surrounding.act
        if key is None:
            return None
        act = self._registry.act(key)
        edition = self._surrounding.edition or act.edition
        return ActRef(act.jurisdiction, act, act.title, act.number, edition, _KINDS.get(act.kind))

    def _meant(self, mention: Mention) -> ActRef:
        if mention.ref is not None:
            return mention.ref
        own = self._own if self._own is not None and self._own.kind is mention.noun else None
        last = self._last_of.get(mention.noun) if mention.noun else None
        if mention.pointer is Pointer.OWN or (mention.pointer is Pointer.NEAR and own is not None):
            meant = own or last
        else:
            if mention.noun is Noun.TREATY and last is not None and "онвенц" not in (last.title or ""):
                last = None  # «Конвенция» is not the declaration spoken of before
            meant = self._defined_names.get(mention.noun) or last or own if mention.noun else None
        if meant is None and mention.noun is Noun.TREATY:
            meant = self._human_rights()
        return meant or ActRef(None, kind=mention.noun)

    def _human_rights(self) -> ActRef | None:
        """Return the convention that «Конвенция» means in a text that speaks of human rights."""
        if not any(words in self._text for words in _HUMAN_RIGHTS):
            return None
        for act in self._registry.acts:
            if act.kind == "treaty" and act.branch == "human_rights":
                return ActRef(act.jurisdiction, act, act.title, act.number, None, Noun.TREATY)
        return None

    def _may_stand_before(self, gap: str, phrase: Phrase) -> bool:
        """Tell whether an act in front of a phrase may be its act: «ГК РФ, ст. 10», «КоАП РФ (статья 12.9)»."""
        if "." in gap or (")" in gap and "(" not in gap.rsplit(")", maxsplit=1)[-1]):
            return False
        words = _WORDS.findall(gap)
        if any(word.lower() not in _INTRODUCES and word.lower() not in FILLERS for word in words):
            return False
        if self._own is None:
            # «Конституции, а также на статью 9 Пакта»: a capital behind it may be the name of another act.
            return "(" in gap or _CAPITAL.match(self._text, phrase.end) is None
        return "(" in gap or (not words and phrase.head.unit.short)

    def _gap(self, previous: Phrase | Mention | None, event: Phrase | Mention) -> str | None:
        start = event.lead if isinstance(event, Phrase) else event.start
        if previous is None or start < previous.end:
            return None
        remark = _REMARK.match(self._text, previous.end) if isinstance(previous, Phrase) else None
        if remark is not None and isinstance(event, Mention) and start == remark.end() + 1:
            return self._text[previous.end : start]
        if remark is not None and isinstance(event, Phrase) and remark.end() <= start <= remark.end() + _LONGEST_GAP:
            # «статтею 126-1 (домашнє насильство), статтею 129 … КК»: the remark does not part the enumeration.
            return self._text[remark.end() : start]
        return self._text[previous.end : start] if start - previous.end <= _LONGEST_GAP else None

    # Citations

    def _emit(self, phrase: Phrase, act: ActRef | None, start: int, end: int) -> None:
        level = phrase.head.unit.level
        if phrase.head.pointer is not None:
            self._emit_pointer(phrase)
        elif level is Level.ARTICLE:
            self._emit_articles(phrase, act, start, end)
        elif level is Level.SECTION:
            self._emit_section(phrase, act, end)

    def _emit_articles(self, phrase: Phrase, act: ActRef | None, start: int, end: int) -> None:
        seen: set[str] = set()
        for place, number in enumerate(phrase.head.numbers):
            if not _is_known(act) and (self._text[number.start].isalpha() or self._text[number.end - 1].isalpha()):
                # «статья вторая», «ст. 2-я линия» of no act: a piece in a newspaper, a station.
                continue
            for article, found in self._numbers.articles(number, phrase.head.unit, act.act if act else None):
                flags = found if _is_known(act) else (*found, CitationFlag.UNRESOLVED)
                seen.add(article)
                members = [{}] if _names_codes_part(phrase, place, act) else phrase.units_of(place)
                for units in members:
                    self._add((start, end), act, article, units, flags, ranged=phrase.has_range(place))
        if act is not None and seen:
            self._last_article = (act, next(iter(seen)))
            self._several = len(seen) > 1
            if act.kind is not None and (act.act is not None or act.number or act.title):
                self._last_of.setdefault(act.kind, act)

    def _emit_pointer(self, phrase: Phrase) -> None:
        pointer = phrase.head.pointer
        if phrase.head.unit.level is not Level.ARTICLE or phrase.head.unit.plural:
            return
        before = self._text[max(0, phrase.start - _NEAR) : phrase.start]
        if before.endswith(_IDIOMS):
            return
        here = self._surrounding
        own = (self._own, here.article) if self._own is not None and here.article is not None else None
        last = None if self._several else self._last_article
        flags: tuple[CitationFlag, ...] = ()
        if pointer is Pointer.OWN:
            target = own or (None if self._own else last)
            flags = () if own else (CitationFlag.ANAPHORA,)
        elif pointer is Pointer.NEAR:
            own_first = self._registry.language.value == "uk" and own is not None
            target = own if own_first else last
            flags = () if own_first else (CitationFlag.ANAPHORA,)
        else:
            target = last
            flags = (CitationFlag.ANAPHORA,)
        if pointer is not Pointer.OWN and _VAGUE.search(before):
            # «соответствующей статьей … этой статьей»: what was spoken of last is no certain article.
            target = own if target == own and flags == () else None
        if target is None:
            flags = (CitationFlag.ANAPHORA, CitationFlag.UNRESOLVED)
        act, article = target or (None, None)
        for units in phrase.units_of(0):
            self._add((phrase.start, phrase.end), act, article, units, flags, ranged=phrase.has_range(0))
        if target is not None:
            self._last_article, self._several = target, False

    def _emit_section(self, phrase: Phrase, act: ActRef | None, end: int) -> None:
        """Transitional provisions without an article: «п. 9 розділу XV «Перехідні положення» Конституції України»."""
        if self._registry.language.value != "uk" or act is None or not phrase.above:
            return
        for units in phrase.units_of(0):
            if any(level.is_below_article for level in units):
                section = {**units, Level.SECTION: phrase.head.numbers[0].value}
                self._add((phrase.start, end), act, None, section, (), ranged=phrase.has_range(0))

    def _add(
        self,
        span: tuple[int, int],
        act: ActRef | None,
        article: str | None,
        units: dict[Level, str],
        flags: tuple[CitationFlag, ...],
        *,
        ranged: bool,
    ) -> None:
        if ranged and CitationFlag.RANGE_MEMBER not in flags:
            flags = (CitationFlag.RANGE_MEMBER, *flags)
        start, end = span
        here = self._surrounding
        key = act.key if act else None
        is_self = (
            self._own is not None
            and article is not None
            and article == here.article
            and key == self._own.key
            and act is not None
            and act.jurisdiction == self._own.jurisdiction
        )
        self._found.append(
            Citation(
                jurisdiction=act.jurisdiction if act else None,
                act=key,
                article=article,
                raw=self._text[start:end],
                start=start,
                end=end,
                act_title=act.title if act else None,
                act_number=act.number if act else None,
                part=units.get(Level.PART),
                point=units.get(Level.POINT),
                subpoint=units.get(Level.SUBPOINT),
                paragraph=units.get(Level.PARAGRAPH),
                section=units.get(Level.SECTION),
                subsection=units.get(Level.SUBSECTION),
                edition=act.edition if act else None,
                flags=flags,
                is_self=is_self,
            )
        )


def _is_known(act: ActRef | None) -> bool:
    return act is not None and not (act.jurisdiction is None and act.act is None and act.title is None)


def _names_codes_part(phrase: Phrase, place: int, act: ActRef | None) -> bool:
    """Tell whether «части второй» of «статья 454 части второй ГК» is the code's own part."""
    chains = phrase.below.get(place, ())
    if (
        act is None
        or act.act is None
        or len(chains) != 1
        or len(chains[0]) != 1
        or place + 1 < len(phrase.head.numbers)
    ):
        return False
    step = chains[0][0]
    is_genitive = step.unit.level is Level.PART and not step.unit.short and not step.unit.direct
    return is_genitive and len(step.numbers) == 1 and step.numbers[0].value in _NUMBERED[: act.act.parts]


def _joins(gap: str) -> bool:
    """Tell whether what stands between two phrases joins them into one enumeration."""
    words = _WORDS.findall(gap)
    if any(word.lower() not in FILLERS for word in words):
        return False
    rest = _WORDS.sub("", gap)
    return (
        _JOINS.fullmatch(rest) is not None and (bool(words) or bool(rest.strip()) or gap == " ") and "\n\n" not in gap
    )
