"""What figures and tables call things, in English or Russian."""

from __future__ import annotations

from typing import Final, Literal

__all__ = ["LABELS", "ReportLanguage", "label"]

ReportLanguage = Literal["en", "ru"]

LABELS: Final[dict[str, tuple[str, str]]] = {
    "issue_spotting": ("Issue spotting", "Поиск вопроса"),
    "rule_selection": ("Rule selection", "Выбор нормы"),
    "conflict_resolution": ("Conflict resolution", "Коллизия норм"),
    "temporal_validity": ("Temporal validity", "Действие во времени"),
    "shallow": ("shallow", "1–2 нормы"),
    "medium": ("medium", "3–4 нормы"),
    "deep": ("deep", "5–10 норм"),
    "knows": ("knows", "знает"),
    "reasons": ("reasons", "рассуждает"),
    "hallucinates": ("hallucinates", "выдумывает"),
    "incompetent": ("incompetent", "не справляется"),
    "closed": ("closed book", "без контекста"),
    "open": ("open book", "с контекстом"),
    "gap": ("GAP", "GAP"),
    "closed_score": ("Closed-book score", "Балл без контекста"),
    "open_score": ("Open-book score", "Балл с контекстом"),
    "score": ("Final score", "Итоговый балл"),
    "gap_axis": ("GAP = open − closed", "GAP = с контекстом − без"),
    "proprietary": ("proprietary", "закрытые"),
    "russian": ("Russian", "российские"),
    "open_source": ("open source", "открытые"),
    "hallucination": ("hallucination", "вымышленные нормы"),
    "multi_fail": ("everything fails", "провал по всем уровням"),
    "norm_miss": ("norms missed", "нормы не найдены"),
    "reasoning_fail": ("reasoning fails", "ошибка в рассуждении"),
    "answer_fail": ("conclusion fails", "ошибка в выводе"),
    "norm_coverage": ("NC", "НП"),
    "step_correctness": ("SC", "ШП"),
    "answer_correctness": ("AC", "ВП"),
    "pairs": ("pairs", "пар"),
    "quadrants_title": ("Closed against open, a point a fabula", "Без контекста и с ним, точка — одна фабула"),
    "gaps_title": ("GAP by type and depth, 95 % intervals", "GAP по типам и глубине, интервалы 95 %"),
    "leaderboard_title": (
        "Scores without and with context, 95 % intervals",
        "Баллы без контекста и с ним, интервалы 95 %",
    ),
    "errors_title": ("Errors of answers below 0.5", "Ошибки в ответах с баллом ниже 0,5"),
    "radar_title": ("Mean score by type and depth", "Средний балл по типам и глубине"),
    "weights_title": ("Ranking by GAP under other weights", "Порядок по GAP при других весах"),
    "tau": ("Kendall's τ against equal weights", "τ Кендалла к равным весам"),
    "ranks_title": ("Probability of each rank by closed score", "Вероятность каждого места по баллу без контекста"),
    "rank": ("Rank", "Место"),
    "share": ("Share", "Доля"),
    "shown_first": ("first {shown} of {total} models", "первые {shown} из {total} моделей"),
}
"""English and Russian for each key; a key that is not here stands for itself."""


def label(key: str, language: ReportLanguage = "en") -> str:
    """Return what a key is called; a name that nobody listed is shown as it is."""
    found = LABELS.get(key)
    return key if found is None else found[0 if language == "en" else 1]
