"""How far a judge can be trusted: its values beside those of people, by level and by the answer's length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from service.analysis import Bootstrap
from service.errors import InputError, SourceError

if TYPE_CHECKING:
    from service.analysis import Interval, Kappa

__all__ = ["Calibration", "Label", "LengthBias", "calibrate", "level_agreement", "read_labels"]

_LENGTHS = (1000, 2500, 5000)


class Label(NamedTuple):
    """What people gave one judgement."""

    submission: str
    key: str
    value: float


@dataclass(frozen=True, slots=True)
class LengthBias:
    """Mean of judge - people over the answers of some length.

    Attributes:
        low, high: Characters, from ``low`` up and below ``high``; None: no bound.
    """

    low: int
    high: int | None
    n: int
    bias: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge beside people at one level.

    Attributes:
        labelled: Judgements that people labelled.
        judged: Those of them that the judge gave a verdict on.
        kappa: Cohen's κ over the level's own values, with its bootstrap interval.
        bias: Mean of judge - people with its interval; None where nothing is judged.
        by_length: The same mean by the answer's length.
    """

    level: str
    labelled: int
    judged: int
    kappa: Kappa
    bias: Interval | None
    by_length: tuple[LengthBias, ...]


def read_labels(path: Path) -> list[Label]:
    """Read people's labels: JSON lines of ``{submission, key, value}``, such as key ``step:2`` or ``answer``.

    Raises:
        SourceError: A line is not one; the message names file, line and value.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SourceError(
            f"labels {str(path)!r} cannot be read ({error.strerror}); give a file of JSON lines"
        ) from error
    labels, seen = [], set[tuple[str, str]]()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row: Any = orjson.loads(line)
            submission, key, value = str(row["submission"]), str(row["key"]), row["value"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise SourceError(
                f"{path.name} line {number} is no object of submission, key and value; write it so"
            ) from None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise SourceError(f"{path.name} line {number}: value {value!r} is no number from 0 to 1; correct it")
        if (submission, key) in seen:
            raise SourceError(f"{path.name} line {number}: {key!r} of {submission!r} is labelled twice; keep one")
        seen.add((submission, key))
        labels.append(Label(submission, key, float(value)))
    if not labels:
        raise SourceError(f"{path.name} holds no label; give at least one line")
    return labels


def calibrate(
    labels: Sequence[Label],
    verdicts: Mapping[tuple[str, str], float | None],
    lengths: Mapping[str, int],
    values: Mapping[str, Sequence[float]],
    bootstrap: Bootstrap | None = None,
) -> list[Calibration]:
    """Return a judge's agreement with people for each level.

    Args:
        labels: What people gave.
        verdicts: What the judge gave, aggregated, by (submission, key); None or absent where there is no verdict.
        lengths: Characters of each submission's answer.
        values: The values of each level; a level is what stands before the colon of a key.
        bootstrap: How intervals are drawn.

    Raises:
        InputError: A label has a level or a value that the benchmark does not know.
    """
    bootstrap = bootstrap or Bootstrap()
    by_level: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        level = label.key.partition(":")[0]
        if level not in values:
            raise InputError(f"key {label.key!r} is of no known level; the levels are {', '.join(values)}")
        if label.value not in values[level]:
            raise InputError(
                f"value {label.value!r} of {label.key!r} of {label.submission!r} is none of {list(values[level])}; "
                "label with the values that the judge may give"
            )
        by_level[level].append(label)
    found = []
    for level in sorted(by_level):
        pairs = [
            (given, label.value, lengths[label.submission])
            for label in by_level[level]
            if (given := verdicts.get((label.submission, label.key))) is not None
        ]
        found.append(level_agreement(level, len(by_level[level]), pairs, values[level], bootstrap))
    return found


def level_agreement(
    level: str,
    labelled: int,
    pairs: Sequence[tuple[float, float, int]],
    values: Sequence[float],
    bootstrap: Bootstrap | None = None,
) -> Calibration:
    """Return the agreement of two raters at one level.

    Args:
        level: Its name.
        labelled: Judgements that the second one should have.
        pairs: (the first's value, the second's, characters of the answer) where both have one.
        values: The values of the level.
        bootstrap: How intervals are drawn.
    """
    from service.analysis import cohen_kappa, value_places  # noqa: PLC0415 - it loads scipy, which a start can do without

    bootstrap = bootstrap or Bootstrap()
    judge = np.array([pair[0] for pair in pairs], dtype=np.float64)
    people = np.array([pair[1] for pair in pairs], dtype=np.float64)
    size = np.array([pair[2] for pair in pairs], dtype=np.int64)
    places = [value_places(series, values) for series in (judge, people)]
    kappa = cohen_kappa(places[0], places[1], len(values), bootstrap)
    bounds = [(0, _LENGTHS[0]), *zip(_LENGTHS, (*_LENGTHS[1:], None), strict=True)]
    by_length = []
    for low, high in bounds:
        inside = (size >= low) & ((size < high) if high is not None else True)
        count = int(inside.sum())
        by_length.append(LengthBias(low, high, count, float((judge - people)[inside].mean()) if count else None))
    bias = bootstrap.mean(judge - people) if pairs else None
    return Calibration(level, labelled, len(pairs), kappa, bias, tuple(by_length))
