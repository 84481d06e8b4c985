"""``lexhop keys`` as a user runs it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.db import Database, Scope, Tier, authenticate, database_url, tier_of
from service.settings import Settings

_ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def lexhop(tmp_path: Path):
    def run(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        environ = {name: value for name, value in os.environ.items() if not name.startswith("LEXHOP_")}
        done = subprocess.run(
            [sys.executable, "-m", "service", "keys", *arguments],
            cwd=_ROOT,
            env={**environ, "LEXHOP_HOME": str(tmp_path / "home")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


def test_the_first_key_comes_from_the_command_line(lexhop, tmp_path: Path) -> None:
    made = json.loads(lexhop("create", "--name", "Ann", "--scope", "admin", "--json").stdout)
    text = lexhop("create", "--name", "Bob", "--scope", "read", "--scope", "submit", "--days", "1").stdout.strip()
    prefix = text.split("_")[1]
    granted = ["grant", prefix, "--task-set", "mhgb", "--tier", "full", "--purpose", "study"]
    assert "full of mhgb" in lexhop(*granted).stdout
    listed = json.loads(lexhop("list", "--json").stdout)
    assert [(key["name"], key["scopes"]) for key in listed["keys"]] == [("Ann", ["admin"]), ("Bob", ["read", "submit"])]
    assert [(grant["tier"], grant["purpose"]) for grant in listed["grants"]] == [("full", "study")]
    assert "Bob" in lexhop("list").stdout

    async def look() -> tuple:
        database = Database(database_url(Settings(home=tmp_path / "home")))
        async with database.read() as session:
            ann = await authenticate(session, made["key"])
            bob = await authenticate(session, text)
            tier = await tier_of(session, bob, "mhgb")
        await database.close()
        return ann.scopes, bob.scopes, tier

    assert asyncio.run(look()) == ({Scope.ADMIN}, {Scope.READ, Scope.SUBMIT}, Tier.FULL)
    lexhop("revoke", "--grant", str(listed["grants"][0]["id"]))
    lexhop("revoke", prefix)
    after = json.loads(lexhop("list", "--json").stdout)
    assert [key["revoked_at"] is not None for key in after["keys"]] == [False, True]
    assert after["grants"][0]["revoked_at"]
    stored = b"".join(file.read_bytes() for file in (tmp_path / "home").glob("ledger.sqlite3*"))
    for secret in (text, made["key"]):
        assert secret.encode() not in stored
        assert secret.split("_", 2)[2].encode() not in stored
        assert secret not in json.dumps(after)


def test_mistakes_are_one_line(lexhop) -> None:
    assert "scope 'write' does not exist" in lexhop("create", "--name", "x", "--scope", "write", status=1).stderr
    assert (
        "tier 'all'"
        in lexhop("grant", "aaaaaaaa", "--task-set", "x", "--tier", "all", "--purpose", "y", status=1).stderr
    )
    assert "key 'aaaaaaaa' does not exist" in lexhop("revoke", "aaaaaaaa", status=1).stderr
    assert "one of the two" in lexhop("revoke", status=1).stderr


def test_times_and_names_that_nothing_can_hold_are_refused(lexhop) -> None:
    for days, words in (("nan", "is not above 0"), ("inf", "is more than 36,500"), ("1e300", "is more than 36,500")):
        assert words in lexhop("create", "--name", "x", "--scope", "read", "--days", days, status=1).stderr
    for name in ("я" * 201, "A\x1b[31m", "A\nB"):
        assert "is no name; write at most 200" in lexhop("create", "--name", name, "--scope", "read", status=1).stderr
    assert json.loads(lexhop("list", "--json").stdout)["keys"] == []
    assert "does not exist" in lexhop("revoke", "--grant", "9" * 20, status=1).stderr
    prefix = json.loads(lexhop("create", "--name", "王 Иван", "--scope", "read", "--json").stdout)["prefix"]
    granting = ("grant", prefix, "--tier", "full", "--purpose", "y", "--task-set")
    assert "is not above 0" in lexhop(*granting, "x", "--days", "nan", status=1).stderr
    assert "no task set 'mhgb@1' is here yet" in lexhop(*granting, "mhgb@1").stderr
    assert "no task set" not in lexhop(*granting, "*").stderr
