"""The matrix of types and depths: how many chains there are, how many are wanted, which are drawn."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from service.chains._drawing import Places, Pool
from service.chains._exact import count_by_first_relation
from service.chains._graph import ChainGraph, Stratum
from service.chains._rules import SamplingRules, Template, template
from service.chains._tally import DRAWS, Figure, Tally, estimated_tally, exact_tally, norms_tally
from service.chains._targets import Cell, Targets, apportion, spread
from service.chains._walks import Walks
from service.domain import DateBasis, Depth, NormId, RelationType, TaskType
from service.errors import InputError

__all__ = ["EXACT_LENGTH", "CellPlan", "Chain", "Plan", "Share", "cell_tallies", "make_plan"]

EXACT_LENGTH: Final = 6
"""Longest chains that are counted one by one (mhgb.md 3)."""

EXACT_WALKS: Final = 100_000_000
"""Where a graph has more walks of a length than this, chains of that length are estimated too."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Chain:
    """A distinct sequence of distinct norms joined by relations.

    Attributes:
        norms: Refs in order.
        relations: The type of each step.
        wide: Whether the out-neighbours of the first norm span two branches of law.
        dates: For temporal_validity: the norms with a known date, with it and its basis.
    """

    task_type: TaskType
    depth: Depth
    norms: tuple[NormId, ...]
    relations: tuple[RelationType, ...]
    wide: bool = False
    dates: tuple[tuple[NormId, str, DateBasis | None], ...] = ()

    @property
    def key(self) -> str:
        """Names the chain: the first 16 hex digits of the digest of type and norms."""
        return hashlib.sha256("\n".join([self.task_type, *self.norms]).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Share:
    """What one stratum of a cell has, is to give and gives.

    Attributes:
        target: As far as the stratum has so many chains.
    """

    name: str
    available: Figure
    target: int
    drawn: int


@dataclass(frozen=True)
class CellPlan:
    """One cell of the matrix.

    Attributes:
        acts, relations, lengths: Its three margins.
        wide: Chains whose start spans two branches of law; None where that is no stratum.
        pairs: Chains by the acts of the first two norms, in their order.
    """

    task_type: TaskType
    depth: Depth
    available: Figure
    wanted: int
    chains: tuple[Chain, ...]
    acts: tuple[Share, ...]
    relations: tuple[Share, ...]
    lengths: tuple[Share, ...]
    wide: Share | None
    pairs: Mapping[tuple[str, str], Figure]

    @property
    def missing(self) -> int:
        """How many chains the cell lacks."""
        return self.wanted - len(self.chains)


@dataclass(frozen=True)
class Plan:
    """The whole matrix; the same graph, seed and rules give the same one on any machine."""

    seed: int
    wanted: int
    cells: tuple[CellPlan, ...]

    @property
    def chains(self) -> tuple[Chain, ...]:
        """All chains drawn, cell by cell."""
        return tuple(chain for cell in self.cells for chain in cell.chains)

    @property
    def digest(self) -> str:
        """SHA-256 of the chains drawn."""
        lines = "".join(f"{one.task_type}\t{one.depth}\t{','.join(one.norms)}\n" for one in self.chains)
        return hashlib.sha256(lines.encode()).hexdigest()


def cell_tallies(
    graph: ChainGraph,
    *,
    seed: int,
    exact_length: int = EXACT_LENGTH,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> dict[tuple[TaskType, Depth], tuple[Tally, ...]]:
    """Count the chains of every cell, by length.

    Args:
        graph: The graph.
        seed: Decides the walks that estimates rest on.
        exact_length: Longest chains that are counted one by one; longer ones are estimated.
        draws: Walks that an estimate looks at for each act, or up to 20 times as many where few of them are chains.
        progress: Told after each cell.
    """
    longest = max(length for depth in Depth for length in template(TaskType.RULE_SELECTION, depth).lengths)
    walks = {dated: Walks(graph, longest, dated) for dated in (0, 2)}
    while exact_length > 1 and walks[0].space(range(len(graph.types)), exact_length).size > EXACT_WALKS:
        exact_length -= 1
    exact = {dated: count_by_first_relation(graph, exact_length, dated) for dated in (0, 2)}
    tallies: dict[tuple[TaskType, Depth], tuple[Tally, ...]] = {}
    for task_type in TaskType:
        for depth in Depth:
            asked = template(task_type, depth)
            tallies[task_type, depth] = tuple(
                norms_tally(graph, asked.dated)
                if length == 1
                else exact_tally(graph, length, exact[asked.dated][length].tolist(), asked.first)
                if length <= exact_length
                else estimated_tally(
                    graph, walks[asked.dated], length, asked.first, seed=f"{seed}/count/{task_type}", draws=draws
                )
                for length in asked.lengths
            )
            if progress:
                progress("cells counted", len(tallies), len(TaskType) * len(Depth))
    return tallies


def make_plan(
    graph: ChainGraph,
    *,
    seed: int = 42,
    wanted: int = 300,
    rules: SamplingRules | None = None,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> Plan:
    """Count, choose targets, and draw.

    Args:
        graph: The graph.
        seed: Decides everything that is drawn.
        wanted: Chains of all cells together; each cell gets the same number, the first ones one more.
        rules: How they are spread.
        draws: As in `cell_tallies`; it is part of what decides the chains.
        progress: Told after each cell.

    Raises:
        InputError: Fewer than one chain is wanted.
    """
    if wanted < 1:
        raise InputError(f"wanted {wanted!r} is less than 1; ask for at least one chain")
    rules = rules or SamplingRules()
    tallies = cell_tallies(graph, seed=seed, draws=draws, progress=progress)
    walks = {dated: Walks(graph, max(t.length for ts in tallies.values() for t in ts), dated) for dated in (0, 1, 2)}
    used: set[Places] = set()
    cells = []
    for number, ((task_type, depth), counted) in enumerate(tallies.items()):
        quota = wanted // len(tallies) + (number < wanted % len(tallies))
        asked = template(task_type, depth)
        cells.append(_cell(graph, walks[asked.dated], asked, counted, quota, rules, f"{seed}/draw", used))
    return Plan(seed, wanted, tuple(cells))


def _cell(  # noqa: PLR0917 - one step of make_plan
    graph: ChainGraph,
    walks: Walks,
    asked: Template,
    tallies: tuple[Tally, ...],
    wanted: int,
    rules: SamplingRules,
    seed: str,
    used: set[Places],
) -> CellPlan:
    available: dict[Cell, int] = {}
    for tally in tallies:
        for stratum in tally.strata:
            cell = (stratum._replace(to_act=None), tally.length)
            if rules.share(tally.length) > 0 and cell not in available:
                available[cell] = tally.figure(_like(cell[0])).count
    pools = {cell: Pool(graph, walks, cell, f"{seed}/{asked.query}/{_name(cell)}") for cell in available}
    weights = dict(available)
    spent = _spent(graph, asked, used)
    if sum(max(0, count - spent[cell]) for cell, count in available.items()) >= wanted:
        # Chains of another type are drawn a second time only where there are too few without them.
        available = {cell: max(0, count - spent[cell]) for cell, count in available.items()}
    while True:
        targets = _targets(asked, weights, available, wanted, rules)
        drawn: dict[Cell, list[Places]] = {}
        short = False
        for cell, count in spread(available, targets, wanted).items():
            drawn[cell] = pools[cell].take(count, used)
            if len(drawn[cell]) < count:
                # The estimate promised more than there is: what is there is known now, and the rest goes elsewhere.
                available[cell] = len(drawn[cell])
                short = True
        if not short:
            break
    for places in drawn.values():
        used.update(places)
    return CellPlan(
        task_type=asked.task_type,
        depth=asked.depth,
        available=_sum(tally.figure() for tally in tallies),
        wanted=wanted,
        chains=tuple(
            _chain(graph, asked, places) for places in sorted(place for cell in drawn.values() for place in cell)
        ),
        acts=_shares(tallies, drawn, targets.acts, lambda stratum: stratum.act),
        relations=_shares(tallies, drawn, targets.relations, lambda stratum: stratum.relation),
        lengths=tuple(
            Share(
                str(tally.length),
                tally.figure(),
                targets.lengths.get(tally.length, 0),
                sum(len(found) for cell, found in drawn.items() if cell[1] == tally.length),
            )
            for tally in tallies
        ),
        wide=None
        if targets.wide is None
        else Share(
            "two branches",
            _sum(tally.figure(lambda stratum: stratum.wide) for tally in tallies),
            targets.wide,
            sum(len(found) for cell, found in drawn.items() if cell[0].wide),
        ),
        pairs=_pairs(tallies),
    )


def _spent(graph: ChainGraph, asked: Template, used: set[Places]) -> Counter[Cell]:
    """Count the chains that other cells have drawn and that this template would take too."""
    spent: Counter[Cell] = Counter()
    for places in used:
        length = len(places)
        if length not in asked.lengths or sum(int(graph.dated[place]) for place in places) < asked.dated:
            continue
        if length == 1:
            spent[Stratum(graph.norms[places[0]].act, graph.wide[places[0]], None, None), 1] += 1
            continue
        relation = graph.relation(places[0], places[1])
        if relation is not None and graph.types[relation] in asked.first:
            spent[graph.strata[relation]._replace(to_act=None), length] += 1
    return spent


def _targets(
    asked: Template, weights: Mapping[Cell, int], available: Mapping[Cell, int], wanted: int, rules: SamplingRules
) -> Targets:
    """Return the targets that chains allow.

    Args:
        asked: The template.
        weights: How many chains there are, by which strata are weighed.
        available: How many of them can be drawn.
        wanted: Chains of the cell.
        rules: How they are spread.
    """
    wanted = min(wanted, sum(available.values()))

    def margin(counts: Mapping[Cell, int], name: Callable[[Cell], str | int | None]) -> dict[str | int, int]:
        summed: Counter[str | int] = Counter()
        for cell, count in counts.items():
            key = name(cell)
            if key is not None:
                summed[key] += count
        return {key: summed[key] for key in sorted(summed, key=str)}

    def by_weight(name: Callable[[Cell], str | int | None]) -> dict[str, int]:
        powers = {key: count**rules.power for key, count in margin(weights, name).items()}
        return {str(key): share for key, share in apportion(powers, margin(available, name), wanted).items()}

    lengths = {int(key): count for key, count in margin(available, lambda cell: cell[1]).items()}
    wide = sum(count for cell, count in available.items() if cell[0].wide)
    narrow = sum(available.values()) - wide
    return Targets(
        by_weight(lambda cell: cell[0].act),
        max(wanted - narrow, min(wide, math.floor(rules.branches_share * wanted + 0.5))) if asked.by_branches else None,
        by_weight(lambda cell: cell[0].relation),
        apportion({length: rules.share(length) for length in sorted(lengths)}, lengths, wanted),
    )


def _shares(
    tallies: tuple[Tally, ...],
    drawn: Mapping[Cell, list[Places]],
    targets: Mapping[str, int],
    name: Callable[[Stratum], str | None],
) -> tuple[Share, ...]:
    return tuple(
        Share(
            str(key),
            _sum(tally.figure(lambda stratum, key=key: name(stratum) == key) for tally in tallies),  # type: ignore[misc]
            target,
            sum(len(found) for cell, found in drawn.items() if name(cell[0]) == key),
        )
        for key, target in targets.items()
    )


def _pairs(tallies: tuple[Tally, ...]) -> dict[tuple[str, str], Figure]:
    pairs = sorted({(one.act, one.to_act) for tally in tallies for one in tally.strata if one.to_act is not None})
    return {
        pair: _sum(
            tally.figure(lambda stratum, pair=pair: (stratum.act, stratum.to_act) == pair)  # type: ignore[misc]
            for tally in tallies
        )
        for pair in pairs
    }


def _chain(graph: ChainGraph, asked: Template, places: Places) -> Chain:
    steps = [graph.relation(source, target) for source, target in pairwise(places)]
    norms = [graph.norms[place] for place in places]
    return Chain(
        asked.task_type,
        asked.depth,
        tuple(norm.ref for norm in norms),
        tuple(graph.types[step] for step in steps if step is not None),
        graph.wide[places[0]],
        tuple((norm.ref, norm.valid_from, norm.basis) for norm in norms if norm.valid_from is not None)
        if asked.dated
        else (),
    )


def _sum(figures: Iterable[Figure]) -> Figure:
    """Add figures of different lengths; their draws are independent of each other."""
    parts = list(figures)
    count = sum(part.count for part in parts)
    if all(part.exact for part in parts):
        return Figure(count, True, count, count)
    below = math.sqrt(sum((part.count - part.low) ** 2 for part in parts))
    above = math.sqrt(sum((part.high - part.count) ** 2 for part in parts))
    return Figure(count, False, max(0, math.floor(count - below)), math.ceil(count + above))


def _like(wanted: Stratum) -> Callable[[Stratum], bool]:
    return lambda one: (one.act, one.wide, one.relation) == (wanted.act, wanted.wide, wanted.relation)


def _name(cell: Cell) -> str:
    stratum, length = cell
    return f"{stratum.act}/{stratum.wide:d}/{stratum.relation}/{length}"
