"""What the acceptance tests share: the checkout, tools, and an environment as a newcomer has it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import psutil
import pytest

from tests.integration.conftest import graph_address, jars_folder, pytest_collection_modifyitems

__all__ = ["graph_address", "pytest_collection_modifyitems"]

ROOT = Path(__file__).resolve().parents[2]


def uv() -> str:
    """The uv that the scripts found or fetched."""
    found = shutil.which("uv") or (
        str(ROOT / ".tools" / "bin" / "uv") if (ROOT / ".tools" / "bin" / "uv").exists() else ""
    )
    if not found:
        pytest.fail("uv is neither on PATH nor in .tools; run the tests by scripts/test, which gets it")
    return found


def newcomer(home: Path, **more: str) -> dict[str, str]:
    """The environment of somebody who has Python and nothing else; jars and packages that came down before are shared."""
    python = Path(sys._base_executable).resolve()
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR", "LANG") if name in os.environ}
    # Where the package registry is and how it is reached, is the machine's business.
    own = ("PIP_", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
    kept |= {name: value for name, value in os.environ.items() if name.upper().startswith(own)}
    return {
        **kept,
        "PATH": "/usr/bin:/bin",
        "LEXHOP_PYTHON": str(python),
        "LEXHOP_HOME": str(home),
        "LEXHOP_LOCAL_JARS": str(jars_folder()),
        "LEXHOP_LOCAL_START_SECONDS": "240",
        "LEXHOP_LOCAL_ARCHIVE": "false",
        **more,
    }


def processes_of(folder: Path) -> list[psutil.Process]:
    """Every process that runs from a folder or names it in its command."""
    found = []
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        words = process.info["cmdline"] or []
        if any(str(folder) in word for word in words) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found
