"""Asks a Neo4j server who it is, and turns each way in which that can fail into one clear error."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.errors import SetupError, UnavailableError
from service.graph.driver import exceptions, neo4j
from service.graph.local.lockfile import Version

if TYPE_CHECKING:
    from service.graph.address import GraphAddress

__all__ = ["OLDEST", "ServerInfo", "probe", "require_recent"]

OLDEST = "5.26"
"""The oldest Neo4j that Lexhop works with."""

_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server said about itself.

    Attributes:
        url: Where it was asked.
        version: Its version, such as ``5.26.30``.
        milliseconds: How long a new connection, the login and the answer took.
    """

    url: str
    version: str
    milliseconds: float


async def probe(address: GraphAddress, *, seconds: float = 10.0) -> ServerInfo:
    """Ask the server at ``address``.

    Args:
        address: Where it is and how to log in.
        seconds: How long to wait for a connection.

    Raises:
        SetupError: The address is none, the login is refused, the database does not exist, or the server is too old.
        UnavailableError: Nobody answers there.
    """
    scheme = address.url.partition("://")[0]
    if scheme not in _SCHEMES:
        raise SetupError(f"LEXHOP_GRAPH_URL {address.url!r} is no Bolt address; it looks like bolt://host:7687")
    login = (address.user, address.password.get_secret_value())
    begin = time.perf_counter()
    try:
        driver = neo4j.AsyncGraphDatabase.driver(
            address.url, auth=login, connection_timeout=seconds, connection_acquisition_timeout=seconds
        )
    except (exceptions.ConfigurationError, ValueError) as error:
        raise SetupError(
            f"LEXHOP_GRAPH_URL {address.url!r} is no Bolt address ({error}); it looks like bolt://host:7687"
        ) from error
    async with driver:
        try:
            info = await driver.get_server_info()
            async with driver.session(database=address.database) as session:
                await (await session.begin_transaction()).rollback()
        except exceptions.AuthError as error:
            raise SetupError(
                f"Neo4j at {address.url!r} refuses the user {address.user!r} with this password; correct "
                "LEXHOP_GRAPH_USER and LEXHOP_GRAPH_PASSWORD"
            ) from error
        except exceptions.ClientError as error:
            raise SetupError(
                f"Neo4j at {address.url!r} refuses the database {address.database!r} ({error.message}); correct "
                "LEXHOP_GRAPH_DATABASE"
            ) from error
        except (exceptions.DriverError, exceptions.Neo4jError, OSError) as error:
            raise UnavailableError(
                f"no Neo4j answers at {address.url!r} ({type(error).__name__}); start it, or correct LEXHOP_GRAPH_URL"
            ) from error
    milliseconds = (time.perf_counter() - begin) * 1000
    version = info.agent.partition("/")[2] or info.agent
    require_recent(version, address.url)
    return ServerInfo(url=address.url, version=version, milliseconds=round(milliseconds, 1))


def require_recent(version: str, url: str) -> None:
    """Refuse a server that is too old.

    Raises:
        SetupError: ``version`` is older than ``OLDEST``.
    """
    if Version.parse(version) < Version.parse(OLDEST):
        raise SetupError(f"Neo4j at {url!r} is {version}, and Lexhop needs {OLDEST} or newer; upgrade that server")
