"""Runs every benchmark: ``python -m tests.benchmarks [name …]``, each in a process of its own.

A module declares itself by naming its command, ``python -m tests.benchmarks.<name>``, in its first lines. Everything on
standard output is a JSON line; the last line of each says how it ended.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path


def declared() -> list[str]:
    """The benchmarks' names, in order."""
    found = []
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        head = path.read_text(encoding="utf-8")[:2000]
        if f"python -m tests.benchmarks.{path.stem}" in head:
            found.append(path.stem)
    return found


def main(names: list[str]) -> int:
    known = declared()
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.stderr.write(f"no benchmark {unknown[0]!r}; there is {', '.join(known)}\n")
        return 2
    worst = 0
    for name in names or known:
        sys.stderr.write(f"== {name}\n")
        begun = time.perf_counter()
        status = subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], check=False).returncode
        worst = worst or status
        line = {"benchmark": name, "status": status, "seconds": round(time.perf_counter() - begun, 1)}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
