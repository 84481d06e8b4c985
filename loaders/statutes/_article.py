"""Builds an article from its lines: text with offsets, units, notes apart, amendments, what became of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loaders.statutes._dates import DATE, iso_date
from loaders.statutes._notes import Action, Change, changes_in, entry_date, is_editorial
from loaders.statutes._notes import Unit as Named
from loaders.statutes._units import Numbered, Unit, UnitText, enumerator, units_of
from service.domain import Amendment, Article, DateBasis, Note, Paragraph

if TYPE_CHECKING:
    from loaders.statutes._structure import ArticleLines, Piece

__all__ = ["Built", "build_article"]

_GONE = re.compile(
    r"[({]?\s*(?:(?:(?:Статья\s+)?утратил[аио]?\s+(?:свою\s+)?силу|(?:Статья\s+)?исключен[аыо]?)\b"
    r"|[СC]татт[юя][\s\d\-]{1,20}(?:виключено|втратила\s+чинність))",
    re.IGNORECASE,
)
# «2 - 3. Утратили силу с 1 июля 2015 года. - Федеральный закон от 12.03.2014 N 33-ФЗ.» is no longer law but a note.
_GONE_WORDS = re.compile(
    rf"(?:утратил[аио]?\s+силу|исключен[аыо]?)(?:\s+с\s+{DATE})?\s*\.?\s*[-–—]\s*(?:Федеральн|Закон|Указ)",
    re.IGNORECASE,
)
_UNIT_TOKEN = re.compile(
    r"(?:\d+(?:[.\-]\d+)*|[а-яё](?:\.\d+)?|примечани[ея]|част[ьи]|абзац[ыа-я]*|пункт[ыа-я]*|подпункт[ыа-я]*|"
    r"(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|восьм|девят|десят)[а-яё]+(?:\.\d+)?)?[.,)\-–—]*",
    re.IGNORECASE,
)
_LONGEST_UNITS = 80
_FROM = re.compile(rf"утратил[аио]?\s+(?:свою\s+)?силу\s+с\s+(?P<date>{DATE})", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"(?P<part>часть)|(?:абзац|пункт|подпункт|предложение|примечани[ея])", re.IGNORECASE)
_NAMES_FIRST = re.compile(r"[\s(]*(?P<what>часть|абзац|пункт|подпункт|примечани[ея])\s*[.;:]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Built:
    """An article with what had to be left out of it: (what, why)."""

    article: Article
    skipped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Item:
    """A paragraph of the body before units are known; a gap has no words left, only notes."""

    text: str
    gap: bool
    part_gap: bool
    notes: tuple[tuple[int, str], ...]
    editorial: bool


def build_article(
    act: str, source: ArticleLines, *, numbered: Numbered, edition: str | None, entry: str | None
) -> Built:
    """Build one article.

    Args:
        act: The act's key.
        source: The article's lines.
        numbered: What «1.» is called in this act.
        edition: The edition's name, where a corpus has several.
        entry: ISO date on which the article's act (or the file's part of it) entered into force, where stated.
    """
    title, notes, changes = _heading(source)
    items = [_item(piece) for piece in source.body]
    worded = [item for item in items if item.text and not item.gap]
    if len(worded) == 1 and _GONE.match(worded[0].text):
        # «Исключена поправкой …» alone in an article is what became of it, not its words.
        items = [_all_note(item) if item is worded[0] else item for item in items]
    units = units_of([UnitText(_shown(item), item.gap, item.part_gap) for item in items if _counts(item)], numbered)
    text, paragraphs, body_notes, body_changes = _body(items, units)
    notes += body_notes
    changes += body_changes
    changes += [
        (_above(heading), change)
        for heading, note in source.above
        for change in changes_in(note)
        if change.unit is not Named.TITLE and not (text and change.action is Action.REPEALED)
    ]
    repeal = _repeal(text, notes, changes)
    wording = [change.date for _, change in changes if change.action is not Action.REPEALED or change.unit in _PARTIAL]
    if repeal is None:
        wording = [change.date for _, change in changes]
    stated = next((day for note in notes if (day := entry_date(note.text, source.number))), None)
    valid_from, basis = _valid_from(stated, wording, entry, changed=bool(changes))
    gone_from = next((iso_date(found["date"]) for note in notes if (found := _FROM.search(note.text))), None)
    article = Article(
        act=act,
        number=source.number,
        title=title,
        path=source.path,
        text=text,
        paragraphs=tuple(paragraphs),
        edition=edition,
        notes=tuple(notes),
        amendments=tuple(dict.fromkeys(Amendment(part, change.law, change.date) for part, change in changes)),
        valid_from=valid_from,
        valid_from_basis=basis,
        valid_to=gone_from if repeal is not None else None,
        amended_on=max((change.date for _, change in changes), default=None),
        repealed=repeal is not None,
        repealed_by=repeal or None,
    )
    skipped = [
        (f"picture in article {source.number}: {name[:60]}", "kept as a note: a picture has no text")
        for name in source.images
    ]
    if damaged := (text + title).count("\ufffd"):
        skipped.append((f"{damaged} characters of article {source.number}", "damaged in the source, shown as �"))
    if not text and repeal is None:
        skipped.append((f"article {source.number}", "has a heading and no text, and nothing says that it was repealed"))
    return Built(article, tuple(skipped))


_PARTIAL = (Named.PART, Named.POINT, Named.SUBPOINT, Named.PARAGRAPH, Named.REMARK, Named.TITLE)


def _heading(source: ArticleLines) -> tuple[str, list[Note], list[tuple[str | None, Change]]]:
    title, notes = source.rest, []
    changes: list[tuple[str | None, Change]] = []
    if _GONE.match(title):
        notes.append(_note(title, 0))
        changes += [(None, change) for change in changes_in(title)]
        title = ""
    for piece in source.head:
        for _, text in piece.notes:
            note = Note("editorial", 0, text) if piece.editorial else _note(text, 0)
            notes.append(note)
            if note.kind == "amendment":
                changes += [(_named(change, Unit(), None), change) for change in changes_in(text)]
    return title, notes, changes


def _item(piece: Piece) -> _Item:
    if piece.editorial:
        return _Item("", False, False, piece.notes, True)
    text = piece.text
    if (gone := _gone_units(text)) is not None:
        return _Item(gone, True, False, ((0, text), *piece.notes), False)
    bare = enumerator(text)
    if piece.notes and bare is not None and text.rstrip(" .;") == bare.rstrip(" .;"):
        return _Item(bare, True, False, ((0, " ".join((text, *(note for _, note in piece.notes)))),), False)
    if piece.notes and (placeholder := _PLACEHOLDER.match(text)) and not text[placeholder.end() :].strip(" .;"):
        joined = " ".join((text, *(note for _, note in piece.notes)))
        return _Item("", True, placeholder["part"] is not None, ((0, joined),), False)
    return _Item(text, False, False, piece.notes, False) if text else _only_notes(piece)


def _only_notes(piece: Piece) -> _Item:
    """A line of notes alone: about the paragraph before it, or in place of one («Часть. (Утратила силу …)»)."""
    first = piece.notes[0][1] if piece.notes else ""
    if named := _NAMES_FIRST.match(first):
        return _Item("", True, named["what"].lower() == "часть", piece.notes, False)
    if (bare := enumerator(first.lstrip("( "))) is not None:
        return _Item(bare, True, False, piece.notes, False)
    return _Item("", False, False, piece.notes, False)


def _all_note(item: _Item) -> _Item:
    return _Item("", True, False, ((0, " ".join((item.text, *(note for _, note in item.notes)))),), False)


def _gone_units(text: str) -> str | None:
    """Return the units that a line says were repealed («2 - 3.», «Примечание.»), or None when it says no such thing."""
    found = _GONE_WORDS.search(text[: _LONGEST_UNITS + 80])
    if found is None or found.start() > _LONGEST_UNITS:
        return None
    units = text[: found.start()].split()
    if not all(_UNIT_TOKEN.fullmatch(token) for token in units):
        return None
    if units and units[0][-1].isalnum() and units[-1][-1] in ".)":
        units[0] += units[-1][-1]
    return " ".join(units)


def _counts(item: _Item) -> bool:
    return bool(item.text) or item.gap


def _shown(item: _Item) -> str:
    return item.text


def _body(
    items: list[_Item], units: list[Unit]
) -> tuple[str, list[Paragraph], list[Note], list[tuple[str | None, Change]]]:
    """Join the paragraphs and place the notes; a note on a line of its own belongs to the paragraph before it."""
    paragraphs: list[Paragraph] = []
    notes: list[Note] = []
    changes: list[tuple[str | None, Change]] = []
    texts: list[str] = []
    at = 0
    unit, ordinal = Unit(), 0
    following = iter(units)
    several = sum(bool(item.text) and not item.gap for item in items) > 1
    for item in items:
        start = at
        if _counts(item):
            previous, unit = unit, next(following)
            ordinal = ordinal + 1 if unit == previous else 1
        if item.text and not item.gap:
            start = at + 1 if texts else 0
            at = start + len(item.text)
            texts.append(item.text)
            paragraphs.append(Paragraph(start, at, unit.part, unit.point, unit.subpoint, unit.remark))
        for offset, note_text in item.notes:
            place = min(at, start + offset) if item.text and not item.gap else at
            note = Note("editorial", place, note_text) if item.editorial else _note(note_text, place)
            notes.append(note)
            if note.kind == "amendment":
                where = f"абзац {ordinal}" if several and unit == Unit() and ordinal else None
                changes += [(_named(change, unit, where), change) for change in changes_in(note_text)]
    return "\n".join(texts), paragraphs, notes, changes


def _note(text: str, at: int) -> Note:
    return Note("editorial" if is_editorial(text) else "amendment", at, text)


def _named(change: Change, unit: Unit, unnumbered: str | None) -> str | None:
    """Return the unit that a change was made to, in words: the note's own, found from where the note stands."""
    if change.unit in (Named.ARTICLE, Named.ABOVE):
        return None
    if change.unit is Named.TITLE:
        return "наименование"
    if change.unit is Named.REMARK or unit.remark:
        return f"примечание {unit.point}" if unit.remark and unit.point else "примечание"
    words = [
        f"{word} {number}"
        for word, number in (("часть", unit.part), ("пункт", unit.point), ("подпункт", unit.subpoint))
        if number is not None
    ]
    if change.unit is Named.PART:
        words = words[:1]
    elif change.unit is Named.POINT and unit.subpoint is not None:
        words = words[:-1]
    return ", ".join(words) or unnumbered


def _above(heading: str) -> str:
    """Name what stands above: «Глава 15.1. Конфискация» is «глава 15.1», «8. Кооперативы» is «подпараграф 8»."""
    if found := re.match(r"(?P<word>[^\W\d_]+|§)\s*(?P<number>[\dIVXLC]+(?:[.\-]\d+)*)", heading):
        return f"{found['word'].lower()} {found['number']}"
    if found := re.match(r"\d+(?:[.\-]\d+)*", heading):
        return f"подпараграф {found[0]}"
    return heading[:60]


def _repeal(text: str, notes: list[Note], changes: list[tuple[str | None, Change]]) -> str | None:
    """Return the law that repealed the article, "" when the source names none, or None when it is in force."""
    if text:
        return None
    laws = [change.source for _, change in changes if change.action is Action.REPEALED and change.unit not in _PARTIAL]
    if laws:
        return laws[-1]
    return "" if any(_GONE.match(note.text) for note in notes) else None


def _valid_from(
    stated: str | None, wording: list[str], entry: str | None, *, changed: bool
) -> tuple[str | None, DateBasis | None]:
    if stated is not None:
        return stated, DateBasis.STATED
    if wording:
        return max(wording), DateBasis.AMENDMENT
    if not changed and entry is not None:
        return entry, DateBasis.STATED
    return None, None
