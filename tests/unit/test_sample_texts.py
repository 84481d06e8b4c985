"""The sample in data/sample: what it holds, and that its words are ours."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
import yaml
from lxml import etree, html

from loaders.statutes.own_words import read_sample, read_sample_header
from service.domain import ActText, DateBasis
from service.resources import resource

NOTICE = "учебный пересказ, не текст закона"
LONGEST_SHARED_RUN = 7
# A citation cannot name a code otherwise than the code is named, so its name counts as one word.
CODE_NAME = re.compile(
    r"(?:\w+ )?кодекс\w* российской федерации(?: об административных правонарушениях)?"
    r"|конституци\w+ российской федерации"
)
WORD = re.compile(r"<код>|\d+(?:[.-]\d+)*|\w+")


@pytest.fixture(scope="module")
def acts() -> list[ActText]:
    return read_sample(resource("data/sample"))


def words(text: str) -> list[str]:
    plain = " ".join(text.lower().replace("ё", "е").split())
    return WORD.findall(CODE_NAME.sub("<код>", plain))


def runs(tokens: list[str]) -> set[tuple[str, ...]]:
    size = LONGEST_SHARED_RUN + 1
    return {tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1)}


def real_words(folder: Path) -> dict[str, list[str]]:
    """The words of each code's official text, by the code's key."""
    found = {}
    for entry in yaml.safe_load((folder / "manifest.yaml").read_text(encoding="utf-8")):
        texts = []
        for path in (folder / name for name in entry["files"]):
            if path.suffix == ".html":
                texts += html.fromstring(path.read_bytes().decode("utf-8")).itertext()
            else:
                body = etree.fromstring(zipfile.ZipFile(path).read("word/document.xml"))
                texts += ("".join(line.itertext()) for line in body.iter("{*}p"))
        found[entry["key"]] = words(" ".join(texts))
    return found


@pytest.fixture(scope="module")
def official(data: Path) -> dict[str, list[str]]:
    return real_words(data / "ru-statutes")


def test_ten_codes_with_about_a_hundred_and_forty_articles(acts: list[ActText]) -> None:
    assert [act.act.key for act in acts] == ["КРФ", "ГК", "УК", "ТК", "СК", "ЖК", "ЗК", "ГрК", "НК", "КоАП"]
    articles = [article for act in acts for article in act.articles]
    assert 120 <= len(articles) <= 150
    assert sum(article.repealed for article in articles) == 5
    assert {"173.1", "123.20-1", "39.36-1", "5.27.1", "51.1"} <= {article.number for article in articles}


def test_every_article_in_force_can_stand_in_a_chain(acts: list[ActText]) -> None:
    short = [
        article.norm_id for act in acts for article in act.articles if not article.repealed and len(article.text) < 100
    ]
    assert short == []


def test_dates_rest_on_both_bases_and_some_are_unknown(acts: list[ActText]) -> None:
    bases = [article.valid_from_basis for act in acts for article in act.articles if not article.repealed]
    assert bases.count(DateBasis.STATED) >= 30
    assert bases.count(DateBasis.AMENDMENT) >= 60
    assert bases.count(None) == 3
    noted = [a for act in acts for a in act.articles if a.valid_from_basis is DateBasis.AMENDMENT]
    assert [a.norm_id for a in noted if a.valid_from != a.amended_on] == []


def test_every_file_says_that_it_is_no_law() -> None:
    folder = resource("data/sample")
    header = read_sample_header(folder)
    assert (header.key, header.official, header.notice) == ("sample", False, NOTICE)
    for name in header.acts:
        assert NOTICE in (folder / name).read_text(encoding="utf-8").partition("\n")[0], name


@pytest.mark.data
def test_no_wording_is_official(acts: list[ActText], official: dict[str, list[str]]) -> None:
    ours: dict[tuple[str, ...], str] = {}
    for act in acts:
        for article in act.articles:
            ours.update(dict.fromkeys(runs(words(f"{article.title}\n{article.text}")), article.norm_id))
    starts = {run[:2] for run in ours}
    size = LONGEST_SHARED_RUN + 1
    copied = {}
    for tokens in official.values():
        assert len(tokens) > 5_000
        for at in range(len(tokens) - size + 1):
            if (tokens[at], tokens[at + 1]) in starts and (run := tuple(tokens[at : at + size])) in ours:
                copied[ours[run]] = " ".join(run)
    assert copied == {}


@pytest.mark.data
def test_numbers_are_real_and_headings_are_ours(acts: list[ActText], official: dict[str, list[str]]) -> None:
    unknown, copied = [], []
    for act in acts:
        text = " ".join(official[act.act.key])
        for article in act.articles:
            base, _, inserted = article.number.partition(".")
            heads = {f"статья {article.number} ", f"статья {base} {inserted} " if inserted else ""} - {""}
            if not any(head in text for head in heads):
                unknown.append(article.norm_id)
            if any(head + " ".join(words(article.title)) + " " in text for head in heads):
                copied.append(article.norm_id)
    assert unknown == []
    assert copied == []
