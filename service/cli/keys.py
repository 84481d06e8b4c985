"""``lexhop keys``: who may do what."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.markup import escape

from service.cli.output import JsonFlag, console, moment, notes, print_json, table
from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy.ext.asyncio import AsyncSession

    from service.db import Grant, Key

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)
_T = TypeVar("_T")
_EnumT = TypeVar("_EnumT", bound=StrEnum)

_PrefixArgument = Annotated[str, typer.Argument(help="The key's prefix, as `lexhop keys list` shows it.")]


@app.command()
def create(
    name: Annotated[str, typer.Option(help="Whose key it is.")],
    scope: Annotated[
        list[str], typer.Option(help="read, submit, judge, review or admin (which includes the others); repeatable.")
    ],
    days: Annotated[float | None, typer.Option(help="Days until it ends; none: never.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a key and show it, once: it is kept nowhere.

    The first administrator's key is made here too. Example: lexhop keys create --name "Ann" --scope admin
    """
    from service.db import COMMAND_LINE, Scope, create_key

    scopes = [_one_of(Scope, given, "scope") for given in scope]
    key, text = _write(lambda session: create_key(session, name=name, scopes=scopes, actor=COMMAND_LINE, days=days))
    if as_json:
        print_json({**_key(key), "key": text.get_secret_value()})
        return
    notes().print(f"key {key.prefix} of {key.name}: keep it, it is not shown again", markup=False)
    console().print(text.get_secret_value(), markup=False, soft_wrap=True)


@app.command("list")
def list_all(as_json: JsonFlag = False) -> None:
    """List all keys with their grants, revoked ones too.

    Example: lexhop keys list --json
    """
    from service.db import list_grants, list_keys

    async def work(session: AsyncSession) -> tuple[list[Key], list[Grant]]:
        return await list_keys(session), await list_grants(session)

    keys, grants = _write(work)
    if as_json:
        print_json({"keys": [_key(key) for key in keys], "grants": [_grant(grant) for grant in grants]})
        return
    if not keys:
        notes().print("no keys yet; make one: lexhop keys create --name NAME --scope admin", markup=False)
        return
    rows = table("prefix", "name", "scopes", "created (UTC)", "ends", "revoked", "grants")
    for key in keys:
        facts = _key(key)
        own = [_shown_grant(grant) for grant in grants if grant.key == key.prefix]
        rows.add_row(
            key.prefix,
            escape(key.name),
            " ".join(facts["scopes"]),
            moment(facts["created_at"]),
            moment(facts["expires_at"]) or "never",
            moment(facts["revoked_at"]),
            escape("\n".join(own)),
        )
    console().print(rows)


@app.command()
def revoke(
    prefix: Annotated[str | None, typer.Argument(help="The key's prefix.")] = None,
    grant: Annotated[int | None, typer.Option(help="End this grant instead of a key.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """End a key, or one grant of it, at once.

    Examples: lexhop keys revoke k3m9x2aa; lexhop keys revoke --grant 4
    """
    from service.db import COMMAND_LINE, revoke_grant, revoke_key

    if (prefix is None) == (grant is None):
        raise InputError(f"give a key's prefix or --grant, one of the two (given {prefix!r} and {grant!r})")
    if grant is not None:
        ended = _write(lambda session: revoke_grant(session, grant, actor=COMMAND_LINE))
        _tell(as_json, _grant(ended), f"grant {ended.id} of key {ended.key} is ended")
        return
    key = _write(lambda session: revoke_key(session, prefix or "", actor=COMMAND_LINE))
    _tell(as_json, _key(key), f"key {key.prefix} of {key.name} is revoked")


@app.command("grant")
def grant_to(
    prefix: _PrefixArgument,
    task_set: Annotated[str, typer.Option(help="A task set's key, or * for all.")],
    tier: Annotated[str, typer.Option(help="browse (answers one by one) or full (everything, in bulk).")],
    purpose: Annotated[str, typer.Option(help="What the access is for; goes on record.")],
    days: Annotated[float | None, typer.Option(help="Days until it ends; 0: never.")] = 90,
    as_json: JsonFlag = False,
) -> None:
    """Give a key a tier for a task set.

    Example: lexhop keys grant k3m9x2aa --task-set mhgb --tier full --purpose "replication study" --days 30
    """
    from service.db import COMMAND_LINE, Tier, grant_tier, task_set_rows

    wanted = _one_of(Tier, tier, "tier")

    async def work(session: AsyncSession) -> tuple[Grant, bool]:
        made = await grant_tier(
            session, prefix, task_set=task_set, tier=wanted, purpose=purpose, actor=COMMAND_LINE, days=days or None
        )
        return made, made.task_set == "*" or bool(await task_set_rows(session, made.task_set))

    made, known = _write(work)
    if not known:
        # Not refused: access may be promised before a set is made.
        notes().print(
            f"no task set {made.task_set!r} is here yet; the grant takes effect with one of just that name, without a "
            f"version; `lexhop tasks list` shows those that are here",
            markup=False,
            soft_wrap=True,
        )
    _tell(as_json, _grant(made), f"grant {made.id}: key {made.key} has {_shown_grant(made)}")


def _write(work: Callable[[AsyncSession], Awaitable[_T]]) -> _T:
    from service.db import open_ledger

    async def run() -> _T:
        async with open_ledger(Settings()) as ledger, ledger.write() as session:
            return await work(session)

    return asyncio.run(run())


def _one_of(kind: type[_EnumT], given: str, what: str) -> _EnumT:
    try:
        return kind(given)
    except ValueError:
        raise InputError(f"{what} {given!r} does not exist; take one of {', '.join(kind)}") from None


def _key(key: Key) -> dict[str, Any]:
    from service.db import iso_moment

    return {
        "prefix": key.prefix,
        "name": key.name,
        "scopes": [scope.value for scope in key.scopes],
        "created_at": iso_moment(key.created_at),
        "created_by": key.created_by,
        "expires_at": iso_moment(key.expires_at),
        "revoked_at": iso_moment(key.revoked_at),
    }


def _grant(grant: Grant) -> dict[str, Any]:
    from service.db import iso_moment

    return {
        "id": grant.id,
        "key": grant.key,
        "task_set": grant.task_set,
        "tier": grant.tier.value,
        "purpose": grant.purpose,
        "granted_by": grant.granted_by,
        "created_at": iso_moment(grant.created_at),
        "expires_at": iso_moment(grant.expires_at),
        "revoked_at": iso_moment(grant.revoked_at),
    }


def _shown_grant(grant: Grant) -> str:
    facts = _grant(grant)
    end = f"ended {facts['revoked_at']}" if grant.revoked_at else f"until {facts['expires_at'] or 'revoked'}"
    return f"{grant.id}: {grant.tier.value} of {grant.task_set}, {end} ({grant.purpose})"


def _tell(as_json: bool, facts: dict[str, Any], text: str) -> None:
    if as_json:
        print_json(facts)
    else:
        console().print(text, markup=False, soft_wrap=True)
