"""GigaChat: its chat API is OpenAI's, its access tokens come by OAuth and last half an hour.

Written from the provider's documentation (developers.sber.ru, GigaChat REST API, authorization).
"""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import TYPE_CHECKING

import httpx

from service.models._failures import CallError, of_status
from service.models._openai import OpenAIProvider
from service.models._types import RawReply, ReplyStatus, Request
from service.redaction import hide

if TYPE_CHECKING:
    import ssl

    from pydantic import SecretStr

__all__ = ["GIGACHAT_AUTH", "GIGACHAT_URL", "GigaChatProvider"]

GIGACHAT_URL = "https://gigachat.devices.sberbank.ru/api/v1"
GIGACHAT_AUTH = "https://ngw.devices.sberbank.ru:9443/api/v2/oauth"

# A token is renewed this long before its end, so that none ends under way.
_MARGIN_SECONDS = 60.0


class GigaChatProvider:
    """Calls GigaChat with an access token of its own, renewed before it ends or when it is refused."""

    def __init__(
        self,
        base_url: str,
        key: SecretStr,
        *,
        auth_url: str,
        scope: str,
        seconds: float,
        connections: int = 100,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._auth_url = auth_url
        self._key = key
        self._scope = scope
        self._token = ""
        self._ends = 0.0
        self._turn = asyncio.Lock()
        self._auth = httpx.AsyncClient(timeout=min(seconds, 30.0), verify=True if tls is None else tls)
        self._chat = OpenAIProvider(base_url, self._fresh_token, seconds=seconds, connections=connections, tls=tls)

    async def complete(self, request: Request) -> RawReply:
        """Make one attempt (see ``Provider``); a token refused before its time is renewed once."""
        try:
            return await self._chat.complete(request)
        except CallError as error:
            if error.http_status != 401:
                raise
        self._ends = 0.0
        return await self._chat.complete(request)

    async def close(self) -> None:
        """Close the connections."""
        await self._chat.close()
        await self._auth.aclose()

    async def _fresh_token(self) -> str:
        async with self._turn:
            if time.time() < self._ends - _MARGIN_SECONDS:
                return self._token
            try:
                answer = await self._auth.post(
                    self._auth_url,
                    data={"scope": self._scope},
                    headers={
                        "Authorization": f"Basic {self._key.get_secret_value()}",
                        "RqUID": str(uuid.uuid4()),
                        "Accept": "application/json",
                    },
                )
            except httpx.TimeoutException as error:
                raise CallError(
                    ReplyStatus.TIMEOUT, "the token server did not answer in time", again=True, sick=True
                ) from error
            except httpx.HTTPError as error:
                reason = f"no connection to the token server ({type(error).__name__})"
                raise CallError(ReplyStatus.UNREACHABLE, reason, again=True, sick=True) from error
            if answer.status_code != 200:
                raise of_status(answer.status_code, "no access token was given", headers=answer.headers)
            try:
                body = answer.json()
                token, ends = body["access_token"], float(body["expires_at"]) / 1000
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                reason = "the token server's answer holds no access_token with expires_at"
                raise CallError(ReplyStatus.BAD_REPLY, reason, again=True, sick=True) from error
            hide(str(token))
            self._token, self._ends = str(token), ends
            return self._token
