"""Judges: what they are asked, how their verdicts are read and joined, and how far they can be trusted.

A judge sees a question, a reference and a fenced answer. It never learns who answered, in which mode, with which
context, or what others gave. A reply that cannot be read is no verdict, never a zero.
"""

from service.judging._aggregate import Aggregated, aggregate
from service.judging._asking import Judge, ModelJudge, Verdict, VerdictStatus, contract_of, verdict_of
from service.judging._calibrate import Calibration, calibrate, level_agreement, read_labels
from service.judging._lexical import LexicalJudge
from service.judging._profile import LEXICAL, Aggregation, JudgeKind, JudgeProfile
from service.judging._questions import REFUSAL, Question, judge_messages, judging_digest, nonce_of, prompt_sections
from service.judging._refusals import REFUSAL_TOPICS, REFUSAL_TYPES, refusal_question
from service.judging._wording import Wording, read_wording, worded

__all__ = [
    "LEXICAL",
    "REFUSAL",
    "REFUSAL_TOPICS",
    "REFUSAL_TYPES",
    "Aggregated",
    "Aggregation",
    "Calibration",
    "Judge",
    "JudgeKind",
    "JudgeProfile",
    "LexicalJudge",
    "ModelJudge",
    "Question",
    "Verdict",
    "VerdictStatus",
    "Wording",
    "aggregate",
    "calibrate",
    "contract_of",
    "judge_messages",
    "judging_digest",
    "level_agreement",
    "nonce_of",
    "prompt_sections",
    "read_labels",
    "read_wording",
    "refusal_question",
    "verdict_of",
    "worded",
]
