"""How many chains of one length there are, exactly or by an estimate, by act, pair of acts and first relation."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from service.chains._graph import ChainGraph, Stratum
from service.chains._walks import Walks, WalkSpace
from service.domain import RelationType

__all__ = ["DRAWS", "Figure", "Tally", "estimated_tally", "exact_tally", "norms_tally"]

DRAWS: Final = 1000
"""Walks drawn for each act of a first norm; an act with fewer walks has them all looked at."""

_SEEN: Final = 200
"""Chains that the walks of an act should show; where the first draws promise fewer, more walks are drawn."""

_MOST: Final = 20
"""How many times as many at most."""

_Z: Final = 1.959963984540054
"""Quantile of the normal distribution for 95 %."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of chains.

    Attributes:
        low, high: The interval of 95 %; both are ``count`` where that is exact.
    """

    count: int
    exact: bool
    low: int
    high: int


@dataclass(frozen=True)
class _Part:
    """The walks that begin in one act: all of them, or a uniform sample."""

    walks: int
    looked_at: int
    chains: Mapping[Stratum, int]

    @property
    def exact(self) -> bool:
        return self.looked_at == self.walks


@dataclass(frozen=True)
class Tally:
    """Chains of one length under one template.

    Attributes:
        parts: By act of the first norm.
    """

    length: int
    parts: Mapping[str, _Part]

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """Strata in which chains were seen, in a fixed order."""
        return tuple(sorted((one for part in self.parts.values() for one in part.chains), key=_order))

    def figure(self, wanted: Callable[[Stratum], bool] = lambda _: True) -> Figure:
        """Return how many chains there are in the strata wanted.

        Strata of several acts add up; the interval's ends are those of Wilson for each act, put together by the square
        roots of their summed squared distances (Zou and Donner 2008).
        """
        count, below, above, exact = 0.0, 0.0, 0.0, True
        for part in self.parts.values():
            seen = sum(number for stratum, number in part.chains.items() if wanted(stratum))
            if part.exact:
                count += seen
                continue
            exact = False
            share = seen / part.looked_at
            low, high = _wilson(seen, part.looked_at)
            count += part.walks * share
            below += (part.walks * (share - low)) ** 2
            above += (part.walks * (high - share)) ** 2
        if exact:
            return Figure(int(count), True, int(count), int(count))
        return Figure(
            round(count), False, max(0, math.floor(count - math.sqrt(below))), math.ceil(count + math.sqrt(above))
        )


def norms_tally(graph: ChainGraph, dated: int) -> Tally:
    """Return the chains of one norm."""
    counts: dict[str, Counter[Stratum]] = defaultdict(Counter)
    for place, norm in enumerate(graph.norms):
        if not dated or norm.valid_from is not None:
            counts[norm.act][Stratum(norm.act, graph.wide[place], None, None)] += 1
    return Tally(1, {act: _whole(counts[act]) for act in sorted(counts)})


def exact_tally(graph: ChainGraph, length: int, counts: Sequence[int], first: frozenset[RelationType]) -> Tally:
    """Return the chains of a length from their exact numbers by first relation."""
    found: dict[str, Counter[Stratum]] = defaultdict(Counter)
    strata = graph.strata
    for relation, count in enumerate(counts):
        if count and graph.types[relation] in first:
            found[strata[relation].act][strata[relation]] += count
    return Tally(length, {act: _whole(found[act]) for act in sorted(found)})


def estimated_tally(
    graph: ChainGraph, walks: Walks, length: int, first: frozenset[RelationType], *, seed: str, draws: int = DRAWS
) -> Tally:
    """Return an unbiased estimate of the chains of a length.

    Walks that begin in an act are counted by dynamic programming; the share of chains among uniformly drawn ones,
    times that count, is the estimate (mhgb.md 3).
    """
    strata = graph.strata
    roots: dict[str, list[int]] = defaultdict(list)
    for relation, kind in enumerate(graph.types):
        if kind in first and walks.beginning_with(relation, length):
            roots[strata[relation].act].append(relation)
    parts = {}
    for act in sorted(roots):
        space = walks.space(roots[act], length)
        looked_at = space.size
        if space.size <= draws:
            found: Iterable[tuple[int, ...] | None] = space.chains()
        else:
            generator = random.Random(f"{seed}/{length}/{act}")
            looked_at = _sample_size(space, generator, draws)
            found = (space.draw(generator) for _ in range(looked_at))
        seen: Counter[Stratum] = Counter()
        for chain in found:
            if chain is not None:
                followed = graph.relation(chain[0], chain[1])
                assert followed is not None  # noqa: S101 - the walk followed it
                seen[strata[followed]] += 1
        if seen or looked_at < space.size:
            parts[act] = _Part(space.size, looked_at, seen)
    return Tally(length, parts)


def _sample_size(space: WalkSpace, generator: random.Random, draws: int) -> int:
    """Return how many walks of an act to draw."""
    # The first draws only decide how many count: with their own result in, the estimate would be biased.
    chains = sum(space.draw(generator) is not None for _ in range(draws))
    return draws * max(1, min(_MOST, _SEEN // max(1, chains)))


def _whole(chains: Counter[Stratum]) -> _Part:
    total = sum(chains.values())
    return _Part(total, total, chains)


def _order(stratum: Stratum) -> tuple[str, bool, str, str]:
    return stratum.act, stratum.wide, stratum.to_act or "", stratum.relation or ""


def _wilson(successes: int, trials: int) -> tuple[float, float]:
    share = successes / trials
    spread = _Z * math.sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2))
    middle = share + _Z**2 / (2 * trials)
    scale = 1 + _Z**2 / trials
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
