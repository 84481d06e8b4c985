"""Errors as RFC 9457 problem documents."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import orjson
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from service.errors import (
    ConflictError,
    LexhopError,
    LimitError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
)
from service.redaction import redact

__all__ = ["PROBLEM_TYPE", "Problem", "add_problem_handlers", "problem", "problem_of"]

PROBLEM_TYPE = "application/problem+json"

_log = structlog.get_logger(__name__)


class Problem(BaseModel):
    """RFC 9457: what went wrong, in words and as a code that clients can compare."""

    type: str = Field(description="``urn:lexhop:problem:`` and the code", examples=["urn:lexhop:problem:not_found"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(description="The thing, the value and what to do", examples=["no norm 'ГК_10640' in corpus ru"])
    instance: str = Field(description="The request's id", examples=["7d0c5a2e"])
    nearest: list[str] | None = Field(default=None, description="What exists and was perhaps meant")
    choices: list[str] | None = Field(default=None, description="What to choose from")
    errors: list[dict[str, Any]] | None = Field(default=None, description="Each field that cannot be used")


def problem(request: Request, status: int, code: str, detail: str, **more: Any) -> Response:
    """Return a problem document; its type is ``urn:lexhop:problem:<code>``."""
    document = {
        "type": f"urn:lexhop:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": request.scope.get("lexhop.request_id", ""),
        **more,
    }
    return Response(orjson.dumps(document), status_code=status, media_type=PROBLEM_TYPE)


def add_problem_handlers(app: FastAPI) -> None:
    """Turn every error of an application into a problem document."""
    app.add_exception_handler(LexhopError, _lexhop_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected)


async def _lexhop_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LexhopError)  # noqa: S101 - registered for nothing else
    return problem_of(request, error)


def problem_of(request: Request, error: LexhopError) -> Response:
    """Return the problem document of an error of ours, with the headers that go with its status."""
    more: dict[str, Any] = {}
    if isinstance(error, NotFoundError) and error.nearest:
        more["nearest"] = list(error.nearest)
    if isinstance(error, ConflictError) and error.choices:
        more["choices"] = list(error.choices)
    if error.status >= 500 and not isinstance(error, UnavailableError):
        _log.error("request_failed", code=error.code, detail=str(error))
    response = problem(request, error.status, error.code, redact(str(error)), **more)
    if isinstance(error, UnavailableError | LimitError):
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, UnauthenticatedError):
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for nothing else
    errors = [
        {
            "where": _whole(".".join(str(part) for part in one["loc"])),
            "message": _whole(one["msg"]),
            "given": _short(one.get("input")),
        }
        for one in error.errors()
    ]
    first = errors[0]
    detail = f"{first['where']}: {first['message']} (given {first['given']})"
    return problem(request, 422, "bad_input", detail, errors=errors)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for nothing else
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
    detail = str(error.detail)
    if error.status_code == 404:
        detail = f"no route {request.url.path!r}; the routes are listed at /docs and /openapi.json"
    if error.status_code == 405:
        detail = f"{request.url.path!r} does not take {request.method}"
    response = problem(request, error.status_code, code, detail)
    response.headers.update(error.headers or {})
    return response


async def _unexpected(request: Request, error: Exception) -> Response:
    _log.exception("request_crashed", path=request.url.path, error=type(error).__name__)
    return problem(
        request, 500, "internal", "something went wrong on our side; report the instance id with what you asked"
    )


def _whole(text: str) -> str:
    # A name in the body may hold half a character, which no JSON writer takes.
    return text.encode(errors="backslashreplace").decode()


def _short(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 100 else said[:97] + "…"
