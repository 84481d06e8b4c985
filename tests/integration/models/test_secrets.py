"""A run with every kind of secret; then everything it left behind is searched for them."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest
import structlog
from sqlalchemy import make_url

from service.db import COMMAND_LINE, AttemptRecorder, Database, Scope, create_key, database_url, list_audit, upgrade
from service.errors import LexhopError
from service.logs import set_up_logs
from service.models import Message, ModelClient, ModelProfile, open_provider
from service.settings import Settings
from tests.fake_models import FakeModels
from tests.fake_models.behaviours import BEHAVIOURS, Response

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio

PROVIDER_KEY = "unusual-provider-key-0815"
GIGA_KEY = "Z2lnYS1jbGllbnQ6Z2lnYS1zZWNyZXQ="
PASSWORD = "hunter22-database"


def _stored(folder: Path) -> str:
    return b"".join(path.read_bytes() for path in folder.glob("ledger.sqlite3*")).decode("latin-1")


async def test_no_secret_in_logs_errors_results_or_fingerprints(
    server: FakeModels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = io.StringIO()
    monkeypatch.setattr(sys, "stderr", logs)
    set_up_logs(as_json=True)
    log = structlog.get_logger("test")
    left: list[str] = []
    url = database_url(Settings(database_url=f"postgresql://lexhop:{PASSWORD}@127.0.0.1:9/lexhop"))
    gone = Database(make_url(url))
    with pytest.raises(LexhopError) as caught:
        await gone.ping()
    left += [str(caught.value), gone.name, repr(Settings(database_url=url.render_as_string(hide_password=False)))]
    log.error("ledger_gone", error=str(caught.value), url=url.render_as_string(hide_password=False))
    await gone.close()

    file = tmp_path / "ledger.sqlite3"
    ledger = Database(make_url(f"sqlite+aiosqlite:///{file}"))
    await upgrade(ledger)
    async with ledger.write() as session:
        _, key = await create_key(session, name="Ann", scopes=[Scope.ADMIN], actor=COMMAND_LINE)
        left.append(repr(await list_audit(session, limit=9)))
    environ = {"A_KEY": PROVIDER_KEY, "G_KEY": GIGA_KEY}
    common = {"model": "m", "timeout": 5, "attempts": 2}
    profiles = [
        {"name": "a", "provider": "openai", "endpoint": server.url, "key_env": "A_KEY", **common},
        {
            "name": "g",
            "provider": "gigachat",
            "endpoint": server.url,
            "auth_endpoint": f"{server.root}/api/v2/oauth",
            "key_env": "G_KEY",
            **common,
        },
    ]
    for fields in profiles:
        profile = ModelProfile.model_validate(fields)
        secret = environ[profile.key_env or ""]
        # A server that repeats what it was sent.
        said = json.dumps({"error": {"message": f"invalid key {secret}", "code": "invalid"}}).encode()
        monkeypatch.setitem(BEHAVIOURS, "echo", lambda _, said=said: Response(401, said))
        provider, endpoint = open_provider(profile, environ=environ)
        client = ModelClient(profile, provider, endpoint=endpoint, recorder=AttemptRecorder(ledger), jitter_base=0.001)
        for behaviour in ("echo", "ok", "500", "html"):
            server.script = [behaviour]
            reply = await client.ask([Message("user", "x")], purpose="judge", subject="s")
            log.info("asked", reply=asdict(reply), failure=reply.failure, profile=repr(profile))
            left += [repr(reply), repr(profile), json.dumps(profile.conditions())]
            left.append(client.digest([Message("user", "x")]))
        try:
            raise RuntimeError(f"sent {secret}")
        except RuntimeError:
            log.exception("crashed")
        await client.close()
    await ledger.close()
    structlog.reset_defaults()
    assert server.tokens_given
    secrets = [PROVIDER_KEY, GIGA_KEY, PASSWORD, key.get_secret_value(), key.get_secret_value()[13:], "token-1"]
    stored = _stored(tmp_path)
    everything = {"logs": logs.getvalue(), "results": "\n".join(left), "ledger": stored}
    assert "asked" in everything["logs"]
    for where, text in everything.items():
        assert [secret for secret in secrets if secret in text] == [], where
