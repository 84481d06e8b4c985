"""What a person sees while the local graph gets ready: on standard error, never on standard output."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Report"]

_STEP = 0.1


class Report:
    """Tells what is going on.

    Args:
        quiet: Say nothing at all.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = Console(file=sys.stderr, highlight=False, quiet=quiet)

    def note(self, text: str) -> None:
        """Say one line."""
        self._console.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def download(self, text: str, *, total: int, done: int) -> Iterator[Callable[[int], None]]:
        """Show a download of ``total`` bytes, ``done`` of which are already here.

        Yields:
            A function to be called with each number of bytes that came in; threads may call it.
        """
        if self._console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                TimeRemainingColumn(),
            )
            with Progress(*columns, console=self._console) as progress:
                task = progress.add_task(text, total=total, completed=done)
                yield lambda count: progress.advance(task, count)
        else:
            yield self._lines(text, total, done)

    def _lines(self, text: str, total: int, done: int) -> Callable[[int], None]:
        lock = threading.Lock()
        said = done
        self.note(f"{text}: {done / 1e6:.0f} of {total / 1e6:.0f} MB are here")

        def advance(count: int) -> None:
            nonlocal done, said
            with lock:
                done += count
                if done - said >= _STEP * total or (done >= total > said):
                    said = done
                    self.note(f"{text}: {done / 1e6:.0f} of {total / 1e6:.0f} MB")

        return advance
