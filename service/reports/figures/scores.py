"""Figures of scores: the leaderboard, GAP by type and depth, quadrants and radar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from service.analysis import THRESHOLD, Quadrant, SliceInterval, quadrants
from service.domain import Depth, TaskType
from service.reports.figures.style import HATCHES, MODELS_SHOWN, Palette, group_style, new_figure
from service.reports.labels import ReportLanguage, label
from service.reports.published import Standing

__all__ = ["gap_figure", "leaderboard_figure", "quadrant_figure", "radar_figure"]

_POINTS_SHOWN = 1000
"""Points of one panel; more are drawn in every k-th only, since they would cover each other anyway."""


def _title(key: str, shown: int, total: int, language: ReportLanguage) -> str:
    text = label(key, language)
    if shown < total:
        text += " (" + label("shown_first", language).format(shown=shown, total=total) + ")"
    return text


def leaderboard_figure(ranked: Sequence[Standing], language: ReportLanguage) -> Figure:
    """Closed and open means with intervals, a line a model, best closed mean on top."""
    shown = ranked[:MODELS_SHOWN]
    figure = new_figure(1.5 + 0.36 * len(shown))
    axes = figure.subplots()
    groups = sorted({one.entry.group for one in ranked if one.entry.group})
    for row, one in enumerate(shown):
        if one.closed is None or one.open is None:
            axes.annotate("—", (0.02, row), va="center")
            continue
        colour, marker = group_style(groups.index(one.entry.group)) if one.entry.group else (Palette.BLACK, "o")
        axes.plot([one.closed.value, one.open.value], [row - 0.09, row + 0.09], color=Palette.GREY, lw=1, zorder=1)
        # A little apart, so that two equal means are both seen.
        for interval, fill, shift in ((one.closed, "white", -0.09), (one.open, colour, 0.09)):
            axes.errorbar(
                interval.value,
                row + shift,
                xerr=[[max(0.0, interval.value - interval.low)], [max(0.0, interval.high - interval.value)]],
                fmt=marker,
                ms=7,
                mfc=fill,
                mec=colour,
                ecolor=colour,
                elinewidth=1.4,
                capsize=3,
                zorder=2,
            )
    axes.set_yticks(range(len(shown)), [f"{one.entry.display}  ({one.pairs})" for one in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.set_xlabel(label("score", language))
    axes.grid(axis="x", color="#DDDDDD", lw=0.6)
    axes.set_title(_title("leaderboard_title", len(shown), len(ranked), language), loc="left")
    handles: list[Any] = [
        axes.plot([], [], "o", mfc="white", mec="black", label=label("closed", language))[0],
        axes.plot([], [], "o", mfc="black", mec="black", label=label("open", language))[0],
    ]
    for place, group in enumerate(groups):
        colour, marker = group_style(place)
        handles += axes.plot([], [], marker, color=colour, label=label(group, language))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8.5)
    return figure


def gap_figure(by_model: dict[str, Sequence[SliceInterval]], order: Sequence[str], language: ReportLanguage) -> Figure:
    """GAP of every model in each type, a bar a depth, with intervals.

    Args:
        by_model: For each display name its slices by (type, depth).
        order: Display names, in the order to be drawn.
        language: Of the labels.
    """
    shown = list(order)[:MODELS_SHOWN]
    columns = min(3, max(1, len(shown)))
    lines = math.ceil(len(shown) / columns)
    figure = new_figure(1.1 + 1.65 * lines)
    panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    depths = [depth.value for depth in Depth]
    types = [kind.value for kind in TaskType]
    colours = (Palette.YELLOW, Palette.SKY, Palette.BLUE)
    for panel, name in zip(panels.flat, shown, strict=False):
        found = {one.names: one.interval for one in by_model[name]}
        for k, depth in enumerate(depths):
            for x, kind in enumerate(types):
                interval = found.get((kind, depth))
                place = x + (k - 1) * 0.27
                if interval is None:
                    panel.annotate("—", (place, 0.02), ha="center", fontsize=7)
                    continue
                panel.bar(
                    place, interval.value, width=0.25, color=colours[k], edgecolor="black", lw=0.5, hatch=HATCHES[k]
                )
                if interval.n > 1:
                    panel.plot([place, place], [interval.low, interval.high], color="black", lw=1)
        panel.axhline(0, color="black", lw=0.8)
        panel.grid(axis="y", color="#DDDDDD", lw=0.6)
        panel.set_title(name, loc="left", fontsize=9, pad=3)
    for panel in list(panels.flat)[len(shown) :]:
        panel.set_axis_off()
    initials = [_initials(label(kind, language)) for kind in types]
    for panel in panels.flat:
        panel.set_xticks(range(len(types)), initials)
    figure.supylabel(label("gap_axis", language), fontsize=9)
    figure.suptitle(_title("gaps_title", len(shown), len(order), language), fontsize=10)
    handles = [
        panels.flat[0].bar(
            [0], [0], color=colours[k], edgecolor="black", lw=0.5, hatch=HATCHES[k], label=label(depth, language)
        )
        for k, depth in enumerate(depths)
    ]
    key = ",  ".join(f"{short} = {label(kind, language)}" for short, kind in zip(initials, types, strict=True))
    figure.legend(
        handles=handles, loc="outside lower center", ncols=3, frameon=False, title=key, title_fontsize=8, fontsize=8.5
    )
    return figure


def _initials(text: str) -> str:
    return "".join(word[0].upper() for word in text.split())


def quadrant_figure(ranked: Sequence[Standing], language: ReportLanguage) -> Figure:
    """Closed against open score, a panel a model, a point a fabula; the share of each quadrant in its corner."""
    shown = ranked[:MODELS_SHOWN]
    columns = min(4, max(1, len(shown)))
    lines = math.ceil(len(shown) / columns)
    figure = new_figure(1.0 + 2.0 * lines)
    panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    styles = ((Palette.GREEN, "o"), (Palette.BLUE, "^"), (Palette.VERMILION, "s"), (Palette.BLACK, "x"))
    corners = (
        (0.98, 0.99, "right", "top"),
        (0.02, 0.99, "left", "top"),
        (0.98, 0.01, "right", "bottom"),
        (0.02, 0.01, "left", "bottom"),
    )
    for panel, one in zip(panels.flat, shown, strict=False):
        table = one.entry.table[one.entry.table.scored]
        places = quadrants(table.closed, table.open)
        step = max(1, math.ceil(len(table) / _POINTS_SHOWN))
        for k, (colour, marker) in enumerate(styles):
            here = np.flatnonzero(places == k)[::step]
            panel.scatter(
                table.closed[here],
                table.open[here],
                s=9,
                marker=marker,
                color=colour,
                alpha=0.55,
                lw=0.7,
                rasterized=True,
            )
            x, y, ha, va = corners[k]
            if len(table):
                share = f"{(places == k).mean():.0%}"
                panel.text(x, y, share, transform=panel.transAxes, ha=ha, va=va, fontsize=8.5, weight="bold")
        panel.axhline(THRESHOLD, color="black", lw=0.7, ls=":")
        panel.axvline(THRESHOLD, color="black", lw=0.7, ls=":")
        panel.set(xlim=(-0.04, 1.04), ylim=(-0.17, 1.17), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
        panel.set_title(one.entry.display, fontsize=9, pad=3)
        panel.set_box_aspect(1)
    for panel in list(panels.flat)[len(shown) :]:
        panel.set_axis_off()
    for panel in panels[-1]:
        panel.set_xlabel(label("closed_score", language), fontsize=8.5)
    figure.supylabel(label("open_score", language), fontsize=9)
    figure.suptitle(_title("quadrants_title", len(shown), len(ranked), language), fontsize=10)
    handles = [
        panels.flat[0].scatter([], [], s=22, marker=marker, color=colour, label=label(quadrant.value, language))
        for (colour, marker), quadrant in zip(styles, Quadrant, strict=True)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=8.5)
    return figure


def radar_figure(ranked: Sequence[Standing], language: ReportLanguage) -> Figure:
    """Mean closed and open score by type and by depth, a panel a model."""
    shown = ranked[:MODELS_SHOWN]
    columns = min(4, max(1, len(shown)))
    lines = math.ceil(len(shown) / columns)
    figure = new_figure(1.2 + 2.1 * lines)
    panels = figure.subplots(lines, columns, squeeze=False, subplot_kw={"projection": "polar"})
    axes_keys = [*(("task_type", kind.value) for kind in TaskType), *(("depth", depth.value) for depth in Depth)]
    angles = np.linspace(0, 2 * np.pi, len(axes_keys), endpoint=False)
    short = [str(place + 1) for place in range(len(axes_keys))]
    for panel, one in zip(panels.flat, shown, strict=False):
        table = one.entry.table[one.entry.table.scored]
        for values, colour, line, fill in (
            (table.closed, Palette.VERMILION, "--", 0.0),
            (table.open, Palette.BLUE, "-", 0.12),
        ):
            means = []
            for column, name in axes_keys:
                here = values[getattr(table, column).where(name)]
                means.append(float(here.mean()) if len(here) else math.nan)
            ring = np.append(means, means[0])
            panel.plot(np.append(angles, angles[0]), ring, color=colour, ls=line, lw=1.5)
            if fill and not np.isnan(ring).any():
                panel.fill(np.append(angles, angles[0]), ring, color=colour, alpha=fill)
        panel.set(ylim=(0, 1), yticks=[0.5, 1.0], xticks=angles)
        panel.set_yticklabels(["0.5", ""], fontsize=7)
        panel.set_xticklabels(short, fontsize=8)
        panel.tick_params(axis="x", pad=-2)
        panel.set_theta_offset(np.pi / 2)
        panel.set_theta_direction(-1)
        panel.set_title(one.entry.display, fontsize=9, pad=8)
    for panel in list(panels.flat)[len(shown) :]:
        panel.set_axis_off()
    figure.suptitle(_title("radar_title", len(shown), len(ranked), language), fontsize=10)
    handles = [
        panels.flat[0].plot([], [], color=Palette.VERMILION, ls="--", lw=1.5, label=label("closed", language))[0],
        panels.flat[0].plot([], [], color=Palette.BLUE, lw=1.5, label=label("open", language))[0],
    ]
    names = [f"{k} {label(name, language)}" for k, (_, name) in zip(short, axes_keys, strict=True)]
    key = ",  ".join(names[:4]) + "\n" + ",  ".join(names[4:])
    legend = figure.legend(
        handles=handles, loc="outside lower center", ncols=2, frameon=False, title=key, title_fontsize=8, fontsize=8.5
    )
    legend.get_title().set_multialignment("center")
    return figure
