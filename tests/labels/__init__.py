"""Citations labelled by reading: Russian and Ukrainian statutes, Kazakhstan's Tax Code, Ukrainian decisions, own prose.

The real texts are not ours to carry: a record holds where its excerpt stands, the excerpt's SHA-256, and labels by
offset. The text, and each label's ``raw``, are cut out of the shared data at run time. The sentences of the
``*_own``, ``*_unseen`` and ``*_blind`` sets are ours and stand in the file. Conventions: README.md.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.labels._sources import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OWN", "SETS", "Label", "LabelTextError", "LabelledText", "read_labels"]

_KINDS = ("", "_own", "_unseen", "_blind", "_drawn")
SETS = tuple(f"{texts}{kind}" for kind in _KINDS for texts in ("ru", "kz", "uk"))
OWN = Path(__file__).resolve().parent
"""Folder of the sets that readers are tuned on; its folder ``heldout`` has the third that was kept apart."""


class LabelTextError(Exception):
    """The shared data no longer hold the text that a record was labelled on."""


@dataclass(frozen=True, slots=True)
class Label:
    """One cited unit; members of one list or range share ``raw``. Levels that the text does not state are None.

    Attributes:
        act: The registry's key (``acts.json`` says what each means); None for an act outside the registries.
        article: None only for transitional provisions, cited by section and point.
        act_number: ``127-ФЗ``; ``act_number_in_text`` is False where a reader cannot know it from the record's text.
        act_basis: ``anaphora`` where the act is named by «указанного закона», «цього Кодексу» alone.
        edition: The year of an old edition or code, where the text gives it.
        optional: Ignore in both directions.
        unresolved: What the words point at is not in the record's text; a null act is right.
        levels_contestable: Careful readers could differ below the article; compare article only.
    """

    raw: str
    start: int
    end: int
    act: str | None
    article: str | None
    part: str | None = None
    point: str | None = None
    subpoint: str | None = None
    para: str | None = None
    section: str | None = None
    subsection: str | None = None
    act_title: str | None = None
    act_number: str | None = None
    act_number_in_text: bool | None = None
    act_date: str | None = None
    act_basis: str | None = None
    edition: str | None = None
    from_range: bool = False
    range_level: str | None = None
    self: bool = False
    anaphor: bool = False
    optional: bool = False
    ambiguous: bool = False
    unresolved: bool = False
    levels_contestable: bool = False


@dataclass(frozen=True, slots=True)
class LabelledText:
    """One paragraph or sentence with every citation in it, in text order."""

    id: str
    lang: str
    jurisdiction: str
    source: dict[str, Any]
    context_act: str | None
    context_article: str | None
    text: str
    citations: tuple[Label, ...]


def read_labels(name: str, data: Path, folder: Path = OWN) -> Iterator[LabelledText]:
    """Yield the records of one set, each with its text.

    Args:
        name: One of ``SETS``.
        data: The folder of the shared data (not looked at for sets of our own sentences).
        folder: Where ``<name>.jsonl`` lies; another part of the set may lie elsewhere.

    Raises:
        ValueError: There is no set of that name.
        LabelTextError: An excerpt is missing, or its digest is not the one that was labelled.
    """
    if name not in SETS:
        raise ValueError(f"no label set {name!r}; there are {', '.join(SETS)}")
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield _record(json.loads(line), data)


def _record(row: dict[str, Any], data: Path) -> LabelledText:
    text = row["text"] if "text" in row else _verified(row, data)
    return LabelledText(
        id=row["id"],
        lang=row["lang"],
        jurisdiction=row["jurisdiction"],
        source=row["source"],
        context_act=row["context_act"],
        context_article=row["context_article"],
        text=text,
        citations=tuple(Label(raw=text[label["start"] : label["end"]], **label) for label in row["citations"]),
    )


def _verified(row: dict[str, Any], data: Path) -> str:
    try:
        text = excerpt(data, row["source"])
    except (LookupError, OSError) as error:
        raise LabelTextError(f"label {row['id']!r}: its text is not at {row['source']!r}: {error}") from error
    digest = hashlib.sha256(text.encode()).hexdigest()
    if digest != row["sha256"]:
        raise LabelTextError(
            f"label {row['id']!r}: the text at {row['source']!r} has digest {digest!r}, labelled was "
            f"{row['sha256']!r}; the shared data have changed, label it again"
        )
    return text
