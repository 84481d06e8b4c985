"""Leaderboards and comparisons: only what was scored alike stands in one table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from service.db import Run, RunKind, find_runs, iso_moment
from service.domain import Mode
from service.errors import ConflictError, InputError
from service.evaluation._figures import BOOTSTRAP, Pair, RunTable, TableCache
from service.evaluation._second import Agreements
from service.evaluation._summaries import interval, mode_view, without_zeros
from service.evaluation._veil import few_pairs, few_said, veiled_mode

if TYPE_CHECKING:
    from service.analysis import Weights
    from service.db import Database
    from service.evaluation._given_away import GivenAway

__all__ = ["BoardOptions", "compare_runs", "leaderboard", "not_ranked"]

_CLOSED: Final = Mode.CLOSED.value
_OPEN: Final = Mode.OPEN.value


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """How a board is shown.

    Attributes:
        on: ``own``: each run over its own complete pairs; ``common``: over the fabulas scored for every listed run.
        unranked: Also what is never ranked: partial runs and boards of judges that do not rank.
        board: Only the board of this fingerprint, or of its first digits.
        least: Fewer scores than these of tasks that are not public stand in no figure: a board is for everybody.
    """

    on: Literal["own", "common"] = "own"
    weights: Weights | None = None
    unranked: bool = False
    board: str | None = None
    least: int = 0


async def leaderboard(
    database: Database,
    cache: TableCache,
    benchmark: str,
    options: BoardOptions | None = None,
    given_away: GivenAway | None = None,
) -> dict[str, Any]:
    """Return the boards of a benchmark: one a score fingerprint, with the parts in which they differ.

    With ``given_away`` the scripted participants stand beside boards whose contexts tell more than their norms.
    """
    options = options or BoardOptions()
    async with database.read() as session:
        runs = await find_runs(session, benchmark=benchmark, published=True)
        made = Counter((run.participant, run.task_set) for run in await find_runs(session, benchmark=benchmark))
    by_board: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        ranks = bool(run.settings.get("judge_ranks", True))
        if (options.unranked or ranks) and (options.board is None or run.score_fingerprint.startswith(options.board)):
            by_board[run.score_fingerprint].append(run)
    facts = [runs_of[0].score_facts for runs_of in by_board.values()]
    differing = sorted({name for one in facts for name in one if len({_key(other.get(name)) for other in facts}) > 1})
    boards = []
    for fingerprint, runs_of in by_board.items():
        board = await _board(database, cache, runs_of, options, made)
        differs = {name: runs_of[0].score_facts.get(name) for name in differing}
        beside = await given_away.beside(runs_of) if given_away is not None else []
        boards.append(
            {
                "board": fingerprint[:16],
                "score_fingerprint": fingerprint,
                **board,
                "agreement": await Agreements(database, cache).of(
                    [run for run in runs_of if run.withdrawn_at is None], least=options.least
                ),
                "test_participants": beside,
                "differs": differs,
            }
        )
    return {"benchmark": benchmark, "on": options.on, "differ_in": differing, "boards": boards}


def _key(value: Any) -> str:
    return repr(value)


async def _board(
    database: Database,
    cache: TableCache,
    runs: Sequence[Run],
    options: BoardOptions,
    made: Mapping[tuple[str, str], int],
) -> dict[str, Any]:
    key = (
        "board",
        options.on,
        options.weights,
        options.unranked,
        options.least,
        tuple((run.id, run.change) for run in runs),
        tuple(sorted((run.participant, made[run.participant, run.task_set]) for run in runs)),
    )
    board: dict[str, Any] | None = cache.derived(key)
    if board is None:
        standing = [run for run in runs if run.withdrawn_at is None]
        tables = [(await cache.table(database, run.id)).with_weights(options.weights) for run in standing]
        # A partial run would shrink what is common to its own few fabulas.
        listed = [table for table in tables if options.unranked or not table.partial]
        board = {
            "judge": runs[0].settings.get("judge"),
            "task_set": runs[0].task_set,
            "corpus": f"{runs[0].corpus}@{runs[0].version}",
            "rows": _rows(listed, options, made),
            "withdrawn": [
                {
                    "run": run.id,
                    "participant": run.participant,
                    "at": iso_moment(run.withdrawn_at),
                    "why": run.withdrawn_why,
                }
                for run in runs
                if run.withdrawn_at is not None
            ],
            "partial": sum(table.partial for table in tables),
        }
        cache.keep(key, board)
    return board


def _rows(
    tables: Sequence[RunTable], options: BoardOptions, made: Mapping[tuple[str, str], int]
) -> list[dict[str, Any]]:
    chosen: dict[str, list[Pair]] = {table.run.id: table.complete for table in tables}
    if options.on == "common" and tables:
        common = set.intersection(*({pair.fabula_id for pair in table.complete} for table in tables))
        chosen = {table.run.id: [p for p in table.complete if p.fabula_id in common] for table in tables}
    series = []
    for table in tables:
        pairs = chosen[table.run.id]
        series += [table.finals(pairs, _CLOSED), table.finals(pairs, _OPEN), np.array([pair.gap for pair in pairs])]
    drawn = BOOTSTRAP.means([one for one in series if len(one)])
    intervals = iter(drawn)
    bounds = [next(intervals) if len(one) else None for one in series]
    rows = [
        _row(
            table,
            chosen[table.run.id],
            bounds[3 * place : 3 * place + 3],
            made[table.run.participant, table.run.task_set],
            options.least,
        )
        for place, table in enumerate(tables)
    ]
    rows.sort(key=lambda row: (row["open"] is None, -(row["open"] or 0.0), row["participant"], row["run"]))
    rank = 0
    for place, row in enumerate(rows, start=1):
        if row["not_ranked"] is None:
            rank += 1
            row["rank"] = rank
        row["place"] = place
    return rows


def _row(table: RunTable, pairs: Sequence[Pair], bounds: Sequence[Any], made: int, least: int) -> dict[str, Any]:
    run = table.run
    least = 0 if run.settings.get("all_public") or run.kind is RunKind.RELEASE else least
    few = few_pairs(pairs, least)
    closed, opened, gap = (None, None, None) if few else bounds
    modes = {mode: mode_view(table, mode) for mode in run.modes}
    modes = {mode: veiled_mode(view) if few_said(table, mode, least) else view for mode, view in modes.items()}
    spoke = without_zeros(pairs)
    return {
        "rank": None,
        "run": run.id,
        "participant": run.participant,
        "conditions": {**run.conditions, "token_budget": run.settings.get("token_budget")},
        "closed": None if closed is None else closed.value,
        "closed_interval": None if closed is None else [closed.low, closed.high],
        "open": None if opened is None else opened.value,
        "open_interval": None if opened is None else [opened.low, opened.high],
        "gap": None if gap is None else gap.value,
        "gap_interval": None if gap is None else [gap.low, gap.high],
        "n_closed": _scored(modes, _CLOSED),
        "n_open": _scored(modes, _OPEN),
        "n_pairs": len(pairs),
        "pairs": len(table.pairs),
        "coverage": len(pairs) / len(table.pairs) if table.pairs else None,
        "without_zeros": {**spoke, "closed": None, "open": None, "gap": None} if few else spoke,
        "outcomes": {mode: {k: v for k, v in view["outcomes"].items() if v} for mode, view in modes.items()},
        "components": {
            mode: {name: part["mean"] for name, part in view["components"].items()} for mode, view in modes.items()
        },
        "repeats": run.repeats,
        "spread": {mode: view["spread"]["mean"] for mode, view in modes.items() if view["spread"]} or None,
        "runs_made": made,
        "partial": table.partial,
        "untried": table.untried,
        "made_or_validated_the_set": bool(run.settings.get("made_set")),
        "not_ranked": not_ranked(table, pairs)
        or (f"it has fewer than {least} answers that may be shown" if few else None),
        "published_at": iso_moment(run.published_at),
    }


def _scored(modes: Mapping[str, Any], mode: str) -> int:
    return int(modes[mode]["final"]["scored"]) if mode in modes else 0


def not_ranked(table: RunTable, pairs: Sequence[Pair]) -> str | None:
    """Return why a run has no rank on a board; None when it has one."""
    run = table.run
    if run.partial:
        return "a partial run: it has not all of the set"
    if not run.settings.get("judge_ranks", True):
        return "its judge does not rank: it compares words"
    judge = run.settings.get("judge_model_id")
    if judge and run.model_id == judge:
        return f"it shares the judge's model {judge!r}"
    if table.untried:
        # Else whoever answers the easy tasks alone and closes would lead the board.
        return f"closed early: for {table.untried} of {run.items} tasks nothing was sent"
    if not pairs:
        return "it has no complete pair"
    return None


async def compare_runs(database: Database, cache: TableCache, runs: Sequence[Run], *, least: int = 0) -> dict[str, Any]:
    """Return a paired comparison of two runs over the fabulas that both have complete.

    Args:
        database: The ledger.
        cache: The runs' tables.
        runs: The two.
        least: Fewer answers than these in common would tell single scores, which the caller may not see.

    Raises:
        InputError: They are not two different runs of one benchmark.
        ConflictError: Too little of them is common.
    """
    from service.analysis import paired_test  # noqa: PLC0415 - it loads scipy, which a start can do without

    if len(runs) != 2 or runs[0].id == runs[1].id or runs[0].benchmark != runs[1].benchmark:
        raise InputError(f"runs {[run.id for run in runs]!r} are not two different runs of one benchmark; name two")
    tables = [await cache.table(database, run.id) for run in runs]
    of_fabula = [{pair.fabula_id: pair for pair in table.complete} for table in tables]
    common = [fabula for fabula in of_fabula[0] if fabula in of_fabula[1]]
    sides = [[pairs[fabula] for fabula in common] for pairs in of_fabula]
    if any(few_pairs(side, least) for side in sides):
        raise ConflictError(
            f"runs {runs[0].id!r} and {runs[1].id!r} have {len(common)} complete fabulas in common, with words in fewer "
            f"than {least} (LEXHOP_LEAST_SHOWN): their figures would tell single scores and need the tier full"
        )
    figures: dict[str, Any] = {}
    for name in (_CLOSED, _OPEN, "gap"):
        one, other = (
            np.array([pair.gap for pair in side]) if name == "gap" else table.finals(side, name)
            for table, side in zip(tables, sides, strict=True)
        )
        difference = one - other
        test = paired_test(difference)
        figures[name] = {
            "first": float(one.mean()) if len(one) else None,
            "second": float(other.mean()) if len(other) else None,
            "difference": test.mean,
            "interval": interval(difference.tolist()),
            "t": test.t,
            "p_value": test.p_value,
            "reason": test.reason or None,
        }
    facts = [run.score_facts for run in runs]
    differ = sorted(name for name in facts[0].keys() | facts[1].keys() if facts[0].get(name) != facts[1].get(name))
    return {
        "runs": [{"run": run.id, "participant": run.participant} for run in runs],
        "n_common": len(common),
        "comparable": runs[0].score_fingerprint == runs[1].score_fingerprint,
        "differ_in": differ,
        **figures,
    }
