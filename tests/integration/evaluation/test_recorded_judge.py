"""A judge's replies are recorded once and replayed elsewhere: the same scores, and nobody is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.evaluation import load_table, run_scores_view
from service.judging import JudgeProfile, ModelJudge
from service.models import ModelProfile, open_model, read_models_file
from tests.fake_models import FakeModels
from tests.integration.evaluation.conftest import Desk, add_set, invented_fabula
from tests.integration.evaluation.test_path import answer

pytestmark = pytest.mark.anyio

MODELS = """
models:
  - name: judge
    provider: {provider}
    model: judge-1
    {more}
"""


def model(folder: Path, provider: str, *more: str) -> ModelProfile:
    path = folder / f"{provider}.yaml"
    path.write_text(MODELS.format(provider=provider, more="\n    ".join(more)), encoding="utf-8")
    return read_models_file(path).get("judge")


async def test_replayed_verdicts_score_alike(desk: Desk, server: FakeModels, tmp_path: Path) -> None:
    await add_set(desk.database, [invented_fabula(n) for n in range(3)], key="three")
    profile = JudgeProfile(name="main", model="judge", model_id="judge-1")
    rows = [answer(n, mode, "ГК_15, ГК_1064") for n in range(3) for mode in ("closed", "open")]
    asked = model(
        tmp_path, "openai", f"endpoint: {server.url}", "start_requests_per_second: 1000", "record: said.jsonl"
    )
    server.reply = lambda body: '{"score": %s}' % ("0.5" if "ЭТАЛОННЫЙ ШАГ" in body["messages"][1]["content"] else "1")
    first = await desk.run("first", task_set="three")
    await desk.send(first, rows)
    await desk.judge(first, ModelJudge(profile, open_model(asked, database=desk.database)))
    calls = len(server.seen)
    # Closed and open answers are the same, but each is a question of its own, to be asked and recorded.
    assert (calls, len((tmp_path / "said.jsonl").read_bytes().splitlines())) == (18, 18)

    replay = model(tmp_path, "recorded", "file: said.jsonl")
    second = await desk.run("second", task_set="three")
    await desk.send(second, [*rows[:-1], answer(2, "open", "ГК_1079")])
    await desk.judge(second, ModelJudge(profile, open_model(replay, database=desk.database)))
    assert len(server.seen) == calls
    scores = [run_scores_view(await load_table(desk.database, run.id))["modes"] for run in (first, second)]
    assert scores[0]["closed"]["final"] == scores[1]["closed"]["final"]
    assert scores[0]["open"]["components"]["step_correctness"]["mean"] == 0.5
    # The one answer that was never judged has no score; it is not a zero.
    assert (scores[1]["open"]["final"]["scored"], scores[1]["open"]["final"]["total"]) == (2, 3)
