"""For maintainers: ``python -m service.graph.local.make_lock VERSION FILE`` resolves a version and writes its lock.

jgo walks the dependency graph of ``org.neo4j:neo4j`` and fetches every jar, checking each against the repository's
SHA-1; what is kept is the coordinates, the sizes and the SHA-256 of the files.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from pathlib import Path

from service.errors import InputError, SetupError
from service.graph.local.lockfile import JarLock, LockedJar, write_lock

__all__ = ["main", "make_lock"]


def make_lock(version: str) -> JarLock:
    """Resolve ``org.neo4j:neo4j`` at ``version`` with jgo.

    Raises:
        SetupError: A jar that jgo locked is not where jgo puts jars, or its digest is not the locked one.
    """
    import jgo  # noqa: PLC0415 -- the extra lexhop[local] is not needed to import this module

    environment = Path(jgo.build(f"org.neo4j:neo4j:{version}").path)
    locked = tomllib.loads((environment / "jgo.lock.toml").read_text(encoding="utf-8"))["dependencies"]
    files = {path.name: path for folder in ("jars", "modules") for path in (environment / folder).glob("*.jar")}
    jars = []
    for row in locked:
        parts = [row["groupId"], row["artifactId"], row["version"], row.get("classifier")]
        coordinate = ":".join(part for part in parts if part)
        path = files.get(LockedJar(jar=coordinate, sha256=row["sha256"], size=1).path.rsplit("/", 1)[1])
        if path is None:
            raise SetupError(f"jar {coordinate!r} is locked by jgo but not in {str(environment)!r}; remove that folder")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != row["sha256"]:
            raise SetupError(f"jar {coordinate!r} differs from jgo's own lock; remove {str(environment)!r}")
        jars.append(LockedJar(jar=coordinate, sha256=row["sha256"], size=len(content)))
    return JarLock(neo4j=version, jars=tuple(sorted(jars, key=lambda jar: jar.jar)))


def main(arguments: list[str]) -> None:
    """Write the lock of the version ``arguments[0]`` into the file ``arguments[1]``."""
    if len(arguments) != 2:
        raise InputError(f"make_lock got {arguments!r}; expected VERSION FILE")
    write_lock(make_lock(arguments[0]), Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
