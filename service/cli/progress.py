"""Progress of long work on standard error: bar, count, rate, time left; plain lines where there is no terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from service.cli.output import notes

__all__ = ["Bars", "bars"]

_LINE_SECONDS = 5.0
_RATE_SECONDS = 0.5


class Bars:
    """One bar for each kind of thing that is counted."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._begun: dict[str, float] = {}
        self._said = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` are done."""
        seconds = time.monotonic() - self._begun.setdefault(what, time.monotonic())
        # The first count may come at once, and says nothing of a rate.
        rate = done / seconds if seconds >= _RATE_SECONDS else 0.0
        paced = f"{rate:,.0f}/s" if rate >= 1 and done < total else ""
        if self._progress is not None:
            task = self._tasks.get(what)
            if task is None:
                task = self._tasks[what] = self._progress.add_task(what.replace("_", " "), total=total, rate="")
            self._progress.update(task, completed=done, total=total, rate=paced)
        elif done == total or time.monotonic() - self._said > _LINE_SECONDS:
            self._said = time.monotonic()
            parts = [f"{what.replace('_', ' ')}: {done:,} of {total:,}"]
            if paced:
                parts.append(paced)
            if rate and done < total:
                parts.append(f"{(total - done) / rate:.0f} s left")
            notes().print(", ".join(parts))


@contextmanager
def bars(*, quiet: bool = False) -> Iterator[Bars]:
    """Show bars for a block."""
    console = Console(stderr=True, highlight=False)
    if quiet or not console.is_terminal:
        yield Bars(None) if not quiet else _Silent(None)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        yield Bars(progress)


class _Silent(Bars):
    def __call__(self, what: str, done: int, total: int) -> None:
        """Show nothing."""
