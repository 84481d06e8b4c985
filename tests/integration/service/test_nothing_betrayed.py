"""What the default context gives away to participants that read no law: no more than naming every chunk (mhgb.md 6)."""

from __future__ import annotations

import random
import statistics
import sys

import httpx
import pytest

from loaders.corpus import BuiltCorpus
from service.context import Configuration
from tests.participants import everything, hub, marker, norm_coverage

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

PARTICIPANTS = {"marker": marker, "hub": hub, "everything": everything}


def coverages(client: httpx.Client, corpus: str, pairs: list[tuple[str, str]]) -> dict[str, dict[str, list[float]]]:
    """Each participant's NC for every pair under every configuration."""
    found: dict[str, dict[str, list[float]]] = {}
    for configuration in Configuration:
        of_one = found.setdefault(configuration, {name: [] for name in PARTICIPANTS})
        for pair in pairs:
            asked = {"norm_id": list(pair), "configuration": configuration.value, "corpus": corpus}
            answer = client.post("/v1/context", json=asked)
            assert answer.status_code == 200, answer.text
            for name, participant in PARTICIPANTS.items():
                of_one[name].append(norm_coverage(participant(answer.json()["chunks"]), pair))
    return found


def hold(found: dict[str, dict[str, list[float]]]) -> None:
    for configuration, of_one in found.items():
        means = {name: round(statistics.fmean(values), 4) for name, values in of_one.items()}
        sys.stdout.write(f"{configuration}: mean NC {means}\n")
    default = found[Configuration.FULL_GRAPH]
    for name in ("marker", "hub"):
        assert all(one <= other for one, other in zip(default[name], default["everything"], strict=True)), name
    # The same participants do find the seeds where lines betray them: they would notice a leak.
    marked = found[Configuration.FULL_GRAPH_EDGES]
    assert statistics.fmean(marked["marker"]) > 1.5 * statistics.fmean(marked["everything"])
    related = found[Configuration.FULL_GRAPH_RELATIONS]
    assert statistics.fmean(related["hub"]) > statistics.fmean(related["everything"])


def test_over_the_sample(http: httpx.Client, sample: BuiltCorpus) -> None:
    drawn = random.Random(20_261_130).sample(sample.content.relations, 100)
    hold(coverages(http, "sample", [(one.source_id, one.target_id) for one in drawn]))
