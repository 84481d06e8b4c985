"""Lets a driver that is already connected log in to a local graph that was started again, with its new password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.errors import UnavailableError
from service.graph.driver import auth_management, neo4j
from service.graph.local.state import read_password

if TYPE_CHECKING:
    from pathlib import Path

    from service.graph.driver import exceptions

__all__ = ["LocalAuth"]


class LocalAuth(auth_management.AsyncAuthManager):
    """The password of the present start, read again when its file changes.

    The driver asks for each connection that it takes from its pool, so a look costs one ``stat``; the file is tiny and
    on this machine, which is why it is read on the event loop.

    Args:
        user: User name.
        path: File of the password.
    """

    def __init__(self, user: str, path: Path) -> None:
        self._user = user
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._auth: neo4j.Auth | None = None

    async def get_auth(self) -> neo4j.Auth:
        """Return the present password, or the last one while the graph is being started.

        Raises:
            UnavailableError: There was no password yet.
        """
        try:
            found = self._path.stat()
            stamp = (found.st_ino, found.st_mtime_ns)
            if self._auth is None or stamp != self._stamp:
                password = read_password(self._path)
                if password is not None:
                    self._auth, self._stamp = neo4j.basic_auth(self._user, password.get_secret_value()), stamp
        except FileNotFoundError:
            pass
        if self._auth is None:
            raise UnavailableError(f"the local graph has no password at {str(self._path)!r}: it is not up; try again")
        return self._auth

    async def handle_security_exception(
        self, auth: tuple[str, str] | neo4j.Auth | None, error: exceptions.Neo4jError
    ) -> bool:
        """Say whether another try is worth it: when the password is no longer the one that was refused."""
        if error.code != "Neo.ClientError.Security.Unauthorized":
            return False
        self._stamp = None
        return bool(await self.get_auth() != auth)
