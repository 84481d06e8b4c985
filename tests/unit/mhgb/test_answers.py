"""Thirty hand-made submissions with every oddity; each figure was worked out by hand from mhgb.md 4 and 5."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction as F  # noqa: N817 - figures are written as fractions
from typing import Any

import pytest

from service.analysis import Weights
from service.benchmarks.mhgb import EVALUATION, ErrorKind, error_kind, final_score, read_answer
from service.domain import Outcome
from service.errors import InputError
from tests.unit.mhgb.law import law

A, R, C = "ПРИМЕНИМЫЕ СТАТЬИ:\n", "\nЦЕПОЧКА РАССУЖДЕНИЙ:\n", "\nВЫВОД:\n"
SEEDS = ("ГК_15", "ГК_1064")
FULL = {"step:1": 1.0, "step:2": 1.0, "answer": 1.0}


def three(articles: str, reasoning: str, conclusion: str = "Платит.") -> str:
    return f"{A}{articles}{R}{reasoning}{C}{conclusion}"


@dataclass(frozen=True)
class Case:
    """One submission and what must come of it; ``nc`` is hits·2 / (named + seeds), written out."""

    text: str
    nc: F | None
    sc: F | None = F(1)
    ac: F | None = F(1)
    outcome: Outcome = Outcome.ANSWERED
    verdicts: dict[str, float | None] = field(default_factory=lambda: FULL)
    invented: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    unstructured: bool = False
    consistency: F | None = F(1)
    kind: ErrorKind | None = None
    zero: str | None = None
    reason: str | None = None
    fold: bool = False
    seeds: tuple[str, ...] = SEEDS


def v(one: float | None, two: float | None, answer: float | None) -> dict[str, float | None]:
    return {"step:1": one, "step:2": two, "answer": answer}


CASES = {
    "whole": Case(three("ГК_15, ГК_1064", "ГК_15: …\nГК_1064: …"), F(1)),
    "in words": Case(three("ст. 15 ГК РФ; ст. 1064 ГК РФ", "По ст. 15 ГК … ст. 1064 ГК …"), F(1)),
    "one of two": Case(three("ГК_15", "ГК_15: …"), F(2, 3)),
    "one too many": Case(three("ГК_15, ГК_1064, ГК_151", "ГК_15, ГК_1064"), F(4, 5), consistency=F(2, 3)),
    "the reasoning adds one": Case(three("ГК_15", "ГК_15 и ГК_1064"), F(1), consistency=F(1, 2)),
    "norms of the conclusion do not count": Case(three("ГК_15", "ГК_15", "Платит по ГК_1064."), F(2, 3)),
    "norms ahead of the headings do not count": Case("См. ГК_1064.\n" + three("ГК_15", "ГК_15"), F(2, 3)),
    "no norms at all": Case(three("нет", "рассуждаю"), F(0), verdicts=v(0.5, 0.5, 0.67), sc=F(1, 2), ac=F(67, 100),
                            kind=ErrorKind.NORM_MISS),
    "invented ones are apart": Case(three("ГК_15, ГК_1999, ГК_1064", "ГК_15, ГК_1064"), F(1), invented=("ГК_1999",)),
    "outside the corpus": Case(three("ГК_15, ЖК_30, ГК_1064", "ГК_15, ГК_1064"), F(1), outside=("ЖК_30",)),
    "outside the stated part": Case(three("ГК_15, ТК_400, ГК_1064", "ГК_15, ГК_1064"), F(1), outside=("ТК_400",)),
    "invented in the conclusion is told too": Case(three("ГК_15, ГК_1064", "ГК_15, ГК_1064", "ГК_1999."), F(1),
                                                   invented=("ГК_1999",)),
    "think block apart": Case("<think>ГК_151, ГК_10</think>\n" + three("ГК_15, ГК_1064", "ГК_15, ГК_1064"), F(1)),
    "think block without its opening": Case("ГК_151</think>" + three("ГК_15, ГК_1064", "ГК_15, ГК_1064"), F(1)),
    "unstructured": Case("Платит: ГК_15, ГК_1064.", F(1), unstructured=True, consistency=None),
    "only a conclusion": Case("Вывод: платит по ГК_15.", F(2, 3), unstructured=True, consistency=None),
    "no reasoning": Case(f"{A}ГК_15, ГК_1064{C}Платит.", F(1), consistency=F(0)),
    "no list": Case(f"Цепочка рассуждений:\nГК_15, ГК_1064{C}Платит.", F(1), consistency=F(0)),
    "a range": Case(three("ГК_254-256", "ГК_254-256"), F(2, 4), seeds=("ГК_254",)),
    "folded": Case(three("КоАП_25.13-1", "КоАП_25.13-1"), F(1), fold=True, seeds=("КоАП_25.13",), verdicts=FULL),
    "not folded": Case(three("КоАП_25.13-1", "КоАП_25.13-1"), F(0), seeds=("КоАП_25.13",), invented=("КоАП_25.13-1",)),
    "a folded seed": Case(three("КоАП_25.13", "КоАП_25.13"), F(1), fold=True, seeds=("КоАП_25.13-1",)),
    "a step misses its verdict": Case(three("ГК_15", "ГК_15"), F(2, 3), sc=None, verdicts=v(1.0, None, 1.0),
                                      reason="1 of 2 steps have no verdict"),
    "the conclusion misses it": Case(three("ГК_15", "ГК_15"), F(2, 3), ac=None, verdicts=v(1.0, 1.0, None),
                                     reason="the conclusion has no verdict"),
    "empty": Case("", F(0), F(0), F(0), Outcome.EMPTY, {}, zero="empty", kind=ErrorKind.MULTI_FAIL, consistency=F(1)),
    "blank": Case(" \n ", F(0), F(0), F(0), verdicts={}, zero="empty", kind=ErrorKind.MULTI_FAIL),
    "thought and said nothing": Case("<think>ГК_15", F(0), F(0), F(0), Outcome.CUT, {}, zero="cut",
                                     kind=ErrorKind.MULTI_FAIL),
    "refused by the provider": Case("", F(0), F(0), F(0), Outcome.REFUSED_BY_PROVIDER, {}, zero="refused_by_provider",
                                    kind=ErrorKind.MULTI_FAIL),
    "cut": Case(f"{A}ГК_15, ГК_1064{R}ГК_15: убытки; ГК_10", F(4, 5), F(1, 2), F(0), Outcome.CUT,
                v(1.0, 0.0, 0.0), consistency=F(1, 3), kind=ErrorKind.ANSWER_FAIL),
    "overflow": Case("", None, None, None, Outcome.CONTEXT_OVERFLOW, {}, reason="outcome context_overflow is no answer"),
}  # fmt: skip


def test_there_are_thirty() -> None:
    assert len(CASES) == 30


def record(seeds: tuple[str, ...]) -> dict[str, Any]:
    chain = [{"step": n, "norm_id": seed, "reasoning": "…"} for n, seed in enumerate(seeds, start=1)]
    last = {"step": len(seeds) + 1, "norm_id": None, "conclusion": "…"}
    return {"id": "t", "norm_ids": list(seeds), "gold_chain": [*chain, last], "answer": "…"}


def scores(
    text: str, verdicts: dict[str, float | None], *, outcome: Outcome = Outcome.ANSWERED, seeds=SEEDS, fold=False
):
    plan = EVALUATION.plan(record(seeds), outcome, text, law(fold=fold))
    return plan, EVALUATION.score(plan.components, {key: verdicts.get(key) for key in plan.keys})


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_submission(case: Case) -> None:
    reading = read_answer(case.text, law(fold=case.fold))
    assert (reading.invented, reading.outside) == (case.invented, case.outside)
    if not case.outcome.is_answer:
        with pytest.raises(InputError, match=case.outcome.value):
            scores(case.text, case.verdicts, outcome=case.outcome)
        return
    plan, score = scores(case.text, case.verdicts, outcome=case.outcome, seeds=case.seeds, fold=case.fold)
    for value, wanted in zip(score.components.values(), (case.nc, case.sc, case.ac), strict=True):
        assert value == (None if wanted is None else pytest.approx(float(wanted), abs=1e-12))
    whole = None if None in (case.nc, case.sc, case.ac) else (case.nc + case.sc + case.ac) / 3  # type: ignore[operator]
    assert score.final == (None if whole is None else pytest.approx(float(whole), abs=1e-12))
    assert (score.reason, plan.zero) == (case.reason, case.zero)
    if case.zero is None:
        assert reading.unstructured is case.unstructured
        wanted = None if case.consistency is None else pytest.approx(float(case.consistency))
        assert reading.consistency == wanted
    else:
        assert plan.keys == ()
    assert error_kind(score.components, plan.details, score.final) is case.kind


def test_the_taxonomy_in_its_order() -> None:
    """Each rule with the ones behind it true as well; NC of the list is NC itself, so the first needs an odd answer."""
    many = ", ".join(f"ГК_{n}" for n in ("10", "16", "151", "254", "255", "256", "1079", "1101"))
    # NC 2·2/(10+2) = 1/3, NC of the reasoning 1: 1 − 1/3 > 0.3.
    cases = [
        (three(many, "ГК_15, ГК_1064"), v(0.0, 0.0, 0.0), ErrorKind.HALLUCINATION),
        (three("ГК_10", "ГК_10"), v(0.0, 0.5, 0.0), ErrorKind.MULTI_FAIL),
        (three("ГК_10", "ГК_10"), v(0.0, 0.5, 0.33), ErrorKind.NORM_MISS),
        (three("ГК_15", "ГК_15"), v(0.0, 0.5, 0.33), ErrorKind.REASONING_FAIL),
        (three("ГК_15", "ГК_15"), v(0.5, 0.5, 0.0), ErrorKind.ANSWER_FAIL),
        (three("ГК_15, ГК_1064", "ГК_15, ГК_1064"), v(0.5, 0.5, 0.0), None),  # (1 + 0.5 + 0) / 3 is 0.5 exactly
    ]
    for text, verdicts, wanted in cases:
        plan, score = scores(text, verdicts)
        assert error_kind(score.components, plan.details, score.final) is wanted


def test_weights_change_the_final_score_alone() -> None:
    _, score = scores(three("ГК_15", "ГК_15"), v(1, 0, 0.33))
    assert final_score(score.components, Weights(0.5, 0.25, 0.25)) == pytest.approx(1 / 3 + 0.125 + 0.0825)


def test_an_inserted_article_that_exists_is_its_own_norm_where_nothing_is_folded() -> None:
    known = law(more={"КоАП": ("25.13-1",)})
    assert read_answer(three("КоАП_25.13-1", ""), known).named == ("КоАП_25.13-1",)
    folded = law(fold=True, more={"КоАП": ("25.13-1",)})
    assert read_answer(three("КоАП_25.13-1", ""), folded).named == ("КоАП_25.13",)
