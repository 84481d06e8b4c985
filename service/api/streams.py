"""Exports over HTTP: which form a request wants, and answers that are written as they are read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import orjson
from fastapi import Query, Request
from fastapi.responses import Response, StreamingResponse

from service.graph.exports import csv_lines, ndjson_lines

__all__ = [
    "EXPORT_HEADER",
    "ROWS_TOO",
    "FormatParameter",
    "GraphFormat",
    "RowFormat",
    "row_format",
    "streamed",
    "streamed_rows",
]

EXPORT_HEADER = "X-Lexhop-Export"
"""Header of an answer that is no JSON: what it is of, as JSON in ASCII."""


class RowFormat(StrEnum):
    """Forms of a list."""

    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"


class GraphFormat(StrEnum):
    """Forms of a whole version."""

    NDJSON = "ndjson"
    GRAPHML = "graphml"
    NODE_LINK = "node-link"


_MEDIA: dict[str, str] = {
    RowFormat.NDJSON: "application/x-ndjson",
    RowFormat.CSV: "text/csv; charset=utf-8",
    GraphFormat.GRAPHML: "application/graphml+xml",
    GraphFormat.NODE_LINK: "application/json",
}
_SUFFIX = {"ndjson": "ndjson", "csv": "csv", "graphml": "graphml", "node-link": "json"}
_ACCEPTED = {
    "application/x-ndjson": RowFormat.NDJSON,
    "application/ndjson": RowFormat.NDJSON,
    "text/csv": RowFormat.CSV,
    "application/json": RowFormat.JSON,
}

ROWS_TOO: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/x-ndjson": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}}
    }
}
"""For the document of a list that also streams its rows."""

FormatParameter = Annotated[
    RowFormat | None,
    Query(
        alias="format", description="json (a page), or ndjson or csv (all rows, streamed); by default as Accept says"
    ),
]


def row_format(request: Request, given: RowFormat | None) -> RowFormat:
    """Return the form of a list: the parameter's, else the first one known in Accept, else a page of JSON."""
    if given is not None:
        return given
    for part in request.headers.get("accept", "").split(","):
        media, _, weight = part.strip().partition(";")
        if media.strip() in _ACCEPTED and weight.strip() != "q=0":
            return _ACCEPTED[media.strip()]
    return RowFormat.JSON


async def streamed(
    form: RowFormat | GraphFormat, name: str, header: dict[str, Any], chunks: AsyncIterator[bytes]
) -> Response:
    """Return an answer that is written as it is read.

    The first chunks are read before anything is sent, so that a graph that does not answer is a problem document.

    Args:
        form: Which form the chunks have.
        name: The name of the file, without its suffix.
        header: What the export is of.
        chunks: The body.
    """
    first = [await anext(chunks)]
    second = await anext(chunks, None)
    if second is not None:
        first.append(second)

    async def body() -> AsyncIterator[bytes]:
        for chunk in first:
            yield chunk
        async for chunk in chunks:
            yield chunk

    said = "".join(char if char.isascii() else _escaped(char) for char in orjson.dumps(header).decode())
    return StreamingResponse(
        body(),
        media_type=_MEDIA[form],
        headers={
            EXPORT_HEADER: said,
            "Content-Disposition": f'attachment; filename="{name}.{_SUFFIX[form]}"',
        },
    )


async def streamed_rows(
    form: RowFormat, name: str, header: dict[str, Any], columns: Sequence[str], items: AsyncIterator[Mapping[str, Any]]
) -> Response:
    """Return rows as NDJSON or CSV.

    Args:
        form: One of the two.
        name: The name of the file, without its suffix.
        header: What the export is of.
        columns: The columns of a CSV.
        items: The rows.
    """
    csv = form is RowFormat.CSV
    return await streamed(form, name, header, csv_lines(header, columns, items) if csv else ndjson_lines(header, items))


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2]):04x}" for at in range(0, len(units), 2))
