"""Plain types that everyone shares."""

from service.domain.answers import Outcome
from service.domain.articles import Act, ActText, Amendment, Article, DateBasis, Note, Paragraph
from service.domain.chunks import Chunk
from service.domain.citations import Citation, CitationFlag
from service.domain.names import (
    Jurisdiction,
    Language,
    NormId,
    article_sort_key,
    norm_id_of,
    norm_ref,
    split_norm_id,
)
from service.domain.relations import (
    CITED_TYPE,
    RELATION_TYPES,
    CitationPlace,
    Direction,
    Family,
    OutsideCitation,
    Relation,
    RelationSource,
    RelationType,
)
from service.domain.tasks import Depth, Mode, TaskType

__all__ = [
    "CITED_TYPE",
    "RELATION_TYPES",
    "Act",
    "ActText",
    "Amendment",
    "Article",
    "Chunk",
    "Citation",
    "CitationFlag",
    "CitationPlace",
    "DateBasis",
    "Depth",
    "Direction",
    "Family",
    "Jurisdiction",
    "Language",
    "Mode",
    "NormId",
    "Note",
    "Outcome",
    "OutsideCitation",
    "Paragraph",
    "Relation",
    "RelationSource",
    "RelationType",
    "TaskType",
    "article_sort_key",
    "norm_id_of",
    "norm_ref",
    "split_norm_id",
]
