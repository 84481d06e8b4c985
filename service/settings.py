"""Settings: each with a name, a default and a line of help. Nothing is read at import."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_data_path
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

__all__ = ["Settings"]


def _default_home() -> Path:
    return user_data_path("lexhop", appauthor=False)


class Settings(BaseSettings):
    """What an operator can set, by environment variables with the prefix ``LEXHOP_``."""

    model_config = SettingsConfigDict(env_prefix="LEXHOP_", frozen=True, extra="ignore")

    home: Path = Field(default_factory=_default_home, description="Folder that holds everything local.")
    corpus: str | None = Field(
        default=None,
        description="Corpus taken where none is named; unset: the only real one, or the sample while there is none.",
    )
    log_json: bool = Field(default=False, description="Log JSON lines instead of coloured text.")

    graph_url: str | None = Field(
        default=None, description="A Neo4j of yours (bolt://host:7687); unset: a local one is started."
    )
    graph_user: str = Field(default="neo4j", description="User of the Neo4j at LEXHOP_GRAPH_URL.")
    graph_password: SecretStr = Field(default=SecretStr(""), description="Password of that user.")
    graph_database: str = Field(default="neo4j", description="Database of the Neo4j at LEXHOP_GRAPH_URL.")
    graph_read_seconds: float = Field(default=20.0, gt=0, description="Time limit of one read query.")
    graph_pool: int = Field(default=50, ge=1, description="Most connections to the graph of one process.")

    database_url: SecretStr | None = Field(
        default=None,
        description="The ledger (postgresql://user:password@host/name); unset: an SQLite file in the home folder.",
    )
    database_pool: int = Field(default=10, ge=1, description="Most connections to the ledger of one process.")
    database_busy_seconds: float = Field(
        default=30.0, gt=0, description="How long a write to SQLite waits for another writer."
    )

    local_version: str = Field(default="5.26.30", description="Neo4j version of the local graph; its jars are pinned.")
    local_heap_mb: int = Field(default=1024, ge=256, description="Largest Java heap of the local graph, MiB.")
    local_page_cache_mb: int = Field(default=256, ge=16, description="Page cache of the local graph, MiB.")
    local_idle_seconds: int = Field(
        default=600, ge=1, description="The local graph shuts down when nobody has held it for so long."
    )
    local_start_seconds: int = Field(default=120, ge=5, description="How long a start of the local graph may take.")
    local_transaction_seconds: int = Field(
        default=600, ge=1, description="Time limit of a transaction in the local graph that names none itself."
    )
    local_java_options: str = Field(
        default="", description="More arguments of the local graph's Java machine, separated by spaces."
    )
    local_jars: Path | None = Field(
        default=None,
        description="Folder of the local graph's jars; unset: below LEXHOP_HOME. Several homes may share it.",
    )
    local_archive: bool = Field(
        default=True,
        description="Keep an archive of Neo4j's classes beside the jars (140 MB): the next starts take a third less.",
    )
    local_repository: str | None = Field(
        default=None, description="Maven repository to fetch the jars from; unset: those that jgo knows."
    )

    keep_versions: int = Field(default=2, ge=1, description="How many versions of a corpus that nobody uses are kept.")
    load_batch_rows: int = Field(default=1000, ge=1, description="Rows of one write to the graph during a load.")
    load_stale_seconds: int = Field(
        default=60, ge=5, description="A writer whose heartbeat is older than this is taken to be dead."
    )

    models_file: Path | None = Field(
        default=None, description="Models that may be called (docs/models.md); unset: models.yaml in the home folder."
    )

    chains_power: float = Field(
        default=0.5, ge=0, le=1, description="A stratum of chains weighs its number of chains to this power."
    )
    chains_length_shares: dict[int, float] | None = Field(
        default=None, description="Share of each chain length in its depth, as JSON; unset: the benchmark's."
    )
    chains_branches_share: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Issue-spotting chains whose start leads to two branches of law, as a share.",
    )
    prompts: Path | None = Field(
        default=None, description="Folder of prompts with other wording than ours; what it lacks is taken from ours."
    )
    browse_anonymous: bool = Field(
        default=False, description="Serve the browse tier of task sets without a key, one task at a time."
    )
    hourly_browse: int = Field(default=120, ge=1, description="Tasks that one key, or one address, may browse an hour.")

    judge_profile: str = Field(
        default="lexical", description="Judge profile of runs that name none: the primary one of the boards."
    )
    lease_seconds: float = Field(
        default=900.0, gt=0, description="How long a task stays with a participant that says nothing."
    )
    leases_max: int = Field(default=200, ge=1, description="Most tasks, or questions to a judge, of one lease request.")
    submission_chars: int = Field(default=400_000, ge=1, description="Longest text of a submission.")
    submission_lines: int = Field(
        default=1_000_000, ge=1, description="Most lines of one request of submissions as NDJSON."
    )
    submission_batch: int = Field(default=500, ge=1, description="Submissions taken in by one transaction.")
    wait_seconds: float = Field(default=60.0, ge=0, description="Longest that GET /v1/runs/{id} waits for a change.")
    least_shown: int = Field(
        default=5,
        ge=1,
        description="Fabulas below which a figure of tasks that are not public is kept from those without the tier full.",
    )

    host: str = Field(default="127.0.0.1", description="Address that the service binds to.")
    port: int = Field(default=8321, ge=0, le=65535, description="Port of the service; 0 takes a free one.")
    request_bytes: int = Field(default=2_000_000, ge=1024, description="Largest request body, bytes.")
    request_seconds: float = Field(default=30.0, gt=0, description="Longest time that one request may take.")
    page_limit: int = Field(default=100, ge=1, description="Rows of a list where a request names no limit.")
    page_limit_max: int = Field(default=1000, ge=1, description="Largest limit that a list accepts.")
    context_max_chunks: int = Field(default=25, ge=1, description="Chunks of a context where a request names none.")
    context_token_budget: int = Field(
        default=40_000, ge=1, description="Tokens of a context where a request names no budget (3 characters each)."
    )
    context_seeds_max: int = Field(default=50, ge=1, description="Most seed norms that one context takes.")
    citations_chars: int = Field(default=500_000, ge=1, description="Longest text that POST /v1/citations reads.")
    hourly_public: int = Field(
        default=36_000, ge=1, description="Requests an hour without a key, for each address; loopback is not counted."
    )
    hourly_key: int = Field(default=360_000, ge=1, description="Requests an hour of one key.")
    walk_relations: int = Field(
        default=50_000, ge=100, description="Relations that one walk (paths, between, neighbourhood) reads at most."
    )
    walk_steps: int = Field(default=200_000, ge=100, description="Steps that one search for paths walks at most.")
    paths_max: int = Field(default=100, ge=1, description="Most paths that one request gets.")
    norms_max: int = Field(
        default=500, ge=1, description="Most norms that one neighbourhood or one list of shared neighbours shows."
    )
    cache_entries: int = Field(default=4096, ge=0, description="Answers that one process keeps, by corpus version.")
    current_poll_seconds: float = Field(
        default=0.5, gt=0, description="How often a process asks which versions are current."
    )
