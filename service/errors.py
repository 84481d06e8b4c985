"""The one tree of errors.

::

    LexhopError
    ├── InputError            what the caller gave cannot be used (HTTP 422)
    │   ├── TooLargeError     larger than a limit that has a name (413)
    │   └── SourceError       a file of a source cannot be read as what it should be
    ├── NotFoundError         a norm, an act, a corpus, a version does not exist (404)
    ├── ConflictError         the request contradicts the state (409)
    ├── UnauthenticatedError  a key is missing or not valid (401)
    ├── ForbiddenError        the key may not do this (403)
    ├── LimitError            an hourly limit is used up (429)
    ├── UnavailableError      a server we need does not answer; try again later (503)
    │   └── GraphBusyError    the graph refused or timed out under load
    └── SetupError            this installation or machine lacks something (500)

Every message names the thing, the value and what to do about it.
"""

from __future__ import annotations

__all__ = [
    "ConflictError",
    "ForbiddenError",
    "GraphBusyError",
    "InputError",
    "LexhopError",
    "LimitError",
    "NotFoundError",
    "SetupError",
    "SourceError",
    "TooLargeError",
    "UnauthenticatedError",
    "UnavailableError",
]


class LexhopError(Exception):
    """Anything that Lexhop itself reports.

    Attributes:
        code: A short name that clients can compare, stable across versions.
        status: The HTTP status it becomes.
    """

    code = "error"
    status = 500


class InputError(LexhopError):
    """What the caller gave cannot be used."""

    code = "bad_input"
    status = 422


class TooLargeError(InputError):
    """What the caller gave is larger than a limit that has a name."""

    code = "too_large"
    status = 413


class SourceError(InputError):
    """A file of a source cannot be read as what it should be."""

    code = "bad_source"


class NotFoundError(LexhopError):
    """A norm, an act, a corpus or a version does not exist.

    Attributes:
        nearest: What exists and was perhaps meant, best first.
    """

    code = "not_found"
    status = 404

    def __init__(self, message: str, *, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.nearest = nearest


class ConflictError(LexhopError):
    """The request contradicts the state of what it is about.

    Attributes:
        choices: What the caller can choose from, where that is the way out.
    """

    code = "conflict"
    status = 409

    def __init__(self, message: str, *, choices: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.choices = choices


class UnauthenticatedError(LexhopError):
    """A key is missing or not valid."""

    code = "unauthenticated"
    status = 401


class ForbiddenError(LexhopError):
    """The key may not do this."""

    code = "forbidden"
    status = 403


class LimitError(LexhopError):
    """An hourly limit is used up.

    Attributes:
        retry_after: Seconds until the next hour.
    """

    code = "limit_reached"
    status = 429

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnavailableError(LexhopError):
    """A server that we need does not answer; the same request may work later.

    Attributes:
        retry_after: Seconds after which a repeat is worth it.
    """

    code = "unavailable"
    status = 503

    def __init__(self, message: str, *, retry_after: int = 5) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class GraphBusyError(UnavailableError):
    """The graph refused or timed out a query under load."""

    code = "graph_busy"


class SetupError(LexhopError):
    """This installation or this machine lacks something."""

    code = "setup"
