"""Plain networkx, to hold walks of the graph against."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from service.domain import RELATION_TYPES, RelationType
from service.graph.content import CorpusContent, ref_sort_key


def graph_of(content: CorpusContent, types: Iterable[RelationType] = RELATION_TYPES) -> nx.DiGraph:
    """The relations of a corpus as a directed graph."""
    graph = nx.DiGraph()
    graph.add_nodes_from(article.ref for article in content.articles)
    graph.add_edges_from((one.source_id, one.target_id) for one in content.relations if one.type in set(types))
    return graph


def simple_paths(graph: nx.Graph, start: str, end: str, hops: int) -> list[tuple[str, ...]]:
    """All simple paths of at most so many hops, fewest first, those of one length by their norms' places."""
    if not hops:
        return []
    paths = [tuple(path) for path in nx.all_simple_paths(graph, start, end, cutoff=hops)]
    return sorted(paths, key=lambda path: (len(path), [ref_sort_key(ref) for ref in path]))
