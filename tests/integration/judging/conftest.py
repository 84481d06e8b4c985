"""A fake judge on loopback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fake_models import FakeModels

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def server() -> AsyncIterator[FakeModels]:
    async with FakeModels() as fake:
        yield fake
