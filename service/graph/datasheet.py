"""A corpus's datasheet: what it is, where it comes from, what it covers, how it was made, what it cannot do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from service.domain import RELATION_TYPES
from service.graph.exports import NOT_ADVICE
from service.graph.queries import query

if TYPE_CHECKING:
    from service.graph.contents import Contents
    from service.graph.store import GraphStore, Row

__all__ = ["Datasheet", "read_datasheet"]

_LEFT_OUT = {
    "self": "citations of an article by itself, which are no relations",
    "unresolved": "citations whose act or article the text does not say clearly enough",
    "outside": "citations of acts that the corpus does not hold, kept apart and shown with the article",
    "invented": "citations of articles that the covered act does not have",
    "skipped": "pieces of the sources that looked like an article or a text and were not taken",
}
_BASES = {
    "citation": "a citation, untyped",
    "cue": "a cue: the words around the citation, by rules",
    "model": "a language model's reading",
    "import": "the imported file",
}


@dataclass(frozen=True, slots=True)
class Datasheet:
    """What a datasheet says, before it is written."""

    contents: Contents
    dates: tuple[Row, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the datasheet as data."""
        version = self.contents.version
        return {
            "corpus": version.key,
            "version": version.version,
            "title": version.title,
            "official": version.official,
            "notice": version.notice,
            "not_advice": NOT_ADVICE,
            "source": version.source,
            "licence": version.licence,
            "loaded_at": version.loaded_at,
            "languages": list(version.languages),
            "jurisdictions": list(version.jurisdictions),
            "fold_inserted": version.fold_inserted,
            "counts": dict(version.counts),
            "left_out": {name: count for name, count in version.left_out.items() if isinstance(count, int)},
            "acts": [self._act(act) for act in self.contents.acts],
        }

    def markdown(self) -> str:
        """Return the datasheet as a page of Markdown."""
        facts = self.as_dict()
        counts = facts["counts"]
        parts = [
            f"# Datasheet: {facts['title']}",
            _bullets(
                {
                    "Name": f"`{facts['corpus']}@{facts['version']}`",
                    "Digest": f"SHA-256 of the canonical export begins with `{facts['version']}`; equal content has an "
                    "equal name anywhere",
                    "Official wording": "yes" if facts["official"] else "no",
                    "Notice": facts["notice"] or "none",
                    "Source": facts["source"] or "not stated",
                    "Licence": facts["licence"] or "not stated",
                    "Languages": ", ".join(facts["languages"]),
                    "Jurisdictions": ", ".join(facts["jurisdictions"]),
                    "Loaded": facts["loaded_at"],
                    "Use": facts["not_advice"],
                }
            ),
            "## What it holds",
            (
                f"{counts.get('acts', 0):,} acts, {counts.get('articles', 0):,} articles "
                f"({counts.get('repealed', 0):,} repealed) of {counts.get('characters', 0):,} characters, "
                f"{counts.get('relations', 0):,} relations, "
                f"{counts.get('outside_citations', 0):,} citations of outside acts."
            ),
            self._acts_table(facts["acts"]),
            (
                "Coverage: `complete`, `unknown`, or ranges of articles. A citation of an article that is missing inside "
                "it is called invented; outside it nobody is blamed."
            ),
            "## Relations",
            _table(
                ("type", "family", "relations"),
                [
                    (kind.value, kind.family.value, f"{counts.get('relations_by_type', {}).get(kind.value, 0):,}")
                    for kind in RELATION_TYPES
                ],
            ),
            _table(
                ("their type rests on", "relations"),
                [
                    (_BASES.get(name, name), f"{count:,}")
                    for name, count in counts.get("relations_by_source", {}).items()
                ],
            ),
            "## How it was made",
            _how_made(counts, fold_inserted=facts["fold_inserted"]),
            "## Left out",
            _left_out(facts["left_out"]),
            "## Known limits",
            self._limits(facts),
        ]
        return "\n\n".join(parts) + "\n"

    def _act(self, act: Row) -> dict[str, Any]:
        edition = act.get("edition", "")
        rows = [row for row in self.dates if (row["act"], row["edition"]) == (act["key"], edition)]
        return {
            "key": act["key"],
            "edition": edition or None,
            "title": act["title"],
            "branch": act.get("branch"),
            "coverage": list(act.get("coverage", ["unknown"])),
            "valid_from": act.get("valid_from"),
            "valid_to": act.get("valid_to"),
            "source": act.get("source", ""),
            "articles": act["articles"],
            "repealed": act["repealed"],
            "characters": sum(row["chars"] for row in rows),
            "dates": {row["basis"]: row["articles"] for row in rows},
        }

    def _acts_table(self, acts: list[dict[str, Any]]) -> str:
        return _table(
            ("act", "title", "edition", "articles", "repealed", "coverage", "branch", "source"),
            [
                (
                    act["key"],
                    act["title"],
                    act["edition"] or _span(act),
                    f"{act['articles']:,}",
                    f"{act['repealed']:,}",
                    ", ".join(act["coverage"]),
                    act["branch"] or "not stated",
                    act["source"] or "not stated",
                )
                for act in acts
            ],
        )

    def _limits(self, facts: dict[str, Any]) -> str:
        bases: defaultdict[str, int] = defaultdict(int)
        for act in facts["acts"]:
            for basis, count in act["dates"].items():
                bases[basis] += count
        total = sum(bases.values()) or 1
        limits = [
            (
                f"Dates: {bases['stated']:,} articles ({bases['stated'] / total:.0%}) state since when they are in force, "
                f"{bases['amendment']:,} ({bases['amendment'] / total:.0%}) only when their wording was last amended, "
                f"{bases['unknown']:,} nothing. At a date `as_of`, only stated dates leave anything out."
            ),
            "One wording an article: what it said before its last amendment is not here.",
            "Relations rest on citations: norms that act on each other without citing each other are not related.",
        ]
        if facts["counts"].get("relations_by_source", {}).get("cue"):
            limits.append("Types by cues are not always right: each relation shows the words that it rests on.")
        open_acts = [act["key"] for act in facts["acts"] if act["coverage"] != ["complete"]]
        if open_acts:
            limits.append(f"Not whole: {', '.join(open_acts)} (see coverage).")
        if not facts["official"]:
            limits.append("The texts are not the law's own wording.")
        return "\n".join(f"- {limit}" for limit in limits)


async def read_datasheet(store: GraphStore, contents: Contents) -> Datasheet:
    """Read what a version's datasheet says."""
    rows = await store.read(query("diagnostics/dates"), corpus_uid=contents.version.uid)
    return Datasheet(contents, tuple(rows))


def _span(act: Mapping[str, Any]) -> str:
    if act["valid_from"] or act["valid_to"]:
        return f"{act['valid_from'] or '…'} – {act['valid_to'] or '…'}"
    return "as in the source"


def _how_made(counts: Mapping[str, Any], *, fold_inserted: bool) -> str:
    sources = counts.get("relations_by_source", {})
    said = []
    if sources.keys() & {"citation", "cue", "model"}:
        said.append(
            "The texts were read by `loaders/statutes`; each citation in them became a relation of the citing and the cited "
            "article. One relation stands for an ordered pair: a typed one replaces the bare citation."
        )
    if "import" in sources:
        said.append("Relations were imported from a file and keep their order in it.")
    if fold_inserted:
        said.append("Hyphenated insertions are folded into their base article, as in MHGB's graph.")
    return "\n".join(f"- {one}" for one in said) or "- Nothing is noted."


def _left_out(left_out: Mapping[str, int]) -> str:
    lines = [f"- {count:,} {_LEFT_OUT.get(name, name)}" for name, count in left_out.items() if count]
    return "\n".join(lines) or "- Nothing is noted; a version that was imported carries no such counts."


def _bullets(facts: Mapping[str, str]) -> str:
    return "\n".join(f"- {name}: {_line(value)}" for name, value in facts.items())


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(_line(cell).replace("|", "\\|") for cell in row) + " |" for row in lines)


def _line(text: str) -> str:
    return " ".join(text.split())
