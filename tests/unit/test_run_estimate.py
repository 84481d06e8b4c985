"""The cost of a run by a stratified sample, worked out by hand."""

from __future__ import annotations

from math import sqrt

import pytest

from service.domain import Depth, Mode, TaskType
from service.errors import InputError
from service.evaluation import Measured, RunnerReport, estimate_cost
from service.models import ModelProfile
from service.tasks import cell_sample, chosen_tasks, sample_fabulas

PRICE = {"input": "1", "output": "2", "currency": "RUB", "as_of": "2026-01"}
PROFILE = ModelProfile.model_validate(
    {
        "name": "m",
        "provider": "openai",
        "model": "m",
        "endpoint": "http://127.0.0.1:9",
        "max_tokens": 2000,
        "price": PRICE,
    }
)
CLOSED, OPEN = ("rule_selection", "deep", "closed"), ("rule_selection", "deep", "open")


def test_totals_range_and_cost_of_an_assumed_reply() -> None:
    sample = [Measured("a", CLOSED, 10, 100), Measured("b", CLOSED, 10, 200), Measured("c", OPEN, 4, 1000)]
    found = estimate_cost(sample, PROFILE, repeats=3)
    # 10 · 150 + 4 · 1000 = 5500; 100 · (1 - 2/10) · 5000 / 2 = 200,000 is its variance: the one open task has no spread.
    half = 1.959963984540054 * sqrt(200_000)
    assert (found.tasks, found.calls, found.sampled, found.cells) == (14, 42, 3, 2)
    assert found.prompt_tokens.likely == pytest.approx(3 * 5500)
    assert (found.prompt_tokens.low, found.prompt_tokens.high) == pytest.approx((3 * (5500 - half), 3 * (5500 + half)))
    completion = found.completion_tokens
    assert (completion.likely, completion.low, completion.high) == (42 * 1200, 42 * 300, 42 * 2000)
    assert found.completion_from == "assumption"
    assert found.cost is not None
    assert found.cost.likely == pytest.approx((16_500 + 2 * 42 * 1200) / 1e6)
    assert found.cost.low == pytest.approx((3 * (5500 - half) + 2 * 42 * 300) / 1e6, abs=1e-6)
    assert found.cost.high == pytest.approx((3 * (5500 + half) + 2 * 42 * 2000) / 1e6, abs=1e-6)
    assert (found.currency, found.price_as_of) == ("RUB", "2026-01")


def test_real_replies_take_the_place_of_the_assumption() -> None:
    whole = [Measured("a", CLOSED, 2, 100, 50), Measured("b", CLOSED, 2, 200, 70), Measured("c", OPEN, 1, 9, 11)]
    found = estimate_cost(whole, PROFILE)
    # Every task was asked: nothing is left to guess.
    assert found.completion_from == "sample"
    assert (found.completion_tokens.low, found.completion_tokens.likely, found.completion_tokens.high) == (
        131,
        131,
        131,
    )
    assert found.prompt_tokens.low == found.prompt_tokens.high == 309
    # A cell of which nothing is known leaves the assumption; a task without an answer in a known cell does not.
    assert estimate_cost([*whole[:2], Measured("c", OPEN, 1, 9)], PROFILE).completion_from == "assumption"
    assert estimate_cost([whole[0], Measured("b", CLOSED, 2, 200), whole[2]], PROFILE).completion_from == "sample"


def test_without_a_price_there_is_no_cost() -> None:
    found = estimate_cost([Measured("a", CLOSED, 2, 100)], PROFILE.model_copy(update={"price": None}))
    assert (found.cost, found.currency) == (None, None)


def test_the_rest_is_projected_from_what_was_paid() -> None:
    report = RunnerReport("r", total=48, cost_nano=6_000, currency="RUB", seconds=4.0)
    assert (report.rate, report.whole_cost_nano) == (None, None)
    report.outcomes["answered"] = 12
    assert (report.rate, report.whole_cost_nano, report.eta_seconds) == (3.0, 24_000, 12.0)


def test_a_sample_has_every_cell_and_the_same_at_every_draw() -> None:
    tasks = [task for fabula in sample_fabulas() for task in fabula.tasks()]
    drawn = cell_sample(tasks, 1)
    cells = [(task.task_type, task.depth, task.mode) for task, _ in drawn]
    assert cells == [(kind, depth, mode) for kind in TaskType for depth in Depth for mode in Mode]
    assert {size for _, size in drawn} == {2}
    assert drawn == cell_sample(tasks, 1)
    assert drawn != cell_sample(tasks, 1, seed=43)
    assert len(cell_sample(tasks, 100)) == len(tasks)
    with pytest.raises(InputError, match="per_cell 0"):
        cell_sample(tasks, 0)


def test_a_limit_takes_the_first_fabulas_in_the_modes_asked_for() -> None:
    tasks = [task for fabula in sample_fabulas() for task in fabula.tasks()]
    chosen = chosen_tasks(tasks, modes=[Mode.OPEN], limit=3)
    assert [task.id for task in chosen] == [f"{fabula.id}_open" for fabula in sample_fabulas()[:3]]
