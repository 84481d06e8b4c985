"""Which act a phrase cites, and which articles: from events in text order to citations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from service.citations._cyrillic.acts import ActRef, Mention
from service.citations._cyrillic.articles import ArticleNumbers
from service.citations._cyrillic.lexicon import FILLERS, Level, Noun, Pointer
from service.citations._cyrillic.phrases import Phrase
from service.domain import Citation, CitationFlag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.citations._reading import Surrounding
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import Registry

__all__ = ["Resolver"]

_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_DIRECT = re.compile(r"\s{0,6}\(?\s?")
_JOINS = re.compile(r"[\s,;-]*")
_OPENS = re.compile(r"\s{0,3}[(:-]\s{0,3}|\s{1,4}|\s?,?\s?")
_INTRODUCES = frozenset(
    ["зокрема", "именно", "частности", "том", "числе", "числі", "саме", "см", "див", "в", "у", "її", "его", "его"]
)
_CHAPTERS = frozenset(["главы", "глав", "главе", "главой", "раздела", "разделов", "параграфа", "части"])
_LONGEST_GAP = 80
_UNRESOLVED = (CitationFlag.UNRESOLVED,)


class _Group:
    """Phrases of one enumeration that wait for their act."""

    __slots__ = ("before", "phrases")

    def __init__(self, before: ActRef | None = None) -> None:
        self.phrases: list[Phrase] = []
        self.before = before


class Resolver:
    """Gives each phrase its act and turns it into citations.

    Args:
        text: Normalised text.
        registry: The acts meant where no country is named.
        surrounding: Where the text stands.
        articles: Existing articles, where known.
    """

    def __init__(self, text: str, registry: Registry, surrounding: Surrounding, articles: ArticleIndex | None) -> None:
        self._text = text
        self._registry = registry
        self._surrounding = surrounding
        self._numbers = ArticleNumbers(articles, registry.insertion_mark)
        self._found: list[Citation] = []
        self._last_of: dict[Noun, ActRef] = {}
        self._last_act: ActRef | None = None
        self._last_article: tuple[ActRef, str] | None = None
        self._several = False
        self._own = self._own_act()
        self._group = _Group()

    def citations(self, events: Iterable[Phrase | Mention | tuple[Mention, Phrase]]) -> list[Citation]:
        """Return the citations of all events, in text order."""
        previous: Phrase | Mention | None = None
        for event in events:
            if isinstance(event, tuple):
                self._close()
                mention, phrase = event
                self._emit(phrase, self._meant(mention), phrase.end)
                previous = phrase
            elif isinstance(event, Mention):
                self._take_mention(event, previous)
                previous = event
            else:
                self._take_phrase(event, previous)
                previous = event
        self._close()
        return self._found

    # Events

    def _take_phrase(self, phrase: Phrase, previous: Phrase | Mention | None) -> None:
        gap = self._gap(previous, phrase)
        if isinstance(previous, Phrase) and gap is not None and _joins(gap):
            self._group.phrases.append(phrase)
            return
        before = self._group.before if isinstance(previous, Phrase) else None
        self._close()
        if isinstance(previous, Mention) and gap is not None and self._may_stand_before(gap, phrase):
            self._group = _Group(self._meant(previous))
        elif before is not None and gap is not None and gap.strip() in (",", ";", "), ", "),"):
            self._group = _Group()
        self._group.phrases.append(phrase)

    def _take_mention(self, mention: Mention, previous: Phrase | Mention | None) -> None:
        ref = self._meant(mention)
        if isinstance(previous, Phrase):
            gap = self._gap(previous, mention)
            if gap is not None and (_DIRECT.fullmatch(gap) or self._is_chapters(gap)):
                self._close(ref, mention if _DIRECT.fullmatch(gap) else None)
        self._close()
        if mention.remembered and ref.kind is not None and mention.ref is not None:
            self._last_of[ref.kind] = ref
            self._last_act = ref

    def _close(self, ref: ActRef | None = None, mention: Mention | None = None) -> None:
        group, self._group = self._group, _Group()
        if not group.phrases:
            return
        act = ref or group.before or self._own or None
        for phrase in group.phrases[:-1]:
            self._emit(phrase, act, phrase.end)
        last = group.phrases[-1]
        self._emit(last, act, mention.name_end if mention is not None else last.end)

    # Which act

    def _own_act(self) -> ActRef | None:
        key = self._surrounding.act
        if key is None:
            return None
        act = self._registry.act(key)
        kind = {"code": Noun.CODE, "constitution": Noun.CONSTITUTION, "law": Noun.LAW, "treaty": Noun.TREATY}.get(
            act.kind
        )
        return ActRef(act.jurisdiction, act, act.title, act.number, self._surrounding.edition or act.edition, kind)

    def _meant(self, mention: Mention) -> ActRef:
        if mention.ref is not None:
            return mention.ref
        own = self._own if self._own is not None and self._own.kind is mention.noun else None
        last = self._last_of.get(mention.noun) if mention.noun else None
        if mention.pointer is Pointer.OWN or (mention.pointer is Pointer.NEAR and own is not None):
            meant = own or last
        else:
            meant = last or own
        return meant or ActRef(None, kind=mention.noun)

    def _may_stand_before(self, gap: str, phrase: Phrase) -> bool:
        """Tell whether an act in front of a phrase may be its act: «ГК РФ, ст. 10», «КоАП РФ (статья 12.9)»."""
        if "." in gap or (")" in gap and "(" not in gap.rsplit(")", maxsplit=1)[-1]):
            return False
        words = _WORDS.findall(gap)
        if any(word.lower() not in _INTRODUCES and word.lower() not in FILLERS for word in words):
            return False
        if self._own is None:
            return True
        return "(" in gap or (not words and phrase.head.unit.short)

    def _is_chapters(self, gap: str) -> bool:
        return False

    def _gap(self, previous: Phrase | Mention | None, event: Phrase | Mention) -> str | None:
        if previous is None or event.start - previous.end > _LONGEST_GAP or event.start < previous.end:
            return None
        return self._text[previous.end : event.start]

    # Citations

    def _emit(self, phrase: Phrase, act: ActRef | None, end: int) -> None:
        level = phrase.head.unit.level
        if phrase.head.pointer is not None:
            self._emit_pointer(phrase)
        elif level is Level.ARTICLE:
            self._emit_articles(phrase, act, end)
        elif level is Level.SECTION:
            self._emit_section(phrase, act, end)

    def _emit_articles(self, phrase: Phrase, act: ActRef | None, end: int) -> None:
        seen: set[str] = set()
        for place, number in enumerate(phrase.head.numbers):
            for article, flags in self._numbers.articles(number, phrase.head.unit, act.act if act else None):
                if act is None or (act.jurisdiction is None and act.act is None and act.title is None):
                    flags = (*flags, CitationFlag.UNRESOLVED)
                seen.add(article)
                for units in phrase.units_of(place):
                    self._add(phrase.start, end, act, article, units, flags, phrase.has_range(place))
        if act is not None and seen:
            self._last_article = (act, next(iter(seen)))
            self._several = len(seen) > 1
            if act.kind is not None and (act.act is not None or act.number or act.title):
                self._last_of.setdefault(act.kind, act)

    def _emit_pointer(self, phrase: Phrase) -> None:
        pointer = phrase.head.pointer
        if phrase.head.unit.level is not Level.ARTICLE or phrase.head.unit.plural:
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
            target = own if own_first else last or (own if self._last_article is None else None)
            flags = () if own_first else (CitationFlag.ANAPHORA,)
        else:
            target = last
            flags = (CitationFlag.ANAPHORA,)
        if target is None:
            flags = (CitationFlag.ANAPHORA, CitationFlag.UNRESOLVED)
        act, article = target or (None, None)
        for units in phrase.units_of(0):
            self._add(phrase.start, phrase.end, act, article, units, flags, phrase.has_range(0))
        if target is not None:
            self._last_article, self._several = target, False

    def _emit_section(self, phrase: Phrase, act: ActRef | None, end: int) -> None:
        """Transitional provisions without an article: «п. 9 розділу XV «Перехідні положення» Конституції України»."""
        if self._registry.language.value != "uk" or act is None or not phrase.above:
            return
        for units in phrase.units_of(0):
            if any(level.is_below_article for level in units):
                section = {**units, Level.SECTION: phrase.head.numbers[0].value}
                self._add(phrase.start, end, act, None, section, (), phrase.has_range(0))

    def _add(
        self,
        start: int,
        end: int,
        act: ActRef | None,
        article: str | None,
        units: dict[Level, str],
        flags: tuple[CitationFlag, ...],
        ranged: bool,
    ) -> None:
        if ranged and CitationFlag.RANGE_MEMBER not in flags:
            flags = (CitationFlag.RANGE_MEMBER, *flags)
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


def _joins(gap: str) -> bool:
    """Tell whether what stands between two phrases joins them into one enumeration."""
    words = _WORDS.findall(gap)
    if any(word.lower() not in FILLERS for word in words):
        return False
    rest = _WORDS.sub("", gap)
    return (
        _JOINS.fullmatch(rest) is not None and (bool(words) or bool(rest.strip()) or gap == " ") and "\n\n" not in gap
    )
