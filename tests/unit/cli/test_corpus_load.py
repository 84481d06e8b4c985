"""What `lexhop corpus load` says before it touches any graph."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("key", ["ru", "samples"])
def test_only_the_sample_needs_no_folder(key: str, tmp_path: Path) -> None:
    environment = {**os.environ, "LEXHOP_HOME": str(tmp_path)}
    program = "from service.cli import main; main()"
    command = [sys.executable, "-c", program, "corpus", "load", key]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert done.stderr.strip() == (
        f"lexhop: corpus {key!r} has no texts of its own here (only 'sample' has); name a folder with --from"
    )
    assert list(tmp_path.iterdir()) == []
