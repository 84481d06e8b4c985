"""What a run will cost, from a stratified sample of its tasks (mhgb.md 8)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from service.evaluation._runner import api_bytes, api_call

if TYPE_CHECKING:
    import httpx

    from service.models import ModelProfile

__all__ = ["Amount", "CostEstimate", "Measured", "draw_sample", "estimate_cost", "usage_of"]

_LEAST_REPLY: Final = 300
_LIKELY_REPLY: Final = 1200
_Z: Final = 1.959963984540054
_NANO: Final = 1_000_000_000
_CHARS_A_TOKEN: Final = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """A task of the sample.

    Attributes:
        task: Its id.
        cell: Type, depth and mode.
        cell_tasks: Tasks of the run in this cell.
        prompt: Tokens to the model: the provider's count, or characters by three.
        completion: Tokens from it, thinking included; None where nobody was asked or the provider does not say.
    """

    task: str
    cell: tuple[str, str, str]
    cell_tasks: int
    prompt: float
    completion: float | None = None


@dataclass(frozen=True, slots=True)
class Amount:
    """A total with its range."""

    likely: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a run would take.

    Attributes:
        tasks: Of the run.
        calls: Tasks times repeats.
        sampled: Tasks that were measured.
        cells: Cells of type, depth and mode that the run has.
        completion_from: ``sample``: from real calls; ``assumption``: 300 tokens to the model's max_tokens a reply.
        cost: In ``currency``; None without a price.
        price_as_of: Date of the price list.
    """

    tasks: int
    calls: int
    sampled: int
    cells: int
    prompt_tokens: Amount
    completion_tokens: Amount
    completion_from: Literal["sample", "assumption"]
    cost: Amount | None
    currency: str | None
    price_as_of: str | None


def estimate_cost(sample: Sequence[Measured], profile: ModelProfile, *, repeats: int = 1) -> CostEstimate:
    """Return the cost of a run.

    Totals are those of stratified sampling: T = Σ N_h · m_h with the variance Σ N_h² (1 - n_h / N_h) s_h² / n_h, and the
    range T ± 1.96 of its root (Cochran 1977, Sampling Techniques, 5.3-5.6); a cell of which one task was drawn takes the
    spread of all measured tasks of its mode. The cost's range joins the low ends and the high ends.

    Args:
        sample: At least one task of every cell of the run.
        profile: The model, with its price where it has one.
        repeats: Answers of each task.
    """
    cells = {one.cell: one.cell_tasks for one in sample}
    tasks = sum(cells.values())
    calls = tasks * repeats
    prompt = _total(sample, repeats, lambda one: one.prompt)
    answered = [one for one in sample if one.completion is not None]
    if answered and {one.cell for one in answered} == cells.keys():
        completion = _total(answered, repeats, lambda one: one.completion or 0.0)
        completion_from: Literal["sample", "assumption"] = "sample"
    else:
        most = profile.max_tokens
        completion = Amount(calls * min(_LIKELY_REPLY, most), calls * min(_LEAST_REPLY, most), float(calls * most))
        completion_from = "assumption"
    price = profile.price
    return CostEstimate(
        tasks=tasks,
        calls=calls,
        sampled=len(sample),
        cells=len(cells),
        prompt_tokens=prompt,
        completion_tokens=completion,
        completion_from=completion_from,
        cost=None
        if price is None
        else Amount(
            *(
                (price.cost_nano(math.ceil(one), math.ceil(other)) or 0) / _NANO
                for one, other in (
                    (prompt.likely, completion.likely),
                    (prompt.low, completion.low),
                    (prompt.high, completion.high),
                )
            )
        ),
        currency=price.currency if price else None,
        price_as_of=price.as_of if price else None,
    )


def _total(sample: Sequence[Measured], repeats: int, value: Callable[[Measured], float]) -> Amount:
    by_cell: dict[tuple[str, str, str], list[Measured]] = defaultdict(list)
    by_mode: dict[str, list[float]] = defaultdict(list)
    for one in sample:
        by_cell[one.cell].append(one)
        by_mode[one.cell[2]].append(value(one))
    total = squares = 0.0
    for cell, members in by_cell.items():
        size, drawn = members[0].cell_tasks, [value(one) for one in members]
        total += size * fmean(drawn)
        spread = drawn if len(drawn) > 1 else by_mode[cell[2]]
        if len(spread) > 1:
            squares += size**2 * (1 - len(drawn) / size) * variance(spread) / len(drawn)
    half = _Z * math.sqrt(squares)
    return Amount(repeats * total, repeats * max(0.0, total - half), repeats * (total + half))


async def draw_sample(client: httpx.AsyncClient, body: Mapping[str, Any], per_cell: int) -> list[Measured]:
    """Return a sample of a run's tasks, each with the length of the prompt that the run would send; nobody is asked.

    Args:
        client: Speaks to the Lexhop.
        body: As for ``POST /v1/runs``: budgets, configuration, modes, limit and subset count.
        per_cell: Tasks of each type, depth and mode.
    """
    asked: dict[str, Any] = {
        "mode": list(body["modes"]),
        "configuration": body["configuration"],
        "token_budget": body.get("token_budget"),
        "max_chunks": body.get("max_chunks"),
        "fabulas": body.get("limit"),
        "public": body.get("subset") == "public",
        "per_cell": per_cell,
    }
    params = {name: value for name, value in asked.items() if value is not None}
    content = await api_bytes(client, "GET", f"/v1/task-sets/{body['task_set']}/prompts", params=params)
    rows = [orjson.loads(line) for line in content.splitlines()]
    return [
        Measured(
            task=row["id"],
            cell=(row["type"], row["depth"], row["mode"]),
            cell_tasks=row["cell_tasks"],
            prompt=sum(len(message["content"]) for message in row["messages"]) / _CHARS_A_TOKEN,
        )
        for row in rows
    ]


async def usage_of(client: httpx.AsyncClient, run: str, sample: Sequence[Measured]) -> list[Measured]:
    """Return a sample with the tokens that the provider counted for its answers in a run, as far as there are any."""
    usage: dict[str, Mapping[str, Any]] = {}
    cursor: str | None = None
    while True:
        params: dict[str, Any] = {"cursor": cursor} if cursor else {}
        page = await api_call(client, "GET", f"/v1/runs/{run}/submissions", params=params)
        for one in page["items"]:
            usage.setdefault(one["task_id"], one["usage"] or {})
        cursor = page["next"]
        if cursor is None:
            break
    return [
        replace(
            one,
            prompt=usage.get(one.task, {}).get("prompt", one.prompt),
            completion=usage.get(one.task, {}).get("completion"),
        )
        for one in sample
    ]
