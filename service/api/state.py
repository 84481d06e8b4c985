"""What every request of one process shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from service.api.metrics import Metrics
from service.db import Database, HourlyLimiter
from service.graph.finding import Finder
from service.graph.store import GraphStore
from service.graph.watch import CatalogWatcher
from service.settings import Settings

__all__ = ["ServiceState", "State", "state_of"]


@dataclass
class ServiceState:
    """Made at start, closed at the end, kept on the application."""

    settings: Settings
    store: GraphStore
    watcher: CatalogWatcher
    metrics: Metrics
    ledger: Database
    hours: HourlyLimiter
    graph: str = ""

    @property
    def finder(self) -> Finder:
        """Finds what requests mean."""
        return Finder(self.watcher, self.settings.corpus)


def state_of(request: Request) -> ServiceState:
    """Return the state of the application that serves a request."""
    state: ServiceState = request.app.state.lexhop
    return state


State = Annotated[ServiceState, Depends(state_of)]
