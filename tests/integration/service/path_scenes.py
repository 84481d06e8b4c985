"""The cast of the whole path: a model that writes tasks, one that judges, three participants, and what each is worth.

Every text is of invented words, four a step and four for the conclusion, so that what a judge must give follows from how
many of them an answer has. The figures here are written by the formulas of mhgb.md 5 alone; nothing of the scorer is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from service.tasks import CHECKS

HEADS = ("бур", "вог", "гуд", "дым", "жак", "зеб", "лым", "муш", "нох", "пуф")
TAILS = ("амор", "елор", "икор", "огор")
CONCLUSION = tuple(f"шуц{tail}" for tail in TAILS)
INVENTED = "ГК_9999"
"""A norm that the Civil Code, complete in the corpus, does not have."""


def step_words(step: int) -> tuple[str, ...]:
    return tuple(f"{HEADS[step - 1]}{tail}" for tail in TAILS)


# What the models say -----------------------------------------------------------------------------------------------


def reply(asked: Mapping[str, Any]) -> str:
    """Writer, validator and judge in one, told apart by what they are asked for."""
    text = asked["messages"][-1]["content"]
    if asked["model"] == "judge":
        return judged(text)
    if "norms_match" in text:
        return json.dumps(dict.fromkeys(CHECKS, True) | {"reason": "так"}, ensure_ascii=False)
    return written(text)


def written(asked: str) -> str:
    value = {
        "fabula": "Хмурый Зюзя упустил зонтик 5 мая 2031 года. Кузя сцапал зонтик у запруды. Зонтик треснул.",
        "question": "Кто чинит зонтик?",
        "conclusion": " ".join(CONCLUSION),
        "event_date": "2031-05-05",
    }
    names = set(re.findall(r'"(fabula|question|step_\d+|conclusion|event_date)"', asked))
    value |= {name: " ".join(step_words(int(name[5:]))) for name in names if name.startswith("step_")}
    return json.dumps({name: text for name, text in value.items() if name in names}, ensure_ascii=False)


def judged(asked: str) -> str:
    """The loopback judge: by how many of the reference's words stand in the fenced answer."""
    reference = re.search(r"ЭТАЛОННЫЙ (?:ШАГ|ВЫВОД):\n(.*?)\n\n", asked, re.DOTALL)
    answer = re.search(r"НАЧАЛО ОТВЕТА \w+\n(.*)\nКОНЕЦ ОТВЕТА", asked, re.DOTALL)
    assert reference is not None
    assert answer is not None
    there = sum(word in answer[1] for word in reference[1].split())
    table = MAIN_STEP if "ЭТАЛОННЫЙ ШАГ" in asked else MAIN_ANSWER
    return json.dumps({"score": table[there], "reason": "по словам"}, ensure_ascii=False)


# Values by how many of the four words an answer has. The second pair is the lexical judge's rule, worked out by hand:
# the place floor(share · n) among n values, the last at most.
MAIN_STEP, MAIN_ANSWER = (0, 0, 0.5, 0.5, 1), (0, 0, 0.33, 0.67, 1)
LEXICAL_STEP, LEXICAL_ANSWER = (0, 0, 0.5, 1, 1), (0, 0.33, 0.67, 1, 1)
JUDGES = {"main": (MAIN_STEP, MAIN_ANSWER), "lexical": (LEXICAL_STEP, LEXICAL_ANSWER)}


# What participants say ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """An answer, and what is known of it.

    Attributes:
        named: Norms that count as named.
        steps: Words of each step that the answer has.
        conclusion: Words of the conclusion that it has.
        zero: It says nothing and is 0 on all levels.
    """

    text: str | None
    outcome: str = "answered"
    named: frozenset[str] = frozenset()
    steps: tuple[int, ...] = ()
    conclusion: int = 0

    @property
    def zero(self) -> bool:
        return self.outcome in ("empty", "refused_by_provider")

    @property
    def is_answer(self) -> bool:
        return self.outcome in ("answered", "cut") or self.zero


def _lines(counts: Sequence[int]) -> list[str]:
    return [f"{n}. {' '.join(step_words(n)[:count])}" for n, count in enumerate(counts, start=1) if count]


def _said(named: Sequence[str], steps: Sequence[int], conclusion: int, shape: str = "plain", **more: Any) -> Said:
    articles, reasons, ending = "\n".join(named), "\n".join(_lines(steps)), " ".join(CONCLUSION[:conclusion])
    texts = {
        "plain": f"ПРИМЕНИМЫЕ СТАТЬИ:\n{articles}\nЦЕПОЧКА РАССУЖДЕНИЙ:\n{reasons}\nВЫВОД: {ending}",
        "markdown": f"<think>Может быть, {INVENTED} и ГК_1?</think>\n"
        f"## Применимые статьи\n{articles}\n\n## Цепочка рассуждений\n{reasons}\n\n## Вывод\n{ending}",
        "backwards": f"**ВЫВОД:** {ending}\n\n**Цепочка рассуждений:**\n{reasons}\n\n**Применимые статьи:**\n{articles}",
        "bare": f"{ending}\n{reasons}\n{articles}",
    }
    known = frozenset(norm for norm in named if norm != INVENTED)
    return Said(texts[shape], named=known, steps=tuple(steps), conclusion=conclusion, **more)


def strong(gold: Sequence[str], mode: str, depth: str, bystander: str | None) -> Said:
    """Open: all of it. Closed: not the last norm of a chain, and a word less of the last step and of the conclusion."""
    if mode == "open":
        return _said(gold, [4] * len(gold), 4)
    return _said(gold[:-1] or gold, [*[4] * (len(gold) - 1), 3], 3, "markdown")


def weak(gold: Sequence[str], mode: str, depth: str, bystander: str | None) -> Said:
    """Open: the first norm, one of the context that is no seed, half of a step. Closed: an invented norm."""
    if mode == "open":
        named = [gold[0], *([bystander] if bystander else [])]
        return _said(named, [2, *[0] * (len(gold) - 1)], 1, "backwards")
    return _said([INVENTED], [0] * len(gold), 2, "bare")


def odd(gold: Sequence[str], mode: str, depth: str, bystander: str | None) -> Said:
    """Closed: nothing, withheld, or well said. Open: well said, cut, or too long for its window."""
    if mode == "closed":
        if depth == "deep":
            return _said(gold, [4] * len(gold), 4)
        return Said("", "empty") if depth == "shallow" else Said(None, "refused_by_provider")
    if depth == "deep":
        return Said(None, "context_overflow")
    if depth == "medium":
        return _said(gold, [*[4] * (len(gold) - 1), 0], 0, outcome="cut")
    return _said(gold, [4] * len(gold), 2, "markdown")


PARTICIPANTS = {"strong": strong, "weak": weak, "odd": odd}


# What it is worth --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Worth:
    """The components of one answer by the formulas of mhgb.md 5; None: no answer, no score."""

    nc: float
    sc: float
    ac: float
    zero: bool = False

    @property
    def fs(self) -> float:
        return (self.nc + self.sc + self.ac) / 3


def worth(said: Said, gold: Sequence[str], judge: str) -> Worth | None:
    if not said.is_answer:
        return None
    if said.zero:
        return Worth(0, 0, 0, zero=True)
    step, answer = JUDGES[judge]
    hits = len(said.named & set(gold))
    coverage = 2 * hits / (len(said.named) + len(gold))
    return Worth(coverage, fmean(step[count] for count in said.steps), answer[said.conclusion])


@dataclass
class Known:
    """What is known of one run before anybody scores it.

    Attributes:
        worths: By (fabula, mode).
        cells: (type, depth) by fabula.
        outcomes: By mode.
    """

    worths: dict[tuple[str, str], Worth | None] = field(default_factory=dict)
    cells: dict[str, tuple[str, str]] = field(default_factory=dict)
    outcomes: dict[str, dict[str, int]] = field(default_factory=lambda: {"closed": {}, "open": {}})

    def of_mode(self, mode: str) -> list[Worth]:
        return [one for (_, of_mode), one in self.worths.items() if of_mode == mode and one is not None]

    def pairs(self, **cell: str) -> list[tuple[Worth, Worth]]:
        """Complete pairs, those of a cell where one is named."""
        found = []
        for fabula, (kind, depth) in self.cells.items():
            closed, opened = self.worths[fabula, "closed"], self.worths[fabula, "open"]
            if cell.get("type", kind) == kind and cell.get("depth", depth) == depth and closed and opened:
                found.append((closed, opened))
        return found

    def quadrants(self) -> dict[str, int]:
        names = {(True, True): "knows", (False, True): "reasons", (True, False): "hallucinates"}
        found = dict.fromkeys(("knows", "reasons", "hallucinates", "incompetent"), 0)
        for closed, opened in self.pairs():
            found[names.get((closed.fs >= 0.5, opened.fs >= 0.5), "incompetent")] += 1
        return found
