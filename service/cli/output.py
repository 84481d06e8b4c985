"""What every command shares: one JSON object on request, else text for people."""

from __future__ import annotations

import dataclasses
import sys
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console

__all__ = ["JsonFlag", "console", "notes", "print_json"]

_WIDTH = 140

JsonFlag = Annotated[bool, typer.Option("--json", help="One JSON object on standard output and nothing else there.")]


def console() -> Console:
    """Return the console for results, on standard output; what goes to a file or a pipe is not squeezed to 80 columns."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _WIDTH)


def notes() -> Console:
    """Return the console for progress and remarks, on standard error; a remark is one line, however long."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Write one JSON object, indented, UTF-8, to standard output."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n")
    sys.stdout.flush()
