"""How figures look, and how they are written so that the same input gives the same bytes.

Okabe and Ito's colours, told apart in all common kinds of colour blindness; since print may be grey, every distinction
is also one of marker, hatch or line, and the colours chosen for neighbours differ in lightness.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

__all__ = [
    "HATCHES",
    "MODELS_SHOWN",
    "Palette",
    "group_style",
    "names_in_boxes",
    "new_figure",
    "png_bytes",
    "styled",
    "svg_bytes",
]

MODELS_SHOWN: Final = 16
"""Most models that one figure shows; the tables have them all."""

WIDTH: Final = 8.0
"""Inches; at 100 dots an inch a figure is 800 pixels wide."""

_DPI: Final = 100

_FONT: Final = "DejaVu Sans"
"""Comes with matplotlib and has Cyrillic and Greek, so that figures are the same on every machine."""

_FURTHER_FONTS: Final = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Microsoft YaHei",
    "SimHei",
    "PingFang SC",
    "Arial Unicode MS",
)
"""Where there is one, names have Chinese characters from it; the rest of a figure does not change."""


class Palette:
    """Okabe and Ito (2008), from dark to light as grey."""

    BLACK = "#000000"
    BLUE = "#0072B2"
    VERMILION = "#D55E00"
    GREEN = "#009E73"
    PURPLE = "#CC79A7"
    ORANGE = "#E69F00"
    SKY = "#56B4E9"
    YELLOW = "#F0E442"
    GREY = "#8C8C8C"


HATCHES: Final = ("", "////", "....", "xxxx", "\\\\\\\\")

_GROUP_STYLES: Final = (
    (Palette.BLUE, "o"),
    (Palette.VERMILION, "s"),
    (Palette.GREEN, "^"),
    (Palette.PURPLE, "D"),
    (Palette.ORANGE, "v"),
)
"""Colour and marker of a group, by its place."""


def group_style(place: int) -> tuple[str, str]:
    """Return colour and marker of the group at this place; they repeat after the fifth."""
    return _GROUP_STYLES[place % len(_GROUP_STYLES)]


@contextmanager
def styled() -> Iterator[None]:
    """Draw in our style, whatever the user's own matplotlib settings are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": list(_families()),
                "text.parse_math": False,  # a dollar in a model's name is a dollar
                "font.size": 9.0,
                "axes.titlesize": 10.0,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.axisbelow": True,
                "figure.dpi": _DPI,
                "savefig.dpi": _DPI,
                "hatch.linewidth": 0.6,
                "svg.hashsalt": "lexhop",
                "svg.fonttype": "path",
                "path.simplify": False,
            }
        )
        with warnings.catch_warnings():
            # The report says by name what cannot be drawn (`names_in_boxes`).
            warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
            yield


@cache
def _families() -> tuple[str, ...]:
    """Return the fonts that text is taken from, the first one that has a character."""
    there = set(font_manager.fontManager.get_font_names())
    return (_FONT, *(name for name in _FURTHER_FONTS if name in there))


@cache
def _drawable() -> frozenset[int]:
    fonts = [font_manager.findfont(font_manager.FontProperties(family=name)) for name in _families()]
    return frozenset(code for font in fonts for code in font_manager.get_font(font).get_charmap())


def names_in_boxes(names: Iterable[str]) -> list[str]:
    """Return the names with a character that no font at hand has; figures show a box for it."""
    return [name for name in names if any(ord(mark) not in _drawable() and not mark.isspace() for mark in name)]


def new_figure(height: float) -> Figure:
    """Return an empty figure of our width; without pyplot, so that nothing global keeps it."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    return figure


def png_bytes(figure: Figure) -> bytes:
    """Return the figure as PNG, without a program's name or a date."""
    out = io.BytesIO()
    FigureCanvasAgg(figure).print_png(out, metadata={"Software": None})  # type: ignore[no-untyped-call]
    figure.set_layout_engine("none")  # it is laid out now; a second time would find the same and take as long
    return out.getvalue()


def svg_bytes(figure: Figure) -> bytes:
    """Return the figure as SVG, without a program's name or a date."""
    out = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})  # type: ignore[no-untyped-call]
    return out.getvalue()
