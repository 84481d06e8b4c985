"""Registries of acts: one data file a jurisdiction, compiled once and shared.

A new code, or a new jurisdiction, is a YAML file in ``data/acts`` (docs/adding-an-act.md); no Python changes.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from service.domain import Jurisdiction, Language
from service.errors import InputError, SourceError
from service.resources import resource, resources_below
from service.text.yaml_source import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Registry", "RegistryAct", "known_jurisdictions", "load_registry", "read_registry"]

ActKind = Literal["code", "constitution", "law", "treaty", "decree", "interpretation"]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class RegistryAct(_Entry):
    """One act as its registry knows it.

    Attributes:
        key: The name that citations and graphs use (``ГК``); None for a law that is only known by title and number.
        title: The official title.
        number: Its official number (``127-ФЗ``), where the act is cited by number.
        branch: The branch of law.
        names: Full and short names, each in every case a text can have it in; without the country.
        abbreviations: Letters that stand for it, upper and lower case kept apart.
        aliases: Other spellings of the key in files and requests.
        foreign_names: Names and abbreviations in another language, by language.
        edition: Year that tells an old code from its successor of the same name.
        editions: Years of editions that texts name, of one act.
        unit: What its numbered units are called: articles, or points (rules, treaties without articles).
        points_name_article: Its points carry the article's number (44.1 is of article 44), so that texts leave it out.
        parts: How many parts it has itself, so that «статья 454 части второй ГК» states no part of the article.
        insertion_mark: Joins a superscript to its number: 12¹ is ``12.1`` in Russia, ``12-1`` in Ukraine.
        in_force: False for an act that only old texts cite.
        superseded_by: Key of the act that replaced it.
        title_is_unique: False where an older law had the same title, so that the title alone does not tell the number.
        source: Where title and number can be checked.
    """

    key: str | None = None
    title: str = Field(min_length=1)
    number: str | None = None
    branch: str = Field(min_length=1)
    kind: ActKind = "code"
    names: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    foreign_names: dict[Language, tuple[str, ...]] = Field(default_factory=dict)
    edition: str | None = None
    editions: tuple[str, ...] = ()
    unit: Literal["article", "point"] = "article"
    points_name_article: bool = False
    parts: int = 0
    insertion_mark: Literal[".", "-"] | None = None
    in_force: bool = True
    superseded_by: str | None = None
    title_is_unique: bool = True
    source: str = Field(min_length=1)
    jurisdiction: Jurisdiction = Jurisdiction.RU
    language: Language = Language.RU

    @field_validator("edition", "number", mode="before")
    @classmethod
    def _digits_are_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) else value

    @field_validator("editions", mode="before")
    @classmethod
    def _years_are_text(cls, value: object) -> object:
        return [str(year) if isinstance(year, int) else year for year in value] if isinstance(value, list) else value

    @model_validator(mode="after")
    def _can_be_found(self) -> RegistryAct:
        if not self.names and not self.abbreviations and not self.number:
            raise ValueError("has neither names nor abbreviations nor a number, so no text can ever cite it; add one")
        if self.key is not None and "_" in self.key:
            raise ValueError(f"key {self.key!r} has a '_', which norm ids use as their mark; choose another key")
        return self


class _File(_Entry):
    jurisdiction: Jurisdiction
    language: Language
    country: tuple[str, ...] = ()
    insertion_mark: Literal[".", "-"] = "."
    numbers_unique: bool = False
    acts: tuple[dict[str, object], ...] = Field(min_length=1)


class Registry:
    """The acts of one jurisdiction, immutable.

    Attributes:
        jurisdiction: Whose law.
        language: The language its names are in.
        country: What follows an act's name to say whose it is (``РФ``, ``Российской Федерации``).
        acts: Every act, in the file's order.
        by_key: Acts by key and by alias.
        by_name: Acts by each name, abbreviation and title exactly as written; several where a name is shared.
        by_number: Acts by official number; empty where numbers start again each year, as in Russia.
        points_name_articles: Whether some act has points that tell their article.
    """

    __slots__ = (
        "acts",
        "by_key",
        "by_name",
        "by_number",
        "country",
        "insertion_mark",
        "jurisdiction",
        "language",
        "points_name_articles",
    )

    def __init__(
        self,
        jurisdiction: Jurisdiction,
        language: Language,
        acts: tuple[RegistryAct, ...],
        *,
        country: tuple[str, ...] = (),
        insertion_mark: str = ".",
        numbers_unique: bool = False,
    ) -> None:
        self.jurisdiction = jurisdiction
        self.language = language
        self.acts = acts
        self.points_name_articles = any(act.points_name_article for act in acts)
        self.country = country
        self.insertion_mark = insertion_mark
        self.by_key: Mapping[str, RegistryAct] = MappingProxyType(_keys(acts))
        names: dict[str, list[RegistryAct]] = {}
        for act in acts:
            for name in dict.fromkeys((*act.names, *act.abbreviations, act.title)):
                names.setdefault(name, []).append(act)
        self.by_name: Mapping[str, tuple[RegistryAct, ...]] = MappingProxyType({k: tuple(v) for k, v in names.items()})
        self.by_number: Mapping[str, RegistryAct] = MappingProxyType(
            {act.number: act for act in acts if act.number and numbers_unique}
        )

    def act(self, key: str) -> RegistryAct:
        """Return the act of a key or of an alias of it.

        Raises:
            InputError: The registry has no such key.
        """
        found = self.by_key.get(key)
        if found is None:
            keys = ", ".join(act.key for act in self.acts if act.key)
            raise InputError(f"act {key!r} is not in the registry of {self.jurisdiction.value!r}; it has {keys}")
        return found


def _keys(acts: tuple[RegistryAct, ...]) -> dict[str, RegistryAct]:
    keys: dict[str, RegistryAct] = {}
    for act in acts:
        for key in (*((act.key,) if act.key else ()), *act.aliases):
            if key in keys:
                raise ValueError(f"key or alias {key!r} stands for {keys[key].title!r} and for {act.title!r}; keep one")
            keys[key] = act
    for act in acts:
        if act.superseded_by is not None and act.superseded_by not in keys:
            raise ValueError(f"superseded_by {act.superseded_by!r} of {act.title!r} is no key of this file; correct it")
    return keys


def read_registry(path: Path) -> Registry:
    """Read one registry file.

    Raises:
        SourceError: The file cannot be read as a registry; the message names file, act, field and value.
    """
    try:
        content = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        why = " ".join(str(error).split())
        raise SourceError(f"registry {path.name!r} cannot be read as YAML in UTF-8: {why}; correct the file") from error
    try:
        file = _File.model_validate(content)
    except ValidationError as error:
        raise SourceError(f"registry {path.name!r}: {_first(error)}; see docs/adding-an-act.md") from error
    acts = []
    for place, entry in enumerate(file.acts, start=1):
        name = entry.get("key") or entry.get("title") or "without key and title"
        try:
            acts.append(
                RegistryAct.model_validate(
                    {
                        "insertion_mark": file.insertion_mark,
                        **entry,
                        "jurisdiction": file.jurisdiction,
                        "language": file.language,
                    }
                )
            )
        except ValidationError as error:
            where = f"registry {path.name!r}, act {place} ({name!r})"
            raise SourceError(f"{where}: {_first(error)}; see docs/adding-an-act.md") from error
    try:
        return Registry(
            file.jurisdiction,
            file.language,
            tuple(acts),
            country=file.country,
            insertion_mark=file.insertion_mark,
            numbers_unique=file.numbers_unique,
        )
    except ValueError as error:
        raise SourceError(f"registry {path.name!r}: {error}") from error


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(step) for step in first["loc"]) or "it"
    return f"{field} = {first['input']!r}: {first['msg']}"


@lru_cache(maxsize=1)
def known_jurisdictions() -> tuple[Jurisdiction, ...]:
    """Return the jurisdictions that have a registry, which is every file in ``data/acts``, as found at first use."""
    return tuple(Jurisdiction(path.stem) for path in resources_below("data/acts", ".yaml"))


@lru_cache(maxsize=64)
def load_registry(jurisdiction: Jurisdiction | str) -> Registry:
    """Return the registry of a jurisdiction; it is read once and shared.

    Raises:
        InputError: There is no such registry.
        SourceError: Its file is not a registry.
    """
    known = known_jurisdictions()
    if jurisdiction not in known:
        names = ", ".join(item.value for item in known)
        raise InputError(f"jurisdiction {str(jurisdiction)!r} has no registry of acts; there are {names}")
    registry = read_registry(resource(f"data/acts/{jurisdiction}.yaml"))
    if registry.jurisdiction != jurisdiction:
        raise SourceError(f"registry {jurisdiction}.yaml is of {registry.jurisdiction.value!r}; its name must say so")
    return registry
