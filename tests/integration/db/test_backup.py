"""Backups of the ledger: out of either database into either, consistent while in use, refused when damaged."""

from __future__ import annotations

import asyncio
import stat
from typing import TYPE_CHECKING, Any

import pytest

from service.backup import backup, restore
from service.db import (
    COMMAND_LINE,
    AttemptEnd,
    AttemptRecorder,
    AttemptStart,
    Database,
    Scope,
    Tier,
    authenticate,
    create_key,
    grant_tier,
    keep_refinement,
    list_audit,
    list_keys,
    read_ledger,
    revision_of,
    spend,
    upgrade,
)
from service.errors import ConflictError, NotFoundError, SourceError
from service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from sqlalchemy import URL

pytestmark = pytest.mark.anyio
SETTINGS = Settings()


async def fill(ledger: Database) -> str:
    async with ledger.write() as session:
        key, text = await create_key(session, name="Анна", scopes=[Scope.ADMIN], actor=COMMAND_LINE)
        await grant_tier(session, key.prefix, task_set="*", tier=Tier.FULL, purpose="p", actor="x", days=3)
        await spend(session, subject=key.prefix, limit_name="L", limit=9)
        await keep_refinement(session, "k", model="m", prompt_version="1", pair="a b", value={"type": "EXCLUDES"})
    recorder = AttemptRecorder(ledger)
    attempt = await recorder.started(AttemptStart("judge", "s", "m", "d", 1))
    await recorder.ended(attempt, AttemptEnd("answered", 5, 200, cost_nano=2**40, reply="ответ\n"))
    await recorder.started(AttemptStart("judge", "s", "m", "d", 2))
    return text.get_secret_value()


@pytest.fixture
async def other(empty_url: URL) -> AsyncIterator[Database]:
    """A ledger to restore into: nothing is in it yet, no table either."""
    database = Database(empty_url)
    yield database
    await database.close()


async def rows_of(ledger: Database) -> dict[str, list[dict[str, Any]]]:
    async with read_ledger(ledger) as reader:
        return {name: [row async for row in reader.rows(name)] for name in reader.names}


async def test_what_is_restored_is_what_was_there(ledger: Database, other: Database, tmp_path: Path) -> None:
    text = await fill(ledger)
    file = tmp_path / "backups" / "lexhop.backup"
    written = await backup(file, ledger, None)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = await rows_of(ledger)
    assert written.rows == {name: len(rows) for name, rows in before.items()}
    assert sum(written.rows.values()) == 8
    restored = await restore(file, other, None, SETTINGS)
    assert restored.rows == written.rows
    after = await rows_of(other)
    assert after["audit"][-1]["action"] == "restored"
    after["audit"].pop()
    assert after == before
    async with other.write() as session:
        assert (await authenticate(session, text)).name == "Анна"
        # Numbering goes on behind the restored rows.
        await create_key(session, name="b", scopes=[Scope.READ], actor="t")
        assert [entry.id for entry in await list_audit(session, limit=2)] == [4, 3]


async def test_a_backup_sees_one_state_while_others_write(ledger: Database, other: Database, tmp_path: Path) -> None:
    going = True
    written, begun = 0, asyncio.Event()

    async def write() -> None:
        nonlocal written
        while going:
            # A key and its line in the audit belong together.
            async with ledger.write() as session:
                await create_key(session, name="x", scopes=[Scope.READ], actor="t")
            written += 1
            if written >= 5:
                begun.set()

    writers = [asyncio.create_task(write()) for _ in range(2)]
    # However slow the machine: the backup is of a ledger with keys in it, and of one that is being written.
    waiting = asyncio.create_task(begun.wait())
    await asyncio.wait([waiting, *writers], return_when=asyncio.FIRST_COMPLETED)
    file = tmp_path / "lexhop.backup"
    await backup(file, ledger, None)
    going = False
    await asyncio.gather(waiting, *writers)
    await restore(file, other, None, SETTINGS)
    async with other.read() as session:
        keys = {key.prefix for key in await list_keys(session)}
        entries = await list_audit(session, limit=100_000)
    assert len(keys) >= 5
    assert {entry.subject for entry in entries if entry.action == "key_created"} == keys


async def test_nothing_is_overwritten(ledger: Database, tmp_path: Path) -> None:
    await fill(ledger)
    file = tmp_path / "lexhop.backup"
    await backup(file, ledger, None)
    before = await rows_of(ledger)
    with pytest.raises(ConflictError, match="is not empty"):
        await restore(file, ledger, None, SETTINGS)
    assert await rows_of(ledger) == before


async def test_a_migrated_empty_ledger_is_filled(ledger: Database, other: Database, tmp_path: Path) -> None:
    await fill(ledger)
    file = tmp_path / "lexhop.backup"
    await backup(file, ledger, None)
    await upgrade(other)
    await restore(file, other, None, SETTINGS)
    assert len((await rows_of(other))["keys"]) == 1


@pytest.mark.parametrize("damage", ["cut", "changed", "text", "empty"])
async def test_a_damaged_backup_is_refused_and_nothing_is_written(
    ledger: Database, other: Database, tmp_path: Path, damage: str
) -> None:
    await fill(ledger)
    file = tmp_path / "lexhop.backup"
    await backup(file, ledger, None)
    whole = file.read_bytes()
    at = whole.index(b"ledger/keys.ndjson.gz") + 512 + 20
    file.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "changed": whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :],
            "text": b"no backup at all",
            "empty": b"",
        }[damage]
    )
    other.prepare_file()
    with pytest.raises(SourceError, match="it is a folder; name a file"):
        await backup(tmp_path, ledger, None)
    with pytest.raises(SourceError, match=r"lexhop\.backup"):
        await restore(file, other, None, SETTINGS)
    assert await revision_of(other) is None
    with pytest.raises(NotFoundError):
        await restore(tmp_path / "none", other, None, SETTINGS)
