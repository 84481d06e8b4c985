"""Agreement of raters: known values, edges, and what is not applicable."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

from service.analysis import (
    Bootstrap,
    cohen_kappa,
    judge_agreement,
    krippendorff_alpha,
    label_agreement,
    score_bins,
    wilson,
)
from service.errors import InputError


def test_wilson_gives_the_published_interval_of_52_in_70() -> None:
    interval = wilson(52, 70)
    assert (round(interval.value, 3), round(interval.low, 3), round(interval.high, 3)) == (0.743, 0.630, 0.831)


@pytest.mark.parametrize(("successes", "total"), [(0, 0), (3, 2), (-1, 4)])
def test_a_share_of_nothing_is_refused(successes: int, total: int) -> None:
    with pytest.raises(InputError, match=rf"{successes} of {total} is no share"):
        wilson(successes, total)


def test_bins_have_their_lower_edge_and_the_last_one_both() -> None:
    assert score_bins(np.array([0.0, 0.19, 0.2, 0.4, 0.6, 0.79, 0.8, 1.0])).tolist() == [0, 0, 1, 2, 3, 3, 4, 4]


@pytest.mark.parametrize("bad", [float("nan"), 1.01, -0.1])
def test_a_score_outside_its_range_has_no_bin(bad: float) -> None:
    with pytest.raises(InputError, match="outside 0 to 1"):
        score_bins(np.array([0.5, bad]))


def test_kappa_is_that_of_statsmodels() -> None:
    generator = np.random.default_rng(3)
    first = generator.integers(0, 4, 90)
    second = np.where(generator.random(90) < 0.6, first, generator.integers(0, 4, 90))
    table = np.zeros((4, 4), dtype=int)
    np.add.at(table, (first, second), 1)
    kappa = cohen_kappa(first, second, 4, Bootstrap(resamples=50))
    assert kappa.value == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)
    assert kappa.low is not None
    assert kappa.high is not None
    assert kappa.low < kappa.value < kappa.high


def test_kappa_of_one_label_throughout_is_not_applicable() -> None:
    same = np.zeros(9, dtype=np.intp)
    kappa = cohen_kappa(same, same, 2)
    assert (kappa.value, kappa.low, kappa.n) == (None, None, 9)
    assert "not applicable" in kappa.reason


def test_resamples_without_kappa_are_counted_and_left_out() -> None:
    first, second = np.array([0, 0, 0, 1]), np.array([0, 0, 0, 1])
    kappa = cohen_kappa(first, second, 2, Bootstrap(resamples=200))
    assert kappa.value == 1.0
    assert 0 < kappa.undefined < 200
    assert (kappa.low, kappa.high) == (1.0, 1.0)


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="label 7"):
        cohen_kappa(np.array([0, 7]), np.array([0, 1]), 5)
    with pytest.raises(InputError, match="same items"):
        cohen_kappa(np.array([0]), np.array([0, 1]), 5)


def test_gwets_example_of_skewed_data() -> None:
    # 118 of 125 items agree on "+", 2 on neither: κ is near zero though raw agreement is 0.944 (Gwet 2008, table 3).
    ratings = [("+", "+")] * 118 + [("+", "-")] * 5 + [("-", "+")] * 2
    found = label_agreement(ratings, ["+", "-"])
    chance = 2 * (243 / 250) * (7 / 250)
    assert found.raw == pytest.approx(0.944)
    assert found.fleiss is not None
    assert found.fleiss < 0
    assert found.ac1 == pytest.approx((0.944 - chance) / (1 - chance))
    assert found.pabak == pytest.approx(2 * 0.944 - 1)


def test_one_label_throughout_has_no_fleiss_but_the_others() -> None:
    found = label_agreement([("a", "a", "a")] * 4, ["a", "b"])
    assert (found.raw, found.fleiss, found.ac1, found.pabak) == (1.0, None, 1.0, 1.0)
    assert "Fleiss" in found.reason


def test_fleiss_worked_example() -> None:
    # Fourteen raters, ten items, five categories (Fleiss 1971 as retold in textbooks): κ = 0.210.
    counts = [
        (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
        (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
    ]  # fmt: skip
    ratings = [[label for label, count in enumerate(row) for _ in range(count)] for row in counts]
    assert label_agreement(ratings, range(5)).fleiss == pytest.approx(0.210, abs=5e-4)


@pytest.mark.parametrize(
    ("ratings", "said"),
    [([], "no items"), ([("a",)], "1 ratings"), ([("a", "b"), ("a",)], "item 1"), ([("a", "z")], "'z'")],
)
def test_ratings_that_do_not_fit_are_refused(ratings: list[tuple[str, ...]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        label_agreement(ratings, ["a", "b"])


def test_alpha_is_one_when_all_agree_and_none_when_nothing_varies() -> None:
    assert krippendorff_alpha(np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]])) == pytest.approx(1.0)
    assert krippendorff_alpha(np.array([[0.5, 0.5], [0.5, 0.5]])) is None
    assert krippendorff_alpha(np.array([[0.5, np.nan], [np.nan, 0.2]])) is None


def test_two_judges_are_compared_over_what_both_scored() -> None:
    first = np.array([0.0, 0.33, 0.67, 1.0, np.nan, 0.5])
    second = np.array([0.0, 0.33, 1.0, 1.0, 0.4, np.nan])
    found = judge_agreement(first, second, Bootstrap(resamples=100))
    assert (found.both, found.total) == (4, 6)
    assert found.mean_difference is not None
    assert found.mean_difference.value == pytest.approx(-0.33 / 4)
    assert found.labels is not None
    assert found.labels.raw == 0.75


def test_judges_without_a_common_answer_have_no_agreement() -> None:
    found = judge_agreement(np.array([np.nan, 1.0]), np.array([1.0, np.nan]))
    assert (found.both, found.total, found.labels, found.kappa.value) == (0, 2, None, None)
    assert "not applicable" in found.reason


@pytest.mark.parametrize(("successes", "total"), [(0, 7), (3, 7), (7, 7), (250, 1000)])
def test_wilson_is_that_of_statsmodels(successes: int, total: int) -> None:
    found = wilson(successes, total, 0.1)
    expected = proportion_confint(successes, total, alpha=0.1, method="wilson")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_fleiss_is_that_of_statsmodels() -> None:
    ratings = np.random.default_rng(4).integers(0, 4, (30, 5))
    counts = np.stack([(ratings == k).sum(axis=1) for k in range(4)], axis=1)
    assert label_agreement(ratings.tolist(), range(4)).fleiss == pytest.approx(fleiss_kappa(counts, method="fleiss"))
