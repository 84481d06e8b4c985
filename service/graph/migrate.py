"""Numbered migrations of the graph's schema, in order, each once, under the writer's lock."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.errors import SetupError
from service.graph.queries import query
from service.graph.writer import Writer, bootstrap_statement, writing
from service.resources import resources_below

if TYPE_CHECKING:
    from service.graph.store import GraphStore

__all__ = ["Migration", "all_migrations", "migrate"]

_INDEX_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of ``migrations/graph``: statements that end in semicolons."""

    number: int
    name: str
    statements: tuple[str, ...]
    digest: str


def all_migrations() -> list[Migration]:
    """Return the migrations of this version of Lexhop by number."""
    migrations = []
    for path in resources_below("migrations/graph", ".cypher"):
        text = path.read_text(encoding="utf-8")
        body = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
        statements = tuple(part.strip() for part in body.split(";") if part.strip())
        digest = hashlib.sha256("\n".join(statements).encode()).hexdigest()
        migrations.append(Migration(int(path.name.split("_")[0]), path.stem, statements, digest))
    return sorted(migrations, key=lambda migration: migration.number)


async def migrate(store: GraphStore, *, stale_seconds: float = 60.0) -> list[str]:
    """Bring the graph's schema up to date and wait for its indexes.

    Returns:
        The names of the migrations that were run now.

    Raises:
        SetupError: The graph was migrated by a newer Lexhop, or a migration that was run differs from ours.
        ConflictError: Another writer is at work.
    """
    if not await _missing(store):
        return []
    await store.run_alone(bootstrap_statement())
    async with writing(store, "migrate the graph", stale_seconds=stale_seconds, wait_seconds=120.0) as writer:
        return await _run(store, writer)


async def _run(store: GraphStore, writer: Writer) -> list[str]:
    missing = await _missing(store)
    for migration in missing:
        for statement in migration.statements:
            await store.run_alone(statement)
            await writer.beat()
        await store.read(query("writer/await_indexes"), seconds=_INDEX_SECONDS)
        await store.write(
            query("writer/migrated"), number=migration.number, name=migration.name, digest=migration.digest
        )
    return [migration.name for migration in missing]


async def _missing(store: GraphStore) -> list[Migration]:
    ours = {migration.number: migration for migration in all_migrations()}
    done = set()
    for row in await store.read(query("writer/migrations")):
        known = ours.get(row["number"])
        if known is None:
            raise SetupError(
                f"the graph has migration {row['name']!r}, which this Lexhop does not know; "
                "upgrade Lexhop, or use another graph"
            )
        if known.digest != row["digest"]:
            raise SetupError(
                f"migration {row['name']!r} of the graph differs from this Lexhop's; "
                "use the Lexhop that made the graph, or a new one"
            )
        done.add(row["number"])
    return [migration for number, migration in ours.items() if number not in done]
