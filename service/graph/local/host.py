"""The host process: ``python -m service.graph.local.host SPEC``, SPEC being JSON.

It becomes a process of its own, in a session of its own, and lives until nobody has held the graph for the idle time,
until it is told to stop (SIGTERM), or until its folder is gone. It may be killed at any moment: its lock goes with it.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, NoReturn

from service.graph.local.engine import Engine
from service.graph.local.locks import ProcessLock
from service.graph.local.spec import ALREADY_RUNNING, HostSpec
from service.graph.local.state import HostState, write_private

if TYPE_CHECKING:
    from collections.abc import Sequence

    from service.graph.local.archive import ArchiveBuild

__all__ = ["Host", "main"]

# What the first queries load belongs into the archive too.
_ARCHIVE_AFTER_SECONDS = 5.0

_log = logging.getLogger("lexhop.graph.local")


class Host:
    """One life of the host.

    Args:
        spec: What to start.
        lock: The host's lock, taken; it is held until the process ends.
    """

    def __init__(self, spec: HostSpec, lock: ProcessLock) -> None:
        self._spec = spec
        self._lock = lock
        self._paths = spec.paths
        self._engine = Engine(spec)
        self._stop = threading.Event()
        self._used: float | None = None
        self._build: ArchiveBuild | None = None

    def run(self) -> int:
        """Start, serve, stop; return the exit status."""
        signal.signal(signal.SIGTERM, lambda *_: self._stop.set())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._say("starting")
        try:
            self._engine.start()
        except Exception as error:  # noqa: BLE001 -- Java throws anything; it is logged and told to the starter
            _log.exception("the start failed")
            self._say("failed", str(error).splitlines()[0] if str(error) else type(error).__name__)
            return 1
        self._say("ready")
        _log.info("ready on 127.0.0.1:%d", self._spec.port)
        reason = self._serve()
        if self._build is not None:
            self._build.cancel()
        _log.info("shutting down: %s", reason)
        if reason != "folder gone":
            self._engine.stop()
            self._paths.password.unlink(missing_ok=True)
            self._paths.state.unlink(missing_ok=True)
        _log.info("ended")
        return 0

    def _serve(self) -> str:
        """Return once there is a reason to stop, which it names."""
        pause = min(1.0, self._spec.idle_seconds / 4)
        idle_since = time.monotonic()
        archive_at = time.monotonic() + _ARCHIVE_AFTER_SECONDS
        while not self._stop.wait(pause):
            if self._build is not None:
                self._build = None if self._build.finished() else self._build
            elif time.monotonic() >= archive_at:
                archive_at = math.inf
                self._build = self._engine.begin_archive()
            if not self._lock.is_in_place():
                return "folder gone"
            hold = ProcessLock.try_take(self._paths.clients_lock)
            if hold is None or self._was_used(hold):
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since >= self._spec.idle_seconds:
                # Said while no client can come in: whoever comes next sees it and waits for the end.
                self._say("stopping")
                hold.release()
                return "nobody used it"
            if hold is not None:
                hold.release()
        self._say("stopping")
        return "told to stop"

    def _was_used(self, hold: ProcessLock) -> bool:
        """Whether somebody held the graph since the last look, however shortly."""
        stamp = os.fstat(hold.descriptor).st_mtime
        used = stamp != self._used
        self._used = stamp
        return used

    def _say(self, phase: str, message: str = "") -> None:
        state = HostState.model_validate(
            {
                "pid": os.getpid(),
                "version": self._spec.version,
                "port": self._spec.port,
                "phase": phase,
                "message": message,
            }
        )
        write_private(self._paths.state, state.model_dump_json())


def main(arguments: Sequence[str]) -> NoReturn:
    """Take the host's lock, leave the caller, and live."""
    spec = HostSpec.model_validate_json(arguments[0])
    lock = ProcessLock.try_take(spec.paths.host_lock, patience=2.0)
    if lock is None:
        os._exit(ALREADY_RUNNING)
    # The caller must not become the parent of a process that outlives it, and need not wait for one that does not.
    # The lock was taken before: from here on there is no moment in which neither process holds it.
    if os.fork() != 0:
        os._exit(0)
    os.setsid()
    os.chdir(spec.root)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    status = 1
    try:
        status = Host(spec, lock).run()
    except Exception:  # noqa: BLE001 -- the log is the only place left to say it
        _log.exception("the host failed")
    finally:
        # Java's own threads would keep the process.
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
