"""The shapes of what goes in and out around runs. Nothing of an answer key has a place in them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt

from service.api.bodies import MOST_TOKENS, Body, KeptBody
from service.context import Configuration
from service.domain import Mode

__all__ = [
    "BenchmarkView",
    "BoardView",
    "FiguresView",
    "JudgeLeaseBody",
    "JudgeView",
    "JudgeWorkView",
    "LeaseBody",
    "LeaseView",
    "ReadBody",
    "ReadingView",
    "ReceiptView",
    "RefusalsBody",
    "RejudgeBody",
    "RejudgeView",
    "RunBody",
    "RunLineView",
    "RunView",
    "SubmissionView",
    "TaskWorkView",
    "VerdictBody",
    "VerdictView",
    "WithdrawBody",
    "WorkView",
]


class RunBody(KeptBody):
    """A new run."""

    benchmark: str = Field(default="mhgb", max_length=40, examples=["mhgb"])
    task_set: str = Field(max_length=200, description="Key of the task set, or key@version", examples=["sample"])
    participant: str = Field(min_length=1, max_length=200, description="Who answers", examples=["owl"])
    conditions: dict[str, str | int | float | bool | None] = Field(
        default_factory=dict,
        description="The participant's own: model, provider, temperature, max_tokens, thinking, window, kind, slice, …",
        examples=[{"model": "gpt-4o", "temperature": 0, "max_tokens": 4096}],
    )
    modes: list[Mode] = Field(default=list(Mode), min_length=1, max_length=2)
    configuration: Configuration = Configuration.FULL_GRAPH
    token_budget: int | None = Field(default=None, ge=1, le=MOST_TOKENS, description="Tokens of an open context")
    max_chunks: int | None = Field(default=None, ge=1, le=1000, description="Chunks of an open context")
    repeats: int = Field(default=1, ge=1, le=50, description="Answers of each task; their mean is scored")
    limit: int | None = Field(default=None, ge=1, le=1_000_000, description="Only so many fabulas; never ranked then")
    subset: Literal["public"] | None = Field(default=None, description="Only public fabulas; never ranked then")
    judge: str | None = Field(default=None, max_length=100, description="Judge profile; the default is a setting")
    resume: bool = Field(default=False, description="Return the caller's open run of the same kind where there is one")


class LeaseBody(KeptBody):
    """A wish for work."""

    n: int = Field(default=1, ge=1, description="Most tasks; the largest number is a setting")
    mode: Mode | None = Field(default=None, description="Only this mode")
    task_ids: list[str] | None = Field(default=None, max_length=500, description="Only some of these tasks")
    worker: str = Field(default="worker", min_length=1, max_length=80, description="A name for lists and logs")
    seconds: float | None = Field(default=None, gt=0, le=86_400, description="How long; the default is a setting")


class WithdrawBody(KeptBody):
    """Why a run is withdrawn; the board says so."""

    why: str = Field(min_length=1, max_length=1000)


class JudgeLeaseBody(KeptBody):
    """A judge's wish for questions."""

    profile: str = Field(max_length=100, description="Name of the judge profile that will answer")
    n: int = Field(default=10, ge=1)
    worker: str = Field(default="judge", min_length=1, max_length=80)
    seconds: float = Field(default=300.0, gt=0, le=86_400)


class VerdictBody(KeptBody):
    """A judge's reply, to be read by the question's contract, or its value; one of the two."""

    fence: int = Field(ge=0, le=2**62, description="The lease's token")
    reply: str | None = Field(default=None, max_length=100_000, description="The judge's words: one JSON object")
    value: StrictInt | StrictFloat | None = Field(default=None, description="One of the question's values")
    reason: str | None = Field(default=None, max_length=2000)


class RefusalsBody(KeptBody):
    """Who is to tell refusals."""

    detector: str = Field(max_length=100, description="Name of a judge profile that does not score this run")


class RejudgeBody(KeptBody):
    """Who is to judge a run too."""

    judge: str | None = Field(default=None, max_length=100, description="A judge profile; none: the run's own")


class ReadBody(Body):
    """An answer to be read without a run."""

    text: str = Field(description="The whole answer, think block and all")
    corpus: str | None = Field(default=None, max_length=100)
    version: str | None = Field(default=None, max_length=64)


class _View(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RunLineView(_View):
    """A run as lists show it."""

    id: str
    kind: str
    benchmark: str
    task_set: str
    corpus: str
    version: str
    participant: str
    conditions: dict[str, Any]
    settings: dict[str, Any]
    modes: list[str]
    repeats: int
    partial: bool = Field(description="Not the whole set: scored, marked, never ranked")
    tasks: int
    fingerprint: str
    score_fingerprint: str
    change: int = Field(description="Grows with everything that happens to the run")
    created_at: str | None
    closed_at: str | None
    published_at: str | None
    withdrawn_at: str | None
    withdrawn_why: str | None


class WorkView(_View):
    """How far the judges are."""

    total: int
    judged: int
    unavailable: int
    leased: int
    waiting: int


class RunView(RunLineView):
    """A run with its state and counts."""

    state: Literal["open", "awaiting_judge", "judging", "complete", "closed"]
    answered: int
    received: int
    outcomes: dict[str, dict[str, int]]
    leased: dict[str, int]
    left: dict[str, int]
    unread: int
    judgements: WorkView
    judgements_of: Literal["questions", "answers"] = Field(
        description="answers without access to gold: how many questions an answer has tells the length of its chain"
    )
    eta_seconds: float | None


class TaskWorkView(_View):
    """A leased task, ready to send to a model."""

    lease: str
    leased_until: str | None
    task_id: str
    mode: str
    type: str
    depth: str
    messages: list[dict[str, str]]
    characters: int
    estimated_tokens: int
    max_tokens: int = Field(description="Advised; 0 where the window is too small")
    etag: str
    seeds_exceed_budget: bool = Field(description="The norms that are always in cost more than the token budget")


class LeaseView(_View):
    """The tasks leased; an empty list where none is free."""

    items: list[TaskWorkView]


class ReceiptView(_View):
    """What became of one submission; a line of it for each line sent."""

    line: int | None = None
    id: int | None
    status: int = Field(description="201 new, 200 there already, else as the error's HTTP status")
    scored: bool
    repeat: int | None
    code: str | None = None
    detail: str | None = None


class SubmissionView(_View):
    """A submission as it was sent."""

    id: int
    run_id: str
    task_id: str
    mode: str
    attempt_key: str
    outcome: str
    repeat: int | None
    text: str
    finish_reason: str | None
    usage: dict[str, Any] | None
    latency_ms: int | None
    provider_id: str | None
    received_at: str | None


class JudgeView(_View):
    """A judge profile."""

    name: str
    fingerprint: str
    kind: str
    model: str
    model_id: str
    prompt_version: str
    temperature: float
    repeats: int
    aggregation: str
    min_valid: int
    reasks: int
    conditions: dict[str, Any]
    wording: str | None = Field(description="SHA-256 of an operator's own wording; null where it is Lexhop's")
    wording_of: str = Field(description="The benchmark that the wording is for")
    created_at: str | None


class QuestionView(_View):
    """A question to a judge: never the participant, the mode, the context or other scores."""

    id: int
    fence: int
    leased_until: str | None
    level: str
    values: list[float]
    repeat: int
    messages: list[dict[str, str]]


class JudgeWorkView(_View):
    """The questions leased."""

    items: list[QuestionView]


class VerdictView(_View):
    """What stands after a verdict."""

    id: int
    state: str
    value: float | None
    failure: str | None


class RejudgeView(_View):
    """How many questions wait again, and how many are new; null without access to gold, which their number would tell."""

    reopened: int | None
    asked: int | None


class BenchmarkView(_View):
    """A benchmark."""

    key: str
    components: list[str]
    weights: list[float]
    values: dict[str, list[float]] = Field(description="What a judge may give, by level")


class ReadingView(BaseModel):
    """How an answer would be read."""

    model_config = ConfigDict(extra="allow")

    corpus: str
    version: str


class FiguresView(BaseModel):
    """Figures of a run; every mean stands beside scored and total."""

    model_config = ConfigDict(extra="allow")

    run: str
    participant: str
    change: int


class BoardView(BaseModel):
    """The boards of a benchmark, one a score fingerprint."""

    model_config = ConfigDict(extra="allow")

    benchmark: str
    boards: list[dict[str, Any]]
