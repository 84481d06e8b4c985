"""From a Russian verb to its nouns: people ask with verbs («усыновить»), statutes say nouns («усыновление»).

Nouns are made by the endings and changes of consonants that ``data/search/ru.yaml`` lists (``derive``), and only those
that the dictionary knows are kept. A verb has few: the work is bounded by the lists.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from service.text.lemmas import known_nouns
from service.text.vocabulary import derivations

if TYPE_CHECKING:
    from service.domain import Language

__all__ = ["nouns_of"]

_REFLEXIVE = ("ся", "сь")
_SHORTEST_ROOT = 3


@lru_cache(maxsize=4096)
def nouns_of(lemma: str, language: Language) -> tuple[str, ...]:
    """Return the nouns that the dictionary has of a verb's root, in the order of the rules; none for other lemmas."""
    verb = lemma[:-2] if lemma.endswith(_REFLEXIVE) else lemma
    candidates: dict[str, None] = {}
    for ending, nouns in derivations(language).endings.items():
        root = verb.removesuffix(ending)
        if root == verb or len(root) < _SHORTEST_ROOT:
            continue
        roots = [root]
        for last, changed in derivations(language).changes.items():
            if root.endswith(last):
                roots += [root.removesuffix(last) + one for one in changed]
        candidates.update(dict.fromkeys(one + noun for noun in nouns for one in roots))
    return known_nouns(tuple(candidates), language)
