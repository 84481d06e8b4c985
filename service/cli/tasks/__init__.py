"""``lexhop tasks``: chains, task sets, and what becomes of them."""

from __future__ import annotations

import typer

from service.cli.tasks import _chains, _reviews, _sets, _writing
from service.cli.tasks._sets import ledger_and_graph

__all__ = ["app", "ledger_and_graph"]

app = typer.Typer(no_args_is_help=True)
_chains.register(app)
_sets.register(app)
_writing.register(app)
_reviews.register(app)
