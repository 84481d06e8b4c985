"""Every command says how it is called, its example can be called, and what it reports can be had as JSON."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from service.cli import NOUNS, build_app

ROOT: Any = typer.main.get_command(build_app())
# Their result is a document or JSON lines by itself.
NO_REPORT = {"citations", "tasks datasheet"}


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    members = getattr(command, "commands", None)
    if members is None:
        yield " ".join(path), command
        return
    for name, member in members.items():
        yield from leaves(member, (*path, name))


COMMANDS = dict(leaves(ROOT))


def test_nouns_stand_in_their_order_and_none_without_verbs_asks_for_a_command() -> None:
    assert ROOT.list_commands(None) == list(NOUNS)
    assert {"search", "run", "citations"} <= set(COMMANDS)
    assert len(COMMANDS) > 50


@pytest.mark.parametrize("name", COMMANDS)
def test_its_example_can_be_called(name: str) -> None:
    command = COMMANDS[name]
    found = re.search(r"Examples?: (.+)\Z", command.help.strip(), re.DOTALL)
    assert found, f"lexhop {name} --help shows no example"
    for example in " ".join(found[1].split()).split("; "):
        words = shlex.split(re.sub(r"^(?:[A-Z_]+=\S+ )+", "", example))
        assert words[: 1 + len(name.split())] == ["lexhop", *name.split()]
        # Raises what a user would see when the example's options are not there.
        command.make_context(name, words[1 + len(name.split()) :])


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - NO_REPORT))
def test_what_it_reports_can_be_had_as_json(name: str) -> None:
    assert any("--json" in parameter.opts for parameter in COMMANDS[name].params)
