from pathlib import Path

import pytest

from service.citations import ArticleIndex, read_article_index
from service.domain import Jurisdiction
from service.errors import InputError, SourceError

RU = Jurisdiction.RU
INDEX = ArticleIndex({(RU, "ТК"): ["173", "173.1", "174", "176"], (RU, "X"): ["2", "1", "3"]})


def test_between_goes_by_the_acts_own_order() -> None:
    assert INDEX.between(RU, "ТК", "173", "176") == ("173", "173.1", "174", "176")
    assert INDEX.between(RU, "X", "2", "3") == ("2", "1", "3")


def test_an_end_that_the_act_has_not_bounds_all_the_same() -> None:
    assert INDEX.between(RU, "ТК", "173", "175") == ("173", "173.1", "174")
    assert INDEX.between(RU, "X", "2", "9") == ()


def test_the_wrong_order_and_an_unknown_act_give_nothing() -> None:
    assert INDEX.between(RU, "ТК", "176", "173") == ()
    assert INDEX.between(RU, "ГК", "1", "2") == ()
    assert not INDEX.knows(Jurisdiction.KZ, "ТК")
    assert not INDEX.has(RU, "ГК", "1")
    assert INDEX.has(RU, "ТК", "173.1")


def test_a_file_is_read_and_aliases_become_keys(tmp_path: Path) -> None:
    path = tmp_path / "index.json"
    path.write_text('{"ua": {"КонстУ": {"articles": ["1", "129-1"]}, "ЦК": ["1", 2]}}', encoding="utf-8")
    index = read_article_index(path)
    assert index.numbers(Jurisdiction.UA, "Конституція") == ("1", "129-1")
    assert index.numbers(Jurisdiction.UA, "ЦК") == ("1", "2")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("{", SourceError, "cannot be read as JSON"),
        ("[]", SourceError, "no object of jurisdictions"),
        ('{"ru": []}', SourceError, "'ru' is no object of acts"),
        ('{"ru": {"ГК": "1"}}', SourceError, "act 'ГК' of 'ru' has no list"),
        ('{"zz": {}}', InputError, "jurisdiction 'zz' has no registry"),
    ],
)
def test_a_wrong_file_says_what(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    path = tmp_path / "index.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        read_article_index(path)
