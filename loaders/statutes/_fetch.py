"""Fetches the texts of a corpus from its official portal into a folder, politely and so that it can be taken up again.

One request at a time with a pause between them; a file that is here is asked for with If-Modified-Since; what came
whole and reads as statute is renamed into place, so that a folder never holds half a file. After each file the
folder's manifest and the record of what was fetched (``.fetched.json``) are brought up to date.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from loaders.statutes._manifest import ActEntry, FetchEntry, FileEntry, Manifest, builtin_manifest
from loaders.statutes._shelf import Outcome, Shelf
from service.errors import InputError, NotFoundError, SourceError, TooLargeError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

__all__ = ["FetchProgress", "FetchReport", "Fetched", "fetch_statutes"]

_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))
_LARGEST = 128 * 1024 * 1024
_LONGEST_WAIT = 120.0
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_AGENT = "lexhop (statute texts, one request at a time)"


class FetchProgress(Protocol):
    """Told after each file how far a fetch is."""

    def __call__(self, name: str, outcome: Outcome, done: int, total: int) -> None:
        """Take notice that ``done`` files of ``total`` are here, the last one ``name``."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """One file of a fetch.

    Attributes:
        articles: How many articles it holds.
    """

    act: str
    name: str
    url: str
    outcome: Outcome
    bytes: int
    articles: int


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What a fetch did.

    Attributes:
        manifest: ``written``, or ``kept`` where the folder has one that somebody else wrote.
    """

    corpus: str
    folder: str
    files: tuple[Fetched, ...]
    manifest: Literal["written", "kept"]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for ``--json``."""
        return {
            "corpus": self.corpus,
            "folder": self.folder,
            "manifest": self.manifest,
            "files": [
                {name: getattr(file, name) for name in ("act", "name", "url", "outcome", "bytes", "articles")}
                for file in self.files
            ],
        }


class _AgainError(Exception):
    """An attempt failed in a way that a later one may not."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


async def fetch_statutes(
    corpus: str,
    folder: Path,
    *,
    acts: Sequence[str] | None = None,
    base_url: str | None = None,
    pause: float = 2.0,
    attempts: int = 5,
    client: httpx.AsyncClient | None = None,
    progress: FetchProgress | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> FetchReport:
    """Fetch the texts of a corpus into a folder that ``load_statutes`` then reads.

    Args:
        corpus: Key of a corpus whose built-in manifest says where its texts are.
        folder: Where to put them; made when it is not there.
        acts: Keys of the acts; None takes those that the manifest names.
        base_url: Another address than the manifest's, such as a mirror.
        pause: Seconds between two requests.
        attempts: How often one file is asked for before the fetch gives up.
        client: A client of yours; it is not closed.
        progress: Told after each file.
        sleep: What waits.

    Raises:
        InputError: An act is not of this corpus, or has no document on the portal.
        NotFoundError: The corpus has no built-in manifest, or nothing to fetch; or the portal has no such document.
        UnavailableError: The portal does not answer, or not with a whole text; what has come is kept.
    """
    manifest, source, entries = _plan(corpus, acts)
    shelf = await asyncio.to_thread(Shelf, folder)
    work = [(act, file) for act in entries for file in act.files]
    own = client or httpx.AsyncClient(follow_redirects=True, timeout=httpx.Timeout(60.0, connect=15.0))
    fetcher = _Fetcher(own, shelf, attempts, sleep)
    out: list[Fetched] = []
    kept: Literal["written", "kept"] = "kept"
    try:
        for done, (act, file) in enumerate(work, 1):
            if done > 1 and pause > 0:
                await sleep(pause)
            url = (base_url or source.base_url).rstrip("/") + source.path.format(nd=file.document)
            fetched = await fetcher.file(url, act.key, file)
            out.append(fetched)
            kept = await asyncio.to_thread(shelf.write_manifest, corpus, manifest)
            if progress is not None:
                progress(fetched.name, fetched.outcome, done, len(work))
    finally:
        if client is None:
            await own.aclose()
    return FetchReport(corpus, str(folder), tuple(out), kept)


def _plan(corpus: str, acts: Sequence[str] | None) -> tuple[Manifest, FetchEntry, list[ActEntry]]:
    manifest = builtin_manifest(corpus)
    if manifest is None or manifest.fetch is None:
        raise NotFoundError(
            f"corpus {corpus!r} has no built-in source to fetch from; get its files and load them by --from"
        )
    entries = []
    for key in acts or manifest.fetch.acts:
        act = manifest.act(key)
        if act is None:
            known = ", ".join(entry.key for entry in manifest.acts)
            raise InputError(f"act {key!r} is not of corpus {corpus!r}; it has {known}")
        if not act.files or any(file.document is None for file in act.files):
            raise InputError(f"act {key!r} of corpus {corpus!r} has no document on the portal; get its file yourself")
        entries.append(act)
    if not entries:
        raise InputError(f"no act of corpus {corpus!r} is named; name one, or none to take all")
    return manifest, manifest.fetch, entries


class _Fetcher:
    """Gets files one after the other."""

    def __init__(
        self, client: httpx.AsyncClient, shelf: Shelf, attempts: int, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._client = client
        self._shelf = shelf
        self._attempts = attempts
        self._sleep = sleep

    async def file(self, url: str, act: str, file: FileEntry) -> Fetched:
        """Get one file, however often it takes."""
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_AgainError),
            stop=stop_after_attempt(self._attempts),
            wait=_wait,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return await retrying(self._once, url, act, file)
        except _AgainError as error:
            raise UnavailableError(
                f"document {file.document} of act {act!r} did not come whole from {url!r} in {self._attempts} attempts "
                f"(last: {error}); what came before is kept, run the command again to go on",
                retry_after=60,
            ) from error

    async def _once(self, url: str, act: str, file: FileEntry) -> Fetched:
        known = await asyncio.to_thread(self._shelf.known, file.name)
        headers = {"User-Agent": _AGENT, "Accept": "text/html"}
        for header, name in (("If-Modified-Since", "last_modified"), ("If-None-Match", "etag")):
            if known is not None and known.get(name):
                headers[header] = known[name]
        body, response = await self._got(url, headers)
        if response.status_code == 304 and known is not None:
            return Fetched(act, file.name, url, "unchanged", int(known["bytes"]), int(known["articles"]))
        if response.status_code in _AGAIN:
            raise _AgainError(f"HTTP {response.status_code}", _retry_after(response))
        if response.status_code != 200:
            raise NotFoundError(
                f"document {file.document} of act {act!r}: {url!r} answered HTTP {response.status_code}; "
                f"look whether the portal has moved it, and correct 'nd' or 'path' in the manifest of the corpus"
            )
        charset = _CHARSET.search(response.headers.get("content-type", ""))
        try:
            outcome, articles = await asyncio.to_thread(
                self._shelf.take,
                file.name,
                body,
                encoding=charset[1].lower() if charset else None,
                last_modified=response.headers.get("last-modified"),
                etag=response.headers.get("etag"),
                url=url,
            )
        except SourceError as error:
            # The portal now and then answers with a page about the document, or with somebody else's.
            raise _AgainError(str(error)) from error
        return Fetched(act, file.name, url, outcome, len(body), articles)

    async def _got(self, url: str, headers: dict[str, str]) -> tuple[bytes, httpx.Response]:
        try:
            async with self._client.stream("GET", url, headers=headers) as response:
                pieces, size = [], 0
                async for piece in response.aiter_bytes():
                    size += len(piece)
                    if size > _LARGEST:
                        raise TooLargeError(f"{url!r} sends more than {_LARGEST} bytes, so no statute; correct 'path'")
                    pieces.append(piece)
                return b"".join(pieces), response
        except httpx.InvalidURL as error:
            raise InputError(f"address {url!r} cannot be used ({error}); correct the base address") from error
        except httpx.HTTPError as error:
            raise _AgainError(f"{type(error).__name__} {error}".strip()) from error


def _wait(state: RetryCallState) -> float:
    """What the server asks for, else 1, 2, 4 … seconds."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.wait if isinstance(error, _AgainError) else None
    return min(_LONGEST_WAIT, asked if asked is not None else 2.0 ** (state.attempt_number - 1))


def _retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("retry-after", "").strip()
    if value.isdigit():
        return float(value)
    try:
        later = parsedate_to_datetime(value)
        now = parsedate_to_datetime(response.headers["date"])
        return max(0.0, (later - now).total_seconds())
    except (ValueError, KeyError, TypeError):
        return None
