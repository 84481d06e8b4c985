"""The graph that chains are made of: usable norms and the relations between them, in one order on every machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.chains._rules import MIN_CHARS
from service.domain import DateBasis, NormId, RelationType
from service.errors import NotFoundError
from service.graph.content import ref_sort_key
from service.graph.queries import query

if TYPE_CHECKING:
    from service.graph.catalog import CorpusVersion
    from service.graph.content import CorpusContent
    from service.graph.store import GraphStore

__all__ = ["ChainGraph", "ChainNorm", "Stratum", "content_graph", "read_chain_graph"]

Ints = NDArray[np.int32]


class ChainNorm(NamedTuple):
    """A usable norm.

    Attributes:
        branch: The branch of law of its act; None where nobody stated it.
        valid_from: ISO date, or None when unknown.
    """

    ref: NormId
    act: str
    branch: str | None
    valid_from: str | None
    basis: DateBasis | None


class Stratum(NamedTuple):
    """What chains are counted by.

    Attributes:
        act: The act of the first norm.
        wide: Whether the first norm's out-neighbours span two branches of law.
        to_act: The act of the second norm; None for a chain of one norm.
        relation: The type of the first relation; None for a chain of one norm.
    """

    act: str
    wide: bool
    to_act: str | None
    relation: RelationType | None


@dataclass(frozen=True)
class ChainGraph:
    """Usable norms in the corpus's order and the relations among them, by source, then target.

    Attributes:
        first: Place of each norm's first relation; one entry more than norms.
        source, target: Places of each relation's ends.
        types: Each relation's type.
    """

    norms: tuple[ChainNorm, ...]
    first: Ints
    source: Ints
    target: Ints
    types: tuple[RelationType, ...]

    @cached_property
    def place(self) -> dict[NormId, int]:
        """Each norm's place."""
        return {norm.ref: place for place, norm in enumerate(self.norms)}

    @cached_property
    def dated(self) -> Ints:
        """1 for a norm with a known ``valid_from``, else 0."""
        return np.array([norm.valid_from is not None for norm in self.norms], dtype=np.int32)

    @cached_property
    def wide(self) -> tuple[bool, ...]:
        """Whether a norm's out-neighbours span at least two branches of law."""
        spans = []
        for place in range(len(self.norms)):
            ends = self.target[self.first[place] : self.first[place + 1]].tolist()
            spans.append(len({self.norms[end].branch for end in ends} - {None}) > 1)
        return tuple(spans)

    @cached_property
    def strata(self) -> tuple[Stratum, ...]:
        """The stratum that each relation begins."""
        return tuple(
            Stratum(self.norms[source].act, self.wide[source], self.norms[target].act, kind)
            for source, target, kind in zip(self.source.tolist(), self.target.tolist(), self.types, strict=True)
        )

    def relation(self, source: int, target: int) -> int | None:
        """Return the place of the relation of an ordered pair of places, or None."""
        begin, end = int(self.first[source]), int(self.first[source + 1])
        found = begin + int(np.searchsorted(self.target[begin:end], target))
        return found if found < end and int(self.target[found]) == target else None


def _chain_graph(norms: Iterable[ChainNorm], relations: Iterable[tuple[NormId, NormId, RelationType]]) -> ChainGraph:
    norms = tuple(sorted(norms, key=lambda norm: ref_sort_key(norm.ref)))
    place = {norm.ref: number for number, norm in enumerate(norms)}
    edges = sorted(
        (place[source], place[target], kind)
        for source, target, kind in relations
        if source in place and target in place
    )
    source = np.array([edge[0] for edge in edges], dtype=np.int32)
    first = np.searchsorted(source, np.arange(len(norms) + 1)).astype(np.int32)
    target = np.array([edge[1] for edge in edges], dtype=np.int32)
    return ChainGraph(norms, first, source, target, tuple(edge[2] for edge in edges))


def content_graph(content: CorpusContent, *, acts: frozenset[str] | None = None) -> ChainGraph:
    """Return the graph of a corpus's content.

    Args:
        content: The corpus.
        acts: Only norms of these acts; None for all.
    """
    branches = {act.key: act.branch for act in content.acts}
    norms = [
        ChainNorm(article.ref, article.act, branches[article.act], article.valid_from, article.valid_from_basis)
        for article in content.articles
        if not article.repealed and len(article.text) >= MIN_CHARS and (acts is None or article.act in acts)
    ]
    return _chain_graph(norms, ((one.source_id, one.target_id, one.type) for one in content.relations))


async def read_chain_graph(
    store: GraphStore, version: CorpusVersion, *, acts: frozenset[str] | None = None
) -> ChainGraph:
    """Read a version's usable norms and their relations from the graph.

    Args:
        store: The graph.
        version: The version.
        acts: Only norms of these acts; None for all.

    Raises:
        NotFoundError: An act is not in this version, or the version has no usable norm.
    """
    rows = await store.read(query("catalog/acts"), corpus_uid=version.uid)
    branches = {row["act"]["key"]: row["act"].get("branch") for row in rows}
    for act in sorted(acts or ()):
        if act not in branches:
            raise NotFoundError(
                f"corpus {version.uid} has no act {act!r}; it has {', '.join(branches)}", nearest=tuple(branches)
            )
    found = await store.read(query("chains/norms"), corpus_uid=version.uid, min_chars=MIN_CHARS)
    norms = [
        ChainNorm(
            row["ref"],
            row["act"],
            branches.get(row["act"]),
            row["valid_from"],
            DateBasis(row["basis"]) if row["basis"] else None,
        )
        for row in found
        if acts is None or row["act"] in acts
    ]
    if not norms:
        raise NotFoundError(
            f"corpus {version.uid} has no usable norm (in force, {MIN_CHARS} characters or more); load another corpus"
        )
    edges = await store.read(query("diagnostics/edges"), corpus_uid=version.uid)
    return _chain_graph(norms, ((row["source"], row["target"], RelationType(row["type"])) for row in edges))
