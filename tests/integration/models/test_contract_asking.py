"""Asking by a contract, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.errors import InputError
from service.models import Contract, Field, Message, OutcomeStatus, ReplyStatus, ask_contract
from tests.integration.models.conftest import client_of

if TYPE_CHECKING:
    from tests.fake_models import FakeModels

pytestmark = pytest.mark.anyio
VERDICT = Contract("verdict", (Field("score", "choice", values=(0, 0.5, 1)), Field("reason", "text")))
PROMPT = [Message("user", f"Score this.\n\n{VERDICT.requirement}")]

READABLE = ["ok", "prose", "fence", "think", "open_think"]
UNREADABLE = {
    "two_objects": "more than one object",
    "cut_json": "broken",
    "planted": "more than one object",
    "nan": "NaN",
    "outside": "not one of",
    "twice": "twice",
    "prose_only": "no JSON object",
}


async def ask(client, **options):
    return await ask_contract(client, VERDICT, PROMPT, purpose="judge", subject="s", **options)


@pytest.mark.parametrize("behaviour", READABLE)
async def test_what_holds_one_object_is_read_at_once(server: FakeModels, behaviour: str) -> None:
    async with client_of(server, f"fake-{behaviour}") as client:
        outcome = await ask(client)
    assert (outcome.status, outcome.asked) == (OutcomeStatus.READ, 1)
    assert outcome.values == {"score": 0.5, "reason": "named in the list"}


@pytest.mark.parametrize("behaviour", UNREADABLE)
async def test_what_does_not_is_asked_again_and_then_unavailable(server: FakeModels, behaviour: str) -> None:
    async with client_of(server, f"fake-{behaviour}") as client:
        outcome = await ask(client, reasks=2)
    assert (outcome.status, outcome.asked, outcome.values) == (OutcomeStatus.UNREADABLE, 3, None)
    assert outcome.failure is not None
    assert UNREADABLE[behaviour] in outcome.failure
    last = server.seen[-1].body["messages"]
    assert [turn["role"] for turn in last] == ["user", "assistant", "user"]
    assert UNREADABLE[behaviour] in last[-1]["content"]


async def test_a_second_reply_may_be_readable(server: FakeModels) -> None:
    server.script = ["two_objects", "ok"]
    async with client_of(server) as client:
        outcome = await ask(client)
    assert (outcome.status, outcome.asked) == (OutcomeStatus.READ, 2)


@pytest.mark.parametrize(
    ("behaviour", "status"),
    [
        ("length", "length"),
        ("empty", "empty"),
        ("empty_after_thinking", "empty_after_thinking"),
        ("refusal", "refused"),
        ("filter", "content_filter"),
        ("overflow", "context_overflow"),
        ("401", "rejected"),
    ],
)
async def test_no_reply_keeps_its_own_status_and_is_not_asked_again(
    server: FakeModels, behaviour: str, status: str
) -> None:
    async with client_of(server, f"fake-{behaviour}") as client:
        outcome = await ask(client)
    assert (outcome.status, outcome.values, outcome.asked) == (OutcomeStatus.NO_REPLY, None, 1)
    assert outcome.reply.status is ReplyStatus(status)
    assert outcome.failure


async def test_a_prompt_without_the_requirement_is_a_mistake(server: FakeModels) -> None:
    async with client_of(server) as client:
        with pytest.raises(InputError, match="requirement"):
            await ask_contract(client, VERDICT, [Message("user", "Score.")], purpose="judge", subject="s")
