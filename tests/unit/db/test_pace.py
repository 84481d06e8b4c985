"""The pace against simulated servers, on a clock of our own."""

from __future__ import annotations

import pytest

from service.db import Pace, PaceLimits

LIMITS = PaceLimits(start=10)


def simulate(server_rate: float, *, start: float, seconds: float, latency: float = 0.0) -> tuple[float, float]:
    """Return calls (served, refused) a second over the second half of the time."""
    limits = PaceLimits(start=start, lowest=0.1, highest=100_000)
    pace = Pace.begin(limits, 0.0)
    now, bucket, filled = 0.0, server_rate, 0.0
    served = refused = 0
    while now < seconds:
        pace, granted = pace.advanced(limits, now).drawn(1)
        if not granted:
            now += max(1e-4, pace.wait(now))
            continue
        # Whoever waits next asks at once, as callers in a queue do.
        pace = pace.advanced(limits, now + 1e-5)
        bucket = min(server_rate, bucket + (now - filled) * server_rate)
        filled = now
        late = now > seconds / 2
        if bucket >= 1:
            bucket -= 1
            served += late
        else:
            refused += late
            pace = pace.refused(limits, now + latency)
    return served / (seconds / 2), refused / (seconds / 2)


@pytest.mark.parametrize(("server", "start"), [(20, 1), (20, 20), (20, 500), (200, 10), (2, 10)])
def test_the_rate_settles_near_what_the_server_bears(server: float, start: float) -> None:
    rate, refusals = simulate(server, start=start, seconds=240)
    assert 0.85 * server <= rate <= 1.02 * server
    assert refusals < 0.25


def test_retry_after_stops_all_calls_until_then() -> None:
    pace = Pace.begin(LIMITS, 0.0).refused(LIMITS, 10.0, retry_after=30.0).advanced(LIMITS, 20.0)
    assert pace.drawn(5)[1] == 0
    assert pace.wait(20.0) == pytest.approx(20.0)
    assert pace.advanced(LIMITS, 41.0).drawn(1)[1] == 1


def test_a_volley_of_refusals_lowers_the_rate_once() -> None:
    pace = Pace.begin(LIMITS, 0.0)
    for number in range(50):
        pace = pace.refused(LIMITS, 10.0 + number / 100)
    assert pace.rate == 5.0


def test_calls_sent_before_the_rate_was_lowered_do_not_lower_it_again() -> None:
    pace = Pace.begin(LIMITS, 0.0).refused(LIMITS, 10.0)
    for number in range(50):
        pace = pace.refused(LIMITS, 10.0 + number / 100, under_way=1.0)
    assert pace.rate == 5.0


def test_far_above_what_is_borne_the_rate_falls_with_every_few_calls() -> None:
    limits = PaceLimits(start=400)
    pace = Pace.begin(limits, 0.0).refused(limits, 1.0)
    now, sent = 1.0, 0
    while pace.rate > 40:
        now += 0.001
        pace, granted = pace.advanced(limits, now).drawn(1)
        sent += granted
        if granted:
            pace = pace.refused(limits, now, under_way=0.0005)
    assert sent == 4 * 3
    assert now < 1.2


def test_a_server_that_refuses_some_at_any_rate_does_not_bring_it_down_sooner() -> None:
    limits = PaceLimits(start=100)
    pace, now, sent = Pace.begin(limits, 0.0), 0.0, 0
    while now < 0.99:
        now += 0.002
        pace, granted = pace.advanced(limits, now).drawn(1)
        sent += granted
        if granted and sent % 4 == 1:
            pace = pace.refused(limits, now, under_way=0.0005)
    assert sent > 40
    assert pace.rate == 50


def test_an_unused_rate_does_not_grow_and_saves_up_no_more_than_a_second() -> None:
    pace = Pace.begin(LIMITS, 0.0)
    for second in range(1, 100):
        pace = pace.advanced(LIMITS, float(second))
    assert pace.rate == 10.0
    assert pace.drawn(1000)[1] == 10


def test_the_rate_keeps_within_its_limits() -> None:
    limits = PaceLimits(start=5, lowest=1, highest=8)
    pace = Pace.begin(limits, 0.0)
    for step in range(1, 200):
        pace, _ = pace.advanced(limits, step / 10).drawn(1)
    assert pace.rate == 8
    for second in range(100):
        pace = pace.refused(limits, 100.0 + 2 * second)
    assert pace.rate == 1
