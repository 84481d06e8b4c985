"""Refining the sample's relations by a scripted model: resumable, within a budget, counted."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from loaders.corpus import build_sample
from loaders.relations.refine import plan_refinement, refine
from service.db import AttemptRecorder, Database, spending
from service.domain import RelationSource
from service.errors import InputError, UnavailableError
from tests.integration.models.conftest import client_of

if TYPE_CHECKING:
    from service.graph.content import CorpusContent
    from tests.fake_models import FakeModels

pytestmark = pytest.mark.anyio
PRICE = {"input": "1", "output": "2", "currency": "USD", "as_of": "2026-01"}
_IDS = re.compile(r'id="([^"]+)"')


@pytest.fixture(scope="module")
def content() -> CorpusContent:
    return build_sample().content


def verdict_of(body: dict[str, Any]) -> str:
    """A model that says of every third pair that the first supplements the second, and nothing of the others."""
    source, target = _IDS.findall(body["messages"][1]["content"])[:2]
    kind = "SUPPLEMENTS" if sum(map(ord, source + target)) % 3 == 0 else "NONE"
    return json.dumps({"explanation": f"{source} дополняет {target}", "relation": kind, "direction": "A_TO_B"})


async def test_a_refinement_asks_once_and_makes_a_new_version(
    server: FakeModels, ledger: Database, content: CorpusContent
) -> None:
    server.reply = verdict_of
    recorder = AttemptRecorder(ledger)
    async with client_of(server, price=PRICE, parts={"recorder": recorder}) as client:
        plan = await plan_refinement(content, client, ledger)
        assert not server.seen
        assert plan.cost_nano == plan.prompt_tokens * 1000 + plan.completion_tokens * 2000
        first = await refine(content, client, ledger)
        made = len(server.seen)
        again = await refine(content, client, ledger)
        other = await refine(content, client, ledger, every=True)
    assert made == len(plan.to_ask) == first.counts["asked"] > 5
    assert (again.counts["asked"], again.counts["known"], again.cost_nano) == (0, made, 0)
    assert again.content.version == first.content.version != content.version
    refined = [one for one in first.content.relations if one.source is RelationSource.MODEL]
    assert len(refined) == first.counts["SUPPLEMENTS"] > 0
    assert first.counts["none"] + first.counts["SUPPLEMENTS"] == made
    assert other.counts["known"] == made
    assert other.counts["asked"] > 0
    async with ledger.read() as session:
        (line,) = await spending(session, purpose="refine")
    # Each call that came to the server is on record; a busy machine can break one off before, and it is tried again.
    assert line.attempts >= len(server.seen) == made + other.counts["asked"]
    assert line.cost_nano == first.cost_nano + other.cost_nano


async def test_a_limit_and_then_the_rest(server: FakeModels, ledger: Database, content: CorpusContent) -> None:
    server.reply = verdict_of
    async with client_of(server) as client:
        whole = len((await plan_refinement(content, client, ledger)).to_ask)
        first = await refine(content, client, ledger, limit=3)
        assert (first.counts["asked"], first.left) == (3, whole - 3)
        rest = await refine(content, client, ledger)
    assert (rest.counts["asked"], rest.counts["known"], rest.left) == (whole - 3, 3, 0)
    assert len(server.seen) == whole


async def test_a_budget_is_not_passed(server: FakeModels, ledger: Database, content: CorpusContent) -> None:
    server.reply = verdict_of
    async with client_of(server, price=PRICE) as client:
        plan = await plan_refinement(content, client, ledger)
        assert plan.cost_nano is not None
        budget = plan.cost_nano // 8
        part = await refine(content, client, ledger, budget_nano=budget)
        assert 0 < part.cost_nano <= budget
        assert part.stopped == "the budget is used up"
        assert part.left > 0
    async with client_of(server) as unpriced:
        with pytest.raises(InputError, match="has no price"):
            await refine(content, unpriced, ledger, budget_nano=1)


async def test_unreadable_and_absent_replies_leave_their_candidates_and_are_counted(
    server: FakeModels, ledger: Database, content: CorpusContent
) -> None:
    server.script = ["prose_only", "prose_only", "prose_only", "length", "filter"]
    async with client_of(server, concurrency=1) as client:
        result = await refine(content, client, ledger, limit=6)
        assert result.content.version == content.version
        assert {name: result.counts[name] for name in ("unreadable", "length", "content_filter")} == {
            "unreadable": 2,
            "length": 2,
            "content_filter": 2,
        }
        server.script, server.reply = ["ok"], verdict_of
        after = await refine(content, client, ledger, limit=6)
    assert after.counts["known"] == 0
    assert after.counts["asked"] == 6


async def test_prompts_above_the_window_are_not_sent(
    server: FakeModels, ledger: Database, content: CorpusContent
) -> None:
    async with client_of(server, window=4200, max_tokens=4096) as client:
        plan = await plan_refinement(content, client, ledger)
        result = await refine(content, client, ledger)
    assert plan.too_long == plan.pairs
    assert (result.counts["too_long"], result.counts["asked"]) == (plan.pairs, 0)
    assert not server.seen


async def test_a_server_that_is_down_stops_it_and_says_so(
    server: FakeModels, ledger: Database, content: CorpusContent
) -> None:
    server.script = ["500"]
    async with client_of(server, attempts=1, concurrency=2) as client:
        with pytest.raises(UnavailableError, match="calls in a row failed"):
            await refine(content, client, ledger)
    assert len(server.seen) <= 10
