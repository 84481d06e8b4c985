"""Refines a corpus' relations by a model: asks about candidates, keeps every word, makes a new version's content."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loaders.relations._refinement import Pair, Questions, Verdict, apply_verdicts, pairs_to_ask
from service.db import cached_refinements, keep_refinement
from service.errors import InputError, UnavailableError
from service.models import OutcomeStatus, ReplyStatus, ask_contract

if TYPE_CHECKING:
    from service.db import Database
    from service.graph.content import CorpusContent
    from service.models import ModelClient, Outcome

__all__ = ["Plan", "Refinement", "plan_refinement", "refine"]

Progress = Callable[[str, int, int], None]

PURPOSE = "refine"
_CHARS_PER_TOKEN = 3
# A sentence of explanation and two names: what a reply of this contract takes, generously.
_REPLY_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """What a refinement would ask.

    Attributes:
        pairs: Candidates in all.
        known: Of these, answered before by the same model to the same prompt.
        too_long: Of these, with a prompt above the model's window; they are not asked.
        to_ask: The rest, within the limit.
        prompt_tokens: Of those to ask, at three characters each.
        cost_nano: Of those to ask, in billionths of ``currency``; None without a price.
    """

    pairs: int
    known: int
    too_long: int
    to_ask: tuple[Pair, ...]
    prompt_tokens: int
    completion_tokens: int
    cost_nano: int | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class Refinement:
    """What came of a refinement.

    Attributes:
        content: The corpus with the verdicts; the same as before when they change nothing.
        counts: ``asked``, ``known``, ``too_long``, ``unreadable``, ``none``, one for each type given, and each reply
            status that was no answer.
        left: Candidates that were not asked: limit, budget or an open circuit.
        stopped: Why it ended early; None when everything was asked.
        cost_nano: Of this run, in billionths of ``currency``.
    """

    content: CorpusContent
    counts: Mapping[str, int]
    left: int
    stopped: str | None
    cost_nano: int
    currency: str | None


async def plan_refinement(
    content: CorpusContent, client: ModelClient, database: Database, *, every: bool = False, limit: int | None = None
) -> Plan:
    """Say what a refinement would ask and about what it would cost; nobody is called."""
    known, asked, too_long = await _sorted_out(content, client, database, every=every)
    chosen = asked[:limit]
    questions = Questions(content)
    prompt = sum(_tokens(questions, pair) for pair in chosen)
    completion = _REPLY_TOKENS * len(chosen)
    price = client.profile.price
    return Plan(
        pairs=len(known) + len(asked) + too_long,
        known=len(known),
        too_long=too_long,
        to_ask=tuple(chosen),
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost_nano=price.cost_nano(prompt, completion) if price else None,
        currency=price.currency if price else None,
    )


async def refine(
    content: CorpusContent,
    client: ModelClient,
    database: Database,
    *,
    every: bool = False,
    limit: int | None = None,
    budget_nano: int | None = None,
    progress: Progress = lambda _what, _done, _total: None,
) -> Refinement:
    """Ask about every candidate that is not known yet, and apply all that is known.

    Each verdict is kept as it comes, by the hash of the whole request, so that the same call goes on where an
    interrupted one ended. A reply that cannot be read, or none, leaves its candidate as it was and is counted. Within
    the budget means: no call begins once what was spent, and what is under way at its estimate, reaches it.

    Raises:
        InputError: There is a budget but the model has no price.
        UnavailableError: The model's circuit opened before anything new was learned.
    """
    if budget_nano is not None and client.profile.price is None:
        raise InputError(f"model {client.profile.name!r} has no price, so no budget can be kept; give it one, or none")
    known, asked, too_long = await _sorted_out(content, client, database, every=every)
    run = _Run(content, client, database, budget_nano)
    await run.ask(asked[:limit], progress)
    if run.stopped and run.circuit and not run.verdicts:
        raise UnavailableError(run.stopped, retry_after=60)
    verdicts = {**known, **run.verdicts}
    counts = Counter({"asked": run.made, "known": len(known), "too_long": too_long})
    counts.update(run.failures)
    counts.update("none" if verdict.type is None else verdict.type.value for verdict in verdicts.values())
    price = client.profile.price
    left = len(asked) - run.made
    return Refinement(
        apply_verdicts(content, verdicts),
        dict(counts),
        left,
        run.stopped,
        run.spent,
        price.currency if price else None,
    )


async def _sorted_out(
    content: CorpusContent, client: ModelClient, database: Database, *, every: bool
) -> tuple[dict[Pair, Verdict], list[Pair], int]:
    """Return (known verdicts, pairs to ask, how many are too long)."""
    questions = Questions(content)
    digests = {pair: _key(questions, client, pair) for pair in pairs_to_ask(content, every=every)}
    async with database.read() as session:
        kept = await cached_refinements(session, digests.values())
    known = {pair: Verdict.of_values(kept[key]) for pair, key in digests.items() if key in kept}
    asked = [pair for pair in digests if pair not in known]
    window = client.profile.window
    if window is None:
        return known, asked, 0
    fitting = [pair for pair in asked if _tokens(questions, pair) + client.profile.max_tokens <= window]
    return known, fitting, len(asked) - len(fitting)


def _key(questions: Questions, client: ModelClient, pair: Pair) -> str:
    # The prompt holds both texts and the contract's words: its digest is content hash and prompt version in one.
    messages, _ = questions.about(pair)
    return client.digest(messages)


def _tokens(questions: Questions, pair: Pair) -> int:
    messages, _ = questions.about(pair)
    return sum(len(message.content) for message in messages) // _CHARS_PER_TOKEN


@dataclass
class _Run:
    """The asking itself: some workers on one list."""

    content: CorpusContent
    client: ModelClient
    database: Database
    budget_nano: int | None
    verdicts: dict[Pair, Verdict] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    made: int = 0
    spent: int = 0
    stopped: str | None = None
    circuit: bool = False
    _under_way: int = 0

    def __post_init__(self) -> None:
        self._questions = Questions(self.content)

    async def ask(self, pairs: list[Pair], progress: Progress) -> None:
        """Ask about the pairs, as many at a time as the profile says."""
        waiting = iter(pairs)
        total = len(pairs)

        async def worker() -> None:
            for pair in waiting:
                estimate = self._estimate(pair)
                if self.stopped is None and self._over_budget(estimate):
                    self.stopped = "the budget is used up"
                if self.stopped is not None:
                    return
                self._under_way += estimate
                try:
                    await self._one(pair)
                finally:
                    self._under_way -= estimate
                progress("candidates", self.made, total)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self.client.profile.concurrency, total)):
                group.create_task(worker())

    def _estimate(self, pair: Pair) -> int:
        price = self.client.profile.price
        if self.budget_nano is None or price is None:
            return 0
        return price.cost_nano(_tokens(self._questions, pair), _REPLY_TOKENS) or 0

    def _over_budget(self, estimate: int) -> bool:
        return self.budget_nano is not None and self.spent + self._under_way + estimate > self.budget_nano

    async def _one(self, pair: Pair) -> None:
        messages, contract = self._questions.about(pair)
        outcome = await ask_contract(self.client, contract, messages, purpose=PURPOSE, subject=f"{pair[0]} {pair[1]}")
        if outcome.reply.status is ReplyStatus.CIRCUIT_OPEN:
            # Nobody was asked: the candidate waits for the next run.
            self.stopped, self.circuit = outcome.failure, True
            return
        self.made += 1
        self.spent += outcome.cost_nano or 0
        if outcome.status is OutcomeStatus.READ:
            await self._keep(pair, outcome)
        elif outcome.status is OutcomeStatus.UNREADABLE:
            self.failures["unreadable"] += 1
        else:
            self.failures[outcome.reply.status.value] += 1

    async def _keep(self, pair: Pair, outcome: Outcome) -> None:
        values: dict[str, Any] = dict(outcome.values or {})
        messages, contract = self._questions.about(pair)
        async with self.database.write() as session:
            await keep_refinement(
                session,
                self.client.digest(messages),
                model=self.client.profile.name,
                prompt_version=contract.digest,
                pair=f"{pair[0]} {pair[1]}",
                value=values,
            )
        self.verdicts[pair] = Verdict.of_values(values)
