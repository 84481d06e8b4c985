"""Citations printed so that the reader reads them back."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from service.citations.registry import load_registry
from service.domain import Language
from service.errors import InputError

if TYPE_CHECKING:
    from service.citations.registry import Registry
    from service.domain import Citation

__all__ = ["format_citation"]

_WRITERS = {
    Language.RU: "service.citations._cyrillic",
    Language.UK: "service.citations._cyrillic",
    Language.ZH: "service.citations._chinese",
}


class _Writer(Protocol):
    def write(self, citation: Citation, registry: Registry) -> str: ...


def format_citation(citation: Citation, registry: Registry | None = None) -> str:
    """Return a citation in the words of its law: ``п. 2 ч. 1 ст. 12.1 КоАП РФ``, ``《刑法》第二百六十四条第一款``.

    Reading the result gives the same act, article and units again.

    Raises:
        InputError: The citation is unresolved, so there is no act to print.
    """
    if citation.jurisdiction is None:
        raise InputError(f"citation {citation.raw!r} has no jurisdiction, so its act has no name; resolve it first")
    registry = registry or load_registry(citation.jurisdiction)
    return cast("_Writer", importlib.import_module(_WRITERS[registry.language])).write(citation, registry)
