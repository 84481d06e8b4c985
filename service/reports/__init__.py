"""Reports: tables (CSV, Markdown, LaTeX), figures (SVG, PNG), one page of HTML with all of it.

A report is made from a `ReportInput`, which released results and runs of the service both fill.
"""

from service.reports.answers import NO_ERROR, AnswerTable
from service.reports.build import Report, build_report, write_report
from service.reports.labels import ReportLanguage
from service.reports.model import Entry, JudgePair, ReportInput, Source
from service.reports.runs import runs_report
from service.reports.tables import Field, Table

__all__ = [
    "NO_ERROR",
    "AnswerTable",
    "Entry",
    "Field",
    "JudgePair",
    "Report",
    "ReportInput",
    "ReportLanguage",
    "Source",
    "Table",
    "build_report",
    "runs_report",
    "write_report",
]
