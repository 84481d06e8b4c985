"""Benchmarks are found by their entry points, and bring their commands."""

from __future__ import annotations

import pytest

from service.benchmarks import benchmark, benchmark_keys, commands_of
from service.cli import main
from service.errors import NotFoundError


def test_an_installed_benchmark_is_found_by_its_key() -> None:
    assert "mhgb" in benchmark_keys()
    assert benchmark("mhgb").__name__ == "service.benchmarks.mhgb"


def test_every_benchmark_brings_commands() -> None:
    for key in benchmark_keys():
        assert commands_of(key).app.registered_commands


def test_an_unknown_benchmark_is_refused_by_name_with_those_known() -> None:
    with pytest.raises(NotFoundError, match=r"benchmark 'mhbg' is not installed \(known: .*mhgb") as raised:
        benchmark("mhbg")
    assert "mhgb" in raised.value.nearest


def test_commands_are_reached_by_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["benchmark", "mhgb", "report", "--help"])
    assert left.value.code == 0
    assert "--results" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--results", "nowhere", "--out", "x"], "'nowhere' is not a folder"),
        (["--results", ".", "--out", "."], "is the folder of the results itself"),
        (["--results", ".", "--out", "x", "--language", "fr"], "language 'fr'"),
    ],
)
def test_what_cannot_be_reported_ends_as_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["benchmark", "mhgb", "report", *arguments])
    error = capsys.readouterr().err
    assert left.value.code == 1
    assert said in error
    assert error.count("\n") == 1
