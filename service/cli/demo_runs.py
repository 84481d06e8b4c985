"""The demo's second half: participants answer over HTTP, a judge reads them, scores come out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from service.cli.output import table
from service.settings import Settings

if TYPE_CHECKING:
    import httpx
    from rich.console import Console

__all__ = ["demo_runs", "show_runs"]

_PARTICIPANTS = ("owl", "magpie", "sparrow")


async def demo_runs(settings: Settings, url: str, task_set: str) -> dict[str, Any]:
    """Run the scripted participants against a running service, as any client would, and return what came of it.

    A second demo in the same home takes its runs up again and changes nothing.
    """
    import httpx

    from service.db import COMMAND_LINE, Scope, create_key, open_ledger, revoke_key

    async with open_ledger(settings) as ledger:
        async with ledger.write() as session:
            key, text = await create_key(session, name="demo", scopes=[Scope.ADMIN], actor=COMMAND_LINE)
        try:
            headers = {"Authorization": f"Bearer {text.get_secret_value()}"}
            async with httpx.AsyncClient(base_url=url, headers=headers, timeout=120.0) as client:
                runs = {name: await _participate(client, name, task_set) for name in _PARTICIPANTS}
                await _judge(settings)
                return await _finished(client, runs, task_set)
        finally:
            async with ledger.write() as session:
                await revoke_key(session, key.prefix, actor=COMMAND_LINE)


async def _participate(client: httpx.AsyncClient, name: str, task_set: str) -> str:
    """Lease every task, answer it from the script, and send the answers in bulk."""
    import orjson

    from service.evaluation import api_call
    from service.resources import resource_text

    lines = resource_text(f"data/sample/answers/{name}.jsonl").splitlines()
    script = {row["task_id"]: row for row in map(orjson.loads, lines)}
    found = await api_call(client, "GET", "/v1/runs?benchmark=mhgb&limit=1000")
    for run in found["items"]:
        if run["participant"] == name and run["task_set"] == task_set and run["published_at"]:
            return str(run["id"])
    body = {"task_set": task_set, "participant": name, "conditions": {"model": name}, "judge": "lexical"}
    run = await api_call(client, "POST", "/v1/runs", json=body)
    path = f"/v1/runs/{run['id']}"
    work = await api_call(client, "POST", f"{path}/leases", json={"n": 100, "worker": name})
    rows = [
        {
            "task_id": item["task_id"],
            "attempt_key": item["lease"],
            "outcome": script[item["task_id"]]["outcome"],
            "text": script[item["task_id"]]["answer"],
        }
        for item in work["items"]
    ]
    content = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    answer = await client.post(f"{path}/submissions", content=content, headers={"Content-Type": "application/x-ndjson"})
    answer.raise_for_status()
    return str(run["id"])


async def _judge(settings: Settings) -> None:
    """Be a worker, as `lexhop work --once --judge lexical` is."""
    from service.db import find_judge_profile, open_ledger
    from service.evaluation import Evaluator, GraphLaws, JudgeWorker, LedgerRecords
    from service.graph.opening import open_graph
    from service.graph.watch import CatalogWatcher
    from service.judging import LEXICAL, LexicalJudge

    async with open_ledger(settings) as ledger, open_graph(settings) as store:
        async with ledger.read() as session:
            profile = await find_judge_profile(session, LEXICAL.name)
        evaluator = Evaluator(ledger, LedgerRecords(ledger), GraphLaws(CatalogWatcher(store)))
        await JudgeWorker(evaluator, {profile.id: LexicalJudge()}, name="demo", poll_seconds=0.05).run(once=True)


async def _finished(client: httpx.AsyncClient, runs: dict[str, str], task_set: str) -> dict[str, Any]:
    from service.evaluation import api_call

    for run in runs.values():
        state = await api_call(client, "GET", f"/v1/runs/{run}")
        while state["state"] not in ("complete", "closed"):
            await asyncio.sleep(0.1)
            state = await api_call(client, "GET", f"/v1/runs/{run}?wait=5&change={state['change']}")
        await api_call(client, "POST", f"/v1/runs/{run}/close")
        await api_call(client, "POST", f"/v1/runs/{run}/publish")
    found = await api_call(client, "GET", "/v1/leaderboards/mhgb?unranked=true")
    rows = next(board["rows"] for board in found["boards"] if board["task_set"] == task_set)
    return {
        "task_set": task_set,
        "leaderboard": rows,
        "scores": {
            name: (await api_call(client, "GET", f"/v1/runs/{run}/scores"))["modes"] for name, run in runs.items()
        },
        "gap": {name: await api_call(client, "GET", f"/v1/runs/{run}/gap") for name, run in runs.items()},
    }


def show_runs(printer: Console, shown: dict[str, Any]) -> None:
    """Print scores, gaps and the board."""
    title = f"{shown['task_set']}, lexical judge (it compares words: such a board is never ranked)"
    headings = ("participant", "closed", "open", "gap [95 %]", "pairs", "NC open", "SC open", "AC open", "quadrants")
    board = table(*headings, whole=4, title=title)
    for row in shown["leaderboard"]:
        gap = shown["gap"][row["participant"]]
        parts = row["components"]["open"]
        low, high = row["gap_interval"]
        board.add_row(
            row["participant"],
            f"{row['closed']:.3f}",
            f"{row['open']:.3f}",
            f"{row['gap']:+.3f} [{low:+.3f}, {high:+.3f}]",
            str(row["n_pairs"]),
            *(f"{value:.3f}" for value in parts.values()),
            " ".join(f"{name} {count}" for name, count in gap["quadrants"].items() if count),
        )
    printer.print(board)
