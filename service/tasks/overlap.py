"""How many of a fabula's words are the norms' own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Overlap", "overlap"]

_WORD = re.compile(r"\w+")
_RUN = 5


class Overlap(NamedTuple):
    """Lexical overlap, each from 0 to 1.

    Attributes:
        five_grams: Share of the fabula's runs of five words that stand in a norm too (containment).
        tokens: Distinct words that both have, of all distinct words (Jaccard).
    """

    five_grams: float
    tokens: float


def overlap(fabula: str, norms: Iterable[str]) -> Overlap:
    """Measure the lexical overlap of a fabula with the wording of its norms; letter case and ё do not count."""
    own = _words(fabula)
    others = [_words(norm) for norm in norms]
    runs = set(_runs(own))
    theirs = {run for words in others for run in _runs(words)}
    all_own, all_theirs = set(own), {word for words in others for word in words}
    together = all_own | all_theirs
    return Overlap(
        len(runs & theirs) / len(runs) if runs else 0.0,
        len(all_own & all_theirs) / len(together) if together else 0.0,
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("ё", "е"))


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)]
