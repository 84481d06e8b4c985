"""MHGB: multi-hop reasoning over Russian statutory law (specs, mhgb)."""

from service.benchmarks.mhgb.models import MODELS, ReleasedModel, display_name
from service.benchmarks.mhgb.records import Experiment, gap_records_bytes, read_gap_records, read_results

__all__ = [
    "MODELS",
    "Experiment",
    "ReleasedModel",
    "display_name",
    "gap_records_bytes",
    "read_gap_records",
    "read_results",
]
