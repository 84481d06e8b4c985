"""The relation labels of data/citations, and how a typing is held against them (issue 5; conventions in its README)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from loaders.relations._typing import type_with
from service.domain import CITED_TYPE, Citation, Jurisdiction, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from loaders.relations import TypedCitation
    from loaders.relations._rules import RuleBook

__all__ = ["LABEL_FILES", "Tally", "read_labels", "score"]

LABEL_FILES = ("ru_statutes.jsonl", "ru_relations.jsonl")


@dataclass
class Tally:
    """Counts by type, once a raw: given (right of all given), labelled (found of all labelled), and by rule."""

    given: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    labelled: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    by_rule: dict[str, Counter[str]] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float | None:
        """Right of all given one of the four types; None where none was given."""
        return self.right.total() / self.given.total() if self.given else None

    @property
    def recall(self) -> float | None:
        """Found of all labelled with one of the four types."""
        return self.found.total() / self.labelled.total() if self.labelled else None


def read_labels(folder: Path) -> list[dict[str, Any]]:
    """Return every paragraph that has a relation label."""
    rows = []
    for name in LABEL_FILES:
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if any(label.get("relation_cue") for label in row["citations"]):
                rows.append(row)
    return rows


def score(rows: Iterable[dict[str, Any]], book: RuleBook, tally: Tally | None = None) -> Tally:
    """Type the labelled citations with the given rules and hold the result against the labels."""
    tally = tally or Tally()
    for row in rows:
        citations = [_citation(label) for label in row["citations"]]
        counted: set[tuple[int, int]] = set()
        for label, typed in zip(row["citations"], type_with(row["text"], citations, book), strict=True):
            span = (label["start"], label["end"])
            if label.get("self") or label.get("optional") or not label.get("relation_cue") or span in counted:
                continue
            counted.add(span)
            _count(tally, row["id"], label, typed)
    return tally


def _citation(label: dict[str, Any]) -> Citation:
    return Citation(
        Jurisdiction.RU,
        label["act"],
        label["article"],
        label["raw"],
        label["start"],
        label["end"],
        is_self=bool(label.get("self")),
    )


def _count(tally: Tally, where: str, label: dict[str, Any], typed: TypedCitation) -> None:
    expected = RelationType(label["relation_cue"])
    direction = label.get("direction")
    same = typed.type is expected and (typed.direction.value if typed.direction else None) == direction
    right = same or (bool(label.get("contestable")) and typed.type.value in label.get("also", ()))
    if typed.type is not CITED_TYPE:
        tally.given[typed.type.value] += 1
        tally.right[typed.type.value] += right
        rule = tally.by_rule.setdefault(typed.rule or "", Counter())
        rule["hits"] += 1
        rule["right"] += right
    if expected is not CITED_TYPE:
        tally.labelled[expected.value] += 1
        tally.found[expected.value] += right
    if not right:
        tally.differences.append(
            f"{where}: {label['raw']!r} is {expected} {direction}, typed {typed.type} by {typed.rule}"
        )
