"""Chains by the graph itself: listed by their template, and held against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from service.chains._rules import MIN_CHARS, Template, depth_of
from service.domain import NormId, RelationType
from service.errors import InputError
from service.graph.queries import query
from service.graph.rows import norm_uid

if TYPE_CHECKING:
    from service.graph.store import GraphStore, Row

__all__ = ["FoundChain", "chain_faults", "chains_of"]

_PAGE = 200


class FoundChain(NamedTuple):
    """A chain as the graph has it: refs in order and the types of the steps."""

    norms: tuple[NormId, ...]
    relations: tuple[RelationType, ...]


async def chains_of(
    store: GraphStore,
    corpus_uid: str,
    asked: Template,
    length: int,
    starts: Iterable[NormId],
    *,
    acts: Sequence[str] | None = None,
    limit: int = 1000,
) -> list[FoundChain]:
    """Return chains that begin at some norms, by the template's Cypher query.

    Args:
        store: The graph.
        corpus_uid: ``key@version``.
        asked: The template.
        length: Number of norms of the chains.
        starts: First norms, by their refs.
        acts: Keys of acts that all norms must belong to; None for any.
        limit: Most chains.

    Raises:
        InputError: The template has no chains of this length.
    """
    if length not in asked.lengths:
        lengths = ", ".join(map(str, asked.lengths))
        raise InputError(
            f"{asked.task_type.value}/{asked.depth.value} has no chains of {length!r} norms; it has those of {lengths}"
        )
    rows = await store.read(
        query(asked.query),
        starts=[norm_uid(corpus_uid, start) for start in starts],
        norms=length,
        acts=list(acts) if acts is not None else None,
        min_chars=MIN_CHARS,
        limit=limit,
    )
    return [FoundChain(tuple(row["norms"]), tuple(map(RelationType, row["relations"]))) for row in rows]


async def chain_faults(
    store: GraphStore, corpus_uid: str, chains: Sequence[tuple[Template, Sequence[NormId]]]
) -> list[tuple[str, ...]]:
    """Hold chains against their templates in the graph.

    Returns:
        For each chain what is wrong with it, each naming norm and remedy; nothing for a chain under its template.
    """
    faults: list[tuple[str, ...]] = []
    for begin in range(0, len(chains), _PAGE):
        page = chains[begin : begin + _PAGE]
        rows = await store.read(
            query("chains/steps"),
            chains=[[norm_uid(corpus_uid, norm) for norm in norms] for _, norms in page],
            min_chars=MIN_CHARS,
        )
        faults.extend(_faults(asked, norms, row) for (asked, norms), row in zip(page, rows, strict=True))
    return faults


def _faults(asked: Template, norms: Sequence[NormId], row: Row) -> tuple[str, ...]:
    cell = f"{asked.task_type.value}/{asked.depth.value}"
    faults = []
    if len(norms) not in asked.lengths:
        depth = depth_of(len(norms)).value if 0 < len(norms) <= 10 else "no depth"
        faults.append(
            f"the chain has {len(norms)} norms, which is {depth}; {cell} takes {', '.join(map(str, asked.lengths))}"
        )
    for norm in dict.fromkeys(norms):
        if list(norms).count(norm) > 1:
            faults.append(f"norm {norm!r} stands twice in the chain; each norm stands once")
    for norm, found in zip(norms, row["norms"], strict=True):
        if not found["found"]:
            faults.append(f"norm {norm!r} is not in this version of the corpus; correct it, or take another version")
        elif found["repealed"]:
            faults.append(f"norm {norm!r} is repealed; take a chain of norms in force")
        elif not found["usable"]:
            faults.append(f"norm {norm!r} has less than {MIN_CHARS} characters of text; take another norm")
    for source, target, kind in zip(norms, norms[1:], row["relations"], strict=False):
        if not kind:
            faults.append(f"the graph has no relation {source!r} → {target!r}; a chain follows relations")
    if row["relations"] and row["relations"][0] and row["relations"][0] not in asked.first:
        first = " or ".join(kind.value for kind in RelationType if kind in asked.first)
        faults.append(f"the first relation is {row['relations'][0]}; {cell} begins with {first}")
    dated = sum(bool(found.get("valid_from")) for found in row["norms"])
    if dated < asked.dated:
        faults.append(f"{dated} of the norms have a known valid_from; {cell} needs {asked.dated}")
    return tuple(faults)
