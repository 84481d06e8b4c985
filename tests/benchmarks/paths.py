"""What a path query costs, and what it costs in a graph ten times as large: ``python -m tests.benchmarks.paths``.

Asks the ten codes in a scratch graph, loads nine copies of them under other keys and asks the same again, then drops
them and asks once more. Prints JSON lines: the median of each kind of question alone (the
lower of before and after: a server grows warm) and beside the copies, and their ratio. ``--hub`` only asks the hub.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import time
from typing import Any

from service.graph.catalog import CorpusVersion, read_catalog
from service.graph.content import CorpusContent
from service.graph.load import drop_version, load_version
from service.graph.neighbourhood import find_between
from service.graph.paths import PathRequest, find_paths
from service.graph.reading import read_content
from service.graph.store import GraphStore
from tests.benchmarks._scratch_graph import ten_codes

COPIES = 9
ROUNDS = 5
PAIRS = 20


async def _seconds(store: GraphStore, version: CorpusVersion, pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Median seconds of each kind of question."""
    kinds: dict[str, list[float]] = {"directed, 6 hops": [], "any, 4 hops": [], "between": []}
    for _ in range(ROUNDS):
        for start, end in pairs:
            for kind, directed, hops in (("directed, 6 hops", True, 6), ("any, 4 hops", False, 4)):
                begun = time.perf_counter()
                await find_paths(store, PathRequest(version.uid, start, end, hops, directed=directed))
                kinds[kind].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            await find_between(store, version.uid, start, end, as_of=None, limit=50, relations=50_000)
            kinds["between"].append(time.perf_counter() - begun)
    return {kind: statistics.median(seconds) for kind, seconds in kinds.items()}


async def _hub(store: GraphStore, version: CorpusVersion, content: CorpusContent) -> dict[str, Any]:
    """Six hops either way from the norm with most relations to the farthest one, at the default budget and a small one."""
    degree: dict[str, int] = {}
    for one in content.relations:
        for ref in (one.source_id, one.target_id):
            degree[ref] = degree.get(ref, 0) + 1
    hub = max(degree, key=degree.__getitem__)
    end = max((ref for ref in degree if ref.startswith("УК_")), key=degree.__getitem__)
    said: dict[str, Any] = {"hub": hub, "relations": degree[hub], "to": end}
    for budget in (50_000, 1_000):
        begun = time.perf_counter()
        asked = PathRequest(version.uid, hub, end, 6, directed=False, limit=100, relations=budget)
        found = await find_paths(store, asked)
        said[f"budget {budget}"] = {
            "seconds": round(time.perf_counter() - begun, 3),
            "paths": len(found.paths),
            "truncated": found.truncated,
            "complete_to": found.complete_to,
            "relations_read": found.relations_read,
        }
    return said


async def run(*, hub_only: bool) -> None:
    """Measure and print."""
    async with ten_codes() as (store, version):
        content = await read_content(store, version)
        _print(await _hub(store, version, content))
        if hub_only:
            return
        related = sorted({ref for one in content.relations for ref in (one.source_id, one.target_id)})
        generator = random.Random(1)
        pairs = [(pair[0], pair[1]) for pair in (generator.sample(related, 2) for _ in range(PAIRS))]
        await _seconds(store, version, pairs[:5])  # warms caches
        before = await _seconds(store, version, pairs)
        keys = [f"copy{number}" for number in range(COPIES)]
        try:
            for key in keys:
                await load_version(store, key, content, wait_seconds=60)
            await _seconds(store, version, pairs[:5])
            beside = await _seconds(store, version, pairs)
        finally:
            for one in (await read_catalog(store)).versions:
                if one.key in keys:
                    await drop_version(store, one)
        after = await _seconds(store, version, pairs)
        for kind, seconds in before.items():
            alone = min(seconds, after[kind])
            _print(
                {
                    "question": kind,
                    "ms": round(alone * 1000, 1),
                    "ms_ten_times": round(beside[kind] * 1000, 1),
                    "ratio": round(beside[kind] / alone, 2),
                    "wanted": "<= 1.5",
                }
            )


def _print(row: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(run(hub_only="--hub" in sys.argv[1:]))
