"""An archive of Neo4j's classes, parsed and checked, which the Java machine maps instead of reading the jars again.

Java calls it class data sharing (JEP 310): the first start writes down which classes it loaded, a process of the lowest
priority makes the archive from them, and every later start takes a third less. The Java machine itself refuses an
archive of other jars or of another machine, and then loads the classes as ever.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.graph.local.locks import ProcessLock

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ArchiveBuild", "ClassArchive", "archive_lock"]

_log = logging.getLogger("lexhop.graph.local")

_KEPT = 2
_LOCK = ".lock"
_SPACE_BYTES = 600_000_000
# The Java machine refuses longer lines in the list that it wrote itself, and classes made while it runs.
_LONGEST_LINE = 3500
_MADE_AT_RUN_TIME = "$Proxy"


def archive_lock(jars: Path) -> Path:
    """Return the lock held by whoever makes an archive beside these jars."""
    return jars / "archives" / _LOCK


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """The archive of one class path under one Java machine; it need not be there.

    Attributes:
        file: The archive; its name tells the Java machine and every jar by path, size and time.
        class_path: Everything on the class path, in its order.
        java_home: Folder of the Java machine.
        seen: Where the first start writes down the classes that it loads.
    """

    file: Path
    class_path: tuple[Path, ...]
    java_home: Path
    seen: Path

    @classmethod
    def of(cls, jars: Path, class_path: tuple[Path, ...], java_home: Path, seen: Path) -> ClassArchive:
        """Return the archive of this class path below a folder of jars."""
        facts = [(java_home / "release").read_text(encoding="utf-8")]
        for jar in class_path:
            found = jar.stat()
            facts.append(f"{jar} {found.st_size} {found.st_mtime_ns}")
        digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]
        return cls(archive_lock(jars).with_name(f"{digest}.jsa"), class_path, java_home, seen)

    @property
    def can_be_made(self) -> bool:
        """Whether it is worth a try: it is not there, no try failed, there is space, and Java can read the path.

        JPype loads a class path with letters beyond ASCII by a class loader of its own, which no archive serves.
        """
        return (
            all(str(jar).isascii() for jar in self.class_path)
            and self._java.is_file()
            and not self.file.exists()
            and not self.file.with_suffix(".failed").exists()
            and shutil.disk_usage(self.file.parent.parent).free > _SPACE_BYTES
        )

    def java_arguments(self) -> list[str]:
        """Return what tells the Java machine to use the archive, or to write down what belongs into one."""
        if self.file.is_file():
            with contextlib.suppress(PermissionError):
                os.utime(self.file)
            return [f"-XX:SharedArchiveFile={self.file}", "-XX:+VerifySharedSpaces"]
        return [f"-XX:DumpLoadedClassList={self.seen}"] if self.can_be_made else []

    def begin(self) -> ArchiveBuild | None:
        """Begin to make it; None when it is there, cannot be made, or another process is at it."""
        try:
            if not self.can_be_made or not self.seen.is_file():
                return None
            lock = ProcessLock.try_take(self.file.with_name(_LOCK))
            if lock is None:
                return None
            try:
                return ArchiveBuild(self, self._listed(), lock)
            except OSError:
                lock.release()
                raise
        except OSError as error:
            # Jars of another user, or a folder that is gone: the graph's life does not hang on it.
            _log.warning("no archive of Neo4j's classes: %s", error)
            return None

    def _listed(self) -> Path:
        """Write the classes that belong into it to a file; the lock is held."""
        for left in self.file.parent.glob("*.part"):
            left.unlink()
        lines = self.seen.read_text(encoding="utf-8", errors="replace").splitlines()
        kept = [line for line in lines if len(line) <= _LONGEST_LINE and _MADE_AT_RUN_TIME not in line]
        listed = self.file.with_suffix(".list.part")
        listed.write_text("\n".join([*kept, ""]), encoding="utf-8")
        return listed

    def command(self, listed: Path, part: Path) -> list[str]:
        """Return the command that makes the archive of the listed classes."""
        nice = shutil.which("nice")
        return [
            *([nice, "-n", "19"] if nice else []),
            str(self._java),
            "-Xshare:dump",
            "-Xmx384m",
            "-XX:+UseSerialGC",
            f"-XX:SharedClassListFile={listed}",
            f"-XX:SharedArchiveFile={part}",
            "-Xlog:disable",
            "-Xlog:all=error:stderr",
            "-cp",
            os.pathsep.join(map(str, self.class_path)),
        ]

    @property
    def _java(self) -> Path:
        return self.java_home / "bin" / "java"


class ArchiveBuild:
    """An archive being made by a process of its own, which ends with the host."""

    def __init__(self, archive: ClassArchive, listed: Path, lock: ProcessLock) -> None:
        self._archive = archive
        self._listed = listed
        self._part = archive.file.with_suffix(".jsa.part")
        self._words = archive.file.with_suffix(".words.part")
        self._lock = lock
        with self._words.open("wb") as words:
            self._process = subprocess.Popen(  # noqa: S603 -- the Java machine of the extra, arguments of ours
                archive.command(listed, self._part), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words
            )

    def finished(self) -> bool:
        """Whether it has ended; then the archive is in its place, or a file beside it says why there is none."""
        status = self._process.poll()
        if status is None:
            return False
        try:
            self._put_in_place(status)
        except OSError as error:
            _log.warning("no archive of Neo4j's classes: %s", error)
        self._clean()
        return True

    def _put_in_place(self, status: int) -> None:
        archive = self._archive.file
        if status == 0 and self._part.is_file():
            self._part.replace(archive)
            _prune(archive.parent)
            _log.info("the next start will be quicker: Neo4j's classes are kept in %s", archive.name)
            return
        if status < 0:
            # Killed, for want of memory say: another time it may go well.
            _log.warning("no archive of Neo4j's classes this time: signal %d ended the process that made it", -status)
            return
        why = self._words.read_text(encoding="utf-8", errors="replace").strip() or "it said nothing"
        archive.with_suffix(".failed").write_text(f"exit status {status}: {why}\n", encoding="utf-8")
        _log.warning("no archive of Neo4j's classes (exit status %d): %s", status, why.splitlines()[0])

    def cancel(self) -> None:
        """End it; the next start that writes down its classes tries again."""
        self._process.kill()
        self._process.wait()
        self._clean()

    def _clean(self) -> None:
        with contextlib.suppress(OSError):
            for left in (self._part, self._words, self._listed):
                left.unlink(missing_ok=True)
        self._lock.release()


def _prune(folder: Path) -> None:
    """Keep the archives that were used last: another checkout, or another Neo4j, has one of its own."""
    found = sorted(folder.glob("*.jsa"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in found[_KEPT:]:
        old.unlink(missing_ok=True)
