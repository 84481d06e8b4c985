"""Validation by a second model: five yes/no checks, all of which must hold (mhgb.md 3)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from service.db import Database, add_instantiation, instantiations_of, reviews_of, set_fabula_status
from service.domain import Language, Mode
from service.errors import InputError
from service.models import Contract, Field, Message, ModelClient, OutcomeStatus, ask_contract
from service.tasks._models_work import (
    Budget,
    Estimate,
    Progress,
    articles_of,
    estimate,
    prompt_version,
    shown_norms,
)
from service.tasks.prompts import Prompts, filled
from service.tasks.record import Fabula, Task, ValidationStatus
from service.tasks.reviews import CHECKS
from service.tasks.sets import TaskSet, list_fabulas

if TYPE_CHECKING:
    from service.graph.store import GraphStore, Row

__all__ = ["VALIDATE", "Validated", "estimate_validation", "model_verdicts", "validate_tasks"]

VALIDATE: Final = "validate"
"""Name of the prompt, of the stage, and of the calls' purpose in the ledger."""


@dataclass(frozen=True, slots=True)
class Validated:
    """What came of a set's fabulas.

    Attributes:
        approved: Those of which all five checks hold.
        rejected: The others with the model's reason.
        unavailable: Those of which the model gave no readable word; their status stays.
        failed_checks: How often each check did not hold.
        untouched: Fabulas that the budget left for later.
    """

    approved: int
    rejected: Mapping[str, str]
    unavailable: Mapping[str, str]
    failed_checks: Mapping[str, int]
    untouched: int


async def validate_tasks(
    ledger: Database,
    store: GraphStore,
    task_set: TaskSet,
    client: ModelClient,
    prompts: Prompts,
    *,
    same_model: bool = False,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Validated:
    """Let a model check every fabula of a set; what experts said stays.

    Args:
        ledger: Keeps every word, append-only; words are reused by (task, prompt, model).
        store: The graph.
        task_set: The set.
        client: The model, another than the tasks' writer.
        prompts: ``validate``.
        same_model: Allow the writer itself.
        budget: Most to spend now, in the currency of the model's price.
        progress: Told after each fabula.

    Raises:
        InputError: The model wrote the tasks itself, or a budget without a price.
    """
    async with ledger.read() as session:
        fabulas = await list_fabulas(session, task_set)
    work = _Work(ledger, store, task_set, client, prompts)
    _other_model(client, fabulas, same_model)
    words = await work.known(fabulas)
    purse = Budget(ledger, client.profile, VALIDATE, budget)
    unavailable: dict[str, str] = {}

    async def one(fabula: Fabula) -> None:
        word = await work.ask(fabula)
        if isinstance(word, str):
            unavailable[fabula.id] = word
        else:
            words[fabula.id] = word
        if progress:
            progress("fabulas validated", len(words) + len(unavailable), len(fabulas))

    untouched = await purse.spend([fabula for fabula in fabulas if fabula.id not in words], one)
    rejected, failed = {}, Counter[str]()
    async with ledger.write() as session:
        by_experts = {row.fabula_id for row in await reviews_of(session, task_set.id)}
        for fabula in fabulas:
            if fabula.id not in words:
                continue
            word = words[fabula.id]
            failed.update(name for name in CHECKS if not word[name])
            holds = all(word[name] for name in CHECKS)
            if not holds:
                rejected[fabula.id] = str(word.get("reason", ""))
            if fabula.id not in by_experts:
                status = ValidationStatus.LLM_VALIDATED if holds else ValidationStatus.REJECTED
                await set_fabula_status(session, task_set.id, fabula.id, status.value)
    return Validated(len(words) - len(rejected), rejected, unavailable, dict(failed), untouched)


async def estimate_validation(
    ledger: Database, store: GraphStore, task_set: TaskSet, client: ModelClient, prompts: Prompts
) -> Estimate:
    """Return what validating a set would cost; nobody is called."""
    async with ledger.read() as session:
        fabulas = await list_fabulas(session, task_set)
    work = _Work(ledger, store, task_set, client, prompts)
    known = await work.known(fabulas)
    sizes = []
    for fabula in fabulas:
        if fabula.id not in known:
            task = fabula.task(Mode.CLOSED)
            articles = await articles_of(store, task_set.corpus_uid, task.norm_ids)
            sizes.append(sum(len(message.content) for message in work.messages(task, articles)))
    return estimate(client.profile, sizes, len(known))


async def model_verdicts(
    ledger: Database, store: GraphStore, task_set: TaskSet, client: ModelClient, prompts: Prompts
) -> dict[str, bool]:
    """Return what a model said of fabulas, as far as it is known: whether all five checks hold."""
    async with ledger.read() as session:
        fabulas = await list_fabulas(session, task_set)
    words = await _Work(ledger, store, task_set, client, prompts).known(fabulas)
    return {fabula: all(word[name] for name in CHECKS) for fabula, word in words.items()}


def _other_model(client: ModelClient, fabulas: Sequence[Fabula], same_model: bool) -> None:
    names = {client.profile.name, client.profile.model}
    for fabula in fabulas:
        writer = fabula.shared.get("generator_model")
        if writer is not None and writer in names and not same_model:
            raise InputError(
                f"model {client.profile.name!r} wrote fabula {fabula.id!r} itself; validate by another model, "
                "or allow it by --same-model"
            )


class _Work:
    def __init__(
        self, ledger: Database, store: GraphStore, task_set: TaskSet, client: ModelClient, prompts: Prompts
    ) -> None:
        self._ledger, self._store, self._set, self._client, self._prompts = ledger, store, task_set, client, prompts
        checks = [Field(name, "boolean", prompts.section(name)) for name in CHECKS]
        reason = Field("reason", "text", prompts.section("reason"), optional=True)
        self._contract = Contract("validation", (*checks, reason), Language(task_set.language))
        self._version = prompt_version(prompts, self._contract)
        self._unread = Counter[str]()

    async def known(self, fabulas: Sequence[Fabula]) -> dict[str, dict[str, Any]]:
        """Return the words that the ledger has, by fabula."""
        names = {self._name(fabula): fabula.id for fabula in fabulas}
        async with self._ledger.read() as session:
            rows = await instantiations_of(
                session,
                VALIDATE,
                prompt_version=self._version,
                model=self._client.profile.name,
                chains=list(names),
            )
        self._unread.update(row.chain for row in rows if row.value_json is None)
        return {names[row.chain]: orjson.loads(row.value_json) for row in rows if row.value_json is not None}

    def _name(self, fabula: Fabula) -> str:
        # By content: a task that was changed is another task.
        kept = {key: value for key, value in fabula.shared.items() if key not in ("validation_status", "public")}
        content = orjson.dumps([self._set.corpus_uid, kept], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(content).hexdigest()

    def messages(self, task: Task, articles: Mapping[str, Row]) -> list[Message]:
        """Return the prompt of a fabula; it does not say who wrote it."""
        steps = [f"{step.step}. {step.norm_id or '—'}: {step.text}" for step in task.gold_chain]
        text = filled(
            self._prompts.section("task"),
            {
                "fabula": task.fabula,
                "question": task.question,
                "norms": shown_norms([norm for norm in task.norm_ids if norm in articles], articles),
                "chain": "\n".join(steps),
                "answer": task.answer,
                "requirement": self._contract.requirement,
            },
        )
        return [Message("system", self._prompts.section("system")), Message("user", text)]

    async def ask(self, fabula: Fabula) -> dict[str, Any] | str:
        """Return the model's word, or why there is none; both are kept."""
        task = fabula.task(Mode.CLOSED)
        articles = await articles_of(self._store, self._set.corpus_uid, task.norm_ids)
        outcome = await ask_contract(
            self._client,
            self._contract,
            self.messages(task, articles),
            purpose=VALIDATE,
            # A reply is used again within one try, as after a crash; after an unreadable one the model is asked anew.
            subject=f"{self._set.name}/{fabula.id}/{self._unread[self._name(fabula)] + 1}",
            reuse=True,
        )
        values = dict(outcome.values) if outcome.values is not None else None
        read = outcome.status is OutcomeStatus.READ
        async with self._ledger.write() as session:
            await add_instantiation(
                session,
                {
                    "chain": self._name(fabula),
                    "stage": VALIDATE,
                    "subject": fabula.id,
                    "prompt_version": self._version,
                    "model": self._client.profile.name,
                    "status": "read" if read else "unavailable",
                    "value_json": orjson.dumps(values).decode() if values is not None else None,
                    "reason": outcome.failure,
                },
            )
        return values if values is not None else outcome.failure or "no reply"
