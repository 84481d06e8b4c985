"""MHGB: multi-hop reasoning over Russian statutory law (specs, mhgb)."""

from service.benchmarks.mhgb.evaluation import EVALUATION, MhgbEvaluation
from service.benchmarks.mhgb.models import MODELS, ReleasedModel, display_name
from service.benchmarks.mhgb.reading import AnswerReading, norm_of, read_answer, seed_of
from service.benchmarks.mhgb.records import Experiment, gap_records_bytes, read_gap_records, read_results
from service.benchmarks.mhgb.scoring import (
    ANSWER,
    ANSWER_VALUES,
    EQUAL,
    STEP_VALUES,
    ErrorKind,
    coverage_f1,
    error_kind,
    final_score,
    scored,
    step_key,
)
from service.benchmarks.mhgb.scripted import TEST_PARTICIPANTS
from service.benchmarks.mhgb.sections import Section, Span, find_sections

__all__ = [
    "ANSWER",
    "ANSWER_VALUES",
    "EQUAL",
    "EVALUATION",
    "MODELS",
    "STEP_VALUES",
    "TEST_PARTICIPANTS",
    "AnswerReading",
    "ErrorKind",
    "Experiment",
    "MhgbEvaluation",
    "ReleasedModel",
    "Section",
    "Span",
    "coverage_f1",
    "display_name",
    "error_kind",
    "final_score",
    "find_sections",
    "gap_records_bytes",
    "norm_of",
    "read_answer",
    "read_gap_records",
    "read_results",
    "scored",
    "seed_of",
    "step_key",
]
