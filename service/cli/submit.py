"""``lexhop submit``: answers made offline."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from service.cli.output import JsonFlag, console, notes, print_json
from service.cli.remote import KeyOption, UrlOption, api
from service.errors import InputError, SourceError
from service.settings import Settings

__all__ = ["app", "read_answers"]

app = typer.Typer(context_settings={"allow_interspersed_args": True})
_LINES = 2000
_SHOWN = 20


@app.callback()
def submit(
    run: Annotated[str, typer.Argument(help="Id of the run.")],
    answers: Annotated[
        Path, typer.Argument(help="JSON lines: task_id, text, and optionally outcome, attempt_key, usage, …")
    ],
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Send a file of answers; sending it again changes nothing. Exit status 1 when a line is refused.

    Example: lexhop submit run_0123456789abcdef answers.jsonl
    """
    rows = list(read_answers(answers))
    receipts = asyncio.run(_send(Settings(), run, rows, url, key))
    refused = [one for one in receipts if one["detail"] is not None]
    counts = Counter(
        "refused" if one["detail"] else "new" if one["status"] == 201 else "there already" for one in receipts
    )
    if as_json:
        print_json({"run": run, "lines": len(rows), "counts": dict(counts), "refused": refused})
    else:
        said = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        console().print(f"{len(rows)} lines: {said or 'nothing sent'}", markup=False)
        for one in refused[:_SHOWN]:
            notes().print(f"line {one['line']}: {one['detail']}", markup=False, soft_wrap=True)
    if refused:
        raise InputError(
            f"{len(refused)} of {len(rows)} lines of {str(answers)!r} were refused; correct and send it again"
        )


def read_answers(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Read answers with the numbers of their lines.

    A line without an attempt_key gets one of its content, so that sending it twice is sending it once.

    Raises:
        SourceError: The file cannot be read, or a line is no JSON object.
    """
    import orjson

    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SourceError(
            f"answers {str(path)!r} cannot be read ({error.strerror}); give a file of JSON lines"
        ) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise SourceError(f"{path.name} line {number} is no JSON ({error}); write one object a line") from None
        if not isinstance(row, dict):
            raise SourceError(f"{path.name} line {number} is no object; write task_id, text and outcome")
        if "answer" in row and "text" not in row:
            row["text"] = row.pop("answer")
        for name in ("mode", "participant", "line"):
            row.pop(name, None)
        row.setdefault("attempt_key", f"offline-{hashlib.sha256(line).hexdigest()[:24]}")
        yield number, row


async def _send(
    settings: Settings, run: str, rows: list[tuple[int, dict[str, Any]]], url: str | None, key: str | None
) -> list[dict[str, Any]]:
    import orjson

    receipts: list[dict[str, Any]] = []
    async with api(settings, url, key) as client:
        for start in range(0, len(rows), _LINES):
            body = b"".join(orjson.dumps(row) + b"\n" for _, row in rows[start : start + _LINES])
            headers = {"Content-Type": "application/x-ndjson"}
            answer = await client.post(f"/v1/runs/{run}/submissions", content=body, headers=headers)
            if answer.status_code >= 300:
                raise InputError(f"run {run!r} takes nothing: {answer.json().get('detail', answer.text[:200])}")
            for line in answer.text.splitlines():
                one = orjson.loads(line)
                # The service counts what it was sent; people count in their file, blank lines and all.
                one["line"] = None if one["line"] is None else rows[start + one["line"] - 1][0]
                receipts.append(one)
    return receipts
