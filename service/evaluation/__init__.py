"""Runs, submissions, the ledger of judgements, workers, scores and boards."""

from service.evaluation._boards import BoardOptions, Comparison, compare_runs, leaderboard
from service.evaluation._evaluator import Evaluator
from service.evaluation._figures import RunTable, TableCache, load_table
from service.evaluation._runs import RunSpec, open_run, run_state, task_items
from service.evaluation._summaries import gap_view, run_errors, run_scores_view, run_slices
from service.evaluation._taking import claim_for_judge, participant_work, submit, take_verdict
from service.evaluation._views import run_view
from service.evaluation._worker import JudgeWorker, WorkerReport

__all__ = [
    "BoardOptions",
    "Comparison",
    "Evaluator",
    "JudgeWorker",
    "RunSpec",
    "RunTable",
    "TableCache",
    "WorkerReport",
    "claim_for_judge",
    "compare_runs",
    "gap_view",
    "leaderboard",
    "load_table",
    "open_run",
    "participant_work",
    "run_errors",
    "run_scores_view",
    "run_slices",
    "run_state",
    "run_view",
    "submit",
    "take_verdict",
    "task_items",
]
