"""Runs, submissions, the ledger of judgements, workers, scores and boards."""

from service.evaluation._boards import BoardOptions, compare_runs, leaderboard, not_ranked
from service.evaluation._estimate import Amount, CostEstimate, Measured, draw_sample, estimate_cost, usage_of
from service.evaluation._evaluator import Evaluator, verdicts_of
from service.evaluation._figures import ItemScore, Pair, RunTable, TableCache, load_table, read_weights
from service.evaluation._given_away import GivenAway
from service.evaluation._refusals import ask_for_refusals, refusals_view
from service.evaluation._release import import_release
from service.evaluation._runner import Runner, RunnerReport, api_bytes, api_call, outcome_of
from service.evaluation._runs import CONDITIONS, RunSpec, open_run
from service.evaluation._second import Agreements, JudgedTwice, judge_again, judged_twice
from service.evaluation._sources import GraphLaws, Laws, LedgerRecords, Records
from service.evaluation._summaries import (
    SLICES,
    gap_view,
    item_views,
    mode_view,
    run_errors,
    run_scores_view,
    run_slices,
)
from service.evaluation._taking import (
    ParticipantDesk,
    claim_for_judge,
    question_view,
    read_line,
    reclaimed,
    submit,
    take_verdict,
)
from service.evaluation._veil import (
    HiddenSlices,
    few_pairs,
    few_said,
    hidden_of,
    hidden_slices,
    said_counts,
    veiled_mode,
    veiled_slices,
)
from service.evaluation._views import RunState, run_line, run_view
from service.evaluation._worker import JudgeWorker, WorkerReport

__all__ = [
    "CONDITIONS",
    "SLICES",
    "Agreements",
    "Amount",
    "BoardOptions",
    "CostEstimate",
    "Evaluator",
    "GivenAway",
    "GraphLaws",
    "HiddenSlices",
    "ItemScore",
    "JudgeWorker",
    "JudgedTwice",
    "Laws",
    "LedgerRecords",
    "Measured",
    "Pair",
    "ParticipantDesk",
    "Records",
    "RunSpec",
    "RunState",
    "RunTable",
    "Runner",
    "RunnerReport",
    "TableCache",
    "WorkerReport",
    "api_bytes",
    "api_call",
    "ask_for_refusals",
    "claim_for_judge",
    "compare_runs",
    "draw_sample",
    "estimate_cost",
    "few_pairs",
    "few_said",
    "gap_view",
    "hidden_of",
    "hidden_slices",
    "import_release",
    "item_views",
    "judge_again",
    "judged_twice",
    "leaderboard",
    "load_table",
    "mode_view",
    "not_ranked",
    "open_run",
    "outcome_of",
    "question_view",
    "read_line",
    "read_weights",
    "reclaimed",
    "refusals_view",
    "run_errors",
    "run_line",
    "run_scores_view",
    "run_slices",
    "run_view",
    "said_counts",
    "submit",
    "take_verdict",
    "usage_of",
    "veiled_mode",
    "veiled_slices",
    "verdicts_of",
]
