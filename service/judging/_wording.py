"""An operator's own wording of the questions to a judge, such as a benchmark's official prompts, by a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field

from service.errors import InputError

if TYPE_CHECKING:
    from service.judging._questions import Question

__all__ = ["Wording", "read_wording", "worded"]

_SECTION: Final = re.compile(r"^# (\w+)\n\n(.*?)\n*(?=^# |\Z)", re.DOTALL | re.MULTILINE)
_LONGEST: Final = 50_000


class Wording(BaseModel):
    """The wording of one level.

    Attributes:
        instructions: For the system message; the fence and the form of the reply are ours and follow it.
        labels: What stands above each part of the material, by our own words for it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: str = Field(min_length=1, max_length=_LONGEST)
    labels: Mapping[str, str] = Field(default_factory=dict)


def read_wording(folder: Path, ours: Mapping[str, Mapping[str, str]]) -> dict[str, Wording]:
    """Read ``judge-<level>.md`` of a folder: sections as in our own files, of which ``# system`` must be there.

    Args:
        folder: The operator's.
        ours: Our sections by level; a level without a file, and a label without a section, stay ours.

    Raises:
        InputError: There is no such folder, no file of a level, or a file that cannot be read as sections.
    """
    found = {}
    for level, sections in ours.items():
        path = folder / f"judge-{level}.md"
        if path.is_file():
            found[level] = _wording(path, sections)
    if not found:
        raise InputError(
            f"folder {str(folder)!r} holds none of {', '.join(f'judge-{level}.md' for level in ours)}; "
            "give one with at least one of them"
        )
    return found


def _wording(path: Path, ours: Mapping[str, str]) -> Wording:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"prompt {str(path)!r} cannot be read ({error}); give a file in UTF-8") from error
    sections = {match[1]: match[2].strip() for match in _SECTION.finditer(text)}
    if not sections.get("system"):
        raise InputError(f"prompt {path.name!r} has no section '# system'; put the instructions to the judge there")
    if len(sections["system"]) > _LONGEST:
        raise InputError(
            f"section '# system' of prompt {path.name!r} has {len(sections['system'])} characters, the most is "
            f"{_LONGEST}; shorten it"
        )
    _known(sections, ours, path.name)
    labels = {ours[name]: text for name, text in sections.items() if name != "system" and text}
    return Wording(instructions=sections["system"], labels=labels)


def _known(names: Iterable[str], ours: Iterable[str], file: str) -> None:
    unknown = sorted(set(names) - set(ours))
    if unknown:
        raise InputError(
            f"prompt {file!r} has the section '# {unknown[0]}', which no question has; take some of {', '.join(ours)}"
        )


def worded(question: Question, wording: Mapping[str, Wording]) -> Question:
    """Return a question in an operator's wording, where there is one for its level."""
    own = wording.get(question.level)
    if own is None:
        return question
    material = tuple((own.labels.get(label, label), text) for label, text in question.material)
    return replace(question, instructions=own.instructions, material=material)
