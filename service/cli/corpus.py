"""``lexhop corpus``: corpora and their versions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape

from service.cli._corpus_views import datasheet, diff
from service.cli._loading import load_content
from service.cli.output import JsonFlag, console, moment, notes, print_json, table
from service.cli.progress import bars
from service.cli.refine import refine
from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from loaders.corpus import BuiltCorpus
    from service.graph.load import LoadOutcome

__all__ = ["app", "load_built"]

app = typer.Typer(no_args_is_help=True)

_KeyArgument = Annotated[str, typer.Argument(help="The corpus's key, such as ru.")]
_VersionOption = Annotated[str | None, typer.Option("--version", help="A version or its first digits.")]


@app.command()
def load(
    key: _KeyArgument,
    from_folder: Annotated[
        Path | None, typer.Option("--from", help="Folder of the texts; the sample needs none.", show_default=False)
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for another load.")] = 0.0,
    as_json: JsonFlag = False,
) -> None:
    """Read statutes from a folder, build their graph, and make it the corpus's current version.

    All or nothing: until the end the old version is served, and after an interruption the same command begins again.

    Example: lexhop corpus load ru --from ../shared/data/ru-statutes
    """
    from loaders.corpus import build_folder, build_sample
    from service.graph.catalog import check_corpus_key

    check_corpus_key(key)
    if from_folder is None and key != "sample":
        raise InputError(f"corpus {key!r} has no texts of its own here (only 'sample' has); name a folder with --from")
    with bars(quiet=as_json) as show:
        if from_folder is None:
            built = build_sample()
        else:
            built = build_folder(key, from_folder, progress=lambda _act, done, total: show("acts read", done, total))
    outcome = asyncio.run(load_built(Settings(), built, wait=wait, quiet=as_json))
    _tell_load(built, outcome, as_json)


@app.command()
def fetch(
    key: _KeyArgument,
    to: Annotated[Path, typer.Option("--to", help="Folder for the texts and a manifest.", show_default=False)],
    act: Annotated[list[str] | None, typer.Option(help="Only these acts.")] = None,
    pause: Annotated[float, typer.Option(min=0.0, help="Seconds between two requests.")] = 2.0,
    as_json: JsonFlag = False,
) -> None:
    """Download the texts of a corpus from its official portal: one at a time, again only what changed there.

    Interrupted, the same command goes on. The folder is then loaded by lexhop corpus load.

    Example: lexhop corpus fetch ru --to statutes --act НК
    """
    from loaders.statutes import fetch_statutes

    with bars(quiet=as_json) as show:
        report = asyncio.run(
            fetch_statutes(
                key,
                to,
                acts=act,
                pause=pause,
                progress=lambda _name, _outcome, done, total: show("files fetched", done, total),
            )
        )
    if as_json:
        print_json(report.as_dict())
        return
    for file in report.files:
        console().print(f"{file.name}: {file.outcome}, {file.articles:,} articles of {file.act}", markup=False)
    console().print(f"now: lexhop corpus load {key} --from {to}", markup=False)


app.command()(refine)


app.command()(diff)
app.command()(datasheet)


@app.command("list")
def list_versions(as_json: JsonFlag = False) -> None:
    """List every whole version of every corpus.

    Example: lexhop corpus list --json
    """
    from service.graph.catalog import read_catalog
    from service.graph.opening import open_graph

    async def run() -> Any:
        async with open_graph(Settings()) as store:
            return (await read_catalog(store)).versions

    versions = asyncio.run(run())
    if as_json:
        print_json({"versions": [{**_plain(one), "uid": one.uid} for one in versions]})
        return
    if not versions:
        notes().print("no corpus is loaded; load one: lexhop corpus load ru --from FOLDER, or see lexhop demo")
        return
    rows = table("corpus", "version", "", "articles", "relations", "loaded (UTC)", "title", whole=3)
    for one in versions:
        mark = "current" if one.current else ("pinned" if one.pins else "")
        counts = one.counts
        rows.add_row(
            one.key,
            one.version,
            mark,
            f"{counts.get('articles', 0):,}",
            f"{counts.get('relations', 0):,}",
            moment(one.loaded_at),
            escape(one.title if not one.notice else f"{one.title} ({one.notice})"),
        )
    console().print(rows)


@app.command()
def drop(key: _KeyArgument, version: _VersionOption = None, as_json: JsonFlag = False) -> None:
    """Delete a version that nobody uses; the current one only when it is the last of its corpus.

    Example: lexhop corpus drop ru --version 0c0a52
    """
    from service.graph.catalog import read_catalog
    from service.graph.load import drop_version
    from service.graph.opening import open_graph

    settings = Settings()

    async def run() -> str:
        async with open_graph(settings) as store:
            found = (await read_catalog(store)).find(key, version)
            await drop_version(store, found, stale_seconds=settings.load_stale_seconds)
            return found.uid

    uid = asyncio.run(run())
    if as_json:
        print_json({"dropped": uid})
    else:
        console().print(f"dropped {uid}")


@app.command()
def current(
    key: _KeyArgument,
    version: Annotated[str, typer.Argument(help="A version or its first digits.")],
    as_json: JsonFlag = False,
) -> None:
    """Make a version that is there the current one again.

    Example: lexhop corpus current ru 0c0a52
    """
    from service.graph.catalog import read_catalog
    from service.graph.load import make_current
    from service.graph.opening import open_graph

    settings = Settings()

    async def run() -> str:
        async with open_graph(settings) as store:
            found = (await read_catalog(store)).find(key, version)
            await make_current(store, found, stale_seconds=settings.load_stale_seconds)
            return found.uid

    uid = asyncio.run(run())
    if as_json:
        print_json({"current": uid})
    else:
        console().print(f"{uid} is current", markup=False)


@app.command("export")
def export_corpus(
    key: _KeyArgument,
    to: Annotated[Path, typer.Option("--to", help="File to write; .gz packs it.", show_default=False)],
    form: Annotated[
        Literal["ndjson", "graphml", "node-link"],
        typer.Option("--format", help="ndjson can be imported; the others are for tools that draw or analyse graphs."),
    ] = "ndjson",
    version: _VersionOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a version to a file; imported elsewhere it has the same digest, hence the same name.

    Examples: lexhop corpus export ru --to ru.ndjson.gz; lexhop corpus export ru --to ru.graphml --format graphml
    """
    from service.graph.archive import write_archive, write_chunks
    from service.graph.catalog import read_catalog
    from service.graph.contents import read_contents
    from service.graph.exports import graphml, node_link
    from service.graph.opening import open_graph
    from service.graph.reading import read_content

    async def run() -> str:
        async with open_graph(Settings()) as store:
            found = (await read_catalog(store)).find(key, version)
            if form == "ndjson":
                content = await read_content(store, found)
                await asyncio.to_thread(write_archive, to, key, content)
            else:
                write = graphml if form == "graphml" else node_link
                await write_chunks(to, write(store, await read_contents(store, found)))
            return found.version

    written = asyncio.run(run())
    if as_json:
        print_json({"corpus": key, "version": written, "file": str(to), "format": form, "bytes": to.stat().st_size})
    else:
        console().print(f"{key}@{written} is written to {escape(str(to))} ({to.stat().st_size:,} bytes)")


@app.command("import")
def import_corpus(
    file: Annotated[Path, typer.Argument(help="A file that lexhop corpus export wrote.", show_default=False)],
    key: Annotated[str | None, typer.Option("--as", help="Another key than the export's own.")] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for another load.")] = 0.0,
    as_json: JsonFlag = False,
) -> None:
    """Load an export; refused when it was changed or cut.

    Example: lexhop corpus import ru.ndjson.gz
    """
    from service.graph.archive import read_archive
    from service.graph.catalog import check_corpus_key

    if key is not None:
        check_corpus_key(key)
    archive = read_archive(file)
    loading = load_content(
        Settings(), archive.corpus if key is None else key, archive.content, wait=wait, quiet=as_json
    )
    outcome = asyncio.run(loading)
    if as_json:
        print_json(_plain(outcome))
    else:
        _tell_outcome(outcome)


async def load_built(settings: Settings, built: BuiltCorpus, *, wait: float = 0.0, quiet: bool = False) -> LoadOutcome:
    """Put a built corpus into the graph that the settings mean."""
    return await load_content(settings, built.key, built.content, left_out=built.left_out, wait=wait, quiet=quiet)


def _tell_load(built: BuiltCorpus, outcome: LoadOutcome, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                **_plain(outcome),
                "acts": [report.as_dict() for report in built.reports],
                "left_out": built.left_out,
                "across_acts": _across(built),
            }
        )
        return
    rows = table("act", "articles", "repealed", "from stated", "from amendment", "unknown", "skipped", title="Acts")
    for report in built.reports:
        dates = report.valid_from
        rows.add_row(
            report.act if report.edition is None else f"{report.act}@{report.edition}",
            f"{report.articles:,}",
            f"{report.repealed:,}",
            f"{dates['stated']:,}",
            f"{dates['amendment']:,}",
            f"{dates['unknown']:,}",
            f"{len(report.skipped):,}",
        )
    out = console()
    out.print(rows)
    for report in built.reports:
        for what, why in report.skipped:
            notes().print(f"skipped in {report.act}: {what}: {why}", markup=False)
    left = {name: count for name, count in built.left_out.items() if isinstance(count, int) and count}
    if left:
        out.print("left out: " + ", ".join(f"{name} {count:,}" for name, count in left.items()))
    for name in built.left_out.get("invented_citations", [])[:20]:
        notes().print(f"cites an article that does not exist: {name}", markup=False)
    _tell_outcome(outcome)


def _tell_outcome(outcome: LoadOutcome) -> None:
    out = console()
    counts = outcome.counts
    by_type = ", ".join(f"{kind} {count:,}" for kind, count in counts.get("relations_by_type", {}).items())
    out.print(f"{counts.get('articles', 0):,} articles, {counts.get('relations', 0):,} relations ({by_type})")
    for uid in outcome.swept:
        out.print(f"swept away: {uid}, left half loaded by an interrupted load")
    for uid in outcome.dropped:
        out.print(f"dropped: {uid}, no longer kept")
    said = "was there already and is current" if outcome.unchanged else "is loaded and current"
    out.print(f"{outcome.key}@{outcome.version} {said}")


def _across(built: BuiltCorpus) -> int:
    return sum(
        relation.source_id.rpartition("_")[0] != relation.target_id.rpartition("_")[0]
        for relation in built.content.relations
    )


def _plain(value: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(value)
