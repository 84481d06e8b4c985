"""``lexhop relations``: typed relations of texts, without a graph."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from service.cli._relations_of import of
from service.cli.output import JsonFlag, console, notes, print_json
from service.domain import Jurisdiction, Language
from service.errors import InputError

if TYPE_CHECKING:
    from loaders.relations import TypedCitation
    from service.citations import Surrounding
    from service.citations.batch import BatchRow
    from service.graph.content import CorpusContent

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)
app.command()(of)


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
    as_json: JsonFlag = False,
) -> None:
    """Type the relations of single paragraphs. Rows that fail are named on standard error; then the exit status is 1.

    Example: lexhop relations read --batch paragraphs.jsonl --out relations.jsonl
    """
    from service.citations import read_article_index
    from service.citations.batch import read_batch

    index = None if articles is None else read_article_index(articles)
    if out.exists() and batch.exists() and out.samefile(batch):
        raise InputError(f"--out {str(out)!r} is the batch itself, which would be lost; name another file")
    failed = done = 0
    try:
        with batch.open("rb") as source, out.open("wb") as target:
            for row in read_batch(source, index):
                done += 1
                if row.error is not None:
                    failed += 1
                    notes().print(f"{batch.name}, line {row.line}: {row.error}", markup=False, soft_wrap=True)
                target.write(orjson.dumps(_typed(row)) + b"\n")
                if done % _PROGRESS_EVERY == 0:
                    notes().print(f"{done} rows read")
    except OSError as error:
        raise InputError(f"{error.filename!r} cannot be opened: {error.strerror}; name another file") from error
    if as_json:
        print_json({"file": str(out), "rows": done, "failed": failed})
    else:
        notes().print(f"{done} rows read, {failed} with an error")
    if failed:
        raise typer.Exit(1)


@app.command()
def sample(
    to: Annotated[Path, typer.Option(help="Folder for review.xlsx and key.json.")],
    corpus: Annotated[str, typer.Option(help="The corpus's key.")] = "ru",
    version: Annotated[str | None, typer.Option(help="A version or its first digits.")] = None,
    doctrinal: Annotated[int, typer.Option(help="Relations of EXCLUDES, SUPPLEMENTS, PREVAILS_OVER.")] = 50,
    structural: Annotated[int, typer.Option(help="Relations of REFERS_TO, APPLIES_TO.")] = 20,
    seed: Annotated[int, typer.Option(help="The same seed draws the same sample of a version.")] = 42,
    as_json: JsonFlag = False,
) -> None:
    """Draw a blind annotation package from a loaded corpus; the key stays with you.

    Example: lexhop relations sample --to review --doctrinal 50 --structural 20 --seed 42
    """
    from loaders.relations import draw_review, write_review
    from service.graph.catalog import read_catalog
    from service.graph.opening import open_graph
    from service.graph.reading import read_content
    from service.settings import Settings

    async def content() -> tuple[str, CorpusContent]:
        async with open_graph(Settings()) as store:
            found = (await read_catalog(store)).find(corpus, version)
            return found.version, await read_content(store, found)

    drawn_from, held = asyncio.run(content())
    articles = {article.ref: article for article in held.articles}
    items = draw_review(held.relations, articles, doctrinal=doctrinal, structural=structural, seed=seed)
    sheet, key = write_review(items, articles, to, language=held.acts[0].language)
    said = {"corpus": corpus, "version": drawn_from, "items": len(items), "review": str(sheet), "key": str(key)}
    if as_json:
        print_json(said)
    else:
        console().print(
            f"{len(items)} relations of {corpus}@{drawn_from}: give {sheet} to the annotators, keep {key}",
            markup=False,
        )


@app.command("import-review")
def import_review(
    sheets: Annotated[list[Path], typer.Argument(help="Filled-in review.xlsx files, one an annotator.")],
    key: Annotated[Path, typer.Option(help="The key.json of the sample.")],
    as_json: JsonFlag = False,
) -> None:
    """Tell what annotators found: precision by family, and how far they agree.

    Example: lexhop relations import-review anna.xlsx boris.xlsx --key review/key.json
    """
    from loaders.relations import read_review

    review = read_review(key, sheets)
    if as_json:
        print_json(review)
        return
    for name, share in review.precision.items():
        console().print(
            f"{name}: precision {share.value:.3f} [{share.low:.3f}, {share.high:.3f}], n = {share.n}", markup=False
        )
    if review.undecided:
        console().print(f"without a majority: {review.undecided}, counted as not confirmed")
    if review.agreement is None:
        console().print("agreement: one annotator alone")
        return
    figures = {"Fleiss' κ": review.agreement.fleiss, "AC1": review.agreement.ac1, "PABAK": review.agreement.pabak}
    said = ", ".join(f"{name} {'not defined' if value is None else f'{value:.3f}'}" for name, value in figures.items())
    console().print(f"agreement of {review.annotators}: raw {review.agreement.raw:.3f}, {said}")


def _typed(row: BatchRow) -> dict[str, Any]:
    from loaders.relations import type_citations

    if row.asked is None or row.citations is None:
        return {"id": row.id, "line": row.line, "error": row.error}
    asked = row.asked
    typed = type_citations(asked.text, row.citations, asked.language)
    citing = _citing(asked.surrounding, asked.language)
    return {"id": row.id, "relations": [_relation(one, citing) for one in typed if not one.citation.is_self]}


def _citing(surrounding: Surrounding, language: Language) -> dict[str, Any]:
    from service.citations import load_registry

    registry = load_registry(surrounding.jurisdiction or _HOME[language])
    act = registry.act(surrounding.act) if surrounding.act is not None else None
    return {
        "jurisdiction": registry.jurisdiction,
        "act": act.key if act else None,
        "act_title": act.title if act else None,
        "act_number": act.number if act else None,
        "article": surrounding.article,
    }


def _relation(typed: TypedCitation, citing: dict[str, Any]) -> dict[str, Any]:
    citation = typed.citation
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
