"""What holds for every Chinese text."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.citations import format_citation, load_registry, read_citations
from service.citations._chinese._numbers import number_of, written
from service.domain import Citation, Jurisdiction, Language
from service.errors import InputError

_ACTS = [act for act in load_registry(Jurisdiction.CN).acts if act.key]
_PIECES = st.sampled_from(
    [
        *(
            "《",
            "》",
            "〈",
            "〉",
            "第",
            "条",
            "款",
            "项",
            "目",
            "之",
            "一",
            "二百",
            "十",
            "零",
            "12",
            "至",
            "、",
            "和",
            "，",
            "；",
            "。",
        ),
        *(
            "民法典",
            "刑法",
            "公司法解释（三）",
            "本法",
            "该法",
            "本条",
            "前款",
            "前条",
            "合同",
            "（",
            "）",
            "以下简称",
            " ",
            "\n",
            "\u3000",
        ),
        *("\u00ad", "\u0301", "2018年", "修正", "关于适用", "的规定", "最高人民法院", "："),
    ]
)
_TEXTS = st.lists(_PIECES, max_size=40).map("".join)
_NUMBERS = st.integers(1, 1300)


def _meaning(citation: Citation) -> tuple[object, ...]:
    return (
        *(citation.jurisdiction, citation.act, citation.act_title, citation.article, citation.part, citation.point),
        *(citation.subpoint, citation.edition),
    )


@given(_TEXTS)
def test_offsets_cut_out_raw_and_grow(text: str) -> None:
    found = read_citations(text, Language.ZH)
    for citation in found:
        assert text[citation.start : citation.end] == citation.raw
        assert citation.raw.strip() == citation.raw
    starts = [citation.start for citation in found]
    assert starts == sorted(starts)


@given(_TEXTS)
def test_normal_forms_are_read_alike(text: str) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    first, second = ([_meaning(citation) for citation in read_citations(form, Language.ZH)] for form in forms)
    assert first == second


@given(
    st.sampled_from(
        ["《刑法》第二百六十四条第一款第（二）项", "民法典第17条至第19条、第25条", "《公司法》（2018修正）第20条第3款"]
    ),
    st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from([" ", "\u3000", "\n", "\u00a0", "\u00ad", "\u200b"])), max_size=6
    ),
)
def test_white_space_and_soft_hyphens_inside_change_nothing(text: str, gaps: list[tuple[int, str]]) -> None:
    expected = [_meaning(citation) for citation in read_citations(text, Language.ZH)]
    spaced = text
    for place, gap in gaps:
        at = place % (len(spaced) - 1) + 1
        spaced = spaced[:at] + gap + spaced[at:]
    found = read_citations(spaced, Language.ZH)
    assert [_meaning(citation) for citation in found] == expected
    assert all(spaced[citation.start : citation.end] == citation.raw for citation in found)


@given(
    st.sampled_from(_ACTS),
    _NUMBERS,
    st.none() | st.integers(1, 20),
    st.none() | st.integers(1, 12),
    st.none() | st.integers(1, 30),
    st.none() | st.integers(1, 9),
    st.none() | st.integers(1980, 2030),
)
def test_a_printed_citation_reads_back_to_itself(
    act: object,
    article: int,
    inserted: int | None,
    part: int | None,
    point: int | None,
    subpoint: int | None,
    year: int | None,
) -> None:
    key = act.key  # type: ignore[attr-defined]
    citation = Citation(
        Jurisdiction.CN,
        key,
        f"{article}-{inserted}" if inserted else str(article),
        "",
        0,
        0,
        part=str(part) if part else None,
        point=str(point) if point else None,
        subpoint=str(subpoint) if subpoint and point else None,
        edition=str(year) if year else None,
    )
    printed = format_citation(citation)
    (found,) = read_citations(printed, Language.ZH)
    assert found.raw == printed
    assert _meaning(replace(found, act_title=None)) == _meaning(citation)
    assert found.flags == ()


def test_an_act_outside_the_registry_is_printed_by_its_title() -> None:
    (found,) = read_citations("《某某省湖泊管理条例》第2条", Language.ZH)
    assert format_citation(found) == "《某某省湖泊管理条例》第二条"


def test_what_cannot_be_printed_says_why() -> None:
    with pytest.raises(InputError, match="no article"):
        format_citation(Citation(Jurisdiction.CN, "刑法", None, "该条", 0, 2))


@given(st.integers(1, 9999))
def test_numbers_are_written_and_read(value: int) -> None:
    assert number_of(written(value)) == value


@pytest.mark.parametrize("word", ["十百", "千千", "零", "0", "一二十", "00", "百零千"])
def test_no_numbers(word: str) -> None:
    assert number_of(word) is None
