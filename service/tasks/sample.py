"""The sample set: 24 fabulas of our own over the sample corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from service.resources import resource_text
from service.tasks.record import Fabula, fabula_of
from service.tasks.sets import TaskSet, TaskSetInfo, create_task_set, freeze, list_task_sets, set_digest
from service.text.yaml_source import read_yaml

if TYPE_CHECKING:
    from service.db import Database
    from service.graph.catalog import CorpusVersion
    from service.graph.store import GraphStore

__all__ = ["load_sample_set", "sample_fabulas", "sample_info"]


def sample_fabulas() -> list[Fabula]:
    """Return the fabulas of the sample."""
    lines = resource_text("data/sample/tasks.jsonl").splitlines()
    return [fabula_of(orjson.loads(line)) for line in lines if line.strip()]


def sample_info(corpus_version: str) -> TaskSetInfo:
    """Return what is said of the sample set over a version of the sample corpus."""
    return TaskSetInfo(**read_yaml(resource_text("data/sample/task_set.yaml")), corpus_version=corpus_version)


async def load_sample_set(ledger: Database, store: GraphStore, version: CorpusVersion) -> TaskSet:
    """Return the frozen sample set over a version of the sample corpus; it is made when it is not there yet."""
    info, fabulas = sample_info(version.version), sample_fabulas()
    async with ledger.write() as session:
        for known in await list_task_sets(session):
            # The digest covers the corpus version, so that an equal one is the same set.
            same = (known.key, known.corpus_version) == (info.key, info.corpus_version)
            if same and known.digest == set_digest(known, fabulas):
                return known
        return await freeze(session, store, await create_task_set(session, info, fabulas))
