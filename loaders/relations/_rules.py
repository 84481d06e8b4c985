"""Cue rules: read from data/cues/<language>.yaml, checked, and compiled once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loaders.relations._tokens import ALL_CASES
from service.domain import Direction, Language, RelationType
from service.errors import SetupError
from service.resources import resource_text
from service.text.yaml_source import read_yaml

__all__ = ["Cue", "Element", "Example", "Rule", "RuleBook", "Words", "compile_rules", "load_rules"]

Governs = Literal["right", "subject", "inside", "applied"]
Left = Literal["start", "comma", "bracket", "word"]

_MAX_GAP = 40
_PART = re.compile(r"(?P<mark>\*?)(?:\.\.(?P<gap>\d+)|~(?P<wide>\d+)|(?P<name><\w+>|[\w,()-]+)(?P<maybe>\??))")


@dataclass(frozen=True, slots=True)
class Element:
    """One step of a cue: a set of word forms, or a bounded gap (``forms`` empty, ``gap`` > 0)."""

    forms: frozenset[str]
    optional: bool = False
    gap: int = 0
    wide: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Cue:
    """A compiled cue pattern."""

    source: str
    elements: tuple[Element, ...]
    cases: frozenset[str] = frozenset()


class Example(BaseModel):
    """A sentence in our own words; the citations that the rule types, or must not type, stand in square brackets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    typed: bool = True


class Rule(BaseModel):
    """One cue rule.

    Attributes:
        cues: Patterns: words, ``<class>``, ``word?``, ``..N`` (at most N words between, no verb, no comma), ``~N``
            (the same, commas and citations allowed), ``*`` before what is to be shown as the cue; last ``@case`` where
            the cue asks for another case than the rule.
        governs: ``right``: the phrase behind the cue in one of ``cases``; ``subject``: the phrase before it whose head
            is one of ``heads``; ``inside``: the phrase within the cue's own gap;
            ``applied``: whatever an APPLIES_TO rule took in the same sentence before the cue.
        bare: Whether a citation stands right behind the cue: must (true), must not (false), either (null).
        not_after: None of these words may be one of the two before the cue.
        main_clause: The cue does not count in a condition («если … применяются правила X, …»), nor behind a
            relative pronoun that is its subject («лицо, которое не применяет правила X, …»).
        own: With ``applied``: the phrase behind the cue, in one of ``cases``, must cite the citing article itself.
        heads: Lemmas of which the governed phrase's first noun must be one, ``""`` where none is enough («сверх
            указанных в …»); ``heads_not``: must not be.
        grounds: Whether what states may belong to a ground behind a preposition of the phrase («за исключением
            увольнения по основаниям, указанным в …»).
        left: What may stand before the cue; empty for anything.
        needs: Word forms of which one must stand behind the cue in its sentence, «а также» not counted; ``lacks``: none
            may.
        instead_of: Rules whose claims on the same citations this one replaces.
        prior: How far the wording would be trusted unseen: 0.9 where it says the relation outright, 0.8 where it
            often only describes a class.
        confidence: The prior moved by the hits on the labels, see docs/relations.md.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    type: RelationType
    direction: Direction
    cues: tuple[str, ...] = Field(min_length=1)
    governs: Governs = "right"
    cases: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    heads_not: tuple[str, ...] = ()
    left: tuple[Left, ...] = ()
    needs: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    not_after: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    main_clause: bool = False
    own: bool = False
    grounds: bool = False
    bare: bool | None = None
    prior: float = Field(gt=0, le=1)
    confidence: float = Field(gt=0, le=1)
    examples: tuple[Example, ...] = Field(min_length=2)


class Words(BaseModel):
    """Words that the phrase analyser must know besides the dictionary.

    Attributes:
        stated: Participles by which a norm states something («предусмотренных»).
        plainly: Adverbs that may stand before one («прямо указанных»); never a negation.
        stated_short: The same as predicates («предусмотрено»).
        stated_active: The same as verbs whose subject is the norm («предусматривает»).
        stated_in: Prepositions between such a participle and the citation.
        relative: Relative pronouns.
        about: Prepositions before one in a clause that states («о которых говорится в …»).
        coordinators: Words that join members of a list.
        adversative: Those of them that open another clause, except before one of ``adversative_goes_on`` («а именно»)
            or another coordinator («а также»).
        units: Lemmas of what is cited beside articles («глава»): in a list they do not end it.
        closers: Nouns that end a phrase behind a preposition («с учетом»).
        itself: What stands before «статьи» where an article speaks of itself («настоящей»).
        carriers: Lemmas of nouns that only carry their genitive («действие правил»).
        grounds: Lemmas of nouns that stand for what a norm states («основание», «случай»).
        private: Lemmas of what binds without being law («договор»): a bracket behind it only explains it.
        conditions: Conjunctions that open a condition.
        clause_openers: Conjunctions that open a clause.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    stated: frozenset[str]
    plainly: frozenset[str]
    stated_short: frozenset[str]
    stated_active: frozenset[str]
    stated_in: frozenset[str]
    relative: frozenset[str]
    about: frozenset[str]
    coordinators: frozenset[str]
    adversative: frozenset[str]
    adversative_goes_on: frozenset[str]
    units: frozenset[str]
    closers: frozenset[str]
    itself: frozenset[str]
    carriers: frozenset[str]
    grounds: frozenset[str]
    private: frozenset[str]
    conditions: frozenset[str]
    clause_openers: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of one language.

    Attributes:
        by_word: First word of a cue to (index of rule, cue) in the order of the file.
    """

    language: Language
    words: Words
    rules: tuple[Rule, ...]
    by_word: dict[str, tuple[tuple[int, Cue], ...]]


@lru_cache(maxsize=8)
def load_rules(language: Language) -> RuleBook:
    """Return the language's rules.

    Raises:
        SetupError: The file is missing or not valid; the message names the place in it.
    """
    name = f"cues/{language.value}.yaml"
    return compile_rules(resource_text(f"data/{name}"), language, name)


def compile_rules(source: str, language: Language, name: str) -> RuleBook:
    """Check and compile a file of rules.

    Args:
        source: The YAML text.
        language: Whose rules they are.
        name: How errors call the file.

    Raises:
        SetupError: The text is not valid YAML or not valid rules.
    """
    try:
        raw: dict[str, Any] = read_yaml(source)
        classes = {key: _forms(key, value) for key, value in raw["classes"].items()}
        words = Words.model_validate({key: _resolve(value, classes) for key, value in raw["words"].items()})
        rules = tuple(
            Rule.model_validate(
                rule | {key: tuple(_resolve(rule[key], classes)) for key in ("needs", "lacks") if key in rule}
            )
            for rule in raw["rules"]
        )
        by_word: dict[str, list[tuple[int, Cue]]] = {}
        for index, rule in enumerate(rules):
            for text in rule.cues:
                cue = _cue(text, classes)
                for word in sorted(cue.elements[0].forms):
                    by_word.setdefault(word, []).append((index, cue))
    except (yaml.YAMLError, ValidationError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise SetupError(f"cue rules {name!r} are not valid: {error}; correct the file") from error
    ids = [rule.id for rule in rules]
    for rule in rules:
        for other in rule.instead_of:
            if other not in ids:
                raise SetupError(f"cue rule {rule.id!r} in {name!r} is instead of {other!r}, which is no rule there")
    twice = sorted({rule for rule in ids if ids.count(rule) > 1})
    if twice:
        raise SetupError(f"cue rules {name!r} have the id {twice[0]!r} twice; ids must differ")
    return RuleBook(language, words, rules, {word: tuple(cues) for word, cues in by_word.items()})


def _forms(key: str, value: Any) -> frozenset[str]:
    """A class is a list of forms, or stems with endings, or both."""
    if isinstance(value, list):
        return frozenset(_fold(word) for word in value)
    stems, endings = value["stems"], value["endings"]
    if not stems or not endings:
        raise ValueError(f"class {key!r} has no stems or no endings")
    forms = {_fold(stem + ending) for stem in stems for ending in endings}
    return frozenset(forms | {_fold(word) for word in value.get("forms", ())})


def _resolve(values: list[str], classes: dict[str, frozenset[str]]) -> list[str]:
    """Replace ``<class>`` by its forms."""
    words: set[str] = set()
    for value in values:
        words |= classes[value[1:-1]] if value.startswith("<") else {_fold(value)}
    return sorted(words)


def _cue(text: str, classes: dict[str, frozenset[str]]) -> Cue:
    elements = []
    cases = frozenset(part[1:] for part in text.split() if part.startswith("@"))
    if not cases <= ALL_CASES:
        raise ValueError(f"cue {text!r} asks for a case that is none of {', '.join(sorted(ALL_CASES))}")
    for part in (part for part in text.split() if not part.startswith("@")):
        match = _PART.fullmatch(part)
        if match is None:
            raise ValueError(f"cue {text!r} has the part {part!r}, which is no word, class or gap")
        marked = bool(match["mark"])
        gap = int(match["gap"] or match["wide"] or 0)
        if gap > _MAX_GAP:
            raise ValueError(f"cue {text!r} has a gap of {gap} words; the longest is {_MAX_GAP}")
        if gap:
            elements.append(Element(frozenset(), gap=gap, wide=bool(match["wide"]), marked=marked))
        else:
            word = match["name"]
            forms = classes[word[1:-1]] if word.startswith("<") else frozenset({_fold(word)})
            elements.append(Element(forms, optional=bool(match["maybe"]), marked=marked))
    if elements[0].optional or elements[0].gap:
        raise ValueError(f"cue {text!r} must begin with a word")
    return Cue(text, tuple(elements), cases)


def _fold(word: str) -> str:
    return word.lower().replace("ё", "е")
