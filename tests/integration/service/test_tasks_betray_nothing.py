"""The participants `marker` and `hub` on task sets: the sample, and chains drawn from the graph."""

from __future__ import annotations

import httpx

from loaders.corpus import BuiltCorpus
from service.chains import content_graph, make_plan
from service.domain import Mode
from service.tasks import sample_fabulas
from tests.integration.service.test_nothing_betrayed import PARTICIPANTS, coverages
from tests.participants import everything


def hold(http: httpx.Client, chains: list[tuple[str, ...]], corpus: str = "sample") -> None:
    found = coverages(http, corpus, chains)  # type: ignore[arg-type]
    default = found["full_graph"]
    for name in PARTICIPANTS:
        assert all(one <= other for one, other in zip(default[name], default[everything.__name__], strict=True)), name


def test_the_sample_set(http: httpx.Client) -> None:
    hold(http, [fabula.task(Mode.OPEN).norm_ids for fabula in sample_fabulas()])


def test_chains_of_every_cell(http: httpx.Client, sample: BuiltCorpus) -> None:
    plan = make_plan(content_graph(sample.content), wanted=60, draws=50)
    hold(http, [chain.norms for chain in plan.chains])
