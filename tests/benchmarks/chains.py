"""Seconds and memory of counting and drawing chains, beside networkx in the same run.

    python -m tests.benchmarks.chains [FILE]

FILE is an export of a corpus (`lexhop corpus export ru --to ru.ndjson.gz`); without it the sample. Prints JSON lines.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import networkx

from loaders.corpus import build_sample
from service.chains import ChainGraph, content_graph, make_plan
from service.chains._exact import count_by_first_relation
from service.graph.archive import read_archive


def say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")


def by_networkx(graph: ChainGraph, longest: int) -> int:
    net = networkx.DiGraph(list(zip(graph.source.tolist(), graph.target.tolist(), strict=True)))
    chains = [[one, other] for one, other in net.edges]
    total = len(chains)
    for _ in range(longest - 2):
        chains = [[*chain, new] for chain in chains for new in net[chain[-1]] if new not in chain]
        total += len(chains)
    return total


def main(file: str | None) -> None:
    content = read_archive(Path(file)).content if file else build_sample().content
    graph = content_graph(content)
    begun = time.perf_counter()
    ours = sum(int(counts.sum()) for counts in count_by_first_relation(graph, 5).values())
    seconds = time.perf_counter() - begun
    begun = time.perf_counter()
    reference = by_networkx(graph, 5)
    theirs = time.perf_counter() - begun
    say(what="chains of 2 to 5 norms", counted=ours, networkx=reference, equal=ours == reference,
        seconds=round(seconds, 3), networkx_seconds=round(theirs, 3), ratio=round(theirs / seconds, 2))  # fmt: skip
    begun = time.perf_counter()
    plan = make_plan(graph, seed=42, wanted=300)
    seconds = time.perf_counter() - begun
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(what="plan of 300 at seed 42", drawn=len(plan.chains), digest=plan.digest[:16], seconds=round(seconds, 1),
        of_60=round(seconds / 60, 3), peak_mib=round(mib), of_1024=round(mib / 1024, 3))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
