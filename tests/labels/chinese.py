"""The Chinese labels: ``zh.jsonl`` and ``zh_drawn.jsonl``, their excerpts cut out of the shared data at run time; our
text in ``zh_own.jsonl``, ``zh_unseen.jsonl``, ``zh_blind.jsonl``.

A row holds ``source`` (``file`` below the shared data, ``pointer``, ``start``, ``end``), the excerpt's ``sha256``,
where it stands (``context_act``, ``context_article``; null outside a statute), and ``citations`` with offsets into the
excerpt. The pointer is a JSON pointer; in a JSON-lines file its first step is the row, from 0; empty, the file itself
is the text.

Conventions beyond those of the shared ``citations/README.md``:

* ``raw`` runs from the act's name (with its 《》) or 本法 to the last unit; members of a list or a range share it.
* A citation whose act cannot be known from the excerpt is not labelled; a reader gives it as unresolved, which no score
  counts.
* Clauses of contracts and articles of association are not labelled, nor an article's heading in its own statute.
* 前款 is the article itself (``self``), optional; so is 前款 inside an article quoted elsewhere.
* ``edition``: the year that the text gives. ``held_out``: kept apart while the reader was written.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["BLIND", "DRAWN", "LABELS", "OWN", "UNSEEN", "load", "load_blind", "load_drawn", "load_own", "load_unseen"]

OWN = Path(__file__).with_name("zh_own.jsonl")
UNSEEN = Path(__file__).with_name("zh_unseen.jsonl")
BLIND = Path(__file__).with_name("zh_blind.jsonl")
LABELS = Path(__file__).with_name("zh.jsonl")
DRAWN = Path(__file__).with_name("zh_drawn.jsonl")


@lru_cache(maxsize=64)
def _document(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return json.loads(text) if path.suffix == ".json" else text


def _excerpt(root: Path, source: dict[str, Any]) -> str:
    value = _document(root / source["file"])
    for step in source["pointer"].split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return str(value)[source["start"] : source["end"]]


def load(root: Path) -> list[dict[str, Any]]:
    """Return every row with its ``text``, and each of its citations with its ``raw``.

    Args:
        root: The folder of the shared data.

    Raises:
        ValueError: An excerpt is no longer what was labelled.
    """
    return _cut_out(LABELS, root)


def load_drawn(root: Path) -> list[dict[str, Any]]:
    """Return passages that a seed drew among those that no label covered; a second draw, read once, is held out."""
    return _cut_out(DRAWN, root)


def _cut_out(file: Path, root: Path) -> list[dict[str, Any]]:
    rows = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = _excerpt(root, row["source"])
        digest = hashlib.sha256(text.encode()).hexdigest()
        if digest != row["sha256"]:
            raise ValueError(f"{row['id']}: {row['source']!r} has another text than was labelled; label it again")
        row["text"] = text
        for citation in row["citations"]:
            citation["raw"] = text[citation["start"] : citation["end"]]
        rows.append(row)
    return rows


def load_own() -> list[dict[str, Any]]:
    """Return the rows of sentences that are ours, in the manner of judgments, claims and models' answers."""
    return _ours(OWN)


def load_unseen() -> list[dict[str, Any]]:
    """Return sentences of our own that were labelled before the reader saw them, a third of them held out."""
    return _ours(UNSEEN)


def load_blind() -> list[dict[str, Any]]:
    """Return sentences of our own that somebody wrote and labelled who had not seen the reader, a third held out."""
    return _ours(BLIND)


def _ours(file: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        for citation in row["citations"]:
            citation["raw"] = row["text"][citation["start"] : citation["end"]]
    return rows
