"""What is said of a language's words in ``data/search``: those a query leaves out, and what those of every day mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from service.domain import Language
from service.errors import SetupError
from service.resources import resource_text
from service.text.yaml_source import read_yaml

__all__ = ["Derivations", "derivations", "meanings", "stop_words"]


@dataclass(frozen=True, slots=True)
class Derivations:
    """How verbs become nouns.

    Attributes:
        endings: A verb's ending → the endings of nouns that take its place.
        changes: The last consonants of a root → what they become before some endings.
    """

    endings: Mapping[str, tuple[str, ...]]
    changes: Mapping[str, tuple[str, ...]]


@cache
def stop_words(language: Language) -> frozenset[str]:
    """Return the words, as lemmas or forms, that say nothing of what is looked for."""
    return frozenset(_vocabulary(language)["stop"])


@cache
def derivations(language: Language) -> Derivations:
    """Return how the language's verbs become nouns; empty where nobody wrote it down."""
    said = _vocabulary(language).get("derive", {"endings": {}, "changes": {}})
    return Derivations(
        {ending: tuple(nouns) for ending, nouns in said["endings"].items()},
        {last: tuple(changed) for last, changed in said["changes"].items()},
    )


@cache
def meanings(language: Language) -> Mapping[tuple[str, ...], str]:
    """Return what words of every day mean in statutes: lemmas that stand in a query together → words to look for too."""
    return {tuple(key.split()): value for key, value in _vocabulary(language).get("means", {}).items()}


@cache
def _vocabulary(language: Language) -> dict[str, Any]:
    name = f"data/search/{language.value}.yaml"
    said = read_yaml(resource_text(name))
    if not isinstance(said, dict) or not isinstance(said.get("stop"), list):
        raise SetupError(f"{name} has no list 'stop'; install the lexhop wheel again")
    return said
