"""Phrases: «пунктом 1 и абзацем первым пункта 2 статьи 610», «ст. 158 ч. 2 п. «а»», «части третьей указанной статьи».

A phrase is read word by word from its first unit to its article, or from its article downwards. Which act it cites
is not its matter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from service.citations._cyrillic.lexicon import SLIP, Level, Pointer, Unit
from service.citations._cyrillic.numbers import Number, NumberReader, behind_remark
from service.citations._cyrillic.units import Chain, Phrase, Step, rank, rank_behind
from service.domain import article_sort_key

if TYPE_CHECKING:
    from service.citations._cyrillic.lexicon import Lexicon

__all__ = ["PhraseReader"]

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+){0,4}")
_SPACE = re.compile(r"[^\S\n]{0,6}\n?[^\S\n]{0,6}")
_DOTS = re.compile(r"\s?\.{0,3}")
_COORDINATION = re.compile(
    r"\s{0,4}(?:,\s{0,4})?"
    r"(?:(?:а\s{1,2}также|а\s{1,2}також|и\s?\(или\)|та/або|и|или|либо|та|або|й|і|чи)\s{1,4})?(?:(?:по|за|в|у|с|со|к|з|зі)\s{1,3})?"
)
_JOINING_DASH = re.compile(r"\s{1,3}-\s{1,3}(?=\d)")
_COMMA = re.compile(r"\s{0,2},\s{0,3}")
_LIST_ENDS = re.compile(r"\s{0,3}(?:[,;:.)(]|$|(?:и|или|та|або|і|й)\s|[А-ЯІЇЄҐ«\"])")
_ENDS = re.compile(r"\s{0,3}(?:[.;:)](?!\s?\d)|$|\s-\s|\n\s{0,8}(?:\n|[-*#+]|\d{1,3}[.)]\s))")
_BOLD_ENDS = re.compile(r"\*{2,3}(?=[\s,(])")
_STRAY_DOT = re.compile(r"\.\s{0,2}(?=[а-яіїєґ])")
_BRACKET = re.compile(r"\s{0,2}\(\s?")
_NOTE = re.compile(
    r"\s{1,3}примечани[йяюе][а-я]{0,2}(?:\s\d{1,2})?\s{1,3}к\s{1,3}|\s{1,3}примітк[аиою]{1,2}(?:\s\d{1,2})?\s{1,3}до\s{1,3}"
)
_QUOTED = re.compile(
    r"\s{0,3}(?:Прикінцев|Перехідн)[а-яі]{1,3}(?:\s(?:та|і|й)\s[а-яі]{5,12})?\sположен[ьн][а-яі]{0,3}|\s{0,3}[«\"“„][^»\"”“\n]{1,80}[»\"”“]"
)
_SAME = re.compile(r"(?:же|ж|самого|самой|самої|саме)(?![^\W_])")
_WHOLE = re.compile(r"\d{1,5}")
_NAMES_ARTICLE = re.compile(r"(\d{1,3}(?:-\d{1,2})?)\.\d")
_ARTICLE = Unit(Level.ARTICLE, short=True)
_SUBPOINT = Unit(Level.SUBPOINT, short=True, direct=True, either=True)
_LONGEST_CHAIN = 8
_MOST_CHAINS = 200


class PhraseReader:
    """Reads phrases at given offsets.

    Args:
        text: Normalised text.
        lexicon: The language's words.
        infers: Some act's points carry the article's number.
    """

    __slots__ = ("_infers", "_lexicon", "_numbers", "_text")

    def __init__(self, text: str, lexicon: Lexicon, *, infers: bool = False) -> None:
        self._infers = infers
        self._text = text
        self._lexicon = lexicon
        self._numbers = NumberReader(text, lexicon)

    def phrase(self, at: int) -> tuple[Phrase | None, int]:
        """Return the phrase that begins with the word at ``at``, and the offset from which to read on.

        The offset lies behind everything looked at, so that nothing is looked at more than a fixed number of times.
        """
        chains, head, end = self._upward(at)
        if head is None:
            found = _inferred(chains) if self._infers else None
            return found, max(end, at + 1)
        # «другого речення частини сьомої»: a sentence is no unit that a citation names.
        named = [step for chain in chains[:1] for step in chain if step.unit.level is not Level.SENTENCE]
        start = named[0].start if named else head.start
        found = Phrase(head, start, head.end, chains, lead=min(at, start))
        if head.unit.level is Level.ARTICLE and head.pointer is None:
            self._read_below(found)
        elif head.unit.level is Level.SECTION:
            quoted = _QUOTED.match(self._text, found.end)
            found.end = quoted.end() if quoted else found.end
        return found, found.end

    def numbers_as_articles(self, at: int, unit: Unit) -> Step | None:
        """Return a bare list of article numbers at ``at``, as in ``ГК_10``."""
        numbers, end = self._numbers.numbers(at, unit.level)
        return Step(unit, at, end, tuple(numbers)) if numbers else None

    # Upwards: «пункта 2 статьи 610»

    def _upward(self, at: int) -> tuple[list[Chain], Step | None, int]:
        chains: list[Chain] = []
        chain: list[Step] = []
        here = at
        while len(chains) < _MOST_CHAINS:
            step = self._step(here)
            if step is None:
                # «пунктом 44.1 цього Кодексу»: the pointer is of an act.
                return [*chains, tuple(chain)] if chain else chains, None, max(here, chain[-1].end if chain else here)
            if step.pointer is not None and step.unit.level is not Level.ARTICLE:
                return [], None, max(step.end, chain[-1].end if chain else here)
            if not self._is_below(step, chain):
                if chain:
                    chains.append(tuple(chain))
                elif chains:
                    # «пунктом 1, статьей 5»: the point is of something else.
                    chains = []
                return chains, step, step.end
            finished = self._finished(chain, step)
            if finished:
                # «пунктом 4 подпунктом 2) пункта 7»: a comma was forgotten.
                chains.append(tuple(chain[:finished]))
                chain = chain[finished:]
            chain.append(step)
            nested = self._nested(step)
            if nested is not None and len(chain) < _LONGEST_CHAIN:
                here = nested
                continue
            chains.append(tuple(chain))
            chain = []
            behind = self._coordinated(step.end)
            if behind is None:
                return chains, None, step.end
            here = behind
        return [], None, here

    def _finished(self, chain: list[Step], step: Step) -> int:
        """Return how many steps are a unit of their own: of the level of ``step``, which holds those behind them.

        The case tells: in «частью второй подпункта 2) части первой» each unit is of the next one.
        """
        for place, outer in enumerate(chain[:-1], start=1):
            within = chain[place:]
            holds = all(rank(one.unit.level) < rank(step.unit.level) for one in within)
            if outer.unit.level is step.unit.level and holds and not outer.unit.short:
                first, second = (_WORD.match(self._text, one.start) for one in (outer, within[0]))
                if first and second and first.group()[-2:] == second.group()[-2:]:
                    return place
        return 0

    def _is_below(self, step: Step, chain: list[Step]) -> bool:
        level = step.unit.level
        if level.is_below_article:
            return True
        if level is Level.SUBSECTION:
            return True
        return bool(level is Level.CHAPTER and chain)

    def _nested(self, step: Step) -> int | None:
        """Return where the unit begins that contains ``step``, when one follows directly."""
        note = _NOTE.match(self._text, step.end)
        if note is not None:
            return None
        if self._text.startswith(" (", step.end):
            # «частью 3 (в части перевозки) статьи 8.52»
            remark = behind_remark(self._text, step.end)
            space = _SPACE.match(self._text, remark) if remark else None
            return space.end() if space is not None and self._is_unit_word(space.end()) else None
        space = _SPACE.match(self._text, step.end)
        here = space.end() if space else step.end
        if self._is_unit_word(here):
            return here
        stray = _STRAY_DOT.match(self._text, step.end)
        if stray is not None and self._is_unit_word(stray.end()):
            return stray.end()
        comma = _COMMA.match(self._text, step.end)
        if comma is not None and step.unit.short:
            # «п. 1, ч. 2, ст. 105»: commas between abbreviations, each larger than the one before.
            following = self._unit_at(comma.end())
            if following is not None and following.short and rank(following.level) > rank(step.unit.level):
                return comma.end()
        return None

    def _coordinated(self, at: int) -> int | None:
        if self._text.startswith(" (", at):
            at = behind_remark(self._text, at) or at
        match = _COORDINATION.match(self._text, at)
        if match is None or not match.group().strip() or not self._is_unit_word(match.end()):
            return None
        return match.end()

    # Downwards: «ст. 158 ч. 2 п. «а»», «статьи 19 (часть 1) и 46»

    def _read_below(self, phrase: Phrase) -> None:
        numbers = list(phrase.head.numbers)
        here = phrase.head.end
        for _ in range(_MOST_CHAINS):
            chains, behind = self._bracketed(here) or ([], here)
            if not chains and (not phrase.above or phrase.below):
                chains, behind = self._downward(phrase.head, here)
            if chains:
                phrase.below[len(numbers) - 1] = chains
                here = phrase.end = behind
                more = self._more_numbers(here)
            else:
                more = self._behind_remark(here, numbers[-1])
            if not more:
                break
            numbers.extend(more)
            here = phrase.end = more[-1].end
        phrase.head = Step(phrase.head.unit, phrase.head.start, here, tuple(numbers))

    def completed(self, phrase: Phrase) -> Phrase:
        """Return a phrase with what stands below and behind its articles: «(часть 1)» of ``УК_264 (часть 1)``."""
        self._read_below(phrase)
        return phrase

    def units_behind(self, at: int) -> tuple[list[Chain], int]:
        """Read units that stand behind the act's name: «ст. 105 УК РФ п. «а» ч. 2»."""
        bold = _BOLD_ENDS.match(self._text, at)
        here = bold.end() if bold else at
        bracketed = self._bracketed(here)
        if bracketed is not None:
            # «ст. 46 Конституции РФ (ч. 1)»
            return bracketed
        chain: list[Step] = []
        is_aside = False
        while len(chain) < _LONGEST_CHAIN:
            comma = _COMMA.match(self._text, here)
            is_aside = is_aside or (comma is not None and not chain)
            space = comma or _SPACE.match(self._text, here)
            step = self._step(space.end() if space else here)
            if step is None or step.pointer is not None:
                break
            if not step.unit.level.is_below_article:
                return [], at
            chain.append(step)
            here = step.end
        if not chain or self._coordinated(here) is not None or (is_aside and not _ENDS.match(self._text, here)):
            # «ст. 105 УК РФ, ч. 2» is of the article, «ст. 15 ГК РФ, п. 3 Обзора» is not.
            return [], at
        return [tuple(chain)], here

    def continued(self, at: int, unit: Unit) -> Phrase | None:
        """Read numbers that go on behind an act's name: «5.61» of «статьи 128.1 УК и 5.61 КоАП»."""
        numbers = self._more_numbers(at)
        if not numbers:
            return None
        head = Step(unit, numbers[0].start, numbers[-1].end, tuple(numbers))
        return Phrase(head, head.start, head.end)

    def _more_numbers(self, at: int) -> list[Number]:
        match = _JOINING_DASH.match(self._text, at) or _COORDINATION.match(self._text, at)
        if match is None or not match.group().strip() or not self._text[match.end() : match.end() + 1].isdigit():
            return []
        return self._numbers.numbers(match.end(), Level.ARTICLE)[0]

    def _behind_remark(self, at: int, last: Number) -> list[Number]:
        """Read «131» of «статей 129 (кроме займа), 131 Кодекса»; what does not go on upwards is no article."""
        remark = behind_remark(self._text, at) if self._text.startswith(" (", at) else None
        more = self._more_numbers(remark) if remark else []
        if not more or article_sort_key(last.value) >= article_sort_key(more[0].value):
            return []
        end = more[-1].end
        word = _WORD.match(self._text, end + 1) if self._text.startswith(" ", end) else None
        goes_on = word is not None and (word.group() in self._lexicon.pointers or word.group() in self._lexicon.nouns)
        return more if goes_on or _LIST_ENDS.match(self._text, end) else []

    def _bracketed(self, at: int) -> tuple[list[Chain], int] | None:
        """Read «(часть 1)» or «(части 1 и 3)» behind an article's number."""
        bracket = _BRACKET.match(self._text, at)
        if bracket is None:
            return None
        chains: list[list[Step]] = [[]]
        here = bracket.end()
        for _ in range(_LONGEST_CHAIN):
            step = self._step(here)
            if step is None or not step.unit.level.is_below_article or step.pointer is not None:
                return None
            chain = chains[-1]
            if any(one.unit.level is step.unit.level for one in chain):
                # «(ч. 1 и ч. 6)», «(п. 1 ч. 1, п. 2 ч. 3)»; «(ч. 1 п. 2 и п. 3)» stays in its part.
                descends = len(chain) > 1 and rank(chain[-2].unit.level) > rank(chain[-1].unit.level)
                chains.append([*chain[:-1], step] if descends and chain[-1].unit.level is step.unit.level else [step])
            else:
                chain.append(step)
            here = step.end
            # The bracket that closes «часть 1)» may have been taken for one of the number.
            if self._text[here - 1] == ")" or self._text.startswith(")", here):
                return [tuple(reversed(one)) for one in chains], here + (self._text[here - 1] != ")")
            comma = _COORDINATION.match(self._text, here)
            here = comma.end() if comma else here
        return None

    def _downward(self, head: Step, at: int) -> tuple[list[Chain], int]:
        chain, here = self._downward_chain(head, at)
        if not chain:
            return [], at
        chains = [tuple(reversed(chain))]
        while len(chains) < _LONGEST_CHAIN:
            # «ст. 327 ч. 1 и ч. 3»: the second part is of the same article, unless it leads to another one.
            behind = self._coordinated(here)
            step = self._step(behind) if behind is not None else None
            if step is None or step.pointer is not None or step.unit.level is not chain[-1].unit.level:
                break
            if self._leads_up(step, spaced=False):
                break
            chain = [*chain[:-1], step]
            chains.append(tuple(reversed(chain)))
            here = step.end
        return chains, here

    def _downward_chain(self, head: Step, at: int) -> tuple[list[Step], int]:
        chain: list[Step] = []
        here = at
        while len(chain) < _LONGEST_CHAIN:
            space = _SPACE.match(self._text, here)
            start = space.end() if space else here
            comma = _COMMA.match(self._text, here)
            if comma is not None and start != comma.end():
                unit = self._unit_at(comma.end())
                if unit is None or not (unit.short or unit.direct) or not (head.unit.short or head.unit.direct):
                    break
                start = comma.end()
            step = self._step(start)
            if step is None or not step.unit.level.is_below_article or step.pointer is not None:
                break
            if chain and rank_behind(step, chain[-1]) >= rank(chain[-1].unit.level):
                if len(chain) > 1 or not step.unit.short or self._leads_up(step, spaced=False):
                    break
                if rank(step.unit.level) == rank(chain[-1].unit.level):
                    break
                # «ст. 24.5 п. 2 ч. 1»
                return [step, *chain], step.end
            if self._leads_up(step, spaced=comma is None):
                break
            step = self._without_article(step, head)
            chain.append(step)
            here = step.end
        return chain, here

    def _without_article(self, step: Step, head: Step) -> Step:
        """Give the last number back in «ст. 159 ч. 4, 160 ч. 3», «453 п. 2, 1103 подп. 3»: it is the next article."""
        first_article = next((at for at in range(1, len(step.numbers)) if _is_article(at, step, head)), 0)
        if first_article:
            # «ст. 130 ч. 1, 283, 284»: no article has as many parts.
            numbers = step.numbers[:first_article]
            return Step(step.unit, step.start, numbers[-1].end, numbers)
        last = step.numbers[-1]
        if len(step.numbers) < 2 and last.last is None:
            return step
        space = _SPACE.match(self._text, step.end)
        unit = self._unit_at(space.end() if space else step.end)
        if unit is None or not unit.short or rank(unit.level) > rank(step.unit.level):
            return step
        if unit.level is not step.unit.level and (
            article_sort_key(last.value) <= article_sort_key(head.numbers[-1].value)
        ):
            return step
        numbers = step.numbers[:-1]
        if last.last is not None:
            # «ч. 1 – 228.1 ч. 4»: the dash joins two articles.
            numbers = (*numbers, Number(last.value, last.start, last.start + len(last.value)))
        return Step(step.unit, step.start, numbers[-1].end, numbers)

    def _leads_up(self, step: Step, *, spaced: bool) -> bool:
        """Tell whether a lower unit behind an article belongs to what follows it, not to the article."""
        here = step.end
        for _ in range(_LONGEST_CHAIN):
            space = _SPACE.match(self._text, here)
            following = self._step(space.end() if space else here)
            if following is None:
                coordinated = None if spaced else self._coordinated(here)
                following = self._step(coordinated) if coordinated is not None else None
                if following is None or following.unit.level is Level.ARTICLE:
                    return False
            if following.pointer is not None:
                return True
            if following.unit.level is Level.ARTICLE:
                return not spaced
            if not following.unit.level.is_below_article:
                return False
            here = following.end
        return False

    # One step

    def _unit_at(self, at: int) -> Unit | None:
        word = _WORD.match(self._text, at)
        return self._lexicon.units.get(word.group()) if word else None

    def _is_unit_word(self, at: int) -> bool:
        word = _WORD.match(self._text, at)
        if word is None:
            return False
        name = word.group()
        lexicon = self._lexicon
        return name in lexicon.units or name in lexicon.pointers or name in lexicon.ordinals or name in lexicon.tens

    def _step(self, at: int) -> Step | None:
        """Read a unit with its numbers («части 1», «первой части») or with a pointer («настоящей статьи»)."""
        word = _WORD.match(self._text, at)
        if word is None:
            return None
        name = word.group()
        unit = self._lexicon.units.get(name)
        if unit is not None:
            if unit.level is Level.POINT and self._text.startswith(("/п", "/П"), word.end()):
                return self._unit_step(_SUBPOINT, name, at, word.end() + 2)
            return self._unit_step(unit, name, at, word.end())
        pointer = self._lexicon.pointers.get(name)
        if pointer is not None:
            return self._pointer_step(pointer, at, word.end())
        if name in self._lexicon.ordinals or name in self._lexicon.tens:
            return self._ordinal_step(at)
        return None

    def _unit_step(self, unit: Unit, name: str, at: int, end: int) -> Step | None:
        if unit.short:
            for _ in range(3):
                dots = _DOTS.match(self._text, end)
                end = dots.end() if dots else end
                space = _SPACE.match(self._text, end)
                again = _WORD.match(self._text, space.end() if space else end)
                if again is None or again.group().lower() != name.lower():
                    break
                end = again.end()
                unit = _plural(unit)
        numbers, behind = self._numbers.numbers(end, unit.level)
        if not numbers and unit.level is Level.ARTICLE and not unit.short:
            numbers, behind = self._numbers.article_words(end)
        if not numbers and unit.level.is_below_article and not unit.short:
            numbers, behind = self._numbers.ordinal_before(at), end
            at = numbers[0].start if numbers else at
        return Step(unit, at, behind, tuple(numbers)) if numbers else None

    def _pointer_step(self, pointer: Pointer, at: int, end: int) -> Step | None:
        space = _SPACE.match(self._text, end)
        here = space.end() if space else end
        same = _SAME.match(self._text, here)
        if same is not None:
            space = _SPACE.match(self._text, same.end())
            here = space.end() if space else same.end()
        word = _WORD.match(self._text, here)
        unit = self._lexicon.units.get(word.group()) if word else None
        if word is None or unit is None or unit.short or word.group().lower() == SLIP:
            return None
        return Step(unit, at, word.end(), pointer=pointer)

    def _ordinal_step(self, at: int) -> Step | None:
        numbers, end = self._numbers.ordinals(at)
        if not numbers:
            return None
        space = _SPACE.match(self._text, end)
        word = _WORD.match(self._text, space.end() if space else end)
        unit = self._lexicon.units.get(word.group()) if word else None
        if word is None or unit is None or unit.short or unit.level in (Level.ARTICLE, Level.CHAPTER, Level.SECTION):
            return None
        if self._numbers.numbers(word.end(), unit.level)[0]:
            return None
        return Step(unit, at, word.end(), tuple(numbers))


def _inferred(chains: list[Chain]) -> Phrase | None:
    """Return the phrase of «пп. 14.1.54 ПК України», «п. 44.1, п. 85.2 ПК України»: points that name their article."""
    articles: dict[str, list[Chain]] = {}
    for chain in chains:
        top = chain[-1]
        names = [_NAMES_ARTICLE.match(number.value) for number in top.numbers]
        found = {name.group(1) for name in names if name}
        if top.unit.level not in (Level.POINT, Level.SUBPOINT) or None in names or len(found) != 1:
            return None
        articles.setdefault(found.pop(), []).append(chain)
    if not articles:
        return None
    end = chains[-1][-1].end
    head = Step(_ARTICLE, end, end, tuple(Number(article, end, end) for article in articles))
    return Phrase(head, chains[0][0].start, end, below=dict(enumerate(articles.values())), is_inferred=True)


def _is_article(at: int, step: Step, head: Step) -> bool:
    """Tell a number that can only be the next article in «ст. 20 ч. 1, 254», «ст. 12.8 ч. 1, 12.26»."""
    number, before = step.numbers[at], step.numbers[at - 1]
    most = _MOST_UNITS.get(step.unit.level)
    last = before.last or before.value
    if most is None or not number.value[:1].isdigit() or not last[:1].isdigit():
        return False
    whole, *inserted = number.value.partition("^")[0].split(".")
    if not inserted:
        # «ст. 112 ч. 25, 43»: a law with that many parts has others of them before.
        return int(whole) > most and int(whole) - int(_WHOLE.match(last).group()) > _LEAP  # type: ignore[union-attr]
    above = head.numbers[-1].value
    if step.unit.level is not Level.PART or "." not in above:
        return False
    return len(inserted) > 1 or (
        int(whole) >= _TELLING_CHAPTER and article_sort_key(number.value) > article_sort_key(above)
    )


_MOST_UNITS = {Level.PART: 29, Level.POINT: 99, Level.SUBPOINT: 99, Level.PARAGRAPH: 99}
_LEAP = 20
_TELLING_CHAPTER = 5  # «ст. 4.1 ч. 3, 4.2» may be a part, «ст. 12.8 ч. 1, 12.26» cannot


def _plural(unit: Unit) -> Unit:
    # «п.п. 1» is points, or a subpoint where «п. 2» follows.
    either = unit.either or unit.level is Level.POINT
    return type(unit)(unit.level, short=True, plural=True, direct=True, either=either)
