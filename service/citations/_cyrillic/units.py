"""What a phrase holds: units with their numbers, one in the other, and the members that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.citations._cyrillic.lexicon import Level, Pointer, Unit
from service.citations._cyrillic.numbers import Number, letters_between
from service.domain import article_sort_key

__all__ = ["Chain", "Phrase", "Step", "rank", "rank_behind"]

_MOST_MEMBERS = 120


@dataclass(frozen=True, slots=True)
class Step:
    """A unit with its numbers, or with a pointer instead of numbers."""

    unit: Unit
    start: int
    end: int
    numbers: tuple[Number, ...] = ()
    pointer: Pointer | None = None


Chain = tuple[Step, ...]
"""Units that lie in one another, innermost first."""


@dataclass(slots=True)
class Phrase:
    """A citation of one or several articles, with what is cited of them.

    Attributes:
        head: The article step (or the section of transitional provisions, or a chapter).
        above: Chains in front of the head, such as «пункта 2» of «пункта 2 статьи 610».
        below: Chains behind each of the head's numbers, by the number's place in the list.
        start: Offset of the first unit word.
        lead: Offset of what belongs to the phrase in front of it («першого речення»); equal to start without that.
        end: Offset behind the last number.
        is_inferred: The text names no article; its points carry the number, if the act's points do.
    """

    head: Step
    start: int
    end: int
    above: list[Chain] = field(default_factory=list)
    below: dict[int, list[Chain]] = field(default_factory=dict)
    lead: int = -1
    is_inferred: bool = False

    def __post_init__(self) -> None:
        if self.lead < 0:
            self.lead = self.start

    def units_of(self, place: int) -> list[dict[Level, str]]:
        """Return what is cited of the article at ``place``: one mapping a member, ``[{}]`` for the whole article."""
        chains = self.below.get(place) or (self.above if self._covers(place) else [])
        if place == 0 and len(self.above) == 1 and place in self.below:
            # «п. 4 ст. 134 (абз. 3)»
            outer = self.above[0]
            if all(rank(chain[-1].unit.level) < rank(outer[0].unit.level) for chain in chains):
                chains = [(*chain, *outer) for chain in chains]
        found: list[dict[Level, str]] = []
        for at, chain in enumerate(chains):
            found.extend(_expanded(chain, chains[at + 1] if at + 1 < len(chains) else ()))
            if len(found) >= _MOST_MEMBERS:
                break
        return found[:_MOST_MEMBERS] or [{}]

    def _covers(self, place: int) -> bool:
        """Tell whether the units in front are of the article at ``place``: «ч. 2 ст. 15, 16» cites 16 as a whole."""
        return place == 0 or self.head.unit.plural is True

    def has_range(self, place: int) -> bool:
        """Tell whether units of the article at ``place`` are cited as a range."""
        chains = self.below.get(place) or (self.above if self._covers(place) else [])
        return any(
            (number.last or number.tail) and len(unit_values(number)) > 1
            for chain in chains
            for step in chain
            for number in step.numbers
        )


def _expanded(chain: Chain, following: Chain) -> list[dict[Level, str]]:
    # «п.п. 39.2.1.1 п.п. 39.2.1 п. 39.2»: the innermost of one level is meant.
    steps = {_level(step, chain): step for step in reversed(chain)}
    steps = {_level(step, chain): steps[_level(step, chain)] for step in chain}
    top = chain[-1].unit.level
    shared = {_level(step, following): step for step in following}
    if top in shared:
        # «п. 1, п. 2 ч. 5 ст. 328»: the part is said once for both points.
        behind = [step for step in following if step.unit.level is not top]
        for step in behind[_after(following, top) :]:
            steps.setdefault(step.unit.level, step)
    members: list[dict[Level, str]] = [{}]
    for level, step in steps.items():
        if level is Level.SENTENCE:
            continue
        values = [value for number in step.numbers for value in unit_values(number)]
        if len(members) * len(values) > _MOST_MEMBERS:
            values = values[:1]
        # The list that stands first varies last, so that members come in text order.
        members = [{**member, level: value} for member in members for value in values]
    return members


def _after(chain: Chain, level: Level) -> int:
    return next(place for place, step in enumerate(chain) if step.unit.level is level)


def _level(step: Step, chain: Chain) -> Level:
    """Return what ``пп.`` stands for: a subpoint where a point follows, else points."""
    if not step.unit.either:
        return step.unit.level
    if step.numbers[0].value.count(".") > 1:
        # «пп. 14.1.54»: a point of Ukraine's Tax Code has two numbers.
        return Level.SUBPOINT
    return (
        Level.SUBPOINT if any(other.unit.level is Level.POINT for other in chain if other is not step) else Level.POINT
    )


def unit_values(number: Number) -> list[str]:
    """Return the values of a number below the article; of a range that is not of whole numbers, its ends."""
    first, last = number.value.replace("^", "."), number.last
    if number.tail is not None:
        ascends = article_sort_key(first) < article_sort_key(number.tail)
        if last is None and ascends and ("." in number.tail or (first.isdigit() and number.tail.isdigit())):
            # «ч. 2-3.3», «п. 3.1-3.3»
            last = number.tail
        else:
            first = f"{first}-{number.tail}"
    if last is None:
        return [first]
    last = last.replace("^", ".")
    if first.isdigit() and last.isdigit():
        low, high = int(first), int(last)
        return [str(value) for value in range(low, high + 1)] if low < high <= low + 200 else [first, last]
    return letters_between(first, last) if first.isalpha() and last.isalpha() else [first, last]


_RANKS = {
    Level.SENTENCE: 0,
    Level.PARAGRAPH: 1,
    Level.SUBPOINT: 2,
    Level.POINT: 3,
    Level.PART: 4,
    Level.ARTICLE: 5,
    Level.CHAPTER: 6,
    Level.SUBSECTION: 6,
    Level.SECTION: 7,
}


def rank(level: Level) -> int:
    """Return how much a unit holds: a part more than a point."""
    return _RANKS[level]


def rank_behind(step: Step, outer: Step) -> int:
    """Return a unit's rank; «пп.» behind a point is a subpoint."""
    level = Level.SUBPOINT if step.unit.either and outer.unit.level is Level.POINT else step.unit.level
    return rank(level)
