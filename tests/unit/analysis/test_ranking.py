"""Rankings under weights, thresholds and chance."""

from __future__ import annotations

import numpy as np
import pytest

from service.analysis import (
    PUBLISHED_WEIGHTS,
    Bootstrap,
    Weights,
    kendall_tau,
    rank_intervals,
    ranks,
    tau_over_weights,
    weight_grid,
    weighted,
)
from service.errors import InputError


@pytest.mark.parametrize("values", [(0.5, 0.5, 0.5), (0.3, 0.3, 0.3), (1.2, -0.2, 0.0), (float("nan"), 0.5, 0.5)])
def test_weights_that_make_no_mean_are_refused(values: tuple[float, float, float]) -> None:
    with pytest.raises(InputError, match="weights"):
        Weights(*values)


def test_published_weights_sum_to_one() -> None:
    assert [sum(weights.values) for weights in PUBLISHED_WEIGHTS] == pytest.approx([1.0] * 4)


def test_a_weighted_score_is_the_sum_of_its_parts() -> None:
    assert weighted(np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 1.0]]), Weights(0.5, 0.25, 0.25)).tolist() == [0.625, 0.25]


def test_equal_scores_share_the_better_rank() -> None:
    assert ranks(np.array([0.2, 0.9, 0.2, 0.1])).tolist() == [2, 1, 2, 4]


def test_tau_of_the_same_and_of_the_reverse_order() -> None:
    scores = np.array([0.1, 0.4, 0.2, 0.9])
    assert kendall_tau(scores, scores * 2) == pytest.approx(1.0)
    assert kendall_tau(scores, -scores) == pytest.approx(-1.0)


def test_tau_of_one_model_or_of_ties_alone_is_not_applicable() -> None:
    assert kendall_tau(np.array([0.3]), np.array([0.4])) is None
    assert kendall_tau(np.array([0.3, 0.3]), np.array([0.4, 0.5])) is None


def test_tau_of_other_models_or_of_no_score_is_refused() -> None:
    with pytest.raises(InputError, match="2 and 3"):
        kendall_tau(np.array([0.1, 0.2]), np.array([0.1, 0.2, 0.3]))
    with pytest.raises(InputError, match="not finite"):
        kendall_tau(np.array([0.1, np.nan]), np.array([0.1, 0.2]))


def test_a_model_that_is_always_first_is_surely_first() -> None:
    low, high = np.linspace(0.0, 0.4, 30), np.linspace(0.5, 0.9, 30)
    found = rank_intervals(np.stack([low, high]), Bootstrap(resamples=100))
    assert found.rank.tolist() == [2, 1]
    assert found.probability.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert (found.low.tolist(), found.high.tolist()) == ([2, 1], [2, 1])


def test_equal_models_share_their_ranks_evenly() -> None:
    same = np.linspace(0.1, 0.7, 20)
    found = rank_intervals(np.stack([same, same, same]), Bootstrap(resamples=50))
    assert found.probability == pytest.approx(np.full((3, 3), 1 / 3))
    assert (found.rank.tolist(), found.low.tolist(), found.high.tolist()) == ([1, 1, 1], [1, 1, 1], [3, 3, 3])


def test_every_model_has_some_rank_and_every_rank_some_model() -> None:
    found = rank_intervals(np.random.default_rng(5).random((6, 40)), Bootstrap(resamples=200))
    assert found.probability.sum(axis=0) == pytest.approx(np.ones(6))
    assert found.probability.sum(axis=1) == pytest.approx(np.ones(6))
    assert (found.low <= found.high).all()


@pytest.mark.parametrize(
    ("scores", "said"), [(np.empty((0, 3)), "rank nothing"), (np.array([[0.1, np.nan]]), "not finite")]
)
def test_scores_that_rank_nothing_are_refused(scores: np.ndarray, said: str) -> None:
    with pytest.raises(InputError, match=said):
        rank_intervals(scores)


def test_the_grid_has_every_corner_and_is_unchanged_at_the_reference() -> None:
    grid = weight_grid(4)
    assert len(grid) == 15
    assert {(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)} <= {weights.values for weights in grid}
    components = np.array([[0.9, 0.1, 0.2], [0.2, 0.8, 0.3], [0.4, 0.5, 0.9]])
    taus = tau_over_weights(components, grid, Weights(0.25, 0.25, 0.5))
    assert taus[grid.index(Weights(0.25, 0.25, 0.5))] == pytest.approx(1.0)
    assert taus[grid.index(Weights(1.0, 0.0, 0.0))] == kendall_tau(
        np.array([0.9, 0.2, 0.4]), weighted(components, Weights(0.25, 0.25, 0.5))
    )
