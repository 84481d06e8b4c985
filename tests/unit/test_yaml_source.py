"""The quick reader of YAML says what PyYAML's own says, and where a document is wrong."""

from __future__ import annotations

import pytest
import yaml

from service.text.yaml_source import SafeLoader, read_yaml

ODD = """
base: &base {один: 1, date: 2024-05-01, octal: 010, yes: no, none: ~}
merged: {<<: *base, один: "1"}
numbers: [1_000, 0x1F, 1e3, .5, .inf, "8.1", 8.1, 12:30]
folded: >
  статья
  158
literal: |
  第一百二十条
  之一
beyond: 𠀀 ё \u0301
quoted: "\\u0451 \\x41"
"""


def test_the_c_library_is_used_where_it_is_and_reads_the_same() -> None:
    assert issubclass(SafeLoader, yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)
    assert read_yaml(ODD) == yaml.load(ODD, Loader=yaml.SafeLoader)


@pytest.mark.parametrize("text", ["a: 1\nb: [1, 2\nc: 3\n", "a: 1\nb: !!python/object:os.system {}\n"])
def test_what_is_no_plain_yaml_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(yaml.MarkedYAMLError) as caught:
        read_yaml(text)
    assert caught.value.problem_mark is not None
    assert caught.value.problem_mark.line >= 1
