"""Small files in the mark-up of the real sources, with words of our own."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HEAD = '<!DOCTYPE html>\n<html lang="ru"><head><meta charset="utf-8"><title>Complex</title></head>\n<body>\n'
TAIL = "\n</body>\n</html>\n"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def page(*lines: str) -> str:
    """A page of the portal whose paragraphs are ``lines``; «H|…» sets the class of one."""
    out = []
    for line in lines:
        kind, bar, text = line.partition("|")
        if bar and (not kind or kind in ("H", "T", "C", "I", "P", "S", "N")):
            out.append(f'<p class="{kind}">{text}</p>' if kind else f"<p>{text}</p>")
        else:
            out.append(line if line.startswith(("<table", "<div")) else f"<p>{line}</p>")
    return HEAD + "\n".join(out) + TAIL


def mark(text: str) -> str:
    """A note as the portal marks it, the law's number a link."""
    return f'<span class="mark" style="">{text}</span>'


def law(date: str, number: str) -> str:
    """The link to an amending law."""
    return f'<span class="cmd"></span><a class="doclink" href="?nd=1">от&nbsp;{date}&nbsp;№&nbsp;{number}</a>'


def up(text: str) -> str:
    """A raised figure in the portal's mark-up."""
    return f'<span class="W9" style="">{text}</span>'


def folder(path: Path, manifest: str, **files: str | bytes) -> Path:
    """A folder with a manifest and files; ``a_html`` becomes ``a.html``."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "manifest.yaml").write_text(manifest, encoding="utf-8")
    for name, text in files.items():
        file = path / name.replace("_", ".")
        file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def docx(path: Path, body: str, **parts: str) -> Path:
    """A .docx whose body is ``body`` (WordprocessingML with the prefix w)."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        for name, text in parts.items():
            archive.writestr(f"word/{name}.xml", text.replace("<w:", "<w:", 1))
    return path


def run(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def para(*runs: str, style: str = "ConsPlusNormal", more: str = "") -> str:
    """A paragraph of runs, or of plain words."""
    inner = "".join(part if part.startswith("<") else run(part) for part in runs)
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{more}</w:pPr>{inner}</w:p>'
