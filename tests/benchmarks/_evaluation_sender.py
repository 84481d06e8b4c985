"""Sends answers as one NDJSON request, as lightly as Python can, in a process of its own.

``python -m tests.benchmarks._evaluation_sender HOST PORT`` takes a JSON object a line, {path, key, file}, sends the file,
and prints {seconds, statuses}: from the first byte sent to the last receipt received.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections import Counter
from pathlib import Path


def main(host: str, port: int) -> None:
    for line in sys.stdin:
        order = json.loads(line)
        content = Path(order["file"]).read_bytes()
        headers = {"Authorization": f"Bearer {order['key']}", "Content-Type": "application/x-ndjson"}
        connection = http.client.HTTPConnection(host, port, timeout=600)
        connection.connect()
        begun = time.perf_counter()
        connection.request("POST", order["path"], body=content, headers=headers)
        answer = connection.getresponse()
        receipts = answer.read()
        seconds = time.perf_counter() - begun
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"the service answered {answer.status}: {receipts[:500]!r}")
        statuses = Counter(str(json.loads(receipt)["status"]) for receipt in receipts.splitlines())
        sys.stdout.write(json.dumps({"seconds": seconds, "statuses": statuses}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
