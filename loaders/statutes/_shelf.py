"""The folder that a fetch fills: whole files only, the record of what came, the manifest."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, Literal

import yaml

from loaders.statutes._html import read_html
from loaders.statutes._structure import cut
from service.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

    from loaders.statutes._manifest import Manifest

__all__ = ["Outcome", "Shelf"]

Outcome = Literal["new", "changed", "unchanged"]

_RECORD = ".fetched.json"
_MARK = "# Written by `lexhop corpus fetch`; a manifest without this line is never overwritten.\n"
_NEEDED = frozenset(("sha256", "bytes", "articles", "encoding"))


class Shelf:
    """A folder with the record of what was fetched into it."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(f"folder {str(folder)!r} cannot be made: {error.strerror}; name another one") from error
        self.folder = folder
        self._record = _read_record(folder / _RECORD)

    def known(self, name: str) -> dict[str, Any] | None:
        """Return what is recorded of a file, or None when it is not here, or not as it came."""
        entry = self._record.get(name)
        path = self.folder / name
        if entry is None or not path.is_file() or _digest(path.read_bytes()) != entry["sha256"]:
            return None
        return entry

    def take(self, name: str, body: bytes, *, encoding: str | None, **more: str | None) -> tuple[Outcome, int]:
        """Put a body into its place when it is whole and reads as statute.

        Returns:
            ``new``, ``changed`` or ``unchanged``, and how many articles it holds.

        Raises:
            SourceError: It is cut, or no statute; what was there before stays.
        """
        known, digest = self.known(name), _digest(body)
        target = self.folder / name
        if known is not None and known["sha256"] == digest:
            outcome: Outcome = "unchanged"
            articles = int(known["articles"])
        else:
            outcome = "changed" if target.is_file() else "new"
            articles = self._place(target, body, encoding)
        self._record[name] = {"sha256": digest, "bytes": len(body), "articles": articles, "encoding": encoding, **more}
        _write(self.folder / _RECORD, json.dumps(self._record, ensure_ascii=False, indent=1, sort_keys=True).encode())
        return outcome, articles

    def write_manifest(self, corpus: str, manifest: Manifest) -> Literal["written", "kept"]:
        """Bring the folder's manifest up to date; one that somebody else wrote is kept."""
        path = self.folder / "manifest.yaml"
        if path.is_file() and not path.read_text(encoding="utf-8", errors="replace").startswith(_MARK):
            return "kept"
        acts = []
        for act in manifest.acts:
            files = []
            for file in act.files:
                entry = self._record.get(file.name)
                if entry is not None and (self.folder / file.name).is_file():
                    stated = {"encoding": entry["encoding"]} if entry["encoding"] else {}
                    files.append({"name": file.name, "nd": file.document, **stated})
            if files:
                acts.append({"key": act.key, "files": files})
        text = yaml.safe_dump({"key": corpus, "acts": acts}, allow_unicode=True, sort_keys=False)
        _write(path, (_MARK + text).encode())
        return "written"

    def _place(self, target: Path, body: bytes, encoding: str | None) -> int:
        part = _part(target)
        _write_through(part, body)
        try:
            articles = len(cut(read_html(part, encoding=encoding)).articles)
            if not articles:
                raise SourceError(f"file {target.name!r} holds no article")
        except SourceError:
            part.unlink(missing_ok=True)
            raise
        part.replace(target)
        return articles


def _read_record(path: Path) -> dict[str, dict[str, Any]]:
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): dict(entry) for name, entry in data.items() if set(entry) >= _NEEDED}
    except (ValueError, AttributeError, TypeError):
        # A damaged record only costs the conditional requests: everything is fetched again.
        return {}


def _part(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def _write(path: Path, data: bytes) -> None:
    part = _part(path)
    _write_through(part, data)
    part.replace(path)


def _write_through(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
