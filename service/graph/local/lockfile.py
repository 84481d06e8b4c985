"""The lock of jars: coordinates, sizes and SHA-256 of everything that one Neo4j version needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.errors import SetupError
from service.resources import resources_below

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["JarLock", "LockedJar", "Version", "known_versions", "load_lock", "read_lock", "write_lock"]

_FOLDER = "data/neo4j"
_SUFFIX = ".lock.json"
# A part of a coordinate becomes part of a path and of an address: nothing in it may climb out of its folder.
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.\-]*"
_COORDINATE = rf"^{_PART}:{_PART}:{_PART}(:{_PART})?$"


class LockedJar(BaseModel):
    """One jar of the lock.

    Attributes:
        jar: Maven coordinate ``group:artifact:version`` or ``group:artifact:version:classifier``.
        sha256: Digest of the file, 64 hex digits.
        size: Bytes of the file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    jar: str = Field(pattern=_COORDINATE)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=1)

    @property
    def path(self) -> str:
        """The jar's path below a Maven repository, with ``/``."""
        group, artifact, version, *classifier = self.jar.split(":")
        name = "-".join([artifact, version, *classifier])
        return f"{group.replace('.', '/')}/{artifact}/{version}/{name}.jar"


class JarLock(BaseModel):
    """All jars of one Neo4j version, in the order of the class path."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    neo4j: str
    jars: tuple[LockedJar, ...] = Field(min_length=1)

    @property
    def size(self) -> int:
        """Bytes of all jars together."""
        return sum(jar.size for jar in self.jars)


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A Neo4j version that can be compared: 5.26.30 is older than 2026.09.0."""

    numbers: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> Version:
        """Return the leading numbers of ``text`` (``5.26.30-aura`` is 5.26.30)."""
        found = re.match(r"\d+(\.\d+)*", text)
        if found is None:
            raise SetupError(f"Neo4j version {text!r} is no version; expected something like 5.26.30")
        return cls(tuple(int(part) for part in found.group().split(".")))


def known_versions() -> list[str]:
    """Return the Neo4j versions that have a lock, oldest first."""
    names = [path.name.removesuffix(_SUFFIX) for path in resources_below(_FOLDER, _SUFFIX)]
    return sorted(names, key=Version.parse)


def load_lock(version: str) -> JarLock:
    """Return the lock of a version.

    Raises:
        SetupError: There is no lock for that version, or it cannot be read.
    """
    for path in resources_below(_FOLDER, _SUFFIX):
        if path.name == f"{version}{_SUFFIX}":
            return read_lock(path)
    raise SetupError(
        f"LEXHOP_LOCAL_VERSION {version!r} has no lock of jars; choose one of {', '.join(known_versions())}, "
        "or set LEXHOP_GRAPH_URL to a Neo4j of yours"
    )


def read_lock(path: Path) -> JarLock:
    """Return the lock in a file.

    Raises:
        SetupError: The file is not a lock.
    """
    try:
        return JarLock.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise SetupError(f"lock of jars {path.name!r} cannot be read ({error}); install lexhop again") from error


def write_lock(lock: JarLock, path: Path) -> None:
    """Write a lock with one jar a line, so that a change of one jar is a change of one line."""
    rows = ",\n".join(f"    {jar.model_dump_json()}" for jar in lock.jars)
    path.write_text(f'{{\n  "neo4j": "{lock.neo4j}",\n  "jars": [\n{rows}\n  ]\n}}\n', encoding="utf-8")
