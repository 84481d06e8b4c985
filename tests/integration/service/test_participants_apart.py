"""What participants see of each other: a walk over the OpenAPI document, before publishing, after it, after withdrawal.

By DESIGN single scores go by the tier of the tasks: with a grant that lets work but not see the gold nobody sees one, of
another or of its own. Texts go by ownership alone: no grant and no publication shows them to another participant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from service.api.answers import _READING
from tests.integration.service.filled import Filled, answers_of
from tests.integration.service.test_any_input import GOOD

pytestmark = [pytest.mark.graph, pytest.mark.any_graph]

OTHERS = (None, "read", "submit", "magpie", "sparrow", "judge")
"""Nobody; a reader; a participant without a grant, with one to work, with one to see all; a judge."""
TEXTS = re.compile("(TEXT|ID|USAGE|FINISH)-OF-owl|owl-[0-9]+-(open|closed)")
TASK = re.compile("held[0-9]+")
NAME = "the-owl-of-this-test"


@dataclass(frozen=True)
class Secret:
    """The owl's run, and what leads to it."""

    world: Filled
    document: dict[str, Any]
    places: dict[str, str]

    @property
    def run(self) -> str:
        return self.places["run_id"]


def begin(world: Filled, who: str, answers: int = 46) -> Secret:
    run = world.held_run(who, NAME, answers_of("owl")[:answers])
    lease = world.ok(who, "POST", f"/v1/runs/{run}/leases", json={"n": 1, "worker": NAME})["items"][0]["lease"]
    first = world.ok(who, "GET", f"/v1/runs/{run}/submissions?limit=1")["items"][0]["id"]
    item = world.ok("judge", "POST", "/v1/judgements/leases", json={"profile": "lexical", "n": 1})["items"][0]
    places = {"run_id": run, "lease": lease, "submission_id": str(first), "judgement_id": str(item["id"])}
    fixed = {"benchmark": "mhgb", "key": "held", "id": "held3_open", "board": "none"}
    return Secret(world, world.document(), places | fixed)


def walk(secret: Secret) -> Iterator[tuple[str, str, str, dict[str, Any] | None]]:
    """Every route that does not read the graph alone, pointed at the run, with each query that might open it."""
    for path, methods in secret.document["paths"].items():
        if path.startswith(_READING):
            continue
        filled = re.sub(r"\{(\w+)\}", lambda place: secret.places[place[1]], path)
        for method, operation in methods.items():
            route = f"{method.upper()} {path}"
            queries = [""]
            for one in operation.get("parameters", ()):
                name, schema = one["name"], one["schema"]
                if one["in"] != "query":
                    continue
                if schema.get("type") == "boolean":
                    queries.append(f"?{name}=true")
                if "run" in name or name == "beside":
                    queries += [f"?{name}={secret.run}", f"?{name}={secret.run},{secret.run}"]
                if name == "detector":
                    queries.append("?detector=lexical")
                if name == "by":
                    queries.append("?by=type&by=depth&by=act")
            for query in queries:
                yield route, method.upper(), filled + query, GOOD.get(route)


def state_of(secret: Secret) -> dict[str, Any]:
    view = secret.world.ok("admin", "GET", f"/v1/runs/{secret.run}")
    return {
        name: view[name] for name in ("received", "answered", "closed_at", "published_at", "withdrawn_at", "leased")
    }


def look(secret: Secret, who: str | None, *, listed: bool) -> None:
    asked = 0
    for route, method, path, body in walk(secret):
        if who == "sparrow" and "report" in path and "beside" in path:
            continue  # drawing it once is enough
        answer = secret.world.ask(who, method, path, **({"json": body} if body is not None else {}))
        asked += 1
        said = answer.text
        told = f"{who} {method} {path}: {answer.status_code} {said[:400]}"
        assert answer.status_code < 500, told
        if route == "POST /v1/judgements/leases" and who == "judge":
            # A judge reads the answer, and learns nothing of where it comes from.
            assert "ID-OF-owl" not in said, told
        else:
            assert TEXTS.search(said) is None, told
        of_run = any(f"{{{place}}}" in route for place in ("run_id", "lease", "submission_id"))
        if of_run and (method != "GET" or not listed):
            # 422: a query that needs a parameter says so before anything is looked at.
            refused = (401, 403, 404) if method != "GET" or "?" in path else (401, 403, 404, 422)
            assert answer.status_code in refused, told
        if not listed:
            assert NAME not in said, told
            assert secret.run not in said.replace(path.partition("?")[0], "") or secret.run in path, told
        if who != "sparrow" and "task" not in route:
            # Without the tier full no figure is of a single task.
            assert TASK.search(said.replace(path, "")) is None, told
        if who == "magpie" and "/slices" in route and answer.status_code == 200:
            for part in answer.json()["slices"]:
                assert part.get("too_few_to_show") or part["n_pairs"] >= 5, told
    assert asked > 40


def test_nobody_sees_anothers_run_before_it_is_published_or_its_answers_ever(filled: Filled) -> None:
    secret = begin(filled, "owl")
    before = state_of(secret)
    assert (before["received"], before["leased"]) == (46, {"closed": 1, "open": 0})
    for who in OTHERS:
        look(secret, who, listed=False)
    # Whatever was tried changed nothing.
    assert state_of(secret) == before
    filled.send("owl", secret.run, answers_of("owl")[46:])
    filled.judge()
    filled.ok("owl", "POST", f"/v1/runs/{secret.run}/close")
    before = state_of(secret)
    look(secret, "magpie", listed=False)
    assert state_of(secret) == before
    filled.ok("owl", "POST", f"/v1/runs/{secret.run}/publish")
    before = state_of(secret)
    for who in OTHERS:
        look(secret, who, listed=True)
    assert state_of(secret) == before
    # The figures of a published run are everybody's, the means of many and no more.
    assert filled.ok(None, "GET", f"/v1/runs/{secret.run}/scores")["modes"]["open"]["final"]["total"] == 24
    assert secret.run in str(filled.ok("magpie", "GET", "/v1/leaderboards/mhgb?unranked=true"))
    assert "tier full" in filled.refused(409, "magpie", "GET", f"/v1/runs/{secret.run}/scores?items=true")
    filled.ok("owl", "POST", f"/v1/runs/{secret.run}/withdraw", json={"why": "a test"})
    for method, path in (("GET", "scores"), ("GET", "submissions"), ("GET", "gap"), ("POST", "leases")):
        filled.refused(
            404, "magpie", method, f"/v1/runs/{secret.run}/{path}", **({"json": {}} if method == "POST" else {})
        )
    # To its owner everything is there still, and nothing was for want of a text that could be told.
    own = filled.ask("owl", "GET", f"/v1/runs/{secret.run}/submissions?limit=1000").text
    assert len(set(re.findall("ID-OF-owl-[0-9]+-(?:open|closed)", own))) == 48


@pytest.mark.parametrize(("who", "sees_means"), [("owl", False), ("sparrow", True)])
def test_an_owner_sees_no_single_score_before_the_run_is_closed(filled: Filled, who: str, sees_means: bool) -> None:
    secret = begin(filled, who, 22)
    filled.judge()
    run = f"/v1/runs/{secret.run}"
    figures = [
        path
        for route, method, path, _ in walk(secret)
        if method == "GET" and "{run_id}/" in route and not route.endswith("/submissions")
    ]
    assert len(figures) > 8
    for path in [*figures, f"/v1/comparisons?runs={secret.run},{secret.run}"]:
        answer = filled.ask(who, "GET", path)
        told = f"{path}: {answer.status_code} {answer.text[:300]}"
        assert answer.status_code in ((200, 409, 422) if sees_means else (409, 422)), told
        assert TASK.search(answer.text) is None, told
        if not sees_means:
            assert '"mean"' not in answer.text, told
    for path in (f"{run}/scores?items=true", f"{run}/report"):
        assert "closed run" in filled.refused(409, who, "GET", path) or not sees_means
    filled.ok(who, "POST", f"{run}/close")
    items = filled.ask(who, "GET", f"{run}/scores?items=true")
    assert items.status_code == (200 if sees_means else 409)


def test_ids_that_can_be_guessed_tell_nothing(filled: Filled) -> None:
    """Numbers of leases and submissions follow one another: another's is answered like one that does not exist."""
    secret = begin(filled, "owl", 2)
    for method, theirs, none in (
        ("GET", f"/v1/submissions/{secret.places['submission_id']}", "/v1/submissions/999999999"),
        ("PUT", f"/v1/leases/{secret.places['lease']}", "/v1/leases/999999999.1"),
        ("DELETE", f"/v1/leases/{secret.places['lease']}", "/v1/leases/999999999.1"),
    ):
        told = [filled.refused(404, "magpie", method, path) for path in (theirs, none)]
        ids = [path.rpartition("/")[2] for path in (theirs, none)]
        assert told[0].replace(ids[0], "N") == told[1].replace(ids[1], "N")
