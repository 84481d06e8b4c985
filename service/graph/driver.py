"""The official driver, imported without what it would bring along.

Where numpy, pandas or pyarrow are installed the driver imports them, to take and give arrays and data frames. The
statistics need them here; the graph never does, and they would double the time in which a command starts.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["auth_management", "exceptions", "neo4j"]

_OPTIONAL = ("numpy", "pandas", "pyarrow")


@contextmanager
def _hidden(*names: str) -> Iterator[None]:
    # None is what Python itself keeps for a module that must not be imported; what is there already stays.
    modules: dict[str, Any] = sys.modules
    hidden = [name for name in names if name not in modules]
    modules.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            del modules[name]


with _hidden(*_OPTIONAL):
    import neo4j
    from neo4j import auth_management, exceptions
