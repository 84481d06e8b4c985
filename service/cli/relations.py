"""``lexhop relations``: typed relations of texts, without a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, TypeVar

import orjson
import typer

from service.cli.output import notes
from service.domain import Jurisdiction, Language
from service.errors import InputError, LexhopError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from loaders.relations import TypedCitation
    from service.citations import ArticleIndex, Surrounding

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)

_Name = TypeVar("_Name", Language, Jurisdiction)

_PROGRESS_EVERY = 1000
_HOME = {Language.RU: Jurisdiction.RU, Language.UK: Jurisdiction.UA, Language.ZH: Jurisdiction.CN}


@app.callback()
def _relations() -> None:
    """Relations between articles: what one norm does to another."""


@app.command()
def read(
    batch: Annotated[Path, typer.Option(help="JSON lines {id, lang, text, jurisdiction?, act?, article?}.")],
    out: Annotated[Path, typer.Option(help="JSON lines {id, relations}; a row that failed has {id, line, error}.")],
    articles: Annotated[
        Path | None, typer.Option(help="JSON jurisdiction → act → ordered list of articles, for ranges.")
    ] = None,
) -> None:
    """Type the relations of single paragraphs. Rows that fail are named on standard error; then the exit status is 1."""
    from service.citations import read_article_index

    index = None if articles is None else read_article_index(articles)
    failed = done = 0
    try:
        with batch.open("rb") as source, out.open("wb") as target:
            for row in _rows(source, index):
                done += 1
                if "error" in row:
                    failed += 1
                    notes().print(f"{batch.name}:{row['line']}: {row['error']}", markup=False, soft_wrap=True)
                target.write(orjson.dumps(row) + b"\n")
                if done % _PROGRESS_EVERY == 0:
                    notes().print(f"{done} rows read")
    except OSError as error:
        raise InputError(f"{error.filename!r} cannot be opened: {error.strerror}; name another file") from error
    if failed:
        raise typer.Exit(1)


def _rows(source: BinaryIO, index: ArticleIndex | None) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        row: dict[str, Any] = {}
        try:
            row = _row(line)
            yield {"id": row["id"], "relations": _relations_of(row, index)}
        except LexhopError as error:
            yield {"id": row.get("id"), "line": number, "error": str(error)}


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"the row is no UTF-8 JSON: {error}; correct it") from error
    if not isinstance(row, dict):
        raise InputError(f"the row {row!r} is no object; write {{id, lang, text}}")
    for name in ("id", "lang", "text"):
        if not isinstance(row.get(name), str):
            raise InputError(f"field {name!r} is {row.get(name)!r} and no string; every row needs id, lang and text")
    for name in ("jurisdiction", "act", "article"):
        if not isinstance(row.get(name), str | None):
            raise InputError(f"field {name!r} is {row.get(name)!r}; write a string or leave it out")
    return row


def _relations_of(row: dict[str, Any], index: ArticleIndex | None) -> list[dict[str, Any]]:
    from loaders.relations import type_citations
    from service.citations import Surrounding, load_registry, read_citations

    language = _one_of(Language, "lang", row["lang"])
    jurisdiction = _one_of(Jurisdiction, "jurisdiction", row.get("jurisdiction") or _HOME[language])
    act = row.get("act")
    if act is not None:
        act = load_registry(jurisdiction).act(act).key
    surrounding = Surrounding(jurisdiction, act, row.get("article"))
    citations = read_citations(row["text"], language, surrounding=surrounding, articles=index)
    typed = type_citations(row["text"], citations, language)
    return [_relation(one, surrounding) for one in typed if not one.citation.is_self]


def _one_of(kind: type[_Name], name: str, value: str) -> _Name:
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(kind)
        raise InputError(f"field {name!r} is {value!r}, which is none of {known}; write one of them") from error


def _relation(typed: TypedCitation, surrounding: Surrounding) -> dict[str, Any]:
    citation = typed.citation
    citing = {
        "jurisdiction": surrounding.jurisdiction,
        "act": surrounding.act,
        "act_title": None,
        "act_number": None,
        "article": surrounding.article,
    }
    cited = {
        "jurisdiction": citation.jurisdiction,
        "act": citation.act,
        "act_title": citation.act_title,
        "act_number": citation.act_number,
        "article": citation.article,
    }
    return {
        "from": cited if typed.reverse else citing,
        "to": citing if typed.reverse else cited,
        "raw": citation.raw,
        "start": citation.start,
        "end": citation.end,
        "type": typed.type,
        "cue": typed.cue,
        "cue_start": typed.cue_start,
        "cue_end": typed.cue_end,
        "confidence": typed.confidence,
        "also": [kind for kind, _ in typed.also],
    }
