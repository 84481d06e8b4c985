"""Where the limiter settles: ``python -m tests.benchmarks.limiter [--rate 40] [--seconds 30]``.

A fake server bears so many calls a second and refuses more with 429, without a Retry-After. One client begins far above
that rate and one far below; printed are JSON lines with the calls served a second over the second half, as a ratio to the
server's rate, and the share of refusals.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time

from service.models import Message, ModelClient, ModelProfile, open_provider
from tests.fake_models import FakeModels


async def settle(rate: float, start: float, seconds: float) -> dict[str, float]:
    """Call for so long; return figures of the second half."""
    async with FakeModels(rate=rate, keep=0) as server:
        profile = ModelProfile.model_validate(
            {
                "name": "fake",
                "provider": "openai",
                "model": "fake",
                "endpoint": server.url,
                "concurrency": 32,
                "deadline": 600,
                "start_requests_per_second": start,
            }
        )
        provider, endpoint = open_provider(profile)
        client = ModelClient(profile, provider, endpoint=endpoint)
        end = time.monotonic() + seconds

        async def lane(number: int) -> None:
            while time.monotonic() < end:
                await client.ask([Message("user", "x")], purpose="bench", subject=str(number))

        lanes = [asyncio.create_task(lane(number)) for number in range(32)]
        await asyncio.sleep(seconds / 2)
        served, refused, begun = server.counts["ok"], server.counts["refused"], time.monotonic()
        await asyncio.sleep(seconds / 2)
        served, refused = server.counts["ok"] - served, server.counts["refused"] - refused
        passed = time.monotonic() - begun
        await asyncio.gather(*lanes)
        await client.close()
    return {"served": served / passed, "refused": refused / max(1, served + refused)}


async def main(arguments: argparse.Namespace) -> None:
    """Run from above and from below."""
    for start in (arguments.rate * 10, arguments.rate / 10):
        figures = await settle(arguments.rate, start, arguments.seconds)
        line = {
            "bench": "limiter",
            "start_calls_a_second": start,
            "calls_a_second": round(figures["served"], 2),
            "reference": "the server's rate",
            "reference_calls_a_second": arguments.rate,
            "ratio": round(figures["served"] / arguments.rate, 3),
            "share_refused": round(figures["refused"], 4),
        }
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.limiter", description=__doc__)
    parser.add_argument("--rate", type=float, default=40.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    asyncio.run(main(parser.parse_args()))
