"""How commands speak to a Lexhop: one elsewhere by URL and key, or this installation's own, without a server."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

import typer

from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    import httpx

__all__ = ["KeyOption", "UrlOption", "api"]

UrlOption = Annotated[
    str | None, typer.Option(envvar="LEXHOP_URL", help="A Lexhop elsewhere; unset: this installation's own ledger.")
]
KeyOption = Annotated[str | None, typer.Option(envvar="LEXHOP_KEY", help="The key for it.", show_envvar=True)]

_SECONDS = 120.0


@contextlib.asynccontextmanager
async def api(settings: Settings, url: str | None, key: str | None) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client for a block.

    Raises:
        InputError: The Lexhop at the URL asks for a key, and none is given; what is public needs none.
    """
    import httpx

    if url is not None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}

        async def needs_key(answer: httpx.Response) -> None:
            if answer.status_code == httpx.codes.UNAUTHORIZED and key is None:
                raise InputError(f"--url {url!r} asks for a key here; give --key or set LEXHOP_KEY")

        hooks = {"response": [needs_key]}
        async with httpx.AsyncClient(base_url=url, headers=headers, event_hooks=hooks, timeout=_SECONDS) as client:
            yield client
        return
    from service.app import create_app

    app = create_app(settings)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        headers = {"Authorization": f"Bearer {await _own_key(settings, app.state.lexhop.ledger)}"}
        async with httpx.AsyncClient(
            base_url="http://lexhop", transport=transport, headers=headers, timeout=_SECONDS
        ) as client:
            yield client


async def _own_key(settings: Settings, ledger: object) -> str:
    """Return the key by which this machine's own commands own their runs; made once, kept in the home folder."""
    from service.db import COMMAND_LINE, Database, Scope, authenticate, create_key
    from service.errors import UnauthenticatedError

    assert isinstance(ledger, Database)  # noqa: S101 - the application's own
    path = settings.home / "command-line.key"
    if path.is_file():
        text = path.read_text(encoding="ascii").strip()
        with contextlib.suppress(UnauthenticatedError):
            async with ledger.read() as session:
                await authenticate(session, text)
            return text
    async with ledger.write() as session:
        _, secret = await create_key(session, name="the command line", scopes=[Scope.ADMIN], actor=COMMAND_LINE)
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
        file.write(secret.get_secret_value() + "\n")
    return secret.get_secret_value()
