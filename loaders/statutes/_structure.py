"""Cuts the lines of a source into articles with the headings above them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from loaders.statutes._lines import Line, LineStyle
from loaders.statutes._notes import Action, Unit, changes_in, joined_notes, note_stretches
from loaders.statutes._numbers import article_heading, is_bare, named_articles, stands_alone, structural_level

__all__ = ["ArticleLines", "Cut", "Piece", "cut", "piece_of"]

_SIGNATURE = re.compile(r"(?:Исполняющ\w+\s+обязанности\s+)?(?:Президент|Глава\s+государства)(?:\s|$)", re.IGNORECASE)
_APPENDIX = re.compile(r"(?:Приложение|ПРИЛОЖЕНИЕ)(?:\s*(?:№|N)?\s*\d+)?(?:\s|$)")
_DEEPEST = 5
_LONGEST_HEADING = 300
_SIGNATURE_LINES = 12
_SIGNATURE_CHARS = 120
_REPEALED_HEADING = re.compile(r"утратил|исключен|тратил", re.IGNORECASE)
# A line that says of whole articles that they are gone, whatever its style: «Статьи 31–33. (Утратили силу …)».
_GONE_LINE = re.compile(
    r"(?P<named>\(?\s*Стать[ия]\s+\d[\d.,;\-–—и\s]*)(?P<rest>\(?\s*(?:[Уу]тратил\w*\s+силу|[Ии]сключен\w*)\b|$)"
)
_UNSET_HEADING = re.compile(r"Статья\s+\d+(?:[.\-]\d+)*\.\s+[А-ЯЁ]")
_RULE = re.compile(r"[\s_*\-–—=.]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A line taken apart: the words of the law, and the notes that stood in them.

    Attributes:
        notes: (offset in ``text``, note).
    """

    text: str
    notes: tuple[tuple[int, str], ...] = ()
    editorial: bool = False


@dataclass(slots=True)
class ArticleLines:
    """An article before it is built.

    Attributes:
        number: As written, superscripts with a dot.
        rest: What stands behind the number: a title, or what became of the article.
        above: Notes about the headings above it: (heading, note).
        head: Notes between the heading and the text.
        body: Text and notes, in order.
    """

    number: str
    rest: str
    path: tuple[str, ...]
    above: tuple[tuple[str, str], ...]
    head: list[Piece] = field(default_factory=list)
    body: list[Piece] = field(default_factory=list)
    images: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Cut:
    """What a file holds.

    Attributes:
        titles: Heading-like lines before the first article or part, where an act's title stands.
        gone: Articles that the source names as repealed in a heading of several.
        skipped: (what, why) of every text that belongs to no article.
    """

    articles: list[ArticleLines] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Heading:
    level: int
    text: str
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Loose:
    """Text met outside any article, gathered until something else begins."""

    where: str
    lines: int = 0
    chars: int = 0


class _Cutter:
    def __init__(self, *, plain_headings: bool) -> None:
        self.out = Cut()
        self._plain = plain_headings
        self._path: list[_Heading] = []
        self._article: ArticleLines | None = None
        self._pending: list[Piece] = []
        self._loose = _Loose("before the first heading")
        self._last = "start"
        self._blank_before = False
        self._repealed_above: str | None = None

    def take(self, line: Line) -> None:
        if not line.text and not line.images:
            self._blank_before = True
            return
        piece = piece_of(line)
        styled = line.style in (LineStyle.HEADING, LineStyle.CENTRED)
        heading = bool(piece.text) and (styled or (self._plain and _is_plain_heading(piece.text)))
        unset = line.style is LineStyle.BODY or (styled and not piece.text)
        if unset and (gone := _gone_line(piece)) is not None:
            line, piece, heading = replace(line, style=LineStyle.HEADING), gone, True
        if line.style is LineStyle.BOX:
            self._pending.append(Piece("", tuple((0, note) for _, note in piece.notes) or ((0, piece.text),), True))
        elif self._take_article(line, piece) or (heading and self._take_heading(line, piece)):
            pass
        else:
            self._take_text(line, piece)
        if line.style is not LineStyle.BOX:
            self._blank_before = False

    def close(self) -> None:
        self._flush_pending()
        self._flush_loose()

    # The three things that a line can be.

    def _take_article(self, line: Line, piece: Piece) -> bool:
        if line.style not in (LineStyle.HEADING, LineStyle.CENTRED) and not self._plain:
            return False
        heading = article_heading(piece.text)
        if heading is None or (line.style is LineStyle.BODY and not stands_alone(piece.text)):
            return False
        self._flush_loose()
        self._name_repealed_above(heading.number)
        above = tuple((part.text, note) for part in self._path for note in part.notes)
        path = tuple(part.text for part in self._path)
        self._article = ArticleLines(heading.number, heading.rest, path, above)
        self._article.head.extend(self._pending)
        self._pending.clear()
        if piece.notes:
            self._article.head.append(Piece("", piece.notes))
        self.out.articles.append(self._article)
        self._last = "article"
        return True

    def _take_heading(self, line: Line, piece: Piece) -> bool:
        text = piece.text
        level = structural_level(text)
        named = named_articles(text)
        if level == _DEEPEST and (line.style is LineStyle.CENTRED or text.endswith((".", ";", ":"))):
            # A formula, or a paragraph that is set in bold.
            level = None
        if level is None and named:
            self._flush_pending()
            self._flush_loose()
            self._name_gone(text, named)
            self._article = None
            self._last = "gone"
            return True
        if level is None:
            return self._take_title(line, piece)
        self._flush_pending()
        self._flush_loose()
        while self._path and self._path[-1].level >= level:
            self._path.pop()
        self._path.append(_Heading(level, text, [note for _, note in piece.notes]))
        self._name_gone(text, named)
        if _was_repealed(text, self._path[-1].notes):
            self._repealed_above = text
        self._article = None
        self._loose = _Loose(f"under «{text}»")
        self._last = "heading"
        return True

    def _take_title(self, line: Line, piece: Piece) -> bool:
        """A heading-like line that opens nothing: a name that goes on, or the act's own title."""
        notes = [note for _, note in piece.notes]
        if self._last == "heading" and (is_bare(self._path[-1].text) or not self._blank_before):
            top = self._path[-1]
            top.text = f"{top.text.rstrip('.')}. {piece.text}" if is_bare(top.text) else f"{top.text} {piece.text}"
            top.notes.extend(notes)
            self._loose.where = f"under «{top.text}»"
            return True
        if (
            self._last == "article"
            and self._article is not None
            and piece.text
            and (not self._blank_before or (not self._article.rest and line.style is LineStyle.HEADING))
        ):
            self._article.rest = f"{self._article.rest} {piece.text}".strip()
            self._article.head.append(Piece("", piece.notes))
            return True
        if not self.out.articles and not self._path:
            self.out.titles.append(piece.text)
            return True
        if line.style is LineStyle.HEADING and self._article is not None:
            self.out.skipped.append(
                (f"heading «{_short(piece.text)}» in article {self._article.number}", "taken as text: it opens nothing")
            )
        return False

    def _take_text(self, line: Line, piece: Piece) -> None:
        only_notes = not piece.text or _RULE.fullmatch(piece.text)
        if self._article is None:
            if only_notes:
                self._note_above(piece)
            elif _RULE.fullmatch(piece.text) is None:
                self._loose.lines += 1
                self._loose.chars += len(piece.text)
            if not only_notes:
                self._last = "text"
            return
        if only_notes:
            piece = Piece("", tuple((0, note) for _, note in piece.notes))
        if _UNSET_HEADING.match(piece.text) and len(piece.text) <= _LONGEST_HEADING and piece.text[-1] not in ".;:,":
            self.out.skipped.append(
                (f"«{_short(piece.text)}» in article {self._article.number}", "taken as text: not set as a heading")
            )
        self._article.images.extend(name for _, name in line.images)
        if self._last == "article" and only_notes and not line.images:
            self._article.head.append(piece)
            return
        self._article.body.extend(self._pending)
        self._pending.clear()
        self._article.body.append(piece)
        self._last = "text"

    # Helpers.

    def _name_gone(self, text: str, named: list[str]) -> None:
        if named:
            self.out.gone.extend(named)
            self.out.skipped.append((f"«{_short(text)}»", f"names {', '.join(named)} without a heading of their own"))

    def _name_repealed_above(self, number: str) -> None:
        """Articles of a repealed chapter that the source leaves out altogether are those between its neighbours'."""
        above, self._repealed_above = self._repealed_above, None
        if above is None or not self.out.articles:
            return
        # Gone ones that a heading names stand between as well.
        before = max(_whole(known) for known in (self.out.articles[-1].number, *self.out.gone[-1:]))
        missing = [str(whole) for whole in range(before + 1, _whole(number))]
        if missing:
            self.out.gone.extend(missing)
            self.out.skipped.append(
                (f"«{_short(above)}»", f"repealed with articles {missing[0]}–{missing[-1]}, of which no line is left")
            )

    def _note_above(self, piece: Piece) -> None:
        if self._path and self._last == "heading":
            self._path[-1].notes.extend(note for _, note in piece.notes)
        elif piece.notes:
            for _, note in piece.notes:
                self.out.skipped.append((f"note «{_short(note)}»", "stands outside any article"))

    def _flush_pending(self) -> None:
        """Boxes that no article claimed belong to the one before, or are reported."""
        if self._article is not None:
            self._article.body.extend(self._pending)
        else:
            self.out.skipped.extend(
                (f"box «{_short(note)}»", "stands outside any article")
                for piece in self._pending
                for _, note in piece.notes
            )
        self._pending.clear()

    def _flush_loose(self) -> None:
        if self._loose.chars:
            what = f"{self._loose.lines} paragraphs ({self._loose.chars} characters) {self._loose.where}"
            self.out.skipped.append((what, "text outside any article"))
        self._loose = _Loose("between headings")


def cut(lines: list[Line]) -> Cut:
    """Return the articles of a file's lines, with what was left out and why."""
    lines = joined_notes(lines)
    body, footer, rest = _signed(lines)
    headed = any(line.style in (LineStyle.HEADING, LineStyle.CENTRED) and article_heading(line.text) for line in body)
    cutter = _Cutter(plain_headings=not headed)
    for place, line in enumerate(body):
        cutter.take(_raised_to_heading(body, place) if headed and line.style is LineStyle.BODY else line)
    cutter.close()
    out = cutter.out
    present = {article.number for article in out.articles}
    out.gone = [number for number in dict.fromkeys(out.gone) if number not in present]
    out.footer = [line.text for line in footer if line.text]
    if out.footer:
        out.skipped.append((f"«{_short(out.footer[0])}» and {len(out.footer) - 1} more lines", "the signature"))
    appended = [line.text for line in rest if line.text]
    if appended:
        out.skipped.append(
            (
                f"«{_short(appended[0])}» and {len(appended) - 1} more lines ({sum(map(len, appended))} characters)",
                "stands behind the signature",
            )
        )
    return out


def _raised_to_heading(lines: list[Line], place: int) -> Line:
    """Return a line of body text as a heading when it can be nothing else.

    Now and then an article of an amending law was pasted without its class: «Статья 12.3. Название» alone between two
    blank lines, without a full stop.
    """
    line = lines[place]
    if not line.text.startswith(("С", "C")) or len(line.text) > _LONGEST_HEADING or line.text.endswith((".", ";", ":")):
        return line
    heading = article_heading(line.text)
    alone = place > 0 and not lines[place - 1].text and place + 1 < len(lines) and not lines[place + 1].text
    if heading is None or not alone or not heading.rest[:1].isupper():
        return line
    return replace(line, style=LineStyle.HEADING)


def _gone_line(piece: Piece) -> Piece | None:
    """Return a line that does nothing but say that whole articles are gone, as the heading that it stands for."""
    text, notes = piece.text, [note for _, note in piece.notes]
    if not text and notes:
        text = notes[0]
    found = _GONE_LINE.match(text)
    if found is None:
        return None
    said = bool(found["rest"]) or any(_REPEALED_HEADING.search(note) for note in notes)
    return Piece(found["named"].strip(" ("), ((0, " ".join((text, *notes)) if piece.text else text),)) if said else None


def _was_repealed(heading: str, notes: list[str]) -> bool:
    """Whether a heading above articles says that all below it was repealed."""
    if re.search(r"\(?\s*утратил[аи]?\s+силу|исключен[аы]?\b", heading, re.IGNORECASE):
        return True
    return any(
        change.action is Action.REPEALED and change.unit in (None, Unit.ABOVE)
        for note in notes
        for change in changes_in(note)
    )


def _whole(number: str) -> int:
    return int(re.match(r"\d+", number)[0])  # type: ignore[index]


def _is_plain_heading(text: str) -> bool:
    """Whether a line of a file without any style is a heading above articles."""
    level = structural_level(text)
    return level is not None and level < _DEEPEST and len(text) <= _LONGEST_HEADING and text[-1] not in ".;:,"


def _signed(lines: list[Line]) -> tuple[list[Line], list[Line], list[Line]]:
    """Split off the signature and what stands behind it (appendices)."""
    for place, line in enumerate(lines):
        if (
            not _SIGNATURE.match(line.text)
            or len(line.text) > _SIGNATURE_CHARS
            or line.text.endswith((";", ":", ",", "."))
        ):
            continue
        after = [later for later in lines[place + 1 :] if later.text]
        end = next((at for at, later in enumerate(after) if _APPENDIX.match(later.text)), len(after))
        if end <= _SIGNATURE_LINES and all(len(later.text) <= _SIGNATURE_CHARS for later in after[:end]):
            return lines[:place], [line, *after[:end]], after[end:]
    return lines, [], []


def piece_of(line: Line) -> Piece:
    """Take the notes out of a line; a blank that only held a note apart goes with it."""
    stretches = note_stretches(line)
    marks = [*((at, at, _image_note(name)) for at, name in line.images)]
    marks += [(at, at, text) for at, text in line.footnotes]
    marks += [(start, end, line.text[start:end].strip()) for start, end in stretches]
    if not marks:
        return Piece(line.text)
    text, at = "", 0
    notes: list[tuple[int, str]] = []
    for start, end, note in sorted(marks):
        text += line.text[at : max(at, start)]
        if note:
            notes.append((len(text), note))
        at = max(at, end)
        if start < end and (text.endswith(" ") or not text) and line.text[at : at + 1] == " ":
            at += 1
        if start < end and text.endswith(" ") and line.text[at : at + 1] in (".", ",", ";", ":", ")"):
            text = text.rstrip()
            notes = [(min(place, len(text)), other) for place, other in notes]
    text = (text + line.text[at:]).rstrip()
    lead = len(text) - len(text.lstrip())
    return Piece(text.lstrip(), tuple((max(0, min(at - lead, len(text) - lead)), note) for at, note in notes))


def _image_note(name: str) -> str:
    return f"[изображение: {name.rsplit('/', 1)[-1][:80]}]"


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
