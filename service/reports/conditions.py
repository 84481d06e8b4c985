"""Tables of how runs of the service came about: conditions, coverage, and what their contexts give away."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from service.domain import Mode, Outcome
from service.evaluation import JudgedTwice, RunTable, mode_view, not_ranked
from service.reports.model import JudgePair
from service.reports.tables import Cell, Field, Table

__all__ = [
    "board_remarks",
    "coverage_table",
    "given_away_table",
    "judge_pairs",
    "run_table",
]

_BOARD_DIGITS: Final = 16
_CONDITIONS: Final = ("temperature", "max_tokens", "thinking", "window")
_ANSWERS: Final = (Outcome.EMPTY, Outcome.REFUSED_BY_PROVIDER, Outcome.CUT)
_NO_ANSWERS: Final = tuple(outcome for outcome in Outcome if not outcome.is_answer)


def board_remarks(tables: Sequence[RunTable]) -> tuple[str, ...]:
    """Return what must be said before any figure: that runs stand on several boards, and which are not ranked."""
    remarks = []
    boards = {table.run.score_fingerprint: table.run.score_facts for table in tables}
    if len(boards) > 1:
        facts = list(boards.values())
        names = sorted({name for one in facts for name in one})
        differ = [name for name in names if len({repr(one.get(name)) for one in facts}) > 1]
        remarks.append(
            f"These runs stand on {len(boards)} boards, which differ in {', '.join(differ) or 'what is not recorded'}: they "
            "were not scored alike, their figures do not compare, and none has a rank here."
        )
    for table in tables:
        reason = not_ranked(table, table.complete)
        if reason is not None:
            remarks.append(f"Run {table.run.id} of {table.run.participant} is not ranked: {reason}.")
        if table.run.withdrawn_at is not None:
            why = f": {table.run.withdrawn_why}" if table.run.withdrawn_why else ""
            remarks.append(f"Run {table.run.id} of {table.run.participant} was withdrawn{why}.")
        if table.run.settings.get("made_set"):
            remarks.append(
                f"The model of run {table.run.id} of {table.run.participant} made or validated the task set."
            )
    return tuple(remarks)


def run_table(tables: Sequence[RunTable], names: Sequence[str]) -> Table:
    """Return the conditions of each run."""
    rows: list[tuple[Cell, ...]] = []
    for table, name in zip(tables, names, strict=True):
        run, settings = table.run, table.run.settings
        second = ", ".join(settings.get("second_judges", ()))
        rows.append(
            (
                name,
                run.id,
                run.model_id,
                run.task_set,
                f"{run.corpus}@{run.version}",
                settings.get("configuration"),
                settings.get("token_budget"),
                settings.get("max_chunks"),
                *(_said(run.conditions.get(one)) for one in _CONDITIONS),
                run.repeats,
                "yes" if table.partial else "no",
                settings.get("judge"),
                second or None,
                run.score_fingerprint[:_BOARD_DIGITS],
            )
        )
    fields = (
        Field("participant", "Participant"),
        Field("run", "Run"),
        Field("model", "Model"),
        Field("task_set", "Task set"),
        Field("corpus", "Corpus"),
        Field("configuration", "Context"),
        Field("token_budget", "Token budget"),
        Field("max_chunks", "Chunks"),
        *(Field(one, one.replace("_", " ").capitalize()) for one in _CONDITIONS),
        Field("repeats", "Repeats"),
        Field("partial", "Partial"),
        Field("judge", "Judge"),
        Field("second_judges", "Second judges"),
        Field("board", "Board"),
    )
    return Table("runs", "Runs and their conditions", fields, tuple(rows))


def coverage_table(tables: Sequence[RunTable], names: Sequence[str]) -> Table:
    """Return what each run's means rest on: answers by outcome, what has no score and why, and the means either way."""
    rows: list[tuple[Cell, ...]] = []
    for table, name in zip(tables, names, strict=True):
        for mode in table.run.modes:
            view = mode_view(table, mode)
            outcomes: Mapping[str, int] = view["outcomes"]
            reasons = "; ".join(f"{reason}: {count}" for reason, count in view["unavailable"].items())
            # An imported release has scores and no outcomes: how many answers were empty is not known, and not none.
            known = bool(sum(outcomes.values()))
            rows.append(
                (
                    name,
                    mode,
                    view["tasks"],
                    view["answered"],
                    view["final"]["scored"],
                    *(outcomes[one.value] if known else None for one in (*_ANSWERS, *_NO_ANSWERS)),
                    view["final"]["mean"],
                    view["without_zeros"]["mean"],
                    view["without_zeros"]["scored"],
                    reasons,
                )
            )
    fields = (
        Field("participant", "Participant"),
        Field("mode", "Mode"),
        Field("tasks", "Tasks"),
        Field("answered", "Answered"),
        Field("scored", "Scored"),
        *(Field(one.value, one.value.replace("_", " ")) for one in (*_ANSWERS, *_NO_ANSWERS)),
        Field("mean", "Mean", 4),
        Field("mean_without_zeros", "Mean without those who said nothing", 4),
        Field("scored_without_zeros", "over"),
        Field("unavailable", "Without a score"),
    )
    note = (
        "Means of single answers over everything scored in a mode, those without a counterpart included. empty and "
        "refused_by_provider score 0 on every level; the last means leave them out. context_overflow, not_attempted and "
        "error are no answers and in no mean."
    )
    return Table("coverage", "What the means rest on", fields, tuple(rows), (note,))


def given_away_table(tables: Sequence[RunTable], names: Sequence[str], beside: Sequence[Sequence[Any]] | None) -> Table:
    """Return what scripts that read no law reach by the marks of the contexts, beside the runs under the same conditions.

    Args:
        tables: The runs.
        names: Their names.
        beside: For each run, what the evaluation says of its board's contexts; None where nobody asked.
    """
    title = "What the contexts give away"
    fields = (
        Field("board", "Board"),
        Field("configuration", "Context"),
        Field("token_budget", "Token budget"),
        Field("participant", "Participant"),
        Field("reads_law", "Reads law"),
        Field("component", "Component"),
        Field("mean", "Mean, open", 4),
        Field("tasks", "Open tasks"),
        Field("reason", "Not applicable"),
    )
    if beside is None:
        return Table(
            "given_away", title, fields, (), ("Not applicable: the graph of the runs' contexts was not at hand.",)
        )
    groups: dict[tuple[Cell, ...], list[tuple[Cell, ...]]] = {}
    scripts: dict[tuple[Cell, ...], list[tuple[Cell, ...]]] = {}
    for table, name, found in zip(tables, names, beside, strict=True):
        settings = table.run.settings
        if not found or Mode.OPEN.value not in table.run.modes:
            continue
        place = (
            table.run.score_fingerprint[:_BOARD_DIGITS],
            settings.get("configuration"),
            settings.get("token_budget"),
        )
        scripts[place] = [
            (
                one["participant"] or "test participants",
                "no",
                one["component"],
                one["mean"],
                one["tasks"],
                one["reason"],
            )
            for one in found
        ]
        component = found[0]["component"]
        own = mode_view(table, Mode.OPEN.value)["components"][component]
        reason = None if own["scored"] else "no open answer has this score"
        groups.setdefault(place, []).append((name, "yes", component, own["mean"], own["scored"], reason))
    rows = tuple((*place, *row) for place, runs in groups.items() for row in (*scripts[place], *runs))
    if not rows:
        note = "Not applicable: the contexts of these runs mark no norm, or were not made here; nothing is given away."
        return Table("given_away", title, fields, (), (note,))
    note = (
        "marker names the norms that lines name but that carry none of their own, hub those with the most lines, everything "
        "all of them. A participant below these has not shown that it reads."
    )
    return Table("given_away", title, fields, rows, (note,))


def judge_pairs(judged: Sequence[JudgedTwice]) -> tuple[JudgePair, ...]:
    """Return the further judges of runs as pairs to be compared; a question without a verdict is kept and counted."""
    found = []
    for one in judged:
        verdicts = np.array([[math.nan if v is None else v for v in pair] for pair in one.verdicts], dtype=np.float64)
        found.append(JudgePair(one.judge, one.second, one.level, verdicts[:, 0], verdicts[:, 1], one.values))
    return tuple(found)


def _said(value: Any) -> Cell:
    return None if value is None else str(value)
