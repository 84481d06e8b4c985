"""One file with everything that is ours: the ledger's rows and the corpora.

The file is a tar of JSON lines, each member packed by gzip: ``ledger/<table>.ndjson.gz``, ``corpora/<uid>.ndjson.gz``
(an export of that version) and, last, ``manifest.json`` with a SHA-256 of every other member. The ledger comes from one
state of its database; corpora are versions that never change, and those that the ledger's task sets need cannot be
dropped, so they are written after it.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from service.db import COMMAND_LINE, AuditAction, head_revision, read_ledger, record_audit, revision_of, write_ledger
from service.db import require_empty as require_empty_ledger
from service.errors import ConflictError, NotFoundError, SourceError
from service.graph.archive import check_target, read_archive, write_archive
from service.graph.catalog import CorpusVersion, read_catalog
from service.graph.load import load_version, make_current
from service.graph.queries import query
from service.graph.reading import read_content

if TYPE_CHECKING:
    from service.db import Database
    from service.graph.store import GraphStore
    from service.settings import Settings

__all__ = ["FORMAT", "BackupReport", "backup", "restore"]

FORMAT = "lexhop-backup/1"
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds, or what was restored.

    Attributes:
        rows: By table of the ledger.
        corpora: Uids of the corpus versions, ``key@version``.
    """

    revision: str
    rows: dict[str, int]
    corpora: tuple[str, ...]


async def backup(path: Path, database: Database, store: GraphStore | None) -> BackupReport:
    """Write a backup; a file of that name is replaced only when the new one is whole.

    Without a ``store`` it holds the ledger alone.

    Raises:
        SourceError: The file cannot be written.
    """
    check_target(path, "backup")
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".lexhop-backup-") as folder:
            report, corpora = await _collect(Path(folder), database, store)
            await asyncio.to_thread(_pack, partial, Path(folder), report, corpora)
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise SourceError(f"backup {str(path)!r} cannot be written: {error.strerror or error}") from error
    return report


async def _collect(
    folder: Path, database: Database, store: GraphStore | None
) -> tuple[BackupReport, list[dict[str, Any]]]:
    rows: dict[str, int] = {}
    revision = await revision_of(database) or head_revision()
    (folder / "ledger").mkdir()
    (folder / "corpora").mkdir()
    async with read_ledger(database) as reader:
        for name in reader.names:
            rows[name] = 0
            with gzip.GzipFile(folder / "ledger" / f"{name}.ndjson.gz", "wb", mtime=0) as file:
                async for row in reader.rows(name):
                    file.write(orjson.dumps(row) + b"\n")
                    rows[name] += 1
    versions: list[CorpusVersion] = []
    if store is not None:
        for version in (await read_catalog(store)).versions:
            content = await read_content(store, version)
            await asyncio.to_thread(
                write_archive, folder / "corpora" / f"{version.uid}.ndjson.gz", version.key, content
            )
            versions.append(version)
    corpora = [
        {"uid": one.uid, "key": one.key, "current": one.current, "pins": list(one.pins), "left_out": dict(one.left_out)}
        for one in versions
    ]
    report = BackupReport(revision, rows, tuple(one.uid for one in versions))
    return report, corpora


def _pack(partial: Path, folder: Path, report: BackupReport, corpora: list[dict[str, Any]]) -> None:
    members = sorted(path for path in folder.rglob("*.gz"))
    manifest = {
        "format": FORMAT,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **asdict(report),
        "corpora": corpora,
        "members": {str(path.relative_to(folder)): _digest(path) for path in members},
    }
    (folder / _MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    # Digests of keys are in it: for its owner's eyes.
    descriptor = os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as raw, tarfile.open(fileobj=raw, mode="w") as tar:
        for path in [*members, folder / _MANIFEST]:
            tar.add(path, arcname=str(path.relative_to(folder)))
        raw.flush()
        os.fsync(descriptor)


async def restore(path: Path, database: Database, store: GraphStore | None, settings: Settings) -> BackupReport:
    """Put a backup back into an empty ledger and load its corpora.

    Corpora come first: loading one that is there changes nothing, so an interrupted restore is begun again by the same
    command. The ledger is filled in one transaction at the end.

    Raises:
        ConflictError: The ledger is not empty, or the backup holds corpora and there is no ``store``.
        SourceError: The file is missing, cut, changed, or no backup.
    """
    with tempfile.TemporaryDirectory(prefix="lexhop-restore-") as name:
        folder = Path(name)
        manifest = await asyncio.to_thread(_unpack, path, folder)
        database.prepare_file()
        if await revision_of(database) is not None:
            await require_empty_ledger(database)
        corpora: list[dict[str, Any]] = manifest["corpora"]
        if corpora and store is None:
            raise ConflictError(f"backup {str(path)!r} holds corpora; restore it with a graph at hand")
        for corpus in corpora:
            assert store is not None  # noqa: S101 - said above, for the type checker
            await _load(folder / "corpora" / f"{corpus['uid']}.ndjson.gz", corpus, store, settings)
        if store is not None:
            catalog = await read_catalog(store)
            for version in catalog.versions:
                if any(one["uid"] == version.uid and one["current"] for one in corpora) and not version.current:
                    await make_current(store, version, stale_seconds=settings.load_stale_seconds)
        tables = {name: _rows(folder / "ledger" / f"{name}.ndjson.gz") for name in manifest["rows"]}
        rows = await write_ledger(database, manifest["revision"], tables)
        async with database.write() as session:
            detail = {"made_at": manifest["made_at"], "rows": sum(rows.values()), "corpora": len(corpora)}
            await record_audit(session, COMMAND_LINE, AuditAction.RESTORED, path.name[:300], detail)
        return BackupReport(manifest["revision"], rows, tuple(one["uid"] for one in corpora))


async def _load(file: Path, corpus: Mapping[str, Any], store: GraphStore, settings: Settings) -> None:
    archive = await asyncio.to_thread(read_archive, file)
    await load_version(
        store,
        corpus["key"],
        archive.content,
        left_out=corpus["left_out"],
        batch_rows=settings.load_batch_rows,
        # What was kept is kept: nothing of the backup is pruned while the rest still comes.
        keep=1_000_000,
        stale_seconds=settings.load_stale_seconds,
        wait_seconds=60.0,
    )
    for pin in corpus["pins"]:
        await store.write(query("catalog/pin"), uid=corpus["uid"], by=pin)


def _unpack(path: Path, folder: Path) -> dict[str, Any]:
    try:
        with tarfile.open(path, mode="r:") as tar:
            tar.extractall(folder, filter="data")
        manifest: dict[str, Any] = orjson.loads((folder / _MANIFEST).read_bytes())
        if manifest["format"] != FORMAT:
            raise SourceError(
                f"backup {str(path)!r} has the format {manifest['format']!r}; this Lexhop reads {FORMAT!r}"
            )
        for name, digest in manifest["members"].items():
            if _digest(folder / name) != digest:
                raise SourceError(f"backup {str(path)!r}: {name!r} differs from its digest; it was changed or damaged")
    except FileNotFoundError as error:
        if not path.exists():
            raise NotFoundError(f"backup {str(path)!r} does not exist; `lexhop backup` writes one") from None
        raise SourceError(
            f"backup {str(path)!r} lacks {Path(str(error.filename)).name!r}; it is cut or no backup"
        ) from None
    except (tarfile.TarError, EOFError, OSError, KeyError, TypeError, ValueError) as error:
        raise SourceError(f"backup {str(path)!r} cannot be read ({error}); it is cut or no backup") from error
    return manifest


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
