"""Builds a context from the graph: the walk and its limits in Cypher, the shuffle and the wording here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from service.context.order import chunk_order, chunk_tokens
from service.context.rendering import Configuration, relation_line, render_context
from service.domain import Chunk, DateBasis, Language, NormId, RelationType, article_sort_key, split_norm_id
from service.errors import NotFoundError
from service.graph.queries import query
from service.graph.rows import norm_uid
from service.graph.store import GraphStore, Row

__all__ = ["Context", "ContextRequest", "build_context"]


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Everything that a context depends on, beside the graph.

    Attributes:
        corpus_uid: ``key@version``.
        seeds: Seed norms in task order, by their refs (``ГК_1064``, ``公司法@2018_25``), each once.
        order_key: Text whose hash decides the order of the chunks.
        token_budget: Tokens of all chunks, seeds counted; seeds are in even past it.
        max_chunks: Chunks in all, seeds counted; seeds are in even past it.
        as_of: ISO date; norms not in force then are left out, unless they are seeds. None filters nothing.
    """

    corpus_uid: str
    seeds: tuple[NormId, ...]
    order_key: str
    configuration: Configuration = Configuration.FULL_GRAPH
    token_budget: int = 40_000
    max_chunks: int = 25
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """An open-book context.

    Attributes:
        tokens: What all chunks cost together.
        truncated: Neighbours were left out because of a budget.
        left_out: How many neighbours were left out because of a budget.
        not_in_force: How many neighbours were left out because they were not in force at ``as_of``.
        unknown_force: How many chunks are in although nobody knows whether they were in force at ``as_of``.
    """

    chunks: tuple[Chunk, ...]
    text: str
    tokens: int
    truncated: bool
    left_out: int
    not_in_force: int
    unknown_force: int


async def build_context(
    store: GraphStore, request: ContextRequest, *, language_of: Callable[[str], Language], notice: str = ""
) -> Context:
    """Build a context.

    Args:
        store: The graph.
        request: What is wanted.
        language_of: The language of an act, by its key.
        notice: What the corpus demands to be said first.

    Raises:
        NotFoundError: A seed is not in this version of the corpus.
    """
    row = await store.read_one(
        query("context/walk"),
        seeds=[norm_uid(request.corpus_uid, seed) for seed in request.seeds],
        token_budget=request.token_budget,
        max_chunks=request.max_chunks,
        as_of=request.as_of,
    )
    seeds: list[Row] = row["seeds"] if row else []
    if len(seeds) != len(request.seeds):
        there = {seed["ref"] for seed in seeds}
        missing = [seed for seed in request.seeds if seed not in there]
        raise NotFoundError(f"no norm {missing[0]!r} in corpus {request.corpus_uid}")
    assert row is not None  # noqa: S101 - seeds are not empty, so there was a row
    found = [*seeds, *row["neighbours"]]
    lines = await _lines(store, request, found, language_of)
    ordered = chunk_order(found, request.order_key)
    chunks = tuple(_chunk(norm, tuple(lines[norm["ref"]])) for norm in ordered)
    languages = [language_of(norm["act"]) for norm in ordered]
    left_out = row["candidates"] - len(row["neighbours"])
    return Context(
        chunks=chunks,
        text=render_context(list(zip(chunks, languages, strict=True)), notice),
        tokens=sum(chunk_tokens(chunk.text) for chunk in chunks),
        truncated=left_out > 0,
        left_out=left_out,
        not_in_force=row["excluded"],
        unknown_force=sum(_force_unknown(norm) for norm in found) if request.as_of else 0,
    )


async def _lines(
    store: GraphStore, request: ContextRequest, found: Sequence[Row], language_of: Callable[[str], Language]
) -> defaultdict[str, list[str]]:
    lines: defaultdict[str, list[str]] = defaultdict(list)
    if request.configuration is Configuration.FULL_GRAPH_EDGES:
        for norm in found:
            if "type" in norm:
                kind = RelationType(norm["type"])
                lines[norm["ref"]].append(relation_line(kind, norm["ref"], norm["seed"], language_of(norm["act"])))
    elif request.configuration is Configuration.FULL_GRAPH_RELATIONS:
        act_of = {norm["ref"]: norm["act"] for norm in found}
        pairs = await store.read(query("context/pairs"), uids=[norm["uid"] for norm in found])
        for pair in pairs:
            one, other = sorted((pair["source"], pair["target"]), key=_place)
            line = relation_line(RelationType(pair["type"]), one, other, language_of(act_of[one]))
            if line not in lines[one]:
                lines[one].append(line)
    return lines


def _place(ref: NormId) -> tuple[str, str]:
    act, number = split_norm_id(ref)
    return act, article_sort_key(number)


def _chunk(norm: Row, lines: tuple[str, ...]) -> Chunk:
    basis = norm["valid_from_basis"]
    return Chunk(
        norm_id=norm["ref"],
        title=norm["title"],
        text=norm["text"],
        valid_from=norm["valid_from"],
        valid_from_basis=DateBasis(basis) if basis else None,
        valid_to=norm["valid_to"],
        repealed=norm["repealed"],
        relation_lines=lines,
    )


def _force_unknown(norm: dict[str, Any]) -> bool:
    return norm["valid_from_basis"] != DateBasis.STATED or (norm["repealed"] and not norm["valid_to"])
