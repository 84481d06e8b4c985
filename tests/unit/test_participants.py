"""The scripted participants do what mhgb.md 6 says of them."""

from __future__ import annotations

import pytest

from tests.participants import everything, hub, marker, norm_coverage


def chunk(norm: str, *lines: str) -> dict[str, object]:
    return {"norm_id": norm, "relation_lines": list(lines)}


BARE = [chunk("А_1"), chunk("А_2"), chunk("А_3")]
MARKED = [chunk("А_1"), chunk("А_2", "Связь «x» между [А_2] и [А_1]."), chunk("А_3", "Связь «x» между [А_3] и [А_1].")]


def test_without_lines_both_name_every_chunk() -> None:
    assert marker(BARE) == hub(BARE) == everything(BARE) == {"А_1", "А_2", "А_3"}


def test_lines_betray_the_seed_to_both() -> None:
    assert marker(MARKED) == hub(MARKED) == {"А_1"}


@pytest.mark.parametrize(
    ("named", "gold", "wanted"),
    [
        ({"А_1"}, {"А_1"}, 1.0),
        ({"А_1", "А_2", "А_3"}, {"А_1"}, 0.5),
        ({"А_2"}, {"А_1"}, 0.0),
        (set(), {"А_1"}, 0.0),
        ({"А_1"}, set(), 0.0),
    ],
)
def test_coverage_is_f1(named: set[str], gold: set[str], wanted: float) -> None:
    assert norm_coverage(named, gold) == wanted
