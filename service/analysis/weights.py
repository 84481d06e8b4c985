"""Weights of a final score's components; without scipy, since whoever scores an answer needs them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from service.analysis.records import COMPONENTS
from service.analysis.stream import Floats
from service.errors import InputError

__all__ = ["PUBLISHED_WEIGHTS", "Weights", "weight_grid", "weighted"]


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of NC, SC and AC in a final score.

    Attributes:
        norm_coverage: α, from 0 to 1.
        step_correctness: β, from 0 to 1.
        answer_correctness: γ, from 0 to 1.
    """

    norm_coverage: float
    step_correctness: float
    answer_correctness: float

    def __post_init__(self) -> None:
        """Refuse weights that do not make a mean.

        Raises:
            InputError: A weight is negative or not finite, or they do not sum to 1.
        """
        if not all(math.isfinite(w) and w >= 0 for w in self.values):
            raise InputError(f"weights {self.values!r} must be numbers from 0 up; correct the one that is not")
        if not math.isclose(math.fsum(self.values), 1.0, abs_tol=1e-9):
            raise InputError(
                f"weights {self.values!r} sum to {math.fsum(self.values):.6g}, not 1; divide each by that sum"
            )

    @property
    def values(self) -> tuple[float, float, float]:
        """The three weights, in the order of `COMPONENTS`."""
        return (self.norm_coverage, self.step_correctness, self.answer_correctness)


PUBLISHED_WEIGHTS: Final = (
    Weights(1 / 3, 1 / 3, 1 / 3),
    Weights(0.5, 0.25, 0.25),
    Weights(0.25, 0.5, 0.25),
    Weights(0.25, 0.25, 0.5),
)
"""Weights under which MHGB compares rankings (mhgb 7)."""


def weighted(components: Floats, weights: Weights) -> Floats:
    """Return α·NC + β·SC + γ·AC.

    Args:
        components: Shape (…, 3), in the order of `COMPONENTS`.
        weights: Their weights.
    """
    if components.shape[-1] != len(COMPONENTS):
        raise InputError(
            f"components of shape {components.shape!r} have not {len(COMPONENTS)} in a row; give NC, SC and AC"
        )
    a, b, c = weights.values
    return np.asarray(a * components[..., 0] + b * components[..., 1] + c * components[..., 2])


def weight_grid(step: int = 20) -> list[Weights]:
    """Return all weights that are multiples of 1/step, the corners of the triangle included.

    Args:
        step: At least 1; 20 gives 231 points.
    """
    if step < 1:
        raise InputError(f"step {step!r} is less than 1; give the number of parts, such as 20")
    return [Weights(a / step, b / step, (step - a - b) / step) for a in range(step + 1) for b in range(step + 1 - a)]
