"""What must hold for every text: offsets, stability under how it is written, our own formatter."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.citations import Surrounding, format_citation, load_registry, read_citations
from service.domain import Citation, Jurisdiction, Language
from service.errors import InputError

SENTENCES = [
    (Language.RU, "в силу пункта 1 статьи 393, статей 8 - 10 и 401 ГК РФ, ч. 2 ст. 12.9 КоАП РФ"),
    (Language.RU, "по ч. 3 ст. 30, пп. «а», «б» ч. 2 ст. 158 УК РФ; часть третья указанной статьи"),
    (Language.RU, "абзац второй статьи 5 Федерального закона от 26.10.2002 № 127-ФЗ «О несостоятельности»"),
    (Language.UK, "п. 5 ч. 1 та ч. 2 ст. 333 КАС України, частини п'ятої статті 42 Закону № 1058-IV"),
    (Language.UK, "статтею 526 Цивільного кодексу України, ст. 12 цього Кодексу"),
]
# Words, marks and numbers of which citations are made, in any order.
WORDS = (
    'ст. статьи ч. часть п. пп. абз. пунктом первой второй 5 12.1 19.7.10-1 1-5 228¹ , - – и или ; ( ) « » " \n '
    "ГК ГК_ РФ УК Кодекса Закона Федерального закона № 127-ФЗ от 01.02.2003 настоящей указанной того же статті цієї "
    "України розділу ХХ «а» а) далее Конвенции \u00ad \u00a0 и\u0306 ст"
)
PIECES = st.lists(st.sampled_from(WORDS.split(" ")), max_size=60)


def essence(citation: Citation) -> tuple[object, ...]:
    return (
        citation.jurisdiction,
        citation.act,
        citation.act_number,
        citation.article,
        citation.part,
        citation.point,
        citation.subpoint,
        citation.paragraph,
        citation.flags,
    )


@given(PIECES, st.sampled_from(["", " "]), st.sampled_from([Language.RU, Language.UK]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_offsets_always_cut_out_raw(pieces: list[str], joint: str, language: Language, inside: bool) -> None:
    text = joint.join(pieces)
    key = "ГК" if language is Language.RU else "ЦК"
    found = read_citations(text, language, surrounding=Surrounding(act=key, article="5") if inside else None)
    for citation in found:
        assert text[citation.start : citation.end] == citation.raw
        assert citation.raw.strip() == citation.raw
        assert citation.raw
    assert [item.start for item in found] == sorted(item.start for item in found)


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_reading_is_stable_under_how_the_text_is_written(
    language: Language, sentence: str, data: st.DataObject
) -> None:
    wanted = [essence(item) for item in read_citations(sentence, language)]
    written = []
    for char in sentence:
        if char == " ":
            written.append(data.draw(st.sampled_from([" ", " ", "\u00a0", "\n", "  ", "\u202f"])))
        elif char.isalpha() and data.draw(st.integers(0, 9)) == 0:
            written.append(char + "\u00ad")
        else:
            written.append(char)
    text = unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD"])), "".join(written))
    found = read_citations(text, language)
    assert [essence(item) for item in found] == wanted
    assert all(text[item.start : item.end] == item.raw for item in found)


def keyed(jurisdiction: str) -> list[str]:
    return [act.key for act in load_registry(jurisdiction).acts if act.key]


@st.composite
def citations(draw: st.DrawFn) -> Citation:
    jurisdiction = draw(st.sampled_from(["ru", "kz", "ua"]))
    registry = load_registry(jurisdiction)
    act = registry.act(draw(st.sampled_from(keyed(jurisdiction))))
    base, insertion = draw(st.integers(1, 1999)), draw(st.integers(0, 30))
    article = f"{base}{act.insertion_mark}{insertion}" if insertion else str(base)
    plain = st.none() | st.integers(1, 99).map(str)
    point = draw(plain | st.sampled_from(["а", "г", "д1"]))
    return Citation(
        registry.jurisdiction,
        act.key,
        article,
        "",
        0,
        0,
        part=draw(plain),
        point=point,
        subpoint=draw(plain | st.just("б")) if point else None,
        paragraph=draw(plain),
        edition=act.edition,
    )


@given(citations())
@settings(max_examples=150, deadline=None)
def test_what_we_print_reads_back_to_itself(citation: Citation) -> None:
    assert citation.jurisdiction is not None
    language = load_registry(citation.jurisdiction).language
    text = format_citation(citation)
    (found,) = read_citations(f"Ср. {text}.", language, surrounding=Surrounding(citation.jurisdiction))
    assert found.raw == text
    assert (found.jurisdiction, found.act, found.edition) == (citation.jurisdiction, citation.act, citation.edition)
    assert essence(found)[3:8] == essence(citation)[3:8]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("ст. 5 Федерального закона № 127-ФЗ", Language.RU),
        ("п. 2 ст. 13 Закона Российской Федерации «О тишине»", Language.RU),
        ("ч. 1 ст. 42 Закону України № 1058-IV", Language.UK),
        ("п. 16-1 підрозділу 10 розділу XX ПК України", Language.UK),
        ("ст. 9 КПК України 2012 року", Language.UK),
    ],
)
def test_acts_outside_and_sections_read_back(text: str, language: Language) -> None:
    (citation,) = read_citations(text, language)
    (again,) = read_citations(format_citation(citation), language)
    assert essence(again) == essence(citation)
    assert (again.section, again.subsection, again.edition) == (citation.section, citation.subsection, citation.edition)


def test_an_unresolved_citation_cannot_be_printed() -> None:
    (citation,) = read_citations("ст. 5 указанного Кодекса", Language.RU)
    with pytest.raises(InputError, match="has no jurisdiction"):
        format_citation(citation)


def test_an_unknown_surrounding_act_is_an_error() -> None:
    with pytest.raises(InputError, match="act 'XX' is not in the registry"):
        read_citations("ст. 5", Language.RU, surrounding=Surrounding(Jurisdiction.RU, "XX"))
