"""What the tests of faults share: corpora of any size in our own words, and commands as processes of their own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

__all__ = ["command", "progress_line", "started", "until", "write_corpus"]


def write_corpus(folder: Path, articles: int, *, said: str, key: str = "faults") -> Path:
    """Write a corpus of one act; each article cites the next one, so that there is a relation fewer than articles.

    Args:
        folder: Made if it is not there.
        articles: How many.
        said: Words of every article; other words make another version.
        key: The corpus's key.
    """
    folder.mkdir(parents=True, exist_ok=True)
    header = {
        "key": key,
        "official": False,
        "title": "Для испытаний",
        "notice": "придумано для испытаний",
        "licence": "Apache-2.0",
        "acts": ["gk.yaml"],
    }
    entries = [
        {
            "number": str(number),
            "title": f"О предмете {number}",
            "path": ["Раздел I"],
            "text": f"1. {said}, предмет {number}."
            + (f"\n2. Остальное определяет статья {number + 1} настоящего Кодекса." if number < articles else ""),
        }
        for number in range(1, articles + 1)
    ]
    act = {
        "key": "ГК",
        "title": "Гражданский кодекс Российской Федерации",
        "jurisdiction": "ru",
        "language": "ru",
        "branch": "civil",
        "numbered": "part",
        "coverage": [f"1–{articles}"],
        "source": "tests",
        "articles": entries,
    }
    for name, content in (("corpus.yaml", header), ("gk.yaml", act)):
        (folder / name).write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return folder


def command(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `lexhop` to its end."""
    whole = [sys.executable, "-m", "service", *arguments]
    return subprocess.run(whole, env=environment, capture_output=True, text=True, check=False, timeout=300)


@contextmanager
def started(environment: dict[str, str], *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `lexhop` beside the test; it is killed at the end if it still lives."""
    whole = [sys.executable, "-m", "service", *arguments]
    with subprocess.Popen(
        whole, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def progress_line(process: subprocess.Popen[str], begins: str) -> str:
    """Read a process's standard error up to a line that begins so, and return that line."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith(begins):
            return line
    raise AssertionError(f"the process ended and never said {begins!r}: {''.join(said)}")


def until(true: Callable[[], object], seconds: float = 120.0, pause: float = 0.05) -> None:
    """Wait for something that happens in another process; the limit only ends a test that hangs."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"still not so after {seconds:.0f} s"
        time.sleep(pause)
