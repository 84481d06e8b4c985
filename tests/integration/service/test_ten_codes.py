"""The ten Russian codes in a real graph: contexts, what they give away, chains.

What needs them in the graph stands together, so that one worker reads and loads them and not three.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import httpx
import networkx
import pytest

from loaders.corpus import BuiltCorpus
from service.chains import chain_faults, chains_of, content_graph, make_plan, read_chain_graph, template
from service.chains._exact import count_by_first_relation
from service.chains._tally import estimated_tally, exact_tally
from service.chains._walks import Walks
from service.context import chunk_order
from service.domain import Depth, RelationType, TaskType
from service.graph.address import GraphAddress
from service.graph.content import CorpusContent
from service.graph.opening import open_graph
from tests.integration.service.conftest import environment_for, serving, settings_for
from tests.integration.service.test_chains import counted, version_of
from tests.integration.service.test_nothing_betrayed import coverages, hold

pytestmark = [pytest.mark.graph, pytest.mark.data, pytest.mark.slow, pytest.mark.anyio]


class Reference:
    """The walk of mhgb.md 6, written down a second time over the relations in memory."""

    def __init__(self, content: CorpusContent) -> None:
        self.cost = {one.ref: max(1, len(one.text) // 3) for one in content.articles}
        self.outgoing: defaultdict[str, list[str]] = defaultdict(list)
        self.incoming: defaultdict[str, list[str]] = defaultdict(list)
        for one in content.relations:  # in the order of their ordinals
            self.outgoing[one.source_id].append(one.target_id)
            self.incoming[one.target_id].append(one.source_id)

    def walk(self, seeds: list[str], budget: int, most: int) -> tuple[list[str], int]:
        tokens = sum(self.cost[seed] for seed in seeds)
        taken = list(seeds)
        seen = set(seeds)
        walk = [norm for seed in seeds for norm in (*self.outgoing[seed], *self.incoming[seed])]
        for norm in walk:
            if norm in seen:
                continue
            seen.add(norm)
            if len(taken) >= most or tokens + self.cost[norm] > budget:
                break
            taken.append(norm)
            tokens += self.cost[norm]
        return taken, tokens


def test_contexts_of_200_pairs(graph_address: GraphAddress, real: BuiltCorpus) -> None:
    content = real.content
    reference = Reference(content)
    generator = random.Random(20_261_130)
    related = [(one.source_id, one.target_id) for one in generator.sample(content.relations, 100)]
    any_two = [tuple(one.ref for one in generator.sample(content.articles, 2)) for _ in range(100)]
    requests = []
    for seeds in (*related, *any_two):
        budget, most = generator.choice([(40_000, 25), (27_000, 25), (3_000, 10), (200, 4)])
        requests.append({"norm_id": list(seeds), "token_budget": budget, "max_chunks": most, "corpus": "ru"})

    def ask() -> list[httpx.Response]:
        with serving(environment_for(graph_address)) as (url, _), httpx.Client(base_url=url, timeout=60) as client:
            return [client.get("/v1/context", params=request) for request in requests]

    with serving(environment_for(graph_address)) as (url, _), httpx.Client(base_url=url, timeout=60) as client:
        first = [client.get("/v1/context", params=request) for request in requests]
        for request, answer in zip(requests[:20], first, strict=False):
            again = client.get("/v1/context", params=request, headers={"if-none-match": answer.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            posted = client.post("/v1/context", json=request, headers={"if-none-match": answer.headers["etag"]})
            assert (posted.status_code, posted.content) == (200, answer.content)
        second = ask()  # another process, while the first one lives
    third = ask()  # after a restart
    for request, *answers in zip(requests, first, second, third, strict=True):
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1
        assert len({answer.headers["etag"] for answer in answers}) == 1
        context = answers[0].json()
        seeds = list(request["norm_id"])
        wanted, tokens = reference.walk(seeds, request["token_budget"], request["max_chunks"])
        assert [chunk["norm_id"] for chunk in context["chunks"]] == chunk_order(wanted, ",".join(seeds))
        assert context["tokens"] == tokens
        assert set(seeds) <= {chunk["norm_id"] for chunk in context["chunks"]}
        assert len(wanted) == len(seeds) or (
            context["tokens"] <= request["token_budget"] and len(wanted) <= request["max_chunks"]
        )
    # One more seed text changes the order and nothing else.
    assert sorted(chunk_order(range(9), "a")) == sorted(chunk_order(range(9), "b"))


def test_nothing_betrayed_over_200_pairs(graph_address: GraphAddress, real: BuiltCorpus) -> None:
    drawn = random.Random(20_261_130).sample(real.content.relations, 200)
    with serving(environment_for(graph_address)) as (url, _), httpx.Client(base_url=url, timeout=60) as client:
        hold(coverages(client, "ru", [(one.source_id, one.target_id) for one in drawn]))


async def test_chains_of_civil_and_family_code(graph_address: GraphAddress, real: BuiltCorpus) -> None:
    """On ГК and СК of the real graph the templates, the counter and networkx agree up to four norms."""
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


async def test_300_chains(graph_address: GraphAddress, real: BuiltCorpus) -> None:
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
