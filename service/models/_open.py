"""Opens the model that a profile describes."""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING

from service.errors import SetupError
from service.models._client import ModelClient
from service.models._limiter import LedgerLimiter
from service.models._profile import ModelProfile, ProviderKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.db import Database
    from service.models._types import Provider

__all__ = ["open_model", "open_provider"]


def open_model(
    profile: ModelProfile,
    *,
    database: Database | None = None,
    shared_pace: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> ModelClient:
    """Return the client of a model; close it, or use it as a context manager.

    With a ``database`` every attempt is on record there; with ``shared_pace`` the pace is kept there too, as judge
    workers need it.

    Raises:
        SetupError: An environment variable that the profile names is not set.
    """
    from service.db import AttemptRecorder  # noqa: PLC0415 - only with a database

    provider, endpoint = open_provider(profile, environ=environ)
    limiter = None
    if shared_pace:
        if database is None:
            raise SetupError(f"model {profile.name!r}: a shared pace needs the ledger; pass the database")
        limiter = LedgerLimiter(database, profile.name, profile.pace_limits, batch=profile.concurrency)
    recorder = AttemptRecorder(database) if database is not None else None
    return ModelClient(profile, provider, endpoint=endpoint, limiter=limiter, recorder=recorder)


def open_provider(profile: ModelProfile, *, environ: Mapping[str, str] = os.environ) -> tuple[Provider, str]:
    """Return what speaks to the model, and its address; with ``record`` every reply is written down too.

    Raises:
        SetupError: An environment variable that the profile names is not set.
    """
    provider, endpoint = _provider(profile, environ)
    if profile.record is not None:
        from service.models._scripted import RecordingProvider  # noqa: PLC0415

        provider = RecordingProvider(provider, profile.record)
    return provider, endpoint


def _provider(profile: ModelProfile, environ: Mapping[str, str]) -> tuple[Provider, str]:
    # Each kind is imported when it is used: the openai SDK alone takes a second.
    if profile.provider is ProviderKind.SCRIPTED or profile.provider is ProviderKind.RECORDED:
        from service.models._scripted import RecordedProvider, ScriptedProvider, read_script  # noqa: PLC0415

        assert profile.file is not None  # noqa: S101 - the profile checks it
        if profile.provider is ProviderKind.SCRIPTED:
            return ScriptedProvider(read_script(profile.file)), profile.provider.value
        return RecordedProvider(profile.file), profile.provider.value
    key = profile.key(environ)
    tls = _tls(profile)
    if profile.provider is ProviderKind.GIGACHAT:
        from service.models._gigachat import GIGACHAT_AUTH, GIGACHAT_URL, GigaChatProvider  # noqa: PLC0415

        assert key is not None  # noqa: S101 - the profile checks it
        url = profile.url(GIGACHAT_URL, environ)
        auth_url = profile.auth_endpoint or GIGACHAT_AUTH
        return (
            GigaChatProvider(
                url,
                key,
                auth_url=auth_url,
                scope=profile.auth_scope,
                seconds=profile.timeout,
                connections=profile.concurrency,
                tls=tls,
            ),
            url,
        )
    if profile.provider is ProviderKind.OLLAMA:
        from service.models._ollama import OLLAMA_URL, OllamaProvider  # noqa: PLC0415

        url = profile.url(OLLAMA_URL, environ)
        return (
            OllamaProvider(
                url,
                window=profile.window,
                thinking=profile.thinking,
                seconds=profile.timeout,
                key=key.get_secret_value() if key else None,
                tls=tls,
            ),
            url,
        )
    from service.models._openai import OpenAIProvider  # noqa: PLC0415

    url = profile.url(None, environ)
    # The SDK insists on a key; servers of one's own take any.
    text = key.get_secret_value() if key else "none"
    return OpenAIProvider(url, text, seconds=profile.timeout, connections=profile.concurrency, tls=tls), url


def _tls(profile: ModelProfile) -> ssl.SSLContext | None:
    """Return a context that trusts one more authority; certificates are always checked."""
    if profile.ca_file is None:
        return None
    try:
        context = ssl.create_default_context()
        context.load_verify_locations(cafile=str(profile.ca_file))
    except (OSError, ssl.SSLError) as error:
        raise SetupError(f"model {profile.name!r}: ca_file {str(profile.ca_file)!r} cannot be used: {error}") from error
    return context
