"""Speed of the statistics beside their plain definitions: ``python -m tests.benchmarks.analysis [statistics|report|scale]``.

One JSON object a line. ``statistics`` computes every interval of a report twice, by ``service.analysis`` and by
``tests.benchmarks.plain``, on the released records where LEXHOP_TEST_DATA has them and on made-up ones elsewhere, demands
that both agree bit for bit, and prints the ratio of the times. ``report`` times the command. ``scale`` sets 360,000 made-up
records against 3,600: time as a ratio, and the peak of memory.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from service.analysis import (
    Bootstrap,
    Column,
    GapTable,
    Interval,
    cohen_kappa,
    contamination_signals,
    rank_intervals,
    score_bins,
    slices_by,
)
from service.benchmarks.mhgb import gap_records_bytes, read_results
from service.domain import Depth, TaskType
from service.tasks import public_fabulas
from tests.benchmarks import plain

MODELS = 12


def say(**figures: Any) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process, so that other work on the machine does not count, and the result."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def made_up(model: int, per_cell: int) -> GapTable:
    """Records of one model in the published form, ``12 * per_cell`` of them."""
    generator = np.random.default_rng(model)
    cells = [(kind.value, depth.value) for kind in TaskType for depth in Depth for _ in range(per_cell)]
    closed, opened = np.clip(generator.normal([[0.5], [0.7]], 0.25, (2, len(cells))), 0, 1)
    return GapTable(
        Column.of([f"model-{model}"] * len(cells)),
        Column.of(f"{k:08x}" for k in range(len(cells))),
        Column.of(kind for kind, _ in cells),
        Column.of(depth for _, depth in cells),
        Column.of(["unknown"] * len(cells)),
        closed,
        opened,
        np.array([round(gap, 4) for gap in (opened - closed).tolist()]),
        np.round(generator.uniform(-1, 1, (len(cells), 3)), 4),
    )


def tables() -> tuple[str, list[GapTable]]:
    """The released records, or made-up ones of the same size."""
    folder = Path(os.environ.get("LEXHOP_TEST_DATA", "../shared/data")) / "mhgb" / "results"
    if folder.is_dir():
        return "released", [one.table for one in read_results(folder)]
    return "made-up", [made_up(model, 25) for model in range(MODELS)]


def same(fast: Sequence[Interval], slow: Sequence[tuple[float, ...]], what: str) -> None:
    for one, other in zip(fast, slow, strict=True):
        if (one.value, one.low, one.high) != other:
            raise SystemExit(f"{what}: {one} is not {other}")


def statistics() -> None:
    records, found = tables()
    bootstrap = Bootstrap()
    spent: dict[str, tuple[float, float]] = {}

    series = [values for table in found for values in (table.closed, table.open, table.gap, table.difference)]
    fast, intervals = timed(lambda: bootstrap.means(series))
    lists = [values.tolist() for values in series]
    slow, plain_intervals = timed(lambda: [plain.bootstrap_mean(values) for values in lists])
    same(intervals, plain_intervals, "means")
    spent["means"] = fast, slow

    sliced = [t.difference[part.rows] for t in found for part in slices_by((t.task_type, t.depth))]
    fast, intervals = timed(lambda: bootstrap.means(sliced))
    lists = [values.tolist() for values in sliced]
    slow, plain_intervals = timed(lambda: [plain.bootstrap_mean(values) for values in lists])
    same(intervals, plain_intervals, "slices")
    spent["slices"] = fast, slow

    by_depth = [[t.difference[t.depth.where(depth.value)] for depth in Depth] for t in found]
    pairs = [(d[a], d[b]) for d in by_depth for a, b in ((2, 0), (2, 1), (1, 0))]
    fast, intervals = timed(lambda: Bootstrap(5000).differences(pairs))
    sides = [(a.tolist(), b.tolist()) for a, b in pairs]
    slow, plain_intervals = timed(lambda: [plain.bootstrap_difference(a, b, 5000) for a, b in sides])
    same(intervals, plain_intervals, "depths")
    spent["depths"] = fast, slow

    whole = GapTable.concatenated(found)
    cells = {
        task: (TaskType(kind), Depth(depth))
        for task, kind, depth in zip(whole.task.values(), whole.task_type.values(), whole.depth.values(), strict=True)
    }
    public = public_fabulas(cells)
    fast, signals = timed(lambda: contamination_signals(whole, public, bootstrap))

    def plain_contamination() -> list[tuple[float, ...]]:
        result = []
        for table in found:
            strata: dict[bool, dict[tuple[str, str], list[float]]] = {True: {}, False: {}}
            rows = zip(
                table.task.values(), table.task_type.values(), table.depth.values(), table.closed.tolist(), strict=True
            )
            for task, kind, depth, value in rows:
                strata[task in public].setdefault((kind, depth), []).append(value)
            result.append(
                plain.bootstrap_stratified_difference(*([s[cell] for cell in sorted(s)] for s in strata.values()))
            )
        return result

    slow, plain_intervals = timed(plain_contamination)
    same([one.difference for one in signals if one.difference], plain_intervals, "contamination")
    spent["contamination"] = fast, slow

    shared = whole[whole.common_tasks()]
    scores = np.stack([t.closed[np.argsort(t.task.codes)] for t in shared.by_model().values()])
    fast, ranked = timed(lambda: rank_intervals(scores, bootstrap))
    slow, probabilities = timed(lambda: plain.rank_probabilities(scores.tolist()))
    if not np.allclose(ranked.probability, probabilities, atol=1e-12):
        raise SystemExit("ranks: the probabilities differ")
    spent["ranks"] = fast, slow

    first, second = score_bins(scores[0]), score_bins(scores[1])
    fast, kappa = timed(lambda: cohen_kappa(first, second))
    labels = list(zip(first.tolist(), second.tolist(), strict=True))
    slow, plain_kappa = timed(lambda: plain.bootstrap_kappa(labels))
    if (kappa.value, kappa.low, kappa.high) != plain_kappa:
        raise SystemExit(f"kappa: {kappa} is not {plain_kappa}")
    spent["kappa"] = fast, slow

    for name, (quick, reference) in spent.items():
        say(
            benchmark="statistics",
            records=records,
            what=name,
            seconds=quick,
            plain_seconds=reference,
            ratio=reference / quick,
        )
    fast, slow = (sum(pair[k] for pair in spent.values()) for k in (0, 1))
    say(
        benchmark="statistics", records=records, what="all", seconds=fast, plain_seconds=slow, ratio=slow / fast, bar=20
    )


def child(arguments: list[str]) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak MiB of a process of its own."""
    begun = time.perf_counter()
    pid = os.posix_spawn(sys.executable, [sys.executable, *arguments], os.environ)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{arguments} failed")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_made_up(folder: Path, per_cell: int) -> None:
    for model in range(MODELS):
        target = folder / f"run-{model:02d}" / "gap_records.jsonl"
        target.parent.mkdir(parents=True)
        target.write_bytes(gap_records_bytes(made_up(model, per_cell)))


def command(results: Path, out: Path, per_cell: int) -> list[str]:
    quiet = "import sys, os; sys.stdout = open(os.devnull, 'w'); from service.cli import main; main(sys.argv[1:])"
    given = ["--results", str(results), "--out", str(out), "--fabulas-a-cell", str(per_cell)]
    return ["-c", quiet, "benchmark", "mhgb", "report", *given]


def report() -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(os.environ.get("LEXHOP_TEST_DATA", "../shared/data")) / "mhgb" / "results"
        if not results.is_dir():
            results = Path(folder) / "made-up"
            write_made_up(results, 25)
        wall, cpu, peak = child(command(results, Path(folder) / "out", 25))
    say(benchmark="report", seconds=wall, cpu_seconds=cpu, peak_mib=peak, bar_seconds=15)


def scale() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name, per_cell in (("small", 25), ("large", 2500)):
            write_made_up(Path(folder) / name, per_cell)
            found[name] = child(command(Path(folder) / name, Path(folder) / f"{name}-out", per_cell))
    for name, (wall, cpu, peak) in found.items():
        say(benchmark="scale", what=name, seconds=wall, cpu_seconds=cpu, peak_mib=peak)
    say(benchmark="scale", what="large over small", ratio=found["large"][1] / found["small"][1], bar=120, bar_mib=1024)


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["statistics", "report", "scale"]
    for name in wanted:
        {"statistics": statistics, "report": report, "scale": scale}[name]()
