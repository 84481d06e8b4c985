"""Reads JSON with a list of provisions, one an article (the Ukrainian corpus).

The source flattened raised figures into « -1» («статті 132 -2», «4 -1 )»), left the headings of the next chapter at
the end of an article, and the transition provisions at the end of the last one. The first are written as Ukrainian law
cites them (132-2, 4-1), the second go to the path of what follows, the third are reported.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from loaders.statutes._lines import Line, clean_spaces
from loaders.statutes._structure import ArticleLines, Cut, Piece, piece_of
from service.errors import SourceError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_provisions"]

_TITLE = re.compile(
    r"[СC]таття\s+(?P<number>\d+(?:-\d+)*)\s*\.?\s*(?P<more>(?:-\d+)+)?\s*\.?\s*(?P<rest>.*)", re.DOTALL
)
_RAISED = re.compile(r"(?<=\d) -(?=\d)")
# A link's end left a blank before a comma: «Частини четверта , сьома».
_LINK_END = re.compile(r"(?<=\w) (?=[,;])")
_RAISED_END = re.compile(r"(?<=\d)(-\d{1,3}) (?=[).,;:])")
_NUMBERED = r"(?:[IVXLCІХ]+|\d+|перш|друг|трет|четв|п['’]ят|шост|сьом)"
_HEADINGS = (
    re.compile(rf"(?:книга|частина)\s+{_NUMBERED}[\w\-]*\.?(?:\s|$)", re.IGNORECASE),
    re.compile(rf"розділ\s+{_NUMBERED}[\w\- ]{{0,8}}\.?(?:\s|$)", re.IGNORECASE),
    re.compile(rf"підрозділ\s+{_NUMBERED}[\w\-]*\.?(?:\s|$)", re.IGNORECASE),
    re.compile(rf"глава\s+{_NUMBERED}[\w\-]*\.?(?:\s|$)", re.IGNORECASE),
    re.compile(rf"(?:параграф|§)\s*{_NUMBERED}[\w\-]*\.?(?:\s|$)", re.IGNORECASE),
)
_LONGEST_HEADING = 400
_FIRST = re.compile(r"1\.\s")
_CLOSING = re.compile(r"(?:ПРИКІНЦЕВІ|ПЕРЕХІДНІ|Прикінцеві та перехідні положення|Прикінцеві положення)\b")
_SIGNED = re.compile(
    r"(?:Президент України|Голова (?:Верховної|Президії)|Заступник Голови Президії|[А-ЯІЇЄҐ]\.\s?[А-ЯІЇЄҐ'’]+$|\*\*\*$)"
)
_GONE = re.compile(r"\{?\s*[CС]татт[юя][\s\d\-]{1,20}(?:виключено|втратила)", re.IGNORECASE)
_BRACES = re.compile(r"\{[^{}]{1,2000}\}")


def read_provisions(path: Path, *, titled: bool) -> Cut:
    """Read the articles of a file.

    Args:
        path: The file.
        titled: Whether articles have titles; in an act without (a constitution) what the source calls a title is the
            first paragraph.

    Raises:
        SourceError: The file is no JSON, or has no provisions with number, title and content.
    """
    provisions = _provisions(path)
    out = Cut()
    headings: list[tuple[int, str]] = []
    for place, entry in enumerate(provisions):
        title, content = (_mended(str(entry.get(name) or "")) for name in ("title", "content"))
        found = _TITLE.match(title)
        if found is None:
            raise SourceError(
                f"provision {place + 1} of {path.name!r} has the title {title[:60]!r}, which names no article; "
                f"write «Стаття N. …»"
            )
        rest = found["rest"].strip()
        article = ArticleLines(found["number"] + (found["more"] or ""), "", tuple(name for _, name in headings), ())
        gone = rest if _GONE.match(rest) else ""
        lines, following, left_out = _cut_tail(content.split("\n"))
        if gone:
            lines = [gone]
        elif titled:
            article.rest = rest
        else:
            lines.insert(0, rest)
        if place == len(provisions) - 1:
            end = _restart(lines)
            left_out, lines = [*lines[end:], *left_out], lines[:end]
        article.body.extend(_piece(line, all_note=bool(gone)) for line in lines if line.strip())
        out.articles.append(article)
        for level, name in following:
            headings = [*(one for one in headings if one[0] < level), (level, name)]
        if left_out:
            what = f"{len(left_out)} lines ({sum(map(len, left_out))} characters) behind article {article.number}"
            out.skipped.append((what, f"«{left_out[0][:60]}» and what follows is no article"))
    _drop_replaced(out)
    return out


def _provisions(path: Path) -> list[dict[str, Any]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, UnicodeDecodeError) as error:
        raise SourceError(f"file {path.name!r} is not JSON in UTF-8 ({error}); fetch it again") from None
    provisions = data.get("provisions") if isinstance(data, dict) else None
    if not isinstance(provisions, list) or not provisions or not all(isinstance(entry, dict) for entry in provisions):
        raise SourceError(
            f"file {path.name!r} has no list 'provisions' of objects with 'title' and 'content'; correct it"
        )
    return provisions


def _mended(text: str) -> str:
    text = _RAISED_END.sub(r"\1", _RAISED.sub("-", text.replace("\u00a0", " ")))
    text = _LINK_END.sub("", text)
    return "\n".join(clean_spaces(line) for line in text.split("\n"))


def _cut_tail(lines: list[str]) -> tuple[list[str], list[tuple[int, str]], list[str]]:
    """Split an article's lines from the headings behind it, and from closing provisions and signatures."""
    lines = [line for line in lines if line]
    end = next((at for at, line in enumerate(lines) if at and (_level(line) is not None or _signed(line))), len(lines))
    tail, headings = lines[end:], []
    for line in tail:
        level = _level(line)
        if level is not None:
            headings.append((level, line))
        elif headings and len(line) <= _LONGEST_HEADING and not line.endswith((";", ":")) and len(tail) <= 12:
            above, name = headings[-1]
            headings[-1] = (above, f"{name.rstrip('.')}. {line}" if _short(name) else f"{name} {line}")
        else:
            return lines[:end], headings if len(tail) <= 12 else [], tail
    return lines[:end], headings, []


def _restart(lines: list[str]) -> int:
    """Return where the last article ends: its counting cannot begin again, or behind a full stop."""
    counted = False
    for place, line in enumerate(lines):
        if _FIRST.match(line) and place and (counted or lines[place - 1].endswith(".")):
            return place
        counted = counted or _FIRST.match(line) is not None
    return len(lines)


def _level(line: str) -> int | None:
    if len(line) > _LONGEST_HEADING:
        return None
    if _CLOSING.match(line):
        return 1
    return next((level for level, pattern in enumerate(_HEADINGS) if pattern.match(line)), None)


def _signed(line: str) -> bool:
    return len(line) < 60 and _SIGNED.match(line) is not None


def _short(name: str) -> bool:
    return len(name.split()) <= 2


def _piece(line: str, *, all_note: bool) -> Piece:
    marked = ((0, len(line)),) if all_note else tuple((found.start(), found.end()) for found in _BRACES.finditer(line))
    return piece_of(Line(line, marked=marked))


def _drop_replaced(out: Cut) -> None:
    """Where a repealed article and a living one have the same number, the living one stands."""
    living = {article.number for article in out.articles if any(piece.text for piece in article.body)}
    seen: set[str] = set()
    kept = []
    for article in out.articles:
        empty = not any(piece.text for piece in article.body)
        if empty and (article.number in living or article.number in seen):
            out.skipped.append((f"repealed article {article.number}", "another article of that number is in force"))
            continue
        seen.add(article.number)
        kept.append(article)
    out.articles = kept
