"""Which norm somebody means who writes an id or a citation in words."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from service.errors import InputError, NotFoundError
from service.graph.contents import Contents
from service.graph.finding import Asked, Finder, cited_norms

CIVIL = {"key": "ГК", "language": "ru", "jurisdiction": "ru", "title": "Гражданский кодекс"}
OLD = {
    "key": "公司法",
    "language": "zh",
    "jurisdiction": "cn",
    "title": "公司法",
    "edition": "2018",
    "valid_from": "2018-10-26",
    "valid_to": "2024-07-01",
}
NEW = {**OLD, "edition": "2023", "valid_from": "2024-07-01", "valid_to": ""}


def contents(key: str, *acts: dict[str, Any], numbers: tuple[str, ...]) -> Contents:
    held = {(act["key"], act.get("edition", "")): numbers for act in acts}
    return Contents(cast("Any", SimpleNamespace(key=key)), acts, held)


RU = contents("ru", CIVIL, numbers=("10", "15", "16"))
CN = contents("cn", OLD, NEW, numbers=("15", "16"))


class Loaded:
    """What a finder asks of its watcher, with one corpus."""

    def __init__(self, held: Contents) -> None:
        self._held = held
        self.catalog = SimpleNamespace(default=lambda _: (held.version,), current=lambda: (held.version,))

    async def contents(self, version: object) -> Contents:
        return self._held


def norm(held: Contents, given: str, as_of: str | None = None) -> str:
    finder = Finder(cast("Any", Loaded(held)), None)
    return asyncio.run(finder.norm(Asked(), given, as_of=as_of))[1]


@pytest.mark.parametrize("given", ["ГК_15", "ст. 15 ГК", "п. 1 и п. 2 ст. 15 ГК РФ", "статья пятнадцатая ГК РФ"])
def test_one_norm_is_found_by_id_and_in_words(given: str) -> None:
    assert norm(RU, given) == "ГК_15"


@pytest.mark.parametrize("given", ["ст. 15, 16 ГК", "ст. 10 ГК и ст. 99999 ГК", "статьи 99999 и 16 ГК РФ"])
def test_several_norms_are_refused_and_named_never_one_of_them_taken(given: str) -> None:
    with pytest.raises(InputError, match=r"names several norms \(ГК_\d+, ГК_\d+\); name one"):
        norm(RU, given)


def test_an_enumeration_without_end_names_a_few() -> None:
    with pytest.raises(InputError, match=r"\(ГК_1, ГК_2, ГК_3, ГК_4, ГК_5 and 15 more\)"):
        norm(RU, "ст. 1 - 20 ГК")


def test_a_year_in_words_means_that_edition() -> None:
    assert norm(CN, "《公司法》（2018年修正）第十五条") == "公司法@2018_15"
    assert norm(CN, "《公司法》第十五条") == "公司法@2023_15"
    assert norm(CN, "《公司法》第十五条", as_of="2020-01-01") == "公司法@2018_15"
    with pytest.raises(NotFoundError):
        norm(CN, "《公司法》（2013年修正）第十五条")


def test_a_year_means_nothing_where_an_act_has_no_editions() -> None:
    assert cited_norms(RU, "ст. 15 ГК РФ 2013 года") == [("ГК", "15")]
