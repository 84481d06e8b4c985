"""Puts a version of a corpus into the graph: one writer, all or nothing.

Readers see a version only once it is whole and has been made current, in one step. A load that was interrupted leaves a
version that is not served; the next writer sweeps it away. A version that goes is hidden first, and deleted only when every
process has seen that.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from service.errors import ConflictError, LexhopError
from service.graph.catalog import CorpusVersion, check_corpus_key, corpus_uid, read_catalog
from service.graph.queries import query
from service.graph.rows import act_row, article_row, outside_rows, relation_row, search_row
from service.graph.search_text import SEARCH_SCHEME
from service.graph.writer import Writer, writing

if TYPE_CHECKING:
    from service.graph.content import CorpusContent
    from service.graph.store import GraphStore

__all__ = ["LoadOutcome", "Progress", "drop_version", "load_version", "make_current"]

# A change of the catalog is seen by every process within this time; until then a reader may be in the middle of a version.
_SEEN_SECONDS = 1.0

Progress = Callable[[str, int, int], None]
"""Told (what, done, total) while rows are written."""


@dataclass(frozen=True, slots=True)
class LoadOutcome:
    """What became of a load.

    Attributes:
        unchanged: The same content was there already, and nothing had to be written.
        dropped: Older versions that were dropped, as ``key@version``.
        swept: Versions left half loaded by others that were swept away.
    """

    key: str
    version: str
    unchanged: bool
    dropped: tuple[str, ...] = ()
    swept: tuple[str, ...] = ()
    counts: Mapping[str, Any] = field(default_factory=dict)


def _silent(_what: str, _done: int, _total: int) -> None:
    return None


async def load_version(
    store: GraphStore,
    key: str,
    content: CorpusContent,
    *,
    left_out: Mapping[str, Any] | None = None,
    batch_rows: int = 1000,
    keep: int = 2,
    stale_seconds: float = 60.0,
    wait_seconds: float = 0.0,
    progress: Progress = _silent,
) -> LoadOutcome:
    """Write a corpus, make it current, and drop what is no longer kept.

    Args:
        store: The graph, migrated.
        key: The corpus's key, such as ``ru``.
        content: The corpus.
        left_out: Counts of what was not taken, kept beside the version.
        batch_rows: Rows of one transaction.
        keep: How many versions that nobody needs are kept beside the current one.
        stale_seconds: Age at which another writer's heartbeat counts as dead.
        wait_seconds: How long to wait for another writer.
        progress: Told how far the writing is.

    Raises:
        ConflictError: Another writer is at work, or took over.
        InputError: The key cannot be one.
    """
    version, uid = content.version, corpus_uid(check_corpus_key(key), content.version)
    async with writing(store, f"load corpus {key}", stale_seconds=stale_seconds, wait_seconds=wait_seconds) as writer:
        swept = await _sweep(store, writer)
        catalog = await read_catalog(store)
        there = next((one for one in catalog.versions if one.uid == uid), None)
        if there is None:
            counts = _counts(content)
            await _write(
                store,
                writer,
                uid=uid,
                key=key,
                content=content,
                counts=counts,
                left_out=left_out or {},
                batch_rows=batch_rows,
                progress=progress,
            )
            # Finer than a second: of versions loaded at once the oldest go first.
            loaded_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        else:
            counts, loaded_at = dict(there.counts), ""
            if there.search_scheme != SEARCH_SCHEME:
                await _index(writer, uid=uid, content=content, batch_rows=batch_rows, progress=progress)
        await writer.write(query("load/finish"), uid=uid, key=key, loaded_at=loaded_at)
        dropped = await _prune(store, writer, key, keep)
    return LoadOutcome(key, version, there is not None, dropped, swept, counts)


async def make_current(store: GraphStore, version: CorpusVersion, *, stale_seconds: float = 60.0) -> None:
    """Make a version that is there the current one of its corpus."""
    async with writing(store, f"make {version.uid} current", stale_seconds=stale_seconds) as writer:
        await writer.write(query("load/finish"), uid=version.uid, key=version.key, loaded_at="")


async def drop_version(store: GraphStore, version: CorpusVersion, *, stale_seconds: float = 60.0) -> None:
    """Delete a version that is in nobody's use; the last version of a corpus goes even while it is current.

    Raises:
        ConflictError: It is pinned, or current while other versions are there.
    """
    if version.pins:
        raise ConflictError(
            f"version {version.uid} is in use by {', '.join(version.pins)}; drop those first", choices=version.pins
        )
    async with writing(store, f"drop {version.uid}", stale_seconds=stale_seconds) as writer:
        others = [
            one for one in (await read_catalog(store)).versions if one.key == version.key and one.uid != version.uid
        ]
        if version.current and others:
            raise ConflictError(
                f"version {version.uid} is the current one; load or make another one current before dropping it",
                choices=tuple(one.uid for one in others),
            )
        if version.current:
            await writer.write(query("load/retire"), uid=version.uid)
        if not await _delete(store, writer, version.uid):
            raise ConflictError(f"version {version.uid} came into use just now; it was not dropped")


async def _write(
    store: GraphStore,
    writer: Writer,
    *,
    uid: str,
    key: str,
    content: CorpusContent,
    counts: Mapping[str, Any],
    left_out: Mapping[str, Any],
    batch_rows: int,
    progress: Progress,
) -> None:
    info = content.info
    properties = {
        "key": key,
        "version": content.version,
        "title": info.title,
        "official": info.official,
        "licence": info.licence,
        "source": info.source,
        "notice": info.notice,
        "fold_inserted": info.fold_inserted,
        "languages": sorted({act.language.value for act in content.acts}),
        "jurisdictions": sorted({act.jurisdiction.value for act in content.acts}),
        "search_scheme": SEARCH_SCHEME,
        "counts_json": orjson.dumps(counts, option=orjson.OPT_SORT_KEYS).decode(),
        "left_out_json": orjson.dumps(left_out, option=orjson.OPT_SORT_KEYS).decode(),
    }
    await writer.write(query("load/begin"), uid=uid, properties=properties)
    of_act = Counter((article.act, article.edition) for article in content.articles)
    repealed = Counter((article.act, article.edition) for article in content.articles if article.repealed)
    acts = [
        act_row(uid, act, place=place, articles=of_act[act.key, act.edition], repealed=repealed[act.key, act.edition])
        for place, act in enumerate(content.acts)
    ]
    await writer.write(query("load/acts"), corpus_uid=uid, rows=acts)
    # Long texts make large messages: half the rows of everything else.
    act_of = {(act.key, act.edition): act for act in content.acts}
    articles = (article_row(uid, article, act_of[article.act, article.edition]) for article in content.articles)
    await _batches(
        writer, "articles", articles, total=len(content.articles), size=max(1, batch_rows // 2), progress=progress
    )
    outside_acts, outside_citations = outside_rows(uid, content.outside)
    await _batches(writer, "outside_acts", outside_acts, total=len(outside_acts), size=batch_rows, progress=progress)
    await _batches(
        writer, "outside_citations", outside_citations, total=len(outside_citations), size=batch_rows, progress=progress
    )
    relations = (relation_row(uid, relation) for relation in content.relations)
    await _batches(writer, "relations", relations, total=len(content.relations), size=batch_rows, progress=progress)
    there = await store.read_one(query("load/counts"), corpus_uid=uid)
    wanted = {
        "acts": len(content.acts),
        "articles": len(content.articles),
        "relations": len(content.relations),
        "outside_acts": len(outside_acts),
        "outside_citations": len(outside_citations),
    }
    if there != wanted:
        raise LexhopError(f"the graph holds {there} of version {uid} after loading {wanted}; it is not served: repeat")


async def _index(writer: Writer, *, uid: str, content: CorpusContent, batch_rows: int, progress: Progress) -> None:
    """Write anew what the full-text index holds of a version that an older Lexhop loaded."""
    act_of = {(act.key, act.edition): act for act in content.acts}
    rows = (search_row(uid, article, act_of[article.act, article.edition]) for article in content.articles)
    await _batches(writer, "search", rows, total=len(content.articles), size=max(1, batch_rows // 2), progress=progress)
    await writer.write(query("load/search_scheme"), uid=uid, scheme=SEARCH_SCHEME)


async def _batches(
    writer: Writer, what: str, rows: Iterable[Mapping[str, Any]], *, total: int, size: int, progress: Progress
) -> None:
    done = 0
    for batch in _cut(rows, size):
        await writer.write(query(f"load/{what}"), rows=batch)
        done += len(batch)
        progress(what, done, total)


def _cut(rows: Iterable[Mapping[str, Any]], size: int) -> Iterator[Sequence[Mapping[str, Any]]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, size)):
        yield batch


async def _sweep(store: GraphStore, writer: Writer) -> tuple[str, ...]:
    left = [row["uid"] for row in await store.read(query("load/unfinished"))]
    for uid in left:
        await _delete(store, writer, uid, served=False)
    return tuple(left)


async def _prune(store: GraphStore, writer: Writer, key: str, keep: int) -> tuple[str, ...]:
    catalog = await read_catalog(store)
    spare = [one for one in catalog.versions if one.key == key and not one.current and not one.pins]
    surplus = spare[: max(0, len(spare) - keep)]
    return tuple([one.uid for one in surplus if await _delete(store, writer, one.uid)])


async def _delete(store: GraphStore, writer: Writer, uid: str, *, served: bool = True) -> bool:
    (row,) = await writer.write(query("load/hide"), uid=uid)
    if not row["hidden"]:
        return False
    if served:
        await asyncio.sleep(_SEEN_SECONDS)
    await store.delete(query("load/delete_articles"), corpus_uid=uid)
    await writer.beat()
    await store.delete(query("load/delete_outside"), corpus_uid=uid)
    await writer.write(query("load/delete_rest"), corpus_uid=uid)
    return True


def _counts(content: CorpusContent) -> dict[str, Any]:
    by_type = Counter(relation.type.value for relation in content.relations)
    by_source = Counter(relation.source.value for relation in content.relations)
    return {
        "acts": len(content.acts),
        "articles": len(content.articles),
        "repealed": sum(article.repealed for article in content.articles),
        "characters": sum(len(article.text) for article in content.articles),
        "relations": len(content.relations),
        "relations_by_type": dict(sorted(by_type.items())),
        "relations_by_source": dict(sorted(by_source.items())),
        "outside_citations": len(content.outside),
    }
