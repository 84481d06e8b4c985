"""Chinese citations printed: 《刑法》第一百三十三条之一第一款第（二）项."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.citations._chinese._numbers import written
from service.errors import InputError

if TYPE_CHECKING:
    from service.citations.registry import Registry
    from service.domain import Citation

__all__ = ["write"]


def write(citation: Citation, registry: Registry) -> str:
    """Return a citation as a Chinese text has it; reading it gives the same act, edition and units.

    Raises:
        InputError: It has no article, or no act to name.
    """
    act = registry.by_key.get(citation.act) if citation.act is not None else None
    name = act.key or act.title if act is not None else citation.act_title
    if not name or citation.article is None:
        raise InputError(f"citation {citation.raw!r} has no act or no article to print; resolve it first")
    inner = name.replace("《", "〈").replace("》", "〉")
    edition = f"（{citation.edition}年）" if citation.edition else ""
    number = f"（{citation.act_number}）" if act is None and citation.act_number else ""
    units = [_article(citation.article)]
    if citation.part is not None:
        units.append(f"第{_written(citation.part)}款")
    if citation.point is not None:
        units.append(f"第（{_written(citation.point)}）项")
    if citation.subpoint is not None:
        units.append(f"第{citation.subpoint}目")
    return f"《{inner}》{edition}{number}{''.join(units)}"


def _article(number: str) -> str:
    stem, _, inserted = number.partition("-")
    return f"第{_written(stem)}条" + (f"之{_written(inserted)}" if inserted else "")


def _written(number: str) -> str:
    try:
        return written(int(number))
    except ValueError as error:
        raise InputError(f"number {number!r} cannot be printed as Chinese law writes numbers: {error}") from error
