"""Opens the ledger that the settings mean, brought up to date."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from service.db._engine import Database
from service.db._migrate import upgrade

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.settings import Settings

__all__ = ["open_ledger"]


@asynccontextmanager
async def open_ledger(settings: Settings) -> AsyncIterator[Database]:
    """Open the ledger for a block; missing migrations run first, in one process at a time.

    Raises:
        SetupError: It cannot be used as set; the message says what to set.
        UnavailableError: It does not answer.
    """
    database = Database.from_settings(settings)
    try:
        await upgrade(database)
        yield database
    finally:
        await database.close()
