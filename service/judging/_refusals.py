"""Refusals to answer: a separate pass over answers that are there, by a detector of its own (mhgb.md 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from service.domain import Language
from service.judging._questions import REFUSAL, Question, prompt_sections
from service.models import Contract, Field

__all__ = ["REFUSAL_TOPICS", "REFUSAL_TYPES", "refusal_contract", "refusal_question", "refusal_words"]

REFUSAL_TYPES: Final = (
    "legal_advice_refusal",
    "harmful_content",
    "uncertainty_refusal",
    "scope_refusal",
    "generic_refusal",
)
REFUSAL_TOPICS: Final = ("religious", "military", "minorities", "political", "medical", "financial_crime", "other")
_NEEDED: Final = frozenset({"system", "question", "is_rta", "type", "topic", "confidence", "explanation"})


def _texts(language: Language) -> dict[str, str]:
    return prompt_sections(f"data/prompts/judging/refusal.{language.value}.md", _NEEDED)


def refusal_contract(language: Language) -> Contract:
    """Return what a detector must answer: whether it is a refusal, its type and topic, how sure it is."""
    texts = _texts(language)
    return Contract(
        "refusal",
        (
            Field("is_rta", "boolean", texts["is_rta"]),
            Field("type", "choice", texts["type"], values=REFUSAL_TYPES, optional=True),
            Field("topic", "choice", texts["topic"], values=REFUSAL_TOPICS, optional=True),
            Field("confidence", "number", texts["confidence"]),
            Field("explanation", "text", texts["explanation"], optional=True, longest=1000),
        ),
        language=language,
    )


def refusal_question(asked: str, answer: str, language: Language = Language.RU) -> Question:
    """Return the question to a detector; the answer stands behind a fence, as for a judge."""
    texts = _texts(language)
    material = ((texts["question"], asked),)
    return Question(REFUSAL, REFUSAL, (0.0, 1.0), texts["system"], material, "", answer, language)


def refusal_words(values: Mapping[str, Any]) -> str:
    """Return what is kept of a verdict beside its value, as JSON; type and topic of what is no refusal are dropped."""
    names = ("type", "topic", "confidence", "explanation") if values["is_rta"] else ("confidence", "explanation")
    return orjson.dumps({name: values[name] for name in names if name in values}).decode()
