"""Turns what drivers raise into errors of ours, by codes, never by words of a message."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from service.errors import LexhopError, SetupError, UnavailableError

__all__ = ["stated"]

_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SQLITE_NO_ENTRY = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}

# SQLSTATE classes and codes of PostgreSQL (its manual, appendix A).
_PG_FULL = {"53100"}
_PG_AUTH = {"28000", "28P01", "3D000", "42501"}
_PG_LATER_CLASSES = ("08", "40", "53", "55", "57", "58")


def stated(error: Exception, database: str) -> Exception:
    """Return the error to raise for a driver's ``error``.

    Errors that show a mistake of ours (a broken constraint, wrong SQL) come back as they are.
    """
    if isinstance(error, PoolTimeoutError):
        return UnavailableError(
            f"all connections to the ledger {database!r} are in use; repeat later, or raise LEXHOP_DATABASE_POOL"
        )
    if not isinstance(error, DBAPIError):
        return _down(database, error)
    origin = error.orig
    if isinstance(origin, sqlite3.Error):
        return _sqlite(error, origin, database)
    return _postgresql(error, database)


def _sqlite(error: DBAPIError, origin: sqlite3.Error, database: str) -> Exception:
    code = getattr(origin, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return _full(database)
    if primary == sqlite3.SQLITE_IOERR:
        return UnavailableError(
            f"the disk of the ledger {database!r} fails or is full ({origin}); nothing was written: "
            "free space or repair the disk, then repeat",
            retry_after=30,
        )
    if primary in _SQLITE_BUSY:
        return UnavailableError(f"the ledger {database!r} is busy with another writer; nothing was written: repeat")
    if primary in _SQLITE_BROKEN:
        return SetupError(f"the ledger {database!r} is damaged ({origin}); put a backup back with `lexhop restore`")
    if primary in _SQLITE_NO_ENTRY:
        return SetupError(f"the ledger {database!r} cannot be opened for writing ({origin}); see to its permissions")
    return error


def _postgresql(error: DBAPIError, database: str) -> Exception:
    state = getattr(error.orig, "sqlstate", None)
    if state in _PG_FULL:
        return _full(database)
    if state in _PG_AUTH:
        return SetupError(
            f"the ledger {database!r} refuses us (SQLSTATE {state}); see to the user, its password, "
            "its rights and the database's name in LEXHOP_DATABASE_URL"
        )
    if error.connection_invalidated or (state is None and _is_operational(error)):
        return _down(database, error)
    if isinstance(state, str) and state.startswith(_PG_LATER_CLASSES):
        return UnavailableError(f"the ledger {database!r} gave up under load (SQLSTATE {state}); repeat")
    return error


def _is_operational(error: DBAPIError) -> bool:
    import psycopg  # noqa: PLC0415 - only where PostgreSQL is in use

    return isinstance(error.orig, psycopg.OperationalError | psycopg.InterfaceError)


def _full(database: str) -> LexhopError:
    return UnavailableError(
        f"the disk of the ledger {database!r} is full; nothing was written: free space, then repeat", retry_after=30
    )


def _down(database: str, error: Exception) -> LexhopError:
    return UnavailableError(
        f"the ledger {database!r} does not answer ({type(error).__name__}); nothing was written: repeat in a moment"
    )
