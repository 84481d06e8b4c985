"""Commands that speak to a Lexhop elsewhere: what is public needs no key, and what needs one says so."""

from __future__ import annotations

import pytest

from service.graph.address import GraphAddress
from tests.integration.service.conftest import environment_for
from tests.integration.service.scenes import command

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]


def test_a_key_is_asked_for_only_where_it_is_needed(graph_address: GraphAddress, service_url: str) -> None:
    environment = environment_for(graph_address, LEXHOP_URL=service_url)
    boards = command(environment, "leaderboard", "mhgb")
    assert (boards.returncode, boards.stderr) == (0, "")
    assert "no board of mhgb has a published run that ranks" in boards.stdout
    closed = command(environment, "runs", "close", "run_0123456789abcdef")
    assert (closed.returncode, closed.stdout) == (1, "")
    assert closed.stderr == f"lexhop: --url {service_url!r} asks for a key here; give --key or set LEXHOP_KEY\n"
