"""The one citation reader.

One reader for the graph builder, the scorer, norm extraction and the API. A language's grammar is a private package
(``_cyrillic``, ``_chinese``) with one function::

    read(text, registry, surrounding, articles, language) -> list[Citation]

which sees normalised text and gives offsets in it.
"""

from service.citations._format import format_citation
from service.citations._reading import Surrounding, read_citations
from service.citations.article_index import ArticleIndex, read_article_index
from service.citations.batch import BatchRow, citation_row, read_batch
from service.citations.coverage import Coverage, check_citations
from service.citations.registry import Registry, RegistryAct, known_jurisdictions, load_registry, read_registry

__all__ = [
    "ArticleIndex",
    "BatchRow",
    "Coverage",
    "Registry",
    "RegistryAct",
    "Surrounding",
    "check_citations",
    "citation_row",
    "format_citation",
    "known_jurisdictions",
    "load_registry",
    "read_article_index",
    "read_batch",
    "read_citations",
    "read_registry",
]
