"""What a client tells the host process to start."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from service.graph.local.paths import LocalPaths

__all__ = ["ALREADY_RUNNING", "HostSpec"]

ALREADY_RUNNING = 75
"""Exit status of a host process that finds another one in its folder."""


class HostSpec(BaseModel):
    """One start of the local graph; it goes to the host as JSON and holds no secret.

    Attributes:
        root: Folder of the graph.
        jars: The class path, checked.
        version: The Neo4j version that the jars are.
        port: Where Bolt shall answer on 127.0.0.1.
        heap_mb: Largest Java heap, MiB.
        page_cache_mb: Page cache, MiB.
        transaction_seconds: Time limit of a transaction that names none.
        idle_seconds: The host ends when no client has held the graph for so long.
        java_options: More arguments of the Java machine, after ours.
        jar_folder: Where jars are kept, and an archive of their classes; None: no archive is made or used.
    """

    model_config = ConfigDict(frozen=True)

    root: Path
    jars: tuple[Path, ...]
    version: str
    port: int
    heap_mb: int
    page_cache_mb: int
    transaction_seconds: int
    idle_seconds: float
    java_options: tuple[str, ...] = ()
    jar_folder: Path | None = None

    @property
    def paths(self) -> LocalPaths:
        """The files and folders; those of jars are not the host's business."""
        return LocalPaths(root=self.root, jars=self.root)

    @property
    def run(self) -> Path:
        """Folder of locks, state and password."""
        return self.paths.run
