"""Manifests: which file holds which act, in what edition, and how much of it.

A folder's ``manifest.yaml`` is a list of acts, or a mapping with ``acts``. What it does not state of an act is taken
from the built-in manifest of the corpus (``data/corpora/<key>.yaml``), found by the act's key, else by the portal's
number of one of its files. An act whose coverage neither states is ``unknown``.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from loaders.statutes._units import Numbered
from service.domain import Jurisdiction, Language
from service.errors import InputError, NotFoundError, SourceError
from service.resources import resources_below
from service.text.yaml_source import read_yaml

__all__ = [
    "AS_LOADED",
    "COMPLETE",
    "UNKNOWN",
    "ActEntry",
    "FetchEntry",
    "FileEntry",
    "ForceRange",
    "Format",
    "Manifest",
    "builtin_manifest",
    "read_manifest",
]

Format = Literal["portal-html", "docx", "front-matter", "chinese-markdown", "provisions"]
COMPLETE = ("complete",)
UNKNOWN = ("unknown",)
AS_LOADED = ("loaded",)
"""Coverage «what was loaded»: the ranges of articles that the files hold."""

_RANGE = re.compile(r"\s*\S+\s*(?:[–—]\s*\S+\s*)?")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ForceRange(_Strict):
    """Articles of a file with a date of entry into force of their own; null where nobody can say one."""

    articles: str = Field(pattern=r"^\s*[^\s–—]+\s*[–—]\s*[^\s–—]+\s*$")
    date: date | None

    @property
    def ends(self) -> tuple[str, str]:
        """The first and the last article."""
        first, last = re.split(r"[–—]", self.articles)
        return first.strip(), last.strip()


class FileEntry(_Strict):
    """One file of an act, or several by a pattern.

    Attributes:
        name: Name below the folder, with ``*`` for many; without it ``<nd>.html``.
        nd: Number of the document on the official portal.
        encoding: Encoding, where the file itself says a wrong one.
        in_force: Entry into force of the part of the act in this file.
    """

    name: str = ""
    nd: str | None = Field(default=None, pattern=r"^\d{6,12}$")
    encoding: str | None = None
    in_force: date | None = None
    in_force_ranges: tuple[ForceRange, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _named(self) -> FileEntry:
        if not self.name:
            if self.nd is None:
                raise ValueError("a file needs a 'name' or an 'nd'")
            object.__setattr__(self, "name", f"{self.nd}.html")
        if Path(self.name).is_absolute() or ".." in Path(self.name).parts:
            raise ValueError(f"file {self.name!r} lies outside the folder")
        return self

    @property
    def document(self) -> str | None:
        """The portal's number: stated, or the name of the file when it is one."""
        stem = Path(self.name).stem
        return self.nd or (stem if re.fullmatch(r"\d{6,12}", stem) else None)


class ActEntry(_Strict):
    """What a manifest says of an act; whatever it leaves out may be said by the built-in one."""

    key: str = Field(min_length=1)
    title: str | None = None
    branch: str | None = None
    jurisdiction: Jurisdiction | None = None
    language: Language | None = None
    numbered: Numbered | None = None
    format: Format | None = None
    titled: bool | None = None
    coverage: tuple[str, ...] | None = None
    edition: str | None = None
    in_force: date | None = None
    valid_to: date | None = None
    source: str | None = None
    files: tuple[FileEntry, ...] = ()

    @field_validator("edition", mode="before")
    @classmethod
    def _edition_text(cls, value: Any) -> Any:
        return value.isoformat() if isinstance(value, date) else str(value) if isinstance(value, int) else value

    @field_validator("coverage", mode="before")
    @classmethod
    def _coverage_words(cls, value: Any) -> Any:
        if isinstance(value, str):
            if value not in ("complete", "unknown", "loaded"):
                raise ValueError(
                    f'coverage is {value!r}; write complete, loaded, unknown, or a list of ranges such as ["1–142.9"]'
                )
            return (value,)
        if isinstance(value, list) and (
            not value or not all(isinstance(part, str) and _RANGE.fullmatch(part) for part in value)
        ):
            raise ValueError(f'coverage is {value!r}; a list holds ranges in quotes, such as ["1–142.9"]')
        return value

    def filled(self, other: ActEntry | None) -> ActEntry:
        """Return this entry with what it leaves out taken from ``other``."""
        if other is None:
            return self
        mine = {name for name in type(self).model_fields if getattr(self, name) not in (None, ())}
        missing = {name: getattr(other, name) for name in type(self).model_fields if name not in mine and name != "key"}
        if self.files and self.in_force is None:
            missing["files"] = tuple(_filled_file(file, other.files) for file in self.files)
        return self.model_copy(update=missing)


class FetchEntry(_Strict):
    """How the texts of a corpus are fetched.

    Attributes:
        path: Path and query behind ``base_url``, with ``{nd}`` for the document's number.
        acts: Keys of the acts to fetch.
    """

    base_url: str
    path: str
    acts: tuple[str, ...]


class Manifest(_Strict):
    """A manifest, of a folder or built in."""

    key: str | None = None
    title: str | None = None
    jurisdiction: Jurisdiction | None = None
    language: Language | None = None
    official: bool | None = None
    source: str | None = None
    fetch: FetchEntry | None = None
    acts: tuple[ActEntry, ...]

    def act(self, key: str, edition: str | None = None) -> ActEntry | None:
        """Return the entry of an act, or None; without an edition the first one of that key."""
        return next((act for act in self.acts if act.key == key and edition in (None, act.edition)), None)

    def act_of_document(self, number: str) -> ActEntry | None:
        """Return the entry of the act that a document of the portal belongs to, or None."""
        return next((act for act in self.acts if any(file.document == number for file in act.files)), None)


def builtin_manifest(corpus: str) -> Manifest | None:
    """Return the built-in manifest of a corpus, or None when the package brings none."""
    paths = {path.stem: path for path in resources_below("data/corpora", ".yaml")}
    return _parsed(paths[corpus]) if corpus in paths else None


def read_manifest(folder: Path, corpus: str) -> Manifest:
    """Return the manifest of a folder, completed by the built-in one of ``corpus``.

    A folder without ``manifest.yaml`` is taken to hold whichever files of the built-in manifest are there.

    Raises:
        InputError: ``folder`` is no folder, or there is neither manifest.
        SourceError: The manifest cannot be read, names a file that is not there, or an act twice.
    """
    if not folder.is_dir():
        raise InputError(f"folder {str(folder)!r} of corpus {corpus!r} does not exist; name a folder with --from")
    builtin = builtin_manifest(corpus)
    path = folder / "manifest.yaml"
    if path.is_file():
        own = _parsed(path)
    elif builtin is not None:
        own = Manifest(acts=_present(folder, builtin))
        if not own.acts:
            raise SourceError(
                f"folder {str(folder)!r} has no manifest.yaml and none of the files of the built-in corpus {corpus!r}, "
                f"such as {builtin.acts[0].files[0].name!r}; write a manifest.yaml, or fetch the corpus into it"
            )
    else:
        raise NotFoundError(
            f"corpus {corpus!r} has no built-in manifest and folder {str(folder)!r} no manifest.yaml; write one"
        )
    acts = tuple(_completed(act, builtin) for act in own.acts)
    manifest = (builtin or own).model_copy(
        update={"acts": acts, **{name: value for name in _HEADER if (value := getattr(own, name)) is not None}}
    )
    _check(manifest, folder, path)
    return manifest


_HEADER = ("key", "title", "jurisdiction", "language", "official", "source")


def _completed(act: ActEntry, builtin: Manifest | None) -> ActEntry:
    if builtin is None:
        return act
    other = builtin.act(act.key, act.edition) or (None if act.edition else builtin.act(act.key))
    if other is None:
        documents = [file.document for file in act.files if file.document]
        other = next((found for number in documents if (found := builtin.act_of_document(number))), None)
    full = act.filled(other)
    if other is not None and act.coverage is None and full.coverage == COMPLETE and _lacks_a_file(act, other):
        return full.model_copy(update={"coverage": AS_LOADED})
    return full


def _lacks_a_file(act: ActEntry, other: ActEntry) -> bool:
    """Whether the built-in entry has several documents and some of them are not among the act's own."""
    documents = {file.document for file in act.files}
    return len(other.files) > 1 and None not in documents and not {file.document for file in other.files} <= documents


def _filled_file(file: FileEntry, others: tuple[FileEntry, ...]) -> FileEntry:
    same = next((other for other in others if file.document is not None and other.document == file.document), None)
    if same is None and len(others) == 1:
        same = others[0]
    if same is None:
        return file
    return file.model_copy(
        update={
            name: getattr(same, name)
            for name in ("encoding", "in_force", "in_force_ranges")
            if getattr(file, name) in (None, ())
        }
    )


def _present(folder: Path, builtin: Manifest) -> tuple[ActEntry, ...]:
    out = []
    for act in builtin.acts:
        files = tuple(file for file in act.files if any(folder.glob(file.name)))
        if files:
            out.append(act.model_copy(update={"files": files, "coverage": None}))
    return tuple(out)


def _check(manifest: Manifest, folder: Path, path: Path) -> None:
    seen: set[tuple[str, str | None]] = set()
    for act in manifest.acts:
        name = f"act {act.key!r}" + (f" edition {act.edition!r}" if act.edition else "")
        if (act.key, act.edition) in seen:
            raise SourceError(f"manifest {path.name!r} has {name} twice; join its files in one entry")
        seen.add((act.key, act.edition))
        if not act.files:
            raise SourceError(f"manifest {path.name!r}: {name} names no files; state 'files'")
        for file in act.files:
            if not any(folder.glob(file.name)) and not (folder / file.name).is_file():
                raise SourceError(
                    f"manifest {path.name!r}: {name} names the file {file.name!r}, which is not in {str(folder)!r}; "
                    f"put it there, or take it out of 'files'"
                )


def _parsed(path: Path) -> Manifest:
    try:
        data = read_yaml(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise SourceError(f"manifest {path.name!r} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    except yaml.YAMLError as error:
        raise SourceError(f"manifest {path.name!r} is not YAML: {' '.join(str(error).split())}; correct it") from None
    if isinstance(data, list):
        data = {"acts": data}
    if not isinstance(data, dict) or not data.get("acts"):
        raise SourceError(f"manifest {path.name!r} holds {type(data).__name__} {data!r:.60}; write a list of acts")
    try:
        return Manifest.model_validate(data)
    except ValidationError as error:
        raise SourceError(f"manifest {path.name!r}: {_told(error, data)}") from None


def _told(error: ValidationError, data: dict[str, Any]) -> str:
    """Tell the first mistake: the act, the field, the value, the remedy."""
    first = error.errors()[0]
    place = list(first["loc"])
    where = ""
    if len(place) >= 2 and place[0] == "acts" and isinstance(place[1], int):
        entry = data["acts"][place[1]]
        key = entry.get("key") if isinstance(entry, dict) else entry
        where = f"act {key!r} (number {place[1] + 1} in the list), "
        place = place[2:]
    field = ".".join(str(part) for part in place) or "entry"
    if first["type"] == "extra_forbidden":
        return f"{where}unknown key {field!r} with {first['input']!r:.60}; take it out, or correct its name"
    return f"{where}{field!r} is {first['input']!r:.80}: {first['msg'].removeprefix('Value error, ')}; correct it"
