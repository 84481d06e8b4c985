"""The only door to the graph: managed transactions over the official async driver.

Sessions never leave this module: each call opens one of its own, so no two coroutines ever share one. Reads run in READ
mode with a time limit; the driver's errors become ours.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

import structlog
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from service.errors import GraphBusyError, LexhopError, SetupError, UnavailableError
from service.graph.driver import exceptions, neo4j
from service.graph.probe import require_recent
from service.graph.queries import Query, query

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from service.graph.address import GraphAddress

__all__ = ["GraphStore", "Row"]

Row = dict[str, Any]

_log = structlog.get_logger(__name__)
_TIMED_OUT = ("TransactionTimedOut", "TransactionTimedOutClientConfiguration", "LockClientStopped")
_THERE_ALREADY = ("EquivalentSchemaRuleAlreadyExists", "IndexAlreadyExists", "ConstraintAlreadyExists")
_SCHEMA_ATTEMPTS = 12


class GraphStore:
    """Runs named queries against one Neo4j database.

    Args:
        address: Where the graph is.
        auth: The driver's own auth object or manager; by default the address's user and password.
        read_seconds: Time limit of one read.
        pool: Most connections at once.
        revive: Called, at most once at a time and in a thread, when the graph does not answer: brings a local one back.
    """

    def __init__(
        self,
        address: GraphAddress,
        *,
        auth: Any = None,
        read_seconds: float = 20.0,
        pool: int = 50,
        revive: Callable[[], object] | None = None,
    ) -> None:
        self._address = address
        self._database = address.database
        self._revive = revive
        self._reviving: asyncio.Task[None] | None = None
        self._read_seconds = read_seconds
        try:
            self._driver = neo4j.AsyncGraphDatabase.driver(
                address.url,
                auth=auth or (address.user, address.password.get_secret_value()),
                max_connection_pool_size=pool,
                connection_acquisition_timeout=min(read_seconds, 10.0),
                connection_timeout=5.0,
                max_transaction_retry_time=3.0,
                liveness_check_timeout=30.0,
                max_connection_lifetime=1800.0,
                notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
                telemetry_disabled=True,
            )
        except (exceptions.ConfigurationError, ValueError) as error:
            raise SetupError(
                f"graph address {address.url!r} cannot be used: {error}; write it as bolt://host:7687"
            ) from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        if self._reviving is not None:
            self._reviving.cancel()
        await self._driver.close()

    async def verify(self) -> str:
        """Ask the server for its version and return it.

        Raises:
            SetupError: It is older than 5.26, or refuses the password.
            UnavailableError: It does not answer.
        """
        row = await self.read_one(query("server/version"))
        version = str(row["version"]) if row else ""
        require_recent(version, self._address.url)
        return version

    async def read(self, asked: Query, /, **parameters: Any) -> list[Row]:
        """Run a query in READ mode and return its rows."""
        asked.check(parameters)
        text = asked.text

        @neo4j.unit_of_work(timeout=self._read_seconds)
        async def work(transaction: neo4j.AsyncManagedTransaction) -> list[Row]:
            result = await transaction.run(text, parameters)
            return [record.data() async for record in result]

        async with self._errors(), self._driver.session(database=self._database) as session:
            return await session.execute_read(work)

    async def read_one(self, asked: Query, /, **parameters: Any) -> Row | None:
        """Run a query in READ mode and return its first row, or None."""
        rows = await self.read(asked, **parameters)
        return rows[0] if rows else None

    async def write(self, asked: Query, /, **parameters: Any) -> list[Row]:
        """Run a query in a managed write transaction and return its rows; all or nothing."""
        asked.check(parameters)
        text = asked.text

        async def work(transaction: neo4j.AsyncManagedTransaction) -> list[Row]:
            result = await transaction.run(text, parameters)
            return [record.data() async for record in result]

        async with self._errors(), self._driver.session(database=self._database) as session:
            return await session.execute_write(work)

    async def run_alone(self, statement: str) -> None:
        """Run one schema command of a migration, which must be ``IF NOT EXISTS``, in a transaction of its own.

        Several processes may run the first one at once on a new graph, before there is a lock to wait for. Neo4j then
        ends all but one by a deadlock, or says that the rule is there by now: tried again, and good.
        """
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(GraphBusyError),
            wait=wait_random_exponential(multiplier=0.1, max=2.0),
            stop=stop_after_attempt(_SCHEMA_ATTEMPTS),
            reraise=True,
        )
        await retrying(self._run_schema, statement)

    async def _run_schema(self, statement: str) -> None:
        async with self._errors(), self._driver.session(database=self._database) as session:
            try:
                result = await session.run(neo4j.Query(statement))
                await result.consume()
            except exceptions.ClientError as error:
                if not (error.code or "").endswith(_THERE_ALREADY):
                    raise

    async def delete(self, asked: Query, /, **parameters: Any) -> None:
        """Run a batched deletion (``CALL … IN TRANSACTIONS``), which commits by itself as it goes."""
        asked.check(parameters)
        async with self._errors(), self._driver.session(database=self._database) as session:
            result = await session.run(neo4j.Query(asked.text), parameters)
            await result.consume()

    async def plan(self, asked: Query) -> neo4j.ResultSummary:
        """EXPLAIN a query and return the summary with its plan and its notifications."""
        statement = neo4j.Query(f"EXPLAIN {asked.text}")
        examples: dict[str, Any] = {
            "string": "", "integer": 1, "float": 1.0, "boolean": True, "list": [], "map": {}, "any": None,
        }  # fmt: skip
        parameters = {name: examples[kind] for name, kind in asked.parameters.items()}
        async with (
            self._errors(),
            self._driver.session(
                database=self._database, notifications_min_severity=neo4j.NotificationMinimumSeverity.INFORMATION
            ) as session,
        ):
            result = await session.run(statement, parameters)
            return await result.consume()

    @asynccontextmanager
    async def _errors(self) -> AsyncIterator[None]:
        try:
            yield
        except (exceptions.Neo4jError, exceptions.DriverError, OSError) as error:
            ours = self._translate(error)
            if isinstance(ours, UnavailableError) and not isinstance(ours, GraphBusyError):
                self._start_revival()
            raise ours from error

    def _translate(self, error: Exception) -> LexhopError:
        where = self._address.url
        if isinstance(error, exceptions.AuthError):
            return SetupError(
                f"the Neo4j at {where} refuses user {self._address.user!r} with the password given; "
                "set LEXHOP_GRAPH_USER and LEXHOP_GRAPH_PASSWORD"
            )
        if isinstance(error, exceptions.Neo4jError):
            code = error.code or ""
            if isinstance(error, exceptions.DatabaseUnavailable):
                return UnavailableError(f"the database at {where} is not available just now; try again")
            if code.endswith(_TIMED_OUT):
                return GraphBusyError(
                    f"a query took longer than {self._read_seconds:g} s; "
                    "ask for less, or raise LEXHOP_GRAPH_READ_SECONDS"
                )
            if isinstance(error, exceptions.TransientError):
                return GraphBusyError(f"the graph is busy ({code}); try again", retry_after=1)
            if isinstance(error, exceptions.ClientError) and code.endswith("DatabaseNotFound"):
                return SetupError(f"the Neo4j at {where} has no database {self._database!r}; set LEXHOP_GRAPH_DATABASE")
            _log.error("query_refused", code=code, message=error.message)
            return LexhopError(f"the graph refused a query ({code}); the log says which and why")
        if isinstance(error, exceptions.ServiceUnavailable | exceptions.SessionExpired | OSError):
            return UnavailableError(f"the graph at {where} does not answer; it may be starting again: try again")
        if "acquisition" in str(error):
            return GraphBusyError("every connection to the graph is in use; try again", retry_after=1)
        return UnavailableError(f"the graph at {where} cannot be used just now: {error}")

    def _start_revival(self) -> None:
        if self._revive is None or (self._reviving is not None and not self._reviving.done()):
            return
        self._reviving = asyncio.get_running_loop().create_task(self._run_revival(self._revive))

    async def _run_revival(self, revive: Callable[[], object]) -> None:
        _log.warning("graph_gone", url=self._address.url, then="starting it again")
        try:
            await asyncio.to_thread(revive)
        except LexhopError as error:
            _log.error("graph_not_revived", reason=str(error))
        else:
            _log.info("graph_back", url=self._address.url)
