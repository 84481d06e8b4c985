from __future__ import annotations

import re
import zipfile

import pytest

from loaders.statutes import builtin_manifest, load_statutes, read_manifest, report_of
from service.errors import InputError, NotFoundError, SourceError
from tests.unit.statutes.pages import folder, page

PAGE = page("H|Статья 1. А", "1. Один.", "H|Статья 2. Б", "Два.")


def refused(tmp_path, manifest: str, message: str, corpus: str = "trial", **files: str | bytes) -> None:
    root = folder(tmp_path, manifest, **files)
    with pytest.raises(SourceError, match=re.escape(message)):
        load_statutes(root, corpus)


def test_builtin_fills_what_the_folder_leaves_out_by_key_and_by_document(tmp_path):
    root = folder(tmp_path, "- {key: УК, files: [a.html]}\n- {key: ЖилК, files: [102090645.html]}", a_html=PAGE)
    (root / "102090645.html").write_text(PAGE, encoding="utf-8")
    criminal, housing = load_statutes(root, "ru")
    assert (criminal.act.title, criminal.act.branch) == ("Уголовный кодекс Российской Федерации", "criminal")
    assert criminal.act.coverage == ("complete",)
    assert criminal.act.valid_from == "1997-01-01"
    assert criminal.articles[0].paragraphs[0].part == "1"
    assert (housing.act.key, housing.act.branch, housing.articles[1].valid_from) == ("ЖилК", "housing", "2005-03-01")


def test_the_folder_has_the_last_word(tmp_path):
    root = folder(
        tmp_path,
        '- {key: УК, title: Иной, numbered: point, coverage: ["1–2"], in_force: 2000-01-01, edition: 2020, '
        "files: [a.html]}",
        a_html=PAGE,
    )
    (text,) = load_statutes(root, "ru")
    assert (text.act.title, text.act.coverage, text.act.edition) == ("Иной", ("1–2",), "2020")
    assert text.articles[0].paragraphs[0].point == "1"
    assert text.articles[0].valid_from == "2000-01-01"


def test_a_folder_without_manifest_takes_the_builtin_files_that_are_there(tmp_path):
    (tmp_path / "102054722.html").write_text(PAGE, encoding="utf-8")
    (text,) = load_statutes(tmp_path, "ru")
    assert (text.act.key, text.act.coverage) == ("НК", ("1–2",))


def test_coverage_of_some_parts_is_what_was_loaded_unless_stated(tmp_path):
    for number in ("102033239", "102110716"):
        (tmp_path / f"{number}.html").write_text(PAGE.replace("Статья ", f"Статья {number[-1]}"), encoding="utf-8")
    (tmp_path / "manifest.yaml").write_text("- {key: ГК, files: [102033239.html, 102110716.html]}", encoding="utf-8")
    (text,) = load_statutes(tmp_path, "ru")
    assert text.act.coverage == ("61–62", "91–92")
    (tmp_path / "manifest.yaml").write_text(
        "- {key: ГК, coverage: complete, files: [102033239.html, 102110716.html]}", encoding="utf-8"
    )
    assert load_statutes(tmp_path, "ru")[0].act.coverage == ("complete",)


def test_dates_by_range(tmp_path):
    text = page(*(line for number in (47, 48, 123, 260, 288) for line in (f"H|Статья {number}. А", "Слова.")))
    root = folder(tmp_path, "- {key: ГК, files: [102033239.html]}")
    (root / "102033239.html").write_text(text, encoding="utf-8")
    (act,) = load_statutes(root, "ru")
    assert [article.valid_from for article in act.articles] == [
        "1995-01-01", "1994-12-08", "1994-12-08", None, "1995-01-01",
    ]  # fmt: skip


def test_builtin_manifest_of_ru():
    manifest = builtin_manifest("ru")
    assert manifest is not None
    keys = [act.key for act in manifest.acts]
    assert len(keys) == len(set(keys))
    assert {"КРФ", "УПК", "ГПК", "АПК", "КАС", "УИК", "БК", "ВК", "ЛК", "КВВТ", "КТМ", "ВзК"} <= set(keys)
    assert all(act.title and act.numbered and act.coverage == ("complete",) for act in manifest.acts)
    assert manifest.fetch is not None
    assert set(manifest.fetch.acts) <= set(keys)
    assert "{nd}" in manifest.fetch.path
    assert builtin_manifest("nowhere") is None


def test_report(tmp_path):
    root = folder(tmp_path, "- {key: УК, files: [a.html]}", a_html=PAGE)
    seen: list[tuple[str, int, int]] = []
    (text,) = load_statutes(root, "ru", progress=lambda act, done, total: seen.append((act, done, total)))
    report = report_of(text)
    assert seen == [("УК", 1, 1)]
    assert (report.articles, report.repealed, report.characters) == (2, 0, len("1. Один.") + len("Два."))
    assert report.valid_from == {"stated": 2, "amendment": 0, "unknown": 0}
    assert report.as_dict()["act"] == "УК"


def test_no_folder_and_no_manifest(tmp_path):
    with pytest.raises(InputError, match="does not exist; name a folder with --from"):
        read_manifest(tmp_path / "absent", "ru")
    with pytest.raises(NotFoundError, match="corpus 'trial' has no built-in manifest"):
        read_manifest(tmp_path, "trial")
    with pytest.raises(SourceError, match=r"has no manifest\.yaml and none of the files of the built-in corpus 'ru'"):
        read_manifest(tmp_path, "ru")


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("- {key: ПК, files: [b.html]}", "act 'ПК' names the file 'b.html', which is not in"),
        (
            "- {key: ПК, file: [a.html]}",
            "act 'ПК' (number 1 in the list), unknown key 'file' with ['a.html']; take it out",
        ),
        ("- {key: ПК, files: [{name: a.html, size: 3}]}", "unknown key 'files.0.size' with 3"),
        ("- {key: ПК}", "act 'ПК' names no files; state 'files'"),
        (
            "- {key: ПК, files: [a.html]}\n- {key: ПК, files: [a.html]}",
            "has act 'ПК' twice; join its files in one entry",
        ),
        (
            "- {key: ПК, coverage: all, files: [a.html]}",
            "coverage is 'all'; write complete, loaded, unknown, or a list of ranges",
        ),
        ("- {key: ПК, coverage: [1.5], files: [a.html]}", "coverage is [1.5]; a list holds ranges in quotes"),
        ("- {key: ПК, in_force: soon, files: [a.html]}", "'in_force' is 'soon'"),
        ("- {key: ПК, files: [../a.html]}", "file '../a.html' lies outside the folder"),
        ("- {key: ПК, files: [{encoding: utf-8}]}", "a file needs a 'name' or an 'nd'"),
        ("key: [", "manifest 'manifest.yaml' is not YAML"),
        ("just words", "write a list of acts"),
        ("[]", "write a list of acts"),
    ],
)
def test_bad_manifests(tmp_path, manifest, message):
    refused(tmp_path, manifest, message, a_html=PAGE)


def test_manifest_in_another_encoding(tmp_path):
    (tmp_path / "manifest.yaml").write_bytes("- {key: ПК}".encode("cp1251"))
    with pytest.raises(SourceError, match=r"manifest 'manifest\.yaml' is not UTF-8"):
        read_manifest(tmp_path, "trial")


ONE = "- {key: ПК, files: [a.html]}"


def test_bad_files(tmp_path):
    refused(tmp_path / "1", ONE, "HTML file 'a.html' is empty; fetch it again", a_html="  \n")
    refused(tmp_path / "2", ONE, "is cut: it has no closing </body>", a_html=PAGE[: len(PAGE) // 2])
    refused(
        tmp_path / "3", ONE, "holds no article: no line of it is a heading", a_html=page("T|Нет документа", "Ничего.")
    )
    refused(
        tmp_path / "4",
        ONE,
        "says that it is 'utf-8', but byte",
        a_html=PAGE.encode("cp1251"),
    )
    refused(tmp_path / "5", ONE, "it looks like windows-1251: convert it", a_html=PAGE.encode("cp1251"))
    refused(tmp_path / "6", "- {key: ПК, files: [a.docx]}", "is not a docx: it begins with b'<!DOCTYP'", a_docx=PAGE)
    refused(tmp_path / "7", "- {key: ПК, files: [a.docx]}", "docx file 'a.docx' is empty", a_docx="")
    refused(tmp_path / "8", "- {key: ПК, files: [a.pdf]}", "has the extension '.pdf', which no reader takes", a_pdf="x")
    double = page("H|Статья 1. А", "Раз.", "H|Статья 1. Б", "Два.")
    refused(tmp_path / "9", ONE, "article '1' of act 'ПК' stands twice: in 'a.html' and in 'a.html'", a_html=double)
    refused(tmp_path / "10", ONE, "names the encoding 'utf-9'", a_html=PAGE.replace("utf-8", "utf-9").encode("cp1251"))


def test_hostile_files_end_soon(tmp_path):
    deep = PAGE.replace("Два.", "<span>" * 5000 + "Два." + "</span>" * 5000)
    refused(tmp_path / "1", ONE, "is nested too deeply to be a statute", a_html=deep)
    wide = PAGE.replace("Два.", "(в ред. " * 60_000 + ")" * 60_000)
    root = folder(tmp_path / "2", ONE, a_html=wide)
    assert load_statutes(root, "trial")[0].articles[1].text.startswith("(в ред. (в ред.")


def test_encodings_that_are_true(tmp_path):
    declared = PAGE.replace("utf-8", "windows-1251").encode("cp1251")
    root = folder(tmp_path / "1", ONE, a_html=declared)
    assert load_statutes(root, "trial")[0].articles[0].title == "А"
    stated = "- {key: ПК, files: [{name: a.html, encoding: windows-1251}]}"
    root = folder(tmp_path / "2", stated, a_html=PAGE.encode("cp1251"))
    assert load_statutes(root, "trial")[0].articles[0].title == "А"
    kept = PAGE.replace("utf-8", "windows-1251")
    root = folder(tmp_path / "4", ONE, a_html=kept)
    assert load_statutes(root, "trial")[0].articles[0].title == "А"
    root = folder(tmp_path / "3", ONE, a_html=b"\xef\xbb\xbf" + PAGE.encode())
    assert load_statutes(root, "trial")[0].articles[0].title == "А"


def test_a_zip_that_is_no_docx(tmp_path):
    root = folder(tmp_path, "- {key: ПК, files: [a.docx]}")
    with zipfile.ZipFile(root / "a.docx", "w") as archive:
        archive.writestr("hello.txt", "x")
    with pytest.raises(SourceError, match=r"is a ZIP archive without word/document\.xml, so no docx"):
        load_statutes(root, "trial")
    with zipfile.ZipFile(root / "a.docx", "w") as archive:
        archive.writestr("word/document.xml", "<w:document")
    with pytest.raises(SourceError, match="has a damaged part"):
        load_statutes(root, "trial")
