"""Models without a server: scripted replies for tests and the demo, recorded ones for repeats without paying."""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import orjson
import yaml

from service.errors import NotFoundError, SetupError, SourceError
from service.models._failures import CallError
from service.models._types import RawReply, ReplyStatus, Request, Usage
from service.text.yaml_source import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from service.models._types import Provider

__all__ = ["RecordedProvider", "RecordingProvider", "ScriptedProvider", "ScriptedReply", "read_script"]

_CHARS_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """A reply and when to give it.

    Attributes:
        when: A regular expression that the last message must contain; empty: any message.
    """

    content: str
    when: str = ""
    finish_reason: str = "stop"


class ScriptedProvider:
    """Replies from a script: a function, or a list whose first matching entry is taken."""

    def __init__(self, script: Callable[[Request], RawReply | str] | Sequence[ScriptedReply]) -> None:
        self._script = script
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> RawReply:
        """Return the script's reply, with token counts of three characters each."""
        self.requests.append(request)
        given = self._script(request) if callable(self._script) else self._matching(request)
        if isinstance(given, RawReply):
            return given
        prompt = sum(len(message.content) for message in request.messages) // _CHARS_PER_TOKEN
        return RawReply(given, "stop", Usage(prompt, len(given) // _CHARS_PER_TOKEN), served_by="scripted")

    def _matching(self, request: Request) -> RawReply | str:
        assert not callable(self._script)  # noqa: S101 - said by the caller, for the type checker
        last = request.messages[-1].content
        for reply in self._script:
            if re.search(reply.when, last):
                if reply.finish_reason == "stop":
                    return reply.content
                return RawReply(reply.content, reply.finish_reason, served_by="scripted")
        raise CallError(
            ReplyStatus.REJECTED,
            f"the script has no reply to a message that begins {last[:60]!r}; add one, or one without 'when'",
            again=False,
            sick=False,
        )

    async def close(self) -> None:
        """Nothing is open."""


def read_script(path: Path) -> tuple[ScriptedReply, ...]:
    """Read a script: a YAML list of ``{when, content, finish_reason}``.

    Raises:
        NotFoundError: There is no such file.
        SourceError: It is not such a list.
    """
    try:
        value = read_yaml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(f"script {str(path)!r} does not exist; 'file' of a scripted model names one") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SourceError(f"script {str(path)!r} cannot be read: {error}") from error
    if not isinstance(value, list):
        raise SourceError(f"script {str(path)!r} is no list; write '- when: …' and 'content: …'")
    replies = []
    for number, entry in enumerate(value, start=1):
        try:
            reply = ScriptedReply(**entry)
            re.compile(reply.when)
        except (TypeError, re.error) as error:
            raise SourceError(f"script {str(path)!r}, entry {number}: {error}") from None
        if not all(isinstance(text, str) for text in (reply.content, reply.when, reply.finish_reason)):
            raise SourceError(
                f"script {str(path)!r}, entry {number}: when, content, finish_reason are texts; quote them"
            )
        replies.append(reply)
    return tuple(replies)


class RecordingProvider:
    """Passes calls on and appends every reply to a file of JSON lines."""

    def __init__(self, inner: Provider, path: Path) -> None:
        self._inner = inner
        self._path = path

    async def complete(self, request: Request) -> RawReply:
        """Return the inner provider's reply, after it is written down."""
        raw = await self._inner.complete(request)
        line = orjson.dumps({"digest": request.digest(""), "reply": asdict(raw)}) + b"\n"
        try:
            # One write at the end of the file: several workers may record into one.
            file = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            try:
                os.write(file, line)
            finally:
                os.close(file)
        except OSError as error:
            raise SetupError(
                f"recording {str(self._path)!r} cannot be written ({error.strerror}); 'record' of a model names a file"
            ) from error
        return raw

    async def close(self) -> None:
        """Close the inner provider."""
        await self._inner.close()


class RecordedProvider:
    """Gives recorded replies back; a request that was not recorded is rejected, never made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies = _read_recording(path)

    async def complete(self, request: Request) -> RawReply:
        """Return the recorded reply to the very same request."""
        raw = self._replies.get(request.digest(""))
        if raw is None:
            reason = f"the recording {str(self._path)!r} has no reply to this request; record it anew"
            raise CallError(ReplyStatus.REJECTED, reason, again=False, sick=False)
        return raw

    async def close(self) -> None:
        """Nothing is open."""


def _read_recording(path: Path) -> dict[str, RawReply]:
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        raise NotFoundError(f"recording {str(path)!r} does not exist; 'file' of a recorded model names one") from None
    except OSError as error:
        raise SourceError(f"recording {str(path)!r} cannot be read: {error}") from error
    # What follows the last line feed is the torn tail of a recorder that died.
    replies: dict[str, RawReply] = {}
    for number, line in enumerate(lines[:-1], start=1):
        try:
            entry: dict[str, Any] = orjson.loads(line)
            fields = entry["reply"]
            replies[entry["digest"]] = RawReply(**{**fields, "usage": Usage(**fields["usage"])})
        except (ValueError, KeyError, TypeError) as error:
            raise SourceError(f"{path}:{number}: no recorded reply ({error}); remove the line") from None
    return replies
