"""A judge profile with an operator's own wording: what is read, what changes its fingerprint, what stays ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.errors import InputError
from service.judging import (
    LEXICAL,
    JudgeProfile,
    Question,
    judge_messages,
    prompt_sections,
    read_wording,
    worded,
)

OURS = {
    level: prompt_sections(f"data/prompts/mhgb/judge-{level}.md", frozenset({"system"})) for level in ("step", "answer")
}


def question(level: str = "step") -> Question:
    material = ((OURS[level]["facts"], "Дело."), (OURS[level]["reference"], "Так."))
    return Question(f"{level}:1", level, (0.0, 0.5, 1.0), OURS[level]["system"], material, "Так.", "Ответ.")


def folder(tmp_path: Path, text: str, name: str = "judge-step.md") -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_instructions_and_labels_are_the_operators_fence_and_form_ours(tmp_path: Path) -> None:
    wording = read_wording(folder(tmp_path, "# system\n\nБудь строг.\n\n# facts\n\nОБСТОЯТЕЛЬСТВА\n"), OURS)
    before, after = judge_messages(question()), judge_messages(worded(question(), wording))
    assert after[0].content.startswith("Будь строг.")
    assert "ОБСТОЯТЕЛЬСТВА:\nДело." in after[1].content
    assert f"{OURS['step']['reference']}:\nТак." in after[1].content
    # All that stands after the instructions is the same, but for the fence's mark.
    ours, theirs = (one[0].content.split("\n\n", one[0].content.count("\n\n"))[-1] for one in (before, after))
    assert ours == theirs
    assert '"score"' in theirs
    assert worded(question("answer"), wording) == question("answer")


def test_the_fingerprint_holds_the_wording_and_without_one_is_what_it_was(tmp_path: Path) -> None:
    plain = JudgeProfile(name="a", model="m", model_id="m")
    first = read_wording(folder(tmp_path, "# system\n\nБудь строг.\n"), OURS)
    second = read_wording(folder(tmp_path, "# system\n\nБудь мягок.\n"), OURS)
    prints = [plain.fingerprint]
    for wording in (first, second):
        one = JudgeProfile(name="a", model="m", model_id="m", wording=wording, wording_of="mhgb")
        assert JudgeProfile.model_validate(one.model_dump(mode="json")) == one
        prints.append(one.fingerprint)
    assert len(set(prints)) == 3
    assert plain.wording_digest is None
    # Ledgers hold this one: it may not change by a new field.
    assert LEXICAL.fingerprint == "41950983539b750817d2f2dea21961fc4d0e9704384b6e72013845ce03e5ab30"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("judge-step.md", "Будь строг.", "no section '# system'"),
        ("judge-step.md", "# system\n\nБудь строг.\n\n# mode\n\nРЕЖИМ\n", "section '# mode'"),
        ("judge.md", "# system\n\nБудь строг.\n", "holds none of judge-step.md, judge-answer.md"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_wording(folder(tmp_path, text, name), OURS)
