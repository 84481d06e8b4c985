"""Migrations on both databases, empty and filled."""

from __future__ import annotations

import asyncio
import stat

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, func, select, text

from service.db import (
    Base,
    Database,
    Scope,
    Tier,
    create_key,
    downgrade,
    grant_tier,
    head_revision,
    list_audit,
    revision_of,
    upgrade,
)
from service.db._migrate import known_revisions
from service.errors import InputError, SetupError
from service.resources import resource

pytestmark = pytest.mark.anyio


async def test_the_models_and_the_migrations_say_the_same(ledger: Database) -> None:
    def differences(connection) -> list:
        return compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), Base.metadata)

    async with ledger.engine.connect() as connection:
        assert await connection.run_sync(differences) == []


async def test_up_down_and_up_on_a_filled_ledger(empty_url: URL) -> None:
    database = Database(empty_url)
    await upgrade(database)
    async with database.write() as session:
        key, _ = await create_key(session, name="a", scopes=[Scope.ADMIN], actor="command-line")
        await grant_tier(session, key.prefix, task_set="*", tier=Tier.FULL, purpose="work", actor="me", days=None)
    await downgrade(database, "base")
    assert await revision_of(database) is None
    await upgrade(database)
    assert await revision_of(database) == head_revision()
    async with database.read() as session:
        assert await list_audit(session, limit=10) == []
    await database.close()


async def test_an_upgrade_of_a_current_ledger_keeps_its_rows(ledger: Database) -> None:
    async with ledger.write() as session:
        await create_key(session, name="a", scopes=[Scope.READ], actor="command-line")
    await upgrade(ledger)
    async with ledger.read() as session:
        assert await session.scalar(select(func.count()).select_from(Base.metadata.tables["keys"])) == 1


async def test_processes_that_start_together_migrate_once(empty_url: URL) -> None:
    databases = [Database(empty_url) for _ in range(4)]
    await asyncio.gather(*(upgrade(database) for database in databases))
    assert {await revision_of(database) for database in databases} == {head_revision()}
    for database in databases:
        await database.close()


async def test_a_ledger_of_a_newer_lexhop_is_refused(ledger: Database) -> None:
    async with ledger.write() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SetupError, match="'9999'"):
        await upgrade(ledger)


def test_revisions_are_numbered_as_alembic_reads_them() -> None:
    script = ScriptDirectory(str(resource("migrations/sql")))
    in_order = [revision.revision for revision in reversed(list(script.walk_revisions()))]
    assert in_order == known_revisions()
    assert script.get_current_head() == head_revision()


async def test_an_unknown_revision_is_named(ledger: Database) -> None:
    with pytest.raises(InputError, match="'0815'"):
        await downgrade(ledger, "0815")


async def test_the_sqlite_file_is_its_owners_alone(empty_url: URL) -> None:
    database = Database(empty_url)
    await upgrade(database)
    if database.file is not None:
        assert stat.S_IMODE(database.file.stat().st_mode) == 0o600
    await database.close()
