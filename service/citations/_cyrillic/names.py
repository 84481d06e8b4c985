"""The names of acts, as a tree of words that is walked along the text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from service.citations.registry import Registry, RegistryAct, known_jurisdictions, load_registry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.domain import Jurisdiction, Language

__all__ = ["NameTree", "fold_title", "name_tree"]

_TOKEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+){0,4}|\d+|№")
_HYPHEN = re.compile(r"\s{0,2}-\s{0,3}([^\W\d_]+)")
_BETWEEN = re.compile(r"[\s()«»\"',.]{0,4}")
_TITLE = re.compile(r"[«\"“„](.+)[»\"”“]", re.DOTALL)
_FOREIGN = [
    "Республики Беларусь",
    "Беларуси",
    "РБ",
    "Кыргызской Республики",
    "Киргизской Республики",
    "Республики Узбекистан",
    "Узбекистана",
    "Республики Армения",
    "Армении",
    "Грузии",
    "Республики Молдова",
    "Молдовы",
    "Республики Таджикистан",
    "Таджикистана",
    "Туркменистана",
    "Азербайджанской Республики",
    "Азербайджана",
    "Латвийской Республики",
    "Литовской Республики",
    "Эстонской Республики",
    "Франции",
    "ФРГ",
    "Германии",
    "КНР",
    "США",
    "СССР",
    "Союза ССР",
    "Российской Федерации",
    "РФ",
    "России",
    "РСФСР",
    "Республики Казахстан",
    "РК",
    "Казахстана",
    "Украины",
    "Російської Федерації",
    "Республіки Білорусь",
    "Республіки Казахстан",
    "Республіки Молдова",
    "Польщі",
    "Німеччини",
    "Франції",
    "СРСР",
    "Союзу РСР",
    "Української РСР",
    "УРСР",
    "Грузії",
]

# Letters that look alike; a text that was scanned or typed on two keyboards mixes them.
_LATIN = str.maketrans("ABCEHIKMOPTXYaceiopxy", "АВСЕНІКМОРТХУасеіорху")
_NODE = dict[str, Any]
_END = ""


def fold_title(title: str) -> str:
    """Return a title for comparison: lower case, ё as е, one kind of quote, single spaces, no final dot."""
    plain = re.sub(r"[«»\"“”„]", "", title.lower().replace("ё", "е"))
    return re.sub(r"\s+", " ", plain).strip(" .,;")


class NameTree:
    """Every name of a registry's acts and of the countries behind them.

    Attributes:
        registry: The registry whose names are in it.
        first_words: Words with which a name begins, as they stand in text.
        countries: First words of countries.
        titles: Folded official title (without the kind of act) → act.
    """

    __slots__ = ("_acts", "_countries", "by_edition", "first_words", "registry", "titles")

    def __init__(self, registry: Registry, language: Language) -> None:
        self.registry = registry
        self._acts: _NODE = {}
        self._countries: _NODE = {}
        first: set[str] = set()
        self.titles: dict[str, RegistryAct] = {}
        self.by_edition: dict[tuple[str, str], RegistryAct] = {}
        for act in registry.acts:
            for name in _names(act, language):
                words = [token.translate(_LATIN) for token in _TOKEN.findall(name.replace("ё", "е"))]
                if not words:
                    continue
                _plant(self._acts, [_fold(word) for word in words], act)
                first.update(_spellings(words[0]))
                if "-" in words[0]:
                    first.update(_spellings(words[0].partition("-")[0]))
            first.update(self._add_lower_case(act))
            self._add_title(act)
            if act.edition and act.superseded_by:
                self.by_edition[act.superseded_by, act.edition] = act
        self.first_words = frozenset(first)
        for name in registry.country:
            _plant(self._countries, _words(name), registry.jurisdiction)
        for jurisdiction in known_jurisdictions():
            for name in load_registry(jurisdiction).country:
                _plant(self._countries, _words(name), jurisdiction)
        for name in _FOREIGN:
            _plant(self._countries, _words(name), None)

    def _add_lower_case(self, act: RegistryAct) -> list[str]:
        """Add «ук рф» as people type it; without the country two small letters are no act (тк, ск)."""
        first: list[str] = []
        for short in act.abbreviations:
            if act.kind not in ("code", "constitution") or not short.isalpha():
                continue
            for country in self.registry.country:
                _plant(self._acts, [short.lower(), *country.lower().split()], act)
            first.extend(_spellings(short.lower())[:2])
        return first

    def _add_title(self, act: RegistryAct) -> None:
        quoted = _TITLE.search(act.title)
        if quoted is not None:
            self.titles.setdefault(fold_title(quoted.group(1)), act)
        if act.kind == "law":
            self.titles.setdefault(fold_title(act.title), act)

    def act_at(self, text: str, at: int) -> tuple[RegistryAct, int] | None:
        """Return the act whose name stands at ``at``, the longest that fits, and the offset behind it."""
        return _walk(self._acts, text, at)

    def country_at(self, text: str, at: int) -> tuple[Jurisdiction | None, int] | None:
        """Return whose law a country's name at ``at`` means (None: nobody's we know) and the offset behind it."""
        return _walk(self._countries, text, at)


def _names(act: RegistryAct, language: Language) -> Iterable[str]:
    own = (*act.names, *act.abbreviations) if act.language is language else ()
    return (*own, *act.foreign_names.get(language, ()), *(() if act.language is language else act.abbreviations))


def _fold(word: str) -> str:
    """Lower the case of words; abbreviations keep theirs, so that «СК» is an act and «ск» is none."""
    return word if _is_abbreviation(word) else word.lower()


def _is_abbreviation(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and not word[1:].islower()


def _spellings(word: str) -> tuple[str, ...]:
    if _is_abbreviation(word):
        return (word,)
    lower = word.lower()
    return (lower, lower[:1].upper() + lower[1:], lower.upper()) if len(lower) > 1 else (word,)


def _words(name: str) -> list[str]:
    return [_fold(token.translate(_LATIN)) for token in _TOKEN.findall(name.replace("ё", "е"))]


def _plant(tree: _NODE, words: list[str], value: object) -> None:
    node = tree
    for word in words:
        node = node.setdefault(word, {})
    node.setdefault(_END, value)


def _walk(tree: _NODE, text: str, at: int) -> tuple[Any, int] | None:
    node: _NODE | None = tree
    found: tuple[Any, int] | None = None
    here = at
    while node is not None:
        token = _TOKEN.match(text, here)
        if token is None:
            break
        word = token.group().replace("ё", "е")
        following = node.get(word)
        if following is None:
            following = node.get(word.lower())
        end = token.end()
        if following is None:
            # «Уголовно - процессуальный», also with a line break.
            other = _HYPHEN.match(text, end)
            following = node.get(f"{word.lower()}-{other.group(1).lower()}") if other else None
            end = other.end() if other else end
        node = following
        if node is None:
            break
        if _END in node:
            found = node[_END], end
        here = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
    return found


@lru_cache(maxsize=32)
def name_tree(registry: Registry, language: Language) -> NameTree:
    """Return the names of a registry for texts in a language; built once and shared."""
    return NameTree(registry, language)
