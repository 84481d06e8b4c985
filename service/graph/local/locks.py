"""Locks between processes that the kernel releases when their holder dies, however it dies.

``flock`` and no library: the clients need a shared lock, and a lock that a killed process leaves behind would make
kill -9 a case of its own. A descriptor is not inherited by programs that its holder starts.
"""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["ProcessLock", "is_free"]

_POLL_SECONDS = 0.05


class ProcessLock:
    """One hold of a lock file; a context manager that releases it."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor: int | None = descriptor
        self._path = path

    @classmethod
    def try_take(cls, path: Path, *, shared: bool = False, patience: float = 0.0) -> Self | None:
        """Return a hold of ``path``, or None when others keep it for longer than ``patience`` seconds.

        A little patience tells a real holder from somebody who only looks whether the lock is free.
        """
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    os.close(descriptor)
                    return None
                time.sleep(_POLL_SECONDS)
            else:
                return cls(descriptor, path)

    @classmethod
    def take(
        cls, path: Path, *, shared: bool = False, on_wait: Callable[[], None] | None = None, notice: float = 2.0
    ) -> Self:
        """Return a hold of ``path``, waiting for it; ``on_wait`` is called once when that takes ``notice`` seconds."""
        hold = cls.try_take(path, shared=shared, patience=notice)
        if hold is None and on_wait is not None:
            on_wait()
        while hold is None:
            hold = cls.try_take(path, shared=shared, patience=60.0)
        return hold

    @property
    def descriptor(self) -> int:
        """The open descriptor.

        Raises:
            ValueError: The lock was released.
        """
        if self._descriptor is None:
            raise ValueError(f"lock {str(self._path)!r} was released")
        return self._descriptor

    @property
    def is_held(self) -> bool:
        """Whether it has not been released."""
        return self._descriptor is not None

    def touch(self) -> None:
        """Mark the lock file as used now, so that a hold too short to be seen still counts."""
        os.utime(self.descriptor)

    def is_in_place(self) -> bool:
        """Whether the file that is locked is still the one that others would lock."""
        mine = os.fstat(self.descriptor)
        try:
            there = self._path.stat()
        except OSError:
            return False
        return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)

    def release(self) -> None:
        """Give the lock back; a second time does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_free(path: Path) -> bool:
    """Whether nobody holds ``path``; a file that is not there is free."""
    if not path.exists():
        return True
    hold = ProcessLock.try_take(path, shared=True)
    if hold is None:
        return False
    hold.release()
    return True
