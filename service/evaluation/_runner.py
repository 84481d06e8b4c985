"""Drives a model over a run: leases tasks, asks, sends answers; what breaks off is taken up by the same command."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import httpx

from service.domain import Outcome
from service.errors import ConflictError, InputError, LexhopError, UnavailableError
from service.models import Message, Reply, ReplyStatus

if TYPE_CHECKING:
    from service.models import ModelClient

__all__ = ["Runner", "RunnerReport", "api_call", "outcome_of"]

_OUTCOMES: Final = {
    ReplyStatus.ANSWERED: Outcome.ANSWERED,
    ReplyStatus.LENGTH: Outcome.CUT,
    ReplyStatus.EMPTY: Outcome.EMPTY,
    ReplyStatus.EMPTY_AFTER_THINKING: Outcome.EMPTY,
    ReplyStatus.REFUSED: Outcome.REFUSED_BY_PROVIDER,
    ReplyStatus.CONTENT_FILTER: Outcome.REFUSED_BY_PROVIDER,
    ReplyStatus.CONTEXT_OVERFLOW: Outcome.CONTEXT_OVERFLOW,
}
_HEALTH_AFTER: Final = 10
_BEAT_SECONDS: Final = 60.0
_TRIES: Final = 6


def outcome_of(status: ReplyStatus) -> Outcome:
    """Return what a reply is for a run: an answer, or why there is none."""
    return _OUTCOMES.get(status, Outcome.ERROR)


@dataclass(slots=True)
class RunnerReport:
    """What a runner has done so far.

    Attributes:
        total: Tasks of the run without an answer when the runner began.
        cost_nano: In billionths of ``currency``; None when the model has no price.
        health: What the first ten answers look like; None before them.
        stopped: Why the runner stopped early by itself; None when it did not.
        interrupted: Whether it was told to stop before it went through.
    """

    run: str
    total: int
    outcomes: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_nano: int | None = None
    currency: str | None = None
    seconds: float = 0.0
    health: str | None = None
    stopped: str | None = None
    interrupted: bool = False

    @property
    def done(self) -> int:
        """Tasks that something came of."""
        return sum(self.outcomes.values())

    @property
    def rate(self) -> float | None:
        """Tasks a second; None before the first."""
        return self.done / self.seconds if self.done and self.seconds else None

    @property
    def whole_cost_nano(self) -> float | None:
        """What all of ``total`` costs when the rest is like what was; None before the first answer or without a price."""
        return self.cost_nano / self.done * self.total if self.cost_nano is not None and self.done else None

    @property
    def eta_seconds(self) -> float | None:
        """Seconds that the rest takes at the pace so far; None before the first answer."""
        return (self.total - self.done) * self.seconds / self.done if self.done else None


async def api_call(client: httpx.AsyncClient, method: str, path: str, **more: Any) -> Any:
    """Call a Lexhop and return its JSON, as :func:`api_bytes`."""
    content = await api_bytes(client, method, path, **more)
    return json.loads(content) if content else None


async def api_bytes(client: httpx.AsyncClient, method: str, path: str, **more: Any) -> bytes:
    """Call a Lexhop and return what it says; a server that is busy is asked again a few times.

    Raises:
        InputError, ConflictError: It refuses, in its own words.
        UnavailableError: It does not answer.
    """
    for attempt in range(_TRIES):
        try:
            answer = await client.request(method, path, **more)
        except httpx.TransportError as error:
            if attempt == _TRIES - 1:
                raise UnavailableError(
                    f"{client.base_url} does not answer ({type(error).__name__}); try again"
                ) from error
            await asyncio.sleep(min(8.0, 0.25 * 2**attempt))
            continue
        if answer.status_code in (429, 503) and attempt < _TRIES - 1:
            await asyncio.sleep(min(30.0, float(answer.headers.get("retry-after", "1"))))
            continue
        if answer.status_code < 300:
            return answer.content
        raise _refusal(answer)
    raise AssertionError("unreachable")


def _refusal(answer: httpx.Response) -> LexhopError:
    try:
        detail = str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"{answer.request.method} {answer.request.url.path} was answered {answer.status_code}; see to the URL"
    if answer.status_code == 409:
        return ConflictError(detail)
    return UnavailableError(detail) if answer.status_code >= 500 else InputError(detail)


class Runner:
    """Runs one model over one run of a Lexhop.

    Args:
        client: Speaks to the Lexhop, with its key.
        model: The participant.
        concurrency: Calls at a time.
        tell: Told after every answer.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        model: ModelClient,
        *,
        concurrency: int = 8,
        tell: Callable[[RunnerReport], None] | None = None,
    ) -> None:
        self._client = client
        self._model = model
        self._concurrency = concurrency
        self._tell = tell or (lambda _: None)
        self._stopping = asyncio.Event()
        self._held: set[str] = set()

    def stop(self) -> None:
        """Lease nothing more; what is under way is finished, what is leased and not begun is returned."""
        self._stopping.set()

    async def run(self, body: Mapping[str, Any], *, only: Sequence[str] | None = None) -> RunnerReport:
        """Begin a run, or take up the open one that is the same, and answer what has no answer yet.

        Args:
            body: As for ``POST /v1/runs``.
            only: Ids of the tasks to answer now; the rest is left for the next time.
        """
        run = await api_call(self._client, "POST", "/v1/runs", json={**body, "resume": True})
        price = self._model.profile.price
        total = sum(run["left"].values()) if only is None else len(only)
        report = RunnerReport(run["id"], total, currency=price.currency if price else None)
        begun = monotonic()
        asking: set[asyncio.Task[None]] = set()
        beating = asyncio.create_task(self._beat())
        try:
            dry = False
            while asking or not (dry or self._stopping.is_set()):
                free = self._concurrency - len(asking)
                if free and not dry and not self._stopping.is_set():
                    works = await self._lease(report.run, free, only)
                    dry = not works
                    asking |= {asyncio.create_task(self._answer(report, work)) for work in works}
                if asking:
                    done, asking = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()
                    report.seconds = monotonic() - begun
                    self._tell(report)
        finally:
            beating.cancel()
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
            await self._return()
        report.interrupted = self._stopping.is_set() and report.stopped is None and report.done < report.total
        return report

    async def _lease(self, run: str, n: int, only: Sequence[str] | None) -> list[dict[str, Any]]:
        wish: dict[str, Any] = {"n": n, "worker": self._model.profile.name[:80]}
        if only is not None:
            wish["task_ids"] = list(only)
        answer = await api_call(self._client, "POST", f"/v1/runs/{run}/leases", json=wish)
        items: list[dict[str, Any]] = answer["items"]
        self._held |= {item["lease"] for item in items}
        return items

    async def _answer(self, report: RunnerReport, work: Mapping[str, Any]) -> None:
        if work["max_tokens"] < 1:
            await self._send(report, work, Outcome.NOT_ATTEMPTED, None)
            return
        messages = [Message(message["role"], message["content"]) for message in work["messages"]]
        subject = f"{report.run}:{work['task_id']}"
        begun = monotonic()
        reply = await self._model.ask(messages, purpose="participant", subject=subject, reuse=True)
        if reply.status is ReplyStatus.CIRCUIT_OPEN:
            report.stopped = reply.failure
            self._stopping.set()
            return
        await self._send(report, work, outcome_of(reply.status), reply, round((monotonic() - begun) * 1000))

    async def _send(
        self,
        report: RunnerReport,
        work: Mapping[str, Any],
        outcome: Outcome,
        reply: Reply | None,
        latency_ms: int | None = None,
    ) -> None:
        body: dict[str, Any] = {
            "task_id": work["task_id"],
            # The lease's token makes it new for a new attempt, and the same for the same one sent twice.
            "attempt_key": f"{self._model.profile.name[:40]}:{work['lease']}",
            "outcome": outcome.value,
        }
        if reply is not None:
            body |= {"finish_reason": reply.finish_reason, "latency_ms": latency_ms, "provider_id": reply.served_by}
            usage = {
                "prompt": reply.usage.prompt,
                "completion": reply.usage.completion,
                "reasoning": reply.usage.reasoning,
            }
            body["usage"] = {name: value for name, value in usage.items() if value is not None}
            if outcome in (Outcome.ANSWERED, Outcome.CUT):
                body["text"] = (reply.raw or reply.text).replace("\x00", "\ufffd")
        body = {name: value for name, value in body.items() if value is not None}
        with contextlib.suppress(ConflictError):
            # Somebody else has answered the task meanwhile: the first answer counts.
            await api_call(self._client, "POST", f"/v1/runs/{report.run}/submissions", json=body)
        if outcome.is_answer:
            self._held.discard(work["lease"])
        self._count(report, outcome, reply)

    def _count(self, report: RunnerReport, outcome: Outcome, reply: Reply | None) -> None:
        report.outcomes[outcome.value] += 1
        if reply is not None:
            report.prompt_tokens += reply.usage.prompt or 0
            report.completion_tokens += reply.usage.completion or 0
            if reply.cost_nano is not None:
                report.cost_nano = (report.cost_nano or 0) + reply.cost_nano
        if report.health is None and report.done >= _HEALTH_AFTER:
            bad = {name: count for name, count in sorted(report.outcomes.items()) if name != Outcome.ANSWERED.value}
            said = ", ".join(f"{count} {name}" for name, count in bad.items())
            report.health = f"the first {report.done}: {said or 'all answered'}" + (
                "; look at max_tokens, the window and the prompt before paying for the rest" if bad else ""
            )

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            for lease in list(self._held):
                with contextlib.suppress(LexhopError):
                    await api_call(self._client, "PUT", f"/v1/leases/{lease}")

    async def _return(self) -> None:
        for lease in list(self._held):
            with contextlib.suppress(LexhopError):
                await api_call(self._client, "DELETE", f"/v1/leases/{lease}")
        self._held.clear()
