"""Fixtures that all tests share, and the rule that nothing real may be skipped in CI."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadFileScheduling

_ROOT = Path(__file__).resolve().parent.parent
# Dozens of graphs are started here, most for seconds: making an archive of classes would only cost. It has its own tests.
os.environ.setdefault("LEXHOP_LOCAL_ARCHIVE", "false")


def data_root() -> Path:
    """The folder of real texts: LEXHOP_TEST_DATA, or the one beside the checkout."""
    return Path(os.environ.get("LEXHOP_TEST_DATA", _ROOT.parent / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The real texts; the test is skipped, with a reason, where they are not at hand."""
    folder = data_root()
    if not (folder / "README.md").is_file():
        pytest.skip(f"no real texts at {folder}; set LEXHOP_TEST_DATA")
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """In CI a test that was skipped for want of a server or of data has failed."""
    report = yield
    if report.skipped and os.environ.get("LEXHOP_TEST_NO_SKIPS") == "1" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped in CI: {report.longrepr}"
    return report


# Files whose tests share what is dear to make: one process runs them, one after the other.
_TOGETHER = {
    f"tests/integration/service/test_{name}.py": "the ten codes in a graph" for name in ("ten_codes", "whole_path")
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Where tests are handed out by files, keep some files together."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class LoadGroupOfFiles(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return _TOGETHER.get(file, file)

    return LoadGroupOfFiles(config, log)
