import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain import Language
from service.text.normalise import normalise


def test_nothing_to_do_gives_the_same_object() -> None:
    text = "Статья 10 ГК РФ"
    found = normalise(text, Language.RU)
    assert found.text is text
    assert found.span(0, 6) == (0, 6)


@pytest.mark.parametrize(
    ("given_text", "wanted"),
    [
        ("ст.\u00a010", "ст. 10"),
        ("ста\u00adтья", "статья"),
        ("167–171 — 5", "167-171 - 5"),
        ("п`ятої п’ятої пʼятої", "п'ятої п'ятої п'ятої"),
        ("и\u0306", "й"),
        ("\ufeffст. 1\u200b", " ст. 1"),
    ],
)
def test_what_is_folded(given_text: str, wanted: str) -> None:
    assert normalise(given_text, Language.UK).text == wanted


def test_chinese_keeps_its_dashes_and_loses_its_wide_spaces() -> None:
    assert normalise("第一条—第二条\u3000《刑法》", Language.ZH).text == "第一条—第二条 《刑法》"


def test_yo_is_folded_on_request_only() -> None:
    assert normalise("её", Language.RU).text == "её"
    assert normalise("её", Language.RU, fold_yo=True).text == "ее"


def test_offsets_lead_back_behind_a_soft_hyphen_and_a_combining_mark() -> None:
    text = "мои\u0306 ста\u00adтей"
    found = normalise(text, Language.RU)
    start = found.text.index("статей")
    assert text[slice(*found.span(start, start + 6))] == "ста\u00adтей"
    assert text[slice(*found.span(2, 3))] == "и\u0306"
    assert found.span(4, 4) == (5, 5)


PIECES = st.lists(
    st.sampled_from(["ст", " ", "\u00a0", "\u00ad", "и", "\u0306", "–", "`", "ё", "e\u0301", "5", "\u0301" * 11]),
    max_size=30,
)


@given(PIECES)
def test_it_is_idempotent_and_spans_cover_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = normalise(text, Language.RU)
    assert normalise(found.text, Language.RU).text == found.text
    spans = [found.span(at, at + 1) for at in range(len(found.text))]
    assert all(start < end for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)


@given(PIECES)
def test_decomposed_text_reads_like_composed_text(pieces: list[str]) -> None:
    text = unicodedata.normalize("NFC", "".join(pieces))
    if any(len(run) > 8 for run in text.split("ст")):
        return  # runs of marks beyond any letter are bounded, and may be ordered otherwise
    assert normalise(unicodedata.normalize("NFD", text), Language.RU).text == normalise(text, Language.RU).text
