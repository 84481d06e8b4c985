"""Instantiation: a model turns chains into tasks, under a contract; every chain ends as a task or a recorded failure."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import orjson

from service.chains import Chain
from service.db import Database, add_instantiation, chains_of_set, instantiations_of, put_chains
from service.domain import DateBasis, Depth, Language, NormId, RelationType, TaskType
from service.errors import ConflictError
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
from service.tasks.checks import MAX_OVERLAP, task_report
from service.tasks.overlap import overlap
from service.tasks.prompts import Prompts, filled
from service.tasks.record import BLOOM_LEVELS, Fabula, ValidationStatus, fabula_of
from service.tasks.sets import TaskSet, replace_fabulas

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from service.graph.store import GraphStore, Row

__all__ = ["WRITE", "WriteStatus", "Written", "estimate_writing", "keep_chains", "set_chains", "write_tasks"]

WRITE: Final = "write"
"""Name of the prompt, of the stage, and of the calls' purpose in the ledger."""

_SEND_BACKS: Final = 2
_NAMESPACE: Final = uuid.UUID("6f0c0d0e-3a0b-5f57-9c57-6c6578686f70")


class WriteStatus(StrEnum):
    """How writing a chain ended."""

    VALID = "valid"
    SENT_BACK = "sent_back"
    FAILED = "failed"
    NO_REPLY = "no_reply"


@dataclass(frozen=True, slots=True)
class Written:
    """What came of a set's chains.

    Attributes:
        valid: Chains that are tasks now.
        failed: The others with the reason, by chain; each stands in the ledger too.
        untouched: Chains that the budget left for later.
    """

    valid: int
    failed: Mapping[str, str]
    untouched: int


async def keep_chains(session: AsyncSession, task_set: TaskSet, chains: Sequence[Chain]) -> None:
    """Give a draft the chains that it is to be written from.

    Raises:
        ConflictError: The set is frozen.
    """
    if task_set.frozen:
        raise ConflictError(f"task set {task_set.name!r} is frozen; make a new version of it")
    await put_chains(
        session, task_set.id, [(chain.key, orjson.dumps(_chain_record(chain)).decode()) for chain in chains]
    )


async def set_chains(session: AsyncSession, task_set: TaskSet) -> list[Chain]:
    """Return the chains of a draft.

    Raises:
        ConflictError: It has none.
    """
    rows = await chains_of_set(session, task_set.id)
    if not rows:
        raise ConflictError(f"task set {task_set.name!r} has no chains; make one by `lexhop tasks draft`")
    return [_chain(orjson.loads(row.chain_json)) for row in rows]


async def write_tasks(
    ledger: Database,
    store: GraphStore,
    task_set: TaskSet,
    client: ModelClient,
    prompts: Prompts,
    *,
    branches: Mapping[str, str | None],
    budget: float | None = None,
    most_overlap: float = MAX_OVERLAP,
    again: bool = False,
    progress: Progress | None = None,
) -> Written:
    """Turn a draft's chains into its fabulas.

    What is done is taken from the ledger: a valid task of the same chain, prompt and model is never asked for again, and a
    reply that was received before a crash is read and not paid for twice.

    Args:
        ledger: Keeps every step, append-only.
        store: The graph.
        task_set: A draft with chains.
        client: The model; it records its attempts in the same ledger.
        prompts: ``write``.
        branches: Branch of law by act.
        budget: Most to spend now, in the currency of the model's price; None for no limit.
        most_overlap: Largest token overlap of facts and norms.
        again: Try chains anew that failed before.
        progress: Told after each chain.

    Raises:
        ConflictError: The set is frozen or has no chains.
        InputError: A budget without a price.
    """
    async with ledger.read() as session:
        chains = await set_chains(session, task_set)
    work = _Work(ledger, store, task_set, client, prompts, branches=branches, most_overlap=most_overlap)
    done = await work.known(chains)
    todo = [chain for chain in chains if chain.key not in done or (again and isinstance(done[chain.key], str))]
    purse = Budget(ledger, client.profile, WRITE, budget)

    async def one(chain: Chain) -> None:
        done[chain.key] = await work.write(chain)
        if progress:
            progress("chains written", sum(one.key in done for one in chains), len(chains))

    untouched = await purse.spend(todo, one)
    fabulas = [made for chain in chains if isinstance(made := done.get(chain.key), Fabula)]
    async with ledger.write() as session:
        await replace_fabulas(session, task_set, fabulas)
    failed = {chain.key: made for chain in chains if isinstance(made := done.get(chain.key), str)}
    return Written(len(fabulas), failed, untouched)


async def estimate_writing(
    ledger: Database, store: GraphStore, task_set: TaskSet, client: ModelClient, prompts: Prompts
) -> Estimate:
    """Return what writing a draft would cost; nobody is called."""
    async with ledger.read() as session:
        chains = await set_chains(session, task_set)
    work = _Work(ledger, store, task_set, client, prompts)
    done = await work.known(chains)
    sizes = []
    for chain in chains:
        if chain.key not in done:
            articles = await articles_of(store, task_set.corpus_uid, chain.norms)
            sizes.append(sum(len(message.content) for message in work.messages(chain, articles)))
    return estimate(client.profile, sizes, len(done))


class _Work:
    def __init__(
        self,
        ledger: Database,
        store: GraphStore,
        task_set: TaskSet,
        client: ModelClient,
        prompts: Prompts,
        *,
        branches: Mapping[str, str | None] | None = None,
        most_overlap: float = MAX_OVERLAP,
    ) -> None:
        self._ledger, self._store, self._set, self._client = ledger, store, task_set, client
        self._prompts, self._branches, self._most = prompts, branches or {}, most_overlap
        self._language = Language(task_set.language)
        self._failures = Counter[str]()

    def contract(self, chain: Chain) -> Contract:
        """Return what is asked for: a step for each norm, so that a step can belong to no other norm."""
        say = self._prompts.section
        fields = [Field("fabula", "text", say("fabula")), Field("question", "text", say("question"))]
        fields += [
            Field(f"step_{number}", "text", filled(say("step"), {"number": str(number), "norm": norm}))
            for number, norm in enumerate(chain.norms, start=1)
        ]
        fields.append(Field("conclusion", "text", say("conclusion")))
        if chain.task_type is TaskType.TEMPORAL_VALIDITY:
            fields.append(Field("event_date", "text", say("event_date"), longest=10))
        return Contract("task", tuple(fields), self._language)

    def version(self, chain: Chain) -> str:
        """Return the version of prompt and contract for a chain; it depends on the chain's length, type and names."""
        return prompt_version(self._prompts, self.contract(chain))

    async def known(self, chains: Sequence[Chain]) -> dict[str, Fabula | str]:
        """Return the ends that the ledger has: a fabula or the reason of a failure; no reply is no end."""
        by_version: dict[str, list[str]] = {}
        for chain in chains:
            by_version.setdefault(self.version(chain), []).append(chain.key)
        found: dict[str, Fabula | str] = {}
        async with self._ledger.read() as session:
            for version, keys in by_version.items():
                model = self._client.profile.name
                for row in await instantiations_of(session, WRITE, prompt_version=version, model=model, chains=keys):
                    if row.status == WriteStatus.VALID and row.subject == self._set.corpus_version:
                        found[row.chain] = fabula_of(orjson.loads(row.value_json or "{}"))
                    elif row.status == WriteStatus.FAILED and row.subject == self._set.corpus_version:
                        self._failures[row.chain] += 1
                        if not isinstance(found.get(row.chain), Fabula):
                            found[row.chain] = row.reason or ""
        return found

    def messages(self, chain: Chain, articles: Mapping[NormId, Row]) -> list[Message]:
        """Return the prompt of a chain."""
        say = self._prompts.section
        begins = [articles[norm]["valid_from"] for norm in chain.norms if articles[norm]["valid_from"]]
        ends = [articles[norm]["valid_to"] for norm in chain.norms if articles[norm]["valid_to"]]
        kind = filled(
            say(chain.task_type.value),
            {
                "earliest": max(begins, default="—"),
                "latest": f" — {min(ends)}" if ends else "",
                "dates": "; ".join(f"{norm}: {begin}" for norm, begin, _ in chain.dates) or "—",
            },
        )
        steps = [chain.norms[0]]
        for relation, norm in zip(chain.relations, chain.norms[1:], strict=True):
            steps.append(f"{relation.value} → {norm}")
        text = filled(
            say("task"),
            {
                "chain": "\n".join(steps),
                "norms": shown_norms(chain.norms, articles),
                "kind": kind,
                "requirement": self.contract(chain).requirement,
            },
        )
        return [Message("system", say("system")), Message("user", text)]

    async def write(self, chain: Chain) -> Fabula | str:
        """Ask for a task until it passes, a bounded number of times; return it, or the reason why there is none."""
        articles = await articles_of(self._store, self._set.corpus_uid, chain.norms)
        missing = [norm for norm in chain.norms if norm not in articles]
        if missing:
            return await self._end(chain, WriteStatus.FAILED, f"norm {missing[0]!r} is not in {self._set.corpus_uid}")
        contract, prompt = self.contract(chain), self.messages(chain, articles)
        # A reply is used again within one try, as after a crash; a try after a failure asks anew.
        subject = f"{self._set.corpus_uid}/{chain.key}/{self._failures[chain.key] + 1}"
        turns = list(prompt)
        for attempt in range(_SEND_BACKS + 1):
            outcome = await ask_contract(self._client, contract, turns, purpose=WRITE, subject=subject, reuse=True)
            if outcome.values is None:
                received = outcome.status is OutcomeStatus.UNREADABLE or outcome.reply.status.received
                status = WriteStatus.FAILED if received else WriteStatus.NO_REPLY
                return await self._end(chain, status, outcome.failure or "no reply")
            record = self._record(chain, outcome.values, articles)
            fabula = fabula_of(record)
            faults = task_report(fabula.tasks()[0], (), articles, self._language, most=self._most).faults
            if not faults:
                await self._end(chain, WriteStatus.VALID, None, record)
                return fabula
            said = "\n".join(f"- {fault}" for fault in faults)
            if attempt < _SEND_BACKS:
                await self._end(chain, WriteStatus.SENT_BACK, said, record)
            again = filled(self._prompts.section("again"), {"faults": said})
            turns = [*prompt, Message("assistant", outcome.reply.text), Message("user", again)]
        return await self._end(chain, WriteStatus.FAILED, said, record)

    async def _end(
        self, chain: Chain, status: WriteStatus, reason: str | None, record: Mapping[str, Any] | None = None
    ) -> str:
        async with self._ledger.write() as session:
            await add_instantiation(
                session,
                {
                    "chain": chain.key,
                    "stage": WRITE,
                    "subject": self._set.corpus_version,
                    "prompt_version": self.version(chain),
                    "model": self._client.profile.name,
                    "status": status.value,
                    "value_json": orjson.dumps(record).decode() if record is not None else None,
                    "reason": reason,
                },
            )
        return reason or ""

    def _record(self, chain: Chain, values: Mapping[str, Any], articles: Mapping[NormId, Row]) -> dict[str, Any]:
        texts = [values[f"step_{number}"] for number in range(1, len(chain.norms) + 1)]
        steps: list[dict[str, Any]] = [
            {"step": number, "norm_id": norm, "reasoning": text, "is_critical": True}
            for number, (norm, text) in enumerate(zip(chain.norms, texts, strict=True), start=1)
        ]
        steps.append({"step": len(steps) + 1, "norm_id": None, "conclusion": values["conclusion"], "is_critical": True})
        answer = filled(
            self._prompts.section("answer"),
            {
                "list": "\n".join(f"- {norm}" for norm in chain.norms),
                "steps": "\n".join(
                    f"{n}. {norm}: {text}" for n, (norm, text) in enumerate(zip(chain.norms, texts, strict=True), 1)
                ),
                "conclusion": values["conclusion"],
            },
        )
        named = f"{self._set.corpus_uid}/{chain.key}/{self.version(chain)}/{self._client.profile.name}"
        record: dict[str, Any] = {
            "id": str(uuid.uuid5(_NAMESPACE, named)),
            "type": chain.task_type.value,
            "bloom_level": BLOOM_LEVELS[chain.task_type],
            "hop_count": len(chain.norms),
            "hop_group": chain.depth.value,
            "branch_of_law": self._branches.get(articles[chain.norms[0]]["act"]),
            "norm_ids": list(chain.norms),
            "fabula": values["fabula"],
            "question": values["question"],
            "answer": answer,
            "gold_chain": steps,
            "expected_answer_format": self._prompts.section("answer_format"),
            "edge_meta": [
                {"source": source, "target": target, "edge_type": kind.value}
                for source, target, kind in zip(chain.norms, chain.norms[1:], chain.relations, strict=False)
            ],
            "corpus": self._set.corpus,
            "corpus_version": self._set.corpus_version,
            "validation_status": ValidationStatus.PENDING.value,
            "generated_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "generator_model": self._client.profile.model or self._client.profile.name,
            "prompt_version": self.version(chain),
            "chain": chain.key,
            "overlap": overlap(values["fabula"], [articles[norm]["text"] for norm in chain.norms])._asdict(),
        }
        if chain.task_type is TaskType.TEMPORAL_VALIDITY:
            record["event_date"] = values["event_date"]
            record["norm_dates"] = [
                {"norm_id": norm, "valid_from": begin, "valid_from_basis": basis} for norm, begin, basis in chain.dates
            ]
        return record


def _chain_record(chain: Chain) -> dict[str, Any]:
    return {
        "type": chain.task_type,
        "depth": chain.depth,
        "norms": chain.norms,
        "relations": chain.relations,
        "wide": chain.wide,
        "dates": chain.dates,
    }


def _chain(record: Mapping[str, Any]) -> Chain:
    return Chain(
        TaskType(record["type"]),
        Depth(record["depth"]),
        tuple(record["norms"]),
        tuple(RelationType(kind) for kind in record["relations"]),
        record["wide"],
        tuple((norm, begin, DateBasis(basis) if basis else None) for norm, begin, basis in record["dates"]),
    )
