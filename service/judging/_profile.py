"""A judge profile: everything that decides a verdict besides the question itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from service.errors import ConflictError
from service.judging._wording import Wording

__all__ = ["LEXICAL", "Aggregation", "JudgeKind", "JudgeProfile"]


class Aggregation(StrEnum):
    """How several verdicts on one question become one value."""

    MEAN = "mean"
    MEDIAN = "median"
    MAJORITY = "majority"


class JudgeKind(StrEnum):
    """Who judges."""

    MODEL = "model"
    LEXICAL = "lexical"
    EXTERNAL = "external"


class JudgeProfile(BaseModel):
    """One way of judging. Two profiles with one fingerprint give comparable verdicts.

    Attributes:
        model: The name in the models file; of an external judge, what it calls itself.
        model_id: The model's id at its provider, by which a participant is known to be its own judge.
        prompt_version: Name of the prompts; those that come with Lexhop are ``built-in``.
        repeats: How many times each question is asked.
        min_valid: Verdicts without which there is no value.
        reasks: How many times an unreadable reply is asked for again within one conversation.
        conditions: The model's own parameters as its profile states them.
        wording: The operator's own wording by level, such as a benchmark's official prompts; else ours.
        wording_of: The benchmark that the wording is for; empty without one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    kind: JudgeKind = JudgeKind.MODEL
    model: str = Field(default="", max_length=200)
    model_id: str = Field(default="", max_length=200)
    prompt_version: str = Field(default="built-in", min_length=1, max_length=100)
    temperature: float = Field(default=0.0, ge=0, le=2)
    repeats: int = Field(default=1, ge=1, le=25)
    aggregation: Aggregation = Aggregation.MEAN
    min_valid: int = Field(default=1, ge=1)
    reasks: int = Field(default=2, ge=0, le=10)
    conditions: Mapping[str, Any] = Field(default_factory=dict)
    wording: Mapping[str, Wording] = Field(default_factory=dict)
    wording_of: str = Field(default="", max_length=40)

    @model_validator(mode="after")
    def _whole(self) -> JudgeProfile:
        if self.min_valid > self.repeats:
            raise ValueError(
                f"min_valid {self.min_valid} is above repeats {self.repeats}; no value could ever come out"
            )
        if self.kind is JudgeKind.MODEL and not self.model:
            raise ValueError("'model' is missing: the judge's name in the models file")
        return self

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all but the name."""
        facts = self.model_dump(mode="json", exclude={"name"})
        if not self.wording:
            # A profile without words of its own is what it was before there could be any.
            del facts["wording"], facts["wording_of"]
        return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()

    @property
    def wording_digest(self) -> str | None:
        """SHA-256 of the operator's wording; None where it is ours."""
        if not self.wording:
            return None
        facts = {level: wording.model_dump(mode="json") for level, wording in self.wording.items()}
        return hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def check_benchmark(self, benchmark: str) -> None:
        """Check that a benchmark's questions can be asked in this profile's wording.

        Raises:
            ConflictError: The wording is another benchmark's.
        """
        if self.wording and self.wording_of != benchmark:
            raise ConflictError(
                f"judge profile {self.name!r} has the wording of benchmark {self.wording_of!r}, not of {benchmark!r}; "
                "take another profile"
            )

    @property
    def ranks(self) -> bool:
        """Whether its verdicts may stand on a leaderboard; the lexical judge's never do."""
        return self.kind is not JudgeKind.LEXICAL


LEXICAL: Final = JudgeProfile(name="lexical", kind=JudgeKind.LEXICAL, model="lexical-1", reasks=0)
"""The deterministic judge of the demo and the tests: it compares words and understands nothing."""
