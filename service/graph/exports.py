"""Exports for other tools: rows as NDJSON and CSV, the graph as GraphML and node-link JSON, all in pages.

Each page of the graph is a read of its own, so an export takes as long as it likes and little memory. Every export
says what it is of: corpus, version, edition of its texts, licence, source, and what its corpus demands to be said.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import orjson

from service.errors import LexhopError
from service.graph.pages import ArticleFilter, RelationFilter, article_rows, relation_rows
from service.graph.views import article_line, relation_view

if TYPE_CHECKING:
    from service.graph.catalog import CorpusVersion
    from service.graph.contents import Contents
    from service.graph.store import GraphStore

__all__ = [
    "ARTICLE_COLUMNS",
    "NOT_ADVICE",
    "RELATION_COLUMNS",
    "article_items",
    "csv_lines",
    "export_header",
    "graphml",
    "ndjson_lines",
    "node_link",
    "relation_items",
]

NOT_ADVICE = "Lexhop shows what statutes say in the edition named. It is not legal advice."

_PAGE = 1000
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_HEADER_COLUMNS = ("corpus", "version", "licence", "source_of_texts", "notice")
ARTICLE_COLUMNS = (
    "norm_id", "act", "edition", "number", "title", "valid_from", "valid_from_basis", "valid_to", "amended_on", "repealed",
    "chars",
)  # fmt: skip
RELATION_COLUMNS = (
    "source", "source_title", "target", "target_title", "type", "family", "basis", "confidence", "explanation", "cue",
    "also", "ordinal", "citations",
)  # fmt: skip
# Attribute → GraphML's type of it.
_NODE_TYPES = {
    "act": "string", "edition": "string", "number": "string", "title": "string", "branch": "string", "valid_from": "string",
    "valid_from_basis": "string", "valid_to": "string", "amended_on": "string", "repealed": "boolean", "chars": "int",
}  # fmt: skip
_EDGE_TYPES = {
    "type": "string", "family": "string", "basis": "string", "confidence": "double", "explanation": "string",
    "cue": "string", "ordinal": "int", "citations": "int",
}  # fmt: skip


def export_header(contents: Contents) -> dict[str, Any]:
    """Return what every export says of itself."""
    version = contents.version
    return {
        "corpus": version.key,
        "version": version.version,
        "title": version.title,
        "official": version.official,
        "licence": version.licence,
        "source_of_texts": version.source,
        "loaded_at": version.loaded_at,
        "editions": [
            f"{act['key']}: {act.get('edition') or act.get('source') or 'as loaded'}" for act in contents.acts
        ],
        "notice": version.notice,
        "not_advice": NOT_ADVICE,
    }


async def article_items(
    store: GraphStore, contents: Contents, wanted: ArticleFilter, *, after: str = "", most: int | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Yield articles as ``ArticleLine`` in the corpus's order, read page by page."""
    left = most
    while left is None or left > 0:
        size = _PAGE if left is None else min(_PAGE, left)
        rows = await article_rows(store, contents, wanted, after=after, limit=size)
        for row in rows:
            yield article_line(row["article"])
        if len(rows) < size:
            return
        after = rows[-1]["article"]["sort_key"]
        left = None if left is None else left - len(rows)


async def relation_items(
    store: GraphStore, version: CorpusVersion, wanted: RelationFilter, *, after: int = -1, most: int | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Yield relations as ``RelationView`` by ordinal, read page by page."""
    left = most
    while left is None or left > 0:
        size = _PAGE if left is None else min(_PAGE, left)
        rows = await relation_rows(store, version.uid, wanted, after=after, limit=size)
        for row in rows:
            yield relation_view(row["type"], row["relation"], row["source"], row["target"])
        if len(rows) < size:
            return
        after = rows[-1]["relation"]["ordinal"]
        left = None if left is None else left - len(rows)


async def ndjson_lines(header: Mapping[str, Any], items: AsyncIterator[Mapping[str, Any]]) -> AsyncIterator[bytes]:
    """Yield a header line {kind: header, …}, then a line an item."""
    yield orjson.dumps({"kind": "header", **header}) + b"\n"
    async for block in _blocks(items):
        yield b"".join(orjson.dumps(item) + b"\n" for item in block)


async def csv_lines(
    header: Mapping[str, Any], columns: Sequence[str], items: AsyncIterator[Mapping[str, Any]]
) -> AsyncIterator[bytes]:
    """Yield CSV (RFC 4180, UTF-8): a line of names, then a line an item.

    Its own columns come first; the last five repeat what the export is of, so that a file stays readable by any tool
    and still says it.
    """
    own = [str(header[name]) for name in _HEADER_COLUMNS]
    yield _csv([[*columns, *_HEADER_COLUMNS]])
    async for block in _blocks(items):
        yield _csv([[*(_cell(item, name) for name in columns), *own] for item in block])


async def graphml(store: GraphStore, contents: Contents) -> AsyncIterator[bytes]:
    """Yield a version as GraphML: norms without their texts, relations, and the header as the graph's own data.

    Raises:
        LexhopError: The version was dropped meanwhile: the file ends early and is no XML.
    """
    header = {name: _text(value) for name, value in export_header(contents).items()}
    keys = [
        *(_key("graph", name, "string") for name in header),
        *(_key("node", name, kind) for name, kind in _NODE_TYPES.items()),
        *(_key("edge", name, kind) for name, kind in _EDGE_TYPES.items()),
    ]
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        + "\n".join(keys)
        + '\n<graph id="lexhop" edgedefault="directed">\n'
        + "".join(_data("graph", name, value) for name, value in header.items())
        + "\n"
    ).encode()
    async for block in _nodes(store, contents):
        yield "".join(
            f"<node id={_quoted(node.pop('id'))}>{''.join(_data('node', *pair) for pair in node.items())}</node>\n"
            for node in block
        ).encode()
    async for block in _edges(store, contents):
        yield "".join(
            f"<edge source={_quoted(edge.pop('source'))} target={_quoted(edge.pop('target'))}>"
            f"{''.join(_data('edge', *pair) for pair in edge.items())}</edge>\n"
            for edge in block
        ).encode()
    yield b"</graph>\n</graphml>\n"


async def node_link(store: GraphStore, contents: Contents) -> AsyncIterator[bytes]:
    """Yield a version as node-link JSON, edges under ``edges``; what a type rests on is called ``basis``.

    Raises:
        LexhopError: The version was dropped meanwhile: the file ends early and is no JSON.
    """
    graph = orjson.dumps(export_header(contents))
    yield b'{"directed":true,"multigraph":false,"graph":' + graph + b',"nodes":[\n'
    begun = False
    async for block in _nodes(store, contents):
        yield (b",\n" if begun else b"") + b",\n".join(orjson.dumps(node) for node in block)
        begun = True
    yield b'\n],"edges":[\n'
    begun = False
    async for block in _edges(store, contents):
        yield (b",\n" if begun else b"") + b",\n".join(orjson.dumps(edge) for edge in block)
        begun = True
    yield b"\n]}\n"


async def _nodes(store: GraphStore, contents: Contents) -> AsyncIterator[list[dict[str, Any]]]:
    seen = 0
    async for block in _blocks(article_items(store, contents, ArticleFilter())):
        seen += len(block)
        yield [
            _present(
                {"id": item["norm_id"]}
                | {name: item.get(name) for name in _NODE_TYPES}
                | {"branch": contents.branches.get(item["act"])}
            )
            for item in block
        ]
    _all_there(contents.version, "articles", seen)


async def _edges(store: GraphStore, contents: Contents) -> AsyncIterator[list[dict[str, Any]]]:
    seen = 0
    async for block in _blocks(relation_items(store, contents.version, RelationFilter())):
        seen += len(block)
        yield [
            _present(
                {"source": item["source"]["norm_id"], "target": item["target"]["norm_id"]}
                | {name: item[name] for name in _EDGE_TYPES}
                | {"citations": len(orjson.loads(orjson.dumps(item["citations"])))}
            )
            for item in block
        ]
    _all_there(contents.version, "relations", seen)


def _all_there(version: CorpusVersion, what: str, seen: int) -> None:
    wanted = version.counts.get(what)
    if wanted is not None and seen != wanted:
        raise LexhopError(
            f"version {version.uid} has {wanted} {what}, {seen} were read: it was dropped meanwhile; repeat"
        )


async def _blocks(items: AsyncIterator[Any], size: int = 500) -> AsyncIterator[list[Any]]:
    block: list[Any] = []
    async for item in items:
        block.append(item)
        if len(block) == size:
            yield block
            block = []
    if block:
        yield block


def _present(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def _csv(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def _cell(item: Mapping[str, Any], name: str) -> Any:
    if name in ("source_title", "target_title"):
        return item[name.removesuffix("_title")]["title"]
    value = item[name]
    if name in ("source", "target"):
        return value["norm_id"]
    if name == "also":
        return " ".join(value)
    if isinstance(value, orjson.Fragment):
        return orjson.dumps(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _key(of: str, name: str, kind: str) -> str:
    return f'<key id="{of}_{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'


def _data(of: str, name: str, value: Any) -> str:
    return f'<data key="{of}_{name}">{escape(_FORBIDDEN.sub("", _text(value)))}</data>'


def _quoted(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("", text))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
