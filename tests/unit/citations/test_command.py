import io
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from service.cli import main

Run = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def lexhop(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as stopped:
            main(["citations", *arguments])
        written = capsysbinary.readouterr()
        return int(stopped.value.code or 0), written.out, written.err.decode()

    return run


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_to_json_lines(lexhop: Run, arguments: tuple[str, ...]) -> None:
    status, out, _ = lexhop(*arguments, stdin="по ст. 10 ГК РФ и статье 7".encode())
    assert status == 0
    found = [orjson.loads(line) for line in out.splitlines()]
    assert [(row["act"], row["article"]) for row in found] == [("ГК", "10"), ("ГК", "7")]


def test_a_file_with_its_surroundings_to_marked_text(lexhop: Run, tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("согласно статье 12 [см. пункт]", encoding="utf-8")
    status, out, _ = lexhop(str(file), "--jurisdiction", "kz", "--act", "НК", "--format", "text")
    assert status == 0
    assert out.decode().strip() == "согласно статье 12 [НК_12] [см. пункт]"


def test_a_batch_reports_bad_rows_and_ends_with_one(lexhop: Run, tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes('{"id":"a","lang":"ru","text":"ст. 10 ГК РФ"}\n'.encode() + b'{"id":"b"\n')
    status, written, errors = lexhop("--batch", str(source), "--out", str(out))
    assert status == 1
    assert written == b""
    assert "in.jsonl, line 2: row is not JSON" in errors
    first, second = (orjson.loads(line) for line in out.read_bytes().splitlines())
    assert first["citations"][0]["article"] == "10"
    assert second["line"] == 2
    assert second["citations"] is None


def test_a_good_batch_ends_with_nought_and_takes_articles(lexhop: Run, tmp_path: Path) -> None:
    index = tmp_path / "index.json"
    index.write_text('{"ua": {"КонстУ": ["129", "129-1"]}}', encoding="utf-8")
    row = orjson.dumps({"id": 1, "lang": "uk", "text": "ст. 1291 Конституції України"}) + b"\n"
    status, out, _ = lexhop("--batch", "-", "--articles", str(index), stdin=row)
    assert status == 0
    (found,) = orjson.loads(out)["citations"]
    assert (found["act"], found["article"]) == ("Конституція", "129-1")


def test_a_batch_is_not_written_over_what_it_reads(lexhop: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    row = '{"id":"a","lang":"ru","text":"ст. 10 ГК РФ"}\n'.encode()
    source.write_bytes(row)
    status, _, errors = lexhop("--batch", str(source), "--out", str(source))
    assert status == 1
    assert "is the file that --batch reads; name another" in errors
    assert source.read_bytes() == row


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/bad.txt"], "is not UTF-8: byte 0xf1 at offset 0; convert it to UTF-8"),
        (["{folder}/none.txt"], "cannot be read: No such file or directory"),
        (["--lang", "xx"], "--lang 'xx' is not read; use one of ru, uk, zh"),
        (["--act", "XX"], "act 'XX' is not in the registry of 'ru'"),
        (["--out", "x.jsonl"], "belongs to --batch"),
        (["--batch", "x.jsonl", "{folder}/bad.txt"], "exclude each other"),
        (["--articles", "x.json", "--corpus", "ru"], "exclude each other"),
        (["--batch", "{folder}/none.jsonl"], "cannot be read: No such file or directory"),
    ],
)
def test_wrong_calls_say_what_to_do(lexhop: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "bad.txt").write_bytes("статья".encode("cp1251"))
    status, _, errors = lexhop(*(argument.format(folder=tmp_path) for argument in arguments))
    assert status == 1
    assert message in errors
