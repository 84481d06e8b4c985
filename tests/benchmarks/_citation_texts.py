"""Texts that are not labelled: Kazakhstan's Tax Code with its front matter, and inputs made to be slow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["HOSTILE", "KZ_JUDGED", "kz_articles"]

_ANCHOR = re.compile(r'<a id="[^"]*"></a>')


def kz_articles(folder: Path) -> Iterator[tuple[str, str, set[str]]]:
    """Yield (article, text, articles that its front matter says it cites, itself left out)."""
    for file in sorted(folder.glob("st-*.md")):
        _, front, body = file.read_text(encoding="utf-8").split("---", 2)
        matter = yaml.safe_load(front)
        lines = body.rsplit("\n---", 1)[0].split("\n")
        text = _ANCHOR.sub("", "\n".join(line for line in lines if not line.startswith(("#", ">"))))
        article = str(matter["article"])
        yield article, text, {str(number) for number in matter["cross_references"]} - {article}


KZ_JUDGED: dict[tuple[str, str], tuple[str, str]] = {
    ("43", "49"): ("ours", "article 49 is of the Civil Code, which is named behind it"),
    ("67", "13"): ("ours", "article 13-1 of the law on electric power"),
    ("88", "216"): ("ours", "articles of the Criminal Code"),
    ("88", "238"): ("ours", "articles of the Criminal Code"),
    ("166", "216"): ("ours", "articles of the Criminal Code"),
    ("166", "245"): ("ours", "articles of the Criminal Code"),
    ("238", "12"): ("ours", "12 is a point of article 279; article 12 is of the law on development aid"),
    ("278", "279"): ("ours", "first end of a second range in one list"),
    ("305", "286"): ("ours", "stands behind a range in one list"),
    ("305", "287"): ("ours", "stands behind a range in one list"),
    ("305", "312"): ("ours", "«статьей 311 или 312»"),
    ("307", "311"): ("ours", "«статьей 308 или 311»"),
    ("337", "36"): ("ours", "article 36 is of the code on subsoil, which is named behind it"),
    ("478", "509"): ("ours", "«статьями 508 или 509»"),
}
"""Who is right where the two differ: (article, cited) → (whose side, why); judged by reading the text."""


def _repeated(unit: str, lead: str = "") -> Callable[[int], str]:
    return lambda size: (lead + unit * (size // len(unit) + 1))[:size]


HOSTILE: dict[str, Callable[[int], str]] = {
    "ст. ст. ст.": _repeated("ст. "),
    "a list of digits without end": _repeated("1, ", "ст. "),
    "digits without end": _repeated("1", "ст. "),
    "hyphens without end": _repeated("-1", "ст. 1"),
    "nested brackets": _repeated("ст. 5 (ч. 1 "),
    "open brackets": _repeated("(", "статья 5 "),
    "unclosed quotes behind a law": _repeated("Закон «"),
    "points that lead to no article": _repeated("п. 1, "),
    "ordinals that lead to no unit": _repeated("первой, второй части "),
    "combining marks": _repeated("и\u0306\u0301\u0301", "ст. 5 "),
    "soft hyphens": _repeated("ст\u00ad. 5\u00ad "),
    "short names without end": _repeated("ГК РФ (далее - Закон о контрактной системе) Закон о "),
    "spaces without end": _repeated(" ", "ст. 5"),
    "remarks without end": _repeated("ч. 1 (в части ст. 5 (перевозки)), "),
    "remarks never closed": _repeated("ч. 1 (в части п. 2 (перевозки), "),
    "remarks between articles": _repeated("ст. 5 (кроме ч. 2 ст. 6), 7 (кроме ст. 8 ГК РФ) "),
    "brackets in remarks": _repeated("ч. 1 ((((((((а)б)в)г) "),
    "numbers in words": _repeated("статья тысяча двести двадцать "),
    "bare numbers before a code": _repeated("1 ч. 2, 3-й п. 4 и 5 УК РФ "),
    "letters in one pair of quotes": _repeated("п. «а, б, в и г», «"),
}
