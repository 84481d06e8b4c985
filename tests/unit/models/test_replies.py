"""Reading replies and failures; scripted and recorded models."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest

from service.errors import NotFoundError, SourceError
from service.models import (
    CallError,
    Message,
    RawReply,
    RecordedProvider,
    RecordingProvider,
    ReplyStatus,
    Request,
    ScriptedProvider,
    ScriptedReply,
    Usage,
    read_script,
    without_thinking,
)
from service.models._failures import of_status, retry_after_of
from service.models._reading import judge_reply

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio
ASK = Request("m", (Message("user", "What of ГК_1064?"),), {"temperature": 0})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("answer", ("answer", None, True)),
        ("<think>a</think>b", ("b", "a", True)),
        ("\n<THINK>\na\n</THINK>\n\nb\n", ("b", "a", True)),
        ("a</think>b", ("b", "a", True)),
        ("<think>a", ("", "a", False)),
        ("<think></think>", ("", "", True)),
        ("<think>a</think>b</think>c", ("b</think>c", "a", True)),
        ("about <think> tags", ("about <think> tags", None, True)),
    ],
)
def test_think_blocks_are_cut_off(content: str, expected: tuple) -> None:
    assert without_thinking(content) == expected


@pytest.mark.parametrize(
    ("raw", "status", "text"),
    [
        (RawReply("a", "stop"), "answered", "a"),
        (RawReply("a", None), "answered", "a"),
        (RawReply("a", "length"), "length", "a"),
        (RawReply("", "length", thinking="t"), "empty_after_thinking", ""),
        (RawReply("", "stop", Usage(reasoning=10)), "empty_after_thinking", ""),
        (RawReply("<think>t</think>", "stop"), "empty_after_thinking", ""),
        (RawReply("<think>t", "length"), "empty_after_thinking", ""),
        (RawReply(" \n", "stop"), "empty", ""),
        (RawReply("", "length"), "length", ""),
        (RawReply("part", "content_filter"), "content_filter", ""),
        (RawReply(None, "stop", refusal="no"), "refused", ""),
    ],
)
def test_each_kind_of_reply_has_its_status(raw: RawReply, status: str, text: str) -> None:
    got, answer, _, failure = judge_reply(raw)
    assert (got.value, answer) == (status, text)
    assert (failure is None) == (got is ReplyStatus.ANSWERED)


def test_the_wait_asked_for_is_read_in_all_its_forms() -> None:
    assert retry_after_of({"retry-after": "2.5"}) == 2.5
    assert retry_after_of({"retry-after-ms": "120", "retry-after": "9"}) == 0.12
    assert retry_after_of({"x-ratelimit-reset-requests": "6m1.5s"}) == 361.5
    assert retry_after_of({"x-ratelimit-reset-requests": "1h"}) == 3600
    assert retry_after_of({"x-ratelimit-reset-requests": "20ms"}) == 0.02
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < (retry_after_of({"retry-after": later}) or 0) <= 100
    for nothing in ({}, {"retry-after": "soon"}, {"retry-after": "-1"}, {"x-ratelimit-reset-requests": "x"}):
        assert retry_after_of(nothing) is None


def test_codes_decide_and_not_words() -> None:
    assert of_status(400, "429 rate limit context length").status is ReplyStatus.REJECTED
    assert of_status(400, "", code="context_length_exceeded").status is ReplyStatus.CONTEXT_OVERFLOW
    assert of_status(429, "").again
    assert not of_status(429, "", code="insufficient_quota").again


async def test_a_script_replies_by_its_first_match(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text("- when: ГК_\\d+\n  content: civil\n- content: cut\n  finish_reason: length\n", encoding="utf-8")
    provider = ScriptedProvider(read_script(file))
    assert (await provider.complete(ASK)).content == "civil"
    assert (await provider.complete(Request("m", (Message("user", "?"),)))).finish_reason == "length"
    with pytest.raises(CallError, match="no reply"):
        await ScriptedProvider([ScriptedReply("x", when="never")]).complete(ASK)


@pytest.mark.parametrize("text", ["a: 1", "- 1", "- {content: 1}", "- {when: '(', content: x}", "- {word: x}", "["])
def test_scripts_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=r"script\.yaml"):
        read_script(file)
    with pytest.raises(NotFoundError):
        read_script(tmp_path / "none.yaml")


async def test_a_recording_gives_back_what_was_received_and_calls_nobody(tmp_path: Path) -> None:
    file = tmp_path / "recording.ndjson"
    inner = ScriptedProvider(lambda _: RawReply("a", "stop", Usage(1, 2, 3), thinking="t"))
    recording = RecordingProvider(inner, file)
    first = await recording.complete(ASK)
    with file.open("ab") as out:
        out.write(b'{"digest": "torn')
    replay = RecordedProvider(file)
    assert await replay.complete(ASK) == first
    with pytest.raises(CallError, match="no reply to this request"):
        await replay.complete(Request("other", ASK.messages, ASK.options))
    file.write_bytes(b'{"digest": 1}\n')
    with pytest.raises(SourceError, match=":1:"):
        RecordedProvider(file)
    with pytest.raises(NotFoundError):
        RecordedProvider(tmp_path / "none")
