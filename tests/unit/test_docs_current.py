"""The docs list every setting, route and command, and say of each what the code says."""

from __future__ import annotations

import re

import pytest

from service.settings import Settings
from tests.docs.generated import GENERATED, ROOT, renewed

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("path", GENERATED)
def test_a_generated_part_is_current(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == renewed(path), f"{path} lags behind; run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_docs_lead_somewhere(page) -> None:
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_settings_named_in_the_docs_exist(page) -> None:
    known = {f"LEXHOP_{name.upper()}" for name in Settings.model_fields}
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    ours = {"LEXHOP_PYTHON", "LEXHOP_URL", "LEXHOP_KEY", *re.findall(r"\bLEXHOP_[A-Z0-9_]+\b", compose)}
    for name in re.findall(r"\bLEXHOP_[A-Z0-9_]+\b", page.read_text(encoding="utf-8")):
        assert name in known | ours or name.startswith("LEXHOP_TEST_"), f"{page.name} names {name}"
