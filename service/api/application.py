"""Puts routers, limits, errors and cache together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import Depends, FastAPI
from starlette.middleware.gzip import GZipMiddleware

import service
from service.api.access import Access, check_access
from service.api.answers import AnswerCache
from service.api.bodies import submission_bytes
from service.api.metrics import Metrics
from service.api.middleware import Limits, RequestLog
from service.api.problems import PROBLEM_TYPE, Problem, add_problem_handlers
from service.api.routers import ROUTERS
from service.api.state import ServiceState
from service.settings import Settings

__all__ = ["create_api"]

_GZIP_FROM = 2_000
_PROBLEM = {"model": Problem, "content": {PROBLEM_TYPE: {}}}
_DESCRIPTION = """Statutes as a typed graph: articles, relations, citations and open-book context.

A norm is named by its id (`ГК_1064`) or by a citation in words (`ст. 1064 ГК`). Every answer names the corpus and the
version that it comes from; ask for that version again to get the same answer. Errors are problem documents (RFC 9457).

Lexhop shows what statutes say in the edition named. It is not legal advice.
"""


def create_api(
    settings: Settings, open_state: Callable[[Metrics], AbstractAsyncContextManager[ServiceState]]
) -> FastAPI:
    """Return the application.

    Args:
        settings: Read once, by whoever starts the service.
        open_state: Opens what requests share, for as long as the application lives; it makes clients and nothing else.
    """
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_state(metrics) as state:
            app.state.lexhop = state
            cache.bind(state.watcher)
            yield

    app = FastAPI(
        title="Lexhop",
        version=service.__version__,
        description=_DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        responses={status: dict(_PROBLEM) for status in (400, 401, 403, 404, 409, 413, 422, 429, 503)},
    )
    for router in ROUTERS:
        app.include_router(router, dependencies=[Depends(check_access)])
    add_problem_handlers(app)
    cache = AnswerCache(metrics=metrics, entries=settings.cache_entries)
    # The last added stands outermost.
    app.add_middleware(cache.middleware)
    app.add_middleware(GZipMiddleware, minimum_size=_GZIP_FROM, compresslevel=5)
    app.add_middleware(Access)
    app.add_middleware(
        Limits,
        most_bytes=settings.request_bytes,
        answer_bytes=submission_bytes(settings.submission_chars),
        seconds=settings.request_seconds,
    )
    app.add_middleware(RequestLog, metrics=metrics)
    return app
