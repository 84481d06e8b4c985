"""Typing citations of Chinese texts: what stands before and behind a citation within its clause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loaders.relations._rules import Example
from service.domain import Direction, RelationType
from service.errors import SetupError
from service.resources import resource_text
from service.text.yaml_source import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ChineseRule", "ChineseRules", "Found", "chinese_claims", "load_chinese_rules"]

_LIST_GAP = 8
"""Longest stretch of joining characters, act names apart, between two members of a list."""


class ChineseRule(BaseModel):
    """One rule: words before the citation, words behind it, or both.

    Attributes:
        before: One of these must stand at most ``gap_before`` characters before the citation's list, no comma between.
        before_not: What must not stand in its place.
        behind: One of these must stand at most ``gap_behind`` characters behind the list, in the same clause.
        behind_not: What must not stand in its place.
        lacks: What must not stand behind the citation in its clause.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    type: RelationType
    direction: Direction
    before: tuple[str, ...] = ()
    before_not: tuple[str, ...] = ()
    gap_before: int = Field(default=0, ge=0, le=40)
    behind: tuple[str, ...] = ()
    behind_not: tuple[str, ...] = ()
    gap_behind: int = Field(default=0, ge=0, le=40)
    lacks: tuple[str, ...] = ()
    prior: float = Field(gt=0, le=1)
    confidence: float = Field(gt=0, le=1)
    examples: tuple[Example, ...] = Field(min_length=2)


class ChineseRules(BaseModel):
    """The rules, the characters that join a list, and those that end a sentence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    joiners: str
    stops: str
    rules: tuple[ChineseRule, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A rule's claim on a group of citations; ``start`` and ``end`` are the span shown as its cue."""

    group: int
    rule: ChineseRule
    start: int
    end: int


@lru_cache(maxsize=1)
def load_chinese_rules() -> ChineseRules:
    """Return the rules of data/cues/zh.yaml.

    Raises:
        SetupError: The file is missing or not valid.
    """
    try:
        raw: Any = read_yaml(resource_text("data/cues/zh.yaml"))
        return ChineseRules.model_validate(raw)
    except (yaml.YAMLError, ValidationError) as error:
        raise SetupError(f"cue rules 'cues/zh.yaml' are not valid: {error}; correct the file") from error


def chinese_claims(text: str, groups: Sequence[tuple[int, int]], rules: ChineseRules) -> Iterator[Found]:
    """Yield every claim of every rule, in text order; ``groups`` are disjoint spans of citations in text order."""
    for first, last in _lists(text, groups, rules):
        start, end = groups[first][0], groups[last][1]
        left, right = _clause(text, start, end, rules)
        for rule in rules.rules:
            cue = _cue(text, (start, end), (left, right), rule)
            if cue is not None:
                for group in range(first, last + 1):
                    yield Found(group, rule, *cue)


def _lists(text: str, groups: Sequence[tuple[int, int]], rules: ChineseRules) -> Iterator[tuple[int, int]]:
    """Gather citations that only joining characters part: they share their government."""
    joined = re.compile(f"[{re.escape(rules.joiners)}本法]{{1,{_LIST_GAP}}}|")
    first = 0
    for index in range(1, len(groups) + 1):
        if index == len(groups) or not joined.fullmatch(text, groups[index - 1][1], groups[index][0]):
            yield first, index - 1
            first = index


def _clause(text: str, start: int, end: int, rules: ChineseRules) -> tuple[int, int]:
    left = max((text.rfind(mark, max(0, start - 60), start) for mark in rules.stops), default=-1) + 1
    stops = [at for mark in rules.stops if (at := text.find(mark, end, end + 80)) >= 0]
    return max(left, start - 60), min(stops, default=min(len(text), end + 80))


def _cue(text: str, span: tuple[int, int], clause: tuple[int, int], rule: ChineseRule) -> tuple[int, int] | None:
    before = _before(text, span[0], clause[0], rule) if rule.before else None
    behind = _behind(text, span[1], clause[1], rule) if rule.behind else None
    missing = (rule.before and before is None) or (rule.behind and behind is None)
    if missing or any(word in text[span[1] : clause[1]] for word in rule.lacks):
        return None
    return before or behind


def _before(text: str, start: int, left: int, rule: ChineseRule) -> tuple[int, int] | None:
    """The nearest word before the citation with no comma between."""
    best: tuple[int, int] | None = None
    for word in rule.before:
        at = text.rfind(word, max(left, start - rule.gap_before - len(word)), start)
        if at < 0 or any(mark in text[at + len(word) : start] for mark in "，,：:"):
            continue
        if _overlaps(text, at, word, rule.before_not):
            continue
        if best is None or at > best[0]:
            best = at, at + len(word)
    return best


def _overlaps(text: str, at: int, word: str, others: tuple[str, ...]) -> bool:
    """Whether ``word`` at ``at`` is only a part of one of ``others``."""
    return any(text.find(other, max(0, at - len(other) + 1), at + len(word) + len(other) - 1) >= 0 for other in others)


def _behind(text: str, end: int, right: int, rule: ChineseRule) -> tuple[int, int] | None:
    best: tuple[int, int] | None = None
    for word in rule.behind:
        at = text.find(word, end, min(right, end + rule.gap_behind + len(word)))
        if at < 0 or _overlaps(text, at, word, rule.behind_not):
            continue
        if best is None or at < best[0]:
            best = at, at + len(word)
    return best
