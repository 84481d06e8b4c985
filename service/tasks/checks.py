"""Checks of a task that need no model (issue: validation)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from service.chains import chain_faults, template
from service.citations import read_citations
from service.domain import DateBasis, Language, NormId, TaskType
from service.graph.queries import query
from service.graph.rows import norm_uid
from service.tasks.overlap import Overlap, overlap
from service.tasks.record import Task

if TYPE_CHECKING:
    from service.graph.store import GraphStore, Row

__all__ = ["MAX_OVERLAP", "Report", "check_tasks", "named_norms", "task_report", "text_faults"]

MAX_OVERLAP: Final = 0.15
"""Most of a fabula's words that may be the norms' own (token overlap, Jaccard); the benchmark's mean is about 0.05."""

_NORM_ID = re.compile(r"(?<!\w)([^\W\d_]+)_(\d+(?:[.-]\d+)*)(?!\w)")
_PAGE = 100


@dataclass(frozen=True, slots=True)
class Report:
    """What checks without a model say of a fabula.

    Attributes:
        faults: What is wrong, each with norm, value and remedy; empty when all holds.
        remarks: What is to be known but no fault, such as a date that rests on an amendment.
        overlap: Of the facts with the norms.
    """

    fabula_id: str
    faults: tuple[str, ...]
    remarks: tuple[str, ...]
    overlap: Overlap | None


def named_norms(text: str, language: Language, acts: frozenset[str] | None = None) -> set[NormId]:
    """Return the norms that a text names, as ids or as citations in words.

    Args:
        text: The text.
        language: Its language.
        acts: Keys of acts whose ids count (``ГК_15``); None for any.
    """
    found = {f"{act}_{number}" for act, number in _NORM_ID.findall(text) if acts is None or act in acts}
    return found | {cited.norm_id for cited in read_citations(text, language) if cited.norm_id is not None}


def text_faults(task: Task, language: Language, texts: Mapping[NormId, str], *, most: float = MAX_OVERLAP) -> list[str]:
    """Return what is wrong with a task's texts alone.

    Args:
        task: The task.
        language: Its language.
        texts: The wording of its norms.
        most: Largest token overlap of facts and norms.
    """
    acts = frozenset(_plain(norm).rpartition("_")[0] for norm in task.norm_ids)
    faults = []
    for name, text in (("fabula", task.fabula), ("question", task.question)):
        for norm in sorted(named_norms(text, language, acts)):
            faults.append(f"the {name} names the norm {norm!r}; tell the facts without it")
    gold = {_plain(norm) for norm in task.norm_ids}
    if task.answer:
        cited = {_plain(norm) for norm in named_norms(task.answer, language)}
        faults.extend(f"the answer does not cite {norm!r} of the chain; cite it" for norm in sorted(gold - cited))
        faults.extend(
            f"the answer cites {norm!r}, which is not in the chain; leave it out" for norm in sorted(cited - gold)
        )
    if task.gold_chain:
        *steps, last = task.gold_chain
        if last.norm_id is not None:
            faults.append("the gold chain ends at a norm; end it by a conclusion with norm_id null")
        wanted, given = list(task.norm_ids), [step.norm_id for step in steps]
        if given != wanted:
            faults.append(f"the gold chain goes through {given!r}, the norms are {wanted!r}; give each norm one step")
        faults.extend(
            f"step {step.step} of the gold chain has no text; write it" for step in task.gold_chain if not step.text
        )
    if texts:
        found = overlap(task.fabula, texts.values())
        if found.tokens > most:
            faults.append(
                f"the fabula shares {found.tokens:.2f} of its words with the norms, the most is {most:g}; "
                "tell it in other words"
            )
        if found.five_grams:
            faults.append(
                f"the fabula has {found.five_grams:.2f} of its runs of five words from the norms; tell it in other words"
            )
    if task.task_type is TaskType.TEMPORAL_VALIDITY and not _is_date(task.event_date):
        faults.append(f"event_date {task.event_date!r} is not a date; a temporal task needs one: 2020-03-01")
    elif task.event_date is not None and str(task.event_date)[:4] not in task.fabula:
        faults.append(f"the fabula does not tell the day of the event, {task.event_date}; tell it")
    return faults


async def check_tasks(store: GraphStore, corpus_uid: str, tasks: Sequence[Task], language: Language) -> list[Report]:
    """Hold tasks against the graph and against themselves.

    Against the graph: norms exist, are usable and in force at the event date, and the chain is a path under its template.
    Against themselves: see :func:`text_faults`.

    Args:
        store: The graph.
        corpus_uid: ``key@version``.
        tasks: One task of each fabula.
        language: Of the tasks.
    """
    reports = []
    for begin in range(0, len(tasks), _PAGE):
        page = tasks[begin : begin + _PAGE]
        asked = [(template(task.task_type, task.depth), task.norm_ids) for task in page]
        chains = await chain_faults(store, corpus_uid, asked)
        norms = sorted({norm for task in page for norm in task.norm_ids})
        rows = await store.read(query("articles/texts"), uids=[norm_uid(corpus_uid, norm) for norm in norms])
        articles: dict[NormId, Row] = {row["article"]["ref"]: row["article"] for row in rows}
        for task, faults in zip(page, chains, strict=True):
            reports.append(task_report(task, faults, articles, language))
    return reports


def task_report(
    task: Task,
    faults: Sequence[str],
    articles: Mapping[NormId, Row],
    language: Language,
    *,
    most: float = MAX_OVERLAP,
) -> Report:
    """Return what can be said of a task from the wording and validity of its norms, after faults that are known already."""
    texts = {norm: articles[norm]["text"] for norm in task.norm_ids if norm in articles}
    found, remarks = [*faults, *text_faults(task, language, texts, most=most)], []
    if task.event_date is not None and _is_date(task.event_date):
        for norm in task.norm_ids:
            if norm in articles:
                fault, remark = _in_force(norm, articles[norm], task.event_date)
                found += fault
                remarks += remark
    return Report(task.fabula_id, tuple(found), tuple(remarks), overlap(task.fabula, texts.values()) if texts else None)


def _in_force(norm: NormId, article: Row, event: str) -> tuple[list[str], list[str]]:
    """Return faults and remarks of a norm at the date of the facts."""
    begin, end, basis = article["valid_from"], article["valid_to"], article["valid_from_basis"]
    if begin is None:
        return [], [f"norm {norm!r} has no known date"]
    if event < begin:
        return [f"the facts are of {event!r}, norm {norm!r} is valid from {begin!r} ({basis}); take a later date"], []
    if end is not None and event > end:
        return [f"the facts are of {event!r}, norm {norm!r} was valid to {end!r}; take an earlier date"], []
    if basis == DateBasis.AMENDMENT:
        return [], [f"the wording of norm {norm!r} is that of the amendment of {begin!r}, not its entry into force"]
    return [], []


def _plain(norm: NormId) -> NormId:
    # Answers name an act without its edition.
    act, mark, number = norm.rpartition("_")
    return f"{act.partition('@')[0]}{mark}{number}"


@lru_cache(maxsize=1024)
def _is_date(value: Any) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False
