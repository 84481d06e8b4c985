"""What takes seconds to import waits until somebody needs it: a command must start quickly."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Statistics, spreadsheets, pictures and models: nothing that a load, a service or the demo needs to begin.
HEAVY = ("scipy", "statsmodels", "pandas", "matplotlib", "openpyxl", "openai", "krippendorff")


@pytest.mark.parametrize(
    "modules",
    [
        "service.cli.main, service.cli.corpus, service.cli.graph",
        "service.cli.demo, service.cli.serve, service.app, service.server",
        "loaders.corpus, service.graph.load, service.graph.opening",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(modules: str) -> None:
    ask = f"import sys, {modules}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
