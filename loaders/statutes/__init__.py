"""Statute texts to acts and articles."""

from loaders.statutes._fetch import Fetched, FetchProgress, FetchReport, fetch_statutes
from loaders.statutes._load import Progress, load_statutes
from loaders.statutes._manifest import (
    ActEntry,
    FetchEntry,
    FileEntry,
    ForceRange,
    Manifest,
    builtin_manifest,
    read_manifest,
)
from loaders.statutes._report import LoadReport, report_of
from loaders.statutes._units import Numbered

__all__ = [
    "ActEntry",
    "FetchEntry",
    "FetchProgress",
    "FetchReport",
    "Fetched",
    "FileEntry",
    "ForceRange",
    "LoadReport",
    "Manifest",
    "Numbered",
    "Progress",
    "builtin_manifest",
    "fetch_statutes",
    "load_statutes",
    "read_manifest",
    "report_of",
]
