"""The relation labels of our own: ``relations`` are paragraphs of the ten Russian codes, the other sets our sentences.

The real paragraphs are cut out of the shared data at run time, as in ``tests.labels``; the sentences of the other sets
are ours, written in the manner of codes and laws whose texts are not at hand: those of ``relations_fresh`` by an author
who had not read the rules, those of ``relations_later`` by the same when he had. A row has ``relations``:
one a ``raw``, ``start`` and ``end`` as the citation reader gave them, ``type``, and where it is not REFERS_TO
``direction``, ``cue_start``, ``cue_end``. ``contestable`` with ``also``: either is right. ``optional``: ignore it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.domain import CITED_TYPE, Direction, RelationType
from tests.labels import OWN, LabelTextError
from tests.labels._sources import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RELATION_SETS", "RelationLabel", "RelationText", "read_relation_labels"]

RELATION_SETS = ("relations", "relations_own", "relations_fresh", "relations_later")


@dataclass(frozen=True, slots=True)
class RelationLabel:
    """What the words around one ``raw`` make of the two articles."""

    start: int
    end: int
    type: RelationType = CITED_TYPE
    direction: Direction | None = None
    cue: tuple[int, int] | None = None
    also: frozenset[RelationType] = frozenset()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class RelationText:
    """A paragraph of an article with every citation in it that is not of the article itself."""

    id: str
    act: str | None
    article: str | None
    text: str
    relations: tuple[RelationLabel, ...]


def read_relation_labels(name: str, data: Path, folder: Path = OWN) -> Iterator[RelationText]:
    """Yield the paragraphs of one set; those held out lie in the folder ``heldout``.

    Raises:
        LabelTextError: An excerpt is missing, or its digest is not the one that was labelled.
    """
    for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        labels = tuple(_label(label) for label in row["relations"])
        yield RelationText(row["id"], row["context_act"], row["context_article"], _text(row, data), labels)


def _text(row: dict[str, Any], data: Path) -> str:
    if "text" in row:
        return str(row["text"])
    text = excerpt(data, row["source"])
    if hashlib.sha256(text.encode()).hexdigest() != row["sha256"]:
        raise LabelTextError(f"label {row['id']!r}: the text at {row['source']!r} has changed; label it again")
    return text


def _label(row: dict[str, Any]) -> RelationLabel:
    if row.get("optional"):
        return RelationLabel(row["start"], row["end"], optional=True)
    direction = Direction(row["direction"]) if "direction" in row else None
    cue = (row["cue_start"], row["cue_end"]) if "cue_start" in row else None
    also = frozenset(RelationType(kind) for kind in row.get("also", ()))
    return RelationLabel(row["start"], row["end"], RelationType(row["type"]), direction, cue, also)
