"""A ledger of either kind with a small task set, and the law of the sample without a graph."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from service.benchmarks import Law
from service.citations import ArticleIndex, Coverage
from service.db import Database, NewSubmission, Run, freeze_task_set
from service.domain import Jurisdiction, norm_id_of
from service.evaluation import Evaluator, JudgeWorker, LedgerRecords, RunSpec, open_run, submit
from service.judging import Judge, LexicalJudge, Question, Verdict, VerdictStatus
from service.resources import resource
from service.tasks import Fabula, create_task_set, fabula_of, sample_fabulas, sample_info, set_digest
from tests.integration.db.conftest import *  # noqa: F403 - the ledgers of either kind
from tests.integration.judging.conftest import server  # noqa: F401 - the fake judge

NAMES = ("owl", "magpie", "sparrow")


@functools.cache
def sample_law() -> Law:
    """What the sample corpus holds, from its files."""
    from loaders.statutes.own_words import read_sample

    acts = read_sample(resource("data/sample"))
    articles = {(Jurisdiction.RU, act.act.key): tuple(one.number for one in act.articles) for act in acts}
    stated = {(Jurisdiction.RU, act.act.key): tuple(act.act.coverage) for act in acts}
    known = {norm_id_of(act, number) for (_, act), numbers in articles.items() for number in numbers}

    def ref(act: str, number: str) -> str | None:
        norm = norm_id_of(act, number)
        return norm if norm in known else None

    return Law(Coverage(ArticleIndex(articles), stated), ref, jurisdiction=Jurisdiction.RU)


class SampleLaws:
    async def law(self, corpus: str, version: str) -> Law:
        return sample_law()


class FixedJudge:
    """Gives every step and every conclusion the same value; counts what it was asked."""

    def __init__(self, step: float = 0.5, answer: float = 0.67) -> None:
        self.values = {"step": step, "answer": answer}
        self.asked: list[str] = []

    async def judge(self, question: Question, *, subject: str) -> Verdict:
        self.asked.append(subject)
        return Verdict(VerdictStatus.READ, self.values[question.level])

    async def close(self) -> None: ...


def answers_of(name: str) -> list[dict[str, Any]]:
    path = resource(f"data/sample/answers/{name}.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def as_submission(row: dict[str, Any], key: str | None = None) -> NewSubmission:
    outcome = row["outcome"]
    is_answer = outcome in ("answered", "empty", "cut", "refused_by_provider")
    return NewSubmission(row["task_id"], key or f"{row['task_id']}-1", outcome, is_answer, row["answer"] or "")


@dataclass
class Desk:
    """Everything a test needs, on one ledger."""

    database: Database
    evaluator: Evaluator

    async def run(self, participant: str = "owl", *, task_set: str = "sample", owner: str = "me", **more: Any) -> Run:
        spec = RunSpec(benchmark="mhgb", task_set=task_set, participant=participant, **more)
        async with self.database.write() as session:
            run, _ = await open_run(session, spec, owner=owner)
        return run

    async def send(self, run: Run, rows: Sequence[dict[str, Any]]) -> list[int]:
        receipts = await submit(self.database, run.id, [as_submission(row) for row in rows])
        assert [receipt.error for receipt in receipts] == [None] * len(rows)
        return [receipt.id or 0 for receipt in receipts]

    def worker(self, run: Run, judge: Judge | None = None, **more: Any) -> JudgeWorker:
        assert run.profile_id is not None
        options = {"name": f"w{next(_NUMBERS)}", "poll_seconds": 0.01, **more}
        return JudgeWorker(self.evaluator, {run.profile_id: judge or LexicalJudge()}, **options)

    async def judge(self, run: Run, judge: Judge | None = None) -> None:
        await self.worker(run, judge).run(once=True)


_NUMBERS = itertools.count()


async def add_set(database: Database, fabulas: Sequence[Fabula], key: str = "sample") -> None:
    """A frozen set, without the graph that pins it."""
    import dataclasses

    info = dataclasses.replace(sample_info("0" * 12), key=key)
    async with database.write() as session:
        made = await create_task_set(session, info, fabulas)
        await freeze_task_set(session, made.id, set_digest(made, fabulas))


@pytest.fixture
async def desk(ledger: Database) -> Desk:
    await add_set(ledger, sample_fabulas())
    return Desk(ledger, Evaluator(ledger, LedgerRecords(ledger), SampleLaws()))


def invented_fabula(number: int, norms: Sequence[str] = ("ГК_15", "ГК_1064")) -> Fabula:
    """A fabula for counting, not for reading."""
    chain = [{"step": n, "norm_id": norm, "reasoning": f"шаг {n}"} for n, norm in enumerate(norms, start=1)]
    record = {
        "id": f"f{number:06d}",
        "type": "issue_spotting",
        "hop_group": "shallow" if len(norms) < 3 else "medium",
        "branch_of_law": "civil",
        "norm_ids": list(norms),
        "fabula": f"Дело {number}.",
        "question": "Кто прав?",
        "answer": "Истец.",
        "gold_chain": [*chain, {"step": len(norms) + 1, "norm_id": None, "conclusion": "Истец прав."}],
        "public": True,
    }
    return fabula_of(record)
