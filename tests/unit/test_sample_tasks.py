"""The tasks and answers of the sample: the checks that need no model (mhgb.md 3), and what the answers are for."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from statistics import fmean
from typing import Any

import pytest

from loaders.relations import build_relations
from loaders.statutes.own_words import read_sample
from service.citations import read_citations
from service.domain import Article, Language, RelationType, article_sort_key, split_norm_id
from service.resources import resource

Task = dict[str, Any]

TYPES = ("issue_spotting", "rule_selection", "conflict_resolution", "temporal_validity")
DEPTHS = {"shallow": range(1, 3), "medium": range(3, 5), "deep": range(5, 11)}
ACTS = read_sample(resource("data/sample"))
NORM_ID = re.compile(rf"\b({'|'.join(act.act.key for act in ACTS)})_(\d+(?:[.-]\d+)*)")
WORD = re.compile(r"\w+")
CONFLICT = {RelationType.EXCLUDES, RelationType.PREVAILS_OVER}
MEAN_TOKEN_OVERLAP = 0.08


def lines(name: str) -> list[Task]:
    return [json.loads(line) for line in (resource("data/sample") / name).read_text(encoding="utf-8").splitlines()]


TASKS = lines("tasks.jsonl")
ANSWERS = {name: lines(f"answers/{name}.jsonl") for name in ("owl", "magpie", "sparrow")}


@pytest.fixture(scope="module")
def articles() -> dict[str, Article]:
    return {article.norm_id: article for act in ACTS for article in act.articles}


@pytest.fixture(scope="module")
def types() -> dict[tuple[str, str], RelationType]:
    return {(found.source_id, found.target_id): found.type for found in build_relations(ACTS).relations}


def named(text: str) -> set[str]:
    ids = {f"{act}_{number}" for act, number in NORM_ID.findall(text)}
    return ids | {cited.norm_id for cited in read_citations(text, Language.RU) if cited.norm_id is not None}


def five_grams(text: str) -> set[tuple[str, ...]]:
    words = WORD.findall(text.lower().replace("ё", "е"))
    return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}


def coverage_f1(answer: Task, gold: set[str]) -> float:
    norms = named(answer["answer"])
    return 2 * len(norms & gold) / (len(norms) + len(gold)) if norms & gold else 0.0


def test_every_cell_stands_twice() -> None:
    cells = Counter((task["type"], task["hop_group"]) for task in TASKS)
    assert cells == {(kind, depth): 2 for kind in TYPES for depth in DEPTHS}
    assert len({task["id"] for task in TASKS}) == len(TASKS)


@pytest.mark.parametrize("task", TASKS, ids=[task["id"][:8] for task in TASKS])
class TestTask:
    def test_norms_are_usable_and_as_many_as_the_depth_says(self, task: Task, articles: dict[str, Article]) -> None:
        norms = task["norm_ids"]
        assert len(set(norms)) == len(norms) == task["hop_count"]
        assert len(norms) in DEPTHS[task["hop_group"]]
        assert all(not articles[norm].repealed and len(articles[norm].text) >= 100 for norm in norms)
        branches = {act.act.key: act.act.branch for act in ACTS}
        assert task["branch_of_law"] == branches[split_norm_id(norms[0])[0]]

    def test_the_chain_is_a_path_under_its_template(
        self, task: Task, types: dict[tuple[str, str], RelationType], articles: dict[str, Article]
    ) -> None:
        steps = list(pairwise(task["norm_ids"]))
        found = [types[step] for step in steps]
        assert [(edge["source"], edge["target"], edge["edge_type"]) for edge in task["edge_meta"]] == [
            (source, target, kind.value) for (source, target), kind in zip(steps, found, strict=True)
        ]
        match task["type"]:
            case "issue_spotting":
                assert len(task["norm_ids"]) == 1 or task["hop_group"] != "shallow"
            case "rule_selection":
                assert found[0] is not RelationType.REFERS_TO
            case "conflict_resolution":
                assert found[0] in CONFLICT
            case "temporal_validity":
                dated = [norm for norm in task["norm_ids"] if articles[norm].valid_from is not None]
                assert len(dated) >= (1 if task["hop_group"] == "shallow" else 2)

    def test_an_event_date_stands_in_the_facts_and_in_every_norms_validity(
        self, task: Task, articles: dict[str, Article]
    ) -> None:
        if task["type"] != "temporal_validity":
            assert "event_date" not in task
            return
        year, month, day = task["event_date"].split("-")
        months = ["янв", "фев", "мар", "апр", "ма", "июн", "июл", "авг", "сен", "окт", "ноя", "дек"]
        assert re.search(rf"\b{int(day)} {months[int(month) - 1]}\w+ {year} года", task["fabula"])
        for entry in task["norm_dates"]:
            article = articles[entry["norm_id"]]
            assert (entry["valid_from"], entry["valid_from_basis"]) == (article.valid_from, article.valid_from_basis)
            assert entry["valid_from"] <= task["event_date"]
        assert [entry["norm_id"] for entry in task["norm_dates"]] == [
            norm for norm in task["norm_ids"] if articles[norm].valid_from
        ]

    def test_the_gold_chain_and_the_answer_follow_the_norms(self, task: Task) -> None:
        *steps, last = task["gold_chain"]
        assert [step["norm_id"] for step in steps] == task["norm_ids"]
        assert [step["step"] for step in task["gold_chain"]] == list(range(1, len(steps) + 2))
        assert all(step["reasoning"] for step in steps)
        assert last["norm_id"] is None
        assert task["answer"].endswith(f"ВЫВОД: {last['conclusion']}")
        listed, reasoned = task["answer"].split("ЦЕПОЧКА РАССУЖДЕНИЙ:")
        assert named(listed) == named(reasoned) == set(task["norm_ids"])

    def test_the_facts_name_no_norm_and_borrow_no_words(self, task: Task, articles: dict[str, Article]) -> None:
        assert named(task["fabula"]) | named(task["question"]) == set()
        assert re.search(r"\bстать[ияёе]|\bкодекс", task["fabula"].lower()) is None
        assert 3 <= len(re.findall(r"[.!?](?:\s|$)", task["fabula"])) <= 5
        norms = "\n".join(articles[norm].text for norm in task["norm_ids"])
        assert five_grams(task["fabula"]) & five_grams(norms) == set()


def test_facts_and_norms_share_few_words(articles: dict[str, Article]) -> None:
    shares = []
    for task in TASKS:
        facts = set(WORD.findall(task["fabula"].lower()))
        norms = {word for norm in task["norm_ids"] for word in WORD.findall(articles[norm].text.lower())}
        shares.append(len(facts & norms) / len(facts | norms))
    assert fmean(shares) < MEAN_TOKEN_OVERLAP


@pytest.mark.parametrize("participant", ANSWERS)
def test_each_participant_answers_every_task_in_both_modes(participant: str) -> None:
    wanted = {f"{task['id']}_{mode}" for task in TASKS for mode in ("closed", "open")}
    assert {answer["task_id"] for answer in ANSWERS[participant]} == wanted
    assert len(ANSWERS[participant]) == len(wanted)
    assert all(answer["task_id"].endswith(answer["mode"]) for answer in ANSWERS[participant])


def test_the_participants_differ_in_strength_and_gain_from_the_open_book() -> None:
    gold = {task["id"]: set(task["norm_ids"]) for task in TASKS}
    means = {
        (name, mode): fmean(
            coverage_f1(answer, gold[answer["task_id"].partition("_")[0]])
            for answer in answers
            if answer["mode"] == mode
        )
        for name, answers in ANSWERS.items()
        for mode in ("closed", "open")
    }
    assert means["owl", "open"] == 1
    for mode in ("closed", "open"):
        assert means["owl", mode] > means["magpie", mode] + 0.1 > means["sparrow", mode] + 0.2
    for name in ANSWERS:
        assert means[name, "open"] > means[name, "closed"]


def test_the_weak_one_refuses_leaves_one_empty_is_cut_and_invents(articles: dict[str, Article]) -> None:
    outcomes = Counter(answer["outcome"] for answer in ANSWERS["sparrow"])
    assert outcomes == {"answered": 46, "empty": 1, "cut": 1}
    assert [answer["answer"] for answer in ANSWERS["sparrow"] if answer["outcome"] == "empty"] == [""]
    assert sum("Обратитесь к адвокату" in answer["answer"] for answer in ANSWERS["sparrow"]) == 1
    spans = {act.act.key: [span.split("–") for span in act.act.coverage] for act in ACTS}
    invented = set()
    for answer in ANSWERS["sparrow"]:
        for norm in named(answer["answer"]) - articles.keys():
            act, number = split_norm_id(norm)
            at = article_sort_key(number)
            if any(article_sort_key(span[0]) <= at <= article_sort_key(span[-1]) for span in spans[act]):
                invented.add(norm)
    assert len(invented) >= 10


def test_answers_come_in_the_shapes_that_models_write() -> None:
    texts = [answer["answer"] for answers in ANSWERS.values() for answer in answers]
    shapes = {
        "capitals": r"(?m)^ПРИМЕНИМЫЕ СТАТЬИ:",
        "markdown": r"(?m)^## Применимые статьи$",
        "bold": r"\*\*ПРИМЕНИМЫЕ СТАТЬИ:\*\*",
        "numbered": r"(?m)^1\. Применимые статьи:",
        "think": r"^<think>",
        "conclusion first": r"^Вывод: ",
        "prose": r"ст\. \d",
    }
    for name, pattern in shapes.items():
        assert sum(bool(re.search(pattern, text)) for text in texts) >= 3, name
    assert sum("рименимые статьи" not in text and "ПРИМЕНИМЫЕ" not in text for text in texts) >= 5
