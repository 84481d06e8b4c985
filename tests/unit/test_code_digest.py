"""The digest of code, by which scores of another reader are told from those of this one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from service.benchmarks.mhgb import evaluation
from service.errors import SetupError
from service.resources import code_digest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "lexhop_invented_reader"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "one.py").write_text("def read(text):\n    return text\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    sys.modules.pop("lexhop_invented_reader", None)


def test_only_what_is_done_counts(package: Path) -> None:
    before = code_digest("lexhop_invented_reader")
    assert code_digest("lexhop_invented_reader.one") != before
    (package / "one.py").write_text("# Why.\n\ndef read(text):\n    # Also why.\n    return text  \n", encoding="utf-8")
    assert code_digest("lexhop_invented_reader") == before
    (package / "one.py").write_text("def read(text):\n    return text.strip()\n", encoding="utf-8")
    assert code_digest("lexhop_invented_reader") != before
    (package / "one.py").write_text("def read(text):\n    return text\n", encoding="utf-8")
    (package / "two.py").write_text("LIMIT = 2\n", encoding="utf-8")
    assert code_digest("lexhop_invented_reader") != before


def test_a_module_that_is_not_there() -> None:
    with pytest.raises(SetupError, match="lexhop_no_such_module"):
        code_digest("lexhop_no_such_module")


def test_a_reader_of_another_wording_is_another_scorer(monkeypatch: pytest.MonkeyPatch) -> None:
    from service.domain import Language

    mine = evaluation.EVALUATION.digest(Language.RU)
    assert evaluation.EVALUATION.digest(Language.RU) == mine
    monkeypatch.setattr(evaluation, "_code", lambda: "another")
    assert evaluation.EVALUATION.digest(Language.RU) != mine
