"""Work grows with the text, also on hostile text: function calls are counted, not seconds."""

from __future__ import annotations

import sys

import pytest

from loaders.relations import type_citations
from service.domain import Citation, Jurisdiction, Language

HOSTILE = {
    "cues": ("кроме ", "статьи 5"),
    "cues and brackets": ("кроме ( ", "статьи 5"),
    "predicates": ("правила применяются ", "статьи 5"),
    "conditions": ("если иное ", "статьи 5"),
    "a gap that never ends": ("особенности учета ", "статьи 5"),
    "a list": ("кроме лиц, указанных в статье 5, ", "статьи 5"),
    "quotes": ('"', "статьи 5"),
    "nouns": ("за исключением случаев учета ", "статьи 5"),
    "commas": (", ", "статьи 5"),
    "participles": ("предусмотренные правила статьи 5 применяются ", "статьи 5"),
    "relative clauses": ("кроме случаев, о которых указано, ", "статьи 5"),
    "numbers": ("кроме мест, указанных в строках 1 - 3, ", "статьи 5"),
    "dashes": ("кроме - - ", "статьи 5"),
}
CHINESE = {"除": ("除", "第五条"), "lists": ("第五条、", "第五条"), "适用": ("适用", "第五条")}


def calls(text: str, raw: str, language: Language) -> int:
    citations, at = [], text.find(raw)
    while at >= 0:
        citations.append(Citation(Jurisdiction.RU, "ГК", "5", raw, at, at + len(raw)))
        at = text.find(raw, at + len(raw))
    type_citations(text, citations, language)  # the dictionary is asked once for each word
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        type_citations(text, citations, language)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_russian_work_is_linear(name):
    piece, raw = HOSTILE[name]
    one, two = (calls(piece * n + raw, raw, Language.RU) for n in (400, 800))
    assert two <= 2.4 * one + 500


@pytest.mark.parametrize("name", CHINESE)
def test_chinese_work_is_linear(name):
    piece, raw = CHINESE[name]
    one, two = (calls(piece * n + raw, raw, Language.ZH) for n in (400, 800))
    assert two <= 2.4 * one + 500
