"""MHGB's released ``corpus.jsonl`` and ``graph.json`` as a corpus (mhgb.md 1 and 2).

Both layouts of node-link JSON are read: edges under ``links`` or ``edges``, ends by id or by place among the nodes. An edge
has an attribute ``source`` (regex or llm), which collides with the layout's own key: files write the key twice, or lose
the attribute, or name the ends otherwise; each of these is read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from service.citations import RegistryAct, load_registry
from service.domain import (
    Act,
    Article,
    DateBasis,
    Jurisdiction,
    Language,
    NormId,
    Paragraph,
    Relation,
    RelationSource,
    RelationType,
    split_norm_id,
)
from service.errors import InputError, SourceError
from service.graph.content import CorpusContent, CorpusInfo, corpus_content

__all__ = ["ImportedCorpus", "fold", "read_corpus_files"]

INFO = CorpusInfo(
    title="MHGB: десять кодексов Российской Федерации",
    official=False,
    licence="as released by the authors of MHGB",
    source="corpus.jsonl and graph.json of MHGB's release",
    notice="тексты и связи из выпуска MHGB, редакция нами не проверена",
    fold_inserted=True,
)
_RUSSIAN = {
    "ссылается_на": RelationType.REFERS_TO,
    "применяется_к": RelationType.APPLIES_TO,
    "исключает": RelationType.EXCLUDES,
    "дополняет": RelationType.SUPPLEMENTS,
    "приоритет": RelationType.PREVAILS_OVER,
}
_WORDS = {
    RelationType.REFERS_TO: "{} ссылается на {}",
    RelationType.APPLIES_TO: "{} определяет, где или к кому применяется {}",
    RelationType.EXCLUDES: "{} исключает {}",
    RelationType.SUPPLEMENTS: "{} дополняет {}",
    RelationType.PREVAILS_OVER: "{} имеет приоритет перед {}",
}
_HOW = ("regex", "llm")
_ENDS = (("source", "target"), ("from", "to"), ("source_id", "target_id"), ("u", "v"), ("head", "tail"))
_INSERTED = re.compile(r"-\d+$")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ImportedCorpus:
    """What the two files hold.

    Attributes:
        left_out: How much did not become part of the graph, by reason.
        made_by: How many edges were made by what (regex, llm, or unknown where the file lost it).
    """

    content: CorpusContent
    left_out: Mapping[str, int]
    made_by: Mapping[str, int]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str
    law: str = ""
    law_short: str = ""
    article: str = ""
    title: str | None = ""
    paragraphs: list[str] = []
    text: str = ""
    valid_from: str | None = None
    valid_to: str | None = None
    is_repealed: bool = False
    branch_of_law: str | None = None


class _Edge(NamedTuple):
    place: int
    source: NormId
    target: NormId
    kind: RelationType
    how: str
    explanation: str


def read_corpus_files(corpus: Path, graph: Path, *, leave_out_missing: bool = False) -> ImportedCorpus:
    """Read both files as one corpus; relations keep their places in the file as ordinals.

    Args:
        corpus: ``corpus.jsonl``, one record an article.
        graph: ``graph.json``, node-link JSON.
        leave_out_missing: Leave out nodes (and their edges) of which the corpus has no record, instead of refusing.

    Raises:
        SourceError: A file cannot be read as what it should be, or a node has no record.
    """
    records = _records(corpus)
    nodes, edges = _graph(graph)
    left_out: Counter[str] = Counter()
    kept: dict[NormId, _Record] = {}
    gone: dict[str, list[str]] = {}
    for norm, record in records.items():
        folded = fold(norm)
        if folded == norm or folded not in records:
            kept[folded] = record
        else:
            left_out["folded"] += 1
            act, number = split_norm_id(norm)
            gone.setdefault(act, []).append(number)
    missing = [node for node in nodes if fold(node) not in kept]
    if missing and not leave_out_missing:
        shown = ", ".join(missing[:_SHOWN])
        raise SourceError(
            f"graph {graph.name!r} has {len(missing)} nodes of which {corpus.name!r} has no record ({shown}…); "
            "take files of one release, or leave such nodes out by --leave-out-missing"
        )
    left_out["nodes_without_record"] = len(missing)
    relations: dict[tuple[NormId, NormId], Relation] = {}
    made_by: Counter[str] = Counter()
    for edge in edges:
        pair = (fold(edge.source), fold(edge.target))
        if pair[0] not in kept or pair[1] not in kept:
            left_out["edges_without_record"] += 1
        elif pair[0] == pair[1]:
            left_out["edges_to_themselves"] += 1
        elif pair in relations:
            left_out["edges_repeated"] += 1
        else:
            made_by[edge.how] += 1
            words = edge.explanation or _WORDS[edge.kind].format(*pair)
            relations[pair] = Relation(*pair, edge.kind, RelationSource.IMPORT, 1.0, words, ordinal=edge.place)
    try:
        content = corpus_content(
            INFO,
            _acts(kept, gone),
            [_article(*item) for item in kept.items()],
            list(relations.values()),
            keep_ordinals=True,
        )
    except InputError as error:
        raise SourceError(f"{corpus.name!r} and {graph.name!r} do not hold together: {error}") from error
    return ImportedCorpus(content, {name: count for name, count in left_out.items() if count}, made_by)


def fold(norm: NormId) -> NormId:
    """Return the graph's name of a norm: a hyphenated insertion's base article (``НК_25.13-1`` is ``НК_25.13``)."""
    return _INSERTED.sub("", norm)


def _records(path: Path) -> dict[NormId, _Record]:
    records: dict[NormId, _Record] = {}
    for number, line in _lines(path):
        try:
            record = _Record.model_validate(orjson.loads(line))
            act, article = split_norm_id(record.id)
        except (orjson.JSONDecodeError, ValidationError, InputError) as error:
            said = str(error).splitlines()[0]
            raise SourceError(f"{path.name!r}, line {number}: no record of an article ({said}); correct it") from error
        if (record.law_short or act, record.article or article) != (act, article):
            raise SourceError(
                f"{path.name!r}, line {number}: id {record.id!r} is not of law {record.law_short!r} "
                f"and article {record.article!r}; correct it"
            )
        if record.id in records:
            raise SourceError(f"{path.name!r}, line {number}: id {record.id!r} stands twice; keep one record")
        records[record.id] = record
    if not records:
        raise SourceError(f"{path.name!r} has no record; give the corpus.jsonl of MHGB's release")
    return records


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise SourceError(f"{str(path)!r} cannot be read: {error.strerror}; give another file") from error


def _graph(path: Path) -> tuple[list[NormId], list[_Edge]]:
    try:
        # The standard library's reader shows a key that stands twice; others keep the last one only.
        said = json.loads(path.read_bytes(), object_pairs_hook=_Pairs)
    except OSError as error:
        raise SourceError(f"{str(path)!r} cannot be read: {error.strerror}; give another file") from error
    except ValueError as error:
        raise SourceError(f"{path.name!r} is no UTF-8 JSON: {error}; correct it") from error
    if not isinstance(said, _Pairs) or not isinstance(said.get("nodes"), list):
        raise SourceError(f"{path.name!r} has no list 'nodes'; give node-link JSON")
    edges = said.get("links") if said.get("edges") is None else said.get("edges")
    if not isinstance(edges, list):
        raise SourceError(f"{path.name!r} has neither a list 'links' nor 'edges'; give node-link JSON")
    nodes = []
    for place, node in enumerate(said["nodes"]):
        norm = node.get("id") if isinstance(node, _Pairs) else None
        if not isinstance(norm, str) or "_" not in norm:
            raise SourceError(f"{path.name!r}: node {place} has the id {norm!r}, which is no norm id; correct it")
        nodes.append(norm)
    return nodes, [_edge(path, place, edge, nodes) for place, edge in enumerate(edges)]


class _Pairs(dict[str, Any]):
    """An object that remembers the values of keys that stand twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.all: dict[str, list[Any]] = {}
        for key, value in pairs:
            self.all.setdefault(key, []).append(value)


def _edge(path: Path, place: int, edge: Any, nodes: Sequence[NormId]) -> _Edge:
    where = f"{path.name!r}: edge {place}"
    if not isinstance(edge, _Pairs):
        raise SourceError(f"{where} is no object; correct it")
    how = next((value for value in edge.all.get("source", ()) if value in _HOW), None)
    ends = None
    for one, other in _ENDS:
        sources = [value for value in edge.all.get(one, ()) if value not in _HOW]
        if sources and other in edge:
            ends = _end(where, sources[-1], nodes), _end(where, edge[other], nodes)
            break
    if ends is None:
        raise SourceError(f"{where} names no two ends; they are read from source and target, or from and to")
    kind = edge.get("edge_type") or edge.get("type")
    try:
        known = _RUSSIAN[kind] if kind in _RUSSIAN else RelationType(str(kind))
    except ValueError:
        raise SourceError(
            f"{where} has the type {kind!r}; known are {', '.join(_RUSSIAN)} and {', '.join(RelationType)}"
        ) from None
    made_by = how or next(
        (edge[name] for name in ("edge_source", "origin", "method") if edge.get(name) in _HOW), "unknown"
    )
    return _Edge(place, *ends, known, made_by, str(edge.get("explanation") or "").strip())


def _end(where: str, given: Any, nodes: Sequence[NormId]) -> NormId:
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(nodes):
        return nodes[given]
    if isinstance(given, str) and "_" in given:
        return given
    raise SourceError(f"{where} has the end {given!r}, which is no norm id and no place among the nodes; correct it")


def _acts(kept: Mapping[NormId, _Record], gone: Mapping[str, Sequence[str]]) -> list[Act]:
    first: dict[str, _Record] = {}
    for norm, record in kept.items():
        first.setdefault(split_norm_id(norm)[0], record)
    registry = load_registry(Jurisdiction.RU)
    acts = []
    for key, record in first.items():
        known: RegistryAct | None = registry.by_key.get(key)
        acts.append(
            Act(
                key=key,
                title=known.title if known else record.law or key,
                jurisdiction=Jurisdiction.RU,
                language=Language.RU,
                branch=(known.branch if known else None) or record.branch_of_law,
                coverage=("complete",),
                source=INFO.source,
                # A folded insertion was law: a citation of it is not invented.
                gone=tuple(gone.get(key, ())),
            )
        )
    return acts


def _article(norm: NormId, record: _Record) -> Article:
    act, number = split_norm_id(norm)
    text = record.text or "\n".join(record.paragraphs)
    return Article(
        act=act,
        number=number,
        title=record.title or "",
        path=(),
        text=text,
        paragraphs=tuple(_paragraphs(text, record.paragraphs)),
        valid_from=record.valid_from,
        # The release's date is that of the last amendment noted (mhgb.md 1).
        valid_from_basis=DateBasis.AMENDMENT if record.valid_from else None,
        valid_to=record.valid_to,
        amended_on=record.valid_from,
        repealed=record.is_repealed,
    )


def _paragraphs(text: str, given: Sequence[str]) -> Iterator[Paragraph]:
    """Yield where the record's paragraphs stand in its text; one that does not stand there is passed over."""
    at = 0
    for paragraph in given or text.split("\n"):
        start = text.find(paragraph, at) if paragraph else -1
        if start >= 0:
            at = start + len(paragraph)
            yield Paragraph(start, at)
