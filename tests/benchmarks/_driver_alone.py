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
    async def work(transaction: neo4j.AsyncManagedTransaction, parameters: dict[str, Any]) -> int:
        result = await transaction.run(text, parameters)
        return len([record async for record in result])

    # A managed read in a session of its own, records as they come: less work than the driver's execute_query, which
    # keeps bookmarks too.
    rows = 0
    while waiting:
        async with driver.session(database="neo4j") as session:
            rows += await session.execute_read(work, waiting.popleft())
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
