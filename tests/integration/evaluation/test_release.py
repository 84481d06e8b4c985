"""The released results as finished runs: the table of mhgb.md 7, row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.benchmarks.mhgb import read_results
from service.benchmarks.mhgb.release import released_runs
from service.db import Database
from service.evaluation import BoardOptions, TableCache, gap_view, import_release, leaderboard

pytestmark = [pytest.mark.anyio, pytest.mark.data]

# model: n, closed, open, GAP, its interval (mhgb.md 7)
TABLE = {
    "Gemini 3.1 Pro": (300, 0.6509, 0.7758, 0.1249, 0.1032, 0.1469),
    "Claude Sonnet 4.6": (300, 0.6032, 0.7536, 0.1504, 0.1286, 0.1728),
    "DeepSeek-R1 671B": (287, 0.5575, 0.7610, 0.2034, 0.1727, 0.2350),
    "o3": (293, 0.5562, 0.7330, 0.1767, 0.1462, 0.2097),
    "GPT-4o": (276, 0.5174, 0.7515, 0.2341, 0.2041, 0.2657),
    "GigaChat-2 Max": (300, 0.4935, 0.5352, 0.0418, -0.0044, 0.0892),
    "YandexGPT 5.1 Pro": (287, 0.4430, 0.6780, 0.2350, 0.2010, 0.2705),
    "Gemma-4 26B": (300, 0.4272, 0.7239, 0.2967, 0.2674, 0.3262),
    "GigaChat-2 Lite": (300, 0.3992, 0.3908, -0.0084, -0.0517, 0.0336),
    "Mistral Small 3.2": (300, 0.3885, 0.6452, 0.2567, 0.2237, 0.2884),
    "T-pro-it-2.1": (300, 0.3833, 0.7155, 0.3322, 0.2951, 0.3692),
    "DeepSeek-R1 32B": (300, 0.3616, 0.6777, 0.3161, 0.2834, 0.3502),
}


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
    for name, wanted in TABLE.items():
        assert got[name][:4] == wanted[:4], name
        assert [round(bound, 4) for bound in got[name][4:]] == list(wanted[4:]), name
    assert rows.keys() == TABLE.keys()
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
