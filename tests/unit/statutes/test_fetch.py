from __future__ import annotations

import asyncio
import re

import pytest

from loaders.statutes import FetchReport, fetch_statutes, load_statutes
from service.errors import InputError, NotFoundError, SourceError, UnavailableError
from tests.unit.statutes.pages import page
from tests.unit.statutes.portal import Portal


def code(first: int) -> bytes:
    lines = [
        line for number in (first, first + 1) for line in (f"H|Статья {number}. О саде", "1. В саду растут яблони.")
    ]
    return page(*lines).encode()


PAGES = {"102054722": code(1), "102067058": code(143), "102041891": code(1)}


def fetch(portal: Portal, folder, acts=("НК", "УК"), **more) -> tuple[FetchReport, list[float]]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    report = asyncio.run(fetch_statutes("ru", folder, acts=acts, base_url=portal.url, sleep=sleep, **more))
    return report, slept


def test_fetches_with_a_pause_and_loads(tmp_path):
    told: list[tuple[str, str, int, int]] = []
    with Portal(dict(PAGES)) as portal:
        report, slept = fetch(portal, tmp_path / "new", pause=1.5, progress=lambda *args: told.append(args))
    assert [(file.act, file.outcome, file.articles) for file in report.files] == [
        ("НК", "new", 2),
        ("НК", "new", 2),
        ("УК", "new", 2),
    ]
    assert report.manifest == "written"
    assert slept == [1.5, 1.5]
    assert told[-1] == ("102041891.html", "new", 3, 3)
    assert not list((tmp_path / "new").glob("*.part"))
    criminal, tax = sorted(load_statutes(tmp_path / "new", "ru"), key=lambda text: text.act.key, reverse=True)
    assert (tax.act.key, tax.act.coverage, [article.number for article in tax.articles]) == (
        "НК",
        ("complete",),
        ["1", "2", "143", "144"],
    )
    assert criminal.act.title == "Уголовный кодекс Российской Федерации"


def test_the_address_is_the_portals(tmp_path):
    with Portal(dict(PAGES)) as portal:
        report, _ = fetch(portal, tmp_path, acts=["УК"])
    assert report.files[0].url == f"{portal.url}/proxy/ips/?docview&page=1&print=1&nd=102041891"


def test_what_did_not_change_is_not_sent_again(tmp_path):
    with Portal(dict(PAGES)) as portal:
        fetch(portal, tmp_path)
        before = (tmp_path / "102041891.html").stat().st_mtime_ns
        report, _ = fetch(portal, tmp_path)
        assert [since is not None for _, since in portal.asked] == [False] * 3 + [True] * 3
        assert {file.outcome for file in report.files} == {"unchanged"}
        assert (tmp_path / "102041891.html").stat().st_mtime_ns == before
        (tmp_path / "102041891.html").write_bytes(b"damaged")
        report, _ = fetch(portal, tmp_path)
        assert [file.outcome for file in report.files] == ["unchanged", "unchanged", "changed"]
        assert (tmp_path / "102041891.html").read_bytes() == PAGES["102041891"]


def test_a_server_that_knows_no_conditions(tmp_path):
    with Portal(dict(PAGES), conditional=False) as portal:
        fetch(portal, tmp_path)
        portal.pages["102041891"] = code(7)
        report, _ = fetch(portal, tmp_path)
    assert [file.outcome for file in report.files] == ["unchanged", "unchanged", "changed"]


@pytest.mark.parametrize("mood", [500, 503, 429, "cut", "short", "foreign", "drop"])
def test_misbehaviour_is_outlived(tmp_path, mood):
    with Portal(dict(PAGES), moods=[mood, mood]) as portal:
        report, slept = fetch(portal, tmp_path, acts=["УК"])
    assert len(portal.asked) == 3
    assert slept == [1.0, 2.0]
    assert (tmp_path / "102041891.html").read_bytes() == PAGES["102041891"]
    assert report.files[0].outcome == "new"


def test_retry_after_is_obeyed(tmp_path):
    with Portal(dict(PAGES), moods=[503], headers={"Retry-After": "17"}) as portal:
        _, slept = fetch(portal, tmp_path, acts=["УК"])
    assert slept == [17.0]


def test_giving_up_keeps_what_came_and_goes_on_later(tmp_path):
    with Portal(dict(PAGES), moods=[None, *[500] * 3]) as portal:
        with pytest.raises(
            UnavailableError, match=re.escape("document 102067058 of act 'НК' did not come whole")
        ) as caught:
            fetch(portal, tmp_path, attempts=3)
        assert "3 attempts (last: HTTP 500); what came before is kept, run the command again" in str(caught.value)
        assert (tmp_path / "102054722.html").read_bytes() == PAGES["102054722"]
        assert load_statutes(tmp_path, "ru")[0].act.coverage == ("1–2",)
        report, _ = fetch(portal, tmp_path)
    assert [file.outcome for file in report.files] == ["unchanged", "new", "new"]


def test_a_cut_body_never_replaces_a_whole_one(tmp_path):
    with Portal(dict(PAGES), conditional=False) as portal:
        fetch(portal, tmp_path, acts=["УК"])
        portal.moods[:] = ["short"] * 3
        with pytest.raises(UnavailableError, match=r"is cut: it has no closing </body>"):
            fetch(portal, tmp_path, acts=["УК"], attempts=3)
    assert (tmp_path / "102041891.html").read_bytes() == PAGES["102041891"]
    assert not list(tmp_path.glob("*.part"))


def test_the_charset_of_the_answer_is_kept(tmp_path):
    body = PAGES["102041891"].decode().replace('<meta charset="utf-8">', "").encode("cp1251")
    with Portal({"102041891": body}, charset="windows-1251") as portal:
        fetch(portal, tmp_path, acts=["УК"])
    assert load_statutes(tmp_path, "ru")[0].articles[0].title == "О саде"


def test_somebody_elses_manifest_is_kept(tmp_path):
    (tmp_path / "manifest.yaml").write_text("- {key: УК, files: [102041891.html]}", encoding="utf-8")
    with Portal(dict(PAGES)) as portal:
        report, _ = fetch(portal, tmp_path, acts=["УК"])
    assert report.manifest == "kept"
    assert (tmp_path / "manifest.yaml").read_text(encoding="utf-8") == "- {key: УК, files: [102041891.html]}"
    assert report.as_dict()["files"][0]["act"] == "УК"


def test_a_damaged_record_costs_only_the_conditions(tmp_path):
    with Portal(dict(PAGES)) as portal:
        fetch(portal, tmp_path, acts=["УК"])
        (tmp_path / ".fetched.json").write_text("{", encoding="utf-8")
        report, _ = fetch(portal, tmp_path, acts=["УК"])
    assert portal.asked[-1][1] is None
    assert report.files[0].outcome == "changed"


def test_refusals(tmp_path):
    with Portal({}) as portal:
        with pytest.raises(NotFoundError, match=r"answered HTTP 404; look whether the portal has moved it"):
            fetch(portal, tmp_path, acts=["УК"])
        with pytest.raises(InputError, match=r"act 'ЫК' is not of corpus 'ru'; it has КРФ, ГК"):
            fetch(portal, tmp_path, acts=["ЫК"])
        with pytest.raises(InputError, match=r"act 'ТК ЕАЭС' of corpus 'ru' has no document on the portal"):
            fetch(portal, tmp_path, acts=["ТК ЕАЭС"])
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SourceError, match="cannot be made: File exists; name another one"):
        asyncio.run(fetch_statutes("ru", tmp_path / "file", acts=["УК"]))
    with pytest.raises(NotFoundError, match=r"corpus 'sample' has no built-in source to fetch from"):
        asyncio.run(fetch_statutes("sample", tmp_path))


def test_nobody_there(tmp_path):
    with Portal({}) as portal:
        url = portal.url
    with pytest.raises(UnavailableError, match=r"in 2 attempts \(last: ConnectError"):
        asyncio.run(fetch_statutes("ru", tmp_path, acts=["УК"], base_url=url, attempts=2, sleep=_no_sleep))


async def _no_sleep(seconds: float) -> None:
    return
