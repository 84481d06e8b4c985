"""The grammar of Chinese citations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.citations._chinese._reading import Reading
from service.citations._chinese._writing import write

if TYPE_CHECKING:
    from service.citations._reading import Surrounding
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import Registry
    from service.domain import Citation, Language

__all__ = ["read", "write"]


def read(
    text: str,
    registry: Registry,
    surrounding: Surrounding,
    articles: ArticleIndex | None,
    language: Language,  # noqa: ARG001 - the readers of all languages are called alike
) -> list[Citation]:
    """Read a normalised Chinese text; offsets are of that text."""
    return Reading(text, registry, surrounding, articles).citations()
