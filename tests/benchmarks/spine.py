"""The spine's speed, each figure beside its reference of the same run: ``python -m tests.benchmarks.spine [part …]``.

Parts, all by default: ``load`` (time and peak memory of the ten codes), ``cold`` (distinct requests for an article and
for a context beside the driver alone, as many at once, running the same query), ``warm`` (repeats beside a bare FastAPI
route that returns the same bytes), ``ten`` (a cold context with ten times the graph loaded beside the same with one).

Client, service and driver are processes of their own; measured and reference take turns, and the median of the rounds'
ratios is printed with the least and the greatest. The graph is a local Neo4j in a scratch home, or the one that
LEXHOP_TEST_NEO4J_URL names. Real texts come from LEXHOP_TEST_DATA; without them the sample is loaded, and the lines say so.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from service.graph.address import GraphAddress
from service.graph.catalog import corpus_uid, read_catalog
from service.graph.content import CorpusContent
from service.graph.load import drop_version, load_version
from service.graph.opening import open_graph
from service.graph.reading import read_content
from service.graph.rows import norm_uid
from tests.benchmarks._scratch_graph import scratch_graph
from tests.integration.service.conftest import settings_for

ROUNDS = 5
AT_ONCE = 8
REQUESTS = 400
WARM = 2000
COPIES = tuple(f"copy{number}" for number in range(1, 10))


def say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def beside(what: str, reference: str, ratios: Sequence[float], bar: float, **more: Any) -> None:
    """Print one figure as a ratio to its reference."""
    say(
        benchmark="spine",
        what=what,
        reference=reference,
        ratio=round(statistics.median(ratios), 3),
        ratio_min=round(min(ratios), 3),
        ratio_max=round(max(ratios), 3),
        bar=bar,
        **more,
    )


class Bench:
    """One graph and one corpus in it."""

    def __init__(self, address: GraphAddress, home: Path) -> None:
        self.address = address
        self.home = home
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LEXHOP_")}
        self.environment = {
            **kept,
            "LEXHOP_GRAPH_URL": address.url,
            "LEXHOP_GRAPH_USER": address.user,
            "LEXHOP_GRAPH_PASSWORD": address.password.get_secret_value(),
            "LEXHOP_HOME": str(home),
        }
        self.settings = settings_for(address, home=home)
        self.key = ""
        self.content: CorpusContent
        self.random = random.Random(20_261_130)

    def child(self, module: str, *arguments: str, lines: Sequence[str]) -> dict[str, Any]:
        """Run a process of the benchmark to its end."""
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env=self.environment,
            input="\n".join(lines),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    @contextmanager
    def serving(self) -> Iterator[int]:
        command = [sys.executable, "-m", "service", "serve", "--port", "0", "--json"]
        environment = self.environment | {"LEXHOP_CORPUS": self.key}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = ""
            while not said.rstrip().endswith("}"):
                said += process.stdout.readline()
            try:
                yield int(json.loads(said)["url"].rpartition(":")[2])
            finally:
                process.terminate()

    def articles(self, count: int) -> list[tuple[str, dict[str, Any]]]:
        """Distinct requests for an article: the path, and the parameters of the query behind it."""
        version = corpus_uid(self.key, self.content.version)
        chosen = self.random.sample(self.content.articles, min(count, len(self.content.articles)))
        return [(f"/v1/articles/{urllib.parse.quote(one.ref)}", {"uid": norm_uid(version, one.ref)}) for one in chosen]

    def contexts(self, count: int) -> list[tuple[str, dict[str, Any]]]:
        """The same for the context of two related norms."""
        version = corpus_uid(self.key, self.content.version)
        chosen = self.random.sample(self.content.relations, min(count, len(self.content.relations)))
        asked = []
        for one in chosen:
            seeds = [one.source_id, one.target_id]
            path = "/v1/context?" + urllib.parse.urlencode({"norm_id": seeds}, doseq=True)
            uids = [norm_uid(version, seed) for seed in seeds]
            asked.append((path, {"seeds": uids, "token_budget": 40_000, "max_chunks": 25, "as_of": None}))
        return asked

    def ask(self, port: int, paths: Sequence[str]) -> float:
        """Ask the service; return seconds a request."""
        done = self.child("tests.benchmarks._http_load", "127.0.0.1", str(port), str(AT_ONCE), lines=paths)
        assert done["answers"] == len(paths)
        return float(done["seconds"]) / len(paths)

    def drive(self, name: str, parameters: Sequence[dict[str, Any]]) -> float:
        """Let the driver alone run the query; return seconds a query."""
        lines = [json.dumps(one) for one in parameters]
        done = self.child("tests.benchmarks._driver_alone", name, str(AT_ONCE), lines=lines)
        assert done["answers"] == len(parameters)
        return float(done["seconds"]) / len(parameters)


def load(bench: Bench) -> None:
    """Load the corpus by the command line, and say what it took."""
    data = Path(os.environ.get("LEXHOP_TEST_DATA", "../shared/data")) / "ru-statutes"
    if not data.is_dir():
        bench.key = "sample"
        command = [sys.executable, "-m", "service", "corpus", "load", "sample", "--from", "data/sample", "--json"]
    else:
        bench.key = "ru"
        command = [sys.executable, "-m", "service", "corpus", "load", "ru", "--from", str(data), "--json"]
    begun = time.perf_counter()
    done = subprocess.run(command, env=bench.environment, stdout=subprocess.PIPE, text=True, check=True)
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    outcome = json.loads(done.stdout)
    say(
        benchmark="spine",
        what=f"load {bench.key}",
        articles=outcome["counts"]["articles"],
        relations=outcome["counts"]["relations"],
        unchanged=outcome["unchanged"],
        seconds=round(seconds, 1),
        reference="90 s",
        ratio=round(seconds / 90, 3),
        peak_mib=round(peak),
        reference_mib=1024,
        ratio_mib=round(peak / 1024, 3),
    )


async def read_back(bench: Bench) -> CorpusContent:
    async with open_graph(bench.settings) as store:
        return await read_content(store, (await read_catalog(store)).find(bench.key))


def cold(bench: Bench) -> None:
    for what, name, ask in (
        ("article", "articles/by_uid", bench.articles),
        ("context", "context/walk", bench.contexts),
    ):
        per_round = ROUNDS + 1
        requests = ask(REQUESTS * per_round)
        size = len(requests) // per_round
        ratios, ours, alone = [], [], []
        with bench.serving() as port:
            for turn in range(per_round):
                part = requests[turn * size : (turn + 1) * size]
                reference = bench.drive(name, [parameters for _, parameters in part])
                measured = bench.ask(port, [path for path, _ in part])
                if turn:  # the first round warms plans, pools and pages
                    ratios.append(reference / measured)
                    ours.append(measured)
                    alone.append(reference)
        beside(
            f"cold {what}, requests a second",
            f"the driver alone running {name}",
            ratios,
            0.45,
            corpus=bench.key,
            at_once=AT_ONCE,
            requests=size * ROUNDS,
            a_second=round(1 / statistics.median(ours)),
            reference_a_second=round(1 / statistics.median(alone)),
        )


def warm(bench: Bench) -> None:
    (context, _), *_ = bench.contexts(1)
    (article, _), *_ = bench.articles(1)
    with bench.serving() as port:
        for what, path in (("article", article), ("context", context)):
            import urllib.request

            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
                body = answer.read()
            file = bench.home / "body"
            file.write_bytes(body)
            command = [sys.executable, "-m", "tests.benchmarks._bare_route", str(file)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bare:
                assert bare.stdout is not None
                bare_port = int(bare.stdout.readline())
                try:
                    ratios, ours, theirs = [], [], []
                    for turn in range(ROUNDS + 1):
                        reference = bench.ask(bare_port, [path] * WARM)
                        measured = bench.ask(port, [path] * WARM)
                        if turn:
                            ratios.append(reference / measured)
                            ours.append(measured)
                            theirs.append(reference)
                finally:
                    bare.terminate()
            beside(
                f"warm {what}, requests a second",
                "a bare FastAPI route that returns the same bytes",
                ratios,
                0.5,
                bytes=len(body),
                at_once=AT_ONCE,
                a_second=round(1 / statistics.median(ours)),
                reference_a_second=round(1 / statistics.median(theirs)),
            )


async def _copy(bench: Bench) -> None:
    async with open_graph(bench.settings) as store:
        for key in COPIES:
            await load_version(store, key, bench.content, wait_seconds=60)


async def _uncopy(bench: Bench) -> None:
    async with open_graph(bench.settings) as store:
        for one in (await read_catalog(store)).versions:
            if one.key in COPIES:
                await drop_version(store, one)


def ten(bench: Bench) -> None:
    requests = bench.contexts(REQUESTS * 2 * (ROUNDS + 1))
    half = len(requests) // 2
    size = half // (ROUNDS + 1)

    def measure(part: Sequence[tuple[str, dict[str, Any]]]) -> list[float]:
        with bench.serving() as port:
            found = [
                bench.ask(port, [path for path, _ in part[turn * size : (turn + 1) * size]])
                for turn in range(ROUNDS + 1)
            ]
        return found[1:]

    once = measure(requests[:half])
    asyncio.run(_copy(bench))
    try:
        tenfold = measure(requests[half:])
    finally:
        asyncio.run(_uncopy(bench))
    middle = statistics.median(once)
    beside(
        "cold context with ten times the graph, seconds",
        "the same with one",
        [one / middle for one in tenfold],
        1.3,
        corpus=bench.key,
        milliseconds=round(statistics.median(tenfold) * 1000, 2),
        reference_milliseconds=round(middle * 1000, 2),
    )


PARTS = {"load": load, "cold": cold, "warm": warm, "ten": ten}


def run(address: GraphAddress, home: Path, parts: Sequence[str]) -> None:
    bench = Bench(address, home)
    load(bench)
    bench.content = asyncio.run(read_back(bench))
    for part in parts:
        if part != "load":
            PARTS[part](bench)


def main(parts: Sequence[str]) -> None:
    with scratch_graph() as (address, home):
        run(address, home, parts)


if __name__ == "__main__":
    unknown = [one for one in sys.argv[1:] if one not in PARTS]
    if unknown:
        sys.exit(f"no part {unknown[0]!r}; there is {', '.join(PARTS)}")
    main(sys.argv[1:] or list(PARTS))
