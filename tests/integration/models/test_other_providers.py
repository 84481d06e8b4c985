"""GigaChat and Ollama, on servers written from their documentation: no real one was at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from service.errors import SetupError
from service.models import Message, ModelClient, ModelProfile, ReplyStatus, open_model, open_provider

if TYPE_CHECKING:
    from tests.fake_models import FakeModels

pytestmark = pytest.mark.anyio
ASK = [Message("user", "Score this. " * 20)]


def giga(server: FakeModels, **fields) -> ModelClient:
    profile = ModelProfile.model_validate(
        {
            "name": "giga",
            "provider": "gigachat",
            "model": "GigaChat-2-Max",
            "endpoint": server.url,
            "auth_endpoint": f"{server.root}/api/v2/oauth",
            "key_env": "GIGA_KEY",
            "timeout": 5,
            **fields,
        }
    )
    provider, endpoint = open_provider(profile, environ={"GIGA_KEY": "base64="})
    return ModelClient(profile, provider, endpoint=endpoint, jitter_base=0.001)


async def ask(client: ModelClient):
    return await client.ask(ASK, purpose="participant", subject="s")


async def test_gigachat_takes_a_token_and_keeps_it(server: FakeModels) -> None:
    async with giga(server) as client:
        assert (await ask(client)).status is ReplyStatus.ANSWERED
        assert (await ask(client)).status is ReplyStatus.ANSWERED
    assert server.tokens_given == 1
    assert [seen.headers["authorization"] for seen in server.seen] == ["Bearer token-1"] * 2


async def test_gigachat_renews_a_token_before_its_end_and_after_its_refusal(server: FakeModels) -> None:
    server.token_seconds = 30
    async with giga(server) as client:
        await ask(client)
        await ask(client)
    assert server.tokens_given == 2
    server.token_seconds = 1800
    async with giga(server) as client:
        await ask(client)
        server.key = "another"
        reply = await ask(client)
    assert reply.status is ReplyStatus.ANSWERED


async def test_gigachats_filter_is_a_filter(server: FakeModels) -> None:
    server.script = ["blacklist"]
    async with giga(server) as client:
        assert (await ask(client)).status is ReplyStatus.CONTENT_FILTER


async def test_a_token_server_that_refuses_or_is_gone_is_stated(server: FakeModels) -> None:
    async with giga(server, auth_scope="WRONG") as client:
        reply = await ask(client)
    assert reply.status is ReplyStatus.REJECTED
    assert reply.failure is not None
    assert "no access token" in reply.failure
    assert "base64=" not in reply.failure
    async with giga(server, auth_endpoint="http://127.0.0.1:9/oauth", attempts=2) as client:
        assert (await ask(client)).status is ReplyStatus.UNREACHABLE


def ollama(server: FakeModels, **fields) -> ModelClient:
    fields = {"window": 4096, "timeout": 5, "attempts": 2, **fields}
    profile = ModelProfile.model_validate(
        {"name": "local", "provider": "ollama", "model": "qwen3:8b", "endpoint": server.root, **fields}
    )
    return open_model(profile)


async def test_ollama_is_told_its_window(server: FakeModels) -> None:
    async with ollama(server, thinking=True, max_tokens=99) as client:
        reply = await ask(client)
    assert (reply.status, reply.thinking, reply.usage.prompt) == (ReplyStatus.ANSWERED, "Let me see…", 80)
    (seen,) = server.seen
    assert seen.path == "/api/chat"
    assert seen.body["options"] == {"num_ctx": 4096, "num_predict": 99, "temperature": 0.0}
    assert (seen.body["think"], seen.body["stream"]) == (True, False)


async def test_a_prompt_that_ollama_cut_is_an_overflow(server: FakeModels) -> None:
    async with ollama(server, window=50) as client:
        reply = await ask(client)
    assert reply.status is ReplyStatus.CONTEXT_OVERFLOW
    assert reply.failure is not None
    assert "raise 'window'" in reply.failure


async def test_an_answer_that_ollama_cut_is_cut(server: FakeModels) -> None:
    async with ollama(server, max_tokens=3) as client:
        assert (await ask(client)).status is ReplyStatus.LENGTH


@pytest.mark.parametrize(("endpoint", "status"), [("http://127.0.0.1:9", "unreachable"), (None, "rejected")])
async def test_ollama_gone_or_wrong(server: FakeModels, endpoint: str | None, status: str) -> None:
    server.key = "wanted"
    async with ollama(server, endpoint=endpoint or server.root) as client:
        assert (await ask(client)).status.value == status


async def test_a_variable_that_is_not_set_is_named() -> None:
    profile = ModelProfile.model_validate(
        {"name": "m", "provider": "openai", "model": "m", "endpoint": "https://h/v1", "key_env": "NO_SUCH_KEY"}
    )
    with pytest.raises(SetupError, match="NO_SUCH_KEY"):
        open_model(profile, environ={})
    with pytest.raises(SetupError, match="needs the ledger"):
        open_model(profile, environ={"NO_SUCH_KEY": "x"}, shared_pace=True)
    broken = profile.model_copy(update={"ca_file": Path("no-such.pem")})
    with pytest.raises(SetupError, match=r"no-such\.pem"):
        open_model(broken, environ={"NO_SUCH_KEY": "x"})
