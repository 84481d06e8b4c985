"""Counts against a reference of ten lines, estimates against exact counts."""

from __future__ import annotations

from collections import Counter

import networkx
import numpy as np
import pytest

from loaders.corpus import build_sample
from service.chains import ChainGraph, ChainNorm, cell_tallies, content_graph, template
from service.chains._exact import chains_from, count_by_first_relation
from service.chains._graph import _chain_graph
from service.chains._tally import estimated_tally, exact_tally
from service.chains._walks import Walks
from service.domain import Depth, RelationType, TaskType
from service.graph.content import CorpusContent


@pytest.fixture(scope="module")
def content() -> CorpusContent:
    return build_sample().content


@pytest.fixture(scope="module")
def graph(content: CorpusContent) -> ChainGraph:
    return content_graph(content)


def reference(content: CorpusContent, task_type: TaskType, length: int) -> Counter[tuple[str, str | None, str | None]]:
    """Chains by act of the first norm, act of the second, and type of the first relation, from networkx."""
    net = networkx.DiGraph()
    norms = {a.ref: a for a in content.articles if not a.repealed and len(a.text) >= 100}
    net.add_nodes_from(norms)
    net.add_edges_from(
        (r.source_id, r.target_id, {"t": r.type}) for r in content.relations if {r.source_id, r.target_id} <= set(norms)
    )
    chains: list[list[str]] = [[norm] for norm in net]
    for _ in range(length - 1):
        chains = [[*chain, new] for chain in chains for new in net[chain[-1]] if new not in chain]
    first = template(task_type, Depth.MEDIUM).first
    dated = 0 if task_type is not TaskType.TEMPORAL_VALIDITY else min(2, length)
    kept = [c for c in chains if length == 1 or net[c[0]][c[1]]["t"] in first]
    kept = [c for c in kept if sum(norms[n].valid_from is not None for n in c) >= dated]
    return Counter(
        (norms[c[0]].act, norms[c[1]].act if length > 1 else None, net[c[0]][c[1]]["t"] if length > 1 else None)
        for c in kept
    )


def test_every_exact_count_is_that_of_the_reference(content: CorpusContent, graph: ChainGraph) -> None:
    checked = 0
    for (task_type, _), tallies in cell_tallies(graph, seed=1, draws=50).items():
        for tally in tallies:
            if tally.length > 6:
                continue
            expected = reference(content, task_type, tally.length)
            found: Counter[tuple[str, str | None, str | None]] = Counter()
            for stratum in tally.strata:
                found[stratum.act, stratum.to_act, stratum.relation] += tally.figure(
                    lambda one, s=stratum: one == s
                ).count
            assert found == expected
            assert tally.figure().exact
            checked += sum(expected.values())
    assert checked > 5000


@pytest.mark.parametrize("dated", [0, 2])
@pytest.mark.parametrize("length", [3, 4, 5, 6])
def test_an_estimate_covers_the_exact_figure(graph: ChainGraph, length: int, dated: int) -> None:
    first = frozenset(RelationType)
    exact = exact_tally(graph, length, count_by_first_relation(graph, length, dated)[length].tolist(), first).figure()
    covered = 0
    for seed in range(20):
        estimate = estimated_tally(
            graph, Walks(graph, length, dated), length, first, seed=str(seed), draws=150
        ).figure()
        assert estimate.low <= estimate.count <= estimate.high
        covered += estimate.low <= exact.count <= estimate.high
    # 95 % each: fewer than 16 of 20 has a probability below 0.3 %, and the seeds are fixed.
    assert covered >= 16


def test_an_act_with_few_walks_is_counted_and_not_estimated(graph: ChainGraph) -> None:
    first = frozenset(RelationType)
    walks = Walks(graph, 4)
    tally = estimated_tally(graph, walks, 4, first, seed="x", draws=10**6)
    exact = exact_tally(graph, 4, count_by_first_relation(graph, 4)[4].tolist(), first)
    assert tally.figure() == exact.figure()
    assert tally.figure().exact


def test_walks_of_a_circle_are_counted_but_no_chains() -> None:
    norms = [ChainNorm(f"A_{number}", "A", None, None, None) for number in (1, 2)]
    kind = RelationType.REFERS_TO
    graph = _chain_graph(norms, [("A_1", "A_2", kind), ("A_2", "A_1", kind)])
    space = Walks(graph, 3).space([0, 1], 3)
    assert space.size == 2
    assert list(space.chains()) == []
    assert count_by_first_relation(graph, 3)[3].tolist() == [0, 0]


def test_a_hub_is_expanded_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.chains._exact._ROWS", 50)
    kind = RelationType.REFERS_TO
    spokes = [f"A_{number}" for number in range(2, 62)]
    norms = [ChainNorm(ref, "A", None, None, None) for ref in ["A_1", *spokes]]
    graph = _chain_graph(norms, [edge for spoke in spokes for edge in (("A_1", spoke, kind), (spoke, "A_1", kind))])
    counts = count_by_first_relation(graph, 4)
    assert counts[3].sum() == 60 * 59
    assert counts[4].sum() == 0
    assert len(set(chains_from(graph, list(range(120)), 3))) == 60 * 59


def test_a_dense_graph_is_estimated_where_counting_would_not_end(
    graph: ChainGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.chains._plan.EXACT_WALKS", 1)
    tallies = cell_tallies(graph, seed=1, draws=50)[TaskType.ISSUE_SPOTTING, Depth.DEEP]
    assert all(tally.figure().count > 0 for tally in tallies[:2])


def test_counts_beyond_64_bits_stay_whole() -> None:
    kind = RelationType.REFERS_TO
    refs = [f"A_{number}" for number in range(1, 130)]
    norms = [ChainNorm(ref, "A", None, "2000-01-01", None) for ref in refs]
    graph = _chain_graph(norms, [(one, other, kind) for one in refs for other in refs if one != other])
    walks = Walks(graph, 10, 2)
    assert walks.space(range(len(graph.types)), 10).size == 129 * 128**9
    assert np.iinfo(np.int64).max < 129 * 128**9
