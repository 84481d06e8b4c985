"""``lexhop citations``: what a text cites."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import orjson
import typer

from service.cli.output import console, notes
from service.errors import InputError, SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from service.citations import ArticleIndex, Coverage
    from service.domain import Citation

__all__ = ["app"]

app = typer.Typer()

_PROGRESS_ROWS = 1000


@app.callback()
def citations(
    file: Annotated[Path | None, typer.Argument(help="A text in UTF-8; standard input without it, or with -.")] = None,
    *,
    lang: Annotated[str, typer.Option("--lang", help="Language of the text: ru, uk, zh.")] = "ru",
    jurisdiction: Annotated[
        str | None, typer.Option("--jurisdiction", help="Whose law is meant; by default that of the language.")
    ] = None,
    act: Annotated[str | None, typer.Option("--act", help="Key of the act in whose text it stands.")] = None,
    article: Annotated[str | None, typer.Option("--article", help="The article in which it stands.")] = None,
    output: Annotated[
        Literal["json", "text"], typer.Option("--format", help="JSON lines, or the text with citations marked.")
    ] = "json",
    batch: Annotated[Path | None, typer.Option("--batch", help="JSON lines {id, lang, text, …} to read.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where the batch goes; standard output without it.")] = None,
    articles: Annotated[
        Path | None, typer.Option("--articles", help="JSON: jurisdiction → act → ordered article numbers.")
    ] = None,
    corpus: Annotated[
        str | None, typer.Option("--corpus", help="Check against a loaded corpus, KEY or KEY@VERSION.")
    ] = None,
) -> None:
    """Read the citations of a file, of standard input, or of a batch.

    A batch ends with status 1 when a row could not be read; the others are read all the same.

    Examples: lexhop citations decision.txt --format text; lexhop citations --batch texts.jsonl --out citations.jsonl
    """
    if articles is not None and corpus is not None:
        raise InputError(f"--articles {str(articles)!r} and --corpus {corpus!r} exclude each other; leave one out")
    coverage = _coverage_of(corpus) if corpus is not None else None
    index = coverage.articles if coverage else _articles(articles)
    if batch is not None:
        if file is not None:
            raise InputError(f"--batch {str(batch)!r} and the file {str(file)!r} exclude each other; leave one out")
        if out is not None and batch.exists() and out.exists() and batch.samefile(out):
            raise InputError(f"--out {str(out)!r} is the file that --batch reads; name another, or it would be lost")
        raise typer.Exit(_run_batch(batch, out, index, coverage))
    if out is not None:
        raise InputError(f"--out {str(out)!r} belongs to --batch; redirect standard output instead")
    from service.citations import check_citations

    text = _text(file)
    found = _read(text, lang=lang, jurisdiction=jurisdiction, act=act, article=article, index=index)
    if coverage is not None:
        found = check_citations(found, coverage)
    if output == "text":
        _print_marked(text, found)
    else:
        _print_lines(found)


def _read(
    text: str,
    *,
    lang: str,
    jurisdiction: str | None,
    act: str | None,
    article: str | None,
    index: ArticleIndex | None,
) -> list[Citation]:
    from service.citations import Surrounding, load_registry, read_citations
    from service.domain import Language

    try:
        language = Language(lang)
    except ValueError as error:
        names = ", ".join(item.value for item in Language)
        raise InputError(f"--lang {lang!r} is not read; use one of {names}") from error
    whose = load_registry(jurisdiction).jurisdiction if jurisdiction else None
    return read_citations(text, language, surrounding=Surrounding(whose, act, article), articles=index)


def _articles(file: Path | None) -> ArticleIndex | None:
    from service.citations import read_article_index

    return read_article_index(file) if file is not None else None


def _coverage_of(name: str) -> Coverage:
    """Return what a loaded corpus holds, named ``ru`` or ``ru@version``."""
    from service.graph.catalog import read_catalog
    from service.graph.contents import read_contents
    from service.graph.opening import open_graph
    from service.settings import Settings

    key, _, version = name.partition("@")

    async def ask() -> Coverage:
        async with open_graph(Settings()) as store:
            found = (await read_catalog(store)).find(key, version or None)
            return (await read_contents(store, found)).coverage

    return asyncio.run(ask())


def _text(file: Path | None) -> str:
    if file == Path("-"):
        file = None
    name = "standard input" if file is None else repr(str(file))
    try:
        content = sys.stdin.buffer.read() if file is None else file.read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise SourceError(f"file {name} cannot be read: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        broken = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
        raise SourceError(f"{name} is not UTF-8: {broken}; convert it to UTF-8") from error


def _print_lines(found: Iterable[Citation]) -> None:
    from service.citations import citation_row

    for citation in found:
        sys.stdout.buffer.write(orjson.dumps(citation_row(citation)) + b"\n")
    sys.stdout.buffer.flush()


def _print_marked(text: str, found: Iterable[Citation]) -> None:
    """Print the text with each citation in colour and, behind it, what it was read as."""
    from rich.text import Text

    marked = Text()
    done = 0
    spans: dict[tuple[int, int], list[Citation]] = {}
    for citation in found:
        spans.setdefault((citation.start, citation.end), []).append(citation)
    for (start, end), members in sorted(spans.items()):
        if start < done:
            continue
        marked.append(text[done:start])
        unresolved = any("unresolved" in member.flags for member in members)
        marked.append(text[start:end], style="yellow" if unresolved else "bold green")
        names = dict.fromkeys(_name(member) for member in members)
        marked.append(f" [{', '.join(names)}]", style="dim")
        done = end
    marked.append(text[done:])
    console().print(marked, soft_wrap=True)


def _name(citation: Citation) -> str:
    act = citation.act or citation.act_number or citation.act_title or "?"
    name = f"{act}_{citation.article}" if citation.article else act
    units = [
        f"{short} {value}"
        for short, value in (
            ("ч.", citation.part),
            ("п.", citation.point),
            ("подп.", citation.subpoint),
            ("абз.", citation.paragraph),
        )
        if value
    ]
    return " ".join([name, *units])


def _run_batch(source: Path, out: Path | None, index: ArticleIndex | None, coverage: Coverage | None) -> int:
    from service.citations import read_batch

    log = notes()
    done = errors = 0
    with ExitStack() as stack:
        lines = _opened(source, "rb", stack)
        written = _opened(out, "wb", stack)
        for row in read_batch(lines, index, coverage=coverage):
            written.write(orjson.dumps(row.as_json()) + b"\n")
            done += 1
            if row.error is not None:
                errors += 1
                log.print(f"{source.name}, line {row.line}: {row.error}", style="red", markup=False, soft_wrap=True)
            if done % _PROGRESS_ROWS == 0:
                log.print(f"{done} rows read, {errors} with an error", style="dim")
        written.flush()
    log.print(f"{done} rows read, {errors} with an error")
    return 1 if errors else 0


def _opened(path: Path | None, mode: Literal["rb", "wb"], stack: ExitStack) -> BinaryIO:
    standard = sys.stdin.buffer if mode == "rb" else sys.stdout.buffer
    if path is None or str(path) == "-":
        return standard
    try:
        return stack.enter_context(path.open(mode))
    except OSError as error:
        verb = "read" if mode == "rb" else "written"
        raise SourceError(f"file {str(path)!r} cannot be {verb}: {error.strerror}; check the path") from error
