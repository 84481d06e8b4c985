"""MHGB: multi-hop reasoning over Russian statutory law (specs, mhgb)."""

from service.benchmarks.mhgb.models import MODELS, ReleasedModel, display_name
from service.benchmarks.mhgb.reading import AnswerReading, Law, read_answer
from service.benchmarks.mhgb.records import Experiment, gap_records_bytes, read_gap_records, read_results
from service.benchmarks.mhgb.scoring import (
    ANSWER,
    ANSWER_VALUES,
    EQUAL,
    STEP_VALUES,
    ErrorKind,
    Score,
    coverage_f1,
    error_kind,
    final_score,
    score_answer,
    step_key,
)
from service.benchmarks.mhgb.sections import Section, Span, find_sections

__all__ = [
    "ANSWER",
    "ANSWER_VALUES",
    "EQUAL",
    "MODELS",
    "STEP_VALUES",
    "AnswerReading",
    "ErrorKind",
    "Experiment",
    "Law",
    "ReleasedModel",
    "Score",
    "Section",
    "Span",
    "coverage_f1",
    "display_name",
    "error_kind",
    "final_score",
    "find_sections",
    "gap_records_bytes",
    "read_answer",
    "read_gap_records",
    "read_results",
    "score_answer",
    "step_key",
]
