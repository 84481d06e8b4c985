"""The ten Russian codes as the official portal and an information system serve them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from lxml import html

from loaders.statutes import load_statutes, report_of
from loaders.statutes._lines import Line
from loaders.statutes._structure import piece_of
from service.domain import DateBasis

if TYPE_CHECKING:
    from pathlib import Path

    from service.domain import ActText, Article

pytestmark = pytest.mark.data

COUNTS = {
    "КРФ": 142, "ГК": 1727, "УК": 523, "ТК": 529, "СК": 177, "ЖК": 243, "ЗК": 192, "ГрК": 141, "НК": 267, "КоАП": 1090,
}  # fmt: skip

# Paragraphs, (part, point, sub-point) of the last one, amendments, valid_from, basis, repealed.
SPOTS = [
    ("КРФ_1", 2, ("2", None, None), 0, "1993-12-25", "stated", False),
    ("КРФ_67.1", 4, ("4", None, None), 1, "2020-03-14", "amendment", False),
    ("КРФ_71", 19, (None, "т", None), 7, "2020-03-14", "amendment", False),
    ("КРФ_127", 0, None, 1, None, None, True),
    ("ГК_1", 7, (None, "5", None), 1, "2012-12-30", "amendment", False),
    ("ГК_8", 12, (None, "1", "9"), 2, "2012-12-30", "amendment", False),
    ("ГК_91", 0, None, 1, None, None, True),
    ("ГК_123.20-4", 27, (None, "12", None), 2, "2021-07-01", "amendment", False),
    ("ГК_1064", 6, (None, "3", None), 1, "2011-11-28", "amendment", False),
    ("УК_12", 3, ("3", None, None), 3, "2016-07-06", "amendment", False),
    ("УК_105", 17, ("2", None, None), 8, "2009-12-27", "amendment", False),
    ("УК_158", 23, (None, "4", None), 14, "2018-04-23", "amendment", False),
    ("УК_205.1", 13, (None, "2", None), 13, "2023-04-28", "amendment", False),
    ("ТК_1", 11, ("2", None, None), 3, "2013-07-02", "amendment", False),
    ("ТК_81", 27, ("7", None, None), 21, "2022-10-07", "amendment", False),
    ("ТК_351.1", 3, ("3", None, None), 3, "2015-07-13", "amendment", False),
    ("ТК_392", 5, ("5", None, None), 6, "2021-04-05", "amendment", False),
    ("ТК_424", 2, ("2", None, None), 0, "2002-02-01", "stated", False),
    ("СК_16", 2, (None, "2", None), 1, "2023-07-24", "amendment", False),
    ("СК_36", 3, (None, "3", None), 2, "2006-12-18", "amendment", False),
    ("СК_170", 5, (None, "2", None), 0, "1996-03-01", "stated", False),
    ("ЖК_36.1", 7, ("7", None, None), 2, "2015-06-29", "amendment", False),
    ("ЖК_161", 43, ("17", None, None), 57, "2023-06-24", "amendment", False),
    ("ЗК_39.36-1", 7, (None, "4", None), 2, "2021-04-05", "amendment", False),
    ("ГрК_55.5-1", 28, ("14", None, None), 3, "2021-12-30", "amendment", False),
    ("НК_25.13-1", 81, (None, "10", "4"), 23, "2020-11-09", "amendment", False),
    ("НК_142.9", 4, (None, "2", None), 3, "2023-07-31", "amendment", False),
    ("КоАП_1.1", 2, ("2", None, None), 0, "2002-07-01", "stated", False),
    ("КоАП_4.5", 12, ("8", None, None), 107, "2024-08-08", "amendment", False),
    ("КоАП_12.9", 12, ("7", None, None), 12, "2013-07-23", "amendment", False),
    ("КоАП_12.21.5", 8, ("4", None, None), 1, "2023-08-04", "amendment", False),
    ("КоАП_19.7.10-1", 4, ("2", None, None), 1, "2016-06-23", "amendment", False),
    ("КоАП_32.14", 7, ("7", None, None), 7, "2016-07-03", "amendment", False),
]

# Sources of the acts that come from the portal.
PAGES = {
    "УК": ("102041891",), "ТК": ("102074279",), "СК": ("102038925",), "ЖК": ("102090645",), "ЗК": ("102073184",),
    "ГрК": ("102090643",), "НК": ("102054722",), "ГК": ("102033239", "102039276", "102073578", "102110716"),
}  # fmt: skip


@pytest.fixture(scope="module")
def acts(data: Path) -> dict[str, ActText]:
    return {text.act.key: text for text in load_statutes(data / "ru-statutes", "ru")}


@pytest.fixture(scope="module")
def articles(acts: dict[str, ActText]) -> dict[str, Article]:
    return {article.norm_id: article for text in acts.values() for article in text.articles}


def test_counts(acts):
    assert {key: len(text.articles) for key, text in acts.items()} == COUNTS


def test_coverage_and_titles(acts):
    assert {key for key, text in acts.items() if text.act.coverage == ("complete",)} == set(COUNTS) - {"НК"}
    assert acts["НК"].act.coverage == ("1–142.9",)
    assert acts["ГрК"].act.branch == "urban_planning"


@pytest.mark.parametrize(("norm", "paragraphs", "last", "amendments", "valid_from", "basis", "repealed"), SPOTS)
def test_spots(articles, norm, paragraphs, last, amendments, valid_from, basis, repealed):
    article = articles[norm]
    assert len(article.paragraphs) == paragraphs
    end = article.paragraphs[-1] if article.paragraphs else None
    assert (None if end is None else (end.part, end.point, end.subpoint)) == last
    assert len(article.amendments) == amendments
    assert (article.valid_from, article.valid_from_basis, article.repealed) == (valid_from, basis, repealed)


def test_paragraphs_tile_the_text_and_dates_have_a_basis(articles):
    for article in articles.values():
        pieces = [article.text[part.start : part.end] for part in article.paragraphs]
        assert "\n".join(pieces) == article.text
        assert all(0 <= note.at <= len(article.text) for note in article.notes)
        assert (article.valid_from is None) == (article.valid_from_basis is None)
        assert article.repealed == (not article.text)


def test_most_articles_are_dated(acts):
    reports = [report_of(text) for text in acts.values()]
    total = sum(report.articles for report in reports)
    assert sum(report.valid_from["unknown"] for report in reports) <= 0.05 * total
    assert all(report.valid_from["stated"] and report.valid_from["amendment"] for report in reports)


def test_no_note_is_left_in_the_words_of_the_law(articles):
    leak = re.compile(r"\((?:В|в) ред\. |силу\.? - Федеральн|КонсультантПлюс|\(\s*\)| [.,;]|\s\s|\d\d\.\d\d\.\d{4}")
    assert [(norm, found[0]) for norm, article in articles.items() if (found := leak.search(article.text))] == []


@pytest.mark.parametrize("key", PAGES)
def test_no_word_is_lost(acts, data, key):
    """Words of the pages between the first article and the signature, read another way, are all in what was loaded."""
    word = re.compile("[а-яё]{2,}")
    raw: Counter[str] = Counter()
    for number in PAGES[key]:
        path = data / "ru-statutes" / f"{number}.html"
        body = html.parse(str(path), html.HTMLParser(encoding="utf-8")).getroot().find("body")
        inside = False
        for paragraph in body.iter("p"):
            text = paragraph.text_content().replace("\xad", "")
            inside = inside or re.match(r"\s*Статья\s*\d", text) is not None
            if re.fullmatch(r"Президент Российской Федерации\s+[А-Я]\.\s?[А-Я]\w+\s*", text):
                break
            if inside:
                raw.update(word.findall(text.lower()))
    kept: Counter[str] = Counter()
    headings = {heading for article in acts[key].articles for heading in article.path}
    for article in acts[key].articles:
        notes = " ".join(note.text for note in article.notes)
        kept.update(word.findall(f"статья {article.title} {article.text} {notes}".lower()))
    for heading in headings:
        kept.update(word.findall(heading.lower()))
    lost = raw - kept
    # What is left are notes under chapters, which become amendments of their articles, and names of repealed chapters.
    assert sum(lost.values()) <= 0.004 * sum(raw.values()), lost.most_common(20)


def test_cited_articles_exist(acts):
    """A crude reader of «статьи N настоящего Кодекса» finds no number that the loader does not know."""
    number = r"\d+(?:[.-]\d+)*"
    cited = re.compile(
        rf"стать(?:и|е|я|ю|ей|ям|ями|ях)\s+({number}(?:(?:,\s*|\s+и\s+|\s+или\s+){number})*)\s+настоящего Кодекса"
    )
    for key, text in acts.items():
        known = {article.number for article in text.articles} | set(text.gone)
        seen = [
            part
            for article in text.articles
            for found in cited.finditer(article.text)
            for part in re.findall(number, found[1])
        ]
        missing = {part for part in seen if part not in known}
        if key == "НК":
            # Part two is not loaded: it begins at 143.
            missing = {part for part in missing if int(re.match(r"\d+", part)[0]) < 143}
        assert (key, missing) == (key, set())


_ORDINALS = ("перв", "втор", "трет", "четверт", "пят", "шест", "седьм", "восьм", "девят", "десят")


def _digits(word: str) -> str:
    number = next((str(place) for place, stem in enumerate(_ORDINALS, 1) if word.startswith(stem)), word)
    return number + "".join(re.findall(r"\.\d+$", word)) if number != word else word


def test_cited_units_exist(acts):
    """Parts, points and sub-points that the codes cite in their own articles are where the loader put them."""
    cited = re.compile(
        r"(?:подпункт\w*\s+(?P<subpoint>[\d.]+)\s+)?(?:пункт\w*\s+\"?(?P<point>[\d.]+|[а-я](?:\.\d)?)\"?\s+)?"
        r"(?:част(?:ью|и|ей|ь)\s+(?P<part>[\d.]+|[а-я]+(?:\.\d+)?)\s+)?"
        r"стать(?:и|ей|е|ю)\s+(?P<number>\d+(?:[.-]\d+)*)(?=\s+настоящего Кодекса)"
    )
    total, wrong = 0, []
    for key, text in acts.items():
        living = {article.number: article for article in text.articles if not article.repealed}
        for article in text.articles:
            for found in cited.finditer(article.text):
                target = living.get(found["number"])
                part = _digits(found["part"]) if found["part"] else None
                if target is None or not any((part, found["point"], found["subpoint"])):
                    continue
                total += 1
                # Where an article has a sole part, nothing is numbered: «часть первая» is all of it.
                sole = part == "1" and not any(unit.part for unit in target.paragraphs)
                if not any(
                    (part is None or unit.part == part or sole)
                    and found["point"] in (None, unit.point)
                    and found["subpoint"] in (None, unit.subpoint)
                    for unit in target.paragraphs
                ):
                    wrong.append((key, article.number, found[0]))
    assert total > 1400
    # The Civil Code once says «частью второй» of a point, and the crude pattern misreads a list or two.
    assert len(wrong) <= 3, wrong


@pytest.mark.parametrize("name", ["ru_statutes", "ru_relations"])
def test_labelled_paragraphs_stand_in_the_texts(articles, data, name):
    """Paragraphs that others took from the codes are there word for word, once their notes are taken out."""
    missing = []
    for line in (data / "citations" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        article = articles[record["source"]]
        # They flattened «"д¹"» to «"д1"»; here it is «"д.1"», as points of other articles are numbered.
        text = piece_of(Line(re.sub(r'(?<="[а-я])(?=\d")', ".", record["text"]))).text
        if text not in article.text and not any(text in note.text for note in article.notes):
            missing.append(record["source"])
    # A publisher's box before the heading of 20.18 speaks of 20.18 and stands there.
    assert missing in ([], ["КоАП_20.17"])


def test_most_articles_have_a_date_and_each_date_its_basis(articles):
    dated = [article for article in articles.values() if article.valid_from]
    assert len(dated) >= 0.6 * len(articles)
    assert {article.valid_from_basis for article in dated} == {DateBasis.STATED, DateBasis.AMENDMENT}
    assert all(article.valid_from_basis is None for article in articles.values() if not article.valid_from)


# Linux hands the peak that getrusage tells on to the programs that a process starts; VmHWM is that of the program alone.
_LOAD = """
import re, resource, sys
from pathlib import Path
from loaders.statutes import load_statutes
assert load_statutes(Path(sys.argv[1]), "ru")
status = Path("/proc/self/status")
if status.exists():
    print(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text()).group(1))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_memory(data):
    """The peak of a process that loads all ten, in MB; the time is printed by the benchmark."""
    command = [sys.executable, "-c", _LOAD, str(data / "ru-statutes")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) / 1024 < 600


@pytest.mark.parametrize(
    ("pattern", "replacement", "encoding"),
    [
        (r"<p>&nbsp;</p>\s*", "", "utf-8"),
        (r'<span class="W9"[^>]*>([^<]*)</span>', r"<sup>\1</sup>", "utf-8"),
        (r'class="markx?"', 'class="other"', "utf-8"),
        (r'charset="utf-8"', 'charset="windows-1251"', "cp1251"),
        (r'<p class="[A-Z]">', "<p>", "utf-8"),
    ],
    ids=["no blank lines", "plain superscripts", "no marks", "windows-1251", "no classes at all"],
)
def test_the_same_code_in_other_markup(acts, data, tmp_path, pattern, replacement, encoding):
    page = (data / "ru-statutes" / "102041891.html").read_text(encoding="utf-8")
    changed = re.sub(pattern, replacement, page)
    assert changed != page
    (tmp_path / "102041891.html").write_bytes(changed.encode(encoding, "xmlcharrefreplace"))
    (text,) = load_statutes(tmp_path, "ru")
    given = acts["УК"].articles
    assert [article.number for article in text.articles] == [article.number for article in given]
    assert [article.path for article in text.articles] == [article.path for article in given]
    # A line break in a heading cannot be told from one in a text when nothing says what is a heading.
    different = [one.number for one, other in zip(text.articles, given, strict=True) if one.text != other.text]
    assert different in ([], ["191"])
