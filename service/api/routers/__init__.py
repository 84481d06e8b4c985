"""One router a noun."""

from service.api.routers import (
    acts,
    articles,
    citations,
    context,
    corpora,
    diagnostics,
    health,
    keys,
    meta,
    relations,
    tasks,
    walks,
)

__all__ = ["ROUTERS"]

ROUTERS = (
    health.router,
    meta.router,
    corpora.router,
    acts.router,
    articles.router,
    walks.router,
    relations.router,
    diagnostics.router,
    citations.router,
    context.router,
    keys.router,
    tasks.router,
)
