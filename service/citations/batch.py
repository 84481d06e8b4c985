"""Many texts at once: JSON lines in, JSON lines out, one bad row never stops the rest."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from service.citations._reading import Surrounding, read_citations
from service.citations.coverage import Coverage, check_citations
from service.citations.registry import load_registry
from service.domain import Citation, Jurisdiction, Language
from service.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.citations.article_index import ArticleIndex

__all__ = ["BatchRow", "BatchText", "citation_row", "read_batch"]


@dataclass(frozen=True, slots=True)
class BatchText:
    """What a row asks to be read."""

    text: str
    language: Language
    surrounding: Surrounding


@dataclass(frozen=True, slots=True)
class BatchRow:
    """What became of one row.

    Attributes:
        line: Its line, counted from 1.
        id: As given; None where it could not be read.
        asked: What was read; None when the row has an error.
        citations: In text order; None when the row has an error.
        error: What is wrong with the row and what to do.
    """

    line: int
    id: str | int | None
    asked: BatchText | None = None
    citations: tuple[Citation, ...] | None = None
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the row as it is written."""
        if self.citations is None:
            return {"id": self.id, "citations": None, "line": self.line, "error": self.error}
        return {"id": self.id, "citations": [citation_row(citation) for citation in self.citations]}


def citation_row(citation: Citation) -> dict[str, Any]:
    """Return a citation with every field of the batch form; levels that the text does not name are None.

    ``section``, ``subsection`` and ``edition`` are added only where a citation has them.
    """
    row: dict[str, Any] = {
        "jurisdiction": citation.jurisdiction,
        "act": citation.act,
        "act_title": citation.act_title,
        "act_number": citation.act_number,
        "article": citation.article,
        "part": citation.part,
        "point": citation.point,
        "subpoint": citation.subpoint,
        "paragraph": citation.paragraph,
        "raw": citation.raw,
        "start": citation.start,
        "end": citation.end,
        "flags": list(citation.flags),
        "self": citation.is_self,
    }
    for name in ("section", "subsection", "edition"):
        value = getattr(citation, name)
        if value is not None:
            row[name] = value
    return row


def read_batch(
    lines: Iterable[bytes], articles: ArticleIndex | None = None, *, coverage: Coverage | None = None
) -> Iterator[BatchRow]:
    """Read rows of ``{id, lang, text}``, optionally with ``jurisdiction``, ``act`` and ``article`` around the text.

    Other fields of a row, empty lines and a byte order mark before the first row are passed over; ``article`` may be an
    integer.

    Rows come out one by one, in order, so that any number of them fits into memory.

    Args:
        lines: The rows, each a JSON object in UTF-8.
        articles: Existing articles, for ranges and flattened superscripts; by default those of ``coverage``.
        coverage: What a corpus has loaded; the citations are checked against it.
    """
    if articles is None and coverage is not None:
        articles = coverage.articles
    for number, given in enumerate(lines, start=1):
        line = given.removeprefix(codecs.BOM_UTF8) if number == 1 else given
        if line.strip():
            yield _row(number, line, articles, coverage)


def _row(number: int, line: bytes, articles: ArticleIndex | None, coverage: Coverage | None) -> BatchRow:
    try:
        row = _parsed(line)
    except InputError as error:
        return BatchRow(number, None, error=str(error))
    identity = row.get("id")
    known = identity if isinstance(identity, str | int) and not isinstance(identity, bool) else None
    try:
        if known is None:
            raise InputError(f"field 'id' is {identity!r}; it must be a string or an integer")
        asked = BatchText(_text(row, "text", required=True), _language(row), _surrounding(row))
        found = read_citations(asked.text, asked.language, surrounding=asked.surrounding, articles=articles)
    except InputError as error:
        return BatchRow(number, known, error=str(error))
    if coverage is not None:
        found = check_citations(found, coverage)
    return BatchRow(number, known, asked, tuple(found))


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        try:
            line.decode()
        except UnicodeDecodeError as broken:
            wrong = f"byte {line[broken.start : broken.start + 1]!r} at offset {broken.start}"
            raise InputError(f"row is not UTF-8: {wrong}; encode it as UTF-8") from error
        raise InputError(f"row is not JSON: {error}; write one object a line") from error
    if not isinstance(row, dict):
        raise InputError(f"row is {row!r:.60}; write one object a line, {{id, lang, text}}")
    return row


def _text(row: dict[str, Any], field: str, *, required: bool = False) -> str:
    value = row.get(field)
    if value is None and not required:
        return ""
    if not isinstance(value, str):
        what = "is missing" if field not in row else f"is {value!r:.60}"
        raise InputError(f"field {field!r} {what}; it must be a string")
    return value


def _language(row: dict[str, Any]) -> Language:
    name = _text(row, "lang", required=True)
    try:
        return Language(name)
    except ValueError as error:
        names = ", ".join(language.value for language in Language)
        raise InputError(f"lang {name!r} is not read; use one of {names}") from error


def _surrounding(row: dict[str, Any]) -> Surrounding:
    name = _text(row, "jurisdiction")
    jurisdiction: Jurisdiction | None = load_registry(name).jurisdiction if name else None
    return Surrounding(
        jurisdiction=jurisdiction,
        act=_text(row, "act") or None,
        article=_article(row),
    )


def _article(row: dict[str, Any]) -> str | None:
    value = row.get("article")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text(row, "article") or None
