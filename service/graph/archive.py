"""Exports of a corpus to a file, and their reading back.

A file is UTF-8, one JSON record a line, packed by gzip where its name ends in ``.gz``: first a header {format, corpus,
version, loaded_at}, then the canonical lines of :mod:`service.graph.content`.
"""

from __future__ import annotations

import gzip
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import orjson
from pydantic import TypeAdapter, ValidationError

from service.domain import Act, Article, OutsideCitation, Relation
from service.errors import SourceError
from service.graph.content import CorpusContent, CorpusInfo, corpus_content

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

__all__ = ["FORMAT", "Archive", "archive_header", "check_target", "read_archive", "write_archive", "write_chunks"]

FORMAT = "lexhop-corpus/1"

# What the canonical form leaves out of a record although the type has no default for it.
_ABSENT: dict[str, dict[str, Any]] = {
    "corpus": {"official": False},
    "act": {"branch": None, "coverage": ()},
    "article": {"path": (), "paragraphs": ()},
    "relation": {},
    "outside": {"act": None, "act_title": None, "act_number": None, "article": None},
}
_AMENDMENT: dict[str, Any] = {"part": None, "law": None, "date": None}
_TYPES: dict[str, TypeAdapter[Any]] = {
    "corpus": TypeAdapter(CorpusInfo),
    "act": TypeAdapter(Act),
    "article": TypeAdapter(Article),
    "relation": TypeAdapter(Relation),
    "outside": TypeAdapter(OutsideCitation),
}


@dataclass(frozen=True, slots=True)
class Archive:
    """What a file holds."""

    corpus: str
    content: CorpusContent


def write_archive(path: Path, corpus: str, content: CorpusContent) -> None:
    """Write an export; a file of that name is replaced only when the new one is whole."""
    with _replacing(path) as file:
        file.write(orjson.dumps(archive_header(corpus, content.version)) + b"\n")
        for line in content.lines():
            file.write(line + b"\n")


async def write_chunks(path: Path, chunks: AsyncIterator[bytes]) -> None:
    """Write a file as its chunks come; a file of that name is replaced only when the new one is whole."""
    with _replacing(path) as file:
        async for chunk in chunks:
            file.write(chunk)


def check_target(path: Path, what: str) -> None:
    """Refuse what must not be replaced by a file, before any work is done: a folder, a device (/dev/null), a pipe.

    Raises:
        SourceError: The path is something else than a file or nothing.
    """
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a device or a pipe"
        raise SourceError(f"{what} {str(path)!r} cannot be written: it is {kind}; name a file")


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    check_target(path, "export")
    partial = path.with_name(path.name + ".partial")
    try:
        with _opened(partial, "wb", packed=path.suffix == ".gz") as file:
            yield file
        os.replace(partial, path)
    except OSError as error:
        raise SourceError(f"export {str(path)!r} cannot be written: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def archive_header(corpus: str, version: str) -> dict[str, str]:
    """Return the first record of an export."""
    return {"corpus": corpus, "format": FORMAT, "version": version}


def read_archive(path: Path) -> Archive:
    """Read an export back and check that its content has the digest that its header says.

    Raises:
        SourceError: The file is missing, cut, not an export, or differs from its digest.
    """
    records: dict[str, list[Any]] = {kind: [] for kind in _TYPES}
    header: dict[str, Any] | None = None
    number = 0
    try:
        with _opened(path, "rb", packed=path.suffix == ".gz") as file:
            for number, line in enumerate(file, 1):
                record = orjson.loads(line)
                if header is None:
                    header = _header(path, record)
                else:
                    kind = record.pop("kind", None)
                    if kind not in _TYPES:
                        raise SourceError(f"export {str(path)!r}, line {number}: unknown kind {kind!r}")
                    records[kind].append(_record(kind, record))
    except (orjson.JSONDecodeError, ValidationError, EOFError, gzip.BadGzipFile) as error:
        said = str(error).splitlines()[0]
        raise SourceError(f"export {str(path)!r}, line {number}: cannot be read ({said}); export it again") from error
    except OSError as error:
        raise SourceError(f"export {str(path)!r} cannot be read: {error.strerror or error}") from error
    if header is None or len(records["corpus"]) != 1:
        raise SourceError(f"export {str(path)!r} is empty or lacks its corpus line; export it again")
    content = corpus_content(
        records["corpus"][0],
        records["act"],
        records["article"],
        records["relation"],
        records["outside"],
        keep_ordinals=True,
    )
    if content.version != header["version"]:
        raise SourceError(
            f"export {str(path)!r} says version {header['version']!r} but its content is {content.version!r}; "
            "it was changed or cut: export it again"
        )
    return Archive(str(header["corpus"]), content)


def _header(path: Path, record: Any) -> dict[str, Any]:
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise SourceError(f"export {str(path)!r} does not begin with a header of format {FORMAT!r}; is it an export?")
    return record


def _record(kind: str, record: dict[str, Any]) -> Any:
    if kind == "article":
        record["amendments"] = [{**_AMENDMENT, **item} for item in record.get("amendments", [])]
    return _TYPES[kind].validate_python({**_ABSENT[kind], **record})


@contextmanager
def _opened(path: Path, mode: str, *, packed: bool) -> Iterator[IO[bytes]]:
    with path.open(mode) as raw:
        if not packed:
            yield raw
            return
        # No file name and no time in the packed file: the same corpus gives the same bytes.
        with gzip.GzipFile(filename="", mode=mode, fileobj=raw, mtime=0) as file:
            yield file  # type: ignore[misc]
