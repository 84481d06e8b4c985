"""What goes in and out while a run is open: work for participants, their answers, work for outside judges."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import orjson
from sqlalchemy.exc import IntegrityError

from service.context import Configuration
from service.db import (
    ItemLease,
    NewSubmission,
    Receipt,
    Run,
    WorkState,
    claim_judgements,
    iso_moment,
    judgement_value,
    lease_items,
    read_judgement,
    receive_submissions,
)
from service.domain import Mode, Outcome
from service.errors import ConflictError, InputError, TooLargeError
from service.evaluation._runs import participant_prompts
from service.evaluation._worker import ended_by
from service.judging import Question, Verdict, VerdictStatus, contract_of, judge_messages, verdict_of
from service.models import Message, without_thinking
from service.tasks import Conditions, Task, participant_prompt, task_context

if TYPE_CHECKING:
    from pathlib import Path

    from service.db import ClaimedJudgement, Database
    from service.evaluation._evaluator import Evaluator
    from service.evaluation._sources import LedgerRecords
    from service.graph.store import GraphStore
    from service.graph.watch import CatalogWatcher

__all__ = [
    "ParticipantDesk",
    "claim_for_judge",
    "question_view",
    "read_line",
    "reclaimed",
    "submit",
    "take_verdict",
]

_CHARS_PER_TOKEN: Final = 3
_ADVISED_TOKENS: Final = 4096
_CONTEXTS_KEPT: Final = 256
_KEY_LONGEST: Final = 100
_FIELDS: Final = (
    "task_id",
    "attempt_key",
    "outcome",
    "text",
    "finish_reason",
    "usage",
    "latency_ms",
    "provider_id",
)


@dataclass(frozen=True, slots=True)
class _Prompt:
    messages: tuple[Message, ...]
    etag: str
    exceeds: bool


class ParticipantDesk:
    """Hands out tasks, ready to send. Nothing of an answer key goes over it."""

    def __init__(
        self,
        database: Database,
        store: GraphStore,
        watcher: CatalogWatcher,
        records: LedgerRecords,
        *,
        prompts_folder: Path | None = None,
    ) -> None:
        self._database = database
        self._store = store
        self._watcher = watcher
        self._records = records
        self._folder = prompts_folder
        self._prompts: OrderedDict[tuple[Any, ...], _Prompt] = OrderedDict()

    async def lease(
        self,
        run: Run,
        *,
        mode: Mode | None,
        worker: str,
        limit: int,
        seconds: float,
        tasks: Sequence[str] | None = None,
    ) -> list[dict[str, Any]]:
        """Lease tasks of a run, each with its messages; with ``tasks`` only some of these.

        Raises:
            ConflictError: The run is closed.
            InputError: The mode is none of the run's.
            NotFoundError: A task that is named is none of the run's.
        """
        if run.closed_at is not None:
            raise ConflictError(f"run {run.id!r} is closed; make a new run")
        if mode is not None and mode.value not in run.modes:
            raise InputError(f"mode {mode.value!r} is none of run {run.id!r}; ask for {' or '.join(run.modes)}")
        async with self._database.write() as session:
            leased = await lease_items(
                session,
                run.id,
                mode=mode.value if mode else None,
                worker=worker,
                limit=limit,
                seconds=seconds,
                tasks=tasks,
            )
        return [await self._work(run, one) for one in leased]

    async def _work(self, run: Run, leased: ItemLease) -> dict[str, Any]:
        task = await self._records.task(run.task_set, leased.item.task_id)
        prompt = await self.prompt(run, task)
        characters = sum(len(message.content) for message in prompt.messages)
        tokens = -(-characters // _CHARS_PER_TOKEN)
        window = run.conditions.get("window")
        advised = int(run.conditions.get("max_tokens") or _ADVISED_TOKENS)
        if isinstance(window, int):
            advised = max(0, min(advised, window - tokens))
        return {
            "lease": f"{leased.lease.id}.{leased.lease.fence}",
            "leased_until": iso_moment(leased.lease.leased_until),
            "task_id": task.id,
            "mode": task.mode.value,
            "type": task.task_type.value,
            "depth": task.depth.value,
            "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
            "characters": characters,
            "estimated_tokens": tokens,
            "max_tokens": advised,
            "etag": prompt.etag,
            "seeds_exceed_budget": prompt.exceeds,
        }

    async def prompt(self, run: Run, task: Task) -> _Prompt:
        """Return what a participant of a run is asked for a task."""
        settings = run.settings
        key = (run.task_set, task.id, settings["configuration"], settings["token_budget"], settings["max_chunks"])
        if key in self._prompts:
            self._prompts.move_to_end(key)
            return self._prompts[key]
        prompts = participant_prompts(run.benchmark, settings["language"], self._folder)
        text, exceeds = None, False
        if task.mode is Mode.OPEN:
            text, exceeds = await self._context(run, task)
        messages = participant_prompt(task, text, prompts)
        body = orjson.dumps([[message.role, message.content] for message in messages])
        prompt = _Prompt(messages, hashlib.sha256(body).hexdigest()[:32], exceeds)
        self._prompts[key] = prompt
        while len(self._prompts) > _CONTEXTS_KEPT:
            self._prompts.popitem(last=False)
        return prompt

    async def _context(self, run: Run, task: Task) -> tuple[str, bool]:
        contents = await self._watcher.contents(self._watcher.catalog.find(run.corpus, run.version))
        budget = int(run.settings["token_budget"])
        conditions = Conditions(Configuration(run.settings["configuration"]), budget, int(run.settings["max_chunks"]))
        context = await task_context(self._store, contents, task, conditions)
        # Neighbours stop at the budget: more than it can only be the seeds' own doing.
        return context.text, context.tokens > budget


def read_line(value: Any, *, longest: int) -> NewSubmission:
    """Read one submission as it is sent.

    Raises:
        InputError: A field is missing, unknown, or of another kind; the message names it.
        TooLargeError: The text is longer than ``longest`` characters.
    """
    if not isinstance(value, dict):
        raise InputError(f"a submission is a {type(value).__name__}, not an object; send {', '.join(_FIELDS[:4])}")
    for name in value.keys() - set(_FIELDS):
        raise InputError(f"field {name!r} of a submission is not known; send some of {', '.join(_FIELDS)}")
    task_id, attempt_key = _text(value, "task_id", _KEY_LONGEST * 2), _text(value, "attempt_key", _KEY_LONGEST)
    try:
        outcome = Outcome(value.get("outcome", Outcome.ANSWERED.value))
    except ValueError:
        names = ", ".join(one.value for one in Outcome)
        raise InputError(f"outcome {value['outcome']!r} of task {task_id!r} is none of {names}; give one") from None
    text = value.get("text")
    if text is None:
        text = ""
    if not isinstance(text, str):
        raise InputError(f"text of task {task_id!r} is a {type(text).__name__}; it must be a string")
    if len(text) > longest:
        raise TooLargeError(
            f"text of task {task_id!r} has {len(text)} characters, the most is {longest} (LEXHOP_SUBMISSION_CHARS); "
            "send what the model said, not its context"
        )
    if "\x00" in text:
        raise InputError(f"text of task {task_id!r} holds a NUL at offset {text.index(chr(0))}; take it out")
    if text.strip() and not outcome.may_have_text:
        raise InputError(f"outcome {outcome.value!r} of task {task_id!r} has a text; send it as answered or cut")
    if value.get("text") is None and outcome is Outcome.ANSWERED:
        raise InputError(f"task {task_id!r} is answered but has no text; send the text, or the outcome empty")
    usage = value.get("usage")
    if usage is not None and not isinstance(usage, dict):
        raise InputError(f"usage {usage!r:.60} of task {task_id!r} is no object; send the provider's token counts")
    latency = value.get("latency_ms")
    if latency is not None and (
        isinstance(latency, bool) or not isinstance(latency, int | float) or not 0 <= latency < 1e12
    ):
        raise InputError(f"latency_ms {latency!r:.60} of task {task_id!r} is no number of milliseconds; correct it")
    return NewSubmission(
        task_id=task_id,
        attempt_key=attempt_key,
        outcome=outcome.value,
        is_answer=outcome.is_answer,
        text=text,
        finish_reason=_text(value, "finish_reason", 64) if value.get("finish_reason") is not None else None,
        usage=usage,
        latency_ms=None if latency is None else round(latency),
        provider_id=_text(value, "provider_id", _KEY_LONGEST * 2) if value.get("provider_id") is not None else None,
    )


def _text(value: Mapping[str, Any], name: str, longest: int) -> str:
    given = value.get(name)
    if not isinstance(given, str) or not given.strip() or len(given) > longest or "\x00" in given:
        raise InputError(f"{name} {given!r:.80} of a submission is no text of 1 to {longest} characters; send one")
    return given


async def submit(database: Database, run_id: str, sent: Sequence[NewSubmission]) -> list[Receipt]:
    """Take in submissions of one run, as one transaction."""
    try:
        async with database.write() as session:
            return await receive_submissions(session, run_id, sent)
    except IntegrityError:
        # Two senders raced with one attempt_key; the second look finds the first one's row.
        async with database.write() as session:
            return await receive_submissions(session, run_id, sent)


async def claim_for_judge(
    evaluator: Evaluator, profile_id: int, *, worker: str, limit: int, seconds: float
) -> list[tuple[ClaimedJudgement, Question]]:
    """Lease questions for a judge that works elsewhere; answers that wait to be read are read first."""
    await evaluator.read_some(worker=worker, limit=limit)
    async with evaluator.database.write() as session:
        claimed = await claim_judgements(session, worker=worker, limit=limit, seconds=seconds, profiles=[profile_id])
    questions = await evaluator.questions(claimed)
    return [(one, questions[one.lease.id]) for one in claimed]


def question_view(claimed: ClaimedJudgement, question: Question) -> dict[str, Any]:
    """Return a question as an outside judge gets it: never the participant, the mode, the context or other scores."""
    return {
        "id": claimed.lease.id,
        "fence": claimed.lease.fence,
        "leased_until": iso_moment(claimed.lease.leased_until),
        "level": question.level,
        "values": list(question.values),
        "repeat": claimed.repeat,
        "messages": [{"role": one.role, "content": one.content} for one in judge_messages(question)],
    }


async def take_verdict(
    evaluator: Evaluator,
    claimed: ClaimedJudgement,
    *,
    worker: str,
    reply: str | None,
    value: float | None,
    reason: str | None,
) -> dict[str, Any]:
    """Take an outside judge's reply, read by the question's own contract, or its plain value.

    A verdict that is there already is confirmed when it is the same; another one is refused and kept in the log.

    Raises:
        ConflictError: The lease went to another, and this verdict is not the one that stands.
        InputError: Neither a reply nor a value is given, or the value is none of the question's.
    """
    question = (await evaluator.questions([claimed]))[claimed.lease.id]
    verdict = _verdict(question, reply, value, reason)
    ended = ended_by(claimed, verdict)
    lost = await evaluator.end({claimed.lease.id: claimed}, [ended], worker=worker)
    async with evaluator.database.read() as session:
        stored = await judgement_value(session, claimed.lease.id)
    if lost and not (stored.state is WorkState.DONE and stored.value == verdict.value):
        raise ConflictError(
            f"the lease of judgement {claimed.lease.id} with token {claimed.lease.fence} is lost (it is "
            f"{stored.state.value}); the reply is kept in the log and changes nothing: lease anew"
        )
    return {"id": claimed.lease.id, "state": stored.state.value, "value": stored.value, "failure": verdict.failure}


def _verdict(question: Question, reply: str | None, value: float | None, reason: str | None) -> Verdict:
    if (reply is None) == (value is None):
        raise InputError(
            "a verdict is given as 'reply' (the judge's own words) or as 'value', one of the two; send one"
        )
    if value is not None:
        if isinstance(value, bool) or value not in question.values:
            raise InputError(f"value {value!r} is none of {list(question.values)}; send one of them")
        return Verdict(VerdictStatus.READ, float(value), reason)
    answer, _, _ = without_thinking(reply or "")
    reading = contract_of(question).read(answer)
    if reading.values is None:
        failure = f"the reply has no readable verdict: {reading.fault}"
        return Verdict(VerdictStatus.UNREADABLE, None, None, reply, failure)
    read, words = verdict_of(question, reading.values)
    return Verdict(VerdictStatus.READ, read, words, reply)


async def reclaimed(evaluator: Evaluator, judgement_id: int, fence: int) -> ClaimedJudgement:
    """Return a lease by its id and token, as an outside judge names it; whether it still holds shows at the end.

    Raises:
        NotFoundError: There is no such judgement.
    """
    async with evaluator.database.read() as session:
        found = await read_judgement(session, judgement_id)
    return replace(found, lease=replace(found.lease, fence=fence))
