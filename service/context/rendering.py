"""Chunks as text, in the language of their act."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.domain import Chunk, DateBasis, Language, RelationType

__all__ = ["Configuration", "relation_line", "render_context"]


class Configuration(StrEnum):
    """What a context tells beside the norms (mhgb.md 6).

    ``full_graph``: nothing, the default, since anything more betrays the seeds. ``full_graph_edges``: for each
    neighbour the type of its relation to a seed. ``full_graph_relations``: a line for every related pair of chunks.
    """

    FULL_GRAPH = "full_graph"
    FULL_GRAPH_EDGES = "full_graph_edges"
    FULL_GRAPH_RELATIONS = "full_graph_relations"


@dataclass(frozen=True, slots=True)
class _Words:
    valid_from: str
    amended: str
    valid_to: str
    repealed: str
    relation: str
    types: dict[RelationType, str]


_WORDS = {
    Language.RU: _Words(
        "валидна с {}",
        "в редакции от {}",
        "до {}",
        "утратила силу",
        "Связь «{}» между [{}] и [{}].",
        {
            RelationType.REFERS_TO: "ссылается на",
            RelationType.APPLIES_TO: "применяется к",
            RelationType.EXCLUDES: "исключает",
            RelationType.SUPPLEMENTS: "дополняет",
            RelationType.PREVAILS_OVER: "приоритет",
        },
    ),
    Language.UK: _Words(
        "чинна з {}",
        "у редакції від {}",
        "до {}",
        "втратила чинність",
        "Зв'язок «{}» між [{}] і [{}].",
        {
            RelationType.REFERS_TO: "посилається на",
            RelationType.APPLIES_TO: "застосовується до",
            RelationType.EXCLUDES: "виключає",
            RelationType.SUPPLEMENTS: "доповнює",
            RelationType.PREVAILS_OVER: "пріоритет",
        },
    ),
    Language.ZH: _Words(
        "自{}起施行",
        "{}修正",
        "至{}止",
        "已废止",
        "[{1}]与[{2}]之间存在“{0}”关系。",
        {
            RelationType.REFERS_TO: "引用",
            RelationType.APPLIES_TO: "适用",
            RelationType.EXCLUDES: "排除",
            RelationType.SUPPLEMENTS: "补充",
            RelationType.PREVAILS_OVER: "优先",
        },
    ),
}


def relation_line(kind: RelationType, one: str, other: str, language: Language) -> str:
    """Return the line that says that a relation of a type holds between two norms, without its direction."""
    words = _WORDS[language]
    return words.relation.format(words.types[kind], one, other)


def render_chunk(chunk: Chunk, language: Language) -> str:
    """Return ``[norm_id] title (dates; repealed)``, the text, and the lines about relations."""
    words = _WORDS[language]
    said = []
    if chunk.valid_from:
        stated = chunk.valid_from_basis is not DateBasis.AMENDMENT
        said.append((words.valid_from if stated else words.amended).format(chunk.valid_from))
    if chunk.valid_to:
        said.append(words.valid_to.format(chunk.valid_to))
    if chunk.repealed:
        said.append(words.repealed)
    head = f"[{chunk.norm_id}] {chunk.title}".rstrip()
    if said:
        head += f" ({'; '.join(said)})"
    return "\n".join([head, *([chunk.text] if chunk.text else []), *chunk.relation_lines])


def render_context(chunks: Sequence[tuple[Chunk, Language]], notice: str = "") -> str:
    """Return the whole context as text, a blank line between chunks; the notice, if there is one, stands first."""
    blocks = [render_chunk(chunk, language) for chunk, language in chunks]
    return "\n\n".join([notice, *blocks] if notice else blocks)
