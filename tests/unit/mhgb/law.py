"""A small law for tests: numbers only."""

from __future__ import annotations

from service.benchmarks import Law
from service.citations import ArticleIndex, Coverage
from service.domain import Jurisdiction, norm_id_of

RU = Jurisdiction.RU
ARTICLES = {
    (RU, "ГК"): ("10", "15", "16", "151", "254", "255", "256", "1064", "1079", "1101"),
    (RU, "ТК"): ("77", "81", "261"),
    (RU, "КоАП"): ("12.1", "12.8", "25.13"),
}
STATED = {(RU, "ГК"): ("complete",), (RU, "ТК"): ("1–300",), (RU, "КоАП"): ("complete",)}


def law(*, fold: bool = False, more: dict[str, tuple[str, ...]] | None = None) -> Law:
    articles = {key: (*numbers, *(more or {}).get(key[1], ())) for key, numbers in ARTICLES.items()}
    known = {norm_id_of(act, number) for (_, act), numbers in articles.items() for number in numbers}

    def ref(act: str, number: str) -> str | None:
        norm = norm_id_of(act, number)
        return norm if norm in known else None

    return Law(Coverage(ArticleIndex(articles), STATED), ref, fold_inserted=fold, jurisdiction=RU)
