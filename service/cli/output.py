"""What every command shares: one JSON object on request, else text for people."""

from __future__ import annotations

import dataclasses
import sys
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Column, Table

__all__ = ["JsonFlag", "console", "moment", "notes", "print_json", "table"]

_WIDTH = 140

JsonFlag = Annotated[bool, typer.Option("--json", help="One JSON object on standard output and nothing else there.")]


def console() -> Console:
    """Return the console for results, on standard output; what goes to a file or a pipe is not squeezed to 80 columns."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)


def notes() -> Console:
    """Return the console for progress and remarks, on standard error; a remark is one line, however long."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def table(*columns: str, whole: int = 1, title: str | None = None) -> Table:
    """Return a table that loses nothing in a narrow terminal: long cells go on below, names stay in one piece.

    Args:
        columns: Headings.
        whole: How many of the first columns hold what a reader copies, such as ids, and are never broken.
        title: Above the table.
    """
    made = [Column(name, no_wrap=place < whole, overflow="fold") for place, name in enumerate(columns)]
    return Table(*made, title=title)


def moment(stamp: str | None) -> str:
    """Return an ISO time stamp to the minute, in UTC as it is stored; empty for None."""
    return "" if stamp is None else stamp[:16].replace("T", " ")


def print_json(value: Any) -> None:
    """Write one JSON object, indented, UTF-8, to standard output."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n")
    sys.stdout.flush()
