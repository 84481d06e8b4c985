"""Brings the jars of a lock onto this machine, and lets none through that differs from the lock."""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from service.errors import SetupError
from service.graph.local.download import Downloader
from service.graph.local.locks import ProcessLock
from service.graph.local.paths import require_space

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from service.graph.local.lockfile import JarLock, LockedJar
    from service.graph.local.progress import Report

__all__ = ["ensure_jars", "repositories"]

_WORKERS = 6


def repositories(mirror: str | None) -> list[str]:
    """Return the addresses of the Maven repositories to ask, first to last.

    Args:
        mirror: The one to ask instead of jgo's; jgo's are its default and those of its own configuration file.
    """
    if mirror is not None:
        return [mirror.rstrip("/")]
    import jgo.config  # noqa: PLC0415 -- the extra lexhop[local]
    import jgo.constants  # noqa: PLC0415

    named = {"central": jgo.constants.MAVEN_CENTRAL_URL, **jgo.config.GlobalSettings.load().repositories}
    return [str(address).rstrip("/") for address in named.values()]


def ensure_jars(
    lock: JarLock, folder: Path, mirror: str | None, report: Report, *, patience: float = 1.0
) -> list[Path]:
    """Return the jars of a lock, each checked against its SHA-256, after fetching those that are missing.

    One process at a time fetches into a folder. A fetch that was interrupted is taken up again: whole jars stay, and of
    a jar that was cut only the rest is fetched.

    Args:
        lock: What is needed.
        folder: Where jars are kept, laid out as a Maven repository.
        mirror: A Maven repository to ask instead of jgo's.
        report: Where progress is shown.
        patience: Seconds before the second try of a jar.

    Raises:
        SetupError: A jar differs from the lock, is nowhere to be had, or the disk is too small.
    """
    waiting = f"waiting for another process that fetches jars into {folder}"
    with ProcessLock.take(folder / ".lock", on_wait=lambda: report.note(waiting)):
        missing = [jar for jar in lock.jars if not (folder / jar.path).is_file()]
        if missing:
            _fetch(missing, lock, folder, mirror=mirror, report=report, patience=patience)
        for jar in lock.jars:
            _verify(jar, folder / jar.path)
    return [folder / jar.path for jar in lock.jars]


def _fetch(
    missing: Sequence[LockedJar], lock: JarLock, folder: Path, *, mirror: str | None, report: Report, patience: float
) -> None:
    stop = threading.Event()
    with Downloader(repositories(mirror), folder, stop, patience=patience) as downloader:
        here = sum(downloader.here(jar) for jar in missing)
        needed = sum(jar.size for jar in missing)
        require_space(folder, needed - here, f"fetching Neo4j {lock.neo4j}")
        text = f"Neo4j {lock.neo4j} (GPLv3)"
        with (
            report.download(text, total=lock.size, done=lock.size - needed + here) as advance,
            ThreadPoolExecutor(_WORKERS, "jars") as pool,
        ):
            futures = [pool.submit(downloader.fetch, jar, advance) for jar in missing]
            try:
                finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
            finally:
                stop.set()
                pool.shutdown(cancel_futures=True)


def _verify(jar: LockedJar, path: Path) -> None:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != jar.sha256:
        raise SetupError(
            f"jar {jar.jar!r} at {str(path)!r} has SHA-256 {digest}, and the lock says {jar.sha256}: it is damaged or "
            "was changed. Remove that file, and the next start fetches it again"
        )
