"""Which corpus, version, act and norm somebody means who names them, or does not."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import date

from service.citations import Surrounding, read_citations
from service.domain import Jurisdiction, Language, NormId, article_sort_key, norm_ref, split_norm_id
from service.errors import ConflictError, InputError, NotFoundError
from service.graph.catalog import CorpusVersion
from service.graph.contents import Contents
from service.graph.store import Row
from service.graph.watch import CatalogWatcher

__all__ = ["Asked", "Finder", "check_date", "cited_norms", "named_norms", "nearest_norms"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request says of its corpus."""

    corpus: str | None = None
    version: str | None = None


class Finder:
    """Finds what a request means among what is loaded.

    Args:
        watcher: Knows what is loaded.
        preferred: The corpus taken where none is named, as set.
    """

    def __init__(self, watcher: CatalogWatcher, preferred: str | None) -> None:
        self._watcher = watcher
        self._preferred = preferred

    def version(self, asked: Asked) -> CorpusVersion:
        """Return the one version that a request without an id means.

        Raises:
            ConflictError: It may mean several corpora; the error names them.
            InputError: A version is named without its corpus.
        """
        candidates = self._candidates(asked)
        if len(candidates) > 1:
            keys = tuple(one.key for one in candidates)
            raise ConflictError(f"several corpora are loaded ({', '.join(keys)}); name one by corpus=", choices=keys)
        return candidates[0]

    def version_or_none(self, asked: Asked) -> CorpusVersion | None:
        """Return the version that a request means, or None where it names no corpus and none or several are there."""
        if asked.corpus is None and asked.version is None:
            catalog = self._watcher.catalog
            current = catalog.versions and catalog.default(self._preferred)
            return current[0] if current and len(current) == 1 else None
        return self.version(asked)

    async def contents(self, version: CorpusVersion) -> Contents:
        """Return which acts and articles a version holds."""
        return await self._watcher.contents(version)

    async def act(self, asked: Asked, given: str, *, as_of: str | None = None) -> tuple[Contents, Row]:
        """Return the version and the act that a key means, with ``@edition`` where a certain one is meant.

        Without it the edition in force at ``as_of``, or without a date the newest.

        Raises:
            NotFoundError: No corpus asked holds it; the error names the nearest keys.
            ConflictError: Several corpora hold it; the error names them.
        """
        key, mark, edition = given.partition("@")
        candidates = [await self._watcher.contents(one) for one in self._candidates(asked)]
        found = [
            (contents, act)
            for contents in candidates
            for act in (contents.editions.get(key, ()) if mark else contents.editions_at(key, as_of)[:1])
            if not mark or act.get("edition") == edition
        ]
        if len(found) == 1:
            return found[0]
        if found:
            keys = tuple(contents.version.key for contents, _ in found)
            raise ConflictError(
                f"act {given!r} is in several corpora ({', '.join(keys)}); name one by corpus=", choices=keys
            )
        keys = tuple(one for contents in candidates for one in contents.editions)
        folded = {one.casefold(): one for one in keys}
        near = tuple(folded[one] for one in difflib.get_close_matches(key.casefold(), folded, n=5, cutoff=0.5))
        raise NotFoundError(f"no act {given!r}; there is {', '.join(near or keys)}", nearest=near)

    async def norm(self, asked: Asked, given: str, *, as_of: str | None = None) -> tuple[Contents, NormId]:
        """Return the version and the norm's ref that an id or a citation in words means.

        Raises:
            NotFoundError: No corpus asked holds it; the error names the nearest norms.
            ConflictError: Several corpora hold it; the error names them.
            InputError: The words name several norms.
        """
        contents, (ref,) = await self.norms(asked, [given], as_of=as_of)
        return contents, ref

    async def norms(self, asked: Asked, given: list[str], *, as_of: str | None = None) -> tuple[Contents, list[NormId]]:
        """Return the same for several ids, all of one corpus."""
        if as_of is not None:
            check_date(as_of)
        candidates = [await self._watcher.contents(one) for one in self._candidates(asked)]
        found: list[tuple[Contents, list[NormId]]] = []
        for contents in candidates:
            refs = [_ref(contents, text, as_of) for text in given]
            if all(refs):
                found.append((contents, [ref for ref in refs if ref]))
        if len(found) > 1:
            keys = tuple(contents.version.key for contents, _ in found)
            raise ConflictError(
                f"{given[0]!r} is in several corpora ({', '.join(keys)}); name one by corpus=", choices=keys
            )
        if found:
            return found[0]
        for text in given:
            if not any(_ref(contents, text, as_of) for contents in candidates):
                raise _unknown(candidates, text, await self._elsewhere(candidates, text))
        where = "; ".join(
            f"{text!r} is in {', '.join(one.version.key for one in candidates if _ref(one, text, as_of))}"
            for text in given
        )
        raise NotFoundError(f"no corpus holds all of them: {where}; ask for norms of one corpus at a time")

    async def _elsewhere(self, candidates: list[Contents], given: str) -> tuple[str, ...]:
        """Return the other corpora whose current version holds a norm."""
        asked = {contents.version.key for contents in candidates}
        others = [await self._watcher.contents(one) for one in self._watcher.catalog.current() if one.key not in asked]
        return tuple(contents.version.key for contents in others if _ref(contents, given, None))

    def _candidates(self, asked: Asked) -> tuple[CorpusVersion, ...]:
        catalog = self._watcher.catalog
        if asked.corpus is not None:
            return (catalog.find(asked.corpus, asked.version),)
        candidates = catalog.default(self._preferred)
        if asked.version is None:
            return candidates
        if len(candidates) > 1:
            raise InputError(f"version {asked.version!r} is named without its corpus; name it by corpus=")
        return (catalog.find(candidates[0].key, asked.version),)


def check_date(given: str) -> None:
    """Raise when an ``as_of`` is not an ISO date."""
    try:
        if date.fromisoformat(given).isoformat() == given:
            return
    except ValueError:
        pass
    raise InputError(f"as_of {given!r} is not a date; write it as 2020-03-01")


_SHOWN = 5
_NORM_ID = re.compile(r"[^\s_]+_[0-9][0-9.\-]*")
_NORM_IDS = re.compile(r"(?<!\S)[^\s_]+_[0-9](?:[0-9.\-]*[0-9])?(?![\w.\-])")


def _ref(contents: Contents, given: str, as_of: str | None) -> NormId | None:
    if _NORM_ID.fullmatch(given):
        act, number = split_norm_id(given)
        return contents.ref(act, number, as_of=as_of)
    cited = cited_norms(contents, given)
    if len(cited) > 1:
        named = ", ".join(f"{act}_{number}" for act, number in cited[:_SHOWN])
        more = f" and {len(cited) - _SHOWN} more" if len(cited) > _SHOWN else ""
        raise InputError(f"{given!r} names several norms ({named}{more}); name one")
    return contents.ref(*cited[0], as_of=as_of) if cited else None


def named_norms(contents: Contents, given: str, *, as_of: str | None = None) -> list[NormId]:
    """Return every norm of a version that a text names, by id or by a citation in words, ids first, each once."""
    named = [split_norm_id(one) for one in _NORM_IDS.findall(given)] + cited_norms(contents, given)
    refs = [contents.ref(act, number, as_of=as_of) for act, number in named]
    return list(dict.fromkeys(ref for ref in refs if ref))


def cited_norms(contents: Contents, given: str) -> list[tuple[str, str]]:
    """Return (act's key, article's number) of every article that a text cites, in its order, each once.

    The key has ``@edition`` where the text names the year of an act that this version has by editions.
    """
    cited: dict[tuple[str, str], None] = {}
    for language, jurisdiction in dict.fromkeys((act["language"], act["jurisdiction"]) for act in contents.acts):
        surrounding = Surrounding(jurisdiction=Jurisdiction(jurisdiction))
        for citation in read_citations(given, Language(language), surrounding=surrounding):
            if citation.act and citation.article:
                cited[contents.key_of(citation.act, citation.edition), citation.article] = None
    return list(cited)


def nearest_norms(contents: Contents, given: str, *, most: int = 5) -> tuple[NormId, ...]:
    """Return norms that exist and were perhaps meant, best first: by number within the act, else by the act's name."""
    act, _, number = given.rpartition("_")
    key = act.partition("@")[0]
    editions = contents.editions.get(key)
    if editions is None:
        near = difflib.get_close_matches(
            key.casefold(), [one.casefold() for one in contents.editions], n=most, cutoff=0.5
        )
        keys = [one for one in contents.editions if one.casefold() in near]
        refs = [contents.ref(one, number) for one in keys]
        return tuple(ref for ref in refs if ref)
    edition = editions[0].get("edition")
    numbers = contents.numbers.get((key, edition or ""), ())
    wanted = article_sort_key(number)
    place = sum(article_sort_key(one) < wanted for one in numbers)
    around = [*numbers[max(0, place - 1) : place + 1], *difflib.get_close_matches(number, numbers, n=most, cutoff=0.6)]
    return tuple(norm_ref(key, edition, one) for one in dict.fromkeys(around))[:most]


def _unknown(candidates: list[Contents], given: str, elsewhere: tuple[str, ...]) -> NotFoundError:
    keys = ", ".join(contents.version.key for contents in candidates)
    nearest: list[str] = []
    for contents in candidates:
        nearest.extend(nearest_norms(contents, given))
    said = (
        f"; did you mean {', '.join(nearest)}?" if nearest else "; a norm id is an act's key, _ and a number: ГК_1064"
    )
    if elsewhere:
        said = f"; it is in {', '.join(elsewhere)}: no relation leaves a corpus, name that one by corpus="
    return NotFoundError(f"no norm {given!r} in corpus {keys}{said}", nearest=tuple(nearest))
