"""The cache of what models said about pairs of articles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import select

from service.db._base import insert_into, now_ms
from service.db._tables import RefinementRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.ext.asyncio import AsyncSession

__all__ = ["cached_refinements", "keep_refinement"]

_CHUNK = 500


async def cached_refinements(session: AsyncSession, keys: Iterable[str]) -> dict[str, Any]:
    """Return what is known for each of ``keys``; unknown ones are absent."""
    wanted = list(dict.fromkeys(keys))
    found: dict[str, Any] = {}
    for start in range(0, len(wanted), _CHUNK):
        rows = await session.execute(
            select(RefinementRow.key, RefinementRow.value_json).where(
                RefinementRow.key.in_(wanted[start : start + _CHUNK])
            )
        )
        found.update((key, orjson.loads(value)) for key, value in rows)
    return found


async def keep_refinement(
    session: AsyncSession, key: str, *, model: str, prompt_version: str, pair: str, value: Mapping[str, Any]
) -> None:
    """Keep a model's word on a pair; the first one for a key stays."""
    await session.execute(
        insert_into(session, RefinementRow)
        .values(
            key=key,
            model=model,
            prompt_version=prompt_version,
            pair=pair,
            value_json=orjson.dumps(dict(value), option=orjson.OPT_SORT_KEYS).decode(),
            created_at=now_ms(),
        )
        .on_conflict_do_nothing()
    )
