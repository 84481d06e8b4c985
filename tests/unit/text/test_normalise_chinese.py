"""Chinese text as the index, the queries and the reader see it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.domain import Language
from service.text.normalise import normalise


def test_full_width_digits_and_letters_become_plain() -> None:
    normalised = normalise("第２５条，ＡｂＣ", Language.ZH)
    assert normalised.text == "第25条，AbC"
    assert normalised.span(1, 3) == (1, 3)


def test_gaps_between_ideographs_are_closed_where_asked() -> None:
    text = "第　十 二\n条 第 12 条 civil law 法"
    assert normalise(text, Language.ZH).text == "第 十 二\n条 第 12 条 civil law 法"
    closed = normalise(text, Language.ZH, close_gaps=True)
    assert closed.text == "第十二条第 12 条 civil law 法"
    at = closed.text.index("二")
    assert text[slice(*closed.span(at, at + 2))] == "二\n条"


@given(st.text(alphabet="第十二条 １２\u3000\n\u00ad\u0301a", max_size=30))
def test_every_character_comes_from_where_it_says(text: str) -> None:
    closed = normalise(text, Language.ZH, close_gaps=True)
    spans = [closed.span(at, at + 1) for at in range(len(closed.text))]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)


def test_long_stretches_are_folded_like_short_ones() -> None:
    text = "第１２条　甲乙\u00ad" * 40 + "第３条　丙丁" * 40 + "\u00ad"
    expected = "第12条 甲乙" * 40 + "第3条 丙丁" * 40
    normalised = normalise(text, Language.ZH)
    assert normalised.text == expected
    for at, char in enumerate(normalised.text):
        start, end = normalised.span(at, at + 1)
        assert normalise(text[start:end], Language.ZH).text == char
