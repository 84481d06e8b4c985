"""Secrets do not get through; ordinary text does."""

from __future__ import annotations

import io
import json
import sys

import pytest
import structlog

from service import redaction
from service.logs import set_up_logs
from service.redaction import hide, redact

KEY = "lxh_abcdefgh_" + "Ab3-_" * 8 + "xyz"


@pytest.fixture(autouse=True)
def nothing_hidden_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests of this process gave to hide is theirs."""
    monkeypatch.setattr(redaction, "_values", set())


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"key {KEY} refused", KEY),
        (f"Authorization: Bearer {KEY}", KEY),
        ("{'Authorization': 'Bearer eyJhbGciOi.J9.abc'}", "eyJhbGciOi.J9.abc"),
        ("authorization=Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("Incorrect API key provided: sk-proj-0123456789abcdef.", "sk-proj-0123456789abcdef"),
        ("postgresql+psycopg://lexhop:hunter22@db.internal/lexhop", "hunter22"),
        ('{"password": "hunter22x"}', "hunter22x"),
        ("api_key=hunter22x&x=1", "hunter22x"),
        ("client_secret: hunter22x", "hunter22x"),
    ],
)
def test_secrets_are_replaced(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert "[hidden]" in redact(text)
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "norm 'ГК_1064' does not exist; nearest: ГК_1065",
        "key 'abcdefgh' has the scopes 'read' and lacks 'submit'",
        "https://example.org/v1/articles/ГК_15?version=0c0a52b77a80",
        "tokens: 4096; max_tokens=4096",
        "by keyset cursor eyJhIjoxfQ",
        "",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


def test_a_value_given_to_this_process_is_hidden_in_any_form() -> None:
    hide("correct horse battery")
    assert redact("it was 'correct horse battery'!") == "it was '[hidden]'!"
    hide("abc")
    assert redact("abc") == "abc"


@pytest.mark.parametrize("word", ["secret", "client", "client_secret", "hunter", "hunter22x"])
def test_a_password_that_is_an_ordinary_word_uncovers_no_other(word: str) -> None:
    hide(word)
    shown = redact("client_secret: hunter22x; then hunter22x-3")
    assert "hunter22x;" not in shown
    assert word not in shown
    assert shown.endswith("-3")
    assert redact(shown) == shown


def test_a_value_that_a_form_knows_in_part_is_hidden_as_a_whole() -> None:
    hide("opensesame,and more")
    assert redact("password: opensesame,and more!") == "password: [hidden]!"
    hide("and more or less")
    assert redact("opensesame,and more or less.") == "[hidden]."


@pytest.mark.parametrize("as_json", [True, False])
def test_a_log_line_is_redacted_wherever_the_secret_stands(as_json: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    try:
        set_up_logs(as_json=as_json)
        log = structlog.get_logger("test")
        log.info(f"with {KEY}", header=f"Bearer {KEY}", nested={"a": [KEY]})
        try:
            raise ValueError(f"refused {KEY}")
        except ValueError:
            log.exception("failed")
    finally:
        structlog.reset_defaults()
    text = out.getvalue()
    assert KEY not in text
    assert KEY.rpartition("_")[2] not in text
    assert text.count("[hidden]") >= 4
    if as_json:
        assert json.loads(text.splitlines()[0])["nested"]
