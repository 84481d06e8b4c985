"""The benchmarks that are at home here, each found by its entry point in the group ``lexhop.benchmarks``.

Nothing outside a benchmark's own package names it. A benchmark brings its own commands in a module ``commands``, which
counts as command line and is imported only when one of them is asked for.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, metadata
from types import ModuleType
from typing import Final, cast

from service.benchmarks._protocol import AnswerPlan, Evaluation, Law, Scored, TestParticipants
from service.errors import NotFoundError, SetupError

__all__ = [
    "ENTRY_POINTS",
    "AnswerPlan",
    "Evaluation",
    "Law",
    "Scored",
    "TestParticipants",
    "benchmark",
    "benchmark_keys",
    "commands_of",
    "evaluation_of",
    "test_participants_of",
]

ENTRY_POINTS: Final = "lexhop.benchmarks"
"""Group of entry points; a name in it is a benchmark's key, its value the package."""


@cache
def _entries() -> dict[str, metadata.EntryPoint]:
    found = {entry.name: entry for entry in metadata.entry_points(group=ENTRY_POINTS)}
    return dict(sorted(found.items()))


def benchmark_keys() -> tuple[str, ...]:
    """Return the keys of the installed benchmarks, sorted."""
    return tuple(_entries())


def benchmark(key: str) -> ModuleType:
    """Return a benchmark's package.

    Raises:
        NotFoundError: No such benchmark is installed.
        SetupError: Its package cannot be imported.
    """
    return import_module(_package(key))


def evaluation_of(key: str) -> Evaluation:
    """Return how a benchmark reads and scores answers.

    Raises:
        NotFoundError: No such benchmark is installed.
        SetupError: It brings no evaluation.
    """
    found = getattr(benchmark(key), "EVALUATION", None)
    if found is None:
        raise SetupError(f"benchmark {key!r} brings no evaluation of answers; install a package of it that does")
    return cast("Evaluation", found)


def test_participants_of(key: str) -> TestParticipants | None:
    """Return the scripted participants that show what a benchmark's open contexts give away; None where it has none.

    Raises:
        NotFoundError: No such benchmark is installed.
    """
    return cast("TestParticipants | None", getattr(benchmark(key), "TEST_PARTICIPANTS", None))


def commands_of(key: str) -> ModuleType:
    """Return a benchmark's module ``commands``, which has a Typer ``app`` and a docstring for its line of help.

    Raises:
        NotFoundError: No such benchmark is installed.
        SetupError: It brings no commands.
    """
    name = f"{_package(key)}.commands"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise SetupError(
            f"benchmark {key!r} brings no commands: {name!r} is missing; install its package again"
        ) from error


def _package(key: str) -> str:
    try:
        return _entries()[key].value
    except KeyError:
        known = ", ".join(_entries()) or "none"
        raise NotFoundError(
            f"benchmark {key!r} is not installed (known: {known}); install the package that brings it",
            nearest=tuple(_entries()),
        ) from None
