"""A table once, written as CSV, Markdown, LaTeX or HTML."""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import dataclass

from service.analysis import Interval

__all__ = ["Cell", "Field", "Table", "latex_text", "markdown_text"]

Cell = str | int | float | Interval | None
"""None is "not applicable": empty in CSV, a dash elsewhere, never a zero. An interval is three columns in CSV."""

_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TEX_SPECIAL = re.compile("|".join(re.escape(mark) for mark in _TEX))


@dataclass(frozen=True, slots=True)
class Field:
    """A column.

    Attributes:
        name: Its name in CSV.
        label: Its heading elsewhere; the name where empty.
        digits: Digits after the point that numbers are rounded to; None leaves them alone.
        interval: Whether its cells are intervals.
    """

    name: str
    label: str = ""
    digits: int | None = None
    interval: bool = False

    @property
    def heading(self) -> str:
        """What stands above the column."""
        return self.label or self.name

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns in CSV."""
        return (self.name, f"{self.name}_low", f"{self.name}_high") if self.interval else (self.name,)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns.

    Attributes:
        key: Its name in file names and links.
        title: What it shows.
        fields: Its columns.
        rows: A cell a column.
        notes: What a reader must know, a sentence each.
    """

    key: str
    title: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def csv(self) -> str:
        """Return the table as CSV: line feeds, numbers as Python writes them once rounded, empty for not applicable."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([name for field in self.fields for name in field.columns])
        for row in self.rows:
            pairs = zip(row, self.fields, strict=True)
            writer.writerow([plain for cell, field in pairs for plain in _plain(cell, field)])
        return out.getvalue()

    def markdown(self) -> str:
        """Return the table as Markdown, notes below."""
        lines = [
            "| " + " | ".join(markdown_text(field.heading) for field in self.fields) + " |",
            "|" + "|".join("---:" if self._numeric(place) else "---" for place in range(len(self.fields))) + "|",
        ]
        lines += ["| " + " | ".join(markdown_text(cell) for cell in self._shown(row)) + " |" for row in self.rows]
        return "\n".join([*lines, "", *(f"*{markdown_text(note)}*\n" for note in self.notes)])

    def latex(self) -> str:
        """Return the table as LaTeX for the package booktabs."""
        columns = "".join("r" if self._numeric(place) else "l" for place in range(len(self.fields)))
        head = " & ".join(latex_text(field.heading) for field in self.fields) + r" \\"
        body = [" & ".join(latex_text(cell) for cell in self._shown(row)) + r" \\" for row in self.rows]
        notes = [rf"\par\smallskip\footnotesize {latex_text(note)}" for note in self.notes]
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{latex_text(self.title)}}}",
                rf"\label{{tab:{self.key.replace('_', '-')}}}",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                head,
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                *notes,
                r"\end{table}",
                "",
            ]
        )

    def html(self) -> str:
        """Return the table as HTML, notes below."""
        kinds = [' class="n"' if self._numeric(place) else "" for place in range(len(self.fields))]
        head = "".join(
            f"<th scope=col{kind}>{html.escape(f.heading)}</th>" for kind, f in zip(kinds, self.fields, strict=True)
        )
        body = "\n".join(
            "<tr>"
            + "".join(f"<td{kind}>{html.escape(cell)}</td>" for kind, cell in zip(kinds, self._shown(row), strict=True))
            + "</tr>"
            for row in self.rows
        )
        notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in self.notes)
        return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n{notes}"

    def _numeric(self, place: int) -> bool:
        cells = [row[place] for row in self.rows if row[place] is not None]
        return bool(cells) and not any(isinstance(cell, str) for cell in cells)

    def _shown(self, row: tuple[Cell, ...]) -> list[str]:
        return [_shown(cell, field) for cell, field in zip(row, self.fields, strict=True)]


def _plain(cell: Cell, field: Field) -> list[str | int | float | None]:
    if field.interval:
        if not isinstance(cell, Interval):
            return [None, None, None]
        bounds = (cell.low, cell.high) if cell.n > 1 else (None, None)
        return [value if value is None else _rounded(value, field) for value in (cell.value, *bounds)]
    if isinstance(cell, Interval):
        raise TypeError(f"column {field.name!r} is not one of intervals")
    return [_rounded(cell, field) if isinstance(cell, float) else cell]


def _rounded(value: float, field: Field) -> float:
    return value if field.digits is None else round(value, field.digits)


def _shown(cell: Cell, field: Field) -> str:
    if cell is None:
        return "—"
    if isinstance(cell, Interval):
        if cell.n < 2:  # one value has no interval
            return _number(cell.value, field)
        return f"{_number(cell.value, field)} [{_number(cell.low, field)}, {_number(cell.high, field)}]"
    return _number(cell, field) if isinstance(cell, float) else str(cell)


def _number(value: float, field: Field) -> str:
    digits = 4 if field.digits is None else field.digits
    return f"{value:.{digits}f}".replace("-", "−")


def markdown_text(text: str) -> str:
    """Return a text with what Markdown takes for marks escaped."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "\\<").replace("\n", " ")


def latex_text(text: str) -> str:
    """Return a text with what LaTeX takes for commands escaped."""
    return _TEX_SPECIAL.sub(lambda match: _TEX[match.group()], text).replace("−", "$-$").replace("—", "--")
