"""The jars of the local graph: locked, fetched from a real HTTP server on loopback, taken up again, refused."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from service.errors import SetupError, UnavailableError
from service.graph.local.jars import ensure_jars, repositories
from service.graph.local.lockfile import JarLock, LockedJar, known_versions, load_lock, read_lock, write_lock
from service.graph.local.progress import Report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUIET = Report(quiet=True)
BIG = bytes(range(256)) * 4096
SMALL = b"a small jar"


@dataclass
class Repository:
    """A Maven repository on loopback that can be told to misbehave."""

    files: dict[str, bytes]
    cut_after: int | None = None
    without_ranges: bool = False
    refuse: int | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    sent: int = 0
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers["Range"]
        self.asked.append((request.path.lstrip("/"), wanted))
        content = self.files.get(request.path.lstrip("/"))
        if content is None or self.refuse:
            request.send_error(self.refuse or 404)
            return
        begin = 0
        if wanted and not self.without_ranges:
            begin = int(wanted.removeprefix("bytes=").rstrip("-"))
            request.send_response(206)
            request.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        else:
            request.send_response(200)
        body = content[begin:]
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        body = body if self.cut_after is None else body[: self.cut_after]
        request.wfile.write(body)
        self.sent += len(body)
        request.close_connection = True


@pytest.fixture
def repository() -> Iterator[Repository]:
    repository = Repository({jar.path: content for jar, content in ((BIG_JAR, BIG), (SMALL_JAR, SMALL))})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            repository.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        repository.url = f"http://127.0.0.1:{server.server_port}"
        yield repository
        server.shutdown()
        thread.join()


def locked(jar: str, content: bytes) -> LockedJar:
    return LockedJar(jar=jar, sha256=hashlib.sha256(content).hexdigest(), size=len(content))


BIG_JAR = locked("org.example.deep:big:1.0:linux-x86_64", BIG)
SMALL_JAR = locked("org.example:small:2.0.Final", SMALL)
LOCK = JarLock(neo4j="0.0.1", jars=(BIG_JAR, SMALL_JAR))


def test_jars_come_down_checked_and_are_not_asked_for_again(repository: Repository, tmp_path: Path) -> None:
    paths = ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)
    assert [path.read_bytes() for path in paths] == [BIG, SMALL]
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "org/example/deep/big/1.0/big-1.0-linux-x86_64.jar",
        "org/example/small/2.0.Final/small-2.0.Final.jar",
    ]
    asked = len(repository.asked)
    assert ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01) == paths
    assert len(repository.asked) == asked == 2


def test_a_jar_with_one_flipped_bit_is_refused_by_name(repository: Repository, tmp_path: Path) -> None:
    path = ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)[0]
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    path.write_bytes(content)
    with pytest.raises(SetupError) as refused:
        ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)
    message = str(refused.value)
    for part in (BIG_JAR.jar, str(path), BIG_JAR.sha256, hashlib.sha256(content).hexdigest(), "Remove that file"):
        assert part in message
    path.unlink()
    assert ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)[0].read_bytes() == BIG


def test_what_a_repository_changed_never_gets_its_name(repository: Repository, tmp_path: Path) -> None:
    repository.files[SMALL_JAR.path] = SMALL.upper()
    with pytest.raises(SetupError, match=rf"{SMALL_JAR.jar}.*{SMALL_JAR.sha256}: refused"):
        ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)
    assert not list((tmp_path / SMALL_JAR.path).parent.iterdir())


def test_a_longer_file_is_refused(repository: Repository, tmp_path: Path) -> None:
    repository.files[SMALL_JAR.path] = SMALL * 2
    with pytest.raises(SetupError, match="is longer than the 11 bytes of the lock"):
        ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)


def test_a_download_that_is_cut_goes_on_where_it_was(repository: Repository, tmp_path: Path) -> None:
    repository.cut_after = 300_000
    path = ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)[0]
    assert path.read_bytes() == BIG
    ranges = [wanted for name, wanted in repository.asked if name == BIG_JAR.path]
    assert ranges == [None, "bytes=300000-", "bytes=600000-", "bytes=900000-"]
    assert repository.sent == len(BIG) + len(SMALL)


def test_an_interrupted_run_is_taken_up_by_the_next(repository: Repository, tmp_path: Path) -> None:
    repository.cut_after = 1_000
    with pytest.raises(UnavailableError, match=r"could not be fetched: .*run the same command again"):
        ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)
    assert not (tmp_path / BIG_JAR.path).exists()
    assert (tmp_path / BIG_JAR.path).with_suffix(".jar.part").stat().st_size == 5_000
    repository.cut_after = None
    repository.asked.clear()
    assert ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)[0].read_bytes() == BIG
    assert repository.asked == [(BIG_JAR.path, "bytes=5000-")]
    assert repository.sent == len(BIG) + len(SMALL)


@pytest.mark.parametrize("rest", [b"not the first half of it", BIG[:-1] + b"?"])
def test_a_part_that_is_not_of_this_jar_costs_a_fresh_fetch(
    repository: Repository, tmp_path: Path, rest: bytes
) -> None:
    part = (tmp_path / BIG_JAR.path).with_suffix(".jar.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(rest)
    assert ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)[0].read_bytes() == BIG
    assert not part.exists()


def test_a_repository_without_ranges_sends_the_whole_again(repository: Repository, tmp_path: Path) -> None:
    part = (tmp_path / BIG_JAR.path).with_suffix(".jar.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(BIG[:77])
    repository.without_ranges = True
    assert ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)[0].read_bytes() == BIG


def test_a_jar_that_no_repository_has_is_named(repository: Repository, tmp_path: Path) -> None:
    del repository.files[BIG_JAR.path]
    with pytest.raises(SetupError, match=rf"'{BIG_JAR.jar}' is in none of {repository.url}; .*LEXHOP_LOCAL_REPOSITORY"):
        ensure_jars(LOCK, tmp_path, repository.url, QUIET, patience=0.01)


def test_a_repository_that_fails_is_asked_again_then_named(repository: Repository, tmp_path: Path) -> None:
    repository.refuse = 503
    with pytest.raises(UnavailableError, match=r"answered 503; .*LEXHOP_GRAPH_URL"):
        ensure_jars(JarLock(neo4j="0.0.1", jars=(SMALL_JAR,)), tmp_path, repository.url, QUIET, patience=0.01)
    assert len(repository.asked) == 5


def test_a_disk_too_small_is_said_before_anything_is_fetched(repository: Repository, tmp_path: Path) -> None:
    huge = JarLock(neo4j="0.0.1", jars=(SMALL_JAR.model_copy(update={"size": 10**18}),))
    with pytest.raises(SetupError, match=r"needs 1,000,000,000,000 MB in .* MB are free; make room"):
        ensure_jars(huge, tmp_path, repository.url, QUIET, patience=0.01)
    assert repository.asked == []


def test_the_committed_locks_are_of_whole_versions() -> None:
    assert known_versions() == ["5.26.30", "2026.09.0"]
    for version in known_versions():
        lock = load_lock(version)
        assert lock.neo4j == version
        assert f"org.neo4j:neo4j:{version}" in {jar.jar for jar in lock.jars}
        assert len({jar.path for jar in lock.jars}) == len(lock.jars) > 200


def test_a_lock_survives_being_written(tmp_path: Path) -> None:
    write_lock(LOCK, tmp_path / "x.lock.json")
    assert read_lock(tmp_path / "x.lock.json") == LOCK


def test_an_unknown_version_is_told_with_the_known_ones() -> None:
    with pytest.raises(SetupError, match=r"'4\.4\.0' has no lock of jars; choose one of 5\.26\.30, 2026\.09\.0"):
        load_lock("4.4.0")


@pytest.mark.parametrize("jar", ["a:b", "a:../b:1", "a/b:c:1", "a:b:c:d:e", ""])
def test_a_coordinate_that_could_leave_its_folder_is_no_coordinate(tmp_path: Path, jar: str) -> None:
    path = tmp_path / "bad.lock.json"
    path.write_text(f'{{"neo4j": "1", "jars": [{{"jar": "{jar}", "sha256": "{"0" * 64}", "size": 1}}]}}')
    with pytest.raises(SetupError, match=r"lock of jars 'bad\.lock\.json' cannot be read"):
        read_lock(path)


def test_a_mirror_replaces_the_repositories_of_jgo() -> None:
    assert repositories("http://127.0.0.1:1/maven/") == ["http://127.0.0.1:1/maven"]
    assert all(address.startswith("https://") for address in repositories(None))
