"""Chains: templates by type and depth, counting, sampling (mhgb.md 3)."""

from service.chains._cypher import FoundChain, chain_faults, chains_of
from service.chains._graph import ChainGraph, ChainNorm, Stratum, content_graph, read_chain_graph
from service.chains._plan import CellPlan, Chain, Plan, Share, cell_tallies, make_plan
from service.chains._rules import DEFAULT_LENGTH_SHARES, MIN_CHARS, SamplingRules, Template, depth_of, template
from service.chains._tally import Figure, Tally

__all__ = [
    "DEFAULT_LENGTH_SHARES",
    "MIN_CHARS",
    "CellPlan",
    "Chain",
    "ChainGraph",
    "ChainNorm",
    "Figure",
    "FoundChain",
    "Plan",
    "SamplingRules",
    "Share",
    "Stratum",
    "Tally",
    "Template",
    "cell_tallies",
    "chain_faults",
    "chains_of",
    "content_graph",
    "depth_of",
    "make_plan",
    "read_chain_graph",
    "template",
]
