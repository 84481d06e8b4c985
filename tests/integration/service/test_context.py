"""Open-book context against contexts computed by hand, and against the rule written down a second time."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from itertools import chain

import pytest

from loaders.corpus import BuiltCorpus
from service.context import Configuration, ContextRequest, build_context, chunk_order
from service.domain import (
    Act,
    Article,
    DateBasis,
    Jurisdiction,
    Language,
    Paragraph,
    Relation,
    RelationSource,
    RelationType,
)
from service.errors import NotFoundError
from service.graph.address import GraphAddress
from service.graph.catalog import corpus_uid
from service.graph.content import CorpusContent, CorpusInfo, corpus_content
from service.graph.opening import open_graph
from tests.integration.service.conftest import put, settings_for

pytestmark = [pytest.mark.graph, pytest.mark.anyio]

R = RelationType
INFO = CorpusInfo(title="По руке", official=False, licence="Apache-2.0", source="tests")


def article(act: str, number: str, tokens: int, **more: object) -> Article:
    text = "я" * (tokens * 3)
    return Article(act, number, f"О {number}", (), text, (Paragraph(0, len(text)),), **more)  # type: ignore[arg-type]


def relation(source: str, target: str, kind: RelationType) -> Relation:
    return Relation(source, target, kind, RelationSource.CITATION, 1.0, "так сказано")


# Two acts. Tokens are chosen so that budgets cut at known places.
TINY = corpus_content(
    INFO,
    [Act(key, key, Jurisdiction.RU, Language.RU, None, ("complete",)) for key in ("А", "Б")],
    [
        article("А", "1", 10),
        article("А", "2", 20),
        article("А", "2.1", 30, valid_from="2010-01-01", valid_from_basis=DateBasis.STATED),
        article("А", "3", 40, valid_from="2021-05-05", valid_from_basis=DateBasis.STATED),
        article("А", "10", 50, valid_from="2021-05-05", valid_from_basis=DateBasis.AMENDMENT),
        article("Б", "1", 60),
        article("Б", "2", 70, repealed=True, valid_to="2015-01-01"),
        article("Б", "3", 0),
    ],
    [
        # Ordinals: by type (REFERS_TO, APPLIES_TO, EXCLUDES, …), then target, then source.
        relation("А_1", "А_10", R.REFERS_TO),  # 0
        relation("Б_1", "А_10", R.REFERS_TO),  # 1
        relation("А_1", "Б_1", R.REFERS_TO),  # 2
        relation("А_2", "Б_1", R.REFERS_TO),  # 3
        relation("А_3", "А_1", R.APPLIES_TO),  # 4
        relation("А_1", "А_2", R.APPLIES_TO),  # 5
        relation("А_1", "А_2.1", R.EXCLUDES),  # 6
        relation("Б_2", "А_1", R.SUPPLEMENTS),  # 7
        relation("А_10", "А_1", R.PREVAILS_OVER),  # 8
    ],
)


@dataclass(frozen=True)
class Case:
    """A request and, by hand: the norms before the shuffle, the tokens, how many were left out."""

    seeds: tuple[str, ...]
    wanted: tuple[str, ...]
    tokens: int
    left_out: int = 0
    budget: int = 40_000
    most: int = 25
    as_of: str | None = None
    gone: int = 0
    unknown: int = 0


CASES = {
    # Outgoing by ordinal: А_10 (0), Б_1 (2), А_2 (5), А_2.1 (6); incoming: А_3 (4), Б_2 (7), А_10 again (8).
    "one seed, everything": Case(("А_1",), ("А_1", "А_10", "Б_1", "А_2", "А_2.1", "А_3", "Б_2"), 280),
    "a seed without relations": Case(("Б_3",), ("Б_3",), 1),
    "two seeds, first mention wins": Case(("А_2", "А_1"), ("А_2", "А_1", "Б_1", "А_10", "А_2.1", "А_3", "Б_2"), 280),
    "the other order of the seeds": Case(("А_1", "А_2"), ("А_1", "А_2", "А_10", "Б_1", "А_2.1", "А_3", "Б_2"), 280),
    "incoming only": Case(("А_2.1",), ("А_2.1", "А_1"), 40),
    "max_chunks counts seeds": Case(("А_1",), ("А_1", "А_10", "Б_1"), 120, left_out=4, most=3),
    # 10 + 50 = 60, the next costs 60: past 100. А_2 (20) would fit, but the walk has stopped.
    "the budget stops at the first that does not fit": Case(("А_1",), ("А_1", "А_10"), 60, left_out=5, budget=100),
    "a budget met exactly": Case(("А_1",), ("А_1", "А_10", "Б_1"), 120, left_out=4, budget=120),
    "seeds are in past either budget": Case(("Б_1", "Б_2"), ("Б_1", "Б_2"), 130, left_out=3, budget=5, most=1),
    # 2014: А_3 was not in force yet, by a stated date; А_10 by amendment, А_1 and others without a date: unknown.
    "as_of leaves out what was not in force": Case(
        ("А_1",), ("А_1", "А_10", "Б_1", "А_2", "А_2.1", "Б_2"), 240, as_of="2014-01-01", gone=1, unknown=5
    ),
    "as_of after an end": Case(
        ("А_1",), ("А_1", "А_10", "Б_1", "А_2", "А_2.1", "А_3"), 210, as_of="2022-01-01", gone=1, unknown=4
    ),
}


@pytest.fixture(scope="module")
def tiny(graph_address: GraphAddress) -> CorpusContent:
    put(graph_address, BuiltCorpus("tiny", TINY, (), {}))
    return TINY


@pytest.mark.parametrize("name", CASES)
async def test_a_context_is_the_one_computed_by_hand(
    graph_address: GraphAddress, tiny: CorpusContent, name: str
) -> None:
    case = CASES[name]
    order_key = ",".join(case.seeds)
    async with open_graph(settings_for(graph_address)) as store:
        context = await build_context(
            store,
            ContextRequest(
                corpus_uid=corpus_uid("tiny", tiny.version),
                seeds=case.seeds,
                order_key=order_key,
                token_budget=case.budget,
                max_chunks=case.most,
                as_of=case.as_of,
            ),
            language_of=lambda _: Language.RU,
        )
    assert [chunk.norm_id for chunk in context.chunks] == chunk_order(case.wanted, order_key)
    assert context.tokens == case.tokens
    assert (context.left_out, context.truncated) == (case.left_out, case.left_out > 0)
    assert (context.not_in_force, context.unknown_force) == (case.gone, case.unknown)


def test_the_order_is_that_of_the_specification() -> None:
    # mhgb.md 6: SHA-256 as an integer, modulo 2^32, seeds random.Random, whose shuffle is applied.
    generator = random.Random(int(hashlib.sha256("т_open".encode()).hexdigest(), 16) % 4294967296)
    wanted = list(range(20))
    generator.shuffle(wanted)
    assert chunk_order(range(20), "т_open") == wanted


async def test_lines_of_either_configuration(graph_address: GraphAddress, tiny: CorpusContent) -> None:
    lines = {}
    async with open_graph(settings_for(graph_address)) as store:
        for configuration in Configuration:
            context = await build_context(
                store,
                ContextRequest(corpus_uid("tiny", tiny.version), ("А_1", "А_2"), "k", configuration, max_chunks=5),
                language_of=lambda _: Language.RU,
            )
            lines[configuration] = {chunk.norm_id: chunk.relation_lines for chunk in context.chunks}
            for told in chain.from_iterable(lines[configuration].values()):
                assert told in context.text
    assert set(lines[Configuration.FULL_GRAPH].values()) == {()}
    assert lines[Configuration.FULL_GRAPH_EDGES] == {
        "А_1": (),
        "А_2": (),
        "А_10": ("Связь «ссылается на» между [А_10] и [А_1].",),
        "Б_1": ("Связь «ссылается на» между [Б_1] и [А_1].",),
        "А_2.1": ("Связь «исключает» между [А_2.1] и [А_1].",),
    }
    assert lines[Configuration.FULL_GRAPH_RELATIONS] == {
        "А_1": (
            "Связь «ссылается на» между [А_1] и [А_10].",
            "Связь «ссылается на» между [А_1] и [Б_1].",
            "Связь «применяется к» между [А_1] и [А_2].",
            "Связь «исключает» между [А_1] и [А_2.1].",
            "Связь «приоритет» между [А_1] и [А_10].",
        ),
        "А_2": ("Связь «ссылается на» между [А_2] и [Б_1].",),
        "А_2.1": (),
        "А_10": ("Связь «ссылается на» между [А_10] и [Б_1].",),
        "Б_1": (),
    }


async def test_a_seed_that_is_not_there_is_named(graph_address: GraphAddress, tiny: CorpusContent) -> None:
    async with open_graph(settings_for(graph_address)) as store:
        with pytest.raises(NotFoundError, match="'А_4'"):
            await build_context(
                store,
                ContextRequest(corpus_uid("tiny", tiny.version), ("А_1", "А_4"), "k"),
                language_of=lambda _: Language.RU,
            )
