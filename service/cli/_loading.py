"""What the commands that load a corpus share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.cli.progress import bars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.graph.content import CorpusContent
    from service.graph.load import LoadOutcome
    from service.settings import Settings

__all__ = ["load_content"]


async def load_content(
    settings: Settings,
    key: str,
    content: CorpusContent,
    *,
    left_out: Mapping[str, Any] | None = None,
    wait: float = 0.0,
    quiet: bool = False,
) -> LoadOutcome:
    """Put a corpus into the graph that the settings mean, and show the progress unless quiet.

    Args:
        settings: Say which graph, and how a load goes.
        key: The corpus's key.
        content: What to load.
        left_out: Counts of what is not in the content.
        wait: Seconds to wait for another load.
        quiet: Show nothing.

    Raises:
        LexhopError: As ``service.graph.load.load_version``.
    """
    from service.graph.load import load_version
    from service.graph.opening import open_graph

    async with open_graph(settings) as store:
        with bars(quiet=quiet) as show:
            return await load_version(
                store,
                key,
                content,
                left_out=left_out,
                batch_rows=settings.load_batch_rows,
                keep=settings.keep_versions,
                stale_seconds=settings.load_stale_seconds,
                wait_seconds=wait,
                progress=show,
            )
