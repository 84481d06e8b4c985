"""Precision and recall of relation types on the labelled paragraphs: ``python -m tests.benchmarks.relations``.

Prints JSON lines: one a type, one for all, one cross-validated, those of the blind sample, those of whole paragraphs of
our own labels (tests/labels/relations.py; the citation reader takes part), then the differences. In the
cross-validation the paragraphs are cut into folds; a rule counts in a fold only where it has typed something rightly in
the other folds. So a wording that was written down for one paragraph alone does not count there.
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from loaders.relations._rules import RuleBook, load_rules
from service.analysis import wilson
from service.domain import RELATION_TYPES, Language
from tests.benchmarks._relation_labels import Tally, read_labels, score
from tests.benchmarks._relation_texts import TextTally, score_texts
from tests.conftest import data_root
from tests.labels import OWN
from tests.labels.relations import RELATION_SETS, read_relation_labels

FOLDS = 10
PRIOR_WEIGHT = 8
BLIND = Path(__file__).resolve().parent.parent / "labels" / "relations_blind.jsonl"
BARS = {"precision": 0.95, "recall": 0.85}


def main() -> int:
    """Print the figures; 1 where one is below its bar."""
    folder = data_root() / "citations"
    if not folder.is_dir():
        sys.stderr.write(f"no labels at {str(folder)!r}; set LEXHOP_TEST_DATA\n")
        return 1
    rows = read_labels(folder)
    book = load_rules(Language.RU)
    tally = score(rows, book)
    for kind in RELATION_TYPES[1:]:
        _print({"type": kind.value} | _figures(tally, kind.value))
    _print({"type": "all", "paragraphs": len(rows)} | _figures(tally) | {"bars": BARS})
    crossed = cross_validate(rows, book)
    _print({"type": "all", "cross_validated_folds": FOLDS} | _figures(crossed))
    for kind, verdicts in blind_verdicts(BLIND).items():
        _print({"blind": kind} | blind_figures(verdicts))
    for name, folder in itertools.product(RELATION_SETS, (OWN, OWN / "heldout")):
        texts = score_texts(read_relation_labels(name, data_root(), folder))
        _print({"texts": name, "held_out": folder != OWN} | _figures(texts) | {"cues": texts.cues[True]})
        tally.differences += texts.differences
    for difference in tally.differences:
        _print({"difference": difference})
    if "--confidence" in sys.argv:
        for rule, value in confidences(tally, book).items():
            _print({"rule": rule, "confidence": value})
    low = (tally.precision or 0) < BARS["precision"] or (tally.recall or 0) < BARS["recall"]
    return int(low)


def cross_validate(rows: list[dict[str, Any]], book: RuleBook) -> Tally:
    """Score each fold with the cues that the other folds bear out."""
    folds: list[list[dict[str, Any]]] = [[] for _ in range(FOLDS)]
    for row in rows:
        folds[hashlib.sha256(row["id"].encode()).digest()[0] % FOLDS].append(row)
    tally = Tally()
    for index, fold in enumerate(folds):
        rest = [row for other, rows_ in enumerate(folds) if other != index for row in rows_]
        borne = {rule for rule, counts in score(rest, book).by_rule.items() if counts["right"]}
        score(fold, _only(book, borne), tally)
    return tally


def blind_verdicts(path: Path) -> dict[str, Counter[str]]:
    """Return the verdicts of the blind sample by type, and of all."""
    verdicts: dict[str, Counter[str]] = {kind.value: Counter() for kind in RELATION_TYPES[1:]} | {"all": Counter()}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = orjson.loads(line)
        verdicts[row["type"]][row["verdict"]] += 1
        verdicts["all"][row["verdict"]] += 1
    return verdicts


def blind_figures(verdicts: Counter[str]) -> dict[str, Any]:
    """Return precision with its Wilson interval, contestable ones counted right, and strictly."""
    total = verdicts.total()
    loose = wilson(verdicts["right"] + verdicts["contestable"], total)
    strict = wilson(verdicts["right"], total)
    return {
        "n": total,
        "wrong": verdicts["wrong"],
        "contestable": verdicts["contestable"],
        "precision": round(loose.value, 3),
        "wilson": [round(loose.low, 3), round(loose.high, 3)],
        "strict": round(strict.value, 3),
        "strict_wilson": [round(strict.low, 3), round(strict.high, 3)],
    }


def _only(book: RuleBook, rules: set[str]) -> RuleBook:
    kept = {word: tuple(c for c in cues if book.rules[c[0]].id in rules) for word, cues in book.by_word.items()}
    return replace(book, by_word=kept)


def confidences(tally: Tally, book: RuleBook) -> dict[str, float]:
    """Return each rule's share of right hits on the labels, drawn to its prior by ``PRIOR_WEIGHT`` hits."""
    result = {}
    for rule in book.rules:
        counts = tally.by_rule.get(rule.id, {"hits": 0, "right": 0})
        value = (counts["right"] + PRIOR_WEIGHT * rule.prior) / (counts["hits"] + PRIOR_WEIGHT)
        result[rule.id] = round(value, 2)
    return result


def _figures(tally: Tally | TextTally, kind: str | None = None) -> dict[str, Any]:
    def count(counter: Any) -> int:
        return counter.total() if kind is None else counter[kind]

    given, right, labelled, found = map(count, (tally.given, tally.right, tally.labelled, tally.found))
    return {
        "precision": round(right / given, 4) if given else None,
        "right": right,
        "given": given,
        "recall": round(found / labelled, 4) if labelled else None,
        "found": found,
        "labelled": labelled,
    }


def _print(value: dict[str, Any]) -> None:
    sys.stdout.write(orjson.dumps(value).decode() + "\n")


if __name__ == "__main__":
    sys.exit(main())
