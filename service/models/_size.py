"""A bound on what is read of a body: a server that never stops sending would else fill the memory before the deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from service.models._failures import CallError
from service.models._types import ReplyStatus

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

__all__ = ["LARGEST_BODY", "bounded"]

LARGEST_BODY = 64 * 2**20
"""Bytes; a reply of 128,000 tokens takes about one per cent of it."""


def bounded(stream_type: type[Any], largest: int = LARGEST_BODY) -> Callable[[Any], Awaitable[None]]:
    """Return a response hook that ends a body beyond ``largest`` bytes with a ``CallError``.

    Args:
        stream_type: ``AsyncByteStream`` of the library whose client takes the hook, which looks at types.
        largest: Bytes as they come over the wire.
    """

    class Bounded(stream_type):  # type: ignore[misc]
        def __init__(self, inner: Any) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for chunk in self._inner:
                read += len(chunk)
                if read > largest:
                    message = f"the server sent a body of more than {largest:,} bytes, which is no reply of a model"
                    raise CallError(ReplyStatus.BAD_REPLY, message, again=True, sick=True)
                yield chunk

        async def aclose(self) -> None:
            await self._inner.aclose()

    async def hook(response: Any) -> None:
        response.stream = Bounded(response.stream)

    return hook
