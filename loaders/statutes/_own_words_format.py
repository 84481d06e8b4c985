"""What a folder of statutes told in our own words looks like: its files, checked field by field."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from loaders.statutes._units import Numbered
from service.domain import DateBasis, Jurisdiction, Language
from service.errors import SourceError
from service.text.yaml_source import SafeLoader

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ActFile", "ArticleEntry", "CorpusFile", "read_act_file", "read_corpus_file"]

_ARTICLE_NUMBER = r"^\d+(?:[.-]\d+)*$"
Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]
ArticleNumber = Annotated[str, StringConstraints(strict=True, pattern=_ARTICLE_NUMBER)]
FileName = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z0-9_-]+\.yaml$")]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AmendmentEntry(_Entry):
    """An amendment: the unit it changed (null for the whole article), the law's number, its signing date."""

    part: Text | None
    law: Text | None
    date: date | None


class ArticleEntry(_Entry):
    """One article. ``text`` has a paragraph a line; a repealed article has none."""

    number: ArticleNumber
    title: Text
    path: tuple[Text, ...]
    valid_from: date | None = None
    valid_from_basis: DateBasis | None = None
    amendments: tuple[AmendmentEntry, ...] = ()
    repealed: bool = False
    repealed_by: Text | None = None
    text: Annotated[str, StringConstraints(strict=True)] = ""

    @model_validator(mode="after")
    def _consistent(self) -> ArticleEntry:
        if (self.valid_from is None) != (self.valid_from_basis is None):
            raise ValueError("valid_from and valid_from_basis belong together; give both or neither")
        if self.repealed and self.text.strip():
            raise ValueError("a repealed article has no text; remove the text or 'repealed'")
        if not self.repealed and not self.text.strip():
            raise ValueError("an article in force has no text; write it, or say 'repealed: true'")
        if self.repealed_by is not None and not self.repealed:
            raise ValueError("repealed_by stands without 'repealed: true'; add it or remove repealed_by")
        return self


class ActFile(_Entry):
    """One act: what it is, what of it is told, and the articles in the act's own order."""

    key: Text
    title: Text
    jurisdiction: Jurisdiction
    language: Language
    branch: Text
    edition: Text | None = None
    coverage: Annotated[tuple[Text, ...], Field(min_length=1)]
    source: Text
    numbered: Numbered
    articles: Annotated[tuple[ArticleEntry, ...], Field(min_length=1)]


class CorpusFile(_Entry):
    """``corpus.yaml``: the corpus and its files. Such a corpus is never official."""

    key: Text
    official: Literal[False]
    title: Text
    notice: Text
    licence: Text
    acts: Annotated[tuple[FileName, ...], Field(min_length=1)]


def read_corpus_file(path: Path) -> CorpusFile:
    """Read ``corpus.yaml``.

    Raises:
        SourceError: It is missing, not YAML, or a field is not what it should be.
    """
    data = _load(path)
    try:
        return CorpusFile.model_validate(data)
    except ValidationError as error:
        raise _refused(path, data, error) from None


def read_act_file(path: Path) -> ActFile:
    """Read the file of one act.

    Raises:
        SourceError: It is missing, not YAML, or a field is not what it should be; the message names file, article,
            field and value.
    """
    data = _load(path)
    try:
        return ActFile.model_validate(data)
    except ValidationError as error:
        raise _refused(path, data, error) from None


class _StrictLoader(SafeLoader):
    """YAML that refuses a key given twice (the first value would be lost in silence) and leaves dates to the model."""


def _mapping(loader: _StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node)
        if key in seen:
            raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", key_node.start_mark)
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:timestamp"]
    for first, rules in SafeLoader.yaml_implicit_resolvers.items()
}
_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def _load(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SourceError(
            f"file {path.name!r} is missing from {path.parent.name!r}; add it or take it off the list"
        ) from None
    except UnicodeDecodeError as error:
        raise SourceError(f"file {path.name!r} is not UTF-8 at byte {error.start}; save it as UTF-8") from None
    try:
        return yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a SafeLoader that refuses more
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise SourceError(f"file {path.name!r} is not YAML at line {line}: {error.problem}; mend that line") from None


def _refused(path: Path, data: object, error: ValidationError) -> SourceError:
    first = error.errors(include_url=False)[0]
    place = list(first["loc"])
    where = ""
    if place[:1] == ["articles"] and len(place) > 1 and isinstance(data, dict):
        entry = data["articles"][place[1]]
        number = entry.get("number") if isinstance(entry, dict) else None
        where = f", article {number!r}" if number is not None else f", article no. {int(place[1]) + 1} of the list"
        place = place[2:]
    field = ".".join(str(step) for step in place)
    what = first["msg"].removeprefix("Value error, ")
    value = "" if isinstance(first["input"], dict) else f", not {str(first['input'])[:60]!r}"
    hint = "; write it in quotes" if first["type"] == "string_type" and isinstance(first["input"], int | float) else ""
    return SourceError(f"file {path.name!r}{where}{f', field {field!r}' if field else ''}: {what}{value}{hint}")
