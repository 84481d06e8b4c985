"""Submissions: one as JSON, many as NDJSON."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Path, Request
from fastapi.responses import Response, StreamingResponse

from service.api.access import Asker
from service.api.answers import json_answer
from service.api.bodies import NDJSON, is_ndjson, media_type, submission_bytes
from service.api.paging import (
    CursorParameter,
    CursorShape,
    LimitParameter,
    PlaceNumber,
    PlaceText,
    next_cursor,
    page_limit,
    read_cursor,
)
from service.api.run_access import own_run
from service.api.run_schemas import ReceiptView, SubmissionView
from service.api.schemas import Page
from service.api.state import ServiceState, State
from service.db import NewSubmission, Receipt, Submission, iso_moment, list_submissions, read_submission
from service.errors import InputError, LexhopError, NotFoundError, TooLargeError
from service.evaluation import read_line, submit

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["runs"])

_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_CURSOR = CursorShape(PlaceNumber, run=PlaceText)
_RunPath = Annotated[str, Path(max_length=40, description="Id of the run")]
_SCHEMA = {
    "type": "object",
    "required": ["task_id", "attempt_key"],
    "additionalProperties": False,
    "properties": {
        "task_id": {"type": "string"},
        "attempt_key": {
            "type": "string",
            "description": "The sender's name for this attempt: sent again it changes nothing",
        },
        "outcome": {"type": "string", "default": "answered", "description": "What came of the task (mhgb.md 5)"},
        "text": {"type": "string", "description": "The answer, think block and all"},
        "finish_reason": {"type": "string"},
        "usage": {"type": "object"},
        "latency_ms": {"type": "number"},
        "provider_id": {"type": "string"},
    },
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": _SCHEMA}, NDJSON: {"schema": _SCHEMA}},
    }
}


@router.post(
    "/runs/{run_id}/submissions",
    summary="Send answers",
    response_model=ReceiptView,
    status_code=201,
    responses={200: {"model": ReceiptView, "content": {NDJSON: {"schema": {"type": "string"}}}}},
    openapi_extra=_BODY,
)
async def send(state: State, asker: Asker, run_id: _RunPath, request: Request) -> Response:
    """One as JSON: 201, or 200 for the same again, 409 for a task that is answered. Many as NDJSON: a receipt a line.

    The first answer to a task is scored. context_overflow, not_attempted and error are kept and leave the task open. Lines
    are written in batches as they come: whatever breaks off, sending all of it again changes nothing that was taken in.
    """
    await own_run(state, asker, run_id)
    kind = request.headers.get("content-type", "application/json")
    if is_ndjson(kind):
        return await _many(state, run_id, request)
    if media_type(kind) != "application/json":
        raise InputError(f"content-type {kind[:60]!r} is not read here; send application/json or {NDJSON}")
    one = read_line(_parsed(await request.body()), longest=state.settings.submission_chars)
    (receipt,) = await submit(state.ledger, run_id, [one])
    if receipt.error is not None:
        raise receipt.error
    answer = json_answer(_receipt(receipt, None))
    answer.status_code = 201 if receipt.new else 200
    return answer


def _parsed(line: bytes) -> Any:
    if line.startswith(_GZIP):
        raise InputError("a submission is compressed (gzip); send it as it is, one object, or one a line")
    try:
        return orjson.loads(line.removeprefix(_MARK))
    except orjson.JSONDecodeError as error:
        try:
            line.decode()
        except UnicodeDecodeError as broken:
            why = f"byte {broken.start} of {len(line)} is none of UTF-8"
            raise InputError(f"a submission is no text in UTF-8 ({why}); encode it so") from None
        raise InputError(f"a submission is no JSON ({error}); send one object") from None


def _receipt(receipt: Receipt, line: int | None) -> dict[str, Any]:
    error = receipt.error
    return {
        "line": line,
        "id": receipt.id,
        "status": error.status if error else 201 if receipt.new else 200,
        "scored": receipt.scored,
        "repeat": receipt.repeat,
        "code": error.code if error else None,
        "detail": str(error) if error else None,
    }


class _Intake:
    """Lines on their way into the ledger, a batch a transaction."""

    def __init__(self, state: ServiceState, run_id: str) -> None:
        self._state = state
        self._run_id = run_id
        self._batch: list[tuple[int, NewSubmission | LexhopError]] = []
        self._line = 0
        self.receipts: list[bytes] = []

    async def add(self, line: bytes | None) -> None:
        self._line += 1
        if line is not None and not line.strip():
            return
        if self._line > self._state.settings.submission_lines:
            most = self._state.settings.submission_lines
            raise TooLargeError(f"line {self._line} is beyond {most} (LEXHOP_SUBMISSION_LINES); send the rest apart")
        try:
            one: NewSubmission | LexhopError = read_line(
                _parsed(self._whole(line)), longest=self._state.settings.submission_chars
            )
        except LexhopError as error:
            one = error
        self._batch.append((self._line, one))
        if len(self._batch) >= self._state.settings.submission_batch:
            await self.flush()

    def _whole(self, line: bytes | None) -> bytes:
        if line is None:
            most = submission_bytes(self._state.settings.submission_chars)
            raise TooLargeError(
                f"line {self._line} is longer than {most} bytes (LEXHOP_SUBMISSION_CHARS); send a shorter text"
            )
        return line

    async def flush(self) -> None:
        batch, self._batch = self._batch, []
        sent = [one for _, one in batch if isinstance(one, NewSubmission)]
        taken = iter(await submit(self._state.ledger, self._run_id, sent) if sent else ())
        for line, one in batch:
            receipt = next(taken) if isinstance(one, NewSubmission) else Receipt(None, error=one)
            self.receipts.append(orjson.dumps(_receipt(receipt, line)) + b"\n")


async def _lines(request: Request, longest: int) -> AsyncIterator[bytes | None]:
    """Yield lines as they come; None for one that no submission can be, which is passed over without being kept."""
    rest, over = bytearray(), False
    async for chunk in request.stream():
        *whole, tail = chunk.split(b"\n")
        for piece in whole:
            over = over or len(rest) + len(piece) > longest
            yield None if over else bytes(rest + piece)
            rest.clear()
            over = False
        over = over or len(rest) + len(tail) > longest
        if over:
            rest.clear()
        else:
            rest += tail
    if over or rest:
        yield None if over else bytes(rest)


async def _many(state: ServiceState, run_id: str, request: Request) -> Response:
    intake = _Intake(state, run_id)
    try:
        async for line in _lines(request, submission_bytes(state.settings.submission_chars)):
            await intake.add(line)
        await intake.flush()
        if not intake.receipts:
            raise InputError("the body holds no submission; send one JSON object a line")
    except LexhopError as error:
        # What was taken in stays; the last line says why there is no more.
        intake.receipts.append(orjson.dumps(_receipt(Receipt(None, error=error), None)) + b"\n")
        if len(intake.receipts) == 1:
            raise

    async def told() -> AsyncIterator[bytes]:
        for start in range(0, len(intake.receipts), 1000):
            yield b"".join(intake.receipts[start : start + 1000])

    return StreamingResponse(told(), media_type=NDJSON, status_code=200)


def _view(one: Submission) -> dict[str, Any]:
    return {**asdict(one), "received_at": iso_moment(one.received_at)}


@router.get("/runs/{run_id}/submissions", summary="A run's submissions", response_model=Page[SubmissionView])
async def submissions(
    state: State, asker: Asker, run_id: _RunPath, limit: LimitParameter = None, cursor: CursorParameter = None
) -> Response:
    """In the order in which they came, as they were sent."""
    await own_run(state, asker, run_id)
    filters: dict[str, Any] = {"run": run_id}
    after = 0
    if cursor is not None:
        after = read_cursor("submissions", cursor, corpus=None, version=None, filters=filters, shape=_CURSOR).after
    size = page_limit(limit, state.settings)
    async with state.ledger.read() as session:
        found = await list_submissions(session, run_id, limit=size + 1, after=after)
    rows = found[:size]
    following = next_cursor("submissions", "", "", rows[-1].id, filters) if len(found) > size else None
    return json_answer({"items": [_view(one) for one in rows], "next": following})


@router.get("/submissions/{submission_id}", summary="One submission", response_model=SubmissionView)
async def one_submission(
    state: State, asker: Asker, submission_id: Annotated[int, Path(ge=1, lt=2**63, description="Its id")]
) -> Response:
    """As it was sent; its run's owner alone sees it."""
    try:
        async with state.ledger.read() as session:
            found = await read_submission(session, submission_id)
        await own_run(state, asker, found.run_id)
    except NotFoundError:
        # Ids follow one another: another's is answered like one that is not there, without the name of its run.
        raise NotFoundError(
            f"submission {submission_id!r} does not exist, or is another's; name one of yours"
        ) from None
    return json_answer(_view(found))
