"""Blind packages for experts: a workbook to fill in, and what the answers say."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile

import numpy as np
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Alignment, Font
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.datavalidation import DataValidation

from service.analysis import Agreement, Interval, Kappa, cohen_kappa, label_agreement, wilson
from service.domain import Mode, NormId
from service.errors import SourceError
from service.tasks.record import Fabula
from service.tasks.reviews import CHECKS
from service.tasks.sets import TaskSet

if TYPE_CHECKING:
    from service.graph.store import Row

__all__ = ["Figures", "Filled", "Word", "read_package", "review_figures", "write_package"]

_ASKED: Final = (
    "Are the norms of the chain exactly those that the facts need?",
    "Can it be solved by these norms, and by no other set of norms?",
    "Do the facts hold all that is needed, the day where time matters?",
    "Does each step follow, without a gap?",
    "Does the answer follow from the chain and answer the question?",
)
_COLUMNS: Final = ("code", "facts", "question", "norms", "chain", "answer", *CHECKS, "verdict", "comment")
_WIDTHS: Final = (14, 60, 40, 60, 60, 50, *(14,) * len(CHECKS), 12, 40)
_YES_NO: Final = {"yes": True, "no": False}
_VERDICTS: Final = ("approve", "reject")
_LONGEST: Final = 6000
_FORMULA: Final = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Word:
    """An expert's word on a fabula."""

    fabula_id: str
    approve: bool
    checks: Mapping[str, bool]
    comment: str


@dataclass(frozen=True, slots=True)
class Filled:
    """One filled-in workbook.

    Attributes:
        empty: Fabulas whose verdict was left open.
    """

    words: tuple[Word, ...]
    empty: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What experts say of a set, and how far they and a model agree.

    Attributes:
        fabulas: Fabulas with at least one word.
        approved: Share of them that the majority approves, ties left out; None without any.
        ties: Fabulas with as many approvals as rejections.
        agreement: Of the reviewers who judged the same fabulas, two or more; None otherwise.
        model_precision: Of the fabulas that the model approves, the share that the experts' majority approves.
        model_kappa: Cohen's κ of the model and the experts' majority.
    """

    fabulas: int
    approved: Interval | None
    ties: int
    agreement: Agreement | None
    model_precision: Interval | None
    model_kappa: Kappa | None


def _code(task_set: TaskSet, fabula_id: str) -> str:
    return hashlib.sha256(f"{task_set.canary}/{fabula_id}".encode()).hexdigest()[:12]


def write_package(
    path: Path, task_set: TaskSet, fabulas: Sequence[Fabula], articles: Mapping[NormId, Row], *, seed: int = 42
) -> None:
    """Write a workbook that says nothing of who wrote or checked a task; its rows are shuffled by the seed.

    Raises:
        SourceError: It cannot be written.
    """
    book = Workbook()
    about = book.active
    assert about is not None  # noqa: S101 - a new workbook has a sheet
    about.title = "about"
    for line in (
        f"{task_set.title}: for each row, answer the five questions with yes or no, and give a verdict: approve or reject.",
        *(f"{name}: {asked}" for name, asked in zip(CHECKS, _ASKED, strict=True)),
        "Work alone and from the texts alone. An empty verdict means that you did not judge the row.",
        task_set.notice,
        task_set.canary,
    ):
        about.append([line])
    sheet = book.create_sheet("review")
    sheet.append(list(_COLUMNS))
    shuffled = sorted(fabulas, key=lambda fabula: fabula.id)
    random.Random(seed).shuffle(shuffled)
    for fabula in shuffled:
        task = fabula.task(Mode.CLOSED)
        norms = [f"[{norm}] {articles[norm]['text'][:_LONGEST]}" for norm in task.norm_ids if norm in articles]
        chain = [f"{step.step}. {step.norm_id or '—'}: {step.text}" for step in task.gold_chain]
        texts = [task.fabula, task.question, "\n\n".join(norms), "\n".join(chain), task.answer]
        sheet.append([_code(task_set, fabula.id), *(_shown(text) for text in texts), *[None] * (len(CHECKS) + 2)])
    checks = DataValidation(type="list", formula1='"yes,no"', allow_blank=True)
    verdict = DataValidation(type="list", formula1=f'"{",".join(_VERDICTS)}"', allow_blank=True)
    for rule, first, last in ((checks, "G", "K"), (verdict, "L", "L")):
        sheet.add_data_validation(rule)
        rule.add(f"{first}2:{last}{len(fabulas) + 1}")
    sheet.freeze_panes = "B2"
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for letter, width in zip("ABCDEFGHIJKLM", _WIDTHS, strict=True):
        sheet.column_dimensions[letter].width = width
    for row in sheet.iter_rows(min_row=2):
        for cell in row:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
    try:
        book.save(path)
    except OSError as error:
        raise SourceError(f"package {str(path)!r} cannot be written ({error.strerror}); name another file") from error


def read_package(path: Path, task_set: TaskSet, fabulas: Sequence[Fabula]) -> Filled:
    """Read a filled-in workbook.

    Raises:
        SourceError: It is none of this set, or a cell holds something else than was offered; the error names the row.
    """
    try:
        book = load_workbook(path, read_only=True)
        rows = list(book["review"].iter_rows(min_row=2, max_col=len(_COLUMNS), values_only=True))
        book.close()
    except (OSError, InvalidFileException, BadZipFile, KeyError, ValueError) as error:
        raise SourceError(f"package {str(path)!r} is no filled-in review of tasks ({error}); name that file") from error
    codes = {_code(task_set, fabula.id): fabula.id for fabula in fabulas}
    words: dict[str, Word] = {}
    empty = 0
    for number, row in enumerate(rows, start=2):
        if row[0] is None:
            continue
        where = f"package {path.name!r} row {number}"
        fabula_id = codes.get(str(row[0]))
        if fabula_id is None:
            raise SourceError(
                f"{where}: code {row[0]!r} is of no fabula of {task_set.name}; import it into its own set"
            )
        if fabula_id in words:
            raise SourceError(f"{where}: code {row[0]!r} stands twice; keep one row")
        verdict = str(row[11] or "").strip().lower()
        if not verdict:
            empty += 1
            continue
        if verdict not in _VERDICTS:
            raise SourceError(f"{where}: verdict {row[11]!r} is neither approve nor reject; choose one")
        words[fabula_id] = Word(
            fabula_id, verdict == "approve", _checks(where, row[6:11]), str(row[12] or "").removeprefix("'")
        )
    return Filled(tuple(words.values()), empty)


def _checks(where: str, cells: Sequence[Any]) -> dict[str, bool]:
    found = {}
    for name, cell in zip(CHECKS, cells, strict=True):
        said = str(cell or "").strip().lower()
        if said and said not in _YES_NO:
            raise SourceError(f"{where}: {name} is {cell!r}, neither yes nor no; choose one")
        if said:
            found[name] = _YES_NO[said]
    return found


def _shown(text: str) -> str:
    # A text that begins like a formula is shown as text by every spreadsheet when an apostrophe stands before it.
    return f"'{text}" if text.startswith(_FORMULA) else text


def review_figures(words: Mapping[str, Mapping[str, bool]], model: Mapping[str, bool] | None = None) -> Figures:
    """Return what the experts' last words say.

    Args:
        words: For each fabula, each reviewer's verdict: whether it is approved.
        model: For fabulas that a model checked: whether it approves.
    """
    majority: dict[str, bool] = {}
    ties = 0
    for fabula_id, verdicts in words.items():
        approvals = sum(verdicts.values())
        if approvals * 2 == len(verdicts):
            ties += 1
        else:
            majority[fabula_id] = approvals * 2 > len(verdicts)
    most = max((len(verdicts) for verdicts in words.values()), default=0)
    same = [list(verdicts.values()) for verdicts in words.values() if len(verdicts) == most]
    both = [(model[one], majority[one]) for one in sorted(majority) if model and one in model]
    approved = [expert for by_model, expert in both if by_model]
    return Figures(
        fabulas=len(words),
        approved=wilson(sum(majority.values()), len(majority)) if majority else None,
        ties=ties,
        agreement=label_agreement(same, [False, True]) if most > 1 else None,
        model_precision=wilson(sum(approved), len(approved)) if approved else None,
        model_kappa=cohen_kappa(
            np.array([one for one, _ in both], dtype=np.intp), np.array([other for _, other in both], dtype=np.intp), 2
        )
        if both
        else None,
    )
