"""A judge that compares words: deterministic, free, and good for nothing but demonstrations and tests."""

from __future__ import annotations

import re

from service.judging._asking import Verdict, VerdictStatus
from service.judging._questions import Question
from service.text.normalise import normalise

__all__ = ["LexicalJudge"]

_WORD = re.compile(r"[^\W\d_]{4,}")
# Long enough to tell words apart, short enough to fold inflections of Slavic words.
_STEM = 5


def _stems(question: Question, text: str) -> set[str]:
    plain = normalise(text, question.language, fold_yo=True).text.lower()
    return {word[:_STEM] for word in _WORD.findall(plain)}


class LexicalJudge:
    """Gives the value whose place fits the share of the reference's words that the answer has.

    With n values, a share r gives the value at place min(n - 1, floor(r * n)). A reference without words gives the
    lowest. It reads only the reference and the answer, and nothing in an answer can tell it what to give.
    """

    async def judge(self, question: Question, *, subject: str) -> Verdict:  # noqa: ARG002 - nothing is paid for
        """Return the verdict at once."""
        wanted = _stems(question, question.reference)
        share = len(wanted & _stems(question, question.answer)) / len(wanted) if wanted else 0.0
        place = min(len(question.values) - 1, int(share * len(question.values)))
        return Verdict(VerdictStatus.READ, question.values[place], f"{share:.2f} of the reference's words")

    async def close(self) -> None:
        """Nothing is open."""
