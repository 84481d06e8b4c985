"""The Chinese labels still stand where they were put."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.labels.chinese import load, load_blind, load_drawn

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data


def test_every_label_cuts_out_a_citation(data: Path) -> None:
    rows = load(data)
    assert len(rows) >= 90
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        for citation in row["citations"]:
            assert re.search(r"[条款]", citation["raw"]), (row["id"], citation)
            assert citation["article"], row["id"]


def test_every_third_row_is_held_out(data: Path) -> None:
    rows = load(data)
    assert sum(row["held_out"] for row in rows) == len(rows) // 3


def test_drawn_passages_and_blind_sentences_cut_out_citations(data: Path) -> None:
    rows = [*load_drawn(data), *load_blind()]
    assert len(rows) >= 100
    assert 0 < sum(row["held_out"] for row in rows) < len(rows) / 2
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        for citation in row["citations"]:
            assert re.search(r"[条款]", citation["raw"]), (row["id"], citation)
            assert citation["article"], row["id"]
