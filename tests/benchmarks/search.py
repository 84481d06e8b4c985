"""How often a question in everyday words finds its article: ``python -m tests.benchmarks.search``.

Asks the ten codes in a scratch graph. Prints one JSON line a question asked in the open, and two a file with figures:
the questions that the vocabulary was written beside, and those kept apart, of which only the figure is printed (``--held``
prints their lines too).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from pathlib import Path
from typing import Any

from service.graph.search import SearchRequest, search
from service.graph.watch import CatalogWatcher
from tests.benchmarks._scratch_graph import ten_codes

LABELS = Path(__file__).resolve().parent.parent / "labels"
FILES = ("search_ru.jsonl", "search_ru_later.jsonl", "search_ru_fresh.jsonl", "search_ru_plain.jsonl")
"""The later ones were written when the vocabulary of the first was done, the fresh and plain ones by another hand."""
FIRST = 10


def questions() -> list[dict[str, Any]]:
    """The labelled questions: {id, q, answers, held}, each with its file."""
    return [
        {**json.loads(line), "file": name}
        for name in FILES
        for line in (LABELS / name).read_text(encoding="utf-8").splitlines()
    ]


async def ranks() -> list[dict[str, Any]]:
    """Ask every question; a rank is that of the first right article, None where it is not among 200."""
    asked = []
    async with ten_codes() as (store, version):
        contents = await CatalogWatcher(store).contents(version)
        for one in questions():
            found = await search(store, contents, SearchRequest(one["q"]))
            refs = [hit.article["ref"] for hit in found.hits]
            missing = [answer for answer in one["answers"] if answer not in contents.known]
            if missing:
                raise SystemExit(
                    f"question {one['id']}: the corpus lacks {missing}; correct tests/labels/{one['file']}"
                )
            places = [refs.index(answer) + 1 for answer in one["answers"] if answer in refs]
            asked.append({**one, "rank": min(places, default=None), "first": refs[:3]})
    return asked


def main() -> None:
    """Print the figures."""
    asked = asyncio.run(ranks())
    for one in asked:
        if not one["held"] or "--held" in sys.argv[1:]:
            _print(one)
    for file, name in itertools.product(FILES, ("open", "held")):
        chosen = [one["rank"] for one in asked if one["file"] == file and one["held"] is (name == "held")]
        if not chosen:  # All plain ones are kept apart.
            continue
        hits = sum(rank is not None and rank <= FIRST for rank in chosen)
        first = sum(rank == 1 for rank in chosen)
        mean = sum(1 / rank for rank in chosen if rank) / len(chosen)
        figures = {
            "file": file,
            "questions": name,
            "asked": len(chosen),
            "in_first_ten": hits,
            "first": first,
            "share": round(hits / len(chosen), 3),
        }
        _print({**figures, "mean_reciprocal_rank": round(mean, 3), "wanted": 0.8})


def _print(row: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
