"""Figures of what rests on what: errors, ranks under chance, ranks under weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from service.analysis import RankIntervals, Weights
from service.reports.figures.style import HATCHES, MODELS_SHOWN, Palette, new_figure
from service.reports.labels import ReportLanguage, label

__all__ = ["error_figure", "rank_figure", "weight_figure"]

_ERROR_COLOURS = (Palette.BLACK, Palette.BLUE, Palette.ORANGE, Palette.SKY, Palette.YELLOW)


def error_figure(counts: Mapping[str, Sequence[int]], kinds: Sequence[str], language: ReportLanguage) -> Figure:
    """Shares of the kinds of error, a bar a row.

    Args:
        counts: For each row (a model and a mode) its failed answers of each kind.
        kinds: Names of the kinds; colours and hatches repeat after the fifth.
        language: Of the labels.
    """
    shown = list(counts)[: 2 * MODELS_SHOWN]
    figure = new_figure(1.6 + 0.3 * len(shown))
    axes = figure.subplots()
    for row, name in enumerate(shown):
        left, total = 0.0, sum(counts[name])
        for k in range(len(kinds)):
            share = counts[name][k] / total if total else 0.0
            hatch_colour = "white" if k == 0 else "black"
            axes.barh(
                row,
                share,
                left=left,
                height=0.72,
                color=_ERROR_COLOURS[k % len(_ERROR_COLOURS)],
                edgecolor=hatch_colour,
                lw=0.5,
                hatch=HATCHES[k % len(HATCHES)],
            )
            left += share
        axes.text(1.01, row, str(total), va="center", fontsize=8)
    axes.text(1.01, -0.95, "n", va="center", fontsize=8)
    axes.set_yticks(range(len(shown)), shown)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(0, 1.08)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.set_title(label("errors_title", language), loc="left")
    handles = [
        axes.barh(
            [0],
            [0],
            color=_ERROR_COLOURS[k % len(_ERROR_COLOURS)],
            edgecolor="black",
            lw=0.5,
            hatch=HATCHES[k % len(HATCHES)],
            label=label(kind, language),
        )
        for k, kind in enumerate(kinds)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8.5)
    return figure


def rank_figure(names: Sequence[str], ranked: RankIntervals, language: ReportLanguage) -> Figure:
    """The probability of each rank, a row a model, best first.

    Args:
        names: Display names, in the order of the arrays of ``ranked``.
        ranked: Their ranks.
        language: Of the labels.
    """
    order = np.argsort(ranked.rank, kind="stable")[:MODELS_SHOWN]
    table = ranked.probability[order][:, : len(order)]
    figure = new_figure(1.4 + 0.36 * len(order))
    axes = figure.subplots()
    axes.imshow(table, cmap="Greys", vmin=0, vmax=1.15, aspect="auto")
    for row in range(len(order)):
        for column in range(len(order)):
            share = table[row, column]
            if share >= 0.005:
                axes.text(
                    column,
                    row,
                    f"{share:.0%}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if share > 0.6 else "black",
                )
    axes.set_yticks(range(len(order)), [names[place] for place in order])
    axes.set_xticks(range(len(order)), [str(rank + 1) for rank in range(len(order))])
    axes.set_xlabel(label("rank", language))
    axes.set_title(label("ranks_title", language), loc="left")
    return figure


def weight_figure(grid: Sequence[Weights], taus: Sequence[float | None], language: ReportLanguage) -> Figure:
    """Kendall's τ over all weights, as a triangle; its corners are a single component each."""
    figure = new_figure(6.0)
    axes = figure.subplots()
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
    points = np.array([weights.values for weights in grid]) @ corners
    known = np.array([tau is not None for tau in taus])
    values = np.array([tau for tau in taus if tau is not None])
    least = float(np.floor(values.min() * 10) / 10) if len(values) else 0.0
    drawn = axes.scatter(
        points[known, 0],
        points[known, 1],
        c=values,
        cmap="cividis",
        marker="h",
        s=400,
        lw=0,
        vmin=min(least, 0.9),
        vmax=1.0,
    )
    centre = corners.mean(axis=0)
    axes.plot(*centre, marker="+", ms=12, mew=2, color="black")
    for corner, key, up in zip(
        corners, ("norm_coverage", "step_correctness", "answer_correctness"), (-1, -1, 1), strict=True
    ):
        axes.text(
            corner[0], corner[1] + up * 0.06, f"{label(key, language)} = 1", ha="center", va="center", weight="bold"
        )
    axes.set(xlim=(-0.1, 1.1), ylim=(-0.12, 0.98), aspect="equal")
    axes.set_axis_off()
    axes.set_title(label("weights_title", language), loc="left")
    figure.colorbar(drawn, ax=axes, label=label("tau", language), shrink=0.8)
    return figure
