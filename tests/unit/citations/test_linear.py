"""Reading is linear: counted in calls, not in seconds; and no pattern repeats without bound inside a repeat."""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType

import pytest

import service.citations._cyrillic as package
import service.text.normalise as normalise_module
from service.citations import Surrounding, read_citations
from service.domain import Jurisdiction, Language
from tests.benchmarks._citation_texts import HOSTILE

LISTED = {
    "one long item": lambda size: "ЦК України:\n" + "ст. 1 а " * (size // 8),
    "many items": lambda size: "ЦК України:\n" + "- ст. 1 а\n" * (size // 10),
    "many acts": lambda size: "ЦК України:\n" * (size // 12),
    "divided words": lambda size: "ста-\nт" * (size // 6),
}
ORDINARY = "В силу пункта 1 статьи 393 и статей 8, 9 ГК РФ, а также ст. 5 Федерального закона от 26.10.2002 № 127-ФЗ. "


def calls(text: str, language: Language, where: Surrounding | None) -> int:
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    read_citations("ст. 1 ГК", language)
    sys.setprofile(counted)
    try:
        read_citations(text, language, surrounding=where)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("language", [Language.RU, Language.UK])
@pytest.mark.parametrize("name", ["ordinary", *HOSTILE, *LISTED])
def test_twice_the_text_takes_at_most_twice_the_calls(name: str, language: Language) -> None:
    def make(size: int) -> str:
        return (
            (ORDINARY * (size // len(ORDINARY) + 1))[:size] if name == "ordinary" else {**HOSTILE, **LISTED}[name](size)
        )

    where = Surrounding(Jurisdiction.RU, "ГК", "1") if language is Language.RU else None
    once, twice = (calls(make(size), language, where) for size in (3_000, 6_000))
    assert twice <= 2.2 * once + 50
    assert once <= 50 * 3_000


def patterns() -> Iterator[tuple[str, str]]:
    names = [f"{package.__name__}.{item.name}" for item in iter_modules(package.__path__)]
    for module in (*(import_module(name) for name in names), normalise_module):
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield f"{module.__name__}.{name}", value.pattern


def unbounded_inside_unbounded(tree: object, inside: bool = False) -> bool:
    for operation, argument in tree:  # type: ignore[attr-defined]
        if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            _, most, body = argument
            unbounded = most is constants.MAXREPEAT
            if (unbounded and inside) or unbounded_inside_unbounded(body, inside or unbounded):
                return True
        elif operation is constants.SUBPATTERN:
            if unbounded_inside_unbounded(argument[-1], inside):
                return True
        elif operation is constants.BRANCH and any(
            unbounded_inside_unbounded(branch, inside) for branch in argument[1]
        ):
            return True
    return False


@pytest.mark.parametrize(("name", "pattern"), list(patterns()))
def test_no_pattern_nests_unbounded_repeats(name: str, pattern: str) -> None:
    assert not unbounded_inside_unbounded(parser.parse(pattern)), name


def test_the_check_of_patterns_would_find_one() -> None:
    assert unbounded_inside_unbounded(parser.parse("(?:a+b)*"))
