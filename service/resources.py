"""Finds what the package brings along: queries, migrations, data.

An installed wheel carries them under ``service/_bundled``; a checkout has them at its root. Nobody else may look
for them: this is the only finder.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from service.errors import SetupError

__all__ = ["code_digest", "resource", "resource_text", "resources_below"]

_PACKAGE = Path(__file__).resolve().parent
_ROOTS = (_PACKAGE / "_bundled", _PACKAGE.parent)


def resource(relative: str) -> Path:
    """Return the path of a bundled file or folder.

    Args:
        relative: A path below the root, such as ``cypher/articles/by_id.cypher``.

    Raises:
        SetupError: Neither the bundled copy nor the checkout has it.
    """
    for root in _ROOTS:
        path = root / relative
        if path.exists():
            return path
    raise SetupError(f"resource {relative!r} is missing from this installation; install the lexhop wheel again")


def resource_text(relative: str) -> str:
    """Return the text of a bundled file, read as UTF-8."""
    return resource(relative).read_text(encoding="utf-8")


def resources_below(folder: str, suffix: str) -> list[Path]:
    """Return the files with ``suffix`` anywhere below a bundled folder, sorted by path."""
    return sorted(resource(folder).rglob(f"*{suffix}"))


def code_digest(*modules: str) -> str:
    """Return the SHA-256 of some modules' code, packages with all that is below them.

    Blank lines and lines that are a comment do not count, so that only a change of what is done, or said
    to be done, gives another digest.

    Raises:
        SetupError: One of the modules has no source.
    """
    digest = hashlib.sha256()
    for name in sorted(modules):
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise SetupError(f"module {name!r} has no source in this installation; install the lexhop wheel again")
        origin = Path(spec.origin)
        paths = sorted(origin.parent.rglob("*.py")) if spec.submodule_search_locations else [origin]
        for path in paths:
            digest.update(f"{name}/{path.relative_to(origin.parent).as_posix()}\n".encode())
            for line in path.read_text(encoding="utf-8").splitlines():
                if line.strip() and not line.lstrip().startswith("#"):
                    digest.update(f"{line.rstrip()}\n".encode())
    return digest.hexdigest()
