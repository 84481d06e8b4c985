"""Where a graph is and how to log in."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import SecretStr

__all__ = ["GraphAddress"]


@dataclass(frozen=True, slots=True)
class GraphAddress:
    """A Bolt address with its credentials; the password does not show in ``repr``."""

    url: str
    user: str
    password: SecretStr
    database: str
