"""The one client of models: pace, attempts, deadlines, circuit, usage."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from service.db import AttemptEnd, AttemptStart
from service.models._breaker import Breaker
from service.models._failures import CallError
from service.models._limiter import LocalLimiter
from service.models._reading import broke_off, judge_reply, without_thinking
from service.models._types import Message, RawReply, Reply, ReplyStatus, Request, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from service.db import AttemptRecorder
    from service.models._limiter import Limiter
    from service.models._profile import ModelProfile
    from service.models._types import Provider

__all__ = ["ModelClient"]

_JITTER_BASE = 0.5
_JITTER_CAP = 60.0
_SURROGATE = re.compile("[\ud800-\udfff]")


class ModelClient:
    """Calls one model; every call ends as a reply or as a stated failure, in bounded time.

    Attributes:
        profile: The model.
    """

    def __init__(
        self,
        profile: ModelProfile,
        provider: Provider,
        *,
        endpoint: str = "",
        limiter: Limiter | None = None,
        recorder: AttemptRecorder | None = None,
        breaker: Breaker | None = None,
        jitter_base: float = _JITTER_BASE,
    ) -> None:
        self.profile = profile
        self._provider = provider
        self._endpoint = endpoint
        self._limiter = limiter or LocalLimiter(profile.pace_limits)
        self._recorder = recorder
        self._breaker = breaker or Breaker()
        self._slots = asyncio.Semaphore(profile.concurrency)
        self._jitter_base = jitter_base
        self._options = profile.options()

    async def __aenter__(self) -> ModelClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close connections; what was still to be recorded is written."""
        await self._provider.close()
        if self._recorder is not None:
            await self._recorder.close()

    def request(self, messages: Sequence[Message], options: Mapping[str, Any] | None = None) -> Request:
        """Return the call that ``ask`` would make, for digests and dry runs."""
        chosen = {**self._options, **options} if options else self._options
        return Request(self.profile.model or self.profile.name, tuple(messages), chosen)

    def digest(self, messages: Sequence[Message], options: Mapping[str, Any] | None = None) -> str:
        """Return the SHA-256 of all that decides the reply: endpoint, model, messages, parameters."""
        return self.request(messages, options).digest(self._endpoint)

    async def ask(
        self,
        messages: Sequence[Message],
        *,
        purpose: str,
        subject: str,
        options: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        reuse: bool = False,
    ) -> Reply:
        """Call the model until it replies, or attempts or time are used up; failures are returned, not raised.

        ``purpose`` and ``subject`` say in the ledger what the call was for; ``options`` override the profile's
        parameters, ``seconds`` its deadline. With ``reuse`` a reply that was already received to the same request for
        the same purpose and subject is taken from the ledger instead of paying twice, as a resumed run does.
        """
        request = self.request(messages, options)
        digest = request.digest(self._endpoint) if self._recorder is not None else ""
        if reuse and self._recorder is not None:
            kept = await self._recorder.kept(digest, purpose=purpose, subject=subject)
            if kept is not None:
                return _restored(kept)
        async with self._slots:
            call = _Call(self, request, AttemptStart(purpose, subject, self.profile.name, digest, 0))
            return await call.run(monotonic() + (seconds or self.profile.item_seconds))


class _Call:
    """One item on its way through its attempts."""

    def __init__(self, client: ModelClient, request: Request, start: AttemptStart) -> None:
        self._client = client
        self._request = request
        self._start = start
        self._made = 0
        self._errors = 0
        self._until = 0.0

    async def run(self, until: float) -> Reply:
        self._until = until
        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, CallError) and error.again),
            wait=self._wait,
            stop=self._stop,
            reraise=True,
        )
        try:
            return await retrying(self._attempt)
        except CallError as error:
            # In the client's words, with the number of attempts: this is what people read.
            tries = f" (after {self._made} attempts)" if self._made > 1 else ""
            name = self._client.profile.name
            return Reply(
                error.status,
                "",
                None,
                None,
                f"model {name!r}: {error}{tries}",
                self._made,
                retry_after=error.retry_after,
            )

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        # Full jitter (Brooker 2015): anything between nothing and the exponential bound.
        bound = min(_JITTER_CAP, self._client._jitter_base * 2**self._errors)
        wait = random.uniform(0, bound)
        retry_after = error.retry_after if isinstance(error, CallError) else None
        return wait if retry_after is None else retry_after + random.uniform(0, min(1.0, bound))

    def _stop(self, state: RetryCallState) -> bool:
        # A refusal for the rate is the limiter's matter and uses up time, not attempts.
        if self._errors >= self._client.profile.attempts:
            return True
        return monotonic() + state.upcoming_sleep >= self._until

    async def _attempt(self) -> Reply:
        client = self._client
        client._breaker.check()
        if not await client._limiter.acquire(self._until):
            client._breaker.undecided()
            raise CallError(
                ReplyStatus.THROTTLED,
                "no permit came before the item's deadline; the server bears fewer calls than are asked of it",
                again=False,
                sick=False,
                retry_after=5.0,
            )
        permitted = monotonic()
        try:
            raw, milliseconds, attempt_id = await self._call()
        except CallError as error:
            if error.status is ReplyStatus.THROTTLED:
                client._breaker.undecided()
                await client._limiter.refused(error.retry_after, under_way=monotonic() - permitted)
            else:
                self._errors += 1
                if error.sick:
                    client._breaker.failed(error)
                else:
                    client._breaker.succeeded()
            raise
        except BaseException:
            client._breaker.undecided()
            raise
        client._breaker.succeeded()
        return await self._finished(raw, milliseconds, attempt_id)

    async def _call(self) -> tuple[RawReply, int, str | None]:
        client, recorder = self._client, self._client._recorder
        self._made += 1
        attempt_id = None
        if recorder is not None:
            start = self._start
            attempt_id = await recorder.started(
                AttemptStart(start.purpose, start.subject, start.model, start.request_digest, self._made)
            )
        begun = monotonic()
        left = self._until - begun
        seconds = min(client.profile.timeout, left)
        error: CallError
        half: RawReply | None = None
        try:
            async with asyncio.timeout(max(0.001, seconds)):
                raw = _storable(await client._provider.complete(self._request))
            if not broke_off(raw.finish_reason):
                return raw, _since(begun), attempt_id
            half, said = raw, f"the server failed in the middle of its reply (finish_reason {raw.finish_reason!r})"
            error = CallError(ReplyStatus.SERVER_ERROR, said, again=True, sick=True)
        except TimeoutError:
            limit = f"timeout {client.profile.timeout:g} s" if seconds < left else "the item's deadline"
            error = CallError(ReplyStatus.TIMEOUT, f"no whole reply within {limit}", again=True, sick=True)
        except CallError as failed:
            error = failed
        except BaseException:
            if recorder is not None and attempt_id is not None:
                await recorder.ended(attempt_id, AttemptEnd("cancelled", _since(begun)))
            raise
        if recorder is not None and attempt_id is not None:
            failure = _plain_text(str(error))
            if half is None:
                end = AttemptEnd(error.status.value, _since(begun), error.http_status, error=failure)
            else:
                end = self._end(error.status, half, _since(begun), failure)
            await recorder.ended(attempt_id, end)
        raise error

    async def _finished(self, raw: RawReply, milliseconds: int, attempt_id: str | None) -> Reply:
        client = self._client
        status, text, thinking, failure = judge_reply(raw)
        end = self._end(status, raw, milliseconds, failure)
        if client._recorder is not None and attempt_id is not None:
            await client._recorder.ended(attempt_id, end)
        shown = None if failure is None else f"model {client.profile.name!r}: {failure}"
        return Reply(
            status,
            text,
            raw.content,
            thinking,
            shown,
            self._made,
            raw.usage,
            raw.finish_reason,
            raw.served_by,
            end.cost_nano,
        )

    def _end(self, status: ReplyStatus, raw: RawReply, milliseconds: int, failure: str | None) -> AttemptEnd:
        """Return the record of an attempt that brought something: it was paid for."""
        usage, price = raw.usage, self._client.profile.price
        return AttemptEnd(
            status.value,
            milliseconds,
            200,
            raw.finish_reason[:64] if raw.finish_reason else None,
            usage.prompt,
            usage.completion,
            usage.reasoning,
            price.cost_nano(usage.prompt, usage.completion) if price else None,
            price.currency if price else None,
            _kept_text(raw),
            failure,
        )


def _since(begun: float) -> int:
    return round((monotonic() - begun) * 1000)


def _storable(raw: RawReply) -> RawReply:
    """Replace what no database and no UTF-8 can hold: NUL, and halves of characters that JSON let through."""
    texts = (raw.content, raw.thinking, raw.refusal, raw.served_by)
    if all(text is None or _is_plain(text) for text in texts):
        return raw
    content, thinking, refusal, served_by = (None if text is None else _plain_text(text) for text in texts)
    return replace(raw, content=content, thinking=thinking, refusal=refusal, served_by=served_by)


def _is_plain(text: str) -> bool:
    return "\0" not in text and (text.isascii() or not _SURROGATE.search(text))


def _plain_text(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text.replace("\0", "\ufffd"))


def _kept_text(raw: RawReply) -> str:
    """Return the reply as one text: thinking that came apart goes where a think block stands."""
    content = raw.content or ""
    return f"<think>\n{raw.thinking}\n</think>\n{content}" if raw.thinking else content


def _restored(kept: AttemptEnd) -> Reply:
    text, thinking, _ = without_thinking(kept.reply or "")
    status = ReplyStatus(kept.status)
    answered = status in (ReplyStatus.ANSWERED, ReplyStatus.LENGTH)
    return Reply(
        status,
        text if answered else "",
        kept.reply,
        thinking,
        kept.error,
        0,
        Usage(kept.prompt_tokens, kept.completion_tokens, kept.reasoning_tokens),
        kept.finish_reason,
        None,
        kept.cost_nano,
    )
