"""The figures of a report."""

from service.reports.figures.judgement import error_figure, rank_figure, weight_figure
from service.reports.figures.scores import gap_figure, leaderboard_figure, quadrant_figure, radar_figure
from service.reports.figures.style import MODELS_SHOWN, Palette, names_in_boxes, png_bytes, styled, svg_bytes

__all__ = [
    "MODELS_SHOWN",
    "Palette",
    "error_figure",
    "gap_figure",
    "leaderboard_figure",
    "names_in_boxes",
    "png_bytes",
    "quadrant_figure",
    "radar_figure",
    "rank_figure",
    "styled",
    "svg_bytes",
    "weight_figure",
]
