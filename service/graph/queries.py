"""Loads the queries of ``cypher/`` by name, each with the header that says what it is.

A file opens with comment lines::

    // answers: which article has this uid
    // param uid: string, the article's uid
    // returns: one row {article, act} or none

A parameter's type is one of string, integer, float, boolean, list, map, any, the first word behind the colon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from service.errors import SetupError
from service.resources import resource, resource_text, resources_below

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ParameterType", "Query", "all_queries", "query"]

ParameterType = Literal["string", "integer", "float", "boolean", "list", "map", "any"]

_HEADER = re.compile(r"^//\s*(answers|returns|param\s+(?P<name>\w+)):\s*(?P<said>.*)$")
_USED = re.compile(r"\$(\w+)")


@dataclass(frozen=True, slots=True)
class Query:
    """One query with its header.

    Attributes:
        name: Its path below ``cypher/`` without the suffix, such as ``articles/by_uid``.
        parameters: Each parameter's type.
    """

    name: str
    text: str
    answers: str
    returns: str
    parameters: Mapping[str, ParameterType]

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Raise when the parameters given are not exactly those of the header."""
        if parameters.keys() != self.parameters.keys():
            given, wanted = sorted(parameters), sorted(self.parameters)
            raise SetupError(f"query {self.name!r} takes the parameters {wanted}, given {given}; correct the caller")


def parse_query(name: str, text: str) -> Query:
    """Read a query's header.

    Raises:
        SetupError: The header lacks a line, names an unknown type, or differs from the parameters used.
    """
    said: dict[str, str] = {}
    parameters: dict[str, ParameterType] = {}
    body: list[str] = []
    for line in text.splitlines():
        match = _HEADER.match(line)
        if match is None:
            if not line.startswith("//"):
                body.append(line)
            continue
        if parameter := match["name"]:
            kind = match["said"].split(",")[0].split()[0]
            if kind not in get_args(ParameterType):
                raise SetupError(f"query {name!r}: parameter {parameter!r} has the unknown type {kind!r}")
            parameters[parameter] = kind  # type: ignore[assignment]
        else:
            said[match[1]] = match["said"]
    if set(said) != {"answers", "returns"}:
        raise SetupError(f"query {name!r} lacks a header line 'answers' or 'returns'; write it")
    cypher = "\n".join(body).strip()
    used = set(_USED.findall(cypher))
    if used != set(parameters):
        raise SetupError(f"query {name!r} uses the parameters {sorted(used)}, its header says {sorted(parameters)}")
    return Query(name, cypher, said["answers"], said["returns"], parameters)


@cache
def query(name: str) -> Query:
    """Return a query by its path below ``cypher/``, without the suffix."""
    return parse_query(name, resource_text(f"cypher/{name}.cypher"))


def all_queries() -> list[Query]:
    """Return every query there is, by name."""
    root = resource("cypher")
    return [query(_name(path, root)) for path in resources_below("cypher", ".cypher")]


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).with_suffix("").as_posix()
