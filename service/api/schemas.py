"""The shapes of answers, for the OpenAPI document and for the tests that hold the answers against it.

The routes that only read the graph write their bytes themselves, since validating what we have just read ourselves would
cost more than reading it.
"""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from service.domain import RelationType

__all__ = [
    "ActView",
    "ArticleHit",
    "ArticleLine",
    "ArticleView",
    "AuditView",
    "BetweenView",
    "CitationView",
    "CitationsView",
    "ContextView",
    "CorpusView",
    "DiagnosticsView",
    "DiffView",
    "GrantView",
    "KeyView",
    "MetaView",
    "NeighbourhoodView",
    "NormLine",
    "Page",
    "PathsView",
    "ReadyView",
    "RelationView",
    "SearchPage",
]

_Row = TypeVar("_Row")


class _View(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Page(_View, Generic[_Row]):
    """One page of a list."""

    corpus: str | None = Field(default=None, examples=["ru"])
    version: str | None = Field(default=None, examples=["0c0a52b77a80"])
    notice: str = Field(default="", description="What the corpus demands to be said; empty for official texts")
    items: list[_Row]
    next: str | None = Field(description="Cursor of the next page; null on the last")


class CorpusView(_View):
    """One whole version of one corpus."""

    key: str = Field(examples=["ru"])
    version: str = Field(examples=["0c0a52b77a80"])
    current: bool
    official: bool = Field(description="False: not the law's own wording")
    title: str
    notice: str
    licence: str
    source: str
    fold_inserted: bool
    loaded_at: str
    languages: list[str]
    jurisdictions: list[str]
    pins: list[str] = Field(description="What needs this version, so that it cannot be dropped")
    counts: dict[str, Any]
    left_out: dict[str, Any] = Field(description="Counts of what was not taken, by reason")


class ActView(_View):
    """One act of a corpus, with what is loaded of it."""

    key: str = Field(examples=["ГК"])
    edition: str | None = None
    title: str = Field(examples=["Гражданский кодекс Российской Федерации"])
    jurisdiction: str
    language: str
    branch: str | None = Field(examples=["civil"])
    coverage: list[str] = Field(description="complete, unknown, or ranges of articles", examples=[["complete"]])
    valid_from: str | None = None
    valid_to: str | None = None
    source: str
    articles: int
    repealed: int


class ArticleLine(_View):
    """An article in a list, without its text."""

    norm_id: str = Field(examples=["ГК_1064"])
    act: str
    edition: str | None
    number: str
    title: str
    valid_from: str | None
    valid_from_basis: Literal["stated", "amendment"] | None
    valid_to: str | None
    amended_on: str | None
    repealed: bool
    chars: int


class HighlightView(_View):
    """A stretch of an article in which words of the query stand."""

    field: Literal["title", "text"]
    start: int = Field(description="Offset of the stretch in that field")
    end: int
    text: str
    marks: list[tuple[int, int]] = Field(description="(start, end) of each word found, as offsets in the field")


class ArticleHit(ArticleLine):
    """An article that a search found."""

    in_force: Literal["yes", "no", "unknown"] | None = Field(description="At as_of; null without it")
    rank: int = Field(description="1 for the best")
    by: Literal["citation", "words"] = Field(description="Whether the query names the norm or its words found it")
    score: float | None = Field(description="The index's weight; null for a norm that the query names")
    highlights: list[HighlightView]


class SearchPage(Page[ArticleHit]):
    """One page of what a search found."""

    found: int = Field(description="How many in all, at most 200")
    truncated: bool = Field(description="There were more, of lower rank")
    terms: list[list[str]] = Field(description="The lemmas looked for, one list a word; none: the query says nothing")
    meanings: list[str] = Field(description="Lemmas looked for beside them: what words of every day mean in statutes")
    words_left_out: int = Field(description="Words beyond those that one query may have")


class ParagraphView(_View):
    """A stretch of the text with the units it stands in."""

    start: int
    end: int
    part: str | None = None
    point: str | None = None
    subpoint: str | None = None
    remark: bool = Field(default=False, description="It stands in the article's «Примечание»")


class OutsideCitationView(_View):
    """A citation of an act, or of a part of one, that the corpus does not hold."""

    act: str | None
    act_title: str | None
    act_number: str | None = Field(examples=["127-ФЗ"])
    article: str | None
    raw: str
    start: int
    end: int


class ArticleView(ArticleLine):
    """One article, whole."""

    corpus: str
    version: str
    official: bool
    notice: str
    act_title: str
    path: list[str] = Field(description="Headings above it, outermost first")
    text: str
    paragraphs: list[ParagraphView]
    notes: list[dict[str, Any]]
    amendments: list[dict[str, Any]]
    repealed_by: str | None
    in_force: Literal["yes", "no", "unknown"] | None = Field(description="At as_of; null without it")
    relations: dict[str, int] = Field(description="How many relations it has: outgoing, incoming, outside")
    outside: list[OutsideCitationView] = Field(description="Citations of what the corpus does not hold, in text order")


class NormLine(_View):
    """A norm as one end of a relation."""

    norm_id: str = Field(examples=["ГК_1064"])
    title: str


class RelationView(_View):
    """One relation of an ordered pair of norms."""

    source: NormLine
    target: NormLine
    direction: Literal["outgoing", "incoming"] | None = Field(
        default=None, description="Seen from the article asked for; absent in lists of relations"
    )
    type: RelationType
    family: Literal["structural", "doctrinal"]
    basis: Literal["citation", "cue", "model", "import"] = Field(description="What the type rests on")
    confidence: float = Field(ge=0, le=1)
    explanation: str = Field(description="The relation in words")
    cue: str | None = Field(description="The words that decided the type")
    also: list[RelationType] = Field(description="Other types that cues of the same pair gave, strongest first")
    ordinal: int
    citations: list[dict[str, Any]] = Field(description="Every citation behind it, with offsets in the citing text")


class WalkedNorm(NormLine):
    """A norm on a walk."""

    act: str
    repealed: bool
    in_force: Literal["yes", "no", "unknown"] | None = Field(description="At as_of; null without it")


class StepView(_View):
    """One step of a path, with the relations that it can take."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    from_: str = Field(alias="from", examples=["ГК_1064"])
    to: str
    relations: list[RelationView] = Field(
        description="That along the step first, then the one against it, if asked for"
    )


class PathView(_View):
    """One path; no norm stands in it twice."""

    hops: int
    norms: list[WalkedNorm]
    steps: list[StepView]


class PathsView(_View):
    """The paths between two norms."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    corpus: str
    version: str
    notice: str
    from_: WalkedNorm = Field(alias="from")
    to: WalkedNorm
    max_hops: int
    directed: bool
    types: list[RelationType]
    items: list[PathView]
    order: str = Field(description="The order of the paths, in words")
    truncated: bool
    truncated_by: Literal["limit", "relations", "steps"] | None
    complete_to: int = Field(description="Every path of up to so many hops is among them")
    relations_read: int
    unknown_force: int = Field(description="Norms of which nobody knows whether they were in force at as_of")


class SharedNorm(WalkedNorm):
    """A norm related to both of two."""

    with_a: list[RelationView]
    with_b: list[RelationView]


class BetweenView(_View):
    """What two norms have to do with each other."""

    corpus: str
    version: str
    notice: str
    a: WalkedNorm
    b: WalkedNorm
    relations: list[RelationView] = Field(description="From a to b, then from b to a")
    shared: list[SharedNorm] = Field(description="Norms related to both, whichever way")
    shared_found: int
    order: str
    truncated: bool = Field(description="There are more shared norms")
    path: PathView | None = Field(description="A shortest path, relations taken either way; null when there is none")
    path_searched_to: int = Field(description="Without a path: there is none of up to so many hops")
    unknown_force: int


class NeighbourNorm(WalkedNorm):
    """A norm of a neighbourhood."""

    distance: int


class EdgeView(_View):
    """A relation as an edge of a drawing; its citations are at the article's relations."""

    source: str
    target: str
    type: RelationType
    family: Literal["structural", "doctrinal"]
    basis: Literal["citation", "cue", "model", "import"]
    confidence: float
    explanation: str
    cue: str | None


class NeighbourhoodView(_View):
    """What lies around a norm."""

    corpus: str
    version: str
    notice: str
    norm_id: str
    depth: int
    norms: list[NeighbourNorm]
    relations: list[EdgeView] = Field(description="All among the norms shown, by ordinal, at most 10 a norm asked for")
    found: int = Field(description="How many norms there are within complete_to hops, the article counted")
    complete_to: int = Field(description="Every norm within so many hops was looked at")
    order: str
    truncated: bool
    truncated_by: Literal["limit", "relations_read", "relations"] | None
    unknown_force: int


class ChangedArticleView(NormLine):
    """An article that both versions have, otherwise."""

    fields: list[str] = Field(description="What differs", examples=[["text", "amended_on"]])
    diff: str = Field(description="Unified diff of the wordings by paragraphs; empty where they are the same")


class ChangedArticles(_View):
    """What became of the articles."""

    added: list[NormLine]
    removed: list[NormLine]
    changed: list[ChangedArticleView]


class BareRelation(_View):
    """A relation by its ends and its type."""

    source: str
    target: str
    type: RelationType


class RetypedRelation(_View):
    """A relation that both versions have, of another type."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    source: str
    target: str
    from_: RelationType = Field(alias="from")
    to: RelationType


class ChangedRelations(_View):
    """What became of the relations."""

    gained: list[BareRelation]
    lost: list[BareRelation]
    retyped: list[RetypedRelation]


class DiffView(_View):
    """What changed between two versions of a corpus."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    corpus: str
    from_: str = Field(alias="from")
    to: str
    notice: str
    counts: dict[Literal["added", "removed", "changed", "gained", "lost", "retyped"], int]
    articles: ChangedArticles
    relations: ChangedRelations
    truncated: bool = Field(description="There are more than the limit of at least one kind; counts has all")


class ChunkView(_View):
    """One norm of a context. No field tells a seed from a neighbour."""

    norm_id: str
    title: str
    text: str
    valid_from: str | None
    valid_from_basis: Literal["stated", "amendment"] | None
    valid_to: str | None
    repealed: bool
    relation_lines: list[str]


class ContextView(_View):
    """An open-book context (mhgb.md 6)."""

    corpus: str
    version: str
    configuration: str
    chunks: list[ChunkView]
    text: str
    tokens: int
    truncated: bool
    left_out: int = Field(description="Neighbours left out because of a budget")
    not_in_force: int = Field(description="Neighbours left out because they were not in force at as_of")
    unknown_force: int = Field(description="Chunks of which nobody knows whether they were in force at as_of")
    notice: str


class CitationView(_View):
    """One citation, with the levels that the text states."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    jurisdiction: str | None
    act: str | None
    act_title: str | None
    act_number: str | None
    article: str | None
    part: str | None
    point: str | None
    subpoint: str | None
    paragraph: str | None
    section: str | None = Field(description="Section of an act's closing provisions, which have no articles")
    subsection: str | None
    edition: str | None = Field(description="Year of the edition or of the old code, where the text names one")
    raw: str
    start: int
    end: int
    flags: list[str]
    is_self: bool = Field(alias="self")
    norm_id: str | None = Field(description="The norm in the corpus asked for; null when it holds none such")


class CitationsView(_View):
    """The citations of a text, in text order."""

    corpus: str | None
    version: str | None
    language: str
    citations: list[CitationView]


class DiagnosticsView(_View):
    """Figures of the graph under the names of MHGB's release."""

    corpus: str
    version: str
    notice: str
    nodes_total: int
    edges_total: int
    nodes_by_law: dict[str, int]
    edges_by_type: dict[str, int]
    intra_codex_edges: int
    inter_codex_edges: int
    inter_codex_pairs: dict[str, int]
    semantic_edges_by_law: dict[str, dict[str, int]]
    isolated_nodes_count: int
    isolated_nodes_sample: list[str]
    weakly_connected_components_count: int
    wcc_sizes_top10: list[int]
    relations_by_basis: dict[str, int]
    left_out: dict[str, Any]


class MetaView(_View):
    """What this service is and what it holds."""

    name: str
    version: str
    graph: str = Field(description="The graph engine and its version")
    licence: str
    notices: list[str]
    corpora: list[CorpusView]
    limits: dict[str, float]


class ReadyView(_View):
    """Whether the service can serve, and what each part said."""

    ready: bool
    graph: str
    ledger: str = Field(examples=["SQLite", "PostgreSQL"])
    corpora: int


class GrantView(_View):
    """A key's tier for a task set."""

    id: int
    key: str
    task_set: str = Field(description="Its key; `*` for all")
    tier: Literal["browse", "full"]
    purpose: str
    granted_by: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class KeyView(_View):
    """A key without its text, which is kept nowhere."""

    prefix: str
    name: str
    scopes: list[Literal["read", "submit", "judge", "review", "admin"]]
    created_at: str
    created_by: str
    expires_at: str | None
    revoked_at: str | None
    grants: list[GrantView]


class AuditView(_View):
    """One line of the audit."""

    id: int
    at: str
    actor: str = Field(description="A key's prefix, or `command-line`")
    action: str
    subject: str
    detail: dict[str, Any]
