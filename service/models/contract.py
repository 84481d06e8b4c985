"""What a model is asked for and how its reply is read, in one object, so that the two cannot drift apart.

A reply is read as exactly one JSON object with allowed values. There is no first number in a text, no repaired JSON,
no default: what cannot be read is asked again a bounded number of times, with the reason, and is unavailable then.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from service.domain import Language
from service.errors import InputError
from service.models._prompts import prompt_sections
from service.models._types import Message, Reply, ReplyStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.models._client import ModelClient

__all__ = ["Contract", "Field", "Outcome", "OutcomeStatus", "Reading", "ask_contract"]

Scalar = str | int | float | bool
_BRACE = re.compile(r"[{}]")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the object.

    Attributes:
        kind: ``choice`` (one of ``values``), ``number`` (``low`` to ``high``), ``text`` or ``boolean``.
        description: For the model, in the prompt's language.
        optional: It may be absent or null.
        longest: Characters of a text; a longer one is cut when read, it is no fault.
    """

    name: str
    kind: Literal["choice", "number", "text", "boolean"]
    description: str = ""
    values: tuple[Scalar, ...] = ()
    low: float = 0.0
    high: float = 1.0
    optional: bool = False
    longest: int = 4000

    def __post_init__(self) -> None:
        if self.kind == "choice" and not self.values:
            raise InputError(f"field {self.name!r} is a choice without values; name them")

    def fault(self, value: object) -> str | None:
        """Return what is wrong with a value; None when it is allowed."""
        if self.kind == "choice":
            allowed = any(type(value) is type(choice) and value == choice for choice in self.values) or (
                _is_number(value) and any(_is_number(choice) and value == choice for choice in self.values)
            )
            return None if allowed else f'"{self.name}" is {_shown(value)}, not one of {_listed(self.values)}'
        if self.kind == "number":
            inside = _is_number(value) and self.low <= value <= self.high  # type: ignore[operator]
            return None if inside else f'"{self.name}" is {_shown(value)}, not a number from {self.low} to {self.high}'
        if self.kind == "boolean":
            return None if isinstance(value, bool) else f'"{self.name}" is {_shown(value)}, not true or false'
        if not isinstance(value, str) or not value.strip():
            return f'"{self.name}" is {_shown(value)}, not a text'
        return None


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as read: either values or the reason why not.

    Attributes:
        values: By field; optional ones that are absent are absent.
        fault: In English, for the model and for people.
    """

    values: Mapping[str, Any] | None
    fault: str | None


class OutcomeStatus(StrEnum):
    """How asking by a contract ended."""

    READ = "read"
    UNREADABLE = "unreadable"
    NO_REPLY = "no_reply"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of asking by a contract.

    Attributes:
        values: The fields; None unless ``read``. A failure is never a zero.
        failure: What went wrong; None when read.
        reply: The last reply, with its own status (cut, empty after thinking, refused, filtered, …).
        asked: How many times the model was asked.
        cost_nano: Of all replies together, in billionths of the price's currency; None when one is unknown.
    """

    status: OutcomeStatus
    values: Mapping[str, Any] | None
    failure: str | None
    reply: Reply
    asked: int
    cost_nano: int | None = None


@dataclass(frozen=True)
class Contract:
    """The object that a model must answer with.

    Attributes:
        name: For ledgers and errors.
    """

    name: str
    fields: tuple[Field, ...]
    language: Language | None = None
    _by_name: Mapping[str, Field] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        names = [item.name for item in self.fields]
        if not names or len(set(names)) != len(names):
            raise InputError(f"contract {self.name!r} has the fields {names!r}; it needs one or more, each once")
        object.__setattr__(self, "_by_name", {item.name: item for item in self.fields})

    @cached_property
    def requirement(self) -> str:
        """The paragraph that goes into the prompt."""
        texts = _texts(self.language)
        rows = []
        for item in self.fields:
            kind = texts[item.kind].format(values=_listed(item.values), low=item.low, high=item.high)
            description = f" — {item.description}" if item.description else ""
            rows.append(texts["field"].format(name=item.name, kind=kind, description=description))
        return texts["answer"].format(fields="\n".join(rows))

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of what is asked for and of this reader's rules, for fingerprints and caches."""
        return hashlib.sha256(f"1\n{self.requirement}".encode()).hexdigest()

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema, for endpoints that enforce one."""
        kinds: dict[str, Any] = {}
        for item in self.fields:
            kinds[item.name] = {
                "choice": {"enum": list(item.values)},
                "number": {"type": "number", "minimum": item.low, "maximum": item.high},
                "text": {"type": "string"},
                "boolean": {"type": "boolean"},
            }[item.kind]
        required = [item.name for item in self.fields if not item.optional]
        return {"type": "object", "properties": kinds, "required": required, "additionalProperties": False}

    def again(self, reason: str) -> str:
        """Return the message that asks once more."""
        return _texts(self.language)["again"].format(reason=reason)

    def read(self, text: str) -> Reading:
        """Read an answer whose think block is already cut off."""
        try:
            found = _the_object(text)
        except _UnreadableError as error:
            return Reading(None, str(error))
        values: dict[str, Any] = {}
        for item in self.fields:
            value = found.get(item.name)
            if value is None:
                if item.optional:
                    continue
                return Reading(None, f'the field "{item.name}" is missing')
            fault = item.fault(value)
            if fault is not None:
                return Reading(None, fault)
            values[item.name] = value.strip()[: item.longest] if item.kind == "text" else value
        return Reading(values, None)


async def ask_contract(
    client: ModelClient,
    contract: Contract,
    messages: Sequence[Message],
    *,
    purpose: str,
    subject: str,
    reasks: int = 2,
    reuse: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Outcome:
    """Ask, read, and ask again with the reason while the reply cannot be read, at most ``reasks`` times.

    The prompt must hold ``contract.requirement``. A reply that is cut, empty, refused or filtered is not asked for
    again: the same limits would bring the same.

    Raises:
        InputError: The prompt does not say what the contract reads.
    """
    if not any(contract.requirement in message.content for message in messages):
        raise InputError(f"the prompt of contract {contract.name!r} lacks its requirement; put contract.requirement in")
    turns = list(messages)
    asked = 0
    cost: int | None = 0
    while True:
        reply = await client.ask(turns, purpose=purpose, subject=subject, reuse=reuse, options=options)
        asked += 1
        cost = None if cost is None or reply.cost_nano is None else cost + reply.cost_nano
        if reply.status is not ReplyStatus.ANSWERED:
            return Outcome(OutcomeStatus.NO_REPLY, None, reply.failure, reply, asked, cost)
        reading = contract.read(reply.text)
        if reading.values is not None:
            return Outcome(OutcomeStatus.READ, reading.values, None, reply, asked, cost)
        reason = reading.fault or ""
        if asked > reasks:
            failure = f"model {client.profile.name!r} gave no readable {contract.name} in {asked} replies: {reason}"
            return Outcome(OutcomeStatus.UNREADABLE, None, failure, reply, asked, cost)
        turns = [*messages, Message("assistant", reply.text), Message("user", contract.again(reason))]


class _UnreadableError(ValueError):
    """A reply's JSON is not what a contract may read."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _UnreadableError("a field stands twice in the object")
    return result


def _constant(name: str) -> float:
    raise _UnreadableError(f"{name} is no JSON number")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _UnreadableError(f"{text[:20]} is too large a number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def _the_object(text: str) -> dict[str, Any]:
    """Return the one object of a text.

    Prose may stand around it, but no other brace: in ``{"score": 1} … {"score": 0.`` the whole object may be a
    quotation and the cut one the verdict.

    Raises:
        _UnreadableError: There is none, or more than one.
    """
    start = text.find("{")
    if start < 0:
        raise _UnreadableError("there is no JSON object in it")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except _UnreadableError:
        raise
    except RecursionError:
        raise _UnreadableError("the object is nested too deeply") from None
    except ValueError as error:
        raise _UnreadableError(f"the JSON object is broken ({getattr(error, 'msg', 'not JSON')})") from None
    if _BRACE.search(text, end):
        raise _UnreadableError("there is more than one object, or a brace outside of it")
    if text[:start].rstrip().endswith("[") and text[end:].lstrip().startswith(("]", ",")):
        raise _UnreadableError("the object stands in a list")
    return dict(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:80]


def _listed(values: Sequence[Scalar]) -> str:
    return ", ".join(json.dumps(value, ensure_ascii=False) for value in values)


def _texts(language: Language | None) -> Mapping[str, str]:
    name = f"contract/{language.value if language else 'en'}"
    return prompt_sections(name, "answer", "field", "choice", "number", "text", "boolean", "again")
