"""Loads the acts of a folder."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from loaders.statutes._article import build_article
from loaders.statutes._chinese import read_chinese
from loaders.statutes._docx import read_docx
from loaders.statutes._front_matter import read_front_matter
from loaders.statutes._html import read_html
from loaders.statutes._manifest import AS_LOADED, COMPLETE, UNKNOWN, ActEntry, FileEntry, Manifest, read_manifest
from loaders.statutes._provisions import read_provisions
from loaders.statutes._structure import ArticleLines, Cut, cut
from loaders.statutes._units import Numbered
from service.domain import Act, ActText, Article, Jurisdiction, Language, article_sort_key
from service.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Progress", "load_statutes"]

_FORMATS = {".html": "portal-html", ".htm": "portal-html", ".docx": "docx", ".json": "provisions"}
_UNTOLD = (
    "not in the files, and nothing says that they were repealed, though the coverage has them: citations of them are "
    "called invented; see to the file, or state 'coverage: loaded' in the manifest"
)
_NOT_TITLES = frozenset(("РОССИЙСКАЯ ФЕДЕРАЦИЯ", "ФЕДЕРАЛЬНЫЙ ЗАКОН"))


class Progress(Protocol):
    """Told after each act how far a load is."""

    def __call__(self, act: str, done: int, total: int) -> None:
        """Take notice that ``done`` acts of ``total`` are read, the last one ``act``."""


@dataclass(slots=True)
class FileText:
    """What one file gave.

    Attributes:
        searched: Its articles were found by their headings, so that one may have been missed.
    """

    articles: list[Article] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    searched: bool = False


def load_statutes(folder: Path, corpus: str, *, progress: Progress | None = None) -> list[ActText]:
    """Read the acts of a folder.

    Args:
        folder: Where the files lie, with or without a ``manifest.yaml``.
        corpus: Key of the corpus, such as ``ru``; its built-in manifest says what the folder's own does not.
        progress: Told after each act.

    Returns:
        The acts in the manifest's order, each with its articles in the act's own order.

    Raises:
        InputError: The folder does not exist.
        SourceError: A manifest or a file cannot be read as what it should be; the message names it and the remedy.
    """
    manifest = read_manifest(folder, corpus)
    out: list[ActText] = []
    for done, entry in enumerate(manifest.acts, 1):
        out.append(_act(folder, manifest, entry))
        if progress is not None:
            progress(entry.key, done, len(manifest.acts))
    return out


def _act(folder: Path, manifest: Manifest, entry: ActEntry) -> ActText:
    text = FileText()
    where: dict[str, str] = {}
    for file in entry.files:
        for path in _paths(folder, file):
            part = _file(path, entry, file)
            for article in part.articles:
                if article.number in where:
                    raise SourceError(
                        f"article {article.number!r} of act {entry.key!r} stands twice: in {where[article.number]!r} "
                        f"and in {path.name!r}; keep one, or give the other edition its own entry in the manifest"
                    )
                where[article.number] = path.name
            text.articles.extend(part.articles)
            text.titles.extend(part.titles)
            text.skipped.extend(part.skipped)
            text.searched |= part.searched
            text.gone.extend(number for number in part.gone if number not in where)
    if not text.articles:
        raise SourceError(
            f"act {entry.key!r} has no article in {len(entry.files)} files of the manifest; correct 'files'"
        )
    coverage = _coverage(entry, text)
    if text.searched and entry.coverage not in (None, AS_LOADED, UNKNOWN):
        text.skipped.extend(_told_missing(text, coverage))
    act = Act(
        key=entry.key,
        title=entry.title or _title(text.titles) or entry.key,
        jurisdiction=entry.jurisdiction or manifest.jurisdiction or Jurisdiction.RU,
        language=entry.language or manifest.language or Language.RU,
        branch=entry.branch,
        coverage=coverage,
        edition=entry.edition,
        valid_from=_act_in_force(entry),
        valid_to=entry.valid_to.isoformat() if entry.valid_to else None,
        source=entry.source or manifest.source or "",
    )
    return ActText(act, tuple(text.articles), tuple(text.skipped), tuple(dict.fromkeys(text.gone)))


def _paths(folder: Path, file: FileEntry) -> list[Path]:
    exact = folder / file.name
    return [exact] if exact.is_file() else sorted(folder.glob(file.name), key=lambda path: path.name)


def _file(path: Path, entry: ActEntry, file: FileEntry) -> FileText:
    kind = entry.format or _FORMATS.get(path.suffix.lower())
    if kind == "portal-html":
        return _from_cut(path, cut(read_html(path, encoding=file.encoding)), entry, file, searched=True)
    if kind == "docx":
        return _from_cut(path, cut(read_docx(path)), entry, file, searched=True)
    if kind == "provisions":
        return _from_cut(path, read_provisions(path, titled=entry.titled is not False), entry, file)
    if kind == "front-matter":
        return _from_front_matter(path, entry)
    if kind == "chinese-markdown":
        return _from_chinese(path, entry, file)
    raise SourceError(
        f"file {path.name!r} of act {entry.key!r} has the extension {path.suffix!r}, which no reader takes; "
        f"use one of {', '.join(sorted(_FORMATS))}, or state 'format' in the manifest"
    )


def _from_cut(path: Path, source: Cut, entry: ActEntry, file: FileEntry, *, searched: bool = False) -> FileText:
    if not source.articles:
        raise SourceError(
            f"file {path.name!r} of act {entry.key!r} holds no article: no line of it is a heading such as "
            f"«Статья 1. …»; check that it is the text of the act and not a page about it"
        )
    text = FileText(titles=source.titles, skipped=source.skipped, gone=source.gone, searched=searched)
    for lines in source.articles:
        _add(text, lines, entry, _in_force(entry, file, lines.number))
    return text


def _from_front_matter(path: Path, entry: ActEntry) -> FileText:
    read = read_front_matter(path)
    text = FileText(skipped=list(read.skipped))
    if read.article is not None:
        _add(text, read.article, entry, read.entry or (entry.in_force.isoformat() if entry.in_force else None))
    return text


def _from_chinese(path: Path, entry: ActEntry, file: FileEntry) -> FileText:
    day = file.in_force or entry.in_force
    read = read_chinese(path, entry.key, edition=entry.edition, entry=day.isoformat() if day else None)
    return FileText(articles=read.articles, titles=read.titles, skipped=read.skipped)


def _add(text: FileText, lines: ArticleLines, entry: ActEntry, day: str | None) -> None:
    numbered = entry.numbered or Numbered.PART
    built = build_article(entry.key, lines, numbered=numbered, edition=entry.edition, entry=day)
    text.articles.append(built.article)
    text.skipped.extend(built.skipped)


def _in_force(entry: ActEntry, file: FileEntry, number: str) -> str | None:
    """Return the day on which an article that nobody amended entered into force."""
    key = article_sort_key(number)
    for part in file.in_force_ranges:
        first, last = part.ends
        # An article inserted behind the range's last one sorts behind it: 123.1 is not in 48–123.
        if article_sort_key(first) <= key <= article_sort_key(last):
            return part.date.isoformat() if part.date else None
    day = file.in_force or entry.in_force
    return day.isoformat() if day else None


def _act_in_force(entry: ActEntry) -> str | None:
    days = [day for day in (entry.in_force, *(file.in_force for file in entry.files)) if day is not None]
    return min(days).isoformat() if days else None


def _coverage(entry: ActEntry, text: FileText) -> tuple[str, ...]:
    if entry.coverage is None:
        return ("unknown",)
    return (
        _runs([article.number for article in text.articles], text.gone)
        if entry.coverage == AS_LOADED
        else entry.coverage
    )


def _told_missing(text: FileText, coverage: tuple[str, ...]) -> list[tuple[str, str]]:
    """Tell of articles that the coverage promises and no line accounts for: a heading that was not read, a text cut."""
    numbers = [*(article.number for article in text.articles), *text.gone]
    return [
        (
            f"article {first}" if first == last else f"articles {first}–{last}",
            _UNTOLD,
        )
        for first, last in _missing(numbers, coverage)
    ]


def _missing(numbers: list[str], coverage: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the gaps, as first and last whole number, in what should be there from article 1 or the range's first on."""
    there = sorted({int(found[0]) for number in numbers if (found := re.match(r"\d+", number))})
    if not there:
        return []
    spans = [(1, there[-1])]
    if coverage != COMPLETE:
        ends = [[int(found) for found in re.findall(r"(?<![\d.-])\d+", part)] for part in coverage]
        spans = [(found[0], found[-1]) for found in ends if found]
    out: list[tuple[int, int]] = []
    for first, last in spans:
        known = [first - 1, *(number for number in there if first <= number <= last), last + 1]
        out.extend((left + 1, right - 1) for left, right in pairwise(known) if right - left > 1)
    return out


def _runs(numbers: list[str], gone: list[str]) -> tuple[str, ...]:
    """Return the ranges of articles that are there; a range ends where a whole number is missing."""
    out: list[list[str]] = []
    previous: int | None = None
    for number in sorted({*numbers, *gone}, key=article_sort_key):
        base = re.match(r"\d+", number)
        whole = int(base[0]) if base else None
        if out and previous is not None and whole is not None and whole - previous <= 1:
            out[-1][1] = number
        else:
            out.append([number, number])
        previous = whole
    return tuple(f"{first}–{last}" for first, last in out)


def _title(lines: list[str]) -> str | None:
    found = [line for line in lines if line.upper() not in _NOT_TITLES]
    return found[0] if found else None
