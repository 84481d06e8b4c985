"""Figures with twelve models: no two labels overlap, none is cut off, greys tell apart, and they look as they did."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from service.analysis import PUBLISHED_WEIGHTS, tau_over_weights, weight_grid
from service.reports import figures, summary
from service.reports.labels import LABELS, ReportLanguage
from service.reports.published import Standing, standings
from tests.integration.reports.sample import KINDS, sample_report

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "figures"
NAMES = ("leaderboard", "quadrants", "gap", "radar", "ranks", "weights", "errors")


def drawings(models: int, language: ReportLanguage) -> dict[str, Callable[[], Figure]]:
    report = sample_report(models)
    ranked: list[Standing] = standings(report)
    common = summary.common_scores(ranked, report.bootstrap)
    slices = summary.slices_of_models(ranked, report.bootstrap)
    grid = weight_grid()
    taus = tau_over_weights(common.components, grid, PUBLISHED_WEIGHTS[0])
    order = [one.entry.display for one in ranked]
    modes = [LABELS[mode][0 if language == "en" else 1] for mode in ("closed", "open")]
    counts = {
        f"{name} · {mode}": [(k * 7 + m * 3 + j * 5) % 11 + 1 for j in range(5)]
        for k, name in enumerate(order)
        for m, mode in enumerate(modes)
    }
    assert common.ranks is not None
    ranks = common.ranks
    return {
        "leaderboard": lambda: figures.leaderboard_figure(ranked, language),
        "quadrants": lambda: figures.quadrant_figure(ranked, language),
        "gap": lambda: figures.gap_figure(slices, order, language),
        "radar": lambda: figures.radar_figure(ranked, language),
        "ranks": lambda: figures.rank_figure(common.names, ranks, language),
        "weights": lambda: figures.weight_figure(grid, taus, language),
        "errors": lambda: figures.error_figure(counts, KINDS, language),
    }


@pytest.fixture(scope="module")
def drawn() -> dict[tuple[str, str], tuple[Figure, bytes]]:
    found = {}
    with figures.styled():
        languages: tuple[ReportLanguage, ...] = ("en", "ru")
        for language in languages:
            for name, draw in drawings(12, language).items():
                figure = draw()
                found[name, language] = (figure, figures.png_bytes(figure))
    return found


def shown_texts(figure: Figure) -> list[Text]:
    """The texts that are drawn: matplotlib keeps ticks outside of the view, and those of axes that are off."""
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not axes.axison or not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    hidden |= {tick.label1, tick.label2}
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    return [text for text in texts if text not in hidden and text.get_visible() and text.get_text().strip()]


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("name", NAMES)
def test_no_label_overlaps_another_or_leaves_the_picture(
    drawn: dict[tuple[str, str], tuple[Figure, bytes]], name: str, language: str
) -> None:
    figure = drawn[name, language][0]
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown_texts(figure)]
    assert len(boxes) > 10
    width, height = figure.bbox.width, figure.bbox.height
    assert width == 800
    for label, box in boxes:
        assert min(box.x0, box.y0) >= -0.5, label
        assert box.x1 <= width + 0.5, label
        assert box.y1 <= height + 0.5, label
    for (one, a), (other, b) in combinations(boxes, 2):
        overlap = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert min(overlap) <= 1, f"{one!r} and {other!r} overlap by {overlap}"


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("name", NAMES)
def test_no_label_is_smaller_than_can_be_read(
    drawn: dict[tuple[str, str], tuple[Figure, bytes]], name: str, language: str
) -> None:
    assert min(text.get_fontsize() for text in shown_texts(drawn[name, language][0])) >= 7


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_looks_as_it_did(drawn: dict[tuple[str, str], tuple[Figure, bytes]], name: str) -> None:
    """Half size and grey; blocks of 10 pixels may differ a little, as letters do from one matplotlib to the next."""
    image = Image.open(io.BytesIO(drawn[name, "ru"][1])).convert("L")
    small = image.resize((image.width // 2, image.height // 2), Image.Resampling.LANCZOS)
    golden = GOLDEN / f"{name}.png"
    if os.environ.get("LEXHOP_TEST_WRITE_GOLDEN") == "1":
        small.quantize(32).save(golden, optimize=True)
    then = Image.open(golden).convert("L")
    assert small.size == then.size
    difference = np.abs(np.asarray(small, dtype=float) - np.asarray(then, dtype=float))
    rows, columns = difference.shape[0] // 10 * 10, difference.shape[1] // 10 * 10
    blocks = difference[:rows, :columns].reshape(rows // 10, 10, columns // 10, 10).mean(axis=(1, 3))
    assert difference.mean() < 3
    assert blocks.max() < 40


def lightness(colour: str) -> float:
    """CIE L* of a colour, 0 to 100."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_bars_side_by_side_differ_in_lightness() -> None:
    depths = [figures.Palette.YELLOW, figures.Palette.SKY, figures.Palette.BLUE]
    assert all(abs(lightness(a) - lightness(b)) > 15 for a, b in combinations(depths, 2))


def test_many_models_are_cut_and_said_to_be() -> None:
    report = sample_report(12)
    ranked = standings(report) * 3
    with figures.styled():
        figure = figures.leaderboard_figure(ranked, "en")
    assert f"(first {figures.MODELS_SHOWN} of 36 models)" in figure.axes[0].get_title(loc="left")
