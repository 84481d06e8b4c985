"""A service on PostgreSQL with everything in its ledger: task sets of each tier, keys of each kind, runs of each state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import URL

from service.db import Database, Scope, Tier, create_key, grant_tier
from service.domain import Mode
from service.graph.address import GraphAddress
from service.graph.catalog import read_catalog
from service.graph.opening import open_graph
from service.tasks import create_task_set, fabula_of, freeze, load_sample_set, sample_fabulas, sample_info
from tests.integration.service.conftest import environment_for, serving, settings_for
from tests.integration.service.test_runs_http import World
from tests.integration.service.test_tasks_http import held_back

KEYS: dict[str, tuple[list[Scope], dict[str, Tier]]] = {
    "read": ([Scope.READ], {}),
    "browse": ([Scope.READ], {"held": Tier.BROWSE}),
    "full": ([Scope.READ], {"held": Tier.FULL}),
    "submit": ([Scope.SUBMIT], {}),
    "owl": ([Scope.SUBMIT], {"held": Tier.BROWSE}),
    "magpie": ([Scope.SUBMIT], {"held": Tier.BROWSE}),
    "sparrow": ([Scope.SUBMIT], {"held": Tier.FULL}),
    "judge": ([Scope.JUDGE], {}),
    "review": ([Scope.REVIEW], {"held": Tier.FULL}),
    "admin": ([Scope.ADMIN], {}),
}


class Filled(World):
    """The service, its keys, and the environment of a process that uses the same ledger."""

    def __init__(self, url: str, keys: dict[str, str], environment: dict[str, str], database: URL) -> None:
        super().__init__(url, keys)
        self.environment, self.database = environment, database

    def document(self) -> dict[str, Any]:
        return dict(self.ok(None, "GET", "/openapi.json"))

    def held_run(self, who: str, participant: str, rows: list[dict[str, Any]], **more: Any) -> str:
        """A run over the held-back set with these answers."""
        run = self.run(who, participant, task_set="held", **more)
        if rows:
            receipts = self.send(who, run, rows)
            assert {one["status"] for one in receipts} == {201}
        return run


def answers_of(who: str, count: int = 24) -> list[dict[str, Any]]:
    """Answers to the held-back set in both modes; each text can be told anywhere."""
    return [
        {
            "task_id": f"held{number}_{mode.value}",
            "attempt_key": f"{who}-{number}-{mode.value}",
            "text": f"ПРИМЕНИМЫЕ СТАТЬИ:\nГК_15\nЦЕПОЧКА РАССУЖДЕНИЙ:\nГК_15: TEXT-OF-{who}\nВЫВОД:\nTEXT-OF-{who}.",
            "provider_id": f"ID-OF-{who}-{number}-{mode.value}",
            "usage": {"prompt_tokens": 1, "note": f"USAGE-OF-{who}"},
            "finish_reason": f"FINISH-OF-{who}",
        }
        for number in range(count)
        for mode in Mode
    ]


async def fill_ledger(address: GraphAddress, corpus_version: str, database: URL) -> dict[str, str]:
    """Put the task sets and the keys into a migrated ledger; returns the keys' texts by name."""
    ledger = Database(database)
    keys = {}
    async with open_graph(settings_for(address)) as store:
        version = (await read_catalog(store)).find("sample", corpus_version)
        await load_sample_set(ledger, store, version)
        info = sample_info(version.version)
        async with ledger.write() as session:
            held = await create_task_set(session, replace(info, key="held"), held_back())
            await freeze(session, store, held)
            drafted = fabula_of(sample_fabulas()[0].record(Mode.CLOSED) | {"id": "drafted"})
            await create_task_set(session, replace(info, key="draft"), [drafted])
            for name, (scopes, grants) in KEYS.items():
                key, text = await create_key(session, name=name, scopes=scopes, actor="test")
                keys[name] = text.get_secret_value()
                for task_set, tier in grants.items():
                    await grant_tier(
                        session, key.prefix, task_set=task_set, tier=tier, purpose="t", actor="test", days=1
                    )
    await ledger.close()
    return keys


@contextmanager
def filled_service(
    address: GraphAddress, corpus_version: str, database: URL, home: Path, **settings: str
) -> Iterator[Filled]:
    """Run it over a migrated ledger."""
    keys = asyncio.run(fill_ledger(address, corpus_version, database))
    url = database.set(drivername=database.get_backend_name()).render_as_string(hide_password=False)
    environment = environment_for(
        address,
        LEXHOP_HOME=str(home),
        LEXHOP_DATABASE_URL=url,
        LEXHOP_CORPUS="sample",
        LEXHOP_WAIT_SECONDS="0.3",
        LEXHOP_HOURLY_BROWSE="100000",
        **settings,
    )
    with (
        serving(environment) as (address_of_service, _),
        Filled(address_of_service, keys, environment, database) as service,
    ):
        yield service
