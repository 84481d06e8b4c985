"""What a judge is shown: the material, then the answer behind a fence that no text in it can name."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from service.domain import Language
from service.errors import InputError, SetupError
from service.models import Contract, Field, Message
from service.resources import resource, resource_text

__all__ = ["REFUSAL", "Question", "contract_for", "judge_messages", "judging_digest", "nonce_of", "prompt_sections"]

REFUSAL = "refusal"
"""Level and key of the question whether an answer is a refusal; no score depends on it."""

_SECTION = re.compile(r"^# (\w+)\n\n(.*?)\n*(?=^# |\Z)", re.DOTALL | re.MULTILINE)
_NEEDED = frozenset({"fence", "begin", "end", "closing", "blank", "reason"})


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a judge about one answer.

    Attributes:
        key: Which of the answer's judgements it is, such as ``step:2``.
        level: The kind of judgement; each has its own values and contract.
        values: The only values that a verdict may have, ascending.
        instructions: What to weigh, for the system message.
        material: (label, text) that the benchmark vouches for, in order.
        reference: What a right answer says; also part of ``material``.
        answer: The participant's text without its think block. Nothing in it is trusted.
    """

    key: str
    level: str
    values: tuple[float, ...]
    instructions: str
    material: tuple[tuple[str, str], ...]
    reference: str
    answer: str
    language: Language = Language.RU

    def __post_init__(self) -> None:
        if not self.values or list(self.values) != sorted(set(self.values)):
            raise InputError(f"question {self.key!r} has the values {self.values!r}; give them ascending, each once")


def nonce_of(question: Question) -> str:
    """Return the fence's mark: it depends on the answer, so no answer can contain its own.

    It is the same every time, so that recorded verdicts can be replayed.
    """
    parts = (question.key, question.instructions, question.reference, question.answer)
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def contract_for(question: Question) -> Contract:
    """Return the contract of a question: one of its values and a reason, or what a detector of refusals answers."""
    if question.level == REFUSAL:
        from service.judging._refusals import refusal_contract  # noqa: PLC0415 - it is built on this module

        return refusal_contract(question.language)
    return _contract(question.level, question.values, question.language)


@lru_cache(maxsize=64)
def _contract(level: str, values: tuple[float, ...], language: Language) -> Contract:
    return Contract(
        f"verdict on {level}",
        (
            Field("score", "choice", values=tuple(_plain(value) for value in values)),
            Field("reason", "text", _texts(language)["reason"], optional=True, longest=2000),
        ),
        language=language,
    )


def _plain(value: float) -> float | int:
    # 1 and not 1.0: that is how the instructions write it.
    return int(value) if value == int(value) else value


def judge_messages(question: Question) -> list[Message]:
    """Return the conversation that asks a question."""
    texts, nonce = _texts(question.language), nonce_of(question)
    system = "\n\n".join(
        [question.instructions, texts["fence"].format(nonce=nonce), contract_for(question).requirement]
    )
    blocks = [f"{label}:\n{text.strip() or texts['blank']}" for label, text in question.material]
    fenced = f"{texts['begin'].format(nonce=nonce)}\n{question.answer}\n{texts['end'].format(nonce=nonce)}"
    user = "\n\n".join([*blocks, fenced, texts["closing"]])
    return [Message("system", system), Message("user", user)]


@lru_cache(maxsize=8)
def _texts(language: Language) -> dict[str, str]:
    return prompt_sections(f"data/prompts/judging/{language.value}.md", _NEEDED)


def prompt_sections(relative: str, needed: frozenset[str]) -> dict[str, str]:
    """Return the sections of a file of prompts by their headings.

    Raises:
        SetupError: The file is missing or lacks a section.
    """
    found = dict(_SECTION.findall(resource_text(relative)))
    missing = needed - found.keys()
    if missing:
        raise SetupError(f"{resource(relative)} lacks the sections {sorted(missing)!r}; install lexhop again")
    return found


def judging_digest(language: Language, *more: str) -> str:
    """Return the SHA-256 of the texts that surround every question, and of those given, for score fingerprints."""
    return hashlib.sha256("\x00".join([*sorted(_texts(language).values()), *more]).encode()).hexdigest()
