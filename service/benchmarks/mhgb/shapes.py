"""Undoes what wraps an answer: think blocks, JSON, escapes (mhgb.md 4). What is left reads as its model meant it."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from service.benchmarks.mhgb.sections import Section, find_sections
from service.models import without_thinking

__all__ = ["said"]

# Whole blocks behind the first one: models that think between their sections.
_TAG = re.compile(r"<(/?)(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPENS = re.compile(r"\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
_MARKDOWN_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~])")
_JSON_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|([ntr"/\\]))')
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r"}
_INVISIBLE: Final = str.maketrans("", "", "\u00ad\u200b\u2060\ufeff")
_FENCED = re.compile(r"\A(?:```[A-Za-z]{0,10}\s{0,4})?[\[{\"]")


def said(answer: str) -> tuple[str, str | None]:
    r"""Return what an answer says, and the thinking that was taken out of it.

    An answer in JSON becomes its keys and values in text order, a key in front of its value; one in broken JSON, or
    with escaped line ends, is unescaped. Escapes of Markdown (``ГК\_15``) and characters without width go.
    """
    answer = answer.lstrip("\ufeff")
    text, thinking, ended = without_thinking(answer)
    if not text and thinking and ended and _is_whole(thinking) and not _OPENS.match(answer):
        # Nothing was opened and nothing follows: a stray tag behind a whole answer, no thinking.
        text, thinking = thinking, None
    thoughts = [] if thinking is None else [thinking]
    text = _unwrapped(_without_later_thoughts(text, thoughts))
    text = _MARKDOWN_ESCAPE.sub(r"\1", text).translate(_INVISIBLE)
    return text.strip(), "\n".join(thoughts) if thoughts else None


def _without_later_thoughts(text: str, thoughts: list[str]) -> str:
    """Take out blocks that open and close behind the first one; a tag without its other half is text."""
    kept: list[str] = []
    at, opened = 0, None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened = tag if opened is None else opened
        elif opened is not None:
            kept.append(text[at : opened.start()])
            thoughts.append(text[opened.end() : tag.start()].strip())
            at, opened = tag.end(), None
    return "\n".join((*kept, text[at:]))


def _is_whole(text: str) -> bool:
    return len({span.section for span in find_sections(text)}) == len(Section)


def _unwrapped(text: str) -> str:
    start, end = _json_ends(text)
    if start >= 0 and not find_sections(text[:start] + text[end:]):
        written = _written(text[start:end])
        if written is not None and (find_sections(written) or _FENCED.match(text)):
            return f"{text[:start]}\n{written}\n{text[end:]}"
    if "\\" in text and (_FENCED.match(text) or ("\n" not in text and text.count("\\n") > 1)):
        return _JSON_ESCAPE.sub(_character, text)
    return text


def _json_ends(text: str) -> tuple[int, int]:
    """Return where the outermost object, list or string of an answer begins and ends; -1 without one."""
    for opens, closes in (("{", "}"), ("[", "]")):
        start, end = text.find(opens), text.rfind(closes)
        if 0 <= start < end:
            other = text.find("[", 0, start) if opens == "{" else -1
            # A list of objects begins before its first object.
            if other < 0 or text[other + 1 : start].strip():
                return start, end + 1
    return (0, len(text)) if text[:1] == text[-1:] == '"' and len(text) > 1 else (-1, -1)


def _written(text: str) -> str | None:
    """Return JSON as headings with what stands under them; None where it is no JSON."""
    lines: list[str] = []
    try:
        _write(json.loads(text, strict=False, object_pairs_hook=_Pairs), lines)
    except (ValueError, RecursionError):
        return None
    return "\n".join(lines)


class _Pairs(list[tuple[str, Any]]):
    """An object's pairs: a key that comes twice loses nothing."""


def _write(value: Any, lines: list[str]) -> None:
    if isinstance(value, _Pairs):
        for key, of_key in value:
            name = key.replace("_", " ")
            if isinstance(of_key, list):
                lines.append(f"{name}:")
                _write(of_key, lines)
            else:
                lines.append(f"{name}: {_scalar(of_key)}")
    elif isinstance(value, list):
        for one in value:
            _write(one, lines)
    else:
        lines.append(_scalar(value))


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _character(match: re.Match[str]) -> str:
    if match[1] is not None:
        code = int(match[1], 16)
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)
    return _SIMPLE.get(match[2], match[2])
