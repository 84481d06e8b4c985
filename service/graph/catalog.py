"""Which corpora and versions there are, and which one a request means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from service.errors import ConflictError, InputError, NotFoundError
from service.graph.queries import query

if TYPE_CHECKING:
    from service.graph.store import GraphStore, Row

__all__ = ["Catalog", "CorpusVersion", "check_corpus_key", "corpus_uid", "read_catalog"]

_KEY = re.compile(r"[^\W_][\w.-]{0,63}")


def check_corpus_key(key: str) -> str:
    """Return a corpus's key when it can be one.

    Keys stand in uids before ``@`` and ``/``, in file names of backups and in addresses; a key with such a sign in it
    would be taken apart in the wrong place.

    Raises:
        InputError: It is empty, too long, or has another sign than letters, figures, ``-``, ``_`` and ``.``.
    """
    if _KEY.fullmatch(key) is None:
        raise InputError(
            f"corpus key {key[:80]!r} cannot be used; write 1 to 64 letters, figures, '-', '_' or '.', "
            f"beginning with a letter or a figure, such as 'ru'"
        )
    return key


def corpus_uid(key: str, version: str) -> str:
    """Return the name of one version of one corpus in the graph: ``ru@0123456789ab``."""
    return f"{key}@{version}"


@dataclass(frozen=True, slots=True)
class CorpusVersion:
    """One whole version of one corpus.

    Attributes:
        uid: ``key@version``.
        loaded_at: ISO time in UTC.
        pins: What needs this version.
        counts: Acts, articles, relations by type, outside citations.
        left_out: Counts of what was not taken, by reason.
        search_scheme: How its articles stand in the full-text index; 0 where they do not.
    """

    key: str
    version: str
    title: str
    official: bool
    current: bool
    licence: str
    source: str
    notice: str
    fold_inserted: bool
    loaded_at: str
    languages: tuple[str, ...]
    jurisdictions: tuple[str, ...]
    pins: tuple[str, ...]
    counts: Mapping[str, Any]
    left_out: Mapping[str, Any]
    search_scheme: int = 0

    @property
    def uid(self) -> str:
        """``key@version``."""
        return corpus_uid(self.key, self.version)


@dataclass(frozen=True)
class Catalog:
    """A snapshot of all whole versions."""

    versions: tuple[CorpusVersion, ...]

    def current(self) -> tuple[CorpusVersion, ...]:
        """The current version of each corpus."""
        return tuple(version for version in self.versions if version.current)

    def find(self, key: str, version: str | None = None) -> CorpusVersion:
        """Return a corpus's current version, or the version named (its first digits suffice).

        Raises:
            NotFoundError: There is no such corpus or version; the error names those there are.
            ConflictError: The digits fit several versions.
        """
        of_key = [one for one in self.versions if one.key == key]
        if not of_key:
            keys = tuple(dict.fromkeys(one.key for one in self.versions))
            raise NotFoundError(
                f"no corpus {key!r} is loaded; there is {', '.join(keys) or 'none: load one by lexhop corpus load'}",
                nearest=keys,
            )
        if version is None:
            for one in of_key:
                if one.current:
                    return one
        names = tuple(one.version for one in of_key)
        fitting = [one for one in of_key if version and one.version.startswith(version)]
        if len(fitting) == 1:
            return fitting[0]
        if len(fitting) > 1:
            raise ConflictError(
                f"version {version!r} of corpus {key!r} fits several: {', '.join(one.version for one in fitting)}",
                choices=tuple(one.version for one in fitting),
            )
        raise NotFoundError(f"corpus {key!r} has no version {version!r}; it has {', '.join(names)}", nearest=names)

    def default(self, preferred: str | None) -> tuple[CorpusVersion, ...]:
        """Return the corpora that a request without a corpus may mean, most often one.

        The setting's corpus; without it the real ones, or the unofficial ones while there is no real one.

        Raises:
            NotFoundError: Nothing is loaded, or not the setting's corpus.
        """
        if preferred:
            return (self.find(preferred),)
        current = self.current()
        official = tuple(one for one in current if one.official)
        if not current:
            raise NotFoundError("no corpus is loaded; load one by `lexhop corpus load`, or see `lexhop demo`")
        return official or current


async def read_catalog(store: GraphStore) -> Catalog:
    """Ask the graph which versions there are."""
    rows = await store.read(query("catalog/versions"))
    return Catalog(tuple(_version(row) for row in rows))


def _version(row: Row) -> CorpusVersion:
    node = row["corpus"]
    return CorpusVersion(
        key=node["key"],
        version=node["version"],
        title=node["title"],
        official=node["official"],
        current=node["current"],
        licence=node["licence"],
        source=node["source"],
        notice=node.get("notice", ""),
        fold_inserted=node.get("fold_inserted", False),
        loaded_at=node.get("loaded_at", ""),
        languages=tuple(node.get("languages", ())),
        jurisdictions=tuple(node.get("jurisdictions", ())),
        pins=tuple(node.get("pins", ())),
        counts=orjson.loads(node.get("counts_json", "{}")),
        left_out=orjson.loads(node.get("left_out_json", "{}")),
        search_scheme=node.get("search_scheme", 0),
    )
