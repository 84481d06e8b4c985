"""Loads that are killed, stopped, doubled or repeated: readers never see half a version, and a repeat finishes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest

from loaders.corpus import build_folder
from service.errors import ConflictError
from service.graph.address import GraphAddress
from service.graph.catalog import Catalog, CorpusVersion, read_catalog
from service.graph.load import LoadOutcome, drop_version, load_version, make_current
from service.graph.opening import open_graph
from service.graph.queries import query
from service.graph.writer import writing
from tests.integration.service.conftest import environment_for, put, serving, settings_for
from tests.integration.service.scenes import command, progress_line, started, write_corpus

pytestmark = pytest.mark.graph

SMALL, LARGE = 6, 400
KEY = "faults"
MOST_HITS = 200


@dataclass(frozen=True)
class Scene:
    """A service that has a small version, and a large one that is to be loaded row by row."""

    address: GraphAddress
    environment: dict[str, str]
    old: Path
    new: Path
    client: httpx.Client

    def load(self, folder: Path, *more: str) -> tuple[str, ...]:
        return ("corpus", "load", KEY, "--from", str(folder), *more)


def ask(address: GraphAddress) -> Catalog:
    async def run() -> Catalog:
        async with open_graph(settings_for(address)) as store:
            return await read_catalog(store)

    return asyncio.run(run())


def unfinished(address: GraphAddress) -> list[str]:
    async def run() -> list[str]:
        async with open_graph(settings_for(address)) as store:
            return [row["uid"] for row in await store.read(query("load/unfinished"))]

    return asyncio.run(run())


def drop_all(address: GraphAddress) -> None:
    async def run() -> None:
        async with open_graph(settings_for(address)) as store:
            versions = [one for one in (await read_catalog(store)).versions if one.key == KEY]
            for one in sorted(versions, key=lambda one: one.current):
                for by in one.pins:
                    await store.write(query("catalog/unpin"), uid=one.uid, by=by)
                await drop_version(store, replace(one, pins=()))

    asyncio.run(run())


@pytest.fixture(scope="module")
def quiet_service(graph_address: GraphAddress) -> Iterator[httpx.Client]:
    with serving(environment_for(graph_address)) as (url, _), httpx.Client(base_url=url, timeout=60) as client:
        yield client


@pytest.fixture
def scene(graph_address: GraphAddress, quiet_service: httpx.Client, tmp_path: Path) -> Iterator[Scene]:
    environment = environment_for(graph_address, LEXHOP_LOAD_BATCH_ROWS="1")
    old = write_corpus(tmp_path / "old", SMALL, said="Прежние слова")
    new = write_corpus(tmp_path / "new", LARGE, said="Новые слова")
    scene = Scene(graph_address, environment, old, new, quiet_service)
    version = put(graph_address, build_folder(KEY, old)).content.version
    wait_for_version(quiet_service, version)
    yield scene
    drop_all(graph_address)


def served(scene: Scene, articles: int, said: str) -> str:
    """Hold everything that a client can see of the corpus against a version; return the version."""
    end = {"corpus": KEY, "limit": 1000}
    corpora = scene.client.get("/v1/corpora", params={"current": True}).json()["items"]
    (version,) = [one["version"] for one in corpora if one["key"] == KEY]
    listed = scene.client.get("/v1/articles", params=end).json()
    assert (listed["version"], len(listed["items"])) == (version, articles)
    relations = scene.client.get("/v1/relations", params=end).json()
    assert (relations["version"], len(relations["items"])) == (version, articles - 1)
    figures = scene.client.get("/v1/diagnostics", params={"corpus": KEY}).json()
    assert (figures["version"], figures["nodes_total"], figures["edges_total"]) == (version, articles, articles - 1)
    for word in ("Прежние", "Новые"):
        hits = scene.client.get("/v1/articles", params={"corpus": KEY, "q": word, "limit": 1000}).json()["items"]
        assert len(hits) == (min(articles, MOST_HITS) if said.startswith(word) else 0), word
    first = scene.client.get("/v1/articles/ГК_1", params={"corpus": KEY}).json()
    assert first["text"].startswith(f"1. {said}")
    past = scene.client.get(f"/v1/articles/ГК_{articles + 1}", params={"corpus": KEY})
    assert past.status_code == 404
    acts = scene.client.get("/v1/acts", params={"corpus": KEY}).json()["items"]
    assert [(one["key"], one["articles"]) for one in acts] == [("ГК", articles)]
    return version


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT], ids=["kill", "ctrl-c"])
def test_a_load_that_is_ended_in_its_middle_shows_nothing_and_its_repeat_finishes(
    scene: Scene, sign: signal.Signals
) -> None:
    before = served(scene, SMALL, "Прежние слова")
    with started(scene.environment, *scene.load(scene.new)) as load:
        # Every article is there, and of the relations, a row at a time, hardly one.
        progress_line(load, f"articles: {LARGE} of {LARGE}")
        os.kill(load.pid, sign)
        said, wrong = load.communicate(timeout=60)
    assert said == ""
    if sign == signal.SIGKILL:
        assert load.returncode == -signal.SIGKILL
    else:
        assert load.returncode == 130
        assert wrong.splitlines() == ["lexhop: stopped; the same command goes on where it can"]
    (half,) = unfinished(scene.address)
    assert half.startswith(f"{KEY}@")
    assert served(scene, SMALL, "Прежние слова") == before
    asked = scene.client.get("/v1/articles/ГК_1", params={"corpus": KEY, "version": half.partition("@")[2]})
    assert asked.status_code == 404

    repeat = command(scene.environment | {"LEXHOP_LOAD_BATCH_ROWS": "1000"}, *scene.load(scene.new, "--json"))
    assert repeat.returncode == 0, repeat.stderr
    outcome = json.loads(repeat.stdout)
    assert (outcome["unchanged"], outcome["swept"]) == (False, [half])
    assert half == f"{KEY}@{outcome['version']}"
    assert unfinished(scene.address) == []
    wait_for_version(scene.client, outcome["version"])
    assert served(scene, LARGE, "Новые слова") == outcome["version"]


def wait_for_version(client: httpx.Client, version: str) -> None:
    """Another process made it current: it is served after the promised second."""
    time.sleep(1.0)
    assert client.get("/v1/articles/ГК_1", params={"corpus": KEY}).json()["version"] == version


def test_of_two_loads_at_once_the_second_says_who_is_at_work_or_waits(scene: Scene) -> None:
    patient = scene.environment | {"LEXHOP_LOAD_STALE_SECONDS": "600"}

    async def both() -> tuple[str, str, int]:
        async with open_graph(settings_for(scene.address)) as store, AsyncExitStack() as stack:
            async with writing(store, f"load corpus {KEY}", stale_seconds=600.0):
                second = await asyncio.to_thread(command, patient, *scene.load(scene.old))
                assert (second.returncode, second.stdout) == (1, "")
                (line,) = [line for line in second.stderr.splitlines() if line.startswith("lexhop: ")]
                assert f"/{os.getpid()}) is at work on the graph: load corpus {KEY}" in line
                assert "Traceback" not in second.stderr
                arguments = scene.load(scene.new, "--wait", "300", "--json")
                third = stack.enter_context(started(patient | {"LEXHOP_LOG_JSON": "1"}, *arguments))
                waiting = json.loads(await asyncio.to_thread(progress_line, third, '{"holder"'))
                assert (waiting["event"], waiting["doing"]) == ("waiting_for_writer", f"load corpus {KEY}")
            said, wrong = await asyncio.to_thread(third.communicate, timeout=240)
            return said, wrong, third.returncode

    said, wrong, status = asyncio.run(both())
    assert status == 0, wrong
    assert json.loads(said)["unchanged"] is False


def test_a_load_of_equal_content_writes_nothing(scene: Scene) -> None:
    before = ask(scene.address)
    again = command(scene.environment, *scene.load(scene.old, "--json"))
    assert again.returncode == 0, again.stderr
    outcome = json.loads(again.stdout)
    assert (outcome["unchanged"], outcome["dropped"], outcome["swept"]) == (True, [], [])
    assert outcome["counts"]["articles"] == SMALL
    assert ask(scene.address) == before
    assert "was there already and is current" in command(scene.environment, *scene.load(scene.old)).stdout


def test_old_versions_are_kept_as_the_setting_says_and_neither_a_pinned_nor_the_current_one_is_dropped(
    scene: Scene, tmp_path: Path
) -> None:
    (first,) = [one for one in ask(scene.address).versions if one.key == KEY]
    pin(scene.address, first, "task set t1")
    loaded = [first.uid]
    dropped: list[str] = []
    for number in range(3):
        folder = write_corpus(tmp_path / f"v{number}", 3 + number, said=f"Слова {number}")
        outcome = keep_one(scene.address, folder)
        loaded.append(f"{KEY}@{outcome.version}")
        dropped += outcome.dropped
    # Beside the current one and the pinned one, one more is kept: of the three the oldest went.
    assert dropped == [loaded[1]]
    assert [one.uid for one in ask(scene.address).versions if one.key == KEY] == [loaded[0], *loaded[2:]]

    pinned = command(scene.environment, "corpus", "drop", KEY, "--version", first.version)
    assert (pinned.returncode, pinned.stdout) == (1, "")
    assert f"lexhop: version {first.uid} is in use by task set t1; drop those first" in pinned.stderr
    current = command(scene.environment, "corpus", "drop", KEY)
    assert (current.returncode, current.stdout) == (1, "")
    assert f"lexhop: version {loaded[3]} is the current one" in current.stderr
    free = command(scene.environment, "corpus", "drop", KEY, "--version", loaded[2].partition("@")[2], "--json")
    assert json.loads(free.stdout) == {"dropped": loaded[2]}
    # Still readable, although it has not been the current one for long.
    wanted = {"corpus": KEY, "version": first.version}
    assert scene.client.get("/v1/articles/ГК_6", params=wanted).json()["text"].startswith("1. Прежние слова")
    unpin(scene.address, first, "task set t1")


def keep_one(address: GraphAddress, folder: Path) -> LoadOutcome:
    built = build_folder(KEY, folder)

    async def run() -> LoadOutcome:
        async with open_graph(settings_for(address)) as store:
            return await load_version(store, KEY, built.content, keep=1)

    return asyncio.run(run())


def pin(address: GraphAddress, version: CorpusVersion, what: str) -> None:
    pins(address, "catalog/pin", version, what)


def unpin(address: GraphAddress, version: CorpusVersion, what: str) -> None:
    pins(address, "catalog/unpin", version, what)


def pins(address: GraphAddress, name: str, version: CorpusVersion, what: str) -> None:
    async def run() -> None:
        async with open_graph(settings_for(address)) as store:
            await store.write(query(name), uid=version.uid, by=what)

    asyncio.run(run())


def test_a_version_made_current_by_another_process_is_served_within_a_second(scene: Scene) -> None:
    put(scene.address, build_folder(KEY, scene.new))
    versions = {one.version: one for one in ask(scene.address).versions if one.key == KEY}
    assert len(versions) == 2

    async def switch(version: CorpusVersion) -> None:
        async with open_graph(settings_for(scene.address)) as store:
            await make_current(store, version)

    for version in [*versions.values(), *versions.values()]:
        asyncio.run(switch(version))
        wait_for_version(scene.client, version.version)


def test_a_client_that_pages_through_a_version_that_goes_is_told_how_to_go_on(scene: Scene) -> None:
    page = scene.client.get("/v1/articles", params={"corpus": KEY, "limit": 2}).json()
    new = put(scene.address, build_folder(KEY, scene.new)).content.version
    going = scene.client.get("/v1/articles", params={"cursor": page["next"], "limit": 2}).json()
    # The version is no longer the current one, and the list goes on in it all the same.
    assert (going["version"], [one["number"] for one in going["items"]]) == (page["version"], ["3", "4"])
    gone = command(scene.environment, "corpus", "drop", KEY, "--version", page["version"])
    assert gone.returncode == 0, gone.stderr
    wait_for_version(scene.client, new)
    for path, more in (
        ("/v1/articles", {"cursor": going["next"], "limit": 2}),
        ("/v1/articles", {"corpus": KEY, "version": page["version"]}),
        ("/v1/articles/ГК_1", {"corpus": KEY, "version": page["version"]}),
        ("/v1/context", {"norm_id": "ГК_1", "corpus": KEY, "version": page["version"]}),
    ):
        answer = scene.client.get(path, params=more)
        assert answer.status_code in (404, 409), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        problem = answer.json()
        assert page["version"] in problem["detail"]
        assert new in problem["detail"] + str(problem.get("choices", []))


def test_the_last_version_can_be_dropped_and_a_pinned_last_one_cannot(scene: Scene) -> None:
    (only,) = [one for one in ask(scene.address).versions if one.key == KEY]
    pin(scene.address, only, "task set t2")
    (pinned,) = [one for one in ask(scene.address).versions if one.key == KEY]
    with pytest.raises(ConflictError, match="in use by task set t2"):
        asyncio.run(drop(scene.address, pinned))
    # Somebody who read the catalog before the pin is stopped by the graph itself.
    with pytest.raises(ConflictError, match="came into use just now"):
        asyncio.run(drop(scene.address, only))
    unpin(scene.address, only, "task set t2")
    asyncio.run(drop(scene.address, only))
    assert [one for one in ask(scene.address).versions if one.key == KEY] == []


async def drop(address: GraphAddress, version: CorpusVersion) -> None:
    async with open_graph(settings_for(address)) as store:
        await drop_version(store, version)
