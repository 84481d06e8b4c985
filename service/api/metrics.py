"""Counters for Prometheus, one registry an application."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

__all__ = ["Metrics"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """What one process counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "lexhop_requests", "Requests served", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "lexhop_request_seconds", "Time to serve a request", ["route"], buckets=_SECONDS, registry=self.registry
        )
        self.cache = Counter("lexhop_answer_cache", "Answers from the cache or not", ["result"], registry=self.registry)
        self.corpora = Gauge(
            "lexhop_corpus_articles", "Articles of each current corpus", ["corpus", "version"], registry=self.registry
        )
        self.graph_up = Gauge("lexhop_graph_up", "1 while the graph answers", registry=self.registry)

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        return generate_latest(self.registry)
