"""Tests of differences, correction and power."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from service.analysis import fabulas_needed, holm, mcnemar, paired_test, stars
from service.errors import InputError

DIFFERENCES = np.array([0.1, -0.2, 0.35, 0.05, 0.4, 0.0, 0.22])


def test_student_is_that_of_scipy() -> None:
    found, reference = paired_test(DIFFERENCES), stats.ttest_1samp(DIFFERENCES, 0)
    assert found.t == pytest.approx(reference.statistic)
    assert found.p_value == pytest.approx(reference.pvalue)


def test_the_published_tail_is_normal_and_smaller() -> None:
    student, normal = paired_test(DIFFERENCES), paired_test(DIFFERENCES, "normal")
    assert student.t == normal.t
    assert student.t is not None
    assert normal.p_value == pytest.approx(2 * stats.norm.sf(student.t))
    assert normal.p_value < student.p_value


@pytest.mark.parametrize(("values", "said"), [([], "no pairs"), ([0.4], "one pair"), ([0.2, 0.2, 0.2], "do not vary")])
def test_a_test_without_deviation_is_not_applicable(values: list[float], said: str) -> None:
    found = paired_test(np.array(values))
    assert (found.t, found.p_value, found.n) == (None, None, len(values))
    assert said in found.reason
    assert stars(found.p_value) == "not applicable"


def test_a_difference_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="not finite"):
        paired_test(np.array([0.1, math.nan]))


@pytest.mark.parametrize(("p", "mark"), [(0.0, "***"), (0.001, "**"), (0.01, "*"), (0.049, "*"), (0.05, "n.s.")])
def test_stars(p: float, mark: str) -> None:
    assert stars(p) == mark


def test_holm_multiplies_by_what_is_left_and_never_falls() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


def test_mcnemar_counts_what_tells_the_two_apart() -> None:
    first = np.array([True] * 9 + [False] * 5)
    second = np.array([False] * 8 + [True] + [True] + [False] * 4)
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second) == (8, 1)
    assert found.p_value == pytest.approx(2 * stats.binom.cdf(1, 9, 0.5))


def test_mcnemar_of_equal_series_is_not_applicable() -> None:
    found = mcnemar(np.array([True, False]), np.array([True, False]))
    assert found.p_value is None
    assert "not applicable" in found.reason
    with pytest.raises(InputError, match="1 and 2"):
        mcnemar(np.array([True]), np.array([True, False]))


def test_power_is_reached_and_not_with_one_fabula_fewer() -> None:
    found = fabulas_needed(DIFFERENCES, 0.1)
    assert found.fabulas is not None
    assert found.std is not None

    def power(n: int) -> float:
        critical = stats.t.ppf(0.975, n - 1)
        centre = 0.1 / found.std * math.sqrt(n)
        return float(stats.nct.sf(critical, n - 1, centre) + stats.nct.cdf(-critical, n - 1, centre))

    assert power(found.fabulas) >= 0.8 > power(found.fabulas - 1)


def test_a_smaller_difference_needs_more_fabulas() -> None:
    needed = [fabulas_needed(DIFFERENCES, difference).fabulas for difference in (0.2, 0.1, -0.1, 0.05)]
    assert needed[1] == needed[2]
    assert needed[0] < needed[1] < needed[3]  # type: ignore[operator]


def test_power_without_deviation_is_not_applicable() -> None:
    assert "fewer than two" in fabulas_needed(np.array([0.2]), 0.1).reason
    assert "do not vary" in fabulas_needed(np.array([0.2, 0.2]), 0.1).reason


@pytest.mark.parametrize(("difference", "alpha", "power"), [(0.0, 0.05, 0.8), (0.1, 0.9, 0.8), (0.1, 0.05, 1.0)])
def test_power_of_nothing_is_refused(difference: float, alpha: float, power: float) -> None:
    with pytest.raises(InputError):
        fabulas_needed(DIFFERENCES, difference, alpha, power)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(deadline=None, max_examples=50)
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


@pytest.mark.parametrize("difference", [0.004, 0.01, 0.03, 0.2, 0.5])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_power_is_that_of_statsmodels(difference: float, power: float) -> None:
    found = fabulas_needed(DIFFERENCES, difference, power=power)
    assert found.std is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solved = TTestPower().solve_power(effect_size=difference / found.std, alpha=0.05, power=power)
    assert found.fabulas == math.ceil(float(np.atleast_1d(solved)[0]))


def test_a_tiny_difference_needs_very_many_fabulas_and_is_still_answered() -> None:
    found = fabulas_needed(DIFFERENCES, 1e-7)
    assert found.fabulas is not None
    assert found.fabulas == pytest.approx((2.8015852 * found.std / 1e-7) ** 2, rel=1e-4)  # type: ignore[operator]


def test_mcnemar_is_that_of_statsmodels() -> None:
    generator = np.random.default_rng(2)
    first, second = generator.random((2, 60)) < np.array([[0.6], [0.4]])
    table = [
        [int((first & second).sum()), int((first & ~second).sum())],
        [int((~first & second).sum()), int((~first & ~second).sum())],
    ]
    assert mcnemar(first, second).p_value == pytest.approx(reference_mcnemar(table, exact=True).pvalue)
