"""Keeps secrets out of logs, errors and records.

Two nets: the form of known secrets (our keys, bearer tokens, passwords in URLs, named fields), and the values that this
process itself was given, which whoever reads them from settings or the environment registers by :func:`hide`.
"""

from __future__ import annotations

import re

__all__ = ["hide", "redact"]

HIDDEN = "[hidden]"

# What a form finds is the group ``secret``; what stands around it stays, so that a reader sees what was hidden.
_FORMS: tuple[re.Pattern[str], ...] = (
    re.compile(r"lxh_[a-z2-9]{8}_(?P<secret>[A-Za-z0-9_-]{43})"),
    re.compile(r"\b(?:Bearer|Basic)\s+(?P<secret>[A-Za-z0-9+/=._~-]{4,})", re.IGNORECASE),
    re.compile(r"\b(?P<secret>sk-[A-Za-z0-9_-]{8,})"),
    re.compile(r"(?<=://)[^\s:/@]*:(?P<secret>[^\s/@]+)@"),
    re.compile(
        r"(?i)\b(?:(?:api|access|auth|client)?[_-]?(?:key|token|secret)|password|passwd|authorization|credentials)"
        r"['\"]?\s*[:=]\s*['\"]?(?!\[hidden\]|(?:Bearer|Basic)\b)(?P<secret>[^\s'\",;&)}\]]{6,})"
    ),
)

# Values, not configuration: what this process must not repeat, whoever gave it.
_values: set[str] = set()
_SHORTEST = 6


def hide(value: str) -> None:
    """Never let a value through again; very short ones are left, they would tear holes into ordinary text."""
    if len(value) >= _SHORTEST:
        _values.add(value)


def redact(text: str) -> str:
    """Return a text with every secret replaced.

    All are looked for in the text as it came: a password that is an ordinary word («secret») must not take away the
    word by which a form knows another secret, nor a form a part of a value, by which the rest would get through.
    """
    found = [match.span("secret") for form in _FORMS for match in form.finditer(text)]
    for value in _values:
        start = text.find(value)
        while start >= 0:
            found.append((start, start + len(value)))
            start = text.find(value, start + 1)
    kept: list[str] = []
    end = 0
    for start, stop in sorted(found):
        if start >= end:
            kept += (text[end:start], HIDDEN)
        end = max(end, stop)
    return "".join((*kept, text[end:]))
