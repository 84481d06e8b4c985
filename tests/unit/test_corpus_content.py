"""What a corpus must be before it is loaded, and which corpus a request means that names none."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from service.domain import Act, Article, Jurisdiction, Language, Paragraph, Relation, RelationSource, RelationType
from service.errors import ConflictError, InputError, NotFoundError
from service.graph.catalog import Catalog, CorpusVersion
from service.graph.content import CorpusInfo, corpus_content

INFO = CorpusInfo(title="Проба", official=False, licence="Apache-2.0", source="tests")
ACT = Act("ГК", "Гражданский кодекс", Jurisdiction.RU, Language.RU, None, ("complete",))
ONE, TWO = (Article("ГК", number, "", (), "Текст.", (Paragraph(0, 6),)) for number in ("1", "2"))


def relation(source: str, target: str) -> Relation:
    return Relation(source, target, RelationType.REFERS_TO, RelationSource.CITATION, 1.0, "так сказано")


@pytest.mark.parametrize(
    ("articles", "relations", "said"),
    [
        ([ONE, TWO], [relation("ГК_1", "ГК_1")], "relation ГК_1 → ГК_1 joins a norm with itself; drop it"),
        ([ONE, TWO], [relation("ГК_1", "ГК_3")], "relation ГК_1 → ГК_3: the corpus has no norm 'ГК_3'"),
        ([ONE, TWO], [relation("ГК_1", "ГК_2")] * 2, "relation ('ГК_1', 'ГК_2') stands twice"),
        ([ONE, TWO, ONE], [], "article 'ГК_1' stands twice"),
        ([ONE, replace(TWO, act="УК")], [], "article 'УК_2' belongs to no act of the corpus"),
    ],
    ids=["with itself", "no such end", "relation twice", "article twice", "no such act"],
)
def test_what_does_not_hold_together_is_refused_by_name(
    articles: list[Article], relations: list[Relation], said: str
) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        corpus_content(INFO, [ACT], articles, relations)
    assert len(corpus_content(INFO, [ACT], [ONE, TWO], [relation("ГК_1", "ГК_2")]).relations) == 1


def version(key: str, digits: str, *, official: bool, current: bool = True) -> CorpusVersion:
    return CorpusVersion(
        key, digits, key, official, current, "", "", "", False, "2026-11-30T12:00:00Z", ("ru",), ("ru",), (), {}, {}
    )


SAMPLE = version("sample", "5f968b8524ba", official=False)
RU = version("ru", "0c0a52d1e6f7", official=True)
OLD = version("ru", "0c1b00000000", official=True, current=False)


def test_the_sample_is_the_default_only_while_there_is_no_real_corpus() -> None:
    assert Catalog((SAMPLE,)).default(None) == (SAMPLE,)
    assert Catalog((SAMPLE, RU, OLD)).default(None) == (RU,)
    assert Catalog((SAMPLE, RU)).default("sample") == (SAMPLE,)
    with pytest.raises(NotFoundError, match="no corpus is loaded"):
        Catalog(()).default(None)
    with pytest.raises(NotFoundError, match="no corpus 'kz' is loaded; there is sample, ru"):
        Catalog((SAMPLE, RU)).default("kz")


def test_first_digits_name_a_version_where_they_fit_one() -> None:
    catalog = Catalog((SAMPLE, RU, OLD))
    assert catalog.find("ru") == RU
    assert catalog.find("ru", "0c1") == OLD
    with pytest.raises(ConflictError, match="version '0c' of corpus 'ru' fits several"):
        catalog.find("ru", "0c")
    with pytest.raises(NotFoundError, match="corpus 'ru' has no version 'ff'"):
        catalog.find("ru", "ff")
