"""Time and memory of loading statutes: ``python -m tests.benchmarks.statutes [corpus [folder]]``.

Prints one JSON line an act and one for all. The reference is what cannot be avoided: the same HTML parsed by lxml.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

from lxml import html

from loaders.statutes import load_statutes, report_of

_FOLDERS = {"ru": "ru-statutes", "kz": "kz-statutes", "ua": "ua-statutes", "cn": "zh-statutes"}


def main() -> None:
    corpus = sys.argv[1] if len(sys.argv) > 1 else "ru"
    root = Path(os.environ.get("LEXHOP_TEST_DATA", "../shared/data"))
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else root / _FOLDERS[corpus]
    started = time.process_time()
    for path in sorted(folder.glob("*.html")):
        html.parse(str(path), html.HTMLParser(encoding="utf-8"))
    bare = time.process_time() - started
    started = time.process_time()
    texts = load_statutes(folder, corpus)
    spent = time.process_time() - started
    for text in texts:
        report = report_of(text)
        row = report.as_dict() | {"skipped": len(report.skipped), "gone": len(report.gone)}
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)
    articles = sum(len(text.articles) for text in texts)
    dated = sum(article.valid_from is not None for text in texts for article in text.articles)
    total = {
        "corpus": corpus,
        "articles": articles,
        "dated": round(dated / articles, 4),
        "cpu_seconds": round(spent, 2),
        "bare_parse_seconds": round(bare, 2),
        "ratio": round(spent / bare, 2) if bare > 0.01 else None,
        "peak_mb": round(peak),
    }
    sys.stdout.write(json.dumps(total, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
