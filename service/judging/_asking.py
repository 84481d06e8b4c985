"""Asks a judge, and says what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from service.judging._questions import REFUSAL, contract_for, judge_messages
from service.judging._refusals import refusal_words
from service.models import Contract, OutcomeStatus, ask_contract

if TYPE_CHECKING:
    from service.judging._profile import JudgeProfile
    from service.judging._questions import Question
    from service.models import ModelClient

__all__ = ["Judge", "ModelJudge", "Verdict", "VerdictStatus", "contract_of", "verdict_of"]


class VerdictStatus(StrEnum):
    """How asking a judge ended."""

    READ = "read"
    UNREADABLE = "unreadable"
    NO_REPLY = "no_reply"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said on one question.

    Attributes:
        value: One of the question's values; None unless read. A failure is never a zero.
        reason: The judge's own words.
        reply: What was received last, as far as anything was.
        failure: What went wrong and what to do; None when read.
        passing: The judge's server is the cause: the same question may well be answered later.
        asked: How many times the judge was asked.
    """

    status: VerdictStatus
    value: float | None
    reason: str | None = None
    reply: str | None = None
    failure: str | None = None
    passing: bool = False
    asked: int = 1


class Judge(Protocol):
    """Answers questions."""

    async def judge(self, question: Question, *, subject: str) -> Verdict:
        """Return a verdict, or how there came none; it does not raise for what a judge does.

        ``subject`` names the very asking: a reply that was already paid for under it is taken from the ledger.
        """

    async def close(self) -> None:
        """Close connections."""


def contract_of(question: Question) -> Contract:
    """Return how a verdict on a question is asked for and read; external judges' replies are read by it too."""
    return contract_for(question)


def verdict_of(question: Question, values: Mapping[str, Any]) -> tuple[float, str | None]:
    """Return the value of a reply that was read, and its words: a detector's as JSON, a judge's reason."""
    if question.level == REFUSAL:
        return float(values["is_rta"]), refusal_words(values)
    return float(values["score"]), values.get("reason")


class ModelJudge:
    """A judge that is a model of the models file."""

    def __init__(self, profile: JudgeProfile, client: ModelClient) -> None:
        self.profile = profile
        self._client = client

    async def judge(self, question: Question, *, subject: str) -> Verdict:
        """Ask the model; an unreadable reply is asked for again, with the reason."""
        outcome = await ask_contract(
            self._client,
            contract_for(question),
            judge_messages(question),
            purpose="judge",
            subject=subject,
            reasks=self.profile.reasks,
            reuse=True,
            options={"temperature": self.profile.temperature},
        )
        if outcome.status is OutcomeStatus.READ and outcome.values is not None:
            value, words = verdict_of(question, outcome.values)
            return Verdict(VerdictStatus.READ, value, words, outcome.reply.raw, asked=outcome.asked)
        status = VerdictStatus(outcome.status.value)
        passing = status is VerdictStatus.NO_REPLY and outcome.reply.status.passing
        return Verdict(status, None, None, outcome.reply.raw, outcome.failure, passing, outcome.asked)

    async def close(self) -> None:
        """Close the client."""
        await self._client.close()
