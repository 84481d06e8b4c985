"""Further judges of a run: their verdicts change no score, and show how far the board's own judge is agreed with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service.benchmarks import evaluation_of
from service.db import (
    Run,
    add_judgements,
    find_judge_profile,
    judge_profile,
    judgement_values,
    name_second_judge,
    questions_of_run,
    reopen_judgements,
    touch_run,
)
from service.errors import ConflictError
from service.evaluation._evaluator import verdicts_of
from service.judging import REFUSAL, JudgeProfile, level_agreement

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from service.db import Database
    from service.evaluation._figures import TableCache
    from service.judging import Calibration

__all__ = ["Agreements", "JudgedTwice", "agreement_views", "judge_again", "judged_twice"]

Verdicts = dict[str, list[tuple[float | None, float | None]]]
"""By level: (the run's own judge's value, the other's) of every question that the other was asked, both aggregated."""


@dataclass(frozen=True, slots=True)
class JudgedTwice:
    """Every question of one level that a further judge was asked, over runs of one judge.

    Attributes:
        judge: The runs' own judge.
        second: The further one.
        values: What a judge may give at this level.
        verdicts: (the own judge's value, the other's); None where there is none.
    """

    judge: str
    second: str
    level: str
    values: tuple[float, ...]
    verdicts: tuple[tuple[float | None, float | None], ...]


async def judge_again(session: AsyncSession, run: Run, judge: str | None = None) -> tuple[int, int]:
    """Ask again where there came no verdict, or have a further profile asked about everything that was read.

    Returns:
        Questions that wait again, and questions that are new.

    Raises:
        ConflictError: The run has no judge, or the profile's wording belongs to another benchmark.
        NotFoundError: There is no such profile.
    """
    if run.profile_id is None:
        raise ConflictError(f"run {run.id!r} has no judge: it was imported with its scores")
    profile_id, asked = run.profile_id, 0
    if judge is not None:
        stored = await find_judge_profile(session, judge)
        profile_id = stored.id
        if stored.id != run.profile_id:
            profile = JudgeProfile.model_validate(stored.body)
            profile.check_benchmark(run.benchmark)
            asked = await _ask_second(session, run, profile, stored.id)
    reopened = await reopen_judgements(session, run.id, profile_id=profile_id)
    if reopened or asked:
        await touch_run(session, run.id)
    return reopened, asked


async def _ask_second(session: AsyncSession, run: Run, profile: JudgeProfile, profile_id: int) -> int:
    there = {
        (value.submission_id, value.item_key, value.repeat)
        for value in await judgement_values(session, profile_id=profile_id, run_id=run.id)
    }
    wanted = [
        (submission, key, repeat)
        for submission, key in await questions_of_run(session, run.id)
        for repeat in range(1, profile.repeats + 1)
    ]
    new = [one for one in wanted if one not in there]
    await add_judgements(session, [(run.id, submission, key, profile_id, repeat) for submission, key, repeat in new])
    await name_second_judge(session, run.id, profile.name)
    return len(new)


class Agreements:
    """Agreement of a run's own judge with its further ones, kept under the run's change number."""

    def __init__(self, database: Database, cache: TableCache) -> None:
        self._database = database
        self._cache = cache

    async def of(self, runs: Sequence[Run], *, least: int = 0) -> list[dict[str, Any]]:
        """Return a row for each further judge, over all runs that it judged and that have one judge of their own.

        Empty where there is none: such a board costs nothing more.

        Args:
            runs: The runs.
            least: Over fewer answers of runs that are not all public a row has no levels, and the reason: it would tell
                single verdicts, and how many steps a chain has.
        """
        names = sorted({name for run in runs for name in run.settings.get("second_judges", ())})
        rows = []
        for name in names:
            judged = [run for run in runs if name in run.settings.get("second_judges", ())]
            bar = 0 if all(run.settings.get("all_public") for run in judged) else least
            key = ("agreement", name, bar, tuple((run.id, run.change) for run in judged))
            row = self._cache.derived(key)
            if row is None:
                row = await self._row(name, judged, bar)
                self._cache.keep(key, row)
            rows.append(row)
        return rows

    async def _row(self, name: str, runs: Sequence[Run], least: int) -> dict[str, Any]:
        found, answers = await _verdict_pairs(self._database, name, runs)
        few = 0 < answers < least
        values = evaluation_of(runs[0].benchmark).values
        levels = [
            level_agreement(
                level,
                len(pairs),
                [(one, two, 0) for one, two in pairs if one is not None and two is not None],
                values[level],
            )
            for level, pairs in sorted(found.items())
        ]
        return {
            "judge": runs[0].settings.get("judge"),
            "second": name,
            "runs": len(runs),
            "levels": [] if few else agreement_views(levels),
            "reason": f"over fewer than {least} answers to tasks that are not public" if few else None,
        }


async def judged_twice(database: Database, runs: Sequence[Run]) -> list[JudgedTwice]:
    """Return the verdicts of the further judges of runs of one benchmark beside those of the runs' own judges.

    Runs of different judges are kept apart; empty where no run has a further judge.
    """
    found = []
    for profile_id in sorted({run.profile_id for run in runs if run.profile_id is not None}):
        own = [run for run in runs if run.profile_id == profile_id]
        for name in sorted({name for run in own for name in run.settings.get("second_judges", ())}):
            judged = [run for run in own if name in run.settings.get("second_judges", ())]
            values = evaluation_of(judged[0].benchmark).values
            by_level, _ = await _verdict_pairs(database, name, judged)
            found += [
                JudgedTwice(str(judged[0].settings.get("judge")), name, level, tuple(values[level]), tuple(pairs))
                for level, pairs in sorted(by_level.items())
            ]
    return found


async def _verdict_pairs(database: Database, name: str, runs: Sequence[Run]) -> tuple[Verdicts, int]:
    """Return the verdicts of both judges by level, and over how many answers."""
    found: Verdicts = defaultdict(list)
    answers: set[int] = set()
    async with database.read() as session:
        second = await find_judge_profile(session, name)
        for run in runs:
            assert run.profile_id is not None  # noqa: S101 - only judged runs have further judges
            own, other = [await _verdicts(session, run, one) for one in (run.profile_id, second.id)]
            for place in sorted(other):
                found[place[1].partition(":")[0]].append((own.get(place), other[place]))
                answers.add(place[0])
    return found, len(answers)


async def _verdicts(session: AsyncSession, run: Run, profile_id: int) -> Mapping[tuple[int, str], float | None]:
    profile = JudgeProfile.model_validate((await judge_profile(session, profile_id)).body)
    values = await judgement_values(session, profile_id=profile_id, run_id=run.id)
    found = verdicts_of([value for value in values if value.item_key != REFUSAL], profile)
    return {(submission, key): value for submission, keys in found.items() for key, (value, _) in keys.items()}


def agreement_views(levels: Sequence[Calibration]) -> list[dict[str, Any]]:
    """Return agreement by level as it is shown; bias is the board's own judge less the other."""
    return [
        {
            "level": one.level,
            "asked": one.labelled,
            "both": one.judged,
            "kappa": one.kappa.value,
            "interval": None if one.kappa.low is None else [one.kappa.low, one.kappa.high],
            "bias": None if one.bias is None else one.bias.value,
            "bias_interval": None if one.bias is None else [one.bias.low, one.bias.high],
            "reason": one.kappa.reason or None,
        }
        for one in levels
    ]
