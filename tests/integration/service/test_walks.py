"""Paths, neighbourhoods and what stands between two norms, against plain networkx and over HTTP."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import networkx as nx
import pytest

from loaders.corpus import BuiltCorpus, build_corpus
from loaders.statutes import load_statutes
from service.api import schemas
from service.domain import RELATION_TYPES, Family, RelationType
from service.graph.address import GraphAddress
from service.graph.catalog import corpus_uid
from service.graph.content import CorpusContent, CorpusInfo, ref_sort_key
from service.graph.neighbourhood import NeighbourhoodRequest, find_between, find_neighbourhood
from service.graph.opening import open_graph
from service.graph.paths import PathRequest, find_paths
from service.graph.store import GraphStore
from tests.integration.service.conftest import settings_for, temporarily
from tests.integration.service.reference import graph_of, simple_paths

pytestmark = [pytest.mark.graph, pytest.mark.anyio]

EVERY = 1_000_000
DOCTRINAL = tuple(one for one in RELATION_TYPES if one.family is Family.DOCTRINAL)


@pytest.fixture
async def store(graph_address: GraphAddress, loaded: BuiltCorpus) -> AsyncIterator[GraphStore]:
    async with open_graph(settings_for(graph_address)) as opened:
        yield opened


def uid_of(content: CorpusContent, key: str = "sample") -> str:
    return corpus_uid(key, content.version)


def pairs_of(graph: nx.DiGraph, *, seed: int, count: int) -> list[tuple[str, str]]:
    """Ends drawn among related norms: half of them at random, half at the two ends of a short walk."""
    generator = random.Random(seed)
    edges = sorted(graph.edges)
    related = sorted({ref for edge in edges for ref in edge})
    pairs = []
    while len(pairs) < count:
        start, end = generator.sample(related, 2)
        if len(pairs) % 2:
            start, end = generator.choice(edges)
            for _ in range(generator.randrange(3)):
                end = generator.choice(sorted(graph[end]) or [end])
        if start != end:
            pairs.append((start, end))
    return pairs


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "any"])
@pytest.mark.parametrize("types", [RELATION_TYPES, DOCTRINAL], ids=["all", "doctrinal"])
async def test_paths_of_the_sample_are_those_of_networkx(
    store: GraphStore, sample: BuiltCorpus, directed: bool, types: tuple[RelationType, ...]
) -> None:
    graph = graph_of(sample.content, types)
    reference = graph if directed else graph.to_undirected()
    hops = 6 if directed or types == DOCTRINAL else 4
    with_paths = 0
    for start, end in pairs_of(graph, seed=7, count=40):
        asked = PathRequest(
            uid_of(sample.content), start, end, hops, types, directed, limit=EVERY, relations=EVERY, steps=EVERY
        )
        found = await find_paths(store, asked)
        wanted = simple_paths(reference, start, end, hops)
        assert list(found.paths) == wanted, (start, end)
        assert (found.truncated, found.complete_to) == (None, hops)
        with_paths += bool(wanted)
    assert with_paths >= 20


async def test_a_limit_keeps_the_first_ones_and_says_so(store: GraphStore, sample: BuiltCorpus) -> None:
    reference = graph_of(sample.content).to_undirected()
    start, end = next(
        pair
        for pair in pairs_of(graph_of(sample.content), seed=3, count=400)
        if len(simple_paths(reference, *pair, 3)) > 8 and len(simple_paths(reference, *pair, 2)) in range(1, 5)
    )
    wanted = simple_paths(reference, start, end, 3)
    found = await find_paths(store, PathRequest(uid_of(sample.content), start, end, 3, directed=False, limit=5))
    assert list(found.paths) == wanted[:5]
    assert (found.truncated, found.complete_to) == ("limit", 2)
    whole = await find_paths(
        store, PathRequest(uid_of(sample.content), start, end, 3, directed=False, limit=len(wanted))
    )
    assert (list(whole.paths), whole.truncated, whole.complete_to) == (wanted, None, 3)


async def test_a_budget_ends_the_search_and_says_how_far_it_is_complete(store: GraphStore, sample: BuiltCorpus) -> None:
    reference = graph_of(sample.content).to_undirected()
    hub = max(reference.degree, key=lambda pair: pair[1])[0]
    distances = nx.single_source_shortest_path_length(reference, hub)
    far = max((ref for ref in distances if distances[ref] == 3), key=lambda ref: (reference.degree[ref], ref))
    for budget in (1, 20, 100, 300, 5000):
        asked = PathRequest(uid_of(sample.content), hub, far, 4, directed=False, limit=EVERY, relations=budget)
        found = await find_paths(store, asked)
        assert found.relations_read <= budget + 1
        complete = simple_paths(reference, hub, far, found.complete_to)
        assert list(found.paths) == complete
        assert (found.truncated is None) == (found.complete_to == 4)
    few = PathRequest(uid_of(sample.content), hub, far, 4, directed=False, limit=EVERY, steps=5)
    walked = await find_paths(store, few)
    assert walked.truncated == "steps"
    assert list(walked.paths) == simple_paths(reference, hub, far, 4)[: len(walked.paths)]


async def test_neighbourhoods_are_those_of_networkx(store: GraphStore, sample: BuiltCorpus) -> None:
    graph = graph_of(sample.content)
    for direction, reference in (("both", graph.to_undirected()), ("outgoing", graph), ("incoming", graph.reverse())):
        for ref in ("ГК_15", "СК_34", "КоАП_1.5" if "КоАП_1.5" in graph else "ГК_1"):
            if ref not in graph:
                continue
            for depth in (1, 2, 3):
                found = await find_neighbourhood(
                    store, NeighbourhoodRequest(uid_of(sample.content), ref, depth, direction=direction, limit=EVERY)
                )
                wanted = nx.single_source_shortest_path_length(reference, ref, cutoff=depth)
                assert found.distances == wanted
                assert list(found.distances) == sorted(wanted, key=lambda one: (wanted[one], ref_sort_key(one)))
                edges = {(row["source"]["ref"], row["target"]["ref"]) for row in found.relations}
                assert edges == set(graph.subgraph(wanted).edges)
                assert found.truncated is None


async def test_a_capped_neighbourhood_keeps_the_nearest(store: GraphStore, sample: BuiltCorpus) -> None:
    asked = NeighbourhoodRequest(uid_of(sample.content), "ГК_15", 3, limit=EVERY)
    whole = await find_neighbourhood(store, asked)
    capped = await find_neighbourhood(store, NeighbourhoodRequest(uid_of(sample.content), "ГК_15", 3, limit=7))
    assert list(capped.distances) == list(whole.distances)[:7]
    assert (capped.truncated, capped.found) == ("limit", len(whole.distances))
    poor = await find_neighbourhood(store, NeighbourhoodRequest(uid_of(sample.content), "ГК_15", 3, relations=8))
    assert poor.truncated == "relations_read"
    assert poor.complete_to < 3


async def test_between_is_that_of_networkx(store: GraphStore, sample: BuiltCorpus) -> None:
    reference = graph_of(sample.content).to_undirected()
    shared_somewhere = 0
    for one, other in pairs_of(graph_of(sample.content), seed=11, count=30):
        found = await find_between(store, uid_of(sample.content), one, other, as_of=None, limit=EVERY, relations=EVERY)
        shared = sorted(set(reference[one]) & set(reference[other]), key=ref_sort_key)
        assert list(found.shared) == shared
        assert found.shared_found == len(shared)
        shared_somewhere += bool(shared)
        wanted = simple_paths(reference, one, other, 6)[:1] if nx.has_path(reference, one, other) else []
        assert list(found.path.paths) == wanted
    assert shared_somewhere


@pytest.mark.data
@pytest.mark.slow
async def test_paths_between_two_real_codes_are_those_of_networkx(graph_address: GraphAddress, data: Path) -> None:
    texts = [one for one in load_statutes(data / "ru-statutes", "ru") if one.act.key in ("ГК", "СК")]
    info = CorpusInfo(title="ГК and СК", official=False, licence="", source="")
    built = build_corpus("gksk", info, texts)
    graph = graph_of(built.content)
    uid = uid_of(built.content, "gksk")
    async with open_graph(settings_for(graph_address)) as store, temporarily(store, "gksk", built.content):
        generator = random.Random(5)
        civil = sorted(ref for ref in graph if ref.startswith("ГК_") and graph.degree(ref))
        family = sorted(ref for ref in graph if ref.startswith("СК_") and graph.degree(ref))
        crossing = sorted((a, b) for a, b in graph.edges if a.split("_")[0] != b.split("_")[0])
        pairs = [(generator.choice(civil), generator.choice(family)) for _ in range(20)] + crossing[:20]
        found_some = 0
        for directed, hops in ((True, 6), (False, 4)):
            reference = graph if directed else graph.to_undirected()
            for start, end in pairs:
                asked = PathRequest(uid, start, end, hops, directed=directed, limit=EVERY, relations=EVERY, steps=EVERY)
                found = await find_paths(store, asked)
                wanted = simple_paths(reference, start, end, hops)
                assert list(found.paths) == wanted, (start, end, directed)
                found_some += bool(wanted)
        assert found_some > 20
        reference = graph.to_undirected()
        for one, other in pairs:
            between = await find_between(store, uid, one, other, as_of=None, limit=EVERY, relations=EVERY)
            assert set(between.shared) == set(reference[one]) & set(reference[other])
            distance = nx.shortest_path_length(reference, one, other) if nx.has_path(reference, one, other) else 99
            assert len(between.path.paths[0]) - 1 == distance if distance <= 6 else not between.path.paths


def ok(http: httpx.Client, path: str, **parameters: object) -> dict:
    answer = http.get(path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_path_tells_each_step_in_words(http: httpx.Client, sample: BuiltCorpus) -> None:
    one = next(one for one in sample.content.relations if one.source_id.split("_")[0] != one.target_id.split("_")[0])
    answer = ok(http, "/v1/paths", **{"from": one.source_id, "to": one.target_id, "max_hops": 3})
    schemas.PathsView.model_validate(answer)
    assert answer["corpus"] == "sample"
    first = answer["items"][0]
    assert (first["hops"], first["steps"][0]["relations"][0]["explanation"]) == (1, one.explanation)
    assert [norm["norm_id"] for norm in first["norms"]] == [one.source_id, one.target_id]
    back = ok(http, "/v1/paths", **{"from": one.target_id, "to": one.source_id, "max_hops": 1, "directed": False})
    assert back["items"][0]["steps"][0]["relations"][-1]["source"]["norm_id"] == one.source_id


def test_between_tells_relations_either_way(http: httpx.Client, sample: BuiltCorpus) -> None:
    pairs = {(one.source_id, one.target_id) for one in sample.content.relations}
    a, b = min(pair for pair in pairs if pair[::-1] in pairs)
    answer = ok(http, "/v1/between", a=a, b=b)
    schemas.BetweenView.model_validate(answer)
    assert [(one["source"]["norm_id"], one["target"]["norm_id"]) for one in answer["relations"]] == [(a, b), (b, a)]
    assert answer["path"]["hops"] == 1
    for norm in answer["shared"]:
        assert norm["with_a"]
        assert norm["with_b"]


def test_a_neighbourhood_has_the_shape_that_the_document_says(http: httpx.Client) -> None:
    answer = ok(http, "/v1/articles/ст. 15 ГК/neighbourhood", depth=2, limit=20)
    schemas.NeighbourhoodView.model_validate(answer)
    assert answer["norms"][0]["norm_id"] == "ГК_15"
    assert {one["source"] for one in answer["relations"]} <= {one["norm_id"] for one in answer["norms"]}


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/v1/paths?from=ГК_15&to=СК_34&max_hops=99", 422, "max_hops 99 is not between 1 and 6"),
        ("/v1/paths?from=ГК_15&to=СК_34&max_hops=0", 422, "between 1 and 6"),
        ("/v1/paths?from=ГК_15&to=СК_34&limit=100000", 422, "LEXHOP_PATHS_MAX"),
        ("/v1/paths?from=ГК_15&to=ст. 15 ГК", 422, "both ends are 'ГК_15'"),
        ("/v1/paths?from=ГК_15&to=ГК_99999", 404, "no norm 'ГК_99999'"),
        ("/v1/paths?from=ГК_15&to=СК_34&as_of=yesterday", 422, "'yesterday' is not a date"),
        ("/v1/paths?from=ГК_15&to=СК_34&types=LOVES", 422, "types"),
        ("/v1/paths?from=ГК_15", 422, "to"),
        ("/v1/between?a=ГК_15&b=ГК_15", 422, "both norms are 'ГК_15'"),
        ("/v1/between?a=ГК_15&b=СК_34&as_of=2020-02-30", 422, "'2020-02-30' is not a date"),
        ("/v1/articles/ГК_15/neighbourhood?depth=9", 422, "depth 9 is not between 1 and 3"),
        ("/v1/articles/ГК_15/neighbourhood?limit=9999", 422, "LEXHOP_NORMS_MAX"),
    ],
)
def test_bad_questions_are_told_by_name(http: httpx.Client, path: str, status: int, said: str) -> None:
    answer = http.get(path)
    assert answer.status_code == status, answer.text
    assert said in answer.json()["detail"]


def test_as_of_leaves_norms_out_of_walks(http: httpx.Client) -> None:
    then = ok(http, "/v1/articles/ГК_15/neighbourhood", depth=2, as_of="1900-01-01")
    assert {one["in_force"] for one in then["norms"][1:]} <= {"unknown"}
    assert then["unknown_force"] == sum(one["in_force"] == "unknown" for one in then["norms"])
    now = ok(http, "/v1/articles/ГК_15/neighbourhood", depth=2)
    assert len(now["norms"]) > len(then["norms"])
