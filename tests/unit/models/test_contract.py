"""The contract: what is asked for is what is read, and nothing else is."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain import Language
from service.errors import InputError
from service.models import Contract, Field

VERDICT = Contract(
    "verdict",
    (
        Field("score", "choice", "how well the step is done", values=(0, 0.5, 1)),
        Field("reason", "text", "one sentence"),
        Field("sure", "number", low=0, high=1, optional=True),
        Field("refusal", "boolean", optional=True),
    ),
)
GOOD = '{"score": 0.5, "reason": "named"}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  \n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"I weighed ст. 1064 ГК [1].\n\n{GOOD}\n\nDone.",
        '{"score": 0.5, "reason": "named", "extra": [1, {"a": 2}]}',
        '{"reason": "named", "score": 5e-1}',
    ],
)
def test_one_object_is_read(text: str) -> None:
    reading = VERDICT.read(text)
    assert reading.fault is None
    assert reading.values == {"score": 0.5, "reason": "named"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no JSON object"),
        ("Score: 0.5", "no JSON object"),
        ("0.5", "no JSON object"),
        ('["score", 1]', "no JSON object"),
        (f"[{GOOD}]", "in a list"),
        (f"{GOOD} {GOOD}", "more than one object"),
        (f'The answer says {GOOD}, so {{"score": 0', "more than one object"),
        ('{"score": 0.5, "reason": "cut', "broken"),
        (f"{GOOD}}}", "brace outside"),
        ("{score: 1}", "broken"),
        ("{'score': 1}", "broken"),
        ('{"score": NaN, "reason": "x"}', "NaN"),
        ('{"score": Infinity, "reason": "x"}', "Infinity"),
        ('{"score": 1e999, "reason": "x"}', "too large"),
        ('{"score": 0, "score": 1, "reason": "x"}', "twice"),
        ('{"score": 0.7, "reason": "x"}', "not one of 0, 0.5, 1"),
        ('{"score": "0.5", "reason": "x"}', "not one of"),
        ('{"score": true, "reason": "x"}', "not one of"),
        ('{"score": [1], "reason": "x"}', "not one of"),
        ('{"score": null, "reason": "x"}', '"score" is missing'),
        ('{"reason": "x"}', '"score" is missing'),
        ('{"score": 1}', '"reason" is missing'),
        ('{"score": 1, "reason": " "}', '"reason" is " "'),
        ('{"score": 1, "reason": 3}', '"reason" is 3'),
        ('{"score": 1, "reason": "x", "sure": 1.5}', "not a number from 0 to 1"),
        ('{"score": 1, "reason": "x", "sure": true}', "not a number"),
        ('{"score": 1, "reason": "x", "refusal": "yes"}', "not true or false"),
        ("{" * 100_000, "broken|too deeply"),
        ('{"a":' * 100_000, "too deeply|broken"),
    ],
)
def test_anything_else_is_not(text: str, fault: str) -> None:
    reading = VERDICT.read(text)
    assert reading.values is None
    assert reading.fault is not None
    assert re.search(fault, reading.fault)


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    reading = VERDICT.read(text)
    assert (reading.values is None) == (reading.fault is not None)


@given(
    st.text(alphabet=st.characters(exclude_characters="{}")), st.text(alphabet=st.characters(exclude_characters="{}"))
)
def test_prose_around_the_object_changes_nothing(before: str, after: str) -> None:
    reading = VERDICT.read(f"{before}.\n{GOOD}\n.{after}")
    assert reading.values == {"score": 0.5, "reason": "named"}


@given(
    st.fixed_dictionaries(
        {"score": st.sampled_from([0, 0.5, 1]), "reason": st.text(min_size=1).filter(str.strip)},
        optional={"sure": st.floats(0, 1), "refusal": st.booleans()},
    )
)
def test_every_allowed_object_is_read_back(values: dict) -> None:
    reading = VERDICT.read(json.dumps(values))
    assert reading.values == {**values, "reason": values["reason"].strip()[:4000]}


@pytest.mark.parametrize("language", [None, *Language])
def test_the_requirement_names_every_field_and_value(language: Language | None) -> None:
    contract = Contract("verdict", VERDICT.fields, language)
    for part in ('"score"', '"reason"', '"sure"', '"refusal"', "0, 0.5, 1", "how well the step is done"):
        assert part in contract.requirement
    assert "why" in contract.again("why")
    assert "{" not in contract.requirement


def test_the_digest_follows_what_is_asked_for() -> None:
    other = Contract("verdict", (Field("score", "choice", values=(0, 1)),))
    assert VERDICT.digest != other.digest
    assert VERDICT.digest == Contract("verdict", VERDICT.fields).digest


def test_the_schema_says_the_same_as_the_reader() -> None:
    schema = VERDICT.schema
    assert schema["required"] == ["score", "reason"]
    assert schema["properties"]["score"] == {"enum": [0, 0.5, 1]}


def test_impossible_contracts_are_refused() -> None:
    with pytest.raises(InputError, match="without values"):
        Field("score", "choice")
    for fields in ((), (Field("a", "text"), Field("a", "text"))):
        with pytest.raises(InputError, match="each once"):
            Contract("x", fields)
