"""The client against a server that misbehaves: every item ends as a reply or a stated failure, in bounded time."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from service.db import AttemptRecorder, Database, PaceLimits, spending
from service.models import (
    Breaker,
    LedgerLimiter,
    LocalLimiter,
    Message,
    ReplyStatus,
    Request,
)
from service.models._failures import CallError
from service.models._size import LARGEST_BODY, bounded
from tests.fake_models import FakeModels
from tests.fake_models.behaviours import OBJECT
from tests.integration.models.conftest import client_of, profile_of

pytestmark = pytest.mark.anyio
ASK = [Message("system", "You judge."), Message("user", "Score this.")]

ENDS = {
    "ok": "answered",
    "prose": "answered",
    "think": "answered",
    "open_think": "answered",
    "odd_characters": "answered",
    "text_json": "answered",
    "nan_usage": "answered",
    "length": "length",
    "empty": "empty",
    "null": "empty",
    "empty_after_thinking": "empty_after_thinking",
    "unclosed_think": "empty_after_thinking",
    "refusal": "refused",
    "filter": "content_filter",
    "blacklist": "content_filter",
    "filter_400": "content_filter",
    "overflow": "context_overflow",
    "429_long": "throttled",
    "quota": "rejected",
    "500": "server_error",
    "503": "server_error",
    "400": "rejected",
    "401": "rejected",
    "404": "rejected",
    "hang": "timeout",
    "drip": "timeout",
    "cut": "unreachable",
    "close": "unreachable",
    "html": "bad_reply",
    "not_json": "bad_reply",
    "no_choices": "bad_reply",
    "odd_shape": "bad_reply",
    "list": "bad_reply",
    "redirect": "rejected",
    "broken_off": "server_error",
    "no_resources": "server_error",
    "error_in_choice": "server_error",
    "error_in_200": "server_error",
    "quota_in_200": "rejected",
    "words_in_200": "server_error",
    "402": "rejected",
    "capital_length": "length",
    "model_length": "length",
    "safety": "content_filter",
    "invisible": "empty",
    "tool": "empty",
    "parts": "answered",
    "picture": "bad_reply",
    "events": "bad_reply",
    "events_as_json": "bad_reply",
    "gzip": "answered",
    "broken_gzip": "bad_reply",
    "cp1251": "bad_reply",
    "bom": "answered",
    "no_body": "bad_reply",
    "deep": "bad_reply",
}
RETRIED = {"server_error", "timeout", "unreachable", "bad_reply"}


async def ask(client, subject: str = "s"):
    return await client.ask(ASK, purpose="judge", subject=subject)


@pytest.mark.parametrize("behaviour", ENDS)
async def test_every_misbehaviour_has_an_end_of_its_own(server: FakeModels, behaviour: str) -> None:
    async with client_of(server, f"fake-{behaviour}", attempts=2, timeout=0.5, deadline=30) as client:
        reply = await asyncio.wait_for(ask(client), 30)
    assert reply.status.value == ENDS[behaviour]
    assert (reply.failure is None) == (reply.status is ReplyStatus.ANSWERED)
    assert reply.attempts == (2 if reply.status.value in RETRIED else 1)
    if reply.status is ReplyStatus.ANSWERED:
        assert behaviour == "odd_characters" or OBJECT in reply.text
        assert reply.text.encode()
        assert "\0" not in reply.text
        assert "<think>" not in reply.text
        assert "Perhaps" not in reply.text
    else:
        assert reply.failure
        assert "'fake'" in reply.failure


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("broken_off", "failed in the middle of its reply (finish_reason 'error')"),
        ("error_in_choice", "HTTP 502: scripted: upstream died (in an answer of HTTP 200)"),
        ("words_in_200", "an error in place of a reply: scripted: overloaded"),
        ("events", "an event stream though none was asked for"),
        ("events_as_json", "an event stream though none was asked for"),
        ("broken_gzip", "a body that cannot be unpacked"),
        ("redirect", "the address has moved to 'http://127.0.0.1:9/'; state that one as the model's endpoint"),
        ("tool", "the model called a tool and said nothing"),
        ("picture", "a part of type 'image_url', which is no text"),
    ],
)
async def test_the_failure_says_what_came(server: FakeModels, behaviour: str, words: str) -> None:
    async with client_of(server, f"fake-{behaviour}", attempts=1) as client:
        reply = await ask(client)
    assert words in (reply.failure or "")


async def test_thinking_among_the_parts_is_kept_apart(server: FakeModels) -> None:
    async with client_of(server, "fake-parts") as client:
        reply = await ask(client)
    assert (reply.text, reply.thinking) == (OBJECT, "Perhaps?")


async def test_half_a_reply_is_on_record_and_never_taken_for_one(server: FakeModels, ledger: Database) -> None:
    server.script = ["broken_off", "ok"]
    async with client_of(server, parts={"recorder": AttemptRecorder(ledger)}) as client:
        reply = await client.ask(ASK, purpose="judge", subject="s", reuse=True)
        again = await client.ask(ASK, purpose="judge", subject="s", reuse=True)
    assert (reply.status.value, reply.text, reply.attempts) == ("answered", OBJECT, 2)
    assert (again.text, again.attempts) == (OBJECT, 0)
    async with ledger.read() as session:
        (spent,) = await spending(session)
    assert (spent.attempts, spent.prompt_tokens) == (2, 200)


@pytest.mark.parametrize("behaviour", ["402", "quota_in_200", "redirect"])
async def test_what_every_call_would_meet_opens_the_circuit(server: FakeModels, behaviour: str) -> None:
    async with client_of(server, f"fake-{behaviour}", parts={"breaker": Breaker(threshold=3)}) as client:
        ends = [(await ask(client)).status for _ in range(5)]
    assert ends == [ReplyStatus.REJECTED] * 3 + [ReplyStatus.CIRCUIT_OPEN] * 2


async def test_a_body_without_end_is_not_read_to_its_end(server: FakeModels) -> None:
    server.reply = "x" * 3_000_000
    async with httpx.AsyncClient(event_hooks={"response": [bounded(httpx.AsyncByteStream, 1_000_000)]}) as client:
        with pytest.raises(CallError, match="more than 1,000,000 bytes"):
            await client.post(f"{server.url}/chat/completions", json={"model": "m", "messages": ["x"]})
    async with client_of(server, attempts=1, timeout=60) as client:
        assert len((await ask(client)).text) == 3_000_000
        server.reply = "x" * (LARGEST_BODY + 1)
        reply = await ask(client)
    assert reply.status is ReplyStatus.BAD_REPLY
    assert "67,108,864 bytes" in (reply.failure or "")


async def test_a_call_carries_model_messages_parameters_and_key(
    server: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_KEY", "sk-secret")
    async with client_of(
        server, "m-1", key_env="FAKE_KEY", max_tokens=77, seed=3, extra={"top_k": 5, "top_p": 0.9}
    ) as client:
        await ask(client)
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == "Bearer sk-secret"
    assert seen.body == {
        "model": "m-1",
        "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": "Score this."}],
        "max_tokens": 77,
        "temperature": 0.0,
        "seed": 3,
        "top_k": 5,
        "top_p": 0.9,
    }


async def test_passing_troubles_are_outlived(server: FakeModels) -> None:
    server.script = ["500", "cut", "html", "429", "ok"]
    async with client_of(server, attempts=5) as client:
        reply = await ask(client)
    assert (reply.status, reply.attempts) == (ReplyStatus.ANSWERED, 5)


async def test_refusals_for_the_rate_use_time_not_attempts(server: FakeModels) -> None:
    server.script = ["429"] * 6 + ["ok"]
    async with client_of(server, attempts=2, start_requests_per_second=1000) as client:
        reply = await ask(client)
    assert (reply.status, reply.attempts) == (ReplyStatus.ANSWERED, 7)


async def test_a_wait_beyond_the_deadline_is_not_begun(server: FakeModels) -> None:
    async with client_of(server, "fake-429_long", deadline=60) as client:
        reply = await asyncio.wait_for(ask(client), 10)
    assert (reply.status, reply.retry_after, reply.attempts) == (ReplyStatus.THROTTLED, 3600, 1)
    assert reply.status.passing


async def test_eight_errors_in_a_row_open_the_circuit_and_a_probe_closes_it(server: FakeModels) -> None:
    now = [0.0]
    breaker = Breaker(pause_seconds=60, clock=lambda: now[0])
    server.script = ["500"]
    async with client_of(server, attempts=1, parts={"breaker": breaker}) as client:
        ends = [(await ask(client)).status.value for _ in range(10)]
        assert ends == ["server_error"] * 8 + ["circuit_open"] * 2
        assert sum(server.counts.values()) == 8
        now[0] = 61.0
        assert (await ask(client)).status is ReplyStatus.SERVER_ERROR
        refused = await ask(client)
        assert refused.status is ReplyStatus.CIRCUIT_OPEN
        assert refused.failure is not None
        assert "HTTP 500" in refused.failure
        server.script = ["ok"]
        now[0] = 122.0
        assert (await ask(client)).status is ReplyStatus.ANSWERED
        assert not breaker.is_open


async def test_only_one_probe_at_a_time(server: FakeModels) -> None:
    now = [0.0]
    breaker = Breaker(threshold=1, pause_seconds=10, clock=lambda: now[0])
    server.latency = 0.2
    server.script = ["500", "ok"]
    async with client_of(server, attempts=1, parts={"breaker": breaker}) as client:
        await ask(client)
        now[0] = 11.0
        ends = await asyncio.gather(*(ask(client) for _ in range(5)))
    assert sorted(reply.status.value for reply in ends) == ["answered"] + ["circuit_open"] * 4


async def test_answers_about_an_item_do_not_open_the_circuit(server: FakeModels) -> None:
    server.script = ["overflow", "filter_400", "400", "refusal", "length", "empty"]
    breaker = Breaker(threshold=2)
    async with client_of(server, parts={"breaker": breaker}) as client:
        for _ in range(12):
            await ask(client)
    assert not breaker.is_open


async def test_a_mixed_storm_ends_for_every_item(server: FakeModels) -> None:
    server.script = ["ok", "500", "hang", "429", "cut", "html", "not_json", "length", "429_bare", "close", "filter"]
    breaker = Breaker(threshold=1000)
    async with client_of(
        server, timeout=0.3, deadline=5, attempts=3, concurrency=20, parts={"breaker": breaker}
    ) as client:
        replies = await asyncio.wait_for(asyncio.gather(*(ask(client, str(n)) for n in range(120))), 60)
    assert len(replies) == 120
    assert all((reply.failure is None) == (reply.status is ReplyStatus.ANSWERED) for reply in replies)
    ends = {reply.status.value for reply in replies}
    assert {"answered", "length", "content_filter"} <= ends <= {"answered", "length", "content_filter", *RETRIED}


async def test_a_storm_of_refusals_settles_near_the_servers_rate(server: FakeModels) -> None:
    # Slow enough for a busy machine to be the server's match: where calls do not come so fast, none is refused.
    server.rate = 12
    server._bucket = 12.0
    limiter = LocalLimiter(PaceLimits(start=120, highest=1000))
    async with client_of(server, concurrency=32, deadline=300, parts={"limiter": limiter}) as client:
        replies = await asyncio.gather(*(ask(client, str(n)) for n in range(120)))
    assert {reply.status for reply in replies} == {ReplyStatus.ANSWERED}
    assert 0.5 * 12 <= limiter.rate <= 1.3 * 12
    # Most are refused while the pace comes down from ten times the server's.
    assert server.counts["refused"] < 70


async def test_workers_with_a_shared_pace_settle_together(server: FakeModels, ledger: Database) -> None:
    server.rate = 12
    server._bucket = 12.0
    limits = PaceLimits(start=60, highest=1000)
    clients = [
        client_of(server, concurrency=8, deadline=300, parts={"limiter": LedgerLimiter(ledger, "fake", limits)})
        for _ in range(3)
    ]
    replies = await asyncio.gather(*(ask(client, str(n)) for client in clients for n in range(30)))
    assert {reply.status for reply in replies} == {ReplyStatus.ANSWERED}
    assert server.counts["refused"] < 50
    for client in clients:
        await client.close()


async def test_every_attempt_is_on_record_with_its_cost(server: FakeModels, ledger: Database) -> None:
    server.script = ["500", "429", "ok"]
    price = {"input": "2.5", "output": "10", "currency": "USD", "as_of": "2026-01"}
    recorder = AttemptRecorder(ledger)
    async with client_of(server, price=price, parts={"recorder": recorder}) as client:
        reply = await ask(client)
    tokens = len(OBJECT) // 3
    assert reply.cost_nano == 100 * 2500 + tokens * 10_000
    async with ledger.read() as session:
        (line,) = await spending(session)
    assert (line.attempts, line.in_flight, line.prompt_tokens, line.completion_tokens) == (3, 0, 100, tokens)
    assert (line.cost_nano, line.currency) == (reply.cost_nano, "USD")


async def test_unknown_counts_stay_unknown(server: FakeModels) -> None:
    price = {"input": 1, "output": 1, "currency": "USD", "as_of": "2026-01"}
    async with client_of(server, "fake-nan_usage", price=price) as client:
        reply = await ask(client)
    assert (reply.usage.prompt, reply.usage.completion, reply.cost_nano) == (None, None, None)


async def test_a_cancelled_call_is_on_record(server: FakeModels, ledger: Database) -> None:
    recorder = AttemptRecorder(ledger)
    async with client_of(server, "fake-hang", timeout=60, parts={"recorder": recorder}) as client:
        task = asyncio.create_task(ask(client))
        await server.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with ledger.read() as session:
        (line,) = await spending(session)
    assert (line.attempts, line.in_flight) == (1, 0)


async def test_a_reply_paid_for_is_not_paid_for_again(server: FakeModels, ledger: Database) -> None:
    server.script = ["think"]
    recorder = AttemptRecorder(ledger)
    async with client_of(server, parts={"recorder": recorder}) as client:
        first = await client.ask(ASK, purpose="judge", subject="a", reuse=True)
        again = await client.ask(ASK, purpose="judge", subject="a", reuse=True)
        other = await client.ask(ASK, purpose="judge", subject="b", reuse=True)
        hotter = await client.ask(ASK, purpose="judge", subject="a", reuse=True, options={"temperature": 1.0})
    assert (again.text, again.status, again.usage, again.thinking) == (
        first.text,
        first.status,
        first.usage,
        first.thinking,
    )
    assert [reply.attempts for reply in (first, again, other, hotter)] == [1, 0, 1, 1]


def test_the_digest_tells_all_that_decides_a_reply() -> None:
    base = Request("m", (Message("user", "x"),), {"temperature": 0})
    others = [
        Request("n", base.messages, base.options),
        Request("m", (Message("user", "y"),), base.options),
        Request("m", (Message("system", "x"),), base.options),
        Request("m", base.messages, {"temperature": 1}),
    ]
    digests = {request.digest("http://a") for request in [base, *others]} | {base.digest("http://b")}
    assert len(digests) == 6


async def test_a_server_that_is_not_there(server: FakeModels) -> None:
    profile = profile_of(server)
    gone = FakeModels()
    gone.port = 9
    async with client_of(gone, attempts=2) as client:
        reply = await ask(client)
    assert reply.status is ReplyStatus.UNREACHABLE
    assert profile.item_seconds == 25
