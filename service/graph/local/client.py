"""How everybody else comes to the local graph: joins the host, or starts it."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

from service.errors import ConflictError, UnavailableError
from service.graph.address import GraphAddress
from service.graph.local.archive import archive_lock
from service.graph.local.locks import ProcessLock, is_free
from service.graph.local.paths import LocalPaths
from service.graph.local.progress import Report
from service.graph.local.start import start_host, wait_until_ready
from service.graph.local.state import HostState, read_instance, read_password, read_state

if TYPE_CHECKING:
    from pathlib import Path

    from service.graph.local.auth import LocalAuth
    from service.settings import Settings

__all__ = ["LocalGraph", "LocalLease", "LocalStatus"]

_USER = "neo4j"
_DATABASE = "neo4j"
_STOP_SECONDS = 60.0
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class LocalStatus:
    """What can be said about the local graph without touching it.

    Attributes:
        state: ``down`` when no host lives.
        in_use: Whether a client holds it.
        version: Neo4j version: of the host, or of the data when none lives; None for a home without data.
        url: Where Bolt answers, or will; None for a home without data.
        pid: The host's process.
        folder: Where everything of it is.
        log: What the host says.
        password_file: Where the password of this start is.
        idle_seconds: After how long without clients a host started now would end.
    """

    state: Literal["down", "starting", "ready", "stopping"]
    in_use: bool
    version: str | None
    url: str | None
    pid: int | None
    folder: str
    log: str
    password_file: str
    idle_seconds: int


class LocalGraph:
    """A Neo4j of one's own on this machine; any number of processes may use one at once.

    Args:
        settings: Where it is and how it is started.
        report: Where progress is shown; on standard error by default.
    """

    def __init__(self, settings: Settings, report: Report | None = None) -> None:
        self._settings = settings
        self._report = report or Report()
        self.paths = LocalPaths.of(settings)

    def acquire(self) -> LocalLease:
        """Join the host, starting it first where none lives; this blocks, for minutes when jars must come down.

        Raises:
            SetupError: The extra is not installed, a jar differs from the lock, there is no space, the data is of a
                newer Neo4j.
            UnavailableError: The port is taken, the jars cannot be fetched, or the start took too long.
            ConflictError: A host of another version is up.
        """
        self.paths.create()
        hold = ProcessLock.take(self.paths.clients_lock, shared=True)
        try:
            hold.touch()
            return LocalLease(self, hold, self.ensure_up())
        except BaseException:
            hold.release()
            raise

    def ensure_up(self) -> GraphAddress:
        """Return the address of a host that is ready; only for those who hold the clients' lock."""
        state = self._living()
        if state is None or state.phase != "ready":
            waiting = f"waiting for another process that starts the local graph in {self.paths.root}"
            with ProcessLock.take(self.paths.start_lock, on_wait=lambda: self._report.note(waiting)):
                state = self._start_or_join()
        if state.version != self._settings.local_version:
            raise ConflictError(
                f"the local graph in {str(self.paths.root)!r} runs Neo4j {state.version}, and LEXHOP_LOCAL_VERSION is "
                f"{self._settings.local_version!r}; stop it first (lexhop graph down), or set LEXHOP_LOCAL_VERSION to "
                f"{state.version}"
            )
        password = read_password(self.paths.password)
        if password is None:
            raise UnavailableError(f"the local graph in {str(self.paths.root)!r} is stopping just now; try again")
        return GraphAddress(f"bolt://127.0.0.1:{state.port}", _USER, password, _DATABASE)

    def status(self) -> LocalStatus:
        """Say what is there; nothing is started, created or waited for."""
        state = self._living()
        instance = read_instance(self.paths.instance)
        phase: Literal["down", "starting", "ready", "stopping"] = "down"
        if state is not None and state.phase != "failed":
            phase = state.phase
        port = (state.port if state else 0) or (instance.port if instance else 0)
        return LocalStatus(
            state=phase,
            in_use=self.in_use(),
            version=state.version if state else instance.version if instance else None,
            url=f"bolt://127.0.0.1:{port}" if port else None,
            pid=(state.pid or None) if state else None,
            folder=str(self.paths.root),
            log=str(self.paths.log),
            password_file=str(self.paths.password),
            idle_seconds=self._settings.local_idle_seconds,
        )

    def in_use(self) -> bool:
        """Whether a client holds the graph just now."""
        if not self.paths.clients_lock.exists():
            return False
        hold = ProcessLock.try_take(self.paths.clients_lock, patience=0.3)
        if hold is None:
            return True
        hold.release()
        return False

    def down(self, *, force: bool = False) -> bool:
        """Shut the host down cleanly and wait for its end.

        Args:
            force: Also while clients hold it; they start it again when they next need it.

        Returns:
            Whether there was a host.

        Raises:
            ConflictError: It is in use, and ``force`` is not given.
        """
        if is_free(self.paths.host_lock):
            return False
        with ProcessLock.take(self.paths.start_lock):
            state = self._living()
            if state is None:
                return False
            # Held to the end, so that nobody joins a host that is told to go.
            hold = ProcessLock.try_take(self.paths.clients_lock, patience=0.3)
            if hold is None and not force:
                raise ConflictError(
                    f"the local graph in {str(self.paths.root)!r} is in use by another process; end that first, "
                    "or give --force (its users start it again when they next need it)"
                )
            try:
                self._end(state)
            finally:
                if hold is not None:
                    hold.release()
        return True

    def await_archive(self, seconds: float) -> bool:
        """Wait while an archive for quicker starts is being made; whether nobody makes one any more."""
        until = time.monotonic() + seconds
        while not (over := is_free(archive_lock(self.paths.jars))) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        return over

    def _end(self, state: HostState) -> None:
        # The start lock is ours and the host's lock is held, so this is the living host's own number.
        for sign, seconds in ((signal.SIGTERM, _STOP_SECONDS), (signal.SIGKILL, 10.0)):
            try:
                os.kill(state.pid, sign)
            except ProcessLookupError:
                return
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                if is_free(self.paths.host_lock):
                    return
                time.sleep(_POLL_SECONDS)
            self._report.note(f"the local graph's process {state.pid} did not end in {seconds:.0f} s")

    def _living(self) -> HostState | None:
        """Return what the living host says; None when none lives.

        A host that lives and has not said anything yet is one that is starting.
        """
        if is_free(self.paths.host_lock):
            return None
        state = read_state(self.paths.state)
        return state or HostState(pid=0, version=self._settings.local_version, port=0, phase="starting")

    def _start_or_join(self) -> HostState:
        seconds = float(self._settings.local_start_seconds)
        state = self._living()
        if state is not None and state.phase != "ready":
            # Somebody's start whose starter was killed, or a host that is on its way out.
            state = wait_until_ready(self.paths, seconds)
        return state or start_host(self._settings, self.paths, self._report)


class LocalLease:
    """A hold of the local graph: while it is open the host does not go for want of users.

    A context manager. Threads may share one; ``refresh`` blocks, so async code calls it by ``asyncio.to_thread``.
    """

    def __init__(self, graph: LocalGraph, hold: ProcessLock, address: GraphAddress) -> None:
        self._graph = graph
        self._hold = hold
        self._address = address
        self._mutex = threading.Lock()

    @property
    def address(self) -> GraphAddress:
        """Where the graph answered when it was last asked about."""
        return self._address

    @property
    def folder(self) -> Path:
        """Where everything of this local graph is."""
        return self._graph.paths.root

    def auth(self) -> LocalAuth:
        """Return what an async driver logs in with, so that it follows the password over restarts of the host."""
        # The driver takes a second to import, and neither the host nor half of the commands need it.
        from service.graph.local.auth import LocalAuth  # noqa: PLC0415

        return LocalAuth(_USER, self._graph.paths.password)

    def refresh(self) -> GraphAddress:
        """Return the present address, after starting the host again where it is gone; cheap when it is there.

        Raises:
            LexhopError: As ``LocalGraph.acquire``.
        """
        with self._mutex:
            self._address = self._graph.ensure_up()
            return self._address

    def close(self) -> None:
        """Give the hold back; a second time does nothing."""
        with self._mutex:
            if self._hold.is_held:
                self._hold.touch()
                self._hold.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
