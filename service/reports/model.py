"""What a report is made from; released results and runs of the service both fill it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from service.analysis import Bootstrap, GapTable
from service.analysis.stream import Floats
from service.errors import InputError
from service.reports.answers import AnswerTable

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
    """

    experiment: str
    model: str
    display: str
    group: str
    table: GapTable


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges' scores of the same answers.

    Attributes:
        first: Name of the first judge.
        second: Name of the second.
        level: What they scored, such as step_correctness.
        first_scores: Shape (n,), 0 to 1; NaN where there is no verdict.
        second_scores: The same answers by the second.
    """

    first: str
    second: str
    level: str
    first_scores: Floats
    second_scores: Floats


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

    def __post_init__(self) -> None:
        """Refuse what cannot be reported.

        Raises:
            InputError: No models, a model twice, or a display name twice.
        """
        if not self.entries:
            raise InputError(f"report {self.title!r} has no models; give at least one experiment or run")
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
