"""The fetch on the real pages, from a loopback portal that now and then fails."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from loaders.statutes import builtin_manifest, fetch_statutes, load_statutes
from tests.unit.statutes.portal import Portal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data


async def _no_sleep(seconds: float) -> None:
    return


def test_fetched_codes_equal_the_given_ones(data: Path, tmp_path: Path):
    source = data / "ru-statutes"
    manifest = builtin_manifest("ru")
    assert manifest is not None
    here = {path.stem: path.read_bytes() for path in source.glob("*.html")}
    acts = [act.key for act in manifest.acts if act.files and all(file.document in here for file in act.files)]
    assert acts == ["КРФ", "ГК", "УК", "ТК", "СК", "ЖК", "ЗК", "ГрК"]
    with Portal(here, moods=[503, "cut", None, "foreign", 500]) as portal:
        report = asyncio.run(fetch_statutes("ru", tmp_path, acts=acts, base_url=portal.url, sleep=_no_sleep))
        again = asyncio.run(fetch_statutes("ru", tmp_path, acts=acts, base_url=portal.url, sleep=_no_sleep))
    assert {file.outcome for file in report.files} == {"new"}
    assert {file.outcome for file in again.files} == {"unchanged"}
    given = {text.act.key: text.articles for text in load_statutes(source, "ru")}
    fetched = load_statutes(tmp_path, "ru")
    assert {text.act.key: text.articles for text in fetched} == {key: given[key] for key in acts}
    assert {text.act.coverage for text in fetched} == {("complete",)}
