"""A fake model server and clients of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.models import ModelClient, ModelProfile, open_provider
from tests.fake_models import FakeModels

# What concerns the ledger runs on both databases here too.
from tests.integration.db.conftest import (  # noqa: F401
    ledger,
    ledger_url,
    postgres_template,
    postgres_url,
    sqlite_template,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def server() -> AsyncIterator[FakeModels]:
    async with FakeModels() as fake:
        yield fake


def profile_of(server: FakeModels, model: str = "fake", **fields: Any) -> ModelProfile:
    given = {
        "name": "fake",
        "provider": "openai",
        "model": model,
        "endpoint": server.url,
        "timeout": 5,
        "start_requests_per_second": 1000,
        **fields,
    }
    return ModelProfile.model_validate(given)


def client_of(
    server: FakeModels, model: str = "fake", *, parts: dict[str, Any] | None = None, **fields: Any
) -> ModelClient:
    """A client with hardly any pause between attempts."""
    profile = profile_of(server, model, **fields)
    provider, endpoint = open_provider(profile)
    return ModelClient(profile, provider, endpoint=endpoint, jitter_base=0.001, **(parts or {}))
