"""What contract and client add to a call: ``python -m tests.benchmarks.models [--calls 100] [--rounds 21]``.

The fake server runs in a process of its own. In each round the bare ``openai`` SDK, our client with a contract, and the
same with the ledger make the same calls one after another over the same kind of connection; the order changes from round
to round. Printed are JSON lines with the median cost of a call of each and its ratio to the bare SDK of the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from openai import AsyncOpenAI
from sqlalchemy import URL

from service.db import AttemptRecorder, Database, upgrade
from service.models import (
    Contract,
    Field,
    Message,
    ModelClient,
    ModelProfile,
    OutcomeStatus,
    ask_contract,
    open_provider,
)

VERDICT = Contract("verdict", (Field("score", "choice", values=(0, 0.5, 1)), Field("reason", "text")))
TEXT = "Статья гласит: вред подлежит возмещению в полном объёме лицом, причинившим вред. " * 20 + VERDICT.requirement
_ROOT = Path(__file__).resolve().parents[2]


async def timed(call: Callable[[int], Awaitable[None]], calls: int, together: int) -> tuple[float, float]:
    """Return (seconds, seconds of this process' processors) a call, with so many under way at a time."""
    numbers = iter(range(calls))

    async def lane() -> None:
        for number in numbers:
            await call(number)

    begun, begun_cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(lane() for _ in range(together)))
    return (time.perf_counter() - begun) / calls, (time.process_time() - begun_cpu) / calls


def client_of(url: str, recorder: AttemptRecorder | None) -> ModelClient:
    profile = ModelProfile.model_validate(
        {
            "name": "fake",
            "provider": "openai",
            "model": "fake",
            "endpoint": url,
            "start_requests_per_second": 100_000,
            "requests_per_second": 100_000,
            "concurrency": 64,
        }
    )
    provider, endpoint = open_provider(profile)
    return ModelClient(profile, provider, endpoint=endpoint, recorder=recorder)


async def measure(
    url: str, calls: int, rounds: int, together: int, folder: Path
) -> dict[str, list[tuple[float, float]]]:
    sdk = AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120)
    database = Database(URL.create("sqlite+aiosqlite", database=str(folder / "ledger.sqlite3")))
    await upgrade(database)
    plain, kept = client_of(url, None), client_of(url, AttemptRecorder(database))
    messages = [Message("user", TEXT)]

    async def bare(_: int) -> None:
        completion = await sdk.chat.completions.create(
            model="fake", messages=[{"role": "user", "content": TEXT}], max_tokens=4096, temperature=0
        )
        json.loads(completion.choices[0].message.content or "")

    def ours(client: ModelClient) -> Callable[[int], Awaitable[None]]:
        async def call(number: int) -> None:
            outcome = await ask_contract(client, VERDICT, messages, purpose="bench", subject=str(number))
            if outcome.status is not OutcomeStatus.READ:
                raise SystemExit(f"a call failed: {outcome.failure}")

        return call

    ways = {"sdk": bare, "client": ours(plain), "client_with_ledger": ours(kept)}
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for call in ways.values():
        await timed(call, 50, together)
    for number in range(rounds):
        names = list(ways)
        for name in names[number % 3 :] + names[: number % 3]:
            seconds[name].append(await timed(ways[name], calls, together))
    await sdk.close()
    await plain.close()
    await kept.close()
    await database.close()
    return seconds


async def main(arguments: argparse.Namespace) -> None:
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fake_models", cwd=_ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    url = (await server.stdout.readline()).decode().strip()
    try:
        for together in (1, 8):
            with tempfile.TemporaryDirectory() as folder:
                seconds = await measure(url, arguments.calls, arguments.rounds, together, Path(folder))
            for name, values in seconds.items():
                # Rounds are paired: the machine's other work falls on all ways alike.
                pairs = list(zip(values, seconds["sdk"], strict=True))
                wall = [ours[0] / reference[0] for ours, reference in pairs]
                cpu = [ours[1] / reference[1] for ours, reference in pairs]
                median = statistics.median(value for value, _ in values)
                line = {
                    "bench": "models",
                    "way": name,
                    "together": together,
                    "calls": arguments.calls,
                    "rounds": arguments.rounds,
                    "ms_a_call": round(median * 1000, 3),
                    "calls_a_second": round(1 / median),
                    "reference": "openai SDK alone",
                    "ratio": round(statistics.median(wall), 3),
                    "ratio_of_processor_time": round(statistics.median(cpu), 3),
                    "ratio_min": round(min(wall), 3),
                    "ratio_max": round(max(wall), 3),
                }
                sys.stdout.write(json.dumps(line) + "\n")
    finally:
        server.terminate()
        await server.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.models", description=__doc__)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=21)
    asyncio.run(main(parser.parse_args()))
