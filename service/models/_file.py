"""Reads the models file; every error names the file and the line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from service.errors import NotFoundError, SourceError
from service.models._profile import ModelProfile, ModelRole, is_secret_name

__all__ = ["ModelsFile", "read_models_file"]

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class ModelsFile:
    """The models of one file, in its order."""

    path: Path
    models: tuple[ModelProfile, ...]

    def get(self, name: str) -> ModelProfile:
        """Return a model by name.

        Raises:
            NotFoundError: The file has no such model.
        """
        for model in self.models:
            if model.name == name:
                return model
        names = tuple(model.name for model in self.models)
        raise NotFoundError(f"model {name!r} is not in {str(self.path)!r}; it has {', '.join(names)}", nearest=names)

    def of_role(self, role: ModelRole) -> tuple[ModelProfile, ...]:
        """Return the models of a role."""
        return tuple(model for model in self.models if model.role is role)


def read_models_file(path: Path) -> ModelsFile:
    """Read and check a models file: a mapping with the list ``models``.

    Relative paths in it count from the file's own folder.

    Raises:
        NotFoundError: There is no such file.
        SourceError: It is not what it should be; every fault is named with its line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise NotFoundError(f"models file {str(path)!r} does not exist; docs/models.md says how to write one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"models file {str(path)!r} cannot be read: {error}") from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SourceError(f"{path}:{line}: not YAML: {error.problem or error.context}") from None
    except yaml.YAMLError:
        raise SourceError(f"{path}:1: not YAML; write it as UTF-8 text") from None
    lines: dict[_Path, int] = {}
    faults: list[tuple[int, str]] = []
    try:
        value = _plain(root, (), lines, faults)
    except RecursionError:
        raise SourceError(f"{path}:1: an alias stands within its own anchor; write the value out") from None
    models = _models(value, path, lines, faults)
    if faults:
        raise SourceError("\n".join(f"{path}:{line}: {fault}" for line, fault in sorted(set(faults))))
    return ModelsFile(path, models)


def _plain(node: yaml.Node | None, where: _Path, lines: dict[_Path, int], faults: list[tuple[int, str]]) -> Any:
    """Build plain values and note the line of each."""
    if node is None:
        return None
    lines[where] = node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*where, number), lines, faults) for number, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in result:
                faults.append((key_node.start_mark.line + 1, f"{key!r} stands here a second time; keep one"))
            result[key] = _plain(value_node, (*where, key), lines, faults)
            lines[(*where, key)] = key_node.start_mark.line + 1
        return result
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node)
    except (ValueError, yaml.YAMLError):
        faults.append((node.start_mark.line + 1, f"{str(node.value)[:40]!r} cannot be read as a value; quote it"))
        return None
    finally:
        loader.dispose()


def _models(value: Any, path: Path, lines: dict[_Path, int], faults: list[tuple[int, str]]) -> tuple[ModelProfile, ...]:
    entries = value.get("models") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not entries:
        line = lines.get(("models",), 1)
        faults.append((line, "the list 'models' is missing or empty; docs/models.md has an example"))
        return ()
    for extra in value.keys() - {"models"}:
        faults.append((lines[(extra,)], f"{extra!r} is not known here; the file has one list, 'models'"))
    profiles: dict[str, ModelProfile] = {}
    for number, entry in enumerate(entries):
        profile = _profile(entry, number, path, lines, faults)
        if profile is None:
            continue
        if profile.name in profiles:
            at = lines[("models", number, "name")]
            faults.append((at, f"name {profile.name!r} is taken by another model of this file; names differ"))
        profiles[profile.name] = profile
    return tuple(profiles.values())


def _profile(
    entry: Any, number: int, path: Path, lines: dict[_Path, int], faults: list[tuple[int, str]]
) -> ModelProfile | None:
    if not isinstance(entry, dict):
        at = lines[("models", number)]
        faults.append((at, f"{entry!r} is no model; write name, provider and so on as a mapping"))
        return None
    for name in [name for name in entry if is_secret_name(name)]:
        # The value is never repeated.
        at = lines[("models", number, name)]
        faults.append((at, f"{name!r} holds a secret; put it into an environment variable and name that in key_env"))
        del entry[name]
    for name in ("file", "ca_file", "record"):
        if isinstance(entry.get(name), str):
            entry[name] = path.parent / entry[name]
    try:
        return ModelProfile.model_validate(entry)
    except ValidationError as error:
        faults.extend(_faults(error, number, entry, lines))
        return None


def _faults(
    error: ValidationError, number: int, entry: dict[str, Any], lines: dict[_Path, int]
) -> list[tuple[int, str]]:
    faults = []
    for fault in error.errors(include_url=False, include_context=False):
        where: _Path = ("models", number, *fault["loc"])
        while where not in lines:
            where = where[:-1]
        subject = ".".join(str(part) for part in fault["loc"])
        message = fault["msg"].removeprefix("Value error, ")
        # Who writes a key where its variable's name belongs shall not find it in a log.
        secret = subject.endswith("_env") or subject.startswith("extra")
        if subject and not secret and fault["type"] not in ("missing", "extra_forbidden"):
            subject += f" is {str(fault['input'])[:60]!r}"
        text = f"{subject}: {message}" if subject else message
        faults.append((lines[where], f"model {entry.get('name')!r}: {text}"))
    return faults
