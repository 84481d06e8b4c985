"""The models file: read, and every fault named with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.errors import NotFoundError, SetupError, SourceError
from service.models import ModelProfile, ModelRole, read_models_file

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
models:
  - name: big
    display_name: Big One
    provider: openai
    endpoint_env: BIG_URL
    key_env: BIG_KEY
    model: big-2026
    slice: proprietary
    kind: reasoning
    temperature: 1
    max_tokens: 8192
    max_tokens_field: max_completion_tokens
    window: 200000
    token_budget: 40000
    price: {input: 2.5, output: 10, currency: USD, as_of: 2026-01}
  - name: local
    provider: ollama
    endpoint: http://127.0.0.1:11434
    model: qwen3:8b
    role: judge
    window: 32768
    thinking: false
  - name: giga
    provider: gigachat
    key_env: GIGACHAT_KEY
    model: GigaChat-2-Max
    slice: russian
    ca_file: ca.pem
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "models.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_good_file_is_read_in_its_order(tmp_path: Path) -> None:
    models = read_models_file(write(tmp_path, GOOD))
    assert [model.name for model in models.models] == ["big", "local", "giga"]
    big = models.get("big")
    assert big.shown_name == "Big One"
    assert big.options() == {"max_completion_tokens": 8192, "temperature": 1.0}
    assert big.price is not None
    assert big.price.cost_nano(1000, 100) == 3_500_000
    assert big.price.cost_nano(None, 100) is None
    assert [model.name for model in models.of_role(ModelRole.JUDGE)] == ["local"]
    assert models.get("giga").ca_file == tmp_path / "ca.pem"
    with pytest.raises(NotFoundError, match=r"model 'huge'.*big, local, giga"):
        models.get("huge")


def test_keys_and_addresses_come_from_the_environment_and_stay_out_of_conditions(tmp_path: Path) -> None:
    big = read_models_file(write(tmp_path, GOOD)).get("big")
    environ = {"BIG_URL": "https://api.example.org/v1/", "BIG_KEY": "sk-secret"}
    assert big.url(None, environ) == "https://api.example.org/v1"
    key = big.key(environ)
    assert key is not None
    assert key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in repr((key, big, big.conditions()))
    assert "example" not in repr(big.conditions())
    for missing in ({}, {"BIG_URL": "", "BIG_KEY": " "}):
        with pytest.raises(SetupError, match="BIG_URL"):
            big.url(None, missing)
        with pytest.raises(SetupError, match="BIG_KEY"):
            big.key(missing)
    with pytest.raises(SetupError, match="in the clear"):
        big.url(None, {"BIG_URL": "http://api.example.org/v1"})


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (("model: big-2026", "model: big-2026\n    model: other"), 8, "second time"),
        (("kind: reasoning", "kind: thinking"), 9, "kind is 'thinking'"),
        (("temperature: 1", "temperature: hot"), 10, "temperature is 'hot'"),
        (("temperature: 1", "temperature: 3"), 10, "temperature"),
        (("window: 200000", "windows: 200000"), 13, "windows"),
        (("output: 10", "output: -1"), 15, "price.output"),
        (("name: local", "name: big"), 16, "taken"),
        (("endpoint: http://127.0.0.1:11434", "endpoint: 127.0.0.1:11434"), 16, "no URL"),
        (("    model: qwen3:8b\n", ""), 16, "'model' is missing"),
        (("    key_env: GIGACHAT_KEY\n", ""), 23, "'key_env' is missing"),
        (("provider: gigachat", "provider: magic"), 24, "provider is 'magic'"),
        (("window: 32768", "window: [1"), 21, "not YAML"),
        (("thinking: false", "extra: {Api-Key: x}"), 22, "looks like a secret"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path: Path, change: tuple[str, str], line: int, words: str) -> None:
    assert change[0] in GOOD
    with pytest.raises(SourceError) as caught:
        read_models_file(write(tmp_path, GOOD.replace(*change)))
    first = str(caught.value).splitlines()[0]
    assert words in first
    assert first.startswith(f"{tmp_path / 'models.yaml'}:{line}:") or "not YAML" in words


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("kind: reasoning", "kind: x").replace("role: judge", "role: y")
    with pytest.raises(SourceError) as caught:
        read_models_file(write(tmp_path, text))
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize("field", ["api_key", "key", "Token", "password"])
def test_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path, field: str) -> None:
    with pytest.raises(SourceError, match=r":6:.*holds a secret") as caught:
        read_models_file(write(tmp_path, GOOD.replace("key_env: BIG_KEY", f"{field}: sk-verysecret")))
    assert "sk-verysecret" not in str(caught.value)


def test_a_key_in_the_place_of_its_variable_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r":6:.*key_env") as caught:
        read_models_file(write(tmp_path, GOOD.replace("BIG_KEY", "sk-verysecret")))
    assert "sk-verysecret" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "models:",
        "models: []",
        "models: 3",
        "models: [3]",
        "a: &a [*a]",
        "\ttabs: 1",
        "models: [{name: !!binary x}]",
    ],
)
def test_files_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceError, match=r"models\.yaml:\d+: "):
        read_models_file(write(tmp_path, text))


def test_absent_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"none\.yaml"):
        read_models_file(tmp_path / "none.yaml")
    file = tmp_path / "models.yaml"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError):
        read_models_file(file)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"provider": "openai", "model": "m"}, "endpoint is missing"),
        ({"provider": "openai", "model": "m", "endpoint": "https://u:p@h/v1"}, "holds a user"),
        ({"provider": "openai", "model": "m", "endpoint": "http://h/v1", "key_env": "K"}, "in the clear"),
        ({"provider": "scripted"}, "needs 'file'"),
    ],
)
def test_profiles_that_cannot_work_are_refused(fields: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ModelProfile.model_validate({"name": "x", **fields})
