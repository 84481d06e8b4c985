"""The report as one page: Markdown, LaTeX, and HTML that needs no other file."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from service.reports.labels import ReportLanguage, label
from service.reports.model import Source
from service.reports.tables import Table, latex_text, markdown_text

__all__ = ["Content", "html_page", "latex", "markdown"]

_FIGURE_OF: Final = {
    "leaderboard": ("leaderboard", "radar"),
    "ranks": ("ranks",),
    "quadrants": ("quadrants", "errors"),
    "slices": ("gap",),
    "sensitivity": ("weights",),
}
"""Figures that stand under a table."""

_TITLE_OF: Final = {
    "leaderboard": "leaderboard_title",
    "radar": "radar_title",
    "ranks": "ranks_title",
    "quadrants": "quadrants_title",
    "gap": "gaps_title",
    "weights": "weights_title",
    "errors": "errors_title",
}

_LONG: Final = 60
"""A table of more rows is folded on the page and left to its CSV elsewhere."""

_STYLE: Final = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .82rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: left; white-space: nowrap; }
thead th { border-bottom: 2px solid #444; border-top: 2px solid #444; }
tbody tr:last-child td { border-bottom: 2px solid #444; }
tbody tr:nth-child(even) { background: #f4f4f4; }
.n { text-align: right; } .note { font-size: .85rem; color: #444; }
.remark { border-left: 4px solid #d55e00; padding: .2rem .8rem; }
img { max-width: 100%; height: auto; } figure { margin: 1.5rem 0; }
footer { font-size: .8rem; color: #444; margin-top: 3rem; }
code { overflow-wrap: anywhere; }
"""


@dataclass(frozen=True, slots=True)
class Content:
    """What a page shows.

    Attributes:
        title: Its heading.
        remarks: What a reader must know before any figure.
        tables: Its tables, in order.
        figures: SVG by name.
        notes: What cannot be shown and why.
        sources: What it rests on.
        versions: Version of each program that made it.
    """

    title: str
    remarks: tuple[str, ...]
    tables: tuple[Table, ...]
    figures: Mapping[str, bytes]
    notes: tuple[str, ...]
    sources: tuple[Source, ...]
    versions: Mapping[str, str]

    def figures_of(self, table: Table) -> list[str]:
        """Return the names of the figures that stand under a table."""
        return [name for name in _FIGURE_OF.get(table.key, ()) if name in self.figures]


def _caption(name: str, language: ReportLanguage) -> str:
    return label(_TITLE_OF.get(name, name), language)


def markdown(content: Content, language: ReportLanguage) -> str:
    """Return the page as Markdown; figures and long tables by their relative paths."""
    parts = [f"# {markdown_text(content.title)}\n"]
    if content.remarks:
        parts.append("\n".join(f"- **{markdown_text(remark)}**" for remark in content.remarks) + "\n")
    for table in content.tables:
        parts.append(f"## {table.title}\n")
        if len(table.rows) > _LONG:
            parts += [f"{len(table.rows)} rows in [tables/{table.key}.csv](tables/{table.key}.csv).\n"]
            parts += [f"*{markdown_text(note)}*\n" for note in table.notes]
        else:
            parts.append(table.markdown() if table.rows else "\n".join(f"{note}\n" for note in table.notes))
        parts += [f"![{_caption(name, language)}](figures/{name}.svg)\n" for name in content.figures_of(table)]
    if content.notes:
        parts += ["## Not applicable\n", "\n".join(f"- {note}" for note in content.notes) + "\n"]
    parts += [
        "## Sources\n",
        "\n".join(f"- {markdown_text(source.name)}, sha256 `{source.sha256}`" for source in content.sources) + "\n",
    ]
    parts.append("Made by " + ", ".join(f"{name} {version}" for name, version in content.versions.items()) + ".\n")
    return "\n".join(parts)


def latex(content: Content, language: ReportLanguage) -> str:
    """Return tables and figures to be included in a document that loads booktabs and graphicx."""
    parts = [
        f"% {content.title}: \\input this file from a document that has \\usepackage{{booktabs,graphicx}}, Unicode input",
        "% and a font with Cyrillic and Greek (XeLaTeX or LuaLaTeX). Wide tables may want \\resizebox or landscape.",
        "",
    ]
    if content.remarks:
        items = "\n".join(f"\\item {latex_text(remark)}" for remark in content.remarks)
        parts.append(f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}\n")
    for table in content.tables:
        if len(table.rows) > _LONG:
            parts.append(f"% {table.title}: {len(table.rows)} rows, see tables/{table.key}.csv\n")
        elif table.rows:
            parts.append(table.latex())
        else:
            parts += [f"% {table.title}: {note}\n" for note in table.notes]
        for name in content.figures_of(table):
            caption = latex_text(_caption(name, language))
            parts.append(
                "\\begin{figure}\n\\centering\n"
                f"\\includegraphics[width=\\linewidth]{{figures/{name}.png}}\n"
                f"\\caption{{{caption}}}\n\\label{{fig:{name}}}\n\\end{{figure}}\n"
            )
    return "\n".join(parts)


def html_page(content: Content, language: ReportLanguage) -> str:
    """Return one HTML page with its figures inside, so that it can be sent around as a single file."""
    parts = [
        "<!doctype html>",
        f'<html lang="{language}">',
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(content.title)}</title><style>{_STYLE}</style></head>",
        f"<body><h1>{html.escape(content.title)}</h1>",
        "".join(f"<p class=remark>{html.escape(remark)}</p>" for remark in content.remarks),
        "<nav><ul>"
        + "".join(f'<li><a href="#{t.key}">{html.escape(t.title)}</a>' for t in content.tables)
        + "</ul></nav>",
    ]
    for table in content.tables:
        body = table.html() if table.rows else "".join(f"<p>{html.escape(note)}</p>" for note in table.notes)
        if len(table.rows) > _LONG:
            body = f"<details><summary>{len(table.rows)} rows</summary>{body}</details>"
        parts.append(f'<section id="{table.key}"><h2>{html.escape(table.title)}</h2><div class="scroll">{body}</div>')
        for name in content.figures_of(table):
            caption = html.escape(_caption(name, language))
            data = base64.b64encode(content.figures[name]).decode()
            image = f'<img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
            parts.append(f"<figure>{image}<figcaption>{caption}</figcaption></figure>")
        parts.append("</section>")
    if content.notes:
        items = "".join(f"<li>{html.escape(note)}" for note in content.notes)
        parts.append(f"<section><h2>Not applicable</h2><ul>{items}</ul></section>")
    items = "".join(f"<li>{html.escape(s.name)}, sha256 <code>{html.escape(s.sha256)}</code>" for s in content.sources)
    made = ", ".join(f"{name} {version}" for name, version in content.versions.items())
    parts += [
        f"<footer><h2>Sources</h2><ul>{items}</ul><p>Made by {html.escape(made)}.</p></footer>",
        "</body></html>",
        "",
    ]
    return "\n".join(parts)
