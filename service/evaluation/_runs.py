"""Makes runs: what they are over, under which fingerprints, and when one is the same again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from service.benchmarks import evaluation_of
from service.context import Configuration
from service.db import (
    NewRun,
    Run,
    RunItem,
    add_judge_profile,
    create_run,
    find_judge_profile,
    find_runs,
)
from service.domain import Language, Mode, split_norm_id
from service.errors import ConflictError, InputError
from service.judging import LEXICAL, JudgeProfile
from service.tasks import PARTICIPANT, Prompts, Task, TaskSet, chosen_tasks, get_task_set, list_tasks, read_prompts

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["CONDITIONS", "RunSpec", "fingerprint", "open_run", "participant_prompts", "task_items"]

CONDITIONS: Final = (
    "model",
    "provider",
    "temperature",
    "max_tokens",
    "thinking",
    "window",
    "kind",
    "slice",
    "size",
    "seed",
)
"""What a participant may say of itself; each is a column of the board."""

_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What is asked for.

    Attributes:
        conditions: The participant's own, of `CONDITIONS`.
        limit: Only the first so many fabulas; the run is partial then.
        subset: ``public``: only the set's public fabulas; the run is partial then, unless all are public.
        judge: Name of the judge profile; None: the operator's default.
    """

    benchmark: str
    task_set: str
    participant: str
    conditions: Mapping[str, Any] = field(default_factory=dict)
    modes: tuple[Mode, ...] = tuple(Mode)
    configuration: Configuration = Configuration.FULL_GRAPH
    token_budget: int = 40_000
    max_chunks: int = 25
    repeats: int = 1
    limit: int | None = None
    subset: str | None = None
    judge: str | None = None


def fingerprint(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of canonical JSON."""
    return hashlib.sha256(orjson.dumps(dict(facts), option=orjson.OPT_SORT_KEYS)).hexdigest()


def participant_prompts(benchmark: str, language: str, folder: Path | None) -> Prompts:
    """Return the prompts that participants get."""
    return read_prompts(benchmark, PARTICIPANT, language, folder)


def task_items(tasks: Sequence[Task]) -> list[RunItem]:
    """Return tasks as a run sees them."""
    return [
        RunItem(
            task_id=task.id,
            fabula_id=task.fabula_id,
            mode=task.mode.value,
            task_type=task.task_type.value,
            depth=task.depth.value,
            branch=task.branch or "unknown",
            act=split_norm_id(task.norm_ids[0])[0],
        )
        for task in tasks
    ]


async def open_run(
    session: AsyncSession,
    spec: RunSpec,
    *,
    owner: str,
    default_judge: str | None = None,
    prompts_folder: Path | None = None,
    resume: bool = False,
) -> tuple[Run, bool]:
    """Make a run, or with ``resume`` return the owner's open one that is the same.

    Returns:
        The run, and whether it is new.

    Raises:
        NotFoundError: The task set, the benchmark or the judge profile does not exist.
        ConflictError: The set is a draft or of another benchmark; or an open run of the same participant differs.
        InputError: A value cannot be used.
    """
    task_set = await get_task_set(session, spec.task_set)
    _check(spec, task_set)
    tasks = await list_tasks(session, task_set)
    chosen = _chosen(spec, tasks)
    profile_id, profile = await _profile(session, spec.judge or default_judge or LEXICAL.name)
    profile.check_benchmark(spec.benchmark)
    prompts = participant_prompts(spec.benchmark, task_set.language, prompts_folder)
    new = _new_run(spec, owner, task_set, tasks, chosen, prompts=prompts, profile=profile, profile_id=profile_id)
    if resume:
        for run in await find_runs(session, benchmark=spec.benchmark, owner=owner, participant=spec.participant):
            if run.closed_at is None and run.task_set == task_set.name:
                _same(run, new)
                return run, False
    return await create_run(session, new), True


def _check(spec: RunSpec, task_set: TaskSet) -> None:
    if not task_set.frozen:
        raise ConflictError(f"task set {task_set.name!r} is a draft; freeze it before anybody runs it")
    if task_set.benchmark != spec.benchmark:
        raise ConflictError(
            f"task set {task_set.name!r} belongs to benchmark {task_set.benchmark!r}, not {spec.benchmark!r}; name that one"
        )
    if not spec.participant.strip() or len(spec.participant) > _LONGEST:
        raise InputError(f"participant {spec.participant[:60]!r} is no name; give 1 to {_LONGEST} characters")
    if not spec.modes or len(set(spec.modes)) < len(spec.modes):
        raise InputError(f"modes {[mode.value for mode in spec.modes]!r} must name closed, open or both, each once")
    for name, value, most in (
        ("repeats", spec.repeats, 50),
        ("token_budget", spec.token_budget, 10_000_000),
        ("max_chunks", spec.max_chunks, 1000),
        ("limit", spec.limit if spec.limit is not None else 1, 1_000_000),
    ):
        if not 1 <= value <= most:
            raise InputError(f"{name} {value!r} is not between 1 and {most}; correct it")
    if spec.subset not in (None, "public"):
        raise InputError(f"subset {spec.subset!r} is not known; give 'public', or leave it out")
    for name, value in spec.conditions.items():
        if name not in CONDITIONS:
            raise InputError(f"condition {name!r} is not known; give some of {', '.join(CONDITIONS)}")
        if value is not None and (not isinstance(value, str | int | float | bool) or len(str(value)) > _LONGEST):
            raise InputError(f"condition {name} {str(value)[:60]!r} is no plain value; give a text or a number")


def _chosen(spec: RunSpec, tasks: Sequence[Task]) -> list[Task]:
    chosen = chosen_tasks(tasks, modes=spec.modes, limit=spec.limit, public=spec.subset == "public")
    if not chosen:
        raise InputError(f"subset {spec.subset!r} of task set {spec.task_set!r} holds no task; ask for another")
    return chosen


async def _profile(session: AsyncSession, name: str) -> tuple[int, JudgeProfile]:
    if name == LEXICAL.name:
        body = LEXICAL.model_dump(mode="json")
        stored = await add_judge_profile(session, name=name, fingerprint=LEXICAL.fingerprint, body=body, actor="lexhop")
    else:
        stored = await find_judge_profile(session, name)
    return stored.id, JudgeProfile.model_validate(stored.body)


def _new_run(
    spec: RunSpec,
    owner: str,
    task_set: TaskSet,
    tasks: Sequence[Task],
    chosen: Sequence[Task],
    *,
    prompts: Prompts,
    profile: JudgeProfile,
    profile_id: int,
) -> NewRun:
    evaluation = evaluation_of(spec.benchmark)
    run_facts = {
        "benchmark": spec.benchmark,
        "corpus": f"{task_set.corpus}@{task_set.corpus_version}",
        "task_set": task_set.key,
        "task_set_digest": task_set.digest,
        "prompt": prompts.digest,
        "few_shot": {"k": 0, "seed": None},
        "configuration": spec.configuration.value,
        "max_chunks": spec.max_chunks,
    }
    score_facts = {
        **run_facts,
        "scorer": evaluation.digest(Language(task_set.language)),
        "judge": profile.fingerprint,
        "weights": list(evaluation.weights.values),
    }
    model_id = str(spec.conditions.get("model") or "")
    makers = {task.record.get(name) for task in tasks for name in ("generator_model", "validator_model")}
    settings = {
        "configuration": spec.configuration.value,
        "token_budget": spec.token_budget,
        "max_chunks": spec.max_chunks,
        "limit": spec.limit,
        "subset": spec.subset,
        "judge": profile.name,
        "judge_model_id": profile.model_id,
        "judge_ranks": profile.ranks,
        "language": task_set.language,
        "all_public": all(task.public for task in chosen),
        "made_set": bool(model_id) and model_id in makers,
    }
    return NewRun(
        owner=owner,
        benchmark=spec.benchmark,
        task_set=task_set.name,
        corpus=task_set.corpus,
        version=task_set.corpus_version,
        participant=spec.participant.strip(),
        model_id=model_id,
        conditions={name: value for name, value in spec.conditions.items() if value is not None},
        settings=settings,
        modes=tuple(mode.value for mode in Mode if mode in spec.modes),
        repeats=spec.repeats,
        partial=len(chosen) < len(tasks),
        fingerprint=fingerprint(run_facts),
        score_fingerprint=fingerprint(score_facts),
        score_facts=score_facts,
        profile_id=profile_id,
        items=task_items(chosen),
    )


def _same(run: Run, new: NewRun) -> None:
    """Raise when a run that is to be taken up again is another one, saying in what."""
    differ = []
    old_facts, new_facts = run.score_facts, dict(new.score_facts)
    pairs: list[tuple[str, Any, Any]] = [
        *((name, old_facts.get(name), new_facts.get(name)) for name in sorted(old_facts.keys() | new_facts.keys())),
        *((name, run.conditions.get(name), new.conditions.get(name)) for name in CONDITIONS),
        *((name, run.settings.get(name), new.settings.get(name)) for name in ("token_budget", "limit", "subset")),
        ("modes", list(run.modes), list(new.modes)),
        ("repeats", run.repeats, new.repeats),
    ]
    for name, old, now in pairs:
        if old != now:
            differ.append(f"{name} {_short(old)} then, {_short(now)} now")
    if differ:
        raise ConflictError(
            f"run {run.id!r} of {run.participant!r} is open under other conditions: {'; '.join(differ)}. "
            "Ask as it was asked then, or close it and begin a new one"
        )


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 24 else f"{said[:20]}…"
