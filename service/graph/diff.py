"""What changed between two versions of a corpus: articles and relations, read side by side, page by page."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.domain import NormId
from service.errors import InputError
from service.graph.queries import query

if TYPE_CHECKING:
    from service.graph.catalog import CorpusVersion
    from service.graph.store import GraphStore, Row

__all__ = ["ChangedArticle", "CorpusDiff", "diff_versions", "diff_view"]

_PAGE = 500
_COMPARED = (
    "title", "path", "text", "paragraphs_json", "notes_json", "amendments_json", "valid_from", "valid_from_basis",
    "valid_to", "amended_on", "repealed", "repealed_by",
)  # fmt: skip
_CONTEXT_LINES = 1


@dataclass(frozen=True, slots=True)
class ChangedArticle:
    """An article that both versions have, otherwise.

    Attributes:
        title: As the later version has it.
        fields: What differs: ``text``, ``title``, ``valid_from`` and so on.
        diff: Unified diff of the wordings by paragraphs; empty where the text is the same.
    """

    ref: NormId
    title: str
    fields: tuple[str, ...]
    diff: str


@dataclass
class CorpusDiff:
    """What changed; lists in the corpus's order, no longer than asked for, with counts of all.

    Attributes:
        added, removed: (ref, title) of articles that only one version has.
        changed: Articles that differ.
        gained, lost: (source, target, type) of relations between pairs that only one version relates.
        retyped: (source, target, type before, type after).
        counts: How many there are of each.
    """

    earlier: CorpusVersion
    later: CorpusVersion
    added: list[tuple[NormId, str]] = field(default_factory=list)
    removed: list[tuple[NormId, str]] = field(default_factory=list)
    changed: list[ChangedArticle] = field(default_factory=list)
    gained: list[tuple[NormId, NormId, str]] = field(default_factory=list)
    lost: list[tuple[NormId, NormId, str]] = field(default_factory=list)
    retyped: list[tuple[NormId, NormId, str, str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


async def diff_versions(
    store: GraphStore, earlier: CorpusVersion, later: CorpusVersion, *, limit: int | None = None
) -> CorpusDiff:
    """Compare two versions of one corpus.

    Args:
        store: The graph.
        earlier: The version that the change begins at; any of the two may be the older one.
        later: The other.
        limit: Entries of each list at most; all by default.

    Raises:
        InputError: Both are the same version.
    """
    if earlier.uid == later.uid:
        raise InputError(f"both versions are {earlier.uid}; name two different ones")
    found = CorpusDiff(earlier, later)
    taker = _Taker(found, limit)
    async for before, after in _side_by_side(store, earlier.uid, later.uid):
        if before is None and after is not None:
            taker.take("added", lambda row=after: (row["ref"], row["title"]))
        elif after is None and before is not None:
            taker.take("removed", lambda row=before: (row["ref"], row["title"]))
        elif before is not None and after is not None:
            fields = tuple(name for name in _COMPARED if before.get(name) != after.get(name))
            if fields:
                taker.take("changed", lambda one=before, other=after, names=fields: _changed(one, other, names))
    await _relations(store, taker)
    return found


class _Taker:
    """Counts everything and keeps as much as asked for."""

    def __init__(self, found: CorpusDiff, limit: int | None) -> None:
        self.found = found
        self._limit = limit
        found.counts = dict.fromkeys(("added", "removed", "changed", "gained", "lost", "retyped"), 0)

    def take(self, name: str, make: Any) -> None:
        self.found.counts[name] += 1
        if self._limit is None or self.found.counts[name] <= self._limit:
            getattr(self.found, name).append(make())


async def _side_by_side(store: GraphStore, earlier: str, later: str) -> AsyncIterator[tuple[Row | None, Row | None]]:
    """Yield the articles of both versions in one order, paired where they have the same name."""
    left, right = _articles(store, earlier), _articles(store, later)
    before, after = await anext(left, None), await anext(right, None)
    while before is not None or after is not None:
        if after is None or (before is not None and before["sort_key"] < after["sort_key"]):
            yield before, None
            before = await anext(left, None)
        elif before is None or after["sort_key"] < before["sort_key"]:
            yield None, after
            after = await anext(right, None)
        else:
            yield before, after
            before, after = await anext(left, None), await anext(right, None)


async def _articles(store: GraphStore, uid: str) -> AsyncIterator[Row]:
    after = ""
    while True:
        rows = await store.read(query("export/articles"), corpus_uid=uid, after=after, limit=_PAGE)
        for row in rows:
            yield row["article"]
        if len(rows) < _PAGE:
            return
        after = rows[-1]["article"]["sort_key"]


def _changed(before: Row, after: Row, fields: tuple[str, ...]) -> ChangedArticle:
    names = tuple(name.removesuffix("_json") for name in fields)
    diff = ""
    if "text" in fields:
        diff = "\n".join(
            difflib.unified_diff(
                before["text"].split("\n"), after["text"].split("\n"), "before", "after", n=_CONTEXT_LINES, lineterm=""
            )
        )
    return ChangedArticle(after["ref"], after["title"], names, diff)


async def _relations(store: GraphStore, taker: _Taker) -> None:
    earlier, later = await asyncio.gather(_types(store, taker.found.earlier.uid), _types(store, taker.found.later.uid))
    for pair, kind in later.items():
        before = earlier.get(pair)
        if before is None:
            taker.take("gained", lambda pair=pair, kind=kind: (*pair, kind))
        elif before != kind:
            taker.take("retyped", lambda pair=pair, before=before, kind=kind: (*pair, before, kind))
    for pair, kind in earlier.items():
        if pair not in later:
            taker.take("lost", lambda pair=pair, kind=kind: (*pair, kind))


async def _types(store: GraphStore, uid: str) -> dict[tuple[NormId, NormId], str]:
    rows = await store.read(query("diagnostics/edges"), corpus_uid=uid)
    types = {(row["source"], row["target"]): row["type"] for row in rows}
    return dict(sorted(types.items()))


def diff_view(found: CorpusDiff) -> dict[str, Any]:
    """Return a diff as ``DiffView``."""
    earlier, later = found.earlier, found.later
    shown = {name: len(getattr(found, name)) for name in found.counts}
    return {
        "corpus": later.key,
        "from": earlier.version,
        "to": later.version,
        "notice": later.notice,
        "counts": found.counts,
        "articles": {
            "added": [{"norm_id": ref, "title": title} for ref, title in found.added],
            "removed": [{"norm_id": ref, "title": title} for ref, title in found.removed],
            "changed": [
                {"norm_id": one.ref, "title": one.title, "fields": list(one.fields), "diff": one.diff}
                for one in found.changed
            ],
        },
        "relations": {
            "gained": [_relation(*one) for one in found.gained],
            "lost": [_relation(*one) for one in found.lost],
            "retyped": [
                {"source": source, "target": target, "from": before, "to": after}
                for source, target, before, after in found.retyped
            ],
        },
        "truncated": shown != found.counts,
    }


def _relation(source: NormId, target: NormId, kind: str) -> dict[str, str]:
    return {"source": source, "target": target, "type": kind}
