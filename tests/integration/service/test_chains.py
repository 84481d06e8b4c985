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
from service.domain import Depth, TaskType
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
