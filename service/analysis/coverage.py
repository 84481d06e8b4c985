"""Means that say how much they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from service.analysis.records import Mask
from service.analysis.stream import Floats, ordered_mean
from service.errors import InputError

__all__ = ["CoveredMean", "covered_mean"]


@dataclass(frozen=True, slots=True)
class CoveredMean:
    """A mean of scores with its coverage.

    Attributes:
        mean: Over the scored; None without any.
        scored: Scores that are there.
        total: Scores that there should be.
        least: What the mean would be if every missing score were 0; None without any item.
        most: The same if every missing score were 1.
    """

    mean: float | None
    scored: int
    total: int
    least: float | None
    most: float | None

    @property
    def coverage(self) -> float | None:
        """Scored over total; None without any item."""
        return self.scored / self.total if self.total else None


def covered_mean(scores: Floats, counted: Mask | None = None) -> CoveredMean:
    """Return the mean over what is scored, and the bounds that the unscored leave open.

    Args:
        scores: Shape (n,), 0 to 1; NaN where a score is unavailable. It is never taken as a zero.
        counted: Which items count at all, such as those not excluded; all by default.

    Raises:
        InputError: A score outside 0 to 1, or a mask of another length.
    """
    if counted is not None:
        if counted.shape != scores.shape:
            raise InputError(
                f"mask of shape {counted.shape!r} does not fit scores of shape {scores.shape!r}; give one a score"
            )
        scores = scores[counted]
    there = scores[~np.isnan(scores)]
    if len(there) and not (float(there.min()) >= 0 and float(there.max()) <= 1):
        raise InputError(
            f"scores run from {float(there.min())!r} to {float(there.max())!r}, outside 0 to 1; correct them"
        )
    total = len(scores)
    if not total:
        return CoveredMean(None, 0, 0, None, None)
    mean = ordered_mean(there) if len(there) else None
    held = (mean or 0.0) * len(there)
    return CoveredMean(mean, len(there), total, held / total, (held + total - len(there)) / total)
