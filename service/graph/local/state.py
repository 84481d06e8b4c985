"""What the host and its clients tell each other by files, each replaced as a whole."""

from __future__ import annotations

import os
import random
import secrets
import socket
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from service.errors import SetupError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "HostState",
    "Instance",
    "choose_port",
    "port_is_free",
    "read_instance",
    "read_password",
    "read_state",
    "write_private",
]

# Below the range from which systems take the ports of outgoing connections: a port kept for ever must not be lent to
# a browser for a minute, and a driver that knocks while the host is away must not connect to itself.
_PORTS = range(20_000, 32_000)


class HostState(BaseModel):
    """What the living host says about itself.

    Attributes:
        pid: Its process.
        version: The Neo4j it runs.
        port: Where Bolt answers.
        phase: ``ready`` once Bolt answers, ``failed`` when it gave up.
        message: Why it failed, for people.
    """

    model_config = ConfigDict(frozen=True)

    pid: int
    version: str
    port: int
    phase: Literal["starting", "ready", "stopping", "failed"]
    message: str = ""


class Instance(BaseModel):
    """What a data directory keeps over all starts."""

    model_config = ConfigDict(frozen=True)

    port: int
    version: str


def write_private(path: Path, content: str) -> None:
    """Replace a file as a whole with one that only this user can read (mode 0600)."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def read_state(path: Path) -> HostState | None:
    """Return what the host last said, or None when it said nothing that can be read."""
    try:
        return HostState.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def read_instance(path: Path) -> Instance | None:
    """Return what the data directory keeps, or None for a new one.

    Raises:
        SetupError: The file is there and is not what it should be.
    """
    try:
        return Instance.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise SetupError(
            f"file {str(path)!r} of the local graph cannot be read ({error.error_count()} errors); remove it, "
            "and the next start writes it anew with another port"
        ) from error


def read_password(path: Path) -> SecretStr | None:
    """Return the password of the present start, or None while there is none."""
    try:
        return SecretStr(path.read_text(encoding="utf-8").strip())
    except FileNotFoundError:
        return None


def port_is_free(port: int) -> bool:
    """Whether a server can be started on this port of the loopback interface now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def choose_port() -> int:
    """Return a port of the loopback interface for a new data directory.

    Raises:
        SetupError: No port is free.
    """
    for port in random.sample(_PORTS, 200):
        if port_is_free(port):
            return port
    raise SetupError(f"none of 200 ports tried between {_PORTS.start} and {_PORTS.stop} is free on 127.0.0.1")
