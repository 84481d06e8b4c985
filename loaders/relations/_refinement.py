"""What a model says about a pair of articles, and what becomes of the corpus' relations by it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from service.domain import CITED_TYPE, Family, Language, NormId, Relation, RelationSource, RelationType
from service.graph.content import CorpusContent, corpus_content
from service.models import Contract, Field, Message, prompt_sections

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Pair", "Questions", "Verdict", "apply_verdicts", "contract_for", "pairs_to_ask"]

Pair = tuple[NormId, NormId]
"""The citing norm and the cited one."""

_NONE = "NONE"
_FORWARD, _BACKWARD = "A_TO_B", "B_TO_A"
# Precision of a model's relations by family, as experts found it (mhgb.md 2: 70 relations).
_CONFIDENCE = {Family.STRUCTURAL: 0.85, Family.DOCTRINAL: 0.70}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A model's word on a pair.

    Attributes:
        type: None where it sees no relation.
        reverse: The cited norm acts on the citing one.
    """

    type: RelationType | None
    reverse: bool
    explanation: str

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Verdict:
        """Return the verdict that a reply's values, or the cache, hold."""
        said = values["relation"]
        kind = None if said == _NONE else RelationType(said)
        return cls(kind, values["direction"] == _BACKWARD, values["explanation"])


def contract_for(language: Language) -> Contract:
    """Return what a model is asked for about a pair, in the language of the law."""
    texts = prompt_sections(f"relations/{language.value}", "system", "user", "relation", "direction", "explanation")
    fields = (
        # The reason first: what follows it is better for having been reasoned.
        Field("explanation", "text", texts["explanation"], longest=600),
        Field("relation", "choice", texts["relation"], values=(*(kind.value for kind in RelationType), _NONE)),
        Field("direction", "choice", texts["direction"], values=(_FORWARD, _BACKWARD)),
    )
    return Contract("relation", fields, language)


class Questions:
    """Prompts about the pairs of one corpus."""

    def __init__(self, content: CorpusContent) -> None:
        self._articles = {article.ref: article for article in content.articles}
        self._languages = {(act.key, act.edition): act.language for act in content.acts}
        self._contracts: dict[Language, Contract] = {}

    def about(self, pair: Pair) -> tuple[list[Message], Contract]:
        """Return the prompt about a pair, both articles whole, and its contract."""
        source, target = (self._articles[ref] for ref in pair)
        language = self._languages[source.act, source.edition]
        if language not in self._contracts:
            self._contracts[language] = contract_for(language)
        contract = self._contracts[language]
        texts = prompt_sections(f"relations/{language.value}", "system", "user")
        user = texts["user"].format(
            source_id=pair[0],
            source_title=source.title,
            source_text=source.text,
            target_id=pair[1],
            target_title=target.title,
            target_text=target.text,
            requirement=contract.requirement,
        )
        return [Message("system", texts["system"]), Message("user", user)], contract


def pairs_to_ask(content: CorpusContent, *, every: bool) -> list[Pair]:
    """Return the candidates to ask about, in the order of their relations.

    A candidate is a citing norm and a cited one. Without ``every`` those that a cue typed, in either direction, are
    left out.
    """
    typed = {(one.source_id, one.target_id): one for one in content.relations}
    pairs: dict[Pair, None] = {}
    for relation in content.relations:
        pair = (relation.source_id, relation.target_id)
        citing = [place for place in relation.citations if not place.in_target]
        if not citing and relation.source is not RelationSource.IMPORT:
            # It stands for words of its target alone: the candidate is the other way round.
            continue
        back = typed.get((pair[1], pair[0]))
        by_cue = relation.type is not CITED_TYPE or (
            back is not None and back.type is not CITED_TYPE and any(place.in_target for place in back.citations)
        )
        if every or not by_cue:
            pairs[pair] = None
    return list(pairs)


def apply_verdicts(content: CorpusContent, verdicts: Mapping[Pair, Verdict]) -> CorpusContent:
    """Return the corpus with a model's verdicts.

    "No relation" and a plain reference change nothing. A type in the citation's direction replaces REFERS_TO and keeps
    its citations; one in the other direction adds the reverse relation. Where a cue, an import or an earlier model has
    typed the ordered pair, that type stays and the new one goes into ``also``. Of two verdicts on one ordered pair the
    stronger type wins (mhgb.md 2).
    """
    relations = {(one.source_id, one.target_id): one for one in content.relations}
    said: dict[Pair, list[tuple[RelationType, str, Pair]]] = {}
    for pair, verdict in verdicts.items():
        if verdict.type is None or verdict.type is CITED_TYPE:
            continue
        acted = (pair[1], pair[0]) if verdict.reverse else pair
        said.setdefault(acted, []).append((verdict.type, verdict.explanation, pair))
    for acted, claims in said.items():
        claims.sort(key=lambda claim: (-claim[0].strength, claim[2]))
        relations[acted] = _typed(acted, claims, relations)
    return corpus_content(content.info, content.acts, content.articles, list(relations.values()), content.outside)


def _typed(acted: Pair, claims: list[tuple[RelationType, str, Pair]], relations: Mapping[Pair, Relation]) -> Relation:
    found = {kind for kind, _, _ in claims}
    there = relations.get(acted)
    if there is not None and there.source is not RelationSource.CITATION:
        return replace(there, also=_strongest_first((found | set(there.also)) - {there.type}))
    kind, explanation, _ = claims[0]
    own = () if there is None else there.citations
    candidate = relations.get((acted[1], acted[0]))
    reverse = any(pair != acted for _, _, pair in claims)
    places = candidate.citations if candidate is not None and reverse else ()
    behind = tuple(replace(place, in_target=True) for place in places if not place.in_target)
    return Relation(
        acted[0],
        acted[1],
        kind,
        RelationSource.MODEL,
        _CONFIDENCE[kind.family],
        explanation,
        also=_strongest_first(found - {kind}),
        citations=(*own, *behind),
    )


def _strongest_first(kinds: set[RelationType]) -> tuple[RelationType, ...]:
    return tuple(sorted(kinds, key=lambda kind: -kind.strength))
