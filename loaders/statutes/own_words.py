"""Reads a folder of statutes told in our own words: ``data/sample``, and any other in the same form.

Such a corpus carries real article numbers and dates with texts that are nobody's official wording; its ``corpus.yaml``
says so in a notice that everything which shows the corpus has to repeat. The form is described in docs/sample.md.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from loaders.statutes._own_words_format import ActFile, ArticleEntry, CorpusFile, read_act_file, read_corpus_file
from loaders.statutes._units import UnitText, units_of
from service.domain import Act, ActText, Amendment, Article, Paragraph, article_sort_key
from service.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CorpusFile", "read_sample", "read_sample_header"]

_RANGE = "–"


def read_sample_header(folder: Path) -> CorpusFile:
    """Return what ``corpus.yaml`` in ``folder`` says: key, title, the notice to show, licence, the acts' files.

    Raises:
        SourceError: The file is missing or a field is not what it should be.
    """
    return read_corpus_file(folder / "corpus.yaml")


def read_sample(folder: Path) -> list[ActText]:
    """Read every act that ``corpus.yaml`` in ``folder`` lists, in that order.

    Units of paragraphs are found as in the other statute loaders: «1.» is a part or a point by the file's ``numbered``,
    «1)» the next level, unnumbered paragraphs of an act that counts parts are parts.

    Raises:
        SourceError: A file is missing, is not what it should be, or contradicts itself or another one; the message
            names the file, the article, the value and what to do.
    """
    acts: list[ActText] = []
    files: dict[tuple[str, str | None], str] = {}
    for name in read_sample_header(folder).acts:
        file = read_act_file(folder / name)
        other = files.setdefault((file.key, file.edition), name)
        if other != name:
            raise SourceError(f"act {file.key!r} stands in {other!r} and {name!r}; keep one, or give each an edition")
        acts.append(_act_text(name, file))
    return acts


def _act_text(name: str, file: ActFile) -> ActText:
    _check_order(name, [entry.number for entry in file.articles])
    _check_coverage(name, file)
    act = Act(
        key=file.key,
        title=file.title,
        jurisdiction=file.jurisdiction,
        language=file.language,
        branch=file.branch,
        coverage=file.coverage,
        edition=file.edition,
        source=file.source,
    )
    return ActText(act, tuple(_article(file, entry) for entry in file.articles))


def _article(file: ActFile, entry: ArticleEntry) -> Article:
    lines = [line.strip() for line in entry.text.splitlines() if line.strip()]
    paragraphs: list[Paragraph] = []
    at = 0
    for line, unit in zip(lines, units_of([UnitText(line) for line in lines], file.numbered), strict=True):
        paragraphs.append(Paragraph(at, at + len(line), unit.part, unit.point, unit.subpoint, unit.remark))
        at += len(line) + 1
    dates = [amendment.date.isoformat() for amendment in entry.amendments if amendment.date is not None]
    return Article(
        act=file.key,
        number=entry.number,
        title=entry.title,
        path=entry.path,
        text="\n".join(lines),
        paragraphs=tuple(paragraphs),
        edition=file.edition,
        amendments=tuple(
            Amendment(item.part, item.law, item.date.isoformat() if item.date is not None else None)
            for item in entry.amendments
        ),
        valid_from=entry.valid_from.isoformat() if entry.valid_from is not None else None,
        valid_from_basis=entry.valid_from_basis,
        amended_on=max(dates, default=None),
        repealed=entry.repealed,
        repealed_by=entry.repealed_by,
    )


def _check_order(name: str, numbers: list[str]) -> None:
    for before, number in pairwise(numbers):
        if article_sort_key(before) == article_sort_key(number):
            raise SourceError(f"file {name!r}, article {number!r}: it is there twice; keep one")
        if article_sort_key(before) > article_sort_key(number):
            raise SourceError(
                f"file {name!r}, article {number!r}: it stands behind {before!r}; put articles in the act's own order"
            )


def _check_coverage(name: str, file: ActFile) -> None:
    """Coverage decides which citations are called invented, so it must hold the articles and nothing unheard of."""
    numbers = {entry.number for entry in file.articles}
    spans: list[tuple[str, str]] = []
    for span in file.coverage:
        first, _, last = span.partition(_RANGE)
        for end in (first, last or first):
            if end not in numbers:
                raise SourceError(f"file {name!r}, coverage {span!r}: {end!r} is not in the file; correct the range")
        spans.append((article_sort_key(first), article_sort_key(last or first)))
    for entry in file.articles:
        if not any(first <= article_sort_key(entry.number) <= last for first, last in spans):
            raise SourceError(f"file {name!r}, article {entry.number!r}: no range of 'coverage' holds it; add it there")
