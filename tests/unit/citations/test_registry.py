from pathlib import Path

import pytest

from service.citations import Surrounding, known_jurisdictions, load_registry, read_citations, read_registry
from service.domain import Jurisdiction, Language
from service.errors import InputError, SourceError

BY = """
jurisdiction: by
language: ru
country: [Республики Беларусь, РБ]
insertion_mark: "-"
acts:
  - key: БанкК
    title: Банковский кодекс Республики Беларусь
    branch: banking
    names: [Банковский кодекс, Банковского кодекса, Банковском кодексе]
    abbreviations: [БанкК]
    source: etalonline.by
"""


def written(folder: Path, text: str, name: str = "by.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_bundled_registry_loads_and_its_name_is_its_jurisdiction() -> None:
    assert {"ru", "kz", "ua"} <= {item.value for item in known_jurisdictions()}
    for jurisdiction in known_jurisdictions():
        registry = load_registry(jurisdiction)
        assert registry.jurisdiction == jurisdiction
        assert load_registry(jurisdiction) is registry
        assert all(act.source and act.branch for act in registry.acts)


def test_old_codes_are_there_and_say_what_replaced_them() -> None:
    registry = load_registry("ru")
    assert registry.act("КЗоТ").superseded_by == "ТК"
    assert not registry.act("ГК РСФСР").in_force
    assert load_registry("ua").act("КПК 1960").edition == "1960"


def test_an_alias_is_the_act() -> None:
    registry = load_registry("ua")
    assert registry.act("КонстУ") is registry.act("Конституція")


def test_an_unknown_key_names_the_keys() -> None:
    with pytest.raises(InputError, match=r"'XX' is not in the registry of 'ru'; it has КРФ, ГК"):
        load_registry("ru").act("XX")


def test_an_unknown_jurisdiction_names_those_there_are() -> None:
    with pytest.raises(InputError, match=r"jurisdiction 'zz' has no registry of acts; there are .*ru"):
        load_registry("zz")


def test_a_jurisdiction_is_added_by_a_file_alone(tmp_path: Path) -> None:
    registry = read_registry(written(tmp_path, BY))
    assert registry.jurisdiction == Jurisdiction("by")
    found = read_citations(
        "по статье 40¹ Банковского кодекса Республики Беларусь и ст. 7 БанкК",
        Language.RU,
        surrounding=Surrounding(registry.jurisdiction),
        registry=registry,
    )
    assert [(item.jurisdiction, item.act, item.article) for item in found] == [
        ("by", "БанкК", "40-1"),
        ("by", "БанкК", "7"),
    ]


def test_a_code_is_added_by_an_entry_alone(tmp_path: Path) -> None:
    entry = """
  - key: ЭлК
    title: Электронный кодекс
    branch: information
    names: [Электронный кодекс, Электронного кодекса]
    source: invented for this test
"""
    registry = read_registry(written(tmp_path, BY + entry))
    (found,) = read_citations("ст. 3 Электронного кодекса", Language.RU, registry=registry)
    assert (found.act, found.article) == ("ЭлК", "3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("acts: [", r"'by.yaml' cannot be read as YAML in UTF-8: while parsing"),
        ("jurisdiction: by\nlanguage: ru\nacts: []\n", r"'by.yaml': acts = \[\]: .*docs/adding-an-act.md"),
        (BY.replace("branch: banking", "colour: red"), r"act 1 \('БанкК'\): branch = .*: Field required"),
        (BY.replace("    branch:", "    colour: red\n    branch:"), r"colour = 'red': Extra inputs"),
        (BY.replace("key: БанкК", "key: Банк_К"), r"key 'Банк_К' has a '_'"),
        (BY + BY.partition("acts:\n")[2], r"key or alias 'БанкК' stands for"),
        (
            BY.replace("    source", "    superseded_by: НЕТ\n    source"),
            r"superseded_by 'НЕТ' .* is no key of this file",
        ),
    ],
)
def test_a_wrong_file_says_what_and_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read_registry(written(tmp_path, text))


def test_a_file_that_is_not_utf8_says_so(tmp_path: Path) -> None:
    path = tmp_path / "by.yaml"
    path.write_bytes(BY.encode("cp1251"))
    with pytest.raises(SourceError, match=r"'by.yaml' cannot be read as YAML in UTF-8: 'utf-8'"):
        read_registry(path)
