"""Fetches one jar at a time from a Maven repository, going on where an earlier try was cut."""

from __future__ import annotations

import errno
import hashlib
from typing import TYPE_CHECKING, Self

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from service.errors import SetupError, UnavailableError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from service.graph.local.lockfile import LockedJar

__all__ = ["Downloader"]

_ATTEMPTS = 5
_REMEDY = (
    "look at the connection and run the same command again (what is here stays), set LEXHOP_LOCAL_REPOSITORY to a "
    "Maven repository that this machine reaches, or LEXHOP_GRAPH_URL to a Neo4j of yours"
)


class _CutError(Exception):
    """A try that is worth another one."""


class Downloader:
    """Fetches jars into a folder; threads may share one.

    Args:
        repositories: Addresses of Maven repositories, asked in turn.
        folder: Where jars go, laid out as a Maven repository. A jar under its own name is whole and checked; what is
            under way has the suffix ``.part``.
        stop: Ends every fetch soon after it is set.
        patience: Seconds to wait before the second try; twice as long before each further one, by chance less.
    """

    def __init__(
        self, repositories: Sequence[str], folder: Path, stop: threading.Event, *, patience: float = 1.0
    ) -> None:
        self._repositories = repositories
        self._folder = folder
        self._stop = stop
        self._patience = patience
        self._client = httpx.Client(follow_redirects=True, timeout=httpx.Timeout(30.0, connect=10.0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def here(self, jar: LockedJar) -> int:
        """Return how many bytes of a jar an earlier try left."""
        part = self._part(jar)
        return min(part.stat().st_size, jar.size) if part.is_file() else 0

    def fetch(self, jar: LockedJar, advance: Callable[[int], None]) -> None:
        """Fetch one jar, check it, and give it its name.

        Args:
            jar: What to fetch.
            advance: Called with each number of bytes that came in.

        Raises:
            SetupError: What came is not what the lock says, the repository has no such jar, or the disk is full.
            UnavailableError: The repository did not answer, after several tries.
        """
        part = self._part(jar)
        part.parent.mkdir(parents=True, exist_ok=True)
        resumed = part.is_file()
        try:
            digest = self._complete(jar, part, advance)
            if digest != jar.sha256 and resumed:
                # The older half may be of a write that never reached the disk: once more, from the start.
                part.unlink()
                digest = self._complete(jar, part, lambda _: None)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise SetupError(
                    f"no space is left for jar {jar.jar!r} in {str(self._folder)!r}; make room and run the same "
                    "command again, or set LEXHOP_HOME to a folder on another disk"
                ) from error
            raise
        if digest != jar.sha256:
            part.unlink()
            raise SetupError(
                f"jar {jar.jar!r} from {', '.join(self._repositories)} has SHA-256 {digest}, and the lock says "
                f"{jar.sha256}: refused. If the repository is a mirror, it serves something else under that name"
            )
        part.replace(self._folder / jar.path)

    def _part(self, jar: LockedJar) -> Path:
        return (self._folder / jar.path).with_suffix(".jar.part")

    def _complete(self, jar: LockedJar, part: Path, advance: Callable[[int], None]) -> str:
        tries = Retrying(
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_random_exponential(multiplier=self._patience, max=30),
            retry=retry_if_exception_type(_CutError),
            sleep=self._pause,
            reraise=True,
        )
        try:
            tries(self._any, jar, part, advance)
        except _CutError as error:
            raise UnavailableError(f"jar {jar.jar!r} could not be fetched: {error}; {_REMEDY}") from error
        with part.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _pause(self, seconds: float) -> None:
        self._stop.wait(seconds)

    def _any(self, jar: LockedJar, part: Path, advance: Callable[[int], None]) -> None:
        """Ask each repository in turn; a jar that is in none of them is not worth another try."""
        for repository in self._repositories:
            if self._from(f"{repository}/{jar.path}", jar, part, advance):
                return
        raise SetupError(f"jar {jar.jar!r} is in none of {', '.join(self._repositories)}; {_REMEDY}")

    def _from(self, address: str, jar: LockedJar, part: Path, advance: Callable[[int], None]) -> bool:
        have = part.stat().st_size if part.is_file() else 0
        if have == jar.size:
            return True
        if have > jar.size:
            part.unlink()
            have = 0
        try:
            headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
            with self._client.stream("GET", address, headers=headers) as response:
                if response.status_code in (404, 410):
                    return False
                if response.status_code not in (200, 206):
                    raise _CutError(f"{address} answered {response.status_code}")
                whole = response.status_code == 200
                if not whole and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                    part.unlink(missing_ok=True)
                    raise _CutError(f"{address} sent another range than the one asked for")
                if whole and have:
                    advance(-have)
                self._write(response, part, "wb" if whole else "ab", jar, advance)
        except httpx.HTTPError as error:
            raise _CutError(f"{address}: {str(error) or type(error).__name__}") from error
        if part.stat().st_size != jar.size:
            raise _CutError(f"{address} sent {part.stat().st_size} of {jar.size} bytes")
        return True

    def _write(
        self, response: httpx.Response, part: Path, mode: str, jar: LockedJar, advance: Callable[[int], None]
    ) -> None:
        with part.open(mode) as file:
            for chunk in response.iter_raw():
                if self._stop.is_set():
                    raise UnavailableError(f"jar {jar.jar!r}: the download was stopped; run the same command again")
                file.write(chunk)
                advance(len(chunk))
                if file.tell() > jar.size:
                    raise SetupError(f"jar {jar.jar!r} is longer than the {jar.size} bytes of the lock: refused")
