"""How well and how fast Chinese citations are read: ``python -m tests.benchmarks.citations_chinese [--held-out]``.

One JSON line a figure, each beside a reference measured in the same run: for precision and recall a plain pattern
(the last 《…》 before 第…条), for speed a bare search for 第…条, for growth twice the text.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from service.citations import Surrounding, read_citations
from service.citations._chinese._numbers import number_of
from service.domain import Citation, CitationFlag, Language
from tests.conftest import data_root
from tests.labels.chinese import load, load_blind, load_drawn, load_own, load_unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = ["HOSTILE", "Score", "report", "score"]

Key = tuple[str, str]
_PLAIN = re.compile(r"《([^《》]+)》|第([\d零〇一二三四五六七八九十百千两]+)条(?:之([一二三四五六七八九十]))?")
_ARTICLE = re.compile(r"第\s*[\d零〇一二三四五六七八九十百千两]+\s*条")

HOSTILE: dict[str, Callable[[int], str]] = {
    "unclosed 《": lambda n: "《" * n,
    "nested 《》": lambda n: "《" * (n // 2) + "》" * (n // 2),
    "第一条第一条": lambda n: "第一条" * (n // 3),
    "numbers without a unit": lambda n: "第1、" * (n // 3),
    "one long number": lambda n: "第" + "一" * n + "条",
    "unclosed brackets": lambda n: "第1条(" * (n // 4),
    "closing brackets": lambda n: ("）" * 90 + "第1条") * (n // 93),
    "names and nothing else": lambda n: "刑法" * (n // 2),
    "anaphora": lambda n: "该法第1条本条前款" * (n // 9),
    "short names": lambda n: "".join(f"《刑法》（简称“甲{i}”）第{i % 99 + 1}条" for i in range(n // 19)),
    "combining marks": lambda n: "第\u0301一条" * (n // 4),
    "slashes": lambda n: "刑法第" + "1/" * (n // 2),
    "numbers without marks": lambda n: "刑法" + "1、" * (n // 2),
    "dashes": lambda n: "第9-1条" * (n // 5),
    "unfinished titles": lambda n: "关于《刑法》的" * (n // 7),
}
"""Texts made to slow a reader down, by their length in characters."""


class Score:
    """Right, wrong and missed, of pairs (act, article) or of whole units."""

    def __init__(self) -> None:
        self.right = self.wrong = self.missed = 0

    def add(self, found: Counter[Any], expected: Counter[Any], ignored: set[Any]) -> None:
        """Count one text; what is ignored counts in neither direction."""
        wrong = found - expected
        self.right += (found & expected).total()
        self.wrong += sum(count for key, count in wrong.items() if key not in ignored)
        self.missed += (expected - found).total()

    @property
    def figures(self) -> dict[str, float]:
        """Precision, recall, F1."""
        precision = self.right / (self.right + self.wrong) if self.right + self.wrong else 0.0
        recall = self.right / (self.right + self.missed) if self.right + self.missed else 0.0
        both = precision + recall
        return {
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(2 * precision * recall / both, 4) if both else 0.0,
        }


def _of_reader(row: dict[str, Any]) -> list[tuple[int, str, str, tuple[str | None, ...], bool]]:
    surrounding = Surrounding(act=row["context_act"], article=row["context_article"])
    found: list[Citation] = read_citations(row["text"], Language.ZH, surrounding=surrounding)
    return [
        (
            citation.start,
            citation.act or citation.act_title or "",
            citation.article,
            (citation.part, citation.point, citation.subpoint),
            CitationFlag.RANGE_MEMBER in citation.flags,
        )
        for citation in found
        if not citation.is_self and citation.article and (citation.act or citation.act_title)
    ]


def _of_pattern(row: dict[str, Any]) -> list[tuple[int, str, str, tuple[str | None, ...], bool]]:
    act = row["context_act"]
    found = []
    for match in _PLAIN.finditer(row["text"]):
        if match[1]:
            act = re.sub(r"\s|[(（].*$", "", match[1].removeprefix("中华人民共和国"))
        elif act and (number := number_of(match[2])) is not None:
            article = f"{number}-{number_of(match[3])}" if match[3] else str(number)
            found.append((match.start(), act, article, (None, None, None), False))
    return found


def score(rows: Iterable[dict[str, Any]], reader: Callable[[dict[str, Any]], Any] = _of_reader) -> dict[str, Score]:
    """Return the scores of pairs, of pairs without range members, and of whole units."""
    scores = {"pairs": Score(), "pairs without ranges": Score(), "units": Score()}
    for row in rows:
        found = reader(row)
        labels = [label for label in row["citations"] if not label.get("self")]
        ignored: set[Any] = set()
        wanted = []
        for label in labels:
            pair = (label["act"] or label["act_title"], label["article"])
            units = (label.get("part"), label.get("point"), label.get("subpoint"))
            if label.get("optional"):
                ignored |= {pair, (pair, units)}
            else:
                wanted.append((label["start"], *pair, units, bool(label.get("from_range"))))
        for name, ranged in (("pairs", True), ("pairs without ranges", False)):
            sides = [{(s, a, n) for s, a, n, _, r in side if ranged or not r} for side in (found, wanted)]
            got, expected = (Counter((a, n) for _, a, n in side) for side in sides)
            scores[name].add(got, expected, ignored)
        sides_of_units = [{(s, a, n, u) for s, a, n, u, _ in side} for side in (found, wanted)]
        got, expected = (Counter(((a, n), u) for _, a, n, u in side) for side in sides_of_units)
        scores["units"].add(got, expected, ignored)
    return scores


def _seconds(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return max(min(times), 1e-6)


def _quality(root: Path, *, held_out: bool) -> Iterator[dict[str, Any]]:
    rows = [
        row
        for row in (*load(root), *load_own(), *load_unseen(), *load_blind(), *load_drawn(root))
        if row["held_out"] is held_out
    ]
    part = "held out" if held_out else "tuning"
    for kind in ("all", *sorted({row["kind"] for row in rows})):
        chosen = [row for row in rows if kind in ("all", row["kind"])]
        ours, plain = score(chosen), score(chosen, _of_pattern)
        for name, result in ours.items():
            reference = plain[name].figures
            figures = result.figures
            yield {
                "benchmark": "citations",
                "lang": "zh",
                "part": part,
                "kind": kind,
                "of": name,
                **figures,
                "labels": result.right + result.missed,
                "reference": "plain pattern",
                "reference_figures": reference,
                "ratio_f1": round(figures["f1"] / reference["f1"], 3) if reference["f1"] else None,
            }


def _cases(root: Path) -> dict[str, Any]:
    right = total = 0
    for line in (root / "citations" / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["lang"] != "zh":
            continue
        found = [
            {
                name: value
                for name, value in zip(
                    ("code", "article", "part", "point", "subpoint"),
                    (c.act or c.act_title, c.article, c.part, c.point, c.subpoint),
                    strict=True,
                )
                if value
            }
            for c in read_citations(case["text"], Language.ZH)
        ]
        total += 1
        right += found == case["expected"]
    return {"benchmark": "citations", "lang": "zh", "of": "short cases", "right": right, "reference": total}


def _speed(root: Path) -> Iterator[dict[str, Any]]:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "zh-statutes").rglob("*.md")))
    surrounding = Surrounding(act="民法典")
    once = _seconds(lambda: read_citations(text, Language.ZH, surrounding=surrounding))
    twice = _seconds(lambda: read_citations(text + text, Language.ZH, surrounding=surrounding))
    bare = _seconds(lambda: _ARTICLE.findall(text))
    yield {
        "benchmark": "citations",
        "lang": "zh",
        "of": "speed",
        "characters": len(text),
        "million_characters_a_second": round(len(text) / once / 1e6, 2),
        "reference": "bare search for 第…条",
        "ratio": round(once / bare, 1),
        "time_of_2n_to_n": round(twice / once, 2),
    }
    for name, make in HOSTILE.items():
        short, long = make(150_000), make(300_000)
        first, second = (_seconds(lambda it=it: read_citations(it, Language.ZH)) for it in (short, long))
        yield {
            "benchmark": "citations",
            "lang": "zh",
            "of": "growth",
            "text": name,
            "million_characters_a_second": round(len(long) / second / 1e6, 2),
            "time_of_2n_to_n": round(second / first, 2),
            "reference": 2.2,
        }


def report(root: Path, *, held_out: bool = False, speed: bool = True) -> Iterator[dict[str, Any]]:
    """Yield every figure on Chinese.

    Args:
        root: The folder of the shared data.
        held_out: Score the labels that were kept apart instead of those for tuning.
        speed: Measure time, too.
    """
    yield from _quality(root, held_out=held_out)
    yield _cases(root)
    if speed:
        yield from _speed(root)


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="score the labels kept apart")
    parser.add_argument("--no-speed", action="store_true", help="leave out what takes time")
    options = parser.parse_args()
    for figure in report(data_root(), held_out=options.held_out, speed=not options.no_speed):
        sys.stdout.write(json.dumps(figure, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
