"""One router a noun."""

from service.api.routers import (
    acts,
    articles,
    benchmarks,
    boards,
    citations,
    context,
    corpora,
    diagnostics,
    health,
    judgements,
    keys,
    meta,
    relations,
    reports,
    runs,
    scores,
    submissions,
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
    benchmarks.router,
    runs.router,
    submissions.router,
    judgements.router,
    scores.router,
    reports.router,
    boards.router,
)
