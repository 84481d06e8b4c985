"""The official async driver alone, running one query of ours with many parameters, in a process of its own.

``python -m tests.benchmarks._driver_alone QUERY TASKS``, one JSON object of parameters a line on standard input, the
address in LEXHOP_GRAPH_*; prints one JSON object with the seconds taken and the rows.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections import deque
from typing import Any

import neo4j

from service.graph.queries import query


async def _task(driver: neo4j.AsyncDriver, text: str, waiting: deque[dict[str, Any]]) -> int:
    rows = 0
    while waiting:
        # The driver's own short way: a managed read, retried, its records fetched.
        result = await driver.execute_query(text, waiting.popleft(), routing_="r", database_="neo4j")
        rows += len(result.records)
    return rows


async def _run(text: str, tasks: int, waiting: deque[dict[str, Any]]) -> dict[str, float]:
    auth = (os.environ["LEXHOP_GRAPH_USER"], os.environ["LEXHOP_GRAPH_PASSWORD"])
    async with neo4j.AsyncGraphDatabase.driver(
        os.environ["LEXHOP_GRAPH_URL"],
        auth=auth,
        telemetry_disabled=True,
        notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
    ) as driver:
        await driver.verify_connectivity()
        begun = time.perf_counter()
        rows = sum(await asyncio.gather(*(_task(driver, text, waiting) for _ in range(tasks))))
        return {"seconds": time.perf_counter() - begun, "answers": rows}


def main() -> None:
    import uvloop

    waiting = deque(json.loads(line) for line in sys.stdin)
    sys.stdout.write(json.dumps(uvloop.run(_run(query(sys.argv[1]).text, int(sys.argv[2]), waiting))) + "\n")


if __name__ == "__main__":
    main()
