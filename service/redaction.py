"""Keeps secrets out of logs, errors and records.

Two nets: the form of known secrets (our keys, bearer tokens, passwords in URLs, named fields), and the values that this
process itself was given, which whoever reads them from settings or the environment registers by :func:`hide`.
"""

from __future__ import annotations

import re

__all__ = ["hide", "redact"]

HIDDEN = "[hidden]"

_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"lxh_([a-z2-9]{8})_[A-Za-z0-9_-]{43}"), rf"lxh_\1_{HIDDEN}"),
    (re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9+/=._~-]{4,}", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (re.compile(r"\bsk-[A-Za-z0-9_-]{8,}"), HIDDEN),
    (re.compile(r"(?<=://)([^\s:/@]*):[^\s/@]+@"), rf"\1:{HIDDEN}@"),
    (
        re.compile(
            r"(?i)\b((?:api|access|auth|client)?[_-]?(?:key|token|secret)|password|passwd|authorization|credentials)"
            r"(['\"]?\s*[:=]\s*['\"]?)(?!\[hidden\]|(?:Bearer|Basic)\b)[^\s'\",;&)}\]]{6,}"
        ),
        rf"\1\2{HIDDEN}",
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
    """Return a text with every secret replaced."""
    # The longest first: one value may hold another.
    for value in sorted(_values, key=len, reverse=True):
        if value in text:
            text = text.replace(value, HIDDEN)
    for form, instead in _FORMS:
        text = form.sub(instead, text)
    return text
