from dataclasses import replace

from service.citations import ArticleIndex, Coverage, check_citations
from service.domain import Citation, CitationFlag, Jurisdiction

RU = Jurisdiction.RU
COVERAGE = Coverage(
    ArticleIndex({(RU, "ГК"): ["1", "2"], (RU, "НК"): ["1", "142.9"], (RU, "УК"): ["1"]}),
    {(RU, "ГК"): ("complete",), (RU, "НК"): ("1–142.9",), (RU, "УК"): ("unknown",)},
    {(RU, "ГК"): frozenset({"7"})},
)
GK = Citation(RU, "ГК", "1", "ст. 1", 0, 5)


def flags(citation: Citation) -> tuple[CitationFlag, ...]:
    (checked,) = check_citations([citation], COVERAGE)
    return checked.flags


def test_an_article_that_is_there_stays_as_it_was() -> None:
    assert flags(GK) == ()


def test_a_missing_article_inside_the_coverage_is_invented() -> None:
    assert flags(replace(GK, article="9999")) == (CitationFlag.INVENTED,)
    assert flags(replace(GK, act="НК", article="77")) == (CitationFlag.INVENTED,)


def test_a_missing_article_outside_the_coverage_is_outside_the_corpus() -> None:
    assert flags(replace(GK, act="НК", article="309")) == (CitationFlag.OUTSIDE_CORPUS,)
    assert flags(replace(GK, act="УК", article="309")) == (CitationFlag.OUTSIDE_CORPUS,)
    assert flags(replace(GK, act="ТК")) == (CitationFlag.OUTSIDE_CORPUS,)
    assert flags(replace(GK, jurisdiction=Jurisdiction.KZ)) == (CitationFlag.OUTSIDE_CORPUS,)
    assert flags(replace(GK, act=None, act_number="127-ФЗ")) == (CitationFlag.OUTSIDE_CORPUS,)


def test_an_article_that_was_law_is_never_invented() -> None:
    assert flags(replace(GK, article="7")) == (CitationFlag.OUTSIDE_CORPUS,)


def test_an_unresolved_citation_claims_nothing() -> None:
    unresolved = replace(GK, act=None, jurisdiction=None, flags=(CitationFlag.UNRESOLVED,))
    assert flags(unresolved) == (CitationFlag.UNRESOLVED,)


def test_earlier_flags_stay_and_checking_twice_changes_nothing() -> None:
    member = replace(GK, article="9999", flags=(CitationFlag.RANGE_MEMBER,))
    once = check_citations([member], COVERAGE)
    assert once[0].flags == (CitationFlag.RANGE_MEMBER, CitationFlag.INVENTED)
    assert check_citations(once, COVERAGE) == once
