"""A corpus as content: what an export holds, and the digest that names its version.

The canonical export is one JSON record a line: the corpus, its acts, its articles, its relations, its citations of
outside acts, each kind sorted by its key, keys of a record sorted, absent values left out. The version is the first 12
hex digits of the SHA-256 of these lines, so that equal content has an equal name on any machine. The corpus's key and
the time of loading are not content.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from service.domain import (
    RELATION_TYPES,
    Act,
    Article,
    NormId,
    OutsideCitation,
    Relation,
    article_sort_key,
    split_norm_id,
)
from service.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "CorpusContent",
    "CorpusInfo",
    "corpus_content",
    "outside_sort_key",
    "record_line",
    "ref_sort_key",
    "sort_key",
]


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """What is said of a corpus as a whole.

    Attributes:
        official: False for texts that are not the law's own wording, such as the sample.
        notice: What every answer from the corpus must say, such as «учебный пересказ, не текст закона»; may be empty.
        fold_inserted: Hyphenated insertions are folded into their base article (mhgb.md 1).
    """

    title: str
    official: bool
    licence: str
    source: str
    notice: str = ""
    fold_inserted: bool = False


@dataclass(frozen=True)
class CorpusContent:
    """One corpus, whole and in canonical order; make it by :func:`corpus_content`."""

    info: CorpusInfo
    acts: tuple[Act, ...]
    articles: tuple[Article, ...]
    relations: tuple[Relation, ...]
    outside: tuple[OutsideCitation, ...]

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the canonical export, without line feeds."""
        yield record_line("corpus", self.info)
        for kind, records in (
            ("act", self.acts),
            ("article", self.articles),
            ("relation", self.relations),
            ("outside", self.outside),
        ):
            for record in records:
                yield record_line(kind, record)

    @cached_property
    def version(self) -> str:
        """The first 12 hex digits of the digest of the canonical export."""
        digest = hashlib.sha256()
        for line in self.lines():
            digest.update(line)
            digest.update(b"\n")
        return digest.hexdigest()[:12]


def corpus_content(
    info: CorpusInfo,
    acts: Sequence[Act],
    articles: Sequence[Article],
    relations: Sequence[Relation],
    outside: Sequence[OutsideCitation] = (),
    *,
    keep_ordinals: bool = False,
) -> CorpusContent:
    """Put a corpus in canonical order and check that it holds together.

    Args:
        info: What is said of the corpus.
        acts: Its acts, any order.
        articles: Their articles, any order.
        relations: Between these articles, any order.
        outside: Citations of acts that the corpus does not hold.
        keep_ordinals: Keep the relations' own ordinals (an imported file's places); else they are counted anew by
            type, then by the other norm's place, whichever end one looks from.

    Raises:
        InputError: An act, article or relation stands twice, an article's act or a relation's end is missing, or a
            relation joins a norm with itself. The message names the first such thing.
    """
    acts = sorted(acts, key=lambda act: (act.key, act.edition or ""))
    _unique("act", [(act.key, act.edition or "") for act in acts])
    known_acts = {(act.key, act.edition) for act in acts}
    for article in articles:
        if (article.act, article.edition) not in known_acts:
            raise InputError(
                f"article {article.ref!r} belongs to no act of the corpus; add the act or drop the article"
            )
    articles = sorted(articles, key=sort_key)
    _unique("article", [article.ref for article in articles])
    place = {article.ref: position for position, article in enumerate(articles)}
    for relation in relations:
        for end in (relation.source_id, relation.target_id):
            if end not in place:
                raise InputError(
                    f"relation {relation.source_id} → {relation.target_id}: the corpus has no norm {end!r}"
                )
        if relation.source_id == relation.target_id:
            raise InputError(f"relation {relation.source_id} → {relation.target_id} joins a norm with itself; drop it")
    _unique("relation", sorted((relation.source_id, relation.target_id) for relation in relations))
    if keep_ordinals:
        relations = sorted(relations, key=lambda relation: relation.ordinal)
    else:
        relations = sorted(
            relations,
            key=lambda relation: (
                RELATION_TYPES.index(relation.type),
                place[relation.target_id],
                place[relation.source_id],
            ),
        )
        relations = [replace(relation, ordinal=ordinal) for ordinal, relation in enumerate(relations)]
    outside = sorted(outside, key=outside_sort_key)
    return CorpusContent(info, tuple(acts), tuple(articles), tuple(relations), tuple(outside))


def sort_key(article: Article) -> str:
    """Return the key that sorts a corpus: by act, edition, and the article's place in its act."""
    return f"{article.act}\t{article.edition or ''}\t{article_sort_key(article.number)}"


def ref_sort_key(ref: NormId) -> str:
    """Return the same key from a norm id with its edition, if any (``公司法@2018_25``)."""
    act, number = split_norm_id(ref)
    key, _, edition = act.partition("@")
    return f"{key}\t{edition}\t{article_sort_key(number)}"


def outside_sort_key(citation: OutsideCitation) -> tuple[str, int, int, str, str]:
    """Return the key that sorts citations of outside acts: by the citing norm's place, then by their own."""
    return (ref_sort_key(citation.source_id), citation.start, citation.end, citation.article or "", citation.raw)


def _unique(kind: str, keys: Sequence[Any]) -> None:
    seen = set()
    for key in keys:
        if key in seen:
            raise InputError(f"{kind} {key!r} stands twice in the corpus; keep one of them")
        seen.add(key)


def record_line(kind: str, record: Any) -> bytes:
    """Return the canonical line of one record, without a line feed."""
    return orjson.dumps({"kind": kind, **_present(asdict(record))}, option=orjson.OPT_SORT_KEYS)


def _present(value: Any) -> Any:
    # Absent values stay out, so that a new optional field changes no existing digest.
    if isinstance(value, dict):
        return {
            key: _present(item) for key, item in value.items() if item is not None and item is not False and item != ()
        }
    if isinstance(value, list | tuple):
        return [_present(item) for item in value]
    return value


def _absent(value: Any) -> bool:
    # Not by equality with False: an ordinal of 0 is there.
    return value is None or value is False or value == ()
