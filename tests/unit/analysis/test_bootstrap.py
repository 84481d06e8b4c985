"""Intervals equal the plain definition bit for bit, on this Python and on another."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from service.analysis import Bootstrap, Interval, TwoSamples, cohen_kappa, rank_intervals, stream
from service.errors import InputError
from tests.benchmarks import plain


def found(interval: Interval) -> tuple[float, float, float]:
    return interval.value, interval.low, interval.high


def fast_figures() -> dict[str, tuple[float, ...]]:
    bootstrap = Bootstrap(resamples=400)
    strata = TwoSamples(
        (np.array(plain.series(5)), np.array(plain.series(5, 2))),
        (np.array(plain.series(20, 3)), np.array(plain.series(19, 4))),
    )
    labels = [np.array([int(5 * value) for value in plain.series(70, seed)]) for seed in (1, 2)]
    kappa = cohen_kappa(*labels, bootstrap=bootstrap)
    assert kappa.value is not None
    assert kappa.low is not None
    assert kappa.high is not None
    return {
        "mean": found(bootstrap.mean(np.array(plain.series(293)))),
        "difference": found(bootstrap.differences([(np.array(plain.series(20)), np.array(plain.series(19, 2)))])[0]),
        "stratified": found(bootstrap.stratified_differences([strata])[0]),
        "kappa": (kappa.value, kappa.low, kappa.high),
    }


def test_intervals_are_the_plain_ones_on_this_python() -> None:
    assert fast_figures() == {key: tuple(value) for key, value in plain.figures().items()}


def interpreters() -> list[str]:
    """This Python and, where they are at hand, one of each other version that we support."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = {sys.version_info[:2]: sys.executable}
    named = [path for minor in (11, 12, 13) if (path := shutil.which(f"python3.{minor}"))]
    for path in [*named, *(str(folder / "bin" / "python3") for folder in sorted(root.glob("3.1[123].*")))]:
        probe = [path, "-c", "import sys; print(*sys.version_info[:2])"]
        done = subprocess.run(probe, check=False, capture_output=True, text=True)
        if done.returncode == 0:  # a shim may stand there without an interpreter behind it
            major, minor = done.stdout.split()
            found.setdefault((int(major), int(minor)), path)
    return [found[version] for version in sorted(found)]


@pytest.mark.parametrize("python", interpreters())
def test_intervals_are_the_plain_ones_of_every_python_at_hand(python: str) -> None:
    script = Path(plain.__file__)
    done = subprocess.run([python, script], check=True, capture_output=True, text=True, timeout=60)
    assert fast_figures() == {key: tuple(value) for key, value in json.loads(done.stdout).items()}


def test_many_series_at_once_are_each_as_if_alone() -> None:
    series = [np.array(plain.series(size, seed)) for size, seed in ((30, 1), (25, 2), (30, 3), (1, 4))]
    bootstrap = Bootstrap(resamples=100)
    assert bootstrap.means(series) == [bootstrap.mean(values) for values in series]


def test_many_pairs_of_samples_at_once_are_each_as_if_alone() -> None:
    pairs = [(np.array(plain.series(a, 1)), np.array(plain.series(b, a))) for a, b in ((9, 7), (7, 9), (9, 7))]
    bootstrap = Bootstrap(resamples=100)
    assert bootstrap.differences(pairs) == [bootstrap.differences([pair])[0] for pair in pairs]
    strata = [TwoSamples((a, b), (b, a, b)) for a, b in pairs]
    assert bootstrap.stratified_differences(strata) == [bootstrap.stratified_differences([pair])[0] for pair in strata]


def test_where_the_strata_are_cut_matters() -> None:
    a, b, c = (np.array(plain.series(4, seed)) for seed in (1, 2, 3))
    one, other = Bootstrap(resamples=50).stratified_differences([TwoSamples((a, b), (c,)), TwoSamples((a,), (b, c))])
    assert one.value != other.value
    assert found(one) == plain.bootstrap_stratified_difference([a.tolist(), b.tolist()], [c.tolist()], 50)


@pytest.mark.parametrize("block", [1, 60, 500])
def test_intervals_do_not_depend_on_the_size_of_a_block(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BLOCK_DRAWS", block)
    monkeypatch.setattr(stream, "BLOCK_ROWS", 3)
    assert fast_figures() == {key: tuple(value) for key, value in plain.figures().items()}


def test_rank_probabilities_are_the_plain_ones() -> None:
    scores = [plain.series(40, seed) for seed in range(1, 6)]
    ranked = rank_intervals(np.array(scores), Bootstrap(resamples=300))
    assert ranked.probability == pytest.approx(np.array(plain.rank_probabilities(scores, 300)), abs=1e-12)


def test_the_seed_and_the_level_matter() -> None:
    values = np.array(plain.series(50))
    assert found(Bootstrap(seed=1).mean(values)) != found(Bootstrap(seed=2).mean(values))
    wide, narrow = Bootstrap(alpha=0.05).mean(values), Bootstrap(alpha=0.5).mean(values)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(
    "settings", [{"resamples": 0}, {"seed": -1}, {"alpha": 0.0}, {"alpha": 1.0}, {"alpha": float("nan")}]
)
def test_settings_that_draw_nothing_are_refused_by_name(settings: dict[str, float]) -> None:
    [(name, value)] = settings.items()
    with pytest.raises(InputError, match=f"{name} {value!r}"):
        Bootstrap(**settings)  # type: ignore[arg-type]


def test_an_empty_series_is_refused() -> None:
    with pytest.raises(InputError, match="has no mean"):
        Bootstrap().means([np.array([0.5]), np.array([])])


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_value_that_is_no_number_is_refused_with_its_place(bad: float) -> None:
    with pytest.raises(InputError, match=rf"value {bad!r} at place 1"):
        Bootstrap().mean(np.array([0.5, bad]))


def test_a_side_without_strata_is_refused() -> None:
    with pytest.raises(InputError, match="one side has none"):
        Bootstrap().stratified_differences([TwoSamples((), (np.array([0.5]),))])
