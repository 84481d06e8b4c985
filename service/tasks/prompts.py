"""Prompts of tasks, in sections of a Markdown file; an operator can give other wording by a folder."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.domain import Mode
from service.errors import InputError, NotFoundError
from service.models import Message
from service.resources import resource
from service.tasks.record import Task

__all__ = ["PARTICIPANT", "Prompts", "filled", "participant_prompt", "read_prompts"]

PARTICIPANT: Final = "participant"
"""Name of the prompt that participants get."""

_SECTION = re.compile(r"^# (\w+)\n\n(.*?)\n*(?=^# |\Z)", re.DOTALL | re.MULTILINE)
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Prompts:
    """One file of prompts.

    Attributes:
        sections: Text by heading.
        digest: SHA-256 of the file, for fingerprints and caches.
    """

    name: str
    sections: Mapping[str, str]
    digest: str

    def section(self, heading: str) -> str:
        """Return a section.

        Raises:
            InputError: The file lacks it.
        """
        try:
            return self.sections[heading]
        except KeyError:
            raise InputError(
                f"prompt {self.name!r} has no section '# {heading}' (it has {', '.join(self.sections)}); add it"
            ) from None


def read_prompts(benchmark: str, name: str, language: str, folder: Path | None = None) -> Prompts:
    """Read ``<name>.<language>.md`` of a benchmark.

    Args:
        benchmark: Its key: the folder below ``data/prompts``.
        name: Which prompt, such as ``participant``.
        language: Two letters.
        folder: Another folder, for other wording; what it lacks is taken from ours.

    Raises:
        NotFoundError: There is none.
        InputError: The file cannot be read as sections.
    """
    file = f"{name}.{language}.md"
    ours = resource("data/prompts") / benchmark / file
    path = ours if folder is None or not (folder / file).is_file() else folder / file
    if folder is not None and not folder.is_dir():
        raise InputError(f"prompts folder {str(folder)!r} does not exist; give a folder with files such as {file}")
    if not path.is_file():
        raise NotFoundError(f"benchmark {benchmark!r} has no prompt {file!r}; give a folder that holds it")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"prompt {str(path)!r} cannot be read ({error}); give a file in UTF-8") from error
    sections = {match[1]: match[2].strip() for match in _SECTION.finditer(text)}
    if not sections:
        raise InputError(f"prompt {path.name!r} has no section; begin each by a line such as '# system'")
    return Prompts(path.name, sections, hashlib.sha256(text.encode()).hexdigest())


def filled(text: str, values: Mapping[str, str]) -> str:
    """Put values in the places of a text, once: a value that looks like a place stays as it is.

    Raises:
        InputError: The text has a place that nobody fills.
    """

    def value(match: re.Match[str]) -> str:
        try:
            return values[match[1]]
        except KeyError:
            known = ", ".join(f"{{{name}}}" for name in values)
            raise InputError(f"a prompt has the place {match[0]!r}, but only {known} are filled; correct it") from None

    return _PLACE.sub(value, text)


def participant_prompt(task: Task, context: str | None, prompts: Prompts) -> tuple[Message, ...]:
    """Return what a participant is asked: facts, context in open mode, question, the format wanted (mhgb.md 4).

    Only what a participant may see of a task goes in.

    Args:
        task: The task.
        context: The rendered context of an open task; None for a closed one.
        prompts: By :func:`read_prompts`, name ``participant``.

    Raises:
        InputError: An open task without context, or a closed one with it.
    """
    if (task.mode is Mode.OPEN) != (context is not None):
        wanted = "needs its context" if task.mode is Mode.OPEN else "takes no context"
        raise InputError(f"task {task.id!r} {wanted}; build the prompt so")
    parts = [filled(prompts.section("facts"), {"facts": task.fabula})]
    if context is not None:
        parts.append(filled(prompts.section("context"), {"context": context}))
    parts.append(filled(prompts.section("question"), {"question": task.question}))
    parts.append(filled(prompts.section("format"), {"format": task.expected_answer_format}).strip())
    system = [Message("system", prompts.sections["system"])] if prompts.sections.get("system") else []
    return (*system, Message("user", "\n\n".join(parts)))
