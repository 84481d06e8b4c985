"""Queries live in cypher/: no string of the code is one, so that nothing can be pasted into one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
# A clause with what follows it in a query, and not in a sentence.
_CYPHER = re.compile(
    r"\b(?:MATCH|MERGE|CREATE)\s*\(|\bUNWIND\s+[$\[]|\bDETACH\s+DELETE\b|\bRETURN\s+\w+\s*(?:LIMIT|ORDER|,)"
)


def cypher_in(source: str) -> Iterator[int]:
    """Lines of strings, f-strings included, that hold Cypher."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CYPHER.search(node.value):
            yield node.lineno


def test_no_string_is_a_query() -> None:
    modules = [path for room in ("service", "loaders") for path in sorted((_ROOT / room).rglob("*.py"))]
    assert len(modules) > 250
    found = [
        f"{path.relative_to(_ROOT)}:{line}" for path in modules for line in cypher_in(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "code",
    ['f"MATCH (n:{label}) RETURN n"', '"MERGE (a:Act {uid: $uid})"', '"UNWIND $rows AS row"', '"DETACH DELETE n"'],
)
def test_a_query_would_be_found(code: str) -> None:
    assert list(cypher_in(code)) == [1]
