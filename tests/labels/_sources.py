"""The excerpts that the labels stand on, cut out of the shared data at run time.

How a text is obtained, so that offsets mean the same to everybody:

* HTML of the Russian codes: one ``<p>`` is one paragraph. Tags are stripped, entities resolved, NBSP and every run of
  white space become one space, the ends are stripped. A superscript (a ``span`` whose class the page's style sheet
  raises) after a digit becomes ``.`` and its content (``12<sup>1</sup>``: ``12.1``); elsewhere its content alone
  (``д1``).
* КоАП's docx: one ``w:p`` is one paragraph, ``w:t`` joined, tabs and breaks are spaces, white space as above.
* Kazakhstan's Markdown: the body after the front matter, its anchors (tags) stripped, split at blank lines; white space
  as above.
* Ukrainian provisions and decisions: verbatim, a slice ``[start, end)`` of the provision's ``content`` or of the
  decision's text (in the plain text file: what follows its ``=== DOC`` line). Nothing is changed.
"""

from __future__ import annotations

import html
import json
import re
import zipfile
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["excerpt"]

_STYLE_RULE = re.compile(r"\.(\w+)\s*\{([^}]*)\}")
_HTML_PARAGRAPH = re.compile(r"<p\b[^>]*>(.*?)</p>", re.DOTALL)
_HTML_TAG = re.compile(r"</?[a-zA-Z!][^>]*>")
_DOCX_PARAGRAPH = re.compile(r"<w:p(?: [^>]*)?>.*?</w:p>", re.DOTALL)
_DOCX_RUN = re.compile(r"<w:t(?: [^>]*)?>([^<]*)</w:t>|<w:(?:tab|br)(?: [^>]*)?/>")
_DECISION_HEAD = re.compile(r"^=== DOC (\d+) \|.*$", re.MULTILINE)
_RAISED_AFTER_DIGIT = re.compile(r"(?<=\d)\ue000")
_RAISED = "\ue000"  # a private-use mark for "a superscript starts here"


def excerpt(root: Path, source: Mapping[str, Any]) -> str:
    """Cut the text of one record out of the shared data.

    Args:
        root: The folder of the shared data.
        source: The record's locator: ``file`` and ``paragraph``, or ``file``, ``start``, ``end`` and one of
            ``provision`` (its index) and ``record`` (the decision's identifier).

    Raises:
        LookupError: The file has no such paragraph, provision or record; OSError: it cannot be read.
    """
    path = root / source["file"]
    if "paragraph" in source:
        number = int(source["paragraph"])
        paragraphs = _paragraphs(path)
        if not 0 <= number < len(paragraphs):
            raise LookupError(f"{source['file']!r} has {len(paragraphs)} paragraphs, none numbered {number}")
        return paragraphs[number]
    name = source.get("provision", source.get("record"))
    texts = _texts(path)
    if name not in texts:
        raise LookupError(f"{source['file']!r} has no text named {name!r}")
    return texts[name][source["start"] : source["end"]]


@lru_cache(maxsize=64)
def _paragraphs(path: Path) -> tuple[str, ...]:
    if path.suffix == ".html":
        return _of_html(path.read_text(encoding="utf-8"))
    if path.suffix == ".docx":
        with zipfile.ZipFile(path) as archive:
            return _of_docx(archive.read("word/document.xml").decode("utf-8"))
    body = _HTML_TAG.sub("", path.read_text(encoding="utf-8").split("\n---\n", 1)[1])
    return tuple(_squeeze(block) for block in re.split(r"\n\s*\n", body) if block.strip())


@lru_cache(maxsize=32)
def _texts(path: Path) -> dict[int | str, str]:
    """Ukrainian texts by the provision's index or the decision's identifier."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return {index: item["content"] for index, item in enumerate(json.loads(content)["provisions"])}
    if path.suffix == ".jsonl":
        rows = (json.loads(line) for line in content.splitlines() if line.strip())
        return {row["_id"]: row["text"] for row in rows}
    heads = list(_DECISION_HEAD.finditer(content))
    ends = [head.start() for head in heads[1:]] + [len(content)]
    return {head[1]: content[head.end() : end] for head, end in zip(heads, ends, strict=True)}


def _of_html(page: str) -> tuple[str, ...]:
    raised = [name for name, rule in _STYLE_RULE.findall(page) if re.search(r"vertical-align:\s*super", rule)]
    opening = re.compile(r'<span class="(?:' + "|".join(raised) + r')"[^>]*>') if raised else re.compile(r"(?!)")
    body = page[page.find("<body") :]
    return tuple(_html_text(opening.sub(_RAISED, inner)) for inner in _HTML_PARAGRAPH.findall(body))


def _html_text(inner: str) -> str:
    text = html.unescape(_HTML_TAG.sub("", inner))
    return _squeeze(_RAISED_AFTER_DIGIT.sub(".", text).replace(_RAISED, ""))


def _of_docx(document: str) -> tuple[str, ...]:
    return tuple(
        _squeeze("".join(html.unescape(run[1]) if run[1] is not None else " " for run in _DOCX_RUN.finditer(paragraph)))
        for paragraph in _DOCX_PARAGRAPH.findall(document)
    )


def _squeeze(text: str) -> str:
    return " ".join(text.split())
