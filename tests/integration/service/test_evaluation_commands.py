"""The evaluator's commands as processes against a real service: what they say as JSON, and one bad input of each."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from service.cli import main
from tests.fake_models import FakeModels
from tests.integration.service.filled import Filled, answers_of
from tests.integration.service.scenes import command, started, until
from tests.integration.service.test_runs_http import answers

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]
TEXT = "ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15\nЦЕПОЧКА РАССУЖДЕНИЙ:\nГК_15\nВЫВОД:\nДа."


@contextmanager
def models() -> Iterator[FakeModels]:
    """The fake model server, beside commands that are waited for."""
    ready: Future[FakeModels] = Future()
    ended = asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with FakeModels(reply=TEXT) as fake:
            ready.set_result(fake)
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        yield ready.result(60)
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()


def models_file(folder: Path, fake: FakeModels, **more: Any) -> str:
    entry = {
        "name": "m",
        "provider": "openai",
        "model": "fake",
        "endpoint": fake.url,
        "concurrency": 2,
        "start_requests_per_second": 1000,
        "price": {"input": 2, "output": 10, "currency": "USD", "as_of": "2026-01"},
        **more,
    }
    path = folder / "models.yaml"
    path.write_text(yaml.safe_dump({"models": [entry]}), encoding="utf-8")
    return str(path)


def remote(filled: Filled, who: str = "owl") -> dict[str, str]:
    return filled.environment | {"LEXHOP_URL": filled.url, "LEXHOP_KEY": filled.keys[who]}


def here(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same without a process of its own, whose start takes longer than most commands."""
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, environment, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main(arguments)
    return subprocess.CompletedProcess(arguments, int(ended.value.code or 0), out.getvalue(), err.getvalue())


def said(done: subprocess.CompletedProcess[str]) -> Any:
    """The one object on standard output of a command that went well."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error of a command that did not."""
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stderr


def test_run_is_told_in_advance_stopped_and_taken_up(filled: Filled, tmp_path: Path) -> None:
    own = remote(filled)
    with models() as fake:
        file = models_file(tmp_path, fake, display_name="Stopped")
        asked = ["run", "--model", "m", "--models", file, "--task-set", "sample", "--mode", "closed", "--limit", "12"]
        told = said(here(own, *asked, "--dry-run", "--json"))
        assert (told["calls"], told["currency"], fake.seen) == (12, "USD", [])
        fake.latency = 0.4
        with started(own, *asked, "--json") as process:
            until(lambda: len(fake.seen) >= 3)
            os.kill(process.pid, signal.SIGINT)
            first, _ = process.communicate(timeout=120)
        assert process.returncode == 130
        before = json.loads(first)
        answered = before["outcomes"]["answered"]
        assert 0 < answered < 12
        # What was leased and not begun is free again, at once.
        view = filled.ok("owl", "GET", f"/v1/runs/{before['run']}")
        assert (view["answered"], view["leased"]) == (answered, {"closed": 0})
        fake.latency = 0.0
        after = said(command(own, *asked, "--json"))
        assert (after["run"], after["total"], after["outcomes"]) == (
            before["run"],
            12 - answered,
            {"answered": 12 - answered},
        )
        assert (before["stopped"], before["interrupted"]) == (None, True)
        assert (after["stopped"], after["interrupted"]) == (None, False)
        # Nobody was asked twice.
        assert len(fake.seen) == 12
        assert filled.ok("owl", "GET", f"/v1/runs/{before['run']}")["answered"] == 12
        unknown = refused(here(own, *asked[:2], "other", *asked[3:]))
        assert "'other'" in unknown


def test_run_stops_where_the_circuit_opens(filled: Filled, tmp_path: Path) -> None:
    with models() as fake:
        fake.script = ("500",)
        file = models_file(tmp_path, fake, attempts=1, concurrency=1, display_name="Broken")
        done = command(
            remote(filled),
            "run",
            "--model",
            "m",
            "--models",
            file,
            "--task-set",
            "sample",
            "--mode",
            "closed",
            "--json",
        )
        assert "calls in a row failed" in refused(done)
        report = json.loads(done.stdout)
        assert report["stopped"]
        assert report["outcomes"] == {"error": 8}
        assert len(fake.seen) == 8
        view = filled.ok("owl", "GET", f"/v1/runs/{report['run']}")
        assert (view["answered"], view["leased"], view["left"]) == (0, {"closed": 0}, {"closed": 24})


def test_submit_names_lines_and_may_be_repeated(filled: Filled, tmp_path: Path) -> None:
    run, own = filled.run("owl", "offline"), remote(filled)
    rows = [{"task_id": one["task_id"], "outcome": one["outcome"], "text": one["text"]} for one in answers("owl")[:4]]
    lines = [json.dumps(row) for row in rows]
    file = tmp_path / "answers.jsonl"
    # Blank lines count, as an editor counts them.
    file.write_text("\n".join([lines[0], "", lines[1], json.dumps(rows[2] | {"outcome": "done"}), lines[3], ""]))
    done = here(own, "submit", "--json", run, str(file))
    assert "1 of 4 lines" in refused(done)
    report = json.loads(done.stdout)
    assert report["counts"] == {"new": 3, "refused": 1}
    assert [(one["line"], "'done'" in one["detail"]) for one in report["refused"]] == [(4, True)]
    file.write_text("\n".join([*lines, ""]))
    assert said(command(own, "submit", "--json", run, str(file)))["counts"] == {"there already": 3, "new": 1}
    before = filled.ok("owl", "GET", f"/v1/runs/{run}")
    assert said(here(own, "submit", "--json", run, str(file)))["counts"] == {"there already": 4}
    after = filled.ok("owl", "GET", f"/v1/runs/{run}")
    assert (before["received"], before["change"]) == (after["received"], after["change"]) == (4, before["change"])
    # The torn tail of a writer that died: named, and nothing of the file is sent.
    file.write_text("\n".join([json.dumps({"task_id": answers("owl")[5]["task_id"], "text": "да"}), lines[0][:30]]))
    assert "answers.jsonl line 2 is no JSON" in refused(here(own, "submit", run, str(file)))
    assert filled.ok("owl", "GET", f"/v1/runs/{run}")["received"] == 4
    file.write_text(lines[0])
    assert "'run_none'" in refused(here(own, "submit", "run_none", str(file)))


def test_runs_work_and_leaderboard(filled: Filled, tmp_path: Path) -> None:
    own = remote(filled)
    run = filled.run("owl", "worked")
    filled.send("owl", run, answers("owl"))
    report = said(command(own, "work", "--once", "--judge", "lexical", "--json"))
    assert report["read"] >= 48
    assert report["verdicts"] > 48
    assert (report["unavailable"], report["lost"]) == (0, 0)
    assert "'nobody'" in refused(here(own, "work", "--once", "--judge", "nobody"))
    shown = said(command(own, "runs", "show", run, "--json"))
    assert (shown["state"], shown["scores"]["modes"]["open"]["final"]["scored"]) == ("complete", 24)
    assert "not closed" in refused(here(own, "runs", "publish", run))
    assert said(here(own, "runs", "close", run, "--json"))["state"] == "closed"
    assert said(here(own, "runs", "publish", run, "--json"))["published_at"]
    listed = said(here(own, "runs", "list", "--json"))["items"]
    assert run in [one["id"] for one in listed]
    assert "does not exist" in refused(here(remote(filled, "magpie"), "runs", "show", "run_none"))
    boards = said(command(remote(filled, "read"), "leaderboard", "--unranked", "--json", "mhgb"))["boards"]
    rows = [row for board in boards for row in board["rows"] if row["run"] == run]
    assert len(rows) == 1
    assert rows[0]["n_pairs"] == 24
    assert rows[0]["open"] == pytest.approx(shown["scores"]["modes"]["open"]["final"]["mean"])
    assert "'chess'" in refused(here(remote(filled, "read"), "leaderboard", "chess"))


def test_judges_are_added_listed_and_calibrated(filled: Filled, tmp_path: Path) -> None:
    own = filled.environment
    made = said(here(own, "judges", "add", "outside", "--external", "--model-id", "gpt-9", "--json"))
    listed = said(here(own, "judges", "list", "--json"))["items"]
    assert made["fingerprint"] in [one["fingerprint"] for one in listed if one["name"] == "outside"]
    assert "--external" in refused(here(own, "judges", "add", "nothing"))
    run = filled.held_run("owl", "calibrated", answers_of("calibrated", 3), judge="outside")
    given = filled.judge("outside")
    assert given > 12
    ids = [one["id"] for one in filled.ok("owl", "GET", f"/v1/runs/{run}/submissions")["items"]]
    file = tmp_path / "labels.jsonl"
    labels = [
        {"submission": one, "key": "answer", "value": value}
        for one, value in zip(ids, (0.67, 0.67, 1, 1, 0.33, 0.67), strict=True)
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in labels))
    report = said(command(own, "judges", "calibrate", "outside", "--labels", str(file), "--json"))
    levels = {one["level"]: one for one in report["levels"]}
    assert (levels["answer"]["labelled"], levels["answer"]["judged"]) == (6, 6)
    # The judge gave 0.67 each time; people 4.34 in all.
    assert levels["answer"]["bias"]["value"] == pytest.approx((6 * 0.67 - 4.34) / 6)
    file.write_text(json.dumps(labels[0]) + "\n" + json.dumps(labels[1] | {"value": 7}) + "\n")
    assert "labels.jsonl line 2: value 7" in refused(here(own, "judges", "calibrate", "outside", "--labels", str(file)))


def test_released_results_are_taken_in_once(filled: Filled, tmp_path: Path) -> None:
    record = {
        "model_name": "released-model",
        "task_type": "issue_spotting",
        "hop_group": "shallow",
        "branch_of_law": "civil",
        "closed_final_score": 0.25,
        "open_final_score": 0.75,
        "norm_coverage_gap": 0.5,
        "step_correctness_gap": 0.5,
        "answer_correctness_gap": 0.5,
        "final_score_gap": 0.5,
        "quadrant": "reasons",
    }
    folder = tmp_path / "results" / "experiment"
    folder.mkdir(parents=True)
    rows = [record | {"task_id": f"t{number}"} for number in range(3)]
    (folder / "gap_records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    imported = ["benchmark", "mhgb", "import-results", "--results"]
    (first,) = said(command(filled.environment, *imported, str(folder.parent), "--json"))["runs"]
    (again,) = said(here(filled.environment, *imported, str(folder.parent), "--json"))["runs"]
    assert (first["new"], again["new"], again["run"]) == (True, False, first["run"])
    scores = filled.ok(None, "GET", f"/v1/runs/{first['run']}/scores")["modes"]
    assert (scores["closed"]["final"]["mean"], scores["open"]["final"]["mean"]) == (0.25, 0.75)
    boards = filled.ok(None, "GET", "/v1/leaderboards/mhgb")["boards"]
    # Contexts of a release are not at hand: nobody can say what they gave away.
    assert [one["test_participants"] for one in boards if first["run"] in {row["run"] for row in one["rows"]}] == [[]]
    assert "gap_records.jsonl" in refused(here(filled.environment, *imported, str(tmp_path)))
