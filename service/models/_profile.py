"""A model as the models file describes it (mhgb.md 8)."""

from __future__ import annotations

import ipaddress
import os
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from service.db import PaceLimits
from service.errors import SetupError
from service.redaction import hide

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ModelKind", "ModelProfile", "ModelRole", "ModelSlice", "Price", "ProviderKind", "is_secret_name"]


class ProviderKind(StrEnum):
    """How a model is spoken to."""

    OPENAI = "openai"
    GIGACHAT = "gigachat"
    OLLAMA = "ollama"
    SCRIPTED = "scripted"
    RECORDED = "recorded"


class ModelRole(StrEnum):
    """What a model is for; judges and tools stand outside leaderboards."""

    PARTICIPANT = "participant"
    JUDGE = "judge"
    TOOL = "tool"


class ModelSlice(StrEnum):
    """The group that tables show a model in."""

    PROPRIETARY = "proprietary"
    RUSSIAN = "russian"
    OPEN_SOURCE = "open_source"


class ModelKind(StrEnum):
    """Whether a model thinks before it answers."""

    GENERAL = "general"
    REASONING = "reasoning"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Price(_Strict):
    """What a million tokens cost, by whose list."""

    input: Decimal = Field(ge=0, max_digits=12)
    output: Decimal = Field(ge=0, max_digits=12)
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    as_of: str = Field(min_length=1, description="The date or version of the price list.")

    def cost_nano(self, prompt: int | None, completion: int | None) -> int | None:
        """Return the cost in billionths of the currency; None when a count is unknown."""
        if prompt is None or completion is None:
            return None
        return int((prompt * self.input + completion * self.output) * 1000)


_SECRETS = frozenset({"key", "apikey", "token", "accesstoken", "password", "secret", "credentials", "authorization"})


def is_secret_name(name: str) -> bool:
    """Whether a field of this name would hold a secret."""
    return name.lower().replace("-", "").replace("_", "") in _SECRETS


class ModelProfile(_Strict):
    """One model. Secrets are named by their environment variables and never stand in the file."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    display_name: str = ""
    provider: ProviderKind
    role: ModelRole = ModelRole.PARTICIPANT
    slice: ModelSlice | None = None
    kind: ModelKind = ModelKind.GENERAL
    size: str | None = None
    model: str = Field(default="", max_length=200)

    endpoint: str | None = None
    endpoint_env: str | None = Field(default=None, pattern=r"^[A-Z][A-Z0-9_]*$")
    key_env: str | None = Field(default=None, pattern=r"^[A-Z][A-Z0-9_]*$")
    auth_endpoint: str | None = None
    auth_scope: str = "GIGACHAT_API_PERS"
    ca_file: Path | None = None
    file: Path | None = None
    record: Path | None = None

    max_tokens: int = Field(default=4096, ge=1)
    max_tokens_field: str = Field(default="max_tokens", pattern=r"^max_(completion_)?tokens$")
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    thinking: bool | None = None
    window: int | None = Field(default=None, ge=1)
    token_budget: int | None = Field(default=None, ge=1)
    extra: dict[str, Any] = Field(default_factory=dict)

    timeout: float = Field(default=120.0, gt=0, le=7200)
    deadline: float | None = Field(default=None, gt=0, le=86400)
    attempts: int = Field(default=5, ge=1, le=20)
    concurrency: int = Field(default=8, ge=1, le=1000)
    requests_per_second: float = Field(default=1000.0, gt=0)
    start_requests_per_second: float = Field(default=20.0, gt=0)
    price: Price | None = None

    @field_validator("extra")
    @classmethod
    def _no_secrets(cls, extra: dict[str, Any]) -> dict[str, Any]:
        for name in extra:
            if is_secret_name(name):
                raise ValueError(f"{name!r} looks like a secret; name its environment variable in key_env")
        return extra

    @model_validator(mode="after")
    def _whole(self) -> ModelProfile:
        if self.provider in (ProviderKind.SCRIPTED, ProviderKind.RECORDED):
            if self.file is None:
                raise ValueError(f"a {self.provider.value} model needs 'file'")
            if self.record is not None:
                raise ValueError(f"a {self.provider.value} model asks nobody and has nothing to 'record'")
            return self
        if not self.model:
            raise ValueError("'model' is missing: the model's id at the provider")
        if self.endpoint and self.endpoint_env:
            raise ValueError("'endpoint' and 'endpoint_env' exclude each other")
        if self.provider is ProviderKind.OPENAI and not (self.endpoint or self.endpoint_env):
            raise ValueError("an endpoint is missing: give 'endpoint' or 'endpoint_env'")
        if self.provider is ProviderKind.GIGACHAT and not self.key_env:
            raise ValueError("'key_env' is missing: the variable that holds GigaChat's authorization key")
        for url in (self.endpoint, self.auth_endpoint):
            if url is not None:
                _check_url(url, has_key=self.key_env is not None)
        return self

    @property
    def shown_name(self) -> str:
        """The name for tables."""
        return self.display_name or self.name

    @property
    def item_seconds(self) -> float:
        """How long one item may take with all its attempts."""
        return self.deadline if self.deadline is not None else self.timeout * 5

    @property
    def pace_limits(self) -> PaceLimits:
        """Within what the limiter moves."""
        return PaceLimits(
            start=min(self.start_requests_per_second, self.requests_per_second), highest=self.requests_per_second
        )

    def url(self, default: str | None = None, environ: Mapping[str, str] = os.environ) -> str:
        """Return the endpoint.

        Raises:
            SetupError: Its environment variable is not set, or holds no usable URL.
        """
        url = self.endpoint
        if self.endpoint_env:
            url = environ.get(self.endpoint_env)
            if not url:
                raise SetupError(
                    f"model {self.name!r}: set the environment variable {self.endpoint_env} to its endpoint"
                )
            try:
                _check_url(url, has_key=self.key_env is not None)
            except ValueError as error:
                raise SetupError(f"model {self.name!r}, variable {self.endpoint_env}: {error}") from None
        url = url or default
        if url is None:
            raise SetupError(f"model {self.name!r} has no endpoint; give 'endpoint' or 'endpoint_env'")
        return url.rstrip("/")

    def key(self, environ: Mapping[str, str] = os.environ) -> SecretStr | None:
        """Return the key, or None for a model without one.

        Raises:
            SetupError: Its environment variable is not set.
        """
        if self.key_env is None:
            return None
        value = environ.get(self.key_env, "").strip()
        if not value:
            raise SetupError(f"model {self.name!r}: set the environment variable {self.key_env} to its key")
        hide(value)
        return SecretStr(value)

    def options(self) -> dict[str, Any]:
        """Return the parameters of a call, by the names of OpenAI's API."""
        options: dict[str, Any] = {self.max_tokens_field: self.max_tokens, **self.extra}
        if self.temperature is not None:
            options["temperature"] = self.temperature
        if self.seed is not None:
            options["seed"] = self.seed
        return options

    def conditions(self) -> dict[str, Any]:
        """Return what decides this model's answers, for fingerprints and tables; it names no secret and no address."""
        return {
            "provider": self.provider.value,
            "model": self.model,
            "options": self.options(),
            "thinking": self.thinking,
            "window": self.window,
            "token_budget": self.token_budget,
        }


def _check_url(url: str, *, has_key: bool) -> None:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("the endpoint is no URL; write it as https://host/v1")
    if parts.username or parts.password:
        raise ValueError("the endpoint holds a user or a password; name the key's environment variable in key_env")
    if parts.scheme == "http" and has_key and not _is_loopback(host):
        raise ValueError(f"a key would go to {host!r} in the clear; use https")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
