"""Runs what takes long and does much at a time: the service, a judge worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["run_async"]

T = TypeVar("T")


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, on uvloop where it is installed, and return what it returns."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop  # noqa: PLC0415 - absent on some platforms
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop
