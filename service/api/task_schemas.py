"""The shapes of what is said of task sets and tasks."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.api.bodies import KeptBody
from service.domain import Depth, Mode, TaskType

__all__ = [
    "PromptView",
    "ReviewBody",
    "ReviewView",
    "TaskContextView",
    "TaskLine",
    "TaskSetView",
    "TaskView",
]


class _View(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CellView(_View):
    """How many fabulas a cell has."""

    type: TaskType
    depth: Depth
    fabulas: int
    public: int


class TaskSetView(_View):
    """One version of a task set."""

    key: str = Field(examples=["sample"])
    version: int
    title: str
    benchmark: str
    language: str
    corpus: str
    corpus_version: str = Field(description="The set is pinned to it")
    licence: str
    source: str
    notice: str
    canary: str = Field(description="Texts that hold it are not for training")
    digest: str | None = Field(description="SHA-256 of what scores depend on; null for a draft")
    fabulas: int
    public: int
    cells: list[CellView]


class TaskLine(_View):
    """A task's id and cell."""

    id: str
    mode: Mode
    type: TaskType
    depth: Depth


class GoldStepView(_View):
    """A step of the gold chain."""

    step: int
    norm_id: str | None
    text: str
    is_critical: bool


class GoldView(_View):
    """The answer key of a task."""

    norm_ids: list[str]
    answer: str
    gold_chain: list[GoldStepView]
    branch_of_law: str | None
    edge_meta: Any
    event_date: str | None
    norm_dates: Any
    validation_status: str


class TaskView(TaskLine):
    """What a participant sees of a task; the answer key where asked for and allowed."""

    fabula: str
    question: str
    expected_answer_format: str
    gold: GoldView | None = None


class TaskContextView(_View):
    """The rendered context of an open task."""

    id: str
    corpus: str
    version: str
    notice: str
    configuration: str
    text: str
    tokens: int
    truncated: bool


class MessageView(_View):
    """One turn of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class PromptView(TaskLine):
    """What a participant is asked."""

    prompt: str = Field(description="Digest of the wording")
    canary: str = Field(description="Texts that hold it are not for training")
    messages: list[MessageView]


class ReviewBody(KeptBody):
    """An expert's word on a fabula."""

    verdict: Literal["approve", "reject"]
    checks: dict[str, bool] = Field(default_factory=dict, description="Single checks, by name")
    comment: str = Field(default="", max_length=10_000)


class ReviewView(_View):
    """What became of the fabula."""

    id: str
    fabula_id: str
    validation_status: str
