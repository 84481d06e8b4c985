"""From acts to relations: read, check against coverage, type, gather by pair."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from loaders.relations._explain import explain, quote, unit_in_words
from loaders.relations._types import RelationSet, TypedCitation
from loaders.relations._typing import type_citations
from service.citations import ArticleIndex, Coverage, Surrounding, check_citations, read_citations
from service.domain import (
    CITED_TYPE,
    RELATION_TYPES,
    CitationFlag,
    CitationPlace,
    NormId,
    OutsideCitation,
    Relation,
    RelationSource,
    article_sort_key,
    norm_ref,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from service.domain import Act, ActText, Article, Citation, Jurisdiction, Language

__all__ = ["Reader", "build_relations"]


_COUNTS = (
    "citations",
    "self",
    "unresolved",
    "outside",
    "invented",
    "relations",
    *(kind.value for kind in RELATION_TYPES),
)


class Reader(Protocol):
    """What the builder asks of a citation reader: ``service.citations.read_citations``, or labels in its place."""

    def __call__(
        self, text: str, language: Language, *, surrounding: Surrounding | None, articles: ArticleIndex | None
    ) -> list[Citation]:
        """Return the citations of a text."""
        ...


@dataclass(frozen=True, slots=True)
class _Claim:
    """A cue's claim on an ordered pair; ``words`` are what its explanation quotes."""

    typed: TypedCitation
    citing: NormId
    place: CitationPlace
    words: str


@dataclass(slots=True)
class _Pair:
    """All that the texts say of one ordered pair."""

    places: list[CitationPlace] = field(default_factory=list)
    claims: list[_Claim] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Names:
    """The norms of the corpus by their refs, and the newest edition of each act."""

    newest: dict[str, str | None]
    known: dict[NormId, tuple[int, str]]
    titles: dict[str, str]

    def cited(self, citation: Citation, citing: Act) -> NormId:
        """A citation of the citing act means the same edition; of another act the edition named, else the newest."""
        act, article = citation.act or "", citation.article or ""
        edition = citing.edition if act == citing.key else citation.edition
        named = norm_ref(act, edition, article)
        return named if named in self.known else norm_ref(act, self.newest.get(act), article)


def build_relations(acts: Sequence[ActText], *, read: Reader = read_citations) -> RelationSet:
    """Read every article and return the corpus' relations.

    There is one relation for an ordered pair of norms. A citation makes a candidate REFERS_TO with every place where
    it stands. A cue that types it in the citation's direction replaces REFERS_TO; one of the other direction adds the
    reverse relation and the citation stays. Of several cues the strongest type wins, the others are kept in ``also``
    (mhgb.md 2). The same acts give the same result, byte for byte; time is linear in the text.

    Args:
        acts: All acts of the corpus, in its order.
        read: The citation reader.

    Raises:
        InputError: An act's key is not in its jurisdiction's registry.
    """
    builder = _Builder(_names(acts), _coverage(acts), read)
    for act_text in acts:
        for article in act_text.articles:
            builder.read_article(act_text.act, article)
    return builder.result()


def _names(acts: Iterable[ActText]) -> _Names:
    newest: dict[str, str | None] = {}
    for act_text in acts:
        act = act_text.act
        if act.key not in newest or (act.edition or "") > (newest[act.key] or ""):
            newest[act.key] = act.edition
    names = _Names(newest, {}, {act_text.act.key: act_text.act.title for act_text in acts})
    for order, act_text in enumerate(acts):
        for article in act_text.articles:
            names.known.setdefault(article.ref, (order, article_sort_key(article.number)))
    return names


def _coverage(acts: Iterable[ActText]) -> Coverage:
    numbers: dict[tuple[Jurisdiction, str], dict[str, None]] = {}
    stated: dict[tuple[Jurisdiction, str], tuple[str, ...]] = {}
    gone: dict[tuple[Jurisdiction, str], frozenset[str]] = {}
    for act_text in acts:
        act = act_text.act
        numbers.setdefault((act.jurisdiction, act.key), {}).update((a.number, None) for a in act_text.articles)
        before = stated.get((act.jurisdiction, act.key), ())
        stated[act.jurisdiction, act.key] = (*before, *(part for part in act.coverage if part not in before))
        gone[act.jurisdiction, act.key] = gone.get((act.jurisdiction, act.key), frozenset()).union(act_text.gone)
    return Coverage(ArticleIndex(numbers), stated, gone)


class _Builder:
    """Gathers what the articles say, pair by pair."""

    def __init__(self, names: _Names, coverage: Coverage, read: Reader) -> None:
        self._names = names
        self._coverage = coverage
        self._read = read
        self._pairs: dict[tuple[NormId, NormId], _Pair] = {}
        self._outside: list[OutsideCitation] = []
        self._invented: list[OutsideCitation] = []
        self._languages: dict[NormId, Language] = {}
        self._counts: Counter[str] = Counter(dict.fromkeys(_COUNTS, 0))

    def read_article(self, act: Act, article: Article) -> None:
        """Take every citation of an article."""
        here = article.ref
        self._languages[here] = act.language
        surrounding = Surrounding(act.jurisdiction, act.key, article.number, act.edition)
        found = self._read(article.text, act.language, surrounding=surrounding, articles=self._coverage.articles)
        checked = check_citations(found, self._coverage)
        self._counts["citations"] += len(checked)
        for typed in type_citations(article.text, checked, act.language):
            self._take(typed, here, act, article)

    def _take(self, typed: TypedCitation, here: NormId, act: Act, article: Article) -> None:
        citation = typed.citation
        if citation.is_self:
            self._counts["self"] += 1
        elif CitationFlag.UNRESOLVED in citation.flags:
            self._counts["unresolved"] += 1
        elif CitationFlag.INVENTED in citation.flags:
            self._invented.append(_outside(citation, here))
        elif CitationFlag.OUTSIDE_CORPUS in citation.flags:
            self._outside.append(_outside(citation, here))
        else:
            there = self._names.cited(citation, act)
            if there == here:
                self._counts["self"] += 1
            else:
                self._gather(typed, (here, there), act, article)

    def _gather(self, typed: TypedCitation, pair: tuple[NormId, NormId], act: Act, article: Article) -> None:
        citation = typed.citation
        place = _place(citation, article, act.language)
        self._pair(pair).places.append(place)
        if typed.direction is None or typed.cue_start is None or typed.cue_end is None:
            return
        words = quote(article.text, min(typed.cue_start, citation.start), max(typed.cue_end, citation.end))
        if typed.reverse:
            pair_acted, place = (pair[1], pair[0]), replace(place, in_target=True)
        else:
            pair_acted = pair
        self._pair(pair_acted).claims.append(_Claim(typed, pair[0], place, words))

    def _pair(self, pair: tuple[NormId, NormId]) -> _Pair:
        return self._pairs.setdefault(pair, _Pair())

    def result(self) -> RelationSet:
        """Return the relations in order and the counts; ordinals are given where the whole corpus is put in order."""
        names = self._names
        made = [_relation(*key, pair, names, self._languages[key[0]]) for key, pair in self._pairs.items()]
        made.sort(key=lambda r: (names.known[r.source_id], RELATION_TYPES.index(r.type), _neighbour(r, names)))
        counts = self._counts
        counts.update(relation.type.value for relation in made)
        counts["relations"] = len(made)
        counts["outside"] = len(self._outside)
        counts["invented"] = len(self._invented)
        return RelationSet(tuple(made), tuple(self._outside), tuple(self._invented), dict(counts))


def _outside(citation: Citation, here: NormId) -> OutsideCitation:
    return OutsideCitation(
        here,
        citation.act,
        citation.act_title,
        citation.act_number,
        citation.article,
        citation.raw,
        citation.start,
        citation.end,
    )


def _place(citation: Citation, article: Article, language: Language) -> CitationPlace:
    return CitationPlace(
        citation.raw,
        citation.start,
        citation.end,
        unit=_unit(article, citation.start, language),
        part=citation.part,
        point=citation.point,
        subpoint=citation.subpoint,
        paragraph=citation.paragraph,
        flags=tuple(flag.value for flag in citation.flags),
    )


def _unit(article: Article, offset: int, language: Language) -> str | None:
    index = bisect_right(article.paragraphs, offset, key=lambda paragraph: paragraph.start) - 1
    if index < 0:
        return None
    paragraph = article.paragraphs[index]
    return unit_in_words(language, paragraph.part, paragraph.point, paragraph.subpoint)


def _neighbour(relation: Relation, names: _Names) -> tuple[str, int]:
    order, key = names.known[relation.target_id]
    return key, order


def _relation(source: NormId, target: NormId, pair: _Pair, names: _Names, language: Language) -> Relation:
    if not pair.claims:
        first = pair.places[0]
        said = explain(
            CITED_TYPE, source, target, language, citing=source, unit=first.unit, words=first.raw, titles=names.titles
        )
        return Relation(source, target, CITED_TYPE, RelationSource.CITATION, 1.0, said, citations=tuple(pair.places))
    ranked = sorted(pair.claims, key=lambda claim: (-claim.typed.type.strength, -claim.typed.confidence))
    best = ranked[0]
    kind = best.typed.type
    found = {claim.typed.type for claim in ranked} | {
        other for claim in ranked for other, direction in claim.typed.also if direction is claim.typed.direction
    }
    also = tuple(t for t in sorted(RELATION_TYPES, key=lambda t: -t.strength) if t in found and t is not kind)
    said = explain(
        kind,
        source,
        target,
        language,
        citing=best.citing,
        unit=best.place.unit,
        words=best.words,
        titles=names.titles,
    )
    return Relation(
        source,
        target,
        kind,
        RelationSource.CUE,
        best.typed.confidence,
        said,
        cue=best.typed.cue,
        also=also,
        citations=(*pair.places, *(claim.place for claim in pair.claims if claim.place.in_target)),
    )
