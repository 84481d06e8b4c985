"""What every request of one process shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from service.api.metrics import Metrics
from service.db import Database, HourlyLimiter
from service.graph.finding import Finder
from service.graph.store import GraphStore
from service.graph.watch import CatalogWatcher
from service.settings import Settings

if TYPE_CHECKING:
    from service.evaluation import Evaluator, GivenAway, LedgerRecords, ParticipantDesk, TableCache

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

    # What runs need is made when the first one is asked for: it loads scipy, and reading articles needs none of it.
    @cached_property
    def records(self) -> LedgerRecords:
        """The tasks of the ledger."""
        from service.evaluation import LedgerRecords  # noqa: PLC0415

        return LedgerRecords(self.ledger)

    @cached_property
    def evaluator(self) -> Evaluator:
        """What reads answers and writes scores."""
        from service.evaluation import Evaluator, GraphLaws  # noqa: PLC0415

        return Evaluator(self.ledger, self.records, GraphLaws(self.watcher))

    @cached_property
    def desk(self) -> ParticipantDesk:
        """What hands out tasks."""
        from service.evaluation import ParticipantDesk  # noqa: PLC0415

        return ParticipantDesk(
            self.ledger, self.store, self.watcher, self.records, prompts_folder=self.settings.prompts
        )

    @cached_property
    def given_away(self) -> GivenAway:
        """What the open contexts of boards give away."""
        from service.evaluation import GivenAway  # noqa: PLC0415

        return GivenAway(self.store, self.watcher, self.records, least=self.settings.least_shown)

    @cached_property
    def tables(self) -> TableCache:
        """The tables of runs as of their last change."""
        from service.evaluation import TableCache  # noqa: PLC0415

        return TableCache(entries=256)


def state_of(request: Request) -> ServiceState:
    """Return the state of the application that serves a request."""
    state: ServiceState = request.app.state.lexhop
    return state


State = Annotated[ServiceState, Depends(state_of)]
