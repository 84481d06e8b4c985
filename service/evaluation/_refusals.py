"""The pass over a run's answers that tells refusals: asked for apart, shown apart, no part of any score."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from service.db import (
    JudgementValue,
    Run,
    WorkState,
    add_judgements,
    answers_to_judge,
    find_judge_profile,
    judgement_values,
    list_items,
)
from service.errors import ConflictError, InputError
from service.judging import REFUSAL

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["ask_for_refusals", "refusals_view"]


async def ask_for_refusals(session: AsyncSession, run: Run, detector: str) -> int:
    """Put one question for each answer with a text into the ledger; those that are there already stay.

    Returns:
        How many answers there are to ask about.

    Raises:
        ConflictError: The detector is the run's own judge, whose work would no longer be told from scoring.
        InputError: It asks more than once or compares words.
    """
    profile = await find_judge_profile(session, detector)
    if profile.id == run.profile_id:
        raise ConflictError(f"judge profile {detector!r} scores run {run.id!r}; take another profile for refusals")
    if profile.body["repeats"] != 1 or profile.body["kind"] == "lexical":
        raise InputError(f"judge profile {detector!r} is no detector of refusals; take a model's, with repeats 1")
    answers = await answers_to_judge(session, run.id)
    await add_judgements(session, [(run.id, one, REFUSAL, profile.id, 1) for one, _ in answers])
    return len(answers)


async def refusals_view(session: AsyncSession, run: Run, detector: str, second: str | None = None) -> dict[str, Any]:
    """Return the rate of refusals over answers without errors, overflows and empties, by mode, type, depth and topic.

    Rates of different detectors never stand in one table: a second one gives κ on the label and nothing else.
    """
    labels = await _labels(session, run, detector)
    items = {item.id: item for item in await list_items(session, run.id)}
    answers = {submission: items[item] for submission, item in await answers_to_judge(session, run.id)}
    parts: dict[str, dict[str, list[JudgementValue]]] = defaultdict(lambda: defaultdict(list))
    for submission, label in labels.items():
        item = answers[submission]
        for name, value in (("mode", item.mode), ("task_type", item.task_type), ("depth", item.depth)):
            parts[name][value].append(label)
    view: dict[str, Any] = {
        "run": run.id,
        "participant": run.participant,
        "change": run.change,
        "detector": detector,
        "answers": len(answers),
        "asked": len(labels),
        **_rates(list(labels.values())),
        "by": {name: {value: _rates(part) for value, part in sorted(found.items())} for name, found in parts.items()},
        "second": None,
    }
    if second is not None:
        view["second"] = {"detector": second, **_agreement(labels, await _labels(session, run, second))}
    return view


async def _labels(session: AsyncSession, run: Run, detector: str) -> dict[int, JudgementValue]:
    profile = await find_judge_profile(session, detector)
    values = await judgement_values(session, profile_id=profile.id, run_id=run.id)
    return {value.submission_id: value for value in values if value.item_key == REFUSAL}


def _rates(labels: Sequence[JudgementValue]) -> dict[str, Any]:
    told = [label for label in labels if label.state is WorkState.DONE]
    refused = [label for label in told if label.value == 1.0]
    words = [orjson.loads(label.words or "{}") for label in refused]
    return {
        "refused": len(refused),
        "told": len(told),
        # An unreadable reply of the detector is unavailable, never «no refusal».
        "unavailable": sum(label.state is WorkState.UNAVAILABLE for label in labels),
        "rate": len(refused) / len(told) if told else None,
        "types": dict(Counter(str(one.get("type", "unstated")) for one in words)),
        "topics": dict(Counter(str(one.get("topic", "unstated")) for one in words)),
    }


def _agreement(first: Mapping[int, JudgementValue], second: Mapping[int, JudgementValue]) -> dict[str, Any]:
    both = [
        (int(first[one].value or 0), int(second[one].value or 0))
        for one in sorted(first.keys() & second.keys())
        if first[one].state is WorkState.DONE and second[one].state is WorkState.DONE
    ]
    if not any(a or b for a, b in both):
        # Two detectors that found nothing agree on nothing that could be confirmed (mhgb.md 5).
        return {"both": len(both), "kappa": None, "interval": None, "reason": "not applicable: no refusal was told"}
    from service.analysis import cohen_kappa  # noqa: PLC0415 - it loads scipy, which a start can do without

    a, b = (np.array(side, dtype=np.intp) for side in zip(*both, strict=True))
    kappa = cohen_kappa(a, b, 2)
    interval = None if kappa.low is None else [kappa.low, kappa.high]
    return {"both": len(both), "kappa": kappa.value, "interval": interval, "reason": kappa.reason or None}
