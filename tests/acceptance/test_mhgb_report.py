"""The published figures, cell by cell, from the released records by one command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from service.benchmarks.mhgb import read_results
from service.cli import main
from tests.published import PUBLISHED

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def results(data: Path) -> Path:
    return data / "mhgb" / "results"


@pytest.fixture(scope="module")
def out(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    with pytest.raises(SystemExit) as left:
        main(["benchmark", "mhgb", "report", "--results", str(results), "--out", str(folder)])
    assert left.value.code == 0
    return folder


def cells(path: Path) -> dict[tuple[int, str], str]:
    """Every cell of a CSV by row and column."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    return {(number, column): value for number, row in enumerate(rows) for column, value in row.items()}


def compared(results: Path, out: Path, pattern: str) -> int:
    """Compares all files of a pattern cell by cell; returns how many cells were the same."""
    same = 0
    for published in sorted(results.glob(pattern)):
        name = published.relative_to(results)
        want, got = cells(published), cells(out / name)
        differing = {
            place: (want.get(place), got.get(place))
            for place in want.keys() | got.keys()
            if want.get(place) != got.get(place)
        }
        assert not differing, f"{name}: {differing}"
        assert (out / name).read_bytes() == published.read_bytes(), name
        same += len(want)
    return same


def test_every_cell_of_the_four_statistics_files(results: Path, out: Path) -> None:
    assert compared(results, out, "statistics/*.csv") == 12 * (6 + 4 + 4 + 8)


def test_every_cell_of_every_gap_file(results: Path, out: Path) -> None:
    # 12 experiments of 1 + 4 + 3 + 4 + 3 slices: names, pairs, and the 2,160 means, deviations and quadrant counts.
    names = 12 * (1 * 1 + 4 * 1 + 3 * 1 + 4 * 2 + 3 * 2)
    assert compared(results, out, "*/gap_*.csv") == 2160 + 180 + names


def test_every_cell_of_every_agg_file_is_reproduced_or_explained(results: Path, out: Path) -> None:
    with (out / "tables" / "not_reproduced.csv").open(encoding="utf-8") as file:
        explained = {(row["file"], row["column"]): int(row["cells"]) for row in csv.DictReader(file) if row["reason"]}
    blank: dict[tuple[str, str], int] = {}
    same = 0
    for published in sorted(results.glob("*/agg_*.csv")):
        name = str(published.relative_to(results))
        want, got = cells(published), cells(out / name)
        assert want.keys() == got.keys(), name
        for (row, column), value in want.items():
            if got[row, column] == "":
                kind = "components" if not column.startswith(("count", "final_score")) else column
                blank[name, kind] = blank.get((name, kind), 0) + 1
            else:
                assert got[row, column] == value, (name, row, column)
                same += 1
    assert blank == explained
    # Names and modes, and of the slices without a lacking pair the count, mean and deviation of the final score.
    assert same > 1500


def test_the_records_are_written_as_they_were_published(results: Path, out: Path) -> None:
    files = sorted(results.glob("*/gap_records.jsonl"))
    assert len(files) == 12
    for published in files:
        assert (out / published.relative_to(results)).read_bytes() == published.read_bytes()


def test_the_published_table_of_models(out: Path) -> None:
    with (out / "tables" / "leaderboard.csv").open(encoding="utf-8") as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    columns = ("pairs", "closed", "open", "gap", "gap_low", "gap_high")
    assert {model: tuple(float(row[c]) for c in columns) for model, row in rows.items()} == PUBLISHED


def test_without_empty_open_answers_two_models_stand_elsewhere(out: Path) -> None:
    with (out / "tables" / "leaderboard.csv").open(encoding="utf-8") as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    found = {
        m: (int(rows[m]["open_zeros"]), round(float(rows[m]["gap_without_open_zeros"]), 3))
        for m in ("GigaChat-2 Max", "GigaChat-2 Lite")
    }
    assert found == {"GigaChat-2 Max": (77, 0.226), "GigaChat-2 Lite": (80, 0.137)}


def test_over_common_fabulas_two_models_swap_their_open_ranks(out: Path) -> None:
    with (out / "tables" / "leaderboard.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    own = sorted(rows, key=lambda row: -float(row["open"]))
    common = sorted(rows, key=lambda row: int(row["open_rank_common"]))
    moved = {row["model"] for row, other in zip(own, common, strict=True) if row["model"] != other["model"]}
    assert len(moved) == 2
    assert "276 fabulas" in (out / "report.md").read_text(encoding="utf-8")


def test_contamination_runs_as_far_as_stated(out: Path) -> None:
    with (out / "tables" / "contamination.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    signals = [float(row["difference"]) for row in rows]
    assert (len(signals), round(min(signals), 3), round(max(signals), 3)) == (12, -0.048, 0.040)
    assert max(int(row["public"]) for row in rows) == 60
    assert all(float(row["difference_low"]) < float(row["difference"]) < float(row["difference_high"]) for row in rows)


def test_the_manifest_names_every_source_and_every_file(results: Path, out: Path) -> None:
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert set(manifest["files"]) == written - {"manifest.json"}
    assert {source["sha256"] for source in manifest["sources"]} == {one.sha256 for one in read_results(results)}
    assert any("Error taxonomy" in note for note in manifest["not_applicable"])


def test_the_page_needs_no_other_file(out: Path) -> None:
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert 'src="data:image/svg+xml' in page
    assert all(model in page for model in PUBLISHED)


def test_the_same_input_gives_the_same_bytes(results: Path, out: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["benchmark", "mhgb", "report", "--results", str(results), "--out", str(tmp_path)])
    for path in out.rglob("*"):
        if path.is_file():
            assert (tmp_path / path.relative_to(out)).read_bytes() == path.read_bytes(), path.name
