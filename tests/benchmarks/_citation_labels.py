"""Every label set of citations in one form, and the articles of the acts at hand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from loaders.statutes import load_statutes
from service.citations import ArticleIndex, known_jurisdictions, load_registry
from service.domain import Jurisdiction, Language, article_sort_key
from service.errors import InputError
from tests.labels import OWN, SETS, read_labels

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.domain import Citation

__all__ = ["Expected", "Labelled", "article_index", "label_sets"]

_LANGUAGES = {"ru": Jurisdiction.RU, "uk": Jurisdiction.UA, "zh": Jurisdiction.CN}
_OUTSIDE = re.compile(r"ФЗ |Закон РФ |ЗУ |Закон ")


@dataclass(frozen=True, slots=True)
class Expected:
    """One cited unit as labelled; ``act`` is a registry's key or None for an act outside."""

    act: str | None
    article: str | None
    units: tuple[str | None, ...] = (None, None, None, None)
    number: str | None = None
    ranged: str | None = None
    is_self: bool = False
    ignored: bool = False
    span: tuple[int, int] | None = None

    @property
    def pair(self) -> tuple[str | None, str | None]:
        return self.act, self.article


@dataclass(frozen=True, slots=True)
class Labelled:
    """One text with its labels."""

    set: str
    kind: str
    id: str
    text: str
    language: Language
    jurisdiction: Jurisdiction
    act: str | None = None
    article: str | None = None
    expected: tuple[Expected, ...] = field(default=())


def units_of(citation: Citation) -> tuple[str | None, ...]:
    """Return a citation's units in the order of ``Expected.units``."""
    return citation.part, citation.point, citation.subpoint, citation.paragraph


def label_sets(data: Path) -> Iterator[Labelled]:
    """Yield every labelled text that readers were tuned on: the shared sets, then ours."""
    yield from _cases(data / "citations" / "cases.jsonl")
    for name in ("ru_statutes", "ru_relations"):
        yield from _paragraphs(name, data / "citations" / f"{name}.jsonl")
    yield from _own("labels", data, OWN)


def held_out_sets(data: Path) -> Iterator[Labelled]:
    """Yield the third of our labels that was kept out of tuning."""
    yield from _own("heldout", data, OWN / "heldout")


def _own(title: str, data: Path, folder: Path) -> Iterator[Labelled]:
    for name in SETS:
        for record in read_labels(name, data, folder):
            jurisdiction = Jurisdiction(record.jurisdiction)
            yield Labelled(
                set=f"{title}/{name}",
                kind="statute" if record.context_act else "prose",
                id=record.id,
                text=record.text,
                language=Language(record.lang),
                jurisdiction=jurisdiction,
                act=_key(jurisdiction, record.context_act),
                article=record.context_article,
                expected=tuple(
                    Expected(
                        act=_key(jurisdiction, label.act or _by_title(jurisdiction, label.act_title), label.edition),
                        article=label.article,
                        units=(label.part, label.point, label.subpoint, label.para),
                        number=label.act_number if label.act_number_in_text else None,
                        ranged=label.range_level if label.from_range else None,
                        is_self=label.self,
                        ignored=label.optional or label.unresolved or label.ambiguous or label.levels_contestable,
                        span=(label.start, label.end),
                    )
                    for label in record.citations
                ),
            )


def _cases(file: Path) -> Iterator[Labelled]:
    for line in file.read_bytes().splitlines():
        row = orjson.loads(line)
        jurisdiction = _LANGUAGES[row["lang"]]
        yield Labelled(
            set="cases",
            kind=row["difficulty"],
            id=row["id"],
            text=row["text"],
            language=Language(row["lang"]),
            jurisdiction=jurisdiction,
            expected=tuple(
                Expected(
                    act=_code_key(jurisdiction, label["code"]),
                    article=label["article"],
                    units=(label.get("part"), label.get("point"), label.get("subpoint"), label.get("para")),
                )
                for label in row["expected"]
            ),
        )


def _paragraphs(name: str, file: Path) -> Iterator[Labelled]:
    for line in file.read_bytes().splitlines():
        row = orjson.loads(line)
        act, _, article = row["source"].partition("_")
        yield Labelled(
            set=name,
            kind=row["kind"],
            id=row["id"],
            text=row["text"],
            language=Language.RU,
            jurisdiction=Jurisdiction.RU,
            act=act,
            article=article,
            expected=tuple(_of_paragraph(label) for label in row["citations"]),
        )


def _of_paragraph(label: dict[str, Any]) -> Expected:
    outside = _OUTSIDE.match(label["act"]) is not None
    return Expected(
        act=None if outside else _code_key(Jurisdiction.RU, label["act"]),
        article=label["article"],
        units=(label.get("part"), label.get("point"), label.get("subpoint"), label.get("para")),
        number=label["act"].rpartition(" ")[2] if outside and label.get("act_number_in_text") else None,
        ranged=label.get("range_level") if label.get("from_range") else None,
        is_self=label.get("self", False),
        ignored=label.get("optional", False),
        span=(label["start"], label["end"]),
    )


def _code_key(jurisdiction: Jurisdiction, code: str) -> str | None:
    """Return the key that a label means with «ГК РФ», «КПК України 1960», «刑法»; None for a law outside."""
    if _OUTSIDE.match(code):
        return None
    name = re.sub(r" (?:РФ|України)(?=$| )", "", code)
    return _key(jurisdiction, "КРФ" if name == "Конституция" else name)


def _key(jurisdiction: Jurisdiction, name: str | None, edition: str | None = None) -> str | None:
    if name is None or jurisdiction not in known_jurisdictions():
        return name
    registry = load_registry(jurisdiction)
    for candidate in (f"{name} {edition}", name) if edition else (name,):
        try:
            return registry.act(candidate).key
        except InputError:
            continue
    return name


def _by_title(jurisdiction: Jurisdiction, title: str | None) -> str | None:
    """Return the key of an act that the labellers' list of keys lacks and the registry has, such as a protocol."""
    acts = load_registry(jurisdiction).by_name.get(title or "", ())
    return acts[0].key if acts else None


def article_index(data: Path) -> ArticleIndex:
    """Return the ordered articles of the ten Russian codes, of Kazakhstan's Tax Code and of Ukraine's codes."""
    articles: dict[tuple[Jurisdiction, str], list[str]] = {}
    for act in load_statutes(data / "ru-statutes", "ru"):
        articles[Jurisdiction.RU, act.act.key] = [article.number for article in act.articles]
    for name, act_of_index in orjson.loads((data / "ua-statutes" / "article_index.json").read_bytes()).items():
        articles[Jurisdiction.UA, _key(Jurisdiction.UA, name) or name] = act_of_index["articles"]
    numbers = {file.stem.removeprefix("st-").partition("--")[0] for file in (data / "kz-statutes").glob("st-*.md")}
    articles[Jurisdiction.KZ, "НК"] = sorted(numbers, key=article_sort_key)
    return ArticleIndex(articles)
