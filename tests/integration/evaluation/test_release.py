"""The released results as finished runs: the table of mhgb.md 7, row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.benchmarks.mhgb import read_results
from service.benchmarks.mhgb.release import released_runs
from service.db import Database
from service.evaluation import BoardOptions, TableCache, gap_view, import_release, leaderboard
from tests.published import PUBLISHED

pytestmark = [pytest.mark.anyio, pytest.mark.data]


async def test_leaderboard_and_gap_agree_with_the_published_table(ledger: Database, data: Path) -> None:
    released = released_runs(read_results(data / "mhgb" / "results"))
    first = await import_release(ledger, released, actor="test")
    assert [new for _, _, new in first] == [True] * 12
    again = await import_release(ledger, released, actor="test")
    assert [(run, new) for run, _, new in again] == [(run, False) for run, _, _ in first]
    cache = TableCache()
    (board,) = (await leaderboard(ledger, cache, "mhgb"))["boards"]
    assert board["score_fingerprint"].startswith("release:")
    rows = {row["participant"]: row for row in board["rows"]}
    got = {
        name: (row["n_pairs"], *(round(row[key], 4) for key in ("closed", "open", "gap")), *row["gap_interval"])
        for name, row in rows.items()
    }
    for name, wanted in PUBLISHED.items():
        assert got[name][:4] == wanted[:4], name
        assert [round(bound, 4) for bound in got[name][4:]] == list(wanted[4:]), name
    assert rows.keys() == PUBLISHED.keys()
    assert [row["open"] for row in board["rows"]] == sorted((row["open"] for row in board["rows"]), reverse=True)
    assert {row["pairs"] for row in board["rows"]} == {300}
    assert rows["GPT-4o"]["coverage"] == pytest.approx(276 / 300)
    # Two models have 77 and 80 open answers at exactly 0; without them their GAP is another (mhgb.md 5).
    assert round(rows["GigaChat-2 Max"]["without_zeros"]["gap"], 3) == 0.226
    assert round(rows["GigaChat-2 Lite"]["without_zeros"]["gap"], 3) == 0.137
    common = await leaderboard(ledger, cache, "mhgb", BoardOptions(on="common"))
    assert {row["n_pairs"] for row in common["boards"][0]["rows"]} == {276}
    # Absent components are null, with the reason.
    table = await cache.table(ledger, rows["o3"]["run"])
    assert rows["o3"]["components"]["open"] == dict.fromkeys(
        ("norm_coverage", "step_correctness", "answer_correctness")
    )
    assert {item.reason for item in table.of_mode("open") if item.final is not None} == {
        "the release has no components of single answers"
    }
    gap = gap_view(table)
    assert gap["quadrants"]["knows"] > 0
    assert gap["components"]["norm_coverage"]["scored"] == 293
