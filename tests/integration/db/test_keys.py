"""Keys, grants, audit."""

from __future__ import annotations

import hmac

import pytest
from sqlalchemy import event, select, update

from service.db import (
    COMMAND_LINE,
    PUBLIC,
    Base,
    Database,
    Scope,
    Tier,
    authenticate,
    create_key,
    grant_tier,
    list_audit,
    list_keys,
    revoke_grant,
    revoke_key,
    tier_of,
)
from service.errors import ForbiddenError, InputError, NotFoundError, UnauthenticatedError

pytestmark = pytest.mark.anyio


async def new_key(ledger: Database, *scopes: Scope, days: float | None = None) -> tuple[str, str]:
    async with ledger.write() as session:
        key, text = await create_key(session, name="Ann", scopes=scopes, actor=COMMAND_LINE, days=days)
    return key.prefix, text.get_secret_value()


async def who(ledger: Database, text: str | None):
    async with ledger.read() as session:
        return await authenticate(session, text)


async def test_a_key_authenticates_with_its_scopes_and_is_not_stored(ledger: Database) -> None:
    prefix, text = await new_key(ledger, Scope.SUBMIT, Scope.READ)
    principal = await who(ledger, text)
    assert (principal.key, principal.scopes) == (prefix, {Scope.READ, Scope.SUBMIT})
    async with ledger.read() as session:
        rows = (await session.execute(select(*Base.metadata.tables["keys"].columns))).all()
    assert text not in repr(rows)
    # The secret may hold an underscore itself.
    assert text.split("_", 2)[2] not in repr(rows)


async def test_no_key_reads_and_nothing_else(ledger: Database) -> None:
    principal = await who(ledger, None)
    assert principal is PUBLIC
    principal.require(Scope.READ)
    with pytest.raises(UnauthenticatedError, match="'submit'"):
        principal.require(Scope.SUBMIT)


async def test_another_scope_is_forbidden_and_admin_includes_all(ledger: Database) -> None:
    _, judge = await new_key(ledger, Scope.JUDGE)
    with pytest.raises(ForbiddenError, match="lacks 'submit'"):
        (await who(ledger, judge)).require(Scope.SUBMIT)
    _, admin = await new_key(ledger, Scope.ADMIN)
    for scope in Scope:
        (await who(ledger, admin)).require(scope)


@pytest.mark.parametrize("change", ["secret", "prefix", "shape", "empty"])
async def test_a_wrong_key_is_refused(ledger: Database, change: str) -> None:
    prefix, text = await new_key(ledger, Scope.READ)
    wrong = {
        "secret": text[:-1] + ("A" if text[-1] != "A" else "B"),
        "prefix": text.replace(prefix, "a" * 8),
        "shape": "Bearer " + text,
        "empty": "",
    }[change]
    with pytest.raises(UnauthenticatedError) as caught:
        await who(ledger, wrong)
    assert not wrong or wrong not in str(caught.value)


async def test_revoked_and_ended_keys_are_refused(ledger: Database) -> None:
    prefix, text = await new_key(ledger, Scope.READ)
    async with ledger.write() as session:
        await revoke_key(session, prefix, actor=COMMAND_LINE)
    with pytest.raises(UnauthenticatedError):
        await who(ledger, text)
    ended, text = await new_key(ledger, Scope.READ, days=1)
    assert (await who(ledger, text)).key == ended
    keys = Base.metadata.tables["keys"]
    async with ledger.write() as session:
        await session.execute(update(keys).where(keys.c.prefix == ended).values(expires_at=1))
    with pytest.raises(UnauthenticatedError):
        await who(ledger, text)


async def test_a_check_does_the_same_work_whether_the_prefix_exists_or_not(
    ledger: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix, text = await new_key(ledger, Scope.READ)
    compared: list[tuple[int, int]] = []
    statements: list[str] = []
    compare = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((len(a), len(b))) or compare(a, b))
    event.listen(ledger.engine.sync_engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    seen = []
    for key in (text[:-1] + "~", text[:-2] + "AA", text.replace(prefix, "b" * 8), "nonsense"):
        compared.clear()
        statements.clear()
        with pytest.raises(UnauthenticatedError):
            await who(ledger, key)
        seen.append((tuple(compared), tuple(statements)))
    assert len(set(seen)) == 1
    assert seen[0][0] == ((64, 64),)


async def test_tiers_come_from_living_grants(ledger: Database) -> None:
    prefix, text = await new_key(ledger, Scope.READ)
    principal = await who(ledger, text)

    async def tier(task_set: str) -> Tier:
        async with ledger.read() as session:
            return await tier_of(session, principal, task_set)

    async def grant(task_set: str, tier: Tier, days: float | None = 30):
        async with ledger.write() as session:
            return await grant_tier(
                session, prefix, task_set=task_set, tier=tier, purpose="paper", actor=COMMAND_LINE, days=days
            )

    assert await tier("mhgb") is Tier.PUBLIC
    await grant("*", Tier.BROWSE)
    full = await grant("mhgb", Tier.FULL)
    assert (await tier("mhgb"), await tier("other")) == (Tier.FULL, Tier.BROWSE)
    async with ledger.write() as session:
        await revoke_grant(session, full.id, actor=COMMAND_LINE)
    assert await tier("mhgb") is Tier.BROWSE
    grants = Base.metadata.tables["grants"]
    async with ledger.write() as session:
        await session.execute(update(grants).values(expires_at=1))
    assert await tier("mhgb") is Tier.PUBLIC


async def test_what_is_granted_is_on_record(ledger: Database) -> None:
    prefix, _ = await new_key(ledger, Scope.READ)
    async with ledger.write() as session:
        await grant_tier(session, prefix, task_set="a", tier=Tier.FULL, purpose="audit", actor="boss", days=1)
        await revoke_key(session, prefix, actor="boss")
        await revoke_key(session, prefix, actor="boss")
    async with ledger.read() as session:
        entries = await list_audit(session, limit=10)
    assert [(entry.actor, entry.action, entry.subject) for entry in entries] == [
        ("boss", "key_revoked", prefix),
        ("boss", "tier_granted", prefix),
        (COMMAND_LINE, "key_created", prefix),
    ]
    assert entries[1].detail["purpose"] == "audit"
    async with ledger.read() as session:
        assert [entry.id for entry in await list_audit(session, limit=5, before=entries[0].id)] == [2, 1]


async def test_bad_input_is_named(ledger: Database) -> None:
    prefix, _ = await new_key(ledger, Scope.READ)
    async with ledger.write() as session:
        for wrong in ({"name": " ", "scopes": [Scope.READ]}, {"name": "x", "scopes": []}):
            with pytest.raises(InputError):
                await create_key(session, actor=COMMAND_LINE, **wrong)
        with pytest.raises(InputError, match="days 0"):
            await create_key(session, name="x", scopes=[Scope.READ], actor=COMMAND_LINE, days=0)
        for wrong in ({"tier": Tier.PUBLIC}, {"purpose": ""}, {"task_set": " "}, {"days": -1}):
            given = {"task_set": "a", "tier": Tier.FULL, "purpose": "p", "days": 1} | wrong
            with pytest.raises(InputError):
                await grant_tier(session, prefix, actor=COMMAND_LINE, **given)
        with pytest.raises(NotFoundError, match="'zzzzzzzz'"):
            await revoke_key(session, "zzzzzzzz", actor=COMMAND_LINE)
        await revoke_key(session, prefix, actor=COMMAND_LINE)
        with pytest.raises(InputError, match="is revoked"):
            await grant_tier(session, prefix, task_set="a", tier=Tier.FULL, purpose="p", actor=COMMAND_LINE, days=None)
        assert [key.revoked_at is None for key in await list_keys(session)] == [False]
