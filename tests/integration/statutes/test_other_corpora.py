"""Kazakhstan's Tax Code, nine Ukrainian codes, Chinese statutes: as their sources serve them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from loaders.statutes import load_statutes
from service.domain import Jurisdiction, Language

if TYPE_CHECKING:
    from pathlib import Path

    from service.domain import ActText

pytestmark = pytest.mark.data


def load(data: Path, folder: str, corpus: str) -> dict[tuple[str, str | None], ActText]:
    return {(text.act.key, text.act.edition): text for text in load_statutes(data / folder, corpus)}


def test_kz(data):
    text = load(data, "kz-statutes", "kz")["НК", None]
    assert len(text.articles) == 566
    assert text.act.jurisdiction is Jurisdiction.KZ
    assert text.act.language is Language.RU
    assert text.act.coverage[:2] == ("1–2", "4–5")
    assert all(article.valid_from for article in text.articles)
    assert {article.valid_from for article in text.articles} == {"2026-01-01", "2027-01-01"}
    assert [what for what, _ in text.skipped] == ["article 419 in st-419--2.md"]
    assert all(article.text for article in text.articles)


def test_ua(data):
    acts = load(data, "ua-statutes", "ua")
    index = json.loads((data / "ua-statutes" / "article_index.json").read_text(encoding="utf-8"))
    names = {"Конституція": "КонстУ"}
    for (key, _), text in acts.items():
        numbers = {article.number for article in text.articles}
        known = set(index[names.get(key, key)]["articles"])
        if key == "КУпАП":
            # The index has the flattened numbers: 172 for 172-9-1.
            assert numbers - known == {"172-1-1", "172-1-2", "172-8-1", "172-9-1", "172-9-2", "188-46-1", "188-46-2"}
        else:
            assert (key, numbers ^ known) == (key, set())
        assert text.act.language is Language.UK
        assert not any("{" in article.text for article in text.articles)
    assert sum(article.repealed for article in acts["КУпАП", None].articles) == 81


def test_cn(data):
    acts = load(data, "zh-statutes", "cn")
    counts = {key: len(text.articles) for key, text in acts.items()}
    assert counts["民法典", None] == 1260
    assert counts["公司法", "2018"] == 218
    assert counts["公司法", "2023"] == 266
    assert counts["民事诉讼法", "2021"] == 291
    assert counts["民事诉讼法", "2023"] == 306
    assert len(acts) == 18
    for (key, _), text in acts.items():
        whole = [int(article.number) for article in text.articles if "-" not in article.number]
        assert (key, whole) == (key, list(range(1, whole[-1] + 1)))
    criminal = {article.number for article in acts["刑法", None].articles}
    assert {"120-1", "133-1", "287-2", "452"} <= criminal
    assert acts["公司法", "2018"].act.valid_to == acts["公司法", "2023"].act.valid_from == "2024-07-01"
