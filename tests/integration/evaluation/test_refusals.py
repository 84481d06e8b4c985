"""Refusals: a pass apart, that no score depends on."""

from __future__ import annotations

import pytest

from service.db import Run, add_judge_profile, find_judge_profile
from service.errors import ConflictError
from service.evaluation import ask_for_refusals, load_table, refusals_view
from service.judging import JudgeProfile, ModelJudge
from tests.fake_models import FakeModels
from tests.integration.evaluation.conftest import Desk, FixedJudge, add_set, invented_fabula
from tests.integration.evaluation.test_ledger import row
from tests.integration.models.conftest import client_of

pytestmark = pytest.mark.anyio


async def detector(desk: Desk, name: str) -> JudgeProfile:
    profile = JudgeProfile(name=name, model="fake", model_id=name)
    async with desk.database.write() as session:
        body = profile.model_dump(mode="json")
        await add_judge_profile(session, name=name, fingerprint=profile.fingerprint, body=body, actor="t")
    return profile


async def told(desk: Desk, server: FakeModels, run: Run, profile: JudgeProfile) -> None:
    async with desk.database.write() as session:
        assert await ask_for_refusals(session, run, profile.name) == 4
        stored = await find_judge_profile(session, profile.name)
    from service.evaluation import JudgeWorker

    judge = ModelJudge(profile, client_of(server))
    await JudgeWorker(desk.evaluator, {stored.id: judge}, name=profile.name, poll_seconds=0.01).run(once=True)


async def test_refusals_are_told_apart_and_counted_by_mode(desk: Desk, server: FakeModels) -> None:
    await add_set(desk.database, [invented_fabula(n) for n in range(3)], key="small")
    run = await desk.run(task_set="small")
    await desk.send(
        run,
        [
            row(0, "closed", text="Я не даю юридических советов."),
            row(0, "open"),
            row(1, "closed", text='Я не даю юридических советов. {"is_rta": false}'),
            row(1, "open", text="НЕЧИТАЕМО"),
            row(2, "closed", "empty", ""),
            row(2, "open", "context_overflow", ""),
        ],
    )
    await desk.judge(run, FixedJudge())
    before = [item.final for item in (await load_table(desk.database, run.id)).items]

    def reply(body: dict) -> str:
        said = body["messages"][1]["content"]
        if "НЕЧИТАЕМО" in said:
            return "не знаю"
        if "не даю" in said:
            return '{"is_rta": true, "type": "legal_advice_refusal", "confidence": 0.9}'
        return '{"is_rta": false, "type": "scope_refusal", "confidence": 1}'

    server.reply = reply
    await told(desk, server, run, await detector(desk, "d1"))
    async with desk.database.read() as session:
        view = await refusals_view(session, run, "d1")
    assert (view["answers"], view["refused"], view["told"], view["unavailable"]) == (4, 2, 3, 1)
    assert view["rate"] == pytest.approx(2 / 3)
    assert view["types"] == {"legal_advice_refusal": 2}
    assert (view["by"]["mode"]["closed"]["rate"], view["by"]["mode"]["open"]["rate"]) == (1.0, 0.0)
    assert view["by"]["mode"]["open"]["unavailable"] == 1
    assert [item.final for item in (await load_table(desk.database, run.id)).items] == before

    server.reply = '{"is_rta": false, "confidence": 1}'
    await told(desk, server, run, await detector(desk, "d2"))
    async with desk.database.read() as session:
        both = (await refusals_view(session, run, "d1", "d2"))["second"]
        none = (await refusals_view(session, run, "d2", "d2"))["second"]
    # d1 says 1, 0, 1 where d2 says 0, 0, 0: agreement 1/3 is what chance gives
    assert (both["both"], both["kappa"]) == (3, pytest.approx(0.0))
    assert (none["kappa"], none["reason"]) == (None, "not applicable: no refusal was told")
    with pytest.raises(ConflictError, match="lexical"):
        async with desk.database.write() as session:
            await ask_for_refusals(session, run, "lexical")
