"""A run's table of scores, and the figures that are computed from it; kept under the run's change number."""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from service.analysis import Bootstrap
from service.analysis.stream import Floats
from service.benchmarks import evaluation_of
from service.db import Run, RunKind, ScoreLine, outcome_counts, read_run, run_scores, untried_count
from service.domain import Mode
from service.errors import InputError

if TYPE_CHECKING:
    from service.analysis import Weights
    from service.db import Database

__all__ = ["ItemScore", "Pair", "RunTable", "TableCache", "load_table", "read_weights"]

BOOTSTRAP: Final = Bootstrap()
_GAP_AS_RECORDED: Final = "final_score_gap"


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One task of a run with the mean of its answers' scores.

    Attributes:
        answers: How many answers there are.
        zero: The first answer said nothing; its scores are 0 without a judge.
        final: Mean over all answers with the weights asked for; None where one of them is unavailable.
        spread: Highest less lowest final score; None with fewer than two answers.
    """

    line: ScoreLine
    answers: int
    zero: str | None
    components: Mapping[str, float | None]
    final: float | None
    spread: float | None
    reason: str | None

    @property
    def said_nothing(self) -> bool:
        """Whether the score is the zero of an answer that said nothing, or stands for such a zero in a release."""
        return self.zero is not None or _is_recorded_zero(self)


@dataclass(frozen=True, slots=True)
class Pair:
    """A fabula in both modes."""

    fabula_id: str
    closed: ItemScore | None
    open: ItemScore | None

    @property
    def complete(self) -> bool:
        """Whether both scores are there."""
        return self.closed is not None and self.open is not None and None not in (self.closed.final, self.open.final)

    @property
    def gap(self) -> float:
        """Open less closed, or as the release recorded it; NaN for an incomplete pair."""
        if not self.complete:
            return math.nan
        assert self.closed is not None  # noqa: S101 - complete
        assert self.open is not None  # noqa: S101 - complete
        recorded = self.open.line.details.get(_GAP_AS_RECORDED)
        if recorded is not None:
            return float(recorded)
        return float(self.open.final or 0.0) - float(self.closed.final or 0.0)

    @property
    def both_spoke(self) -> bool:
        """Whether neither answer is a zero for having said nothing."""
        return not any(one is None or one.said_nothing for one in (self.closed, self.open))


def _is_recorded_zero(item: ItemScore) -> bool:
    # A release without outcomes shows an answer that said nothing as an open score of exactly 0 (mhgb.md 5); a closed one
    # may well be 0 for being wrong.
    if item.line.mode != Mode.OPEN.value or item.final != 0.0:
        return False
    return all(value is None for value in item.components.values())


class RunTable:
    """All that a run's figures are computed from.

    Args:
        run: The run.
        lines: Its rows.
        counts: (mode, depth, outcome, submissions).
        weights: Of the components; None: the benchmark's own.
        untried: Tasks of a closed run for which nothing was ever sent.
    """

    def __init__(
        self,
        run: Run,
        lines: Sequence[ScoreLine],
        counts: Sequence[tuple[str, str, str, int]],
        weights: Weights | None = None,
        untried: int = 0,
    ) -> None:
        self.run = run
        self.untried = untried
        self.counts = tuple(counts)
        self.weights = weights
        self._lines = tuple(lines)
        self.items = _items(run, self._lines, weights)

    @property
    def partial(self) -> bool:
        """Whether it has not all of the set: it was made so, or closed before everything was tried."""
        return self.run.partial or self.untried > 0

    def with_weights(self, weights: Weights | None) -> RunTable:
        """Return the same rows under other weights."""
        return self if weights == self.weights else RunTable(self.run, self._lines, self.counts, weights, self.untried)

    def of_mode(self, mode: str) -> list[ItemScore]:
        """Return the items of one mode in their order."""
        return [item for item in self.items if item.line.mode == mode]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Fabulas in their order."""
        found: dict[str, dict[str, ItemScore]] = defaultdict(dict)
        for item in self.items:
            found[item.line.fabula_id][item.line.mode] = item
        return [
            Pair(fabula, modes.get(Mode.CLOSED.value), modes.get(Mode.OPEN.value)) for fabula, modes in found.items()
        ]

    @cached_property
    def complete(self) -> list[Pair]:
        """Pairs with both scores."""
        return [pair for pair in self.pairs if pair.complete]

    def finals(self, pairs: Sequence[Pair], mode: str) -> Floats:
        """Return final scores of complete pairs."""
        side = [pair.closed if mode == Mode.CLOSED.value else pair.open for pair in pairs]
        return np.array([math.nan if one is None or one.final is None else one.final for one in side], dtype=np.float64)


def _items(run: Run, lines: Sequence[ScoreLine], weights: Weights | None) -> list[ItemScore]:
    grouped: dict[int, list[ScoreLine]] = defaultdict(list)
    for line in lines:
        grouped[line.item_id].append(line)
    return [_item(run, group, weights) for group in grouped.values()]


def _item(run: Run, lines: Sequence[ScoreLine], weights: Weights | None) -> ItemScore:
    answers = [line for line in lines if line.submission_id is not None]
    first = lines[0]
    if not answers:
        return ItemScore(first, 0, None, {}, None, None, "no answer")
    unread = next((line for line in answers if not line.scored), None)
    if unread is not None:
        return ItemScore(first, len(answers), None, {}, None, None, "not read yet")
    names = list(first.components)
    finals = [_weighted(run, line, weights) for line in answers]
    components = {name: _mean([line.components.get(name) for line in answers]) for name in names}
    there = [final for final in finals if final is not None]
    return ItemScore(
        line=first,
        answers=len(answers),
        zero=first.zero,
        components=components,
        final=_mean(finals),
        spread=max(there) - min(there) if len(there) > 1 else None,
        reason=next((line.reason for line in answers if line.reason), None),
    )


def _weighted(run: Run, line: ScoreLine, weights: Weights | None) -> float | None:
    if weights is None:
        return line.final
    values = [line.components.get(name) for name in evaluation_of(run.benchmark).components]
    total = 0.0
    for weight, value in zip(weights.values, values, strict=True):
        if value is None:
            return None
        total += weight * value
    return min(1.0, total)


def _mean(values: Sequence[float | None]) -> float | None:
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total / len(values) if values else None


def read_weights(given: str | None) -> Weights | None:
    """Read ``0.5,0.25,0.25``; None for None.

    Raises:
        InputError: They are not three numbers from 0 up that sum to 1.
    """
    if given is None:
        return None
    from service.analysis import Weights  # noqa: PLC0415 - it loads scipy, which a start can do without

    try:
        one, two, three = (float(part) for part in given.split(","))
    except ValueError:
        raise InputError(f"weights {given[:60]!r} are not three numbers; write them as 0.5,0.25,0.25") from None
    return Weights(one, two, three)


class TableCache:
    """Keeps the tables of runs as of their last change; what changed is read anew."""

    def __init__(self, *, entries: int = 64) -> None:
        self._entries = entries
        self._kept: OrderedDict[str, RunTable] = OrderedDict()
        self._derived: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    async def table(self, database: Database, run_id: str) -> RunTable:
        """Return a run's table with the benchmark's weights."""
        async with database.read() as session:
            run = await read_run(session, run_id)
            kept = self._kept.get(run_id)
            if kept is not None and kept.run == run:
                self._kept.move_to_end(run_id)
                return kept
            is_over = run.closed_at is not None and run.kind is RunKind.RUN
            untried = await untried_count(session, run_id) if is_over else 0
            lines, counts = await run_scores(session, run_id), await outcome_counts(session, run_id)
            table = RunTable(run, lines, counts, untried=untried)
        self._kept[run_id] = table
        while len(self._kept) > self._entries:
            self._kept.popitem(last=False)
        return table

    def derived(self, key: tuple[Any, ...]) -> Any:
        """Return what was computed before under a key that names the changes it rests on; None when unknown."""
        if key in self._derived:
            self._derived.move_to_end(key)
        return self._derived.get(key)

    def keep(self, key: tuple[Any, ...], value: Any) -> None:
        """Keep something computed."""
        self._derived[key] = value
        while len(self._derived) > self._entries:
            self._derived.popitem(last=False)


async def load_table(database: Database, run_id: str) -> RunTable:
    """Return a run's table, read now."""
    return await TableCache(entries=1).table(database, run_id)
