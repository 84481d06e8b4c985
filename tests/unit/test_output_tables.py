"""A table as CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import csv
import io

import pytest

from service.analysis import Interval
from service.reports import Field, Table

TABLE = Table(
    "a_b",
    "Costs & gains_50%",
    (Field("name", "Name"), Field("share", "Share", 4), Field("gap", "GAP", 4, interval=True), Field("n")),
    (
        ("A|B_*c*", 0.12345678, Interval(-0.25, -0.5, 0.125, 9), 3),
        ("<i>, \"q\"", None, None, 0),
        ("single", 0.5, Interval(0.5, 0.5, 0.5, 1), 1),
    ),
    ("*** is p < 0.001",),
)  # fmt: skip


def test_csv_rounds_as_python_does_and_leaves_out_what_is_not_applicable() -> None:
    assert list(csv.reader(io.StringIO(TABLE.csv()))) == [
        ["name", "share", "gap", "gap_low", "gap_high", "n"],
        ["A|B_*c*", "0.1235", "-0.25", "-0.5", "0.125", "3"],
        ['<i>, "q"', "", "", "", "", "0"],
        ["single", "0.5", "0.5", "", "", "1"],
    ]
    assert "\r" not in TABLE.csv()


def test_markdown_escapes_its_marks() -> None:
    text = TABLE.markdown()
    assert r"A\|B_\*c\*" in text
    assert "−0.2500 [−0.5000, 0.1250]" in text
    assert "| — |" in text
    assert r"*\*\*\* is p \< 0.001*" in text
    assert text.splitlines()[1] == "|---|---:|---:|---:|"


def test_latex_escapes_its_marks() -> None:
    text = TABLE.latex()
    assert r"\caption{Costs \& gains\_50\%}" in text
    assert r"\label{tab:a-b}" in text
    assert "$-$0.2500 [$-$0.5000, 0.1250]" in text
    assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1
    assert r"\begin{tabular}{lrrr}" in text


def test_html_escapes_its_marks() -> None:
    text = TABLE.html()
    assert "&lt;i&gt;, &quot;q&quot;" in text
    assert "<i>" not in text
    assert text.count("<tr>") == 4


def test_an_interval_of_a_single_value_is_shown_without_bounds() -> None:
    assert "| single | 0.5000 | 0.5000 | 1 |" in TABLE.markdown()


def test_an_interval_in_a_plain_column_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="'x'"):
        Table("t", "t", (Field("x"),), ((Interval(0.1, 0.0, 0.2, 5),),)).csv()
