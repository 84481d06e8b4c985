"""What a report is made from; released results and runs of the service both fill it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from service.analysis import Bootstrap, GapTable
from service.analysis.stream import Floats
from service.errors import InputError
from service.reports.answers import AnswerTable
from service.reports.tables import Table

__all__ = ["Entry", "JudgePair", "ReportInput", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file or a run that the report rests on.

    Attributes:
        name: What it is.
        sha256: Its digest, or its fingerprint.
    """

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A model in an experiment or a run.

    Attributes:
        experiment: Key of the experiment or run; a folder of the output bears this name.
        model: The model's name in the records.
        display: How it is written in tables and figures.
        group: What it belongs to, such as proprietary; empty for none.
        table: Its pairs alone.
        silent: Shape (2, pairs), closed then open: whether an answer said nothing, whose zero was not earned; None where the
            records do not tell.
        not_ranked: Why no board would rank it; empty for one that ranks.
    """

    experiment: str
    model: str
    display: str
    group: str
    table: GapTable
    silent: NDArray[np.bool_] | None = None
    not_ranked: str = ""


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges' scores of the same answers.

    Attributes:
        first: Name of the first judge.
        second: Name of the second.
        level: What they scored, such as step_correctness.
        first_scores: Shape (n,), 0 to 1; NaN where there is no verdict.
        second_scores: The same answers by the second.
        values: All that a judge may give; empty: agreement is told on five bins.
    """

    first: str
    second: str
    level: str
    first_scores: Floats
    second_scores: Floats
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportInput:
    """Everything that a report shows.

    Attributes:
        title: Heading of the page.
        entries: The models, in any order; a model stands in one experiment.
        sources: What it was read from.
        public: Fabulas that were published; None where that is not known.
        public_reason: Why it is not known.
        answers: Single answers with their components; None where they are not at hand, as in MHGB's release.
        judge_pairs: Judges to be compared.
        open_label: How the open mode is called in ``agg_*.csv``.
        bootstrap: How intervals are drawn.
        tail: Where p values come from: Student's t, or the normal approximation that MHGB published.
        cell_size: Fabulas in each cell of type and depth of the whole task set; None where that is not known.
        remarks: What a reader must know before any figure, a sentence each.
        conditions: Tables of how the results came about; they stand first.
        beside: Tables that stand beside the leaderboard.
        one_board: Whether all models were scored alike; without that none has a rank.
    """

    title: str
    entries: tuple[Entry, ...]
    sources: tuple[Source, ...]
    public: frozenset[str] | None = None
    public_reason: str = ""
    answers: AnswerTable | None = None
    judge_pairs: tuple[JudgePair, ...] = ()
    open_label: str = "open"
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    tail: Literal["student", "normal"] = "student"
    cell_size: int | None = None
    remarks: tuple[str, ...] = ()
    conditions: tuple[Table, ...] = ()
    beside: tuple[Table, ...] = ()
    one_board: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be reported.

        Raises:
            InputError: No models, a model twice, or a display name twice.
        """
        if not self.entries:
            raise InputError(f"report {self.title!r} has no models; give at least one experiment or run")
        for entry in self.entries:
            if entry.silent is not None and entry.silent.shape != (2, len(entry.table)):
                raise InputError(
                    f"silent of {entry.model!r} has shape {entry.silent.shape!r}, not {(2, len(entry.table))!r}; "
                    "give two a pair"
                )
        for kind in ("model", "display"):
            names = [getattr(entry, kind) for entry in self.entries]
            twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
            if twice:
                raise InputError(f"{kind} {twice[0]!r} occurs in more than one experiment; report one of them")

    @property
    def experiments(self) -> dict[str, list[Entry]]:
        """The entries of each experiment, experiments in order of appearance."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.experiment, []).append(entry)
        return found
