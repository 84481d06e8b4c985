import orjson
import pytest

from service.citations import ArticleIndex, citation_row, read_batch, read_citations
from service.domain import Jurisdiction, Language

NAMES = "jurisdiction act act_title act_number article part point subpoint paragraph raw start end flags self"
FIELDS = NAMES.split()


def rows(*lines: object, articles: ArticleIndex | None = None) -> list[dict[str, object]]:
    encoded = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
    return [row.as_json() for row in read_batch(encoded, articles)]


def test_a_row_has_every_field_and_absent_levels_are_null() -> None:
    (row,) = rows({"id": "a", "lang": "ru", "text": "п. 1 ст. 15 ГК РФ"})
    assert row["id"] == "a"
    (citation,) = row["citations"]  # type: ignore[misc]
    assert list(citation) == FIELDS
    assert citation == {
        "jurisdiction": "ru",
        "act": "ГК",
        "act_title": "Гражданский кодекс Российской Федерации",
        "act_number": None,
        "article": "15",
        "part": None,
        "point": "1",
        "subpoint": None,
        "paragraph": None,
        "raw": "п. 1 ст. 15 ГК РФ",
        "start": 0,
        "end": 17,
        "flags": [],
        "self": False,
    }


def test_sections_and_editions_are_added_where_there_are_any() -> None:
    (citation,) = read_citations("п. 16-1 підрозділу 10 розділу ХХ ПК України", Language.UK)
    assert citation_row(citation)["section"] == "XX"
    assert citation_row(citation)["article"] is None


def test_what_surrounds_the_text_is_taken() -> None:
    row = {
        "id": 1,
        "lang": "ru",
        "jurisdiction": "kz",
        "act": "НК",
        "article": "12",
        "text": "настоящей статьи и статьи 7",
    }
    (found,) = rows(row)
    assert [(c["jurisdiction"], c["act"], c["article"], c["self"]) for c in found["citations"]] == [  # type: ignore[attr-defined]
        ("kz", "НК", "12", True),
        ("kz", "НК", "7", False),
    ]


def test_articles_give_ranges_their_members() -> None:
    index = ArticleIndex({(Jurisdiction.RU, "ТК"): ["173", "173.1", "174"]})
    (row,) = rows({"id": 1, "lang": "ru", "text": "статей 173 - 174 ТК РФ"}, articles=index)
    assert [c["article"] for c in row["citations"]] == ["173", "173.1", "174"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"not json", "row is not JSON: .*; write one object a line"),
        (b'{"id": "a", "lang": "ru", "text": "\xff"}', r"row is not UTF-8: byte b'\\xff' at offset 3"),
        (b"[1]", r"row is \[1\]; write one object a line"),
        ({"id": "a", "lang": "ru"}, "field 'text' is missing; it must be a string"),
        ({"id": "a", "lang": "ru", "text": 5}, "field 'text' is 5; it must be a string"),
        ({"id": "a", "text": "ст. 5"}, "field 'lang' is missing"),
        ({"lang": "ru", "text": "ст. 5"}, "field 'id' is None; it must be"),
        ({"id": True, "lang": "ru", "text": "ст. 5"}, "field 'id' is True"),
        ({"id": "a", "lang": "xx", "text": "ст. 5"}, "lang 'xx' is not read; use one of ru, uk, zh"),
        ({"id": "a", "lang": "ru", "text": "ст. 5", "jurisdiction": "zz"}, "jurisdiction 'zz' has no registry"),
        ({"id": "a", "lang": "ru", "text": "ст. 5", "act": "XX"}, "act 'XX' is not in the registry of 'ru'"),
    ],
)
def test_a_bad_row_says_what_is_wrong_on_which_line_and_the_rest_goes_on(line: object, error: str) -> None:
    good = {"id": "good", "lang": "ru", "text": "ст. 5 ГК РФ", "difficulty": "easy"}
    first, bad, last = rows(good, line, good)
    assert first == last
    assert len(first["citations"]) == 1  # type: ignore[arg-type]
    assert bad["citations"] is None
    assert bad["line"] == 2
    assert isinstance(bad["error"], str)
    import re

    assert re.search(error, bad["error"])


def test_empty_lines_count_but_give_no_row() -> None:
    found = list(read_batch([b"\n", b'{"id": 1, "lang": "ru", "text": ""}\n', b"x"]))
    assert [(row.line, row.error is None) for row in found] == [(2, True), (3, False)]
    assert found[0].citations == ()


def test_a_byte_order_mark_and_line_ends_of_windows_are_passed_over() -> None:
    row = '{"id": 1, "lang": "ru", "text": "ст. 5 ГК РФ"}'.encode()
    first, second = read_batch([b"\xef\xbb\xbf" + row + b"\r\n", row + b"\r\n"])
    assert first.error is second.error is None
    assert first.citations == second.citations


def test_an_article_may_be_an_integer() -> None:
    (row,) = rows({"id": 1, "lang": "ru", "text": "настоящей статьи", "act": "ГК", "article": 15})
    (citation,) = row["citations"]  # type: ignore[misc]
    assert (citation["article"], citation["self"]) == ("15", True)
