"""A corpus of our own words with its citations marked, read by a reader that knows the marks."""

from __future__ import annotations

import re

import pytest

from service.citations import Surrounding
from service.domain import Act, ActText, Article, Citation, Jurisdiction, Language, Paragraph

_MARK = re.compile(r"\[(?P<raw>[^\]|]+)\|(?P<act>[^\]_]+)_(?P<number>[^\]]+)\]")


class MarkedCorpus:
    """Builds acts from texts with ``[raw|ACT_NUMBER]`` and reads them back without the marks."""

    def __init__(self):
        self._citations: dict[str, list[tuple[str, str, str, int]]] = {}

    def act(self, key: str, articles: dict[str, str], coverage: tuple[str, ...] = ("complete",)) -> ActText:
        made = tuple(self._article(key, number, text) for number, text in articles.items())
        return ActText(Act(key, f"Кодекс {key}", Jurisdiction.RU, Language.RU, None, coverage), made)

    def _article(self, key: str, number: str, text: str) -> Article:
        plain, last, found = "", 0, []
        for match in _MARK.finditer(text):
            plain += text[last : match.start()]
            found.append((match["raw"], match["act"], match["number"], len(plain)))
            plain += match["raw"]
            last = match.end()
        plain += text[last:]
        self._citations[plain] = found
        starts = [0, *(m.end() for m in re.finditer("\n", plain))]
        ends = [*(start - 1 for start in starts[1:]), len(plain)]
        paragraphs = tuple(Paragraph(s, e, point=str(n)) for n, (s, e) in enumerate(zip(starts, ends, strict=True), 1))
        return Article(key, number, "", (), plain, paragraphs)

    def read(self, text, language, *, surrounding, articles):
        assert isinstance(surrounding, Surrounding)
        own = (surrounding.act, surrounding.article)
        return [
            Citation(
                Jurisdiction.RU,
                act if act != "?" else None,
                number,
                raw,
                start,
                start + len(raw),
                is_self=(act, number) == own,
            )
            for raw, act, number, start in self._citations[text]
        ]


@pytest.fixture
def corpus():
    return MarkedCorpus()
