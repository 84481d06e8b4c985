"""What writing and validating share: articles as prompts show them, and a budget that many calls at once keep to."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from service.db import Database, spending
from service.errors import InputError
from service.graph.queries import query
from service.graph.rows import norm_uid
from service.models import Contract
from service.tasks.prompts import Prompts

if TYPE_CHECKING:
    from service.domain import NormId
    from service.graph.store import GraphStore, Row
    from service.models import ModelProfile

__all__ = ["Budget", "Estimate", "Progress", "articles_of", "estimate", "prompt_version", "shown_norms"]

_T = TypeVar("_T")
Progress = Callable[[str, int, int], None]

_LONGEST_NORM = 8000
_REPLY_TOKENS = 1200
_CHARACTERS_A_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a stage would cost; nobody was called.

    Attributes:
        calls: Calls still to be made when every reply is accepted at once.
        kept: Items that are done already.
        prompt_tokens: By three characters a token.
        completion_tokens: At 1,200 a reply.
        cost: In ``currency``; None without a price.
    """

    calls: int
    kept: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    currency: str | None


def estimate(profile: ModelProfile, prompts: Sequence[int], kept: int) -> Estimate:
    """Return what calls with prompts of so many characters would cost."""
    tokens = sum(max(1, characters // _CHARACTERS_A_TOKEN) for characters in prompts)
    replies = _REPLY_TOKENS * len(prompts)
    nano = profile.price.cost_nano(tokens, replies) if profile.price else None
    return Estimate(
        len(prompts),
        kept,
        tokens,
        replies,
        None if nano is None else nano / 1e9,
        profile.price.currency if profile.price else None,
    )


class Budget:
    """Ends a stage before it costs more than is allowed; what was spent is asked of the ledger.

    Raises:
        InputError: The model has no price, so that nothing can be added up.
    """

    def __init__(self, ledger: Database, profile: ModelProfile, purpose: str, most: float | None) -> None:
        if most is not None and profile.price is None:
            raise InputError(
                f"model {profile.name!r} has no price in the models file, so budget {most!r} cannot be kept"
            )
        self._ledger, self._profile, self._purpose = ledger, profile, purpose
        self._most = most

    async def spend(self, items: Sequence[_T], work: Callable[[_T], Awaitable[None]]) -> int:
        """Work on items, as many at once as the model takes, while the budget lasts; the first error ends all.

        Returns:
            How many items the budget left for later.
        """
        before = await self._spent()
        waiting = iter(items)
        untouched = 0

        async def hand() -> None:
            nonlocal untouched
            for item in waiting:
                if self._most is None or await self._spent() - before < self._most * 1e9:
                    await work(item)
                else:
                    untouched += 1

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._profile.concurrency, len(items))):
                group.create_task(hand())
        return untouched

    async def _spent(self) -> int:
        if self._most is None:
            return 0
        async with self._ledger.read() as session:
            lines = await spending(session)
        mine = (self._purpose, self._profile.name)
        return sum(line.cost_nano for line in lines if (line.purpose, line.model) == mine)


async def articles_of(store: GraphStore, corpus_uid: str, norms: Sequence[NormId]) -> dict[NormId, Row]:
    """Return wording and validity of norms, by ref."""
    uids = [norm_uid(corpus_uid, norm) for norm in dict.fromkeys(norms)]
    rows = await store.read(query("articles/texts"), uids=uids)
    return {row["article"]["ref"]: row["article"] for row in rows}


def shown_norms(norms: Sequence[NormId], articles: Mapping[NormId, Row]) -> str:
    """Return norms as a prompt shows them; very long ones are cut, and say so."""
    blocks = []
    for norm in norms:
        text = articles[norm]["text"]
        cut = text if len(text) <= _LONGEST_NORM else f"{text[:_LONGEST_NORM]} […]"
        blocks.append(f"[{norm}] {articles[norm]['title']}\n{cut}")
    return "\n\n".join(blocks)


def prompt_version(prompts: Prompts, contract: Contract) -> str:
    """Return what names wording and output format together."""
    return hashlib.sha256(f"{prompts.digest}\n{contract.digest}".encode()).hexdigest()[:16]
