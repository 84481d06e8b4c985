"""Reads Markdown with a YAML front matter, one file an article (the Kazakh corpus)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import yaml

from loaders.statutes._lines import Line, LineBuilder
from loaders.statutes._structure import ArticleLines, piece_of
from service.errors import SourceError
from service.text.yaml_source import read_yaml

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FrontMatterArticle", "read_front_matter"]

_TAG = re.compile(r"<[^<>]{1,200}>")
_NOTE = re.compile(r"(?:Сноска|Примечание\s+(?:РЦПИ|ИЗПИ|изготовителя))\b", re.IGNORECASE)
_LEVELS = (("razdel", "Раздел"), ("glava", "Глава"), ("paragraf", "Параграф"))


@dataclass(frozen=True, slots=True)
class FrontMatterArticle:
    """One file: an article with its day of entry into force, or the reason why there is none.

    Attributes:
        article: None where the source has no text for it and says so.
        entry: ISO date of the article's own entry into force, where the front matter states it.
        skipped: (what, why).
    """

    article: ArticleLines | None
    entry: str | None
    skipped: tuple[tuple[str, str], ...] = ()


def read_front_matter(path: Path) -> FrontMatterArticle:
    """Read the article of a file.

    Raises:
        SourceError: There is no front matter, it is not YAML, or it names no article.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f"Markdown file {path.name!r} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    parts = re.split(r"(?m)^---\s*$", text, maxsplit=2)
    if len(parts) < 3 or parts[0].strip():
        raise SourceError(
            f"Markdown file {path.name!r} has no front matter between two lines of ---; begin it with one that "
            f"states 'article' and 'heading'"
        )
    try:
        head = read_yaml(parts[1])
    except yaml.YAMLError as error:
        told = " ".join(str(error).split())
        raise SourceError(f"front matter of {path.name!r} is not YAML: {told}; correct it") from None
    if not isinstance(head, dict) or not head.get("article"):
        raise SourceError(f"front matter of {path.name!r} names no 'article'; state its number")
    number = str(head["article"])
    article = ArticleLines(number, str(head.get("heading") or "").strip(), _path(head), ())
    # What stands behind a rule at the end are links of the source's own pages.
    for line in _lines(re.split(r"(?m)^---\s*$", parts[2])[0]):
        article.body.append(piece_of(line))
    if not article.body and head.get("duplicate_number_rank"):
        # The source has the number twice, once without a text.
        return FrontMatterArticle(
            None, None, ((f"article {number} in {path.name}", "the source gives no text for it"),)
        )
    return FrontMatterArticle(article, _iso(head.get("effective_from"), path))


def _lines(body: str) -> list[Line]:
    builder = LineBuilder()
    for raw in body.splitlines():
        text = _TAG.sub("", raw).strip()
        # A first-level heading repeats the title; quotations are the source's own remarks.
        if not text or text.startswith(("# ", ">")):
            continue
        builder.add(text, marked=_NOTE.match(text) is not None)
        builder.finish(blank=False)
    return builder.lines


def _path(head: dict[str, Any]) -> tuple[str, ...]:
    out = [str(head["part"])] if head.get("part") else []
    for key, word in _LEVELS:
        number, title = head.get(key), head.get(f"{key}_title")
        if number is not None:
            out.append(f"{word} {number}. {title}" if title else f"{word} {number}")
    return tuple(out)


def _iso(value: object, path: Path) -> str | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(str(value)).isoformat()
    except ValueError:
        raise SourceError(
            f"front matter of {path.name!r}: 'effective_from' is {value!r}, which is no date; write it as 2026-01-01"
        ) from None
