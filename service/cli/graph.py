"""``lexhop graph``: the Neo4j that holds the graph."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.output import JsonFlag, console, notes, print_json
from service.errors import ConflictError
from service.settings import Settings

if TYPE_CHECKING:
    from service.graph.address import GraphAddress
    from service.graph.local import LocalStatus

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)


@app.command()
def up(as_json: JsonFlag = False) -> None:
    """Start the local Neo4j, or join it, and leave it running until nobody has used it for the idle time.

    The first time its jars come down (about 140 MB). Every command that needs the graph does this by itself.

    Example: lexhop graph up --json
    """
    from service.graph.local import LocalGraph

    settings = Settings()
    address = _foreign(settings)
    if address is not None:
        notes().print("LEXHOP_GRAPH_URL is set: nothing of ours is to be started", markup=False)
        return _tell_foreign(address, as_json)
    graph = LocalGraph(settings)
    with graph.acquire():
        return _tell_local(graph.status(), as_json)


@app.command()
def status(as_json: JsonFlag = False) -> None:
    """Say where the graph's Neo4j is, its version, and whether it answers; nothing is started.

    Example: lexhop graph status
    """
    from service.graph.local import LocalGraph

    settings = Settings()
    address = _foreign(settings)
    if address is not None:
        return _tell_foreign(address, as_json)
    return _tell_local(LocalGraph(settings).status(), as_json)


@app.command()
def down(
    force: Annotated[bool, typer.Option("--force", help="Also while others use it; they start it again.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Shut the local Neo4j down; refused while it is in use.

    Example: lexhop graph down --force
    """
    from service.graph.local import LocalGraph

    settings = Settings()
    address = _foreign(settings)
    if address is not None:
        raise ConflictError(
            f"LEXHOP_GRAPH_URL is {address.url!r}: that server is not ours to stop; unset it to speak of the local one"
        )
    graph = LocalGraph(settings)
    was_up = graph.down(force=force)
    if as_json:
        print_json({"stopped": was_up, "folder": str(graph.paths.root)})
    else:
        text = "the local Neo4j is shut down" if was_up else "no local Neo4j was running"
        console().print(f"{text} ({graph.paths.root})", markup=False, soft_wrap=True)


def _foreign(settings: Settings) -> GraphAddress | None:
    from service.graph.address import foreign_address

    return foreign_address(settings)


def _tell_foreign(address: GraphAddress, as_json: bool) -> None:
    from service.graph.probe import probe

    info = asyncio.run(probe(address))
    _tell(
        {
            "local": False,
            "state": "ready",
            **dataclasses.asdict(info),
            "user": address.user,
            "database": address.database,
        },
        as_json,
    )


def _tell_local(status: LocalStatus, as_json: bool) -> None:
    _tell({"local": True, **dataclasses.asdict(status)}, as_json)


def _tell(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(facts)
        return
    out = console()
    for name, value in facts.items():
        shown = "-" if value is None else ("yes" if value else "no") if isinstance(value, bool) else value
        out.print(f"{name.replace('_', ' '):<14}{shown}", markup=False, soft_wrap=True)
