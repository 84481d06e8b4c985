"""Where a graph is and how to log in to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import SecretStr

if TYPE_CHECKING:
    from service.settings import Settings

__all__ = ["GraphAddress", "foreign_address"]


@dataclass(frozen=True, slots=True)
class GraphAddress:
    """One database of one Neo4j; the password shows in no ``repr``.

    Attributes:
        url: Bolt address, such as ``bolt://127.0.0.1:7687``.
        user: User name.
        password: Password of that user.
        database: Name of the database.
    """

    url: str
    user: str
    password: SecretStr
    database: str


def foreign_address(settings: Settings) -> GraphAddress | None:
    """Return the address that ``LEXHOP_GRAPH_URL`` names, or None where a local Neo4j is to be used."""
    if settings.graph_url is None:
        return None
    return GraphAddress(
        url=settings.graph_url,
        user=settings.graph_user,
        password=settings.graph_password,
        database=settings.graph_database,
    )
