"""From the texts of statutes to a corpus: articles, citations, typed relations, ready for the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loaders.relations import build_relations
from loaders.statutes import LoadReport, Progress, builtin_manifest, load_statutes, read_manifest, report_of
from loaders.statutes.own_words import read_sample, read_sample_header
from service.domain import ActText
from service.errors import InputError
from service.graph.content import CorpusContent, CorpusInfo, corpus_content
from service.resources import resource

__all__ = ["BuiltCorpus", "build_corpus", "build_folder", "build_sample"]

_PUBLIC_TEXT = "texts of official acts, not subject to copyright"
_INVENTED_SHOWN = 200


@dataclass(frozen=True)
class BuiltCorpus:
    """A corpus with the reports of how it was made.

    Attributes:
        reports: One an act.
        left_out: Counts of what did not become part of the graph, by reason, and the invented citations by name.
    """

    key: str
    content: CorpusContent
    reports: tuple[LoadReport, ...]
    left_out: Mapping[str, Any]


def build_folder(key: str, folder: Path, *, progress: Progress | None = None) -> BuiltCorpus:
    """Build a corpus from a folder of statutes.

    Args:
        key: The corpus's key, such as ``ru``; its built-in manifest fills in what the folder's own leaves open.
        folder: A folder that :func:`loaders.statutes.load_statutes` reads, or one in the sample's own form.
        progress: Told after each act.

    Raises:
        SourceError: A file is not what it should be.
    """
    if (folder / "corpus.yaml").is_file():
        return _build_own_words(folder, key)
    manifest = read_manifest(folder, key)
    built_in = builtin_manifest(key)
    title = manifest.title or (built_in.title if built_in else None) or key
    source = manifest.source or (built_in.source if built_in else None) or ""
    official = manifest.official if manifest.official is not None else bool(built_in is None or built_in.official)
    info = CorpusInfo(title=title, official=official, licence=_PUBLIC_TEXT, source=source)
    return build_corpus(key, info, load_statutes(folder, key, progress=progress))


def build_sample() -> BuiltCorpus:
    """Build the sample: a small corpus told in our own words, not official."""
    folder = resource("data/sample")
    return _build_own_words(folder, read_sample_header(folder).key)


def build_corpus(key: str, info: CorpusInfo, texts: Sequence[ActText]) -> BuiltCorpus:
    """Read citations, type relations, and put everything in canonical order.

    Raises:
        InputError: There is no article, or the corpus does not hold together.
    """
    if not any(text.articles for text in texts):
        raise InputError(f"corpus {key!r} would hold no article; check the folder and its manifest")
    relations = build_relations(texts)
    content = corpus_content(
        info,
        [replace(text.act, gone=text.gone) for text in texts],
        [article for text in texts for article in text.articles],
        relations.relations,
        relations.outside,
    )
    left_out = {
        **{name: relations.counts[name] for name in ("self", "unresolved", "outside", "invented")},
        "skipped": sum(len(text.skipped) for text in texts),
        "invented_citations": [
            f"{citation.source_id}: {citation.raw}" for citation in relations.invented[:_INVENTED_SHOWN]
        ],
    }
    return BuiltCorpus(key, content, tuple(report_of(text) for text in texts), left_out)


def _build_own_words(folder: Path, key: str) -> BuiltCorpus:
    header = read_sample_header(folder)
    info = CorpusInfo(
        title=header.title,
        official=header.official,
        licence=header.licence,
        source="data/sample of Lexhop",
        notice=header.notice,
    )
    return build_corpus(key, info, read_sample(folder))
