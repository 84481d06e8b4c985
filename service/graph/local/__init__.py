"""A Neo4j of one's own on this machine: resolved from locked jars, run by a host process, shared by its clients."""

from service.graph.local.client import LocalGraph, LocalLease, LocalStatus
from service.graph.local.progress import Report

__all__ = ["LocalGraph", "LocalLease", "LocalStatus", "Report"]
