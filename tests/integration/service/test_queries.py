"""Every query of cypher/ against a real planner: no full scan where an index should serve, no warning."""

from __future__ import annotations

from typing import Any

import pytest

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from service.graph.opening import open_graph
from service.graph.queries import Query, all_queries
from tests.integration.service.conftest import settings_for

pytestmark = [pytest.mark.graph, pytest.mark.anyio]

# Labels of which a graph holds a handful of nodes.
FEW = ("(w:Writer)", "m:Migration", "c:Corpus", "old:Corpus")
# A version may lack these properties altogether; then the planner says that it does not know them.
UNKNOWN_PROPERTY = "01N52"
UNKNOWN_LABEL = ("01N50", "01N51")


def scans(plan: dict[str, Any]) -> list[str]:
    """Every operator of a plan that reads all nodes or all relationships of a kind."""
    name = plan["operatorType"].partition("@")[0]
    detail = str(plan.get("args", {}).get("Details", ""))
    found = []
    if name in ("AllNodesScan", "DirectedAllRelationshipsScan", "UndirectedAllRelationshipsScan"):
        found.append(f"{name} {detail}")
    if "TypeScan" in name or (name == "NodeByLabelScan" and not detail.startswith(FEW)):
        found.append(f"{name} {detail}")
    return found + [scan for child in plan.get("children", []) for scan in scans(child)]


@pytest.mark.parametrize("asked", all_queries(), ids=lambda asked: asked.name)
async def test_a_query_plans_without_scans_and_warnings(
    graph_address: GraphAddress, loaded: BuiltCorpus, asked: Query
) -> None:
    async with open_graph(settings_for(graph_address)) as store:
        summary = await store.plan(asked)
    assert summary.plan is not None
    assert scans(summary.plan) == []
    notes = [
        (status.gql_status, status.status_description)
        for status in summary.gql_status_objects
        if status.is_notification and not status.gql_status.startswith((UNKNOWN_PROPERTY, *UNKNOWN_LABEL))
    ]
    assert notes == []


def test_a_scan_would_be_seen() -> None:
    plan = {"operatorType": "ProduceResults@neo4j", "children": [
        {"operatorType": "NodeByLabelScan@neo4j", "args": {"Details": "a:Article"}, "children": []}]}  # fmt: skip
    assert scans(plan) == ["NodeByLabelScan a:Article"]
