"""Statistics on arrays: bootstrap, agreement, tests, gaps, slices, ranks.

Plain functions; nothing here knows of a database, a run or a file. Names are looked up when first used, because scipy takes
a second to import and a server that only reads articles does not need it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from service.analysis.agreement import (
        Agreement,
        JudgeAgreement,
        judge_agreement,
        krippendorff_alpha,
        label_agreement,
        wilson,
    )
    from service.analysis.bootstrap import Bootstrap, Interval, TwoSamples
    from service.analysis.contamination import Contamination, contamination_signals
    from service.analysis.coverage import CoveredMean, covered_mean
    from service.analysis.inference import SliceInterval, slice_intervals
    from service.analysis.kappa import BINS, Kappa, cohen_kappa, score_bins, value_places
    from service.analysis.ranking import (
        PUBLISHED_THRESHOLDS,
        RankIntervals,
        kendall_tau,
        rank_intervals,
        ranks,
        tau_over_weights,
    )
    from service.analysis.records import COMPONENTS, THRESHOLD, Column, Component, GapTable, Quadrant, quadrants
    from service.analysis.significance import (
        McNemar,
        PairedTest,
        Power,
        fabulas_needed,
        holm,
        mcnemar,
        paired_test,
        stars,
    )
    from service.analysis.slices import GapSummary, Moments, Slice, gap_summaries, moments, slices_by
    from service.analysis.weights import PUBLISHED_WEIGHTS, Weights, weight_grid, weighted

__all__ = [
    "BINS",
    "COMPONENTS",
    "PUBLISHED_THRESHOLDS",
    "PUBLISHED_WEIGHTS",
    "THRESHOLD",
    "Agreement",
    "Bootstrap",
    "Column",
    "Component",
    "Contamination",
    "CoveredMean",
    "GapSummary",
    "GapTable",
    "Interval",
    "JudgeAgreement",
    "Kappa",
    "McNemar",
    "Moments",
    "PairedTest",
    "Power",
    "Quadrant",
    "RankIntervals",
    "Slice",
    "SliceInterval",
    "TwoSamples",
    "Weights",
    "cohen_kappa",
    "contamination_signals",
    "covered_mean",
    "fabulas_needed",
    "gap_summaries",
    "holm",
    "judge_agreement",
    "kendall_tau",
    "krippendorff_alpha",
    "label_agreement",
    "mcnemar",
    "moments",
    "paired_test",
    "quadrants",
    "rank_intervals",
    "ranks",
    "score_bins",
    "slice_intervals",
    "slices_by",
    "stars",
    "tau_over_weights",
    "value_places",
    "weight_grid",
    "weighted",
    "wilson",
]

_MODULES = {
    "agreement": (
        "Agreement",
        "JudgeAgreement",
        "judge_agreement",
        "krippendorff_alpha",
        "label_agreement",
        "wilson",
    ),
    "kappa": ("BINS", "Kappa", "cohen_kappa", "score_bins", "value_places"),
    "bootstrap": (
        "Bootstrap",
        "Interval",
        "TwoSamples",
    ),
    "contamination": (
        "Contamination",
        "contamination_signals",
    ),
    "coverage": (
        "CoveredMean",
        "covered_mean",
    ),
    "ranking": (
        "PUBLISHED_THRESHOLDS",
        "RankIntervals",
        "kendall_tau",
        "rank_intervals",
        "ranks",
        "tau_over_weights",
    ),
    "weights": ("PUBLISHED_WEIGHTS", "Weights", "weight_grid", "weighted"),
    "records": (
        "COMPONENTS",
        "THRESHOLD",
        "Column",
        "Component",
        "GapTable",
        "Quadrant",
        "quadrants",
    ),
    "significance": (
        "McNemar",
        "PairedTest",
        "Power",
        "fabulas_needed",
        "holm",
        "mcnemar",
        "paired_test",
        "stars",
    ),
    "inference": (
        "SliceInterval",
        "slice_intervals",
    ),
    "slices": (
        "GapSummary",
        "Moments",
        "Slice",
        "gap_summaries",
        "moments",
        "slices_by",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
