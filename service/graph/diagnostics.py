"""Figures of a graph as MHGB's ``graph_diagnostics_v2.json`` has them, under the same names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TypedDict

from service.domain import NormId, RelationType, norm_ref
from service.graph.contents import Contents
from service.graph.queries import query
from service.graph.store import GraphStore, Row

__all__ = ["Diagnostics", "diagnose", "read_edges", "read_nodes"]

_SAMPLE = 20
_LARGEST = 10
_RUSSIAN = {
    RelationType.REFERS_TO: "ссылается_на",
    RelationType.APPLIES_TO: "применяется_к",
    RelationType.EXCLUDES: "исключает",
    RelationType.SUPPLEMENTS: "дополняет",
    RelationType.PREVAILS_OVER: "приоритет",
}


class Diagnostics(TypedDict):
    """The release's figures; relation types by their Russian values, pairs of acts as ``ГК↔СК``."""

    nodes_total: int
    edges_total: int
    nodes_by_law: dict[str, int]
    edges_by_type: dict[str, int]
    intra_codex_edges: int
    inter_codex_edges: int
    inter_codex_pairs: dict[str, int]
    semantic_edges_by_law: dict[str, dict[str, int]]
    isolated_nodes_count: int
    isolated_nodes_sample: list[str]
    weakly_connected_components_count: int
    wcc_sizes_top10: list[int]


async def read_edges(store: GraphStore, corpus_uid: str) -> list[Row]:
    """Return a version's bare edges: rows {source, source_act, target, target_act, type}."""
    return await store.read(query("diagnostics/edges"), corpus_uid=corpus_uid)


def read_nodes(contents: Contents) -> list[tuple[NormId, str]]:
    """Return (ref, act's key) of every article of a version, in its order."""
    return [
        (norm_ref(act, edition or None, number), act)
        for (act, edition), numbers in contents.numbers.items()
        for number in numbers
    ]


def diagnose(nodes: Sequence[tuple[str, str]], edges: Iterable[Row]) -> Diagnostics:
    """Compute the figures of a graph.

    Args:
        nodes: (ref, act's key) of every article.
        edges: Rows {source, source_act, target, target_act, type}.
    """
    by_law = Counter(act for _, act in nodes)
    by_type: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    semantic: defaultdict[str, Counter[str]] = defaultdict(Counter)
    parents = {ref: ref for ref, _ in nodes}
    connected: set[str] = set()
    total = 0
    for edge in edges:
        total += 1
        kind = RelationType(edge["type"])
        by_type[_RUSSIAN[kind]] += 1
        one, other = edge["source_act"], edge["target_act"]
        if one != other:
            pairs["↔".join(sorted((one, other)))] += 1
        if kind is not RelationType.REFERS_TO:
            semantic[one][_RUSSIAN[kind]] += 1
        connected.update((edge["source"], edge["target"]))
        parents[_root(parents, edge["source"])] = _root(parents, edge["target"])
    isolated = [ref for ref, _ in nodes if ref not in connected]
    components = Counter(_root(parents, ref) for ref, _ in nodes)
    inter = pairs.total()
    return Diagnostics(
        nodes_total=len(nodes),
        edges_total=total,
        nodes_by_law=dict(by_law.most_common()),
        edges_by_type={name: by_type[name] for name in _RUSSIAN.values()},
        intra_codex_edges=total - inter,
        inter_codex_edges=inter,
        inter_codex_pairs=dict(sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))),
        semantic_edges_by_law={law: dict(semantic[law]) for law in sorted(semantic)},
        isolated_nodes_count=len(isolated),
        isolated_nodes_sample=isolated[:_SAMPLE],
        weakly_connected_components_count=len(components),
        wcc_sizes_top10=sorted(components.values(), reverse=True)[:_LARGEST],
    )


def _root(parents: dict[str, str], ref: str) -> str:
    while parents[ref] != ref:
        parents[ref] = parents[parents[ref]]
        ref = parents[ref]
    return ref
