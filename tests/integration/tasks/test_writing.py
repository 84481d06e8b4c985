"""Writing and validating against a server that misbehaves: every chain ends as a task or a recorded failure."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from loaders.corpus import BuiltCorpus
from service.db import Database, InstantiationRow, spending
from service.domain import Language, Mode
from service.errors import ConflictError, InputError, NotFoundError
from service.graph.store import GraphStore
from service.models import ModelClient, ModelProfile, open_model
from service.tasks import (
    CHECKS,
    TaskSet,
    check_tasks,
    estimate_validation,
    estimate_writing,
    freeze,
    get_task_set,
    list_fabulas,
    list_tasks,
    read_prompts,
    validate_tasks,
    write_tasks,
)
from tests.fake_models import FakeModels
from tests.integration.tasks.conftest import draft_of, good_reply

pytestmark = [pytest.mark.graph, pytest.mark.anyio]

WRITE_PROMPT = read_prompts("mhgb", "write", "ru")
VALIDATE_PROMPT = read_prompts("mhgb", "validate", "ru")
ROOT = Path(__file__).resolve().parents[3]
PRICE = {"input": "1", "output": "2", "currency": "USD", "as_of": "2026-01"}


def client_of(server: FakeModels, ledger: Database, name: str = "fake", **more: Any) -> ModelClient:
    profile = ModelProfile.model_validate(
        {
            "name": name,
            "provider": "openai",
            "model": name,
            "endpoint": server.url,
            "timeout": 5,
            "attempts": 2,
            "start_requests_per_second": 1000,
            "concurrency": 4,
            **more,
        }
    )
    return open_model(profile, database=ledger)


async def rows_of(ledger: Database) -> list[InstantiationRow]:
    async with ledger.read() as session:
        return list(await session.scalars(select(InstantiationRow).order_by(InstantiationRow.id)))


async def write(ledger: Database, store: GraphStore, task_set: TaskSet, client: ModelClient, **more: Any) -> Any:
    return await write_tasks(ledger, store, task_set, client, WRITE_PROMPT, branches={"ГК": "civil"}, **more)


async def test_chains_become_tasks_that_pass_every_check(
    ledger: Database, store: GraphStore, loaded: BuiltCorpus, server: FakeModels
) -> None:
    draft = await draft_of(ledger, loaded, 24)
    async with client_of(server, ledger) as client:
        dry = await estimate_writing(ledger, store, draft, client, WRITE_PROMPT)
        assert (dry.calls, dry.kept, dry.cost) == (24, 0, None)
        assert server.counts["ok"] == 0
        written = await write(ledger, store, draft, client)
        assert (written.valid, written.failed, written.untouched) == (24, {}, 0)
        made = server.counts["ok"]
        assert (await write(ledger, store, draft, client)).valid == 24
        assert server.counts["ok"] == made
        assert (await estimate_writing(ledger, store, draft, client, WRITE_PROMPT)).calls == 0
    async with ledger.read() as session:
        tasks = await list_tasks(session, draft, mode=Mode.CLOSED)
        twins = await list_tasks(session, draft)
    assert len(twins) == 48
    reports = await check_tasks(store, draft.corpus_uid, tasks, Language.RU)
    assert [report.faults for report in reports] == [()] * 24
    for task in tasks:
        assert task.gold_chain[-1].norm_id is None
        assert task.record["generator_model"] == "fake"
        assert all(norm in task.answer for norm in task.norm_ids)
    async with ledger.write() as session:
        frozen = await freeze(session, store, draft)
        assert frozen.digest
    with pytest.raises(ConflictError, match="is frozen"):
        await write(ledger, store, frozen, client)


async def test_a_task_that_borrows_words_is_sent_back_and_at_last_recorded(
    ledger: Database, store: GraphStore, loaded: BuiltCorpus, server: FakeModels
) -> None:
    draft = await draft_of(ledger, loaded, 6)

    def borrowing(asked: dict[str, Any]) -> str:
        text = asked["messages"][1]["content"]
        value = json.loads(good_reply(asked))
        if "ТК_" in text:
            value["question"] = "Что говорит ст. 81 ТК РФ?"
        elif not any("не принята" in one["content"] for one in asked["messages"]):
            value["fabula"] = "По статье 15 ГК РФ 2031 года он платит."
        return json.dumps(value, ensure_ascii=False)

    server.reply = borrowing
    async with client_of(server, ledger) as client:
        written = await write(ledger, store, draft, client)
    assert written.valid + len(written.failed) == 6
    statuses = Counter(row.status for row in await rows_of(ledger))
    assert statuses["valid"] == written.valid
    assert statuses["failed"] == len(written.failed)
    assert statuses["sent_back"] >= 1
    for reason in written.failed.values():
        assert "names the norm 'ТК_81'" in reason


async def test_every_chain_ends_whatever_the_server_does(
    ledger: Database, store: GraphStore, loaded: BuiltCorpus, server: FakeModels
) -> None:
    draft = await draft_of(ledger, loaded, 36)
    server.script = (
        "ok",
        "fence",
        "prose_only",
        "length",
        "empty",
        "429",
        "500",
        "refusal",
        "filter",
        "cut",
        "not_json",
    )
    async with client_of(server, ledger) as client:
        written = await write(ledger, store, draft, client)
        assert written.valid + len(written.failed) == 36
        assert written.failed
        kept = {row.chain: row.status for row in await rows_of(ledger)}
        assert len(kept) == 36
        assert all(row.reason for row in await rows_of(ledger) if row.status != "valid")
        server.script = ("ok",)
        again = await write(ledger, store, draft, client, again=True)
    assert (again.valid, again.failed) == (36, {})
    async with ledger.read() as session:
        assert len(await list_fabulas(session, draft)) == 36


async def test_a_budget_leaves_chains_for_later(
    ledger: Database, store: GraphStore, loaded: BuiltCorpus, server: FakeModels
) -> None:
    draft = await draft_of(ledger, loaded, 12)
    async with client_of(server, ledger) as unpriced:
        with pytest.raises(InputError, match="has no price"):
            await write(ledger, store, draft, unpriced, budget=1.0)
    async with client_of(server, ledger, price=PRICE, concurrency=1) as client:
        written = await write(ledger, store, draft, client, budget=0.0000001)
        assert (written.valid, written.untouched) == (1, 11)
        assert (await write(ledger, store, draft, client, budget=10.0)).valid == 12


async def test_killed_and_resumed_no_reply_is_lost(
    ledger: Database, store: GraphStore, loaded: BuiltCorpus, server: FakeModels, graph_address: Any, tmp_path: Path
) -> None:
    draft = await draft_of(ledger, loaded, 48)
    server.latency = 0.05
    command = [
        sys.executable, "-m", "tests.integration.tasks.runner", str(tmp_path / "ledger.sqlite3"), server.url,
        graph_address.url, graph_address.user, draft.key,
    ]  # fmt: skip
    secret = graph_address.password.get_secret_value().encode()

    async def start() -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe)
        assert process.stdin is not None
        process.stdin.write(secret + b"\n")
        await process.stdin.drain()
        return process

    process = await start()
    while server.counts["ok"] < 15 and process.returncode is None:
        server.arrived.clear()
        await asyncio.wait_for(server.arrived.wait(), 120)
    process.kill()
    await process.wait()
    before = server.counts["ok"]
    assert before < 48
    process = await start()
    output = (await process.communicate())[0]
    assert (process.returncode, output) == (0, b"48 0\n")
    assert server.counts["ok"] <= 48 + 4
    async with ledger.read() as session:
        (line,) = await spending(session)
    assert line.in_flight <= 4
    assert line.attempts - line.in_flight == 48


async def test_a_second_model_validates_and_all_five_must_hold(
    ledger: Database, store: GraphStore, loaded: BuiltCorpus, server: FakeModels
) -> None:
    draft = await draft_of(ledger, loaded, 12)
    async with client_of(server, ledger) as writer:
        await write(ledger, store, draft, writer)
        with pytest.raises(InputError, match="wrote fabula"):
            await validate_tasks(ledger, store, draft, writer, VALIDATE_PROMPT)
    seen: list[str] = []

    def judging(asked: dict[str, Any]) -> str:
        text = asked["messages"][1]["content"]
        seen.append(text)
        if "СК_" in text:
            return "Score: 5"
        holds = "КоАП_" not in text
        return json.dumps(dict.fromkeys(CHECKS, True) | {"no_gap": holds, "reason": "так"}, ensure_ascii=False)

    server.reply = judging
    async with client_of(server, ledger, "second") as second:
        assert (await estimate_validation(ledger, store, draft, second, VALIDATE_PROMPT)).calls == 12
        done = await validate_tasks(ledger, store, draft, second, VALIDATE_PROMPT)
        assert done.approved + len(done.rejected) + len(done.unavailable) == 12
        assert done.rejected
        assert done.failed_checks == {"no_gap": len(done.rejected)}
        asked = len(seen)
        again = await validate_tasks(ledger, store, draft, second, VALIDATE_PROMPT)
        assert (again.approved, again.rejected) == (done.approved, done.rejected)
        # Asked anew and once more with the reason; the third request would equal the second, whose reply is known.
        assert len(seen) - asked == 2 * len(done.unavailable)
    assert "generator" not in seen[0]
    async with ledger.read() as session:
        statuses = Counter(task.validation_status.value for task in await list_tasks(session, draft, mode=Mode.CLOSED))
    assert statuses["llm_validated"] == done.approved
    assert statuses["rejected"] == len(done.rejected)
    assert statuses["pending"] == len(done.unavailable)
    async with ledger.write() as session:
        frozen = await freeze(session, store, await get_task_set(session, "mine"), without_rejected=True)
        assert len(await list_fabulas(session, frozen)) == 12 - len(done.rejected)


async def test_a_corpus_version_that_is_gone(ledger: Database, store: GraphStore, loaded: BuiltCorpus) -> None:
    from service.tasks import TaskSetInfo, create_task_set, sample_fabulas

    info = TaskSetInfo("gone", "Gone", "mhgb", "ru", "sample", "0" * 12, "Apache-2.0", "a test")
    async with ledger.write() as session:
        made = await create_task_set(session, info, sample_fabulas())
        with pytest.raises(NotFoundError, match="is gone; load that version again"):
            await freeze(session, store, made)
        empty = await create_task_set(session, TaskSetInfo("e", "E", "mhgb", "ru", "sample", "0" * 12, "x", "y"))
        with pytest.raises(ConflictError, match="has no fabula"):
            await freeze(session, store, empty)
