"""Reads prompts from data/prompts: files of named sections."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from service.errors import SetupError
from service.resources import resource_text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["prompt_sections"]

_SECTION = re.compile(r"^# (\w+)\n\n(.*?)\n*(?=^# \w+\n\n|\Z)", re.DOTALL | re.MULTILINE)


@lru_cache(maxsize=64)
def prompt_sections(name: str, *wanted: str) -> Mapping[str, str]:
    """Return the sections of ``data/prompts/<name>.md`` by their names; each begins with a line ``# name``.

    Raises:
        SetupError: The file or one of the ``wanted`` sections is missing.
    """
    sections = dict(_SECTION.findall(resource_text(f"data/prompts/{name}.md")))
    missing = [section for section in wanted if section not in sections]
    if missing:
        raise SetupError(f"the prompt {name!r} lacks the sections {missing!r}; install the lexhop wheel again")
    return sections
