"""Every benchmark has a target of its own, and what lists the targets knows them all."""

from __future__ import annotations

import re

from tests.benchmarks.__main__ import declared
from tests.docs.generated import ROOT


def test_every_benchmark_has_a_target_that_is_listed() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    run = re.findall(r"python -m tests\.benchmarks\.(\w+)", makefile)
    assert sorted(run) == declared()
    targets = re.findall(r"^bench-(\w+):", makefile, re.MULTILINE)
    phony = {name for line in re.findall(r"^\.PHONY: (.*)", makefile, re.MULTILINE) for name in line.split()}
    assert {f"bench-{name}" for name in targets} <= phony
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in targets if f"`{name}`" not in contributing] == []
