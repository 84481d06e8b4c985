"""Draws the README's picture from what the demo really says: ``python -m tests.docs.picture``."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from service.cli.demo_runs import show_runs
from service.cli.showing import demo_parts
from tests.docs.generated import ROOT

_PICTURE = ROOT / "docs" / "pictures" / "demo.svg"
_WIDTH = 118
# What fits one picture; the whole tour is three times as long.
_PARTS = ("article", "relations", "paths", "task")


def draw(shown: dict[str, Any]) -> str:
    """The guided tour as an SVG that needs nothing from elsewhere."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, highlight=False)
    parts = demo_parts(shown)
    for title, content in (parts[name] for name in _PARTS):
        console.rule(Text(title))
        console.print(content)
        console.print()
    show_runs(console, shown)
    svg = console.export_svg(title="scripts/demo --once", unique_id="lexhop")
    # rich names a web font's address; the reader's own monospaced font serves as well.
    svg = re.sub(r"@font-face\s*\{[^}]*\}\s*", "", svg)
    return svg.replace("Fira Code, monospace", "ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace")


def main() -> None:
    """Run the demo once and draw it."""
    command = [sys.executable, "-m", "service", "demo", "--once", "--json"]
    shown = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    _PICTURE.parent.mkdir(exist_ok=True)
    _PICTURE.write_text(draw(shown), encoding="utf-8")


if __name__ == "__main__":
    main()
