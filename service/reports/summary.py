"""The tables of a report beyond the published files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from service.analysis import (
    COMPONENTS,
    PUBLISHED_THRESHOLDS,
    PUBLISHED_WEIGHTS,
    Bootstrap,
    GapTable,
    Interval,
    Quadrant,
    RankIntervals,
    SliceInterval,
    contamination_signals,
    fabulas_needed,
    holm,
    judge_agreement,
    kendall_tau,
    paired_test,
    quadrants,
    rank_intervals,
    slice_intervals,
    stars,
    tau_over_weights,
    weighted,
)
from service.analysis.stream import Floats, ordered_mean
from service.domain import Depth
from service.reports.model import ReportInput
from service.reports.published import Standing
from service.reports.tables import Cell, Field, Table

__all__ = [
    "Common",
    "agreement_table",
    "common_scores",
    "contamination_table",
    "depth_table",
    "leaderboard_table",
    "neighbour_table",
    "power_table",
    "quadrant_table",
    "rank_table",
    "sensitivity_table",
    "slice_table",
    "slices_of_models",
]

POWER_SIZES = (0.02, 0.05, 0.1)
"""Sizes of GAP that the power table answers for."""

DEPTH_RESAMPLES = 5000
"""Resamples of MHGB's two-sample bootstrap over depths (mhgb 7)."""


@dataclass(frozen=True, slots=True)
class Common:
    """Scores over the fabulas that all models have pairs for, models in the order of the standings.

    Attributes:
        names: Display names.
        closed: Shape (models, tasks).
        open: Shape (models, tasks).
        components: Shape (models, 3): mean gap of each component over the same fabulas; NaN where unavailable.
        tasks: Number of fabulas.
        ranks: Ranks by closed score; None without a common fabula.
    """

    names: tuple[str, ...]
    closed: Floats
    open: Floats
    components: Floats
    tasks: int
    ranks: RankIntervals | None


def common_scores(ranked: Sequence[Standing], bootstrap: Bootstrap) -> Common:
    """Return the scores that compare: rows over different fabulas do not."""
    table = GapTable.concatenated([one.entry.table for one in ranked])
    shared = table[table.common_tasks() & table.scored]
    models = list(table.model.names)
    place = {name: k for k, name in enumerate(models)}
    kept, codes = np.unique(shared.task.codes, return_inverse=True)
    closed, opened = np.full((2, len(models), len(kept)), np.nan)
    closed[shared.model.codes, codes] = shared.closed
    opened[shared.model.codes, codes] = shared.open
    sums = np.zeros((len(models), len(COMPONENTS)))
    np.add.at(sums, shared.model.codes, shared.component_gaps)
    order = [place[one.entry.model] for one in ranked]
    ranks = rank_intervals(closed[order], bootstrap) if len(kept) else None
    components = sums[order] / len(kept) if len(kept) else np.full(sums.shape, np.nan)
    return Common(
        tuple(one.entry.display for one in ranked), closed[order], opened[order], components, len(kept), ranks
    )


def leaderboard_table(report: ReportInput, ranked: Sequence[Standing], common: Common) -> Table:
    """Return the leaderboard: means over complete pairs, without answers that said nothing, and over common fabulas."""
    fabulas = None if report.cell_size is None else report.cell_size * 12
    told = all(one.entry.silent is not None for one in ranked)
    places = {name: place for place, name in enumerate(common.names)} if common.tasks else {}
    open_common = {name: ordered_mean(common.open[place]) for name, place in places.items()}
    rank = 0
    rows: list[tuple[Cell, ...]] = []
    for one in ranked:
        name, scored = one.entry.display, one.entry.table.scored
        table = one.entry.table[scored]
        silent = one.entry.silent[:, scored] if told and one.entry.silent is not None else None
        zeros = np.stack([table.closed == 0, table.open == 0]) if silent is None else silent
        left_out = zeros[1] if silent is None else silent.any(axis=0)
        without = (
            ordered_mean(table.gap[~left_out] if told else table.difference[~left_out]) if (~left_out).any() else None
        )
        shared: tuple[Cell, ...] = (None, None, None)
        if name in places:
            better = sum(other > open_common[name] for other in open_common.values())
            shared = (ordered_mean(common.closed[places[name]]), open_common[name], better + 1)
        has_rank = report.one_board and one.pairs > 0 and not one.entry.not_ranked
        rank += has_rank
        rows.append(
            (
                rank if has_rank else None,
                name,
                one.entry.group,
                one.pairs,
                fabulas or one.total,
                one.closed,
                one.open,
                one.gap,
                stars(one.test.p_value),
                int(zeros[0].sum()),
                int(zeros[1].sum()),
                without,
                *(shared if report.one_board else (*shared[:2], None)),
            )
        )
    zero_fields = (
        (
            Field("closed_silent", "Closed said nothing"),
            Field("open_silent", "Open said nothing"),
            Field("gap_without_silent", "GAP without these", 4),
        )
        if told
        else (
            Field("closed_zeros", "Closed 0"),
            Field("open_zeros", "Open 0"),
            Field("gap_without_open_zeros", "GAP without open 0", 4),
        )
    )
    fields = (
        Field("rank", "#"),
        Field("model", "Model"),
        Field("group", "Group"),
        Field("pairs", "Pairs"),
        Field("fabulas", "of"),
        Field("closed", "Closed", 4, interval=True),
        Field("open", "Open", 4, interval=True),
        Field("gap", "GAP", 4, interval=True),
        Field("sig", "Sig."),
        *zero_fields,
        Field("closed_common", "Closed, common", 4),
        Field("open_common", "Open, common", 4),
        Field("open_rank_common", "Rank open, common"),
    )
    all_models = "all ranked models" if places and len(places) < len(rows) else "all models"
    rest = (
        "Means over complete pairs; a model's own fabulas differ where it lacks pairs, so rows compare in the last three "
        f"columns alone, which rest on the {common.tasks} fabulas that {all_models} share."
    )
    zeros_note = (
        "Said nothing: empty answers and those withheld by a provider, which score 0 on every level; in an imported "
        "release, whose records do not tell them apart, open scores of exactly 0. GAP without these leaves out every pair "
        "with one."
        if told
        else "Without open 0: pairs whose open answer did not score exactly 0, which is what an empty or refused answer "
        "scores; the records do not tell such an answer from one that earned nothing."
    )
    tail = "the normal approximation, as published" if report.tail == "normal" else "Student's t"
    levels = f"Sig. by {tail}: *** p < 0.001, ** p < 0.01, * p < 0.05, n.s. otherwise."
    return Table("leaderboard", "Leaderboard", fields, tuple(rows), (rest, zeros_note, levels))


def quadrant_table(ranked: Sequence[Standing]) -> Table:
    """Return the share of each quadrant."""
    rows: list[tuple[Cell, ...]] = []
    for one in ranked:
        table = one.entry.table[one.entry.table.scored]
        counts = np.bincount(quadrants(table.closed, table.open), minlength=4) if len(table) else np.zeros(4, dtype=int)
        rows.append((one.entry.display, one.pairs, *(float(c) / one.pairs if one.pairs else None for c in counts)))
    fields = (Field("model", "Model"), Field("pairs", "Pairs"), *(Field(q.value, digits=4) for q in Quadrant))
    return Table("quadrants", "Quadrants at τ = 0.5", fields, tuple(rows))


def slices_of_models(ranked: Sequence[Standing], bootstrap: Bootstrap) -> dict[str, list[SliceInterval]]:
    """Return each model's GAP by type and depth, Holm's correction over all its slices and models together."""
    table = GapTable.concatenated([one.entry.table for one in ranked])
    found = slice_intervals(table, (table.model, table.task_type, table.depth), bootstrap)
    displays = {one.entry.model: one.entry.display for one in ranked}
    by_model: dict[str, list[SliceInterval]] = {one.entry.display: [] for one in ranked}
    for one in found:
        by_model[displays[one.names[0]]].append(
            SliceInterval(one.names[1:], one.interval, one.p_value, one.p_holm, one.reason)
        )
    return by_model


def slice_table(by_model: dict[str, list[SliceInterval]]) -> Table:
    """Return GAP by model, type and depth with intervals and corrected p values."""
    rows: list[tuple[Cell, ...]] = [
        (model, *one.names, one.interval.n if one.interval else 0, one.interval, one.p_value, one.p_holm, one.reason)
        for model, slices in by_model.items()
        for one in slices
    ]
    fields = (
        Field("model", "Model"),
        Field("task_type", "Type"),
        Field("hop_group", "Depth"),
        Field("pairs", "Pairs"),
        Field("gap", "GAP", 4, interval=True),
        Field("p_value", "p", 6),
        Field("p_holm", "p (Holm)", 6),
        Field("reason", "Not applicable"),
    )
    note = "p from Student's t of the paired differences, corrected by Holm over all rows of this table."
    return Table("slices", "GAP by type and depth", fields, tuple(rows), (note,))


def rank_table(common: Common) -> Table:
    """Return each model's rank by closed score with its interval and the probability of being first."""
    fields = (
        Field("model", "Model"),
        Field("rank", "Rank"),
        Field("rank_low", "from"),
        Field("rank_high", "to"),
        Field("first", "P(first)", 4),
    )
    if common.ranks is None:
        return Table(
            "ranks", "Ranks by closed score", fields, (), ("Not applicable: no fabula is common to all models.",)
        )
    found = common.ranks
    rows = tuple(
        (name, int(found.rank[k]), int(found.low[k]), int(found.high[k]), float(found.probability[k, 0]))
        for k, name in enumerate(common.names)
    )
    note = f"Resampled over the {common.tasks} fabulas that all models share, the same ones for every model; 95 % intervals."
    return Table("ranks", "Ranks by closed score", fields, rows, (note,))


def contamination_table(report: ReportInput, ranked: Sequence[Standing]) -> Table:
    """Return the closed score on public fabulas minus the one on those held back."""
    fields = (
        Field("model", "Model"),
        Field("public", "Public"),
        Field("held_back", "Held back"),
        Field("difference", "Closed, public − held back", 4, interval=True),
        Field("reason", "Not applicable"),
    )
    title = "Signal of contamination"
    if report.public is None:
        return Table("contamination", title, fields, (), (f"Not applicable: {report.public_reason}.",))
    table = GapTable.concatenated([one.entry.table for one in ranked])
    found = {one.model: one for one in contamination_signals(table, report.public, report.bootstrap)}
    rows: list[tuple[Cell, ...]] = []
    for one in ranked:
        signal = found.get(one.entry.model)
        if signal is None:
            rows.append((one.entry.display, 0, 0, None, "not applicable: no records"))
        else:
            rows.append((one.entry.display, signal.public, signal.held_back, signal.difference, signal.reason))
    note = "A positive difference speaks for public tasks seen in training; intervals stratified by type and depth."
    return Table("contamination", title, fields, tuple(rows), (note,))


def sensitivity_table(common: Common) -> Table:
    """Return how the order of models changes under other weights and thresholds."""
    rows: list[tuple[Cell, ...]] = []
    known = np.flatnonzero(~np.isnan(common.components).any(axis=1))
    names = [common.names[place] for place in known]
    components = common.components[known]
    if names:
        taus = tau_over_weights(components, PUBLISHED_WEIGHTS, PUBLISHED_WEIGHTS[0])
        for weights, tau in zip(PUBLISHED_WEIGHTS, taus, strict=True):
            first = names[int(np.argmax(weighted(components, weights)))]
            rows.append(("weights NC, SC, AC", ", ".join(f"{w:.4g}" for w in weights.values), "GAP", first, tau))
    if common.tasks:
        shares = [
            np.array(
                [(quadrants(c, o, threshold) == 0).mean() for c, o in zip(common.closed, common.open, strict=True)]
            )
            for threshold in PUBLISHED_THRESHOLDS
        ]
        base = shares[PUBLISHED_THRESHOLDS.index(0.5)]
        for threshold, share in zip(PUBLISHED_THRESHOLDS, shares, strict=True):
            first = common.names[int(np.argmax(share))]
            rows.append(("threshold", f"{threshold:g}", "share that knows", first, kendall_tau(base, share)))
    fields = (
        Field("varied", "Varied"),
        Field("value", "Value"),
        Field("ranked_by", "Ranked by"),
        Field("first", "First"),
        Field("tau", "Kendall's τ", 4),
    )
    note = f"τ against equal weights, and against threshold 0.5, over the {common.tasks} common fabulas."
    return Table("sensitivity", "Rankings under weights and thresholds", fields, tuple(rows), (note,))


def depth_table(report: ReportInput, ranked: Sequence[Standing]) -> Table:
    """Return how GAP differs between depths: two-sample bootstrap of 5,000 resamples."""
    pairs = ((Depth.DEEP, Depth.SHALLOW), (Depth.DEEP, Depth.MEDIUM), (Depth.MEDIUM, Depth.SHALLOW))
    samples: list[tuple[Floats, Floats]] = []
    rows: list[tuple[str, str, str]] = []
    for one in ranked:
        table = one.entry.table[one.entry.table.scored]
        for first, second in pairs:
            sides = [table.difference[table.depth.where(depth.value)] for depth in (first, second)]
            reason = "" if all(len(side) for side in sides) else "not applicable: a depth has no pairs"
            rows.append((one.entry.display, f"{first.value} − {second.value}", reason))
            if not reason:
                samples.append((sides[0], sides[1]))
    bootstrap = Bootstrap(DEPTH_RESAMPLES, report.bootstrap.seed, report.bootstrap.alpha)
    drawn = iter(bootstrap.differences(samples))
    cells: list[tuple[Cell, ...]] = [(*row[:2], None if row[2] else next(drawn), row[2]) for row in rows]
    fields = (
        Field("model", "Model"),
        Field("depths", "Depths"),
        Field("difference", "Difference of GAP", 4, interval=True),
        Field("reason", "Not applicable"),
    )
    return Table("depths", "GAP between depths", fields, tuple(cells))


def neighbour_table(common: Common, bootstrap: Bootstrap) -> Table:
    """Return neighbours in the closed ranking: their difference, whether it is shown, and what would show it."""
    fields = (
        Field("better", "Better"),
        Field("worse", "Worse"),
        Field("difference", "Difference of closed", 4, interval=True),
        Field("p_value", "p", 6),
        Field("p_holm", "p (Holm)", 6),
        Field("fabulas_needed", "Fabulas needed"),
        Field("reason", "Not applicable"),
    )
    title = "Neighbours in the ranking"
    if common.ranks is None or len(common.names) < 2:
        return Table("neighbours", title, fields, (), ("Not applicable: fewer than two models with common fabulas.",))
    order = np.argsort(common.ranks.rank, kind="stable")
    found = list(pairwise(order.tolist()))
    series = [common.closed[a] - common.closed[b] for a, b in found]
    drawn = bootstrap.means(series)
    tests = [paired_test(values) for values in series]
    corrected = iter(holm([test.p_value for test in tests if test.p_value is not None]))
    rows: list[tuple[Cell, ...]] = []
    for (a, b), values, interval, test in zip(found, series, drawn, tests, strict=True):
        needed, reason = None, test.reason
        if not reason and test.mean:
            power = fabulas_needed(values, test.mean)
            needed, reason = power.fabulas, power.reason
        rows.append(
            (
                common.names[a],
                common.names[b],
                interval,
                test.p_value,
                None if test.p_value is None else next(corrected),
                needed,
                reason,
            )
        )
    note = (
        f"Paired over the {common.tasks} common fabulas; p from Student's t. Fabulas needed to show the observed difference "
        "at level 0.05 with power 0.8."
    )
    return Table("neighbours", title, fields, tuple(rows), (note,))


def power_table(ranked: Sequence[Standing]) -> Table:
    """Return how many fabulas a paired test needs to show a GAP of a given size, and a difference of GAP between models."""
    columns = [(size, f"n_{size:g}".replace(".", "_")) for size in POWER_SIZES]
    rows: list[tuple[Cell, ...]] = []
    series = {one.entry.display: one.entry.table.difference[one.entry.table.scored] for one in ranked}
    for name, values in series.items():
        needed = [fabulas_needed(values, size) for size in POWER_SIZES]
        rows.append((name, needed[0].std, *(one.fabulas for one in needed), needed[0].reason))
    fields = (
        Field("model", "Model"),
        Field("std", "Std of GAP", 4),
        *(Field(name, f"GAP of {size:g}") for size, name in columns),
        Field("reason", "Not applicable"),
    )
    note = (
        "Fabulas that a paired two-sided t test needs to show a GAP of this size with power 0.8 at level 0.05; to show a "
        "difference between two models over the same fabulas, see the table of neighbours."
    )
    return Table("power", "How many fabulas a GAP needs", fields, tuple(rows), (note,))


def agreement_table(report: ReportInput) -> Table:
    """Return how far judges agree: κ never without raw agreement, AC1 and PABAK."""
    fields = (
        Field("first", "Judge"),
        Field("second", "Judge"),
        Field("level", "Level"),
        Field("both", "Both"),
        Field("total", "of"),
        Field("raw", "Raw", 4),
        Field("kappa", "Cohen's κ", 4, interval=True),
        Field("ac1", "AC1", 4),
        Field("pabak", "PABAK", 4),
        Field("alpha", "Krippendorff's α", 4),
        Field("difference", "Difference", 4, interval=True),
        Field("reason", "Not applicable"),
    )
    title = "Agreement of judges"
    if not report.judge_pairs:
        return Table("judges", title, fields, (), ("Not applicable: a single judge's scores are at hand.",))
    rows: list[tuple[Cell, ...]] = []
    for pair in report.judge_pairs:
        found = judge_agreement(pair.first_scores, pair.second_scores, report.bootstrap, pair.values)
        kappa = found.kappa
        interval = None
        if kappa.value is not None and kappa.low is not None and kappa.high is not None:
            interval = Interval(kappa.value, kappa.low, kappa.high, kappa.n)
        labels = found.labels
        measures: list[Cell] = (
            [labels.raw, interval, labels.ac1, labels.pabak] if labels else [None, interval, None, None]
        )
        reasons = "; ".join(reason for reason in (found.reason, kappa.reason) if reason)
        row = (
            pair.first,
            pair.second,
            pair.level,
            found.both,
            len(pair.first_scores),
            *measures,
            found.alpha,
            found.mean_difference,
            reasons,
        )
        rows.append(row)
    bins = (
        "" if all(pair.values for pair in report.judge_pairs) else ", five bins of the score where these are not known"
    )
    note = (
        f"Labels are the values that a judge may give{bins}; α and the difference (first less second) are of the scores "
        "themselves. Both: what both judges gave a verdict on, of all that the second was asked; the rest is in no figure. "
        "κ falls where nearly all labels are equal, so raw agreement, AC1 and PABAK stand beside it."
    )
    return Table("judges", title, fields, tuple(rows), (note,))
