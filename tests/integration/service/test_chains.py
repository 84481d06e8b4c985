"""Chains by Cypher and by count: the templates list exactly what is counted, and every chain drawn is in the graph."""

from __future__ import annotations

from collections import Counter

import pytest

from loaders.corpus import BuiltCorpus
from service.chains import (
    ChainGraph,
    chain_faults,
    chains_of,
    content_graph,
    make_plan,
    read_chain_graph,
    template,
)
from service.chains._exact import count_by_first_relation
from service.chains._tally import estimated_tally, exact_tally
from service.chains._walks import Walks
from service.domain import Depth, RelationType, TaskType
from service.errors import InputError, NotFoundError
from service.graph.address import GraphAddress
from service.graph.catalog import CorpusVersion, read_catalog
from service.graph.opening import open_graph
from service.graph.store import GraphStore
from tests.integration.service.conftest import settings_for

pytestmark = [pytest.mark.graph, pytest.mark.anyio]


def counted(graph: ChainGraph, task_type: TaskType, depth: Depth, length: int) -> Counter[tuple[str, str]]:
    """Chains of a length by first two norms, as the counter has them."""
    asked = template(task_type, depth)
    counts = count_by_first_relation(graph, length, asked.dated)[length].tolist()
    found: Counter[tuple[str, str]] = Counter()
    for place, count in enumerate(counts):
        if count and graph.types[place] in asked.first:
            found[graph.norms[int(graph.source[place])].ref, graph.norms[int(graph.target[place])].ref] = count
    return found


async def version_of(store: GraphStore, built: BuiltCorpus) -> CorpusVersion:
    return (await read_catalog(store)).find(built.key, built.content.version)


async def test_templates_list_what_is_counted(graph_address: GraphAddress, loaded: BuiltCorpus) -> None:
    async with open_graph(settings_for(graph_address)) as store:
        version = await version_of(store, loaded)
        graph = await read_chain_graph(store, version)
        assert graph.norms == content_graph(loaded.content).norms
        assert graph.types == content_graph(loaded.content).types
        starts = [norm.ref for norm in graph.norms]
        for task_type in TaskType:
            for depth in Depth:
                asked = template(task_type, depth)
                for length in asked.lengths:
                    found = await chains_of(store, version.uid, asked, length, starts, limit=100_000)
                    assert len({chain.norms for chain in found}) == len(found)
                    if length == 1:
                        dated = {norm.ref for norm in graph.norms if norm.valid_from or not asked.dated}
                        assert {chain.norms[0] for chain in found} == dated
                    else:
                        by_cypher = Counter(chain.norms[:2] for chain in found)
                        assert by_cypher == counted(graph, task_type, depth, length), (task_type, length)


async def test_every_chain_drawn_is_in_the_graph(graph_address: GraphAddress, loaded: BuiltCorpus) -> None:
    async with open_graph(settings_for(graph_address)) as store:
        version = await version_of(store, loaded)
        plan = make_plan(await read_chain_graph(store, version), wanted=300)
        asked = [(template(chain.task_type, chain.depth), chain.norms) for chain in plan.chains]
        assert await chain_faults(store, version.uid, asked) == [()] * len(asked)


async def test_faults_name_norm_and_remedy(graph_address: GraphAddress, loaded: BuiltCorpus) -> None:
    repealed = next(article.ref for article in loaded.content.articles if article.repealed)
    shallow = template(TaskType.ISSUE_SPOTTING, Depth.SHALLOW)
    medium = template(TaskType.CONFLICT_RESOLUTION, Depth.MEDIUM)
    async with open_graph(settings_for(graph_address)) as store:
        uid = (await version_of(store, loaded)).uid
        faults = await chain_faults(
            store, uid, [(shallow, [repealed]), (shallow, ["ГК_9999"]), (medium, ["ГК_15", "ГК_1079", "ГК_15"])]
        )
    assert f"{repealed!r} is repealed" in faults[0][0]
    assert "'ГК_9999' is not in this version" in faults[1][0]
    assert any("'ГК_15' stands twice" in fault for fault in faults[2])
    assert any("no relation" in fault for fault in faults[2])


async def test_lengths_and_acts_that_do_not_fit(graph_address: GraphAddress, loaded: BuiltCorpus) -> None:
    async with open_graph(settings_for(graph_address)) as store:
        version = await version_of(store, loaded)
        with pytest.raises(InputError, match="no chains of 7 norms"):
            await chains_of(store, version.uid, template(TaskType.ISSUE_SPOTTING, Depth.MEDIUM), 7, ["ГК_15"])
        with pytest.raises(NotFoundError, match="no act 'ПДД'"):
            await read_chain_graph(store, version, acts=frozenset({"ПДД"}))


@pytest.mark.data
@pytest.mark.slow
async def test_civil_and_family_code(graph_address: GraphAddress, real: BuiltCorpus) -> None:
    """On ГК and СК of the real graph the templates, the counter and networkx agree up to four norms."""
    import networkx

    async with open_graph(settings_for(graph_address)) as store:
        version = await version_of(store, real)
        graph = await read_chain_graph(store, version, acts=frozenset({"ГК", "СК"}))
        pairs = zip(graph.source.tolist(), graph.target.tolist(), strict=True)
        net = networkx.DiGraph([(graph.norms[one].ref, graph.norms[other].ref) for one, other in pairs])
        chains = [[one, other] for one, other in net.edges]
        starts = [norm.ref for norm in graph.norms]
        for length in (2, 3, 4):
            expected = Counter(tuple(chain[:2]) for chain in chains)
            depth = Depth.SHALLOW if length == 2 else Depth.MEDIUM
            for task_type in (TaskType.ISSUE_SPOTTING, TaskType.RULE_SELECTION, TaskType.CONFLICT_RESOLUTION):
                asked = template(task_type, depth)
                if length not in asked.lengths:
                    continue
                found = await chains_of(store, version.uid, asked, length, starts, acts=["ГК", "СК"], limit=1_000_000)
                numbers = counted(graph, task_type, depth, length)
                assert Counter(chain.norms[:2] for chain in found) == numbers
                if task_type is TaskType.ISSUE_SPOTTING:
                    assert numbers == expected
            chains = [[*chain, new] for chain in chains for new in net[chain[-1]] if new not in chain]
        assert len(chains) > 1000


@pytest.mark.data
@pytest.mark.slow
async def test_the_ten_codes(graph_address: GraphAddress, real: BuiltCorpus) -> None:
    """300 chains at seed 42, 25 a cell, margins at their targets, each in the graph; estimates cover exact figures."""
    async with open_graph(settings_for(graph_address)) as store:
        version = await version_of(store, real)
        graph = await read_chain_graph(store, version)
        plan = make_plan(graph, seed=42, wanted=300)
        asked = [(template(chain.task_type, chain.depth), chain.norms) for chain in plan.chains]
        assert await chain_faults(store, version.uid, asked) == [()] * 300
    assert [len(cell.chains) for cell in plan.cells] == [25] * 12
    assert len({chain.norms for chain in plan.chains}) == 300
    for cell in plan.cells:
        assert all(abs(share.drawn - share.target) <= 1 for share in cell.acts)
        assert all(abs(share.drawn - share.target) <= 2 for share in cell.relations)
        assert sum(share.target for share in cell.acts) == 25
        weights = {share.name: share.available.count**0.5 for share in cell.acts}
        for share in cell.acts:
            # By the square root, but for acts that have fewer chains than their share.
            ideal = 25 * weights[share.name] / sum(weights.values())
            assert abs(share.target - ideal) <= 1 or share.available.count < 25
        if cell.wide is not None:
            assert cell.wide.drawn == cell.wide.target == 18
    assert make_plan(content_graph(real.content), seed=42, wanted=300).digest == plan.digest

    first = frozenset(RelationType)
    for dated in (0, 2):
        walks = Walks(graph, 6, dated)
        exact = count_by_first_relation(graph, 6, dated)
        for length in (4, 5, 6):
            figure = exact_tally(graph, length, exact[length].tolist(), first).figure()
            estimate = estimated_tally(graph, walks, length, first, seed="42").figure()
            assert not estimate.exact
            assert estimate.low <= figure.count <= estimate.high
