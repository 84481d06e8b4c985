"""The circuit breaker: a server that only fails is left alone for a while."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from service.models._failures import CallError
from service.models._types import ReplyStatus

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Breaker"]


class Breaker:
    """Opens after errors in a row (mhgb.md 8: eight); after a pause one call probes whether the server is well."""

    def __init__(
        self, *, threshold: int = 8, pause_seconds: float = 60.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self._threshold = threshold
        self._pause = pause_seconds
        self._clock = clock
        self._errors = 0
        self._opened: float | None = None
        self._probing = False
        self._last = ""

    @property
    def is_open(self) -> bool:
        """Whether calls are refused for now."""
        return self._opened is not None

    def check(self) -> None:
        """Let a call through, or not.

        Raises:
            CallError: The circuit is open, with the seconds until the next probe.
        """
        if self._opened is None:
            return
        left = self._opened + self._pause - self._clock()
        if left <= 0 and not self._probing:
            self._probing = True
            return
        raise CallError(
            ReplyStatus.CIRCUIT_OPEN,
            f"{self._errors} calls in a row failed, the last with: {self._last}; no call is made for "
            f"{max(1, round(left))} s. Mend the cause; the same command goes on where it stopped",
            again=False,
            sick=False,
            retry_after=max(1.0, left),
        )

    def succeeded(self) -> None:
        """Close the circuit: the server answered, in whatever way."""
        self._errors, self._opened, self._probing = 0, None, False

    def failed(self, error: CallError) -> None:
        """Count an error of the server."""
        self._errors += 1
        self._last = str(error)
        if self._errors >= self._threshold:
            self._opened = self._clock()
        self._probing = False

    def undecided(self) -> None:
        """Forget a probe that ended without telling anything (cancelled, throttled)."""
        self._probing = False
