"""Targets, margins, and the chains drawn from the sample."""

from __future__ import annotations

from collections import Counter

import pytest

from loaders.corpus import build_sample
from service.chains import ChainGraph, SamplingRules, content_graph, depth_of, make_plan, template
from service.chains._targets import apportion
from service.domain import Depth, TaskType
from service.errors import InputError


@pytest.fixture(scope="module")
def graph() -> ChainGraph:
    return content_graph(build_sample().content)


def test_largest_remainders_and_strata_that_run_dry() -> None:
    assert apportion({"a": 1.0, "b": 1.0, "c": 1.0}, {"a": 9, "b": 9, "c": 9}, 7) == {"a": 3, "b": 2, "c": 2}
    assert apportion({"a": 9.0, "b": 1.0, "c": 1.0}, {"a": 2, "b": 9, "c": 9}, 8) == {"a": 2, "b": 3, "c": 3}
    assert apportion({"a": 1.0, "b": 3.0}, {"a": 1, "b": 2}, 9) == {"a": 1, "b": 2}
    assert apportion({"a": 1.0, "b": 0.0}, {"a": 5, "b": 5}, 4) == {"a": 4, "b": 0}


def test_every_chain_is_one_under_its_template(graph: ChainGraph) -> None:
    plan = make_plan(graph, seed=7, wanted=120, draws=100)
    relations = {
        (graph.norms[s].ref, graph.norms[t].ref): kind
        for s, t, kind in zip(graph.source.tolist(), graph.target.tolist(), graph.types, strict=True)
    }
    for chain in plan.chains:
        asked = template(chain.task_type, chain.depth)
        assert len(chain.norms) in asked.lengths
        assert len(set(chain.norms)) == len(chain.norms)
        steps = [relations[pair] for pair in zip(chain.norms, chain.norms[1:], strict=False)]
        assert tuple(steps) == chain.relations
        assert not steps or steps[0] in asked.first
        assert sum(graph.norms[graph.place[norm]].valid_from is not None for norm in chain.norms) >= asked.dated
        assert bool(chain.dates) == (chain.task_type is TaskType.TEMPORAL_VALIDITY)
    for cell in plan.cells:
        assert len({chain.norms for chain in cell.chains}) == len(cell.chains)


def test_margins_are_met_by_precedence(graph: ChainGraph) -> None:
    for cell in make_plan(graph, seed=42, wanted=120, draws=100).cells:
        drawn = Counter(chain.norms[0].partition("_")[0] for chain in cell.chains)
        for share in cell.acts:
            assert drawn[share.name] == share.drawn
            assert abs(share.drawn - share.target) <= 1
        for share in cell.relations:
            assert abs(share.drawn - share.target) <= 2
        assert sum(share.target for share in cell.acts) == min(cell.wanted, cell.available.count)
        assert sum(share.drawn for share in cell.lengths) == len(cell.chains)


def test_the_same_seed_gives_the_same_chains_and_another_seed_others(graph: ChainGraph) -> None:
    one = make_plan(graph, seed=42, wanted=60, draws=100)
    assert make_plan(content_graph(build_sample().content), seed=42, wanted=60, draws=100).digest == one.digest
    assert make_plan(graph, seed=43, wanted=60, draws=100).digest != one.digest
    # Written down, so that another machine or Python that draws differently is noticed.
    assert one.digest[:16] == "ed81125f7127b237"


def test_chains_of_the_whole_set_are_distinct_while_there_are_enough(graph: ChainGraph) -> None:
    plan = make_plan(graph, seed=42, wanted=36, draws=100)
    assert len({chain.norms for chain in plan.chains}) == len(plan.chains)


def test_a_cell_that_cannot_be_filled_says_by_how_much(graph: ChainGraph) -> None:
    plan = make_plan(graph, seed=42, wanted=1_800, draws=100)
    cell = plan.cells[0]
    assert cell.wanted == 150
    assert cell.available.count == len(graph.norms) == len(cell.chains)
    assert cell.missing == 150 - len(graph.norms)


def test_depths() -> None:
    assert [depth_of(n) for n in (1, 2, 3, 4, 5, 10)] == [
        Depth.SHALLOW, Depth.SHALLOW, Depth.MEDIUM, Depth.MEDIUM, Depth.DEEP, Depth.DEEP,
    ]  # fmt: skip
    for norms in (0, 11):
        with pytest.raises(InputError, match=f"{norms} norms has no depth"):
            depth_of(norms)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"power": -1}, "power -1"),
        ({"power": float("nan")}, "power nan"),
        ({"branches_share": 1.5}, "branches_share 1.5"),
        ({"length_shares": {3: 1, 5: -0.1}}, "share -0.1 of length 5"),
        ({"length_shares": {3: float("nan"), 5: 1}}, "share nan of length 3"),
        ({"length_shares": {3: 1, 5: 1, 11: 1}}, "length 11"),
        ({"length_shares": {3: 1.0}}, "no length of depth 'deep'"),
        ({"length_shares": {3: 0.0, 4: 0.0, 5: 1.0}}, "no length of depth 'medium'"),
    ],
)
def test_impossible_weights_are_refused(rules: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        SamplingRules(**rules)  # type: ignore[arg-type]


def test_a_length_without_a_share_is_not_drawn(graph: ChainGraph) -> None:
    rules = SamplingRules(length_shares={3: 1.0, 5: 1.0, 6: 1.0})
    plan = make_plan(graph, seed=1, wanted=60, rules=rules, draws=100)
    assert {len(chain.norms) for chain in plan.chains} == {1, 2, 3, 5, 6}


def test_nothing_wanted_is_an_error(graph: ChainGraph) -> None:
    with pytest.raises(InputError, match="wanted 0"):
        make_plan(graph, wanted=0)
