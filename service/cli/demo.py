"""``lexhop demo``: everything once, from nothing to an answering service."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.output import JsonFlag, console, notes, print_json
from service.settings import Settings

if TYPE_CHECKING:
    from loaders.corpus import BuiltCorpus
    from service.graph.load import LoadOutcome

__all__ = ["app"]

app = typer.Typer()

_ARCHIVE_SECONDS = 60.0
_QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@app.callback()
def demo(
    corpus: Annotated[Path | None, typer.Option(help="A folder of real statutes instead of the sample.")] = None,
    key: Annotated[str, typer.Option(help="The key of that corpus.")] = "ru",
    once: Annotated[bool, typer.Option("--once", help="End by itself instead of serving on.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the service; 0 takes a free one.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Set up a graph in a home of its own, load the sample, show what it can do, and serve it until Ctrl-C.

    Examples: lexhop demo; lexhop demo --once --json; lexhop demo --corpus ../shared/data/ru-statutes
    """
    from service.logs import set_up_logs

    settings = Settings()
    set_up_logs(as_json=settings.log_json)
    settings = settings.model_copy(
        update={
            "home": settings.home / "demo",
            "local_jars": settings.local_jars or settings.home / "jars",
            "corpus": key if corpus else "sample",
            # For a sample a quick start is worth more than code compiled well.
            "local_java_options": settings.local_java_options or ("" if corpus else _QUICK_JAVA),
        }
    )
    interrupted = True
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(settings, corpus, key=key, once=once, port=port, as_json=as_json))
        interrupted = False
    _end_graph(settings, finish_archive=once and not interrupted, quiet=as_json)
    if not as_json:
        notes().print("the demo is over; its graph is shut down")


async def _run(settings: Settings, corpus: Path | None, *, key: str, once: bool, port: int, as_json: bool) -> None:
    from service.cli.corpus import load_built
    from service.graph.opening import open_graph

    say = notes()
    if not as_json:
        say.print("1. the graph: a Neo4j of one's own")
    # Built, and the service imported, while the Java machine starts.
    building = asyncio.create_task(asyncio.to_thread(_build, corpus, key))
    try:
        async with open_graph(settings):
            built = await building
            outcome = await load_built(settings, built, wait=60.0, quiet=as_json)
            task_set = await _load_tasks(settings) if corpus is None else None
            await _show(settings, outcome, task_set, once=once, port=port, as_json=as_json)
    finally:
        building.cancel()


def _build(corpus: Path | None, key: str) -> BuiltCorpus:
    # Imported here, so that it need not be later: gaps are tested, and that loads scipy.
    import service.analysis.significance
    import service.app
    import service.server  # noqa: F401
    from loaders.corpus import build_folder, build_sample

    return build_folder(key, corpus) if corpus else build_sample()


async def _show(
    settings: Settings, outcome: LoadOutcome, task_set: str | None, *, once: bool, port: int, as_json: bool
) -> None:
    from service.cli.demo_runs import demo_runs, show_runs
    from service.cli.showing import show_demo

    say = notes()
    if not as_json:
        counts = outcome.counts
        said = "was there" if outcome.unchanged else "is loaded"
        say.print(
            f"2. the corpus {outcome.key}@{outcome.version} {said}: "
            f"{counts['articles']:,} articles, {counts['relations']:,} relations"
        )
        if task_set:
            say.print(
                "3. three scripted participants answer the sample's tasks over HTTP, the lexical judge reads them"
            )
    async with _serving(settings, port) as (url, server):
        # Both at once: the first queries of a new Neo4j take long, and the participants are busy in the ledger meanwhile.
        parts = [_gather(url), *([demo_runs(settings, url, task_set)] if task_set else [])]
        shown: dict[str, Any] = {"url": url}
        for part in await asyncio.gather(*parts):
            shown |= part
        if as_json:
            print_json(shown)
        else:
            show_demo(console(), shown)
            if task_set:
                show_runs(console(), shown)
                say.print(f"   the same at {url}/v1/leaderboards/mhgb?unranked=true", soft_wrap=True)
            say.print(f"\n4. the service answers at {url} (routes at {url}/docs)", soft_wrap=True)
        if not once:
            if not as_json:
                say.print("Ctrl-C ends everything")
            await server


@contextlib.asynccontextmanager
async def _serving(settings: Settings, port: int) -> AsyncIterator[tuple[str, asyncio.Task[None]]]:
    from service.app import create_app
    from service.cli.serve import address_of, bind
    from service.server import make_server

    listener = bind(settings.host, port)
    answering = asyncio.Event()
    server = make_server(create_app(settings), answering.set)
    task = asyncio.create_task(server.serve([listener]))
    waiting = asyncio.create_task(answering.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        yield address_of(listener), task
    finally:
        waiting.cancel()
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _gather(url: str) -> dict[str, Any]:
    """Ask the running service, as any client would."""
    import httpx

    async with httpx.AsyncClient(base_url=url, timeout=60.0) as client:

        async def get(path: str, **parameters: Any) -> Any:
            answer = await client.get(path, params=parameters)
            answer.raise_for_status()
            return answer.json()

        async def way() -> Any:
            around = await get(f"/v1/articles/{chain[0]}/neighbourhood", depth=2, direction="outgoing")
            far = _far_end(around["norms"]) or chain[1]
            return await get("/v1/paths", **{"from": chain[0], "to": far, "max_hops": 3, "limit": 3})

        async def itself() -> tuple[Any, Any]:
            article = await get(f"/v1/articles/{chain[0]}")
            return article, await get("/v1/articles", q=article["title"] or article["text"][:200], limit=3)

        doctrinal = await get("/v1/relations", family="doctrinal", cross_act=True, limit=1)
        if not doctrinal["items"]:
            doctrinal = await get("/v1/relations", limit=1)
        chain = [doctrinal["items"][0]["source"]["norm_id"], doctrinal["items"][0]["target"]["norm_id"]]
        (article, found), paths, relations, between, context, meta, sets = await asyncio.gather(
            itself(),
            way(),
            get(f"/v1/articles/{chain[0]}/relations", limit=12),
            get("/v1/between", a=chain[0], b=chain[1], limit=5),
            get("/v1/context", norm_id=chain, max_chunks=8),
            get("/v1/meta"),
            get("/v1/task-sets"),
        )
        own = [one["key"] for one in sets["items"] if one["corpus"] == article["corpus"]]
        task = await _one_task(get, own[0]) if own else None
    return {
        "corpus": article["corpus"],
        "version": article["version"],
        "notice": article["notice"],
        "graph": meta["graph"],
        "article": article,
        "relations": relations["items"],
        "search": found,
        "paths": paths,
        "between": between,
        "chain": chain,
        "context": context,
        "task": task,
    }


def _far_end(norms: list[dict[str, Any]]) -> str | None:
    """Return a norm at the end of a path worth showing: two steps away, in another act where there is one."""
    middle = norms[0]
    far = [norm for norm in norms if norm["distance"] == 2]
    far.sort(key=lambda norm: norm["act"] == middle["act"])
    return far[0]["norm_id"] if far else None


async def _one_task(get: Callable[..., Awaitable[Any]], key: str) -> dict[str, Any]:
    """Return a task of several norms with its answer key and its context."""
    found = await get(f"/v1/task-sets/{key}/tasks", type="rule_selection", depth="medium", mode="open", view="gold")
    task: dict[str, Any] = found["items"][0]
    return task | {"context": await get(f"/v1/tasks/{task['id']}/context", task_set=key)}


async def _load_tasks(settings: Settings) -> str:
    """Load the sample's tasks, and return the name of their set."""
    from service.cli.tasks import ledger_and_graph
    from service.graph.catalog import read_catalog
    from service.tasks import load_sample_set

    async with ledger_and_graph(settings) as (ledger, store):
        return (await load_sample_set(ledger, store, (await read_catalog(store)).find("sample"))).name


def _end_graph(settings: Settings, *, finish_archive: bool, quiet: bool) -> None:
    from service.errors import ConflictError
    from service.graph.address import foreign_address
    from service.graph.local import LocalGraph, Report

    if foreign_address(settings) is None:
        graph = LocalGraph(settings, Report(quiet=True))
        if finish_archive and not graph.await_archive(0.0):
            if not quiet:
                notes().print("once: keeping Neo4j's classes for a quicker next start")
            graph.await_archive(_ARCHIVE_SECONDS)
        # Another demo may be using it; its own end, or the idle time, shuts it down then.
        with contextlib.suppress(ConflictError):
            graph.down()
