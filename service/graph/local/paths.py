"""Where the local graph keeps what: everything below LEXHOP_HOME."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from service.errors import SetupError

if TYPE_CHECKING:
    from service.settings import Settings

__all__ = ["LocalPaths", "require_space"]


@dataclass(frozen=True, slots=True)
class LocalPaths:
    """The files and folders of one local graph.

    Attributes:
        root: Folder of this graph, ``LEXHOP_HOME/neo4j``.
        jars: Folder of jars, laid out as a Maven repository; several homes may share one.
    """

    root: Path
    jars: Path

    @classmethod
    def of(cls, settings: Settings) -> LocalPaths:
        """Return the paths that the settings ask for; nothing is created."""
        root = settings.home.expanduser().absolute() / "neo4j"
        return cls(root=root, jars=(settings.local_jars or root / "jars").expanduser().absolute())

    @property
    def home(self) -> Path:
        """Neo4j's own home: data, transaction logs, debug log."""
        return self.root / "home"

    @property
    def run(self) -> Path:
        """Locks, state and password: short-lived, for this user alone."""
        return self.root / "run"

    @property
    def log(self) -> Path:
        """What the host process says."""
        return self.root / "host.log"

    @property
    def config(self) -> Path:
        """Neo4j's settings, written anew at each start."""
        return self.root / "neo4j.conf"

    @property
    def instance(self) -> Path:
        """What is kept over all starts: the port and the newest version that opened the data."""
        return self.root / "instance.json"

    @property
    def password(self) -> Path:
        """The password of this start, mode 0600."""
        return self.run / "password"

    @property
    def state(self) -> Path:
        """What the host says about itself."""
        return self.run / "host.json"

    @property
    def start_lock(self) -> Path:
        """Held by whoever starts or stops the host."""
        return self.run / "start.lock"

    @property
    def host_lock(self) -> Path:
        """Held by the host for as long as it lives."""
        return self.run / "host.lock"

    @property
    def clients_lock(self) -> Path:
        """Held, shared, by every client while it uses the graph."""
        return self.run / "clients.lock"

    def create(self) -> None:
        """Create the folders; those of this graph are for this user alone.

        Raises:
            SetupError: A folder cannot be created.
        """
        for folder, mode in ((self.root, 0o700), (self.run, 0o700), (self.home, 0o700), (self.jars, 0o755)):
            try:
                folder.mkdir(mode=mode, parents=True, exist_ok=True)
            except OSError as error:
                raise SetupError(
                    f"folder {str(folder)!r} cannot be created ({error.strerror}); set LEXHOP_HOME to a folder of yours"
                ) from error


def require_space(folder: Path, needed: int, purpose: str) -> None:
    """Refuse to begin what the disk cannot hold.

    Raises:
        SetupError: Less than ``needed`` bytes are free below ``folder``.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetupError(
            f"{purpose} needs {needed / 1e6:,.0f} MB in {str(folder)!r}, and {free / 1e6:,.0f} MB are free; "
            "make room, or set LEXHOP_HOME to a folder on another disk"
        )
