"""Who may call which route: one rule each, and no route without one.

The middleware finds out who asks and counts the hour; the dependency holds the route's rule against it. A key that is
not valid is refused everywhere, also where none is needed: its sender believes to be somebody.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Annotated

import structlog
from fastapi import Depends, Request
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from service.api.problems import problem_of
from service.api.state import ServiceState
from service.db import PUBLIC, Principal, Scope, authenticate
from service.errors import ForbiddenError, LexhopError, UnauthenticatedError, UnavailableError

__all__ = ["RULES", "Access", "Asker", "Rule", "check_access", "principal_of"]

_log = structlog.get_logger("lexhop.access")
_PRINCIPAL = "lexhop.principal"
_UNCOUNTED = ("/healthz", "/readyz", "/metrics")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a route asks of its caller.

    Attributes:
        scope: The scope that a key must have; ``read`` is the public's too. None: nothing is asked, not even reading.
        why: For the documentation.
    """

    scope: Scope | None
    why: str


_HEALTH = Rule(None, "for probes")
_READING = Rule(Scope.READ, "reads the graph, which is public")
_COMPUTING = Rule(Scope.READ, "computes on what the caller sends, keeps nothing")
_TIERED = Rule(Scope.READ, "shows what the caller's tier for the task set allows")
_OWNING = Rule(Scope.SUBMIT, "works on the caller's own runs")
_LISTED = Rule(Scope.READ, "shows published runs, and the caller's own")
_JUDGING = Rule(Scope.JUDGE, "asks and takes verdicts; shows answers without saying whose")
_ADMIN = Rule(Scope.ADMIN, "shows who may do what")

RULES: dict[str, Rule] = {
    "GET /healthz": _HEALTH,
    "GET /readyz": _HEALTH,
    "GET /metrics": _HEALTH,
    "GET /v1/meta": _READING,
    "GET /v1/corpora": _READING,
    "GET /v1/corpora/{key}/diff": _READING,
    "GET /v1/corpora/{key}/export": _READING,
    "GET /v1/acts": _READING,
    "GET /v1/acts/{act}": _READING,
    "GET /v1/articles": _READING,
    "GET /v1/articles/{norm_id}": _READING,
    "GET /v1/articles/{norm_id}/relations": _READING,
    "GET /v1/articles/{norm_id}/neighbourhood": _READING,
    "GET /v1/paths": _READING,
    "GET /v1/between": _READING,
    "GET /v1/relations": _READING,
    "GET /v1/diagnostics": _READING,
    "POST /v1/citations": _COMPUTING,
    "GET /v1/context": _READING,
    "POST /v1/context": _COMPUTING,
    "GET /robots.txt": _HEALTH,
    "GET /v1/task-sets": _TIERED,
    "GET /v1/task-sets/{key}/tasks": _TIERED,
    "GET /v1/task-sets/{key}/prompts": Rule(Scope.SUBMIT, "hands out a whole set; needs a grant that names it too"),
    "GET /v1/tasks/{id}": _TIERED,
    "GET /v1/tasks/{id}/context": _TIERED,
    "GET /v1/tasks/{id}/prompt": _TIERED,
    "PUT /v1/tasks/{id}/reviews": Rule(Scope.REVIEW, "keeps an expert's word; needs access to gold too"),
    "GET /v1/benchmarks": _READING,
    "POST /v1/benchmarks/{benchmark}/read": _COMPUTING,
    "POST /v1/runs": _OWNING,
    "GET /v1/runs": _LISTED,
    "GET /v1/runs/{run_id}": _LISTED,
    "POST /v1/runs/{run_id}/close": _OWNING,
    "POST /v1/runs/{run_id}/publish": _OWNING,
    "POST /v1/runs/{run_id}/withdraw": _OWNING,
    "POST /v1/runs/{run_id}/rejudge": _OWNING,
    "POST /v1/runs/{run_id}/leases": _OWNING,
    "PUT /v1/leases/{lease}": _OWNING,
    "DELETE /v1/leases/{lease}": _OWNING,
    "POST /v1/runs/{run_id}/submissions": _OWNING,
    "GET /v1/runs/{run_id}/submissions": _OWNING,
    "GET /v1/submissions/{submission_id}": _OWNING,
    "GET /v1/judges": _READING,
    "POST /v1/judgements/leases": _JUDGING,
    "PUT /v1/judgements/{judgement_id}/verdict": _JUDGING,
    "GET /v1/runs/{run_id}/scores": _LISTED,
    "GET /v1/runs/{run_id}/gap": _LISTED,
    "GET /v1/runs/{run_id}/slices": _LISTED,
    "GET /v1/runs/{run_id}/errors": _LISTED,
    "GET /v1/runs/{run_id}/report": _LISTED,
    "GET /v1/runs/{run_id}/refusals": _LISTED,
    "POST /v1/runs/{run_id}/refusals": _OWNING,
    "GET /v1/leaderboards/{benchmark}": _LISTED,
    "POST /v1/leaderboards/{benchmark}/frozen": Rule(Scope.ADMIN, "keeps a board under a permalink"),
    "GET /v1/boards/{board}": _READING,
    "GET /v1/comparisons": _LISTED,
    "GET /v1/keys": _ADMIN,
    "GET /v1/audit": _ADMIN,
}
"""Every route's rule, by method and path template. A route that is not here is refused to everybody."""


class Access:
    """Finds out who asks, before anything is answered, from a cache too; counts requests against the hour."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http" or scope["path"] in _UNCOUNTED:
            await self._app(scope, receive, send)
            return
        state: ServiceState = scope["app"].state.lexhop
        try:
            principal = await _principal(scope, state)
            scope[_PRINCIPAL] = principal
            await _count(scope, state, principal)
        except LexhopError as error:
            await problem_of(Request(scope), error)(scope, receive, send)
            return
        await self._app(scope, receive, send)


async def _principal(scope: AsgiScope, state: ServiceState) -> Principal:
    given = next((value for name, value in scope["headers"] if name == b"authorization"), None)
    if given is None:
        return PUBLIC
    scheme, _, text = given.decode("latin-1").partition(" ")
    if scheme.lower() != "bearer":
        # The value is a secret of some kind: it is not repeated.
        raise UnauthenticatedError("the Authorization header is of another scheme; send `Authorization: Bearer lxh_…`")
    async with state.ledger.read() as session:
        return await authenticate(session, text.strip())


async def _count(scope: AsgiScope, state: ServiceState, principal: Principal) -> None:
    if principal.key is not None:
        limit_name, limit, subject = "hourly_key", state.settings.hourly_key, principal.key
    else:
        host = scope["client"][0] if scope.get("client") else ""
        # Who sits at the machine itself is its operator.
        if _is_loopback(host):
            return
        limit_name, limit, subject = "hourly_public", state.settings.hourly_public, host
    try:
        await state.hours.spend(subject=subject, limit_name=f"LEXHOP_{limit_name.upper()}", limit=limit)
    except UnavailableError as error:
        # Reading the graph does not stop because the ledger cannot count it.
        _log.warning("not_counted", limit=limit_name, reason=str(error))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def principal_of(request: Request) -> Principal:
    """Return who asks."""
    principal: Principal = request.scope.get(_PRINCIPAL, PUBLIC)
    return principal


def check_access(request: Request) -> None:
    """Hold the route's rule against who asks; every route depends on it.

    Raises:
        UnauthenticatedError: A key is needed and there is none.
        ForbiddenError: The key has another scope, or the route has no rule.
    """
    path = getattr(request.scope.get("route"), "path", "")
    method = "GET" if request.method == "HEAD" else request.method
    rule = RULES.get(f"{method} {path}")
    if rule is None:
        raise ForbiddenError(f"route {method} {path!r} has no rule of access and is closed; report this")
    if rule.scope is not None:
        principal_of(request).require(rule.scope)


Asker = Annotated[Principal, Depends(principal_of)]
