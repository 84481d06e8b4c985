"""The pace of calls to a model: a token bucket whose rate follows what the server bears."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Pace", "PaceLimits"]

_STEP_SECONDS = 0.01
_SETTLE_SECONDS = 1.0
_DENIED_AT_LEAST = 4


@dataclass(frozen=True, slots=True)
class PaceLimits:
    """Within what a pace moves, in calls a second.

    Attributes:
        start: The rate before anything is known.
        lowest: Never slower, so that recovery is noticed.
        highest: Never faster: the operator's own limit.
        burst_seconds: Unused calls are saved up for this long.
    """

    start: float = 10.0
    lowest: float = 0.1
    highest: float = 1000.0
    burst_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Additive increase, multiplicative decrease (Chiu and Jain 1989) on a rate, as a value that can be stored.

    A refusal lowers the rate once for all calls that were under way: they were sent at the old rate and say nothing of
    the new one (as a window is lowered once per round trip, RFC 6582). So it is lowered once per second, or sooner when
    the server refuses most of what was sent at the new rate; for a second it does not grow either. Until the first
    refusal the rate doubles each second in use; afterwards it climbs quickly to 90 % of the rate last refused and from
    there by 2 % of it a second, so that it stays near what the server bears.

    Attributes:
        rate: Calls a second.
        tokens: Calls that may start now.
        ceiling: The rate at the last refusal; None before the first.
        updated: Moments are seconds of one clock, whichever the holder uses.
        lowered: When the rate was last lowered.
        paused_until: No call starts before; the server said so.
        used: Calls drawn since the rate last moved; an unused rate does not grow.
        denied: Of them, calls that the server refused, as long as the rate is one just lowered.
    """

    rate: float
    tokens: float
    updated: float
    ceiling: float | None = None
    lowered: float = -1e9
    paused_until: float = 0.0
    used: int = 0
    denied: int = 0

    @classmethod
    def begin(cls, limits: PaceLimits, now: float) -> Pace:
        """Return the pace of a model that nobody has called."""
        rate = min(max(limits.start, limits.lowest), limits.highest)
        return cls(rate=rate, tokens=1.0, updated=now)

    def advanced(self, limits: PaceLimits, now: float) -> Pace:
        """Return the pace at ``now``: tokens earned, the rate grown if it was used."""
        # In steps: asked again at once, it must not judge its use by a moment in which nobody could have used it.
        if now - self.updated < max(_STEP_SECONDS, 0.25 / self.rate):
            return self
        elapsed = max(0.0, now - max(self.updated, min(self.paused_until, now)))
        rate, used, denied = self.rate, self.used, self.denied
        # Growth asks for use: a rate that nobody tried out is not known to be borne. Nor is one just lowered.
        if now - self.lowered >= _SETTLE_SECONDS and used >= 0.5 * rate * elapsed and used > 0:
            rate, used, denied = self._grown(elapsed), 0, 0
        rate = min(max(rate, limits.lowest), limits.highest)
        tokens = min(max(1.0, rate * limits.burst_seconds), self.tokens + self.rate * elapsed)
        return replace(self, rate=rate, tokens=tokens, updated=now, used=used, denied=denied)

    def _grown(self, elapsed: float) -> float:
        if self.ceiling is None:
            return float(self.rate * 2 ** min(elapsed, 1.0))
        knee = 0.9 * self.ceiling
        if self.rate < knee:
            return min(knee, self.rate + 0.25 * self.ceiling * min(elapsed, 1.0))
        return self.rate + 0.02 * self.ceiling * min(elapsed, 1.0)

    def drawn(self, wanted: int) -> tuple[Pace, int]:
        """Return the pace without, and the number of, the calls that may start now, at most ``wanted``."""
        if self.paused_until > self.updated:
            return self, 0
        granted = min(wanted, int(self.tokens))
        return replace(self, tokens=self.tokens - granted, used=self.used + granted), granted

    def refused(
        self, limits: PaceLimits, now: float, retry_after: float | None = None, *, under_way: float | None = None
    ) -> Pace:
        """Return the pace after the server refused a call for its rate.

        Args:
            limits: Within what the rate moves.
            now: The moment of the refusal.
            retry_after: Seconds for which the server wants no call.
            under_way: Seconds since the call got its permit; unknown, it may be older than the present rate.
        """
        until = max(self.paused_until, now + retry_after if retry_after else 0.0)
        since = now - self.lowered
        denied = self.denied + (under_way is not None and under_way < since)
        mostly = denied >= _DENIED_AT_LEAST and 2 * denied >= self.used
        if since < _SETTLE_SECONDS and not mostly:
            return replace(self, paused_until=until, tokens=min(self.tokens, 0.0), denied=denied)
        # Far above what is borne (refused again before it could grow): halve. Near it: a small step.
        near = self.ceiling is not None and self.rate >= 0.85 * self.ceiling
        rate = max(limits.lowest, self.rate * (0.85 if near else 0.5))
        return replace(
            self,
            rate=rate,
            ceiling=self.rate,
            lowered=now,
            paused_until=until,
            tokens=min(self.tokens, 0.0),
            used=0,
            denied=0,
        )

    def wait(self, now: float) -> float:
        """Return the seconds from ``now`` until one call may start."""
        ready = self.updated + max(0.0, 1.0 - self.tokens) / self.rate
        return max(0.0, ready - now, self.paused_until - now)
