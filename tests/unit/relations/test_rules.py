"""Each rule's own examples, and what a rule file may not be."""

from __future__ import annotations

import re

import pytest

from loaders.relations import type_citations
from loaders.relations._chinese import load_chinese_rules
from loaders.relations._rules import compile_rules, load_rules
from service.domain import Citation, Jurisdiction, Language, RelationType
from service.errors import SetupError
from service.resources import resource_text

_MARKED = re.compile(r"\[(?P<other>[^\]]+)\]|\{(?P<own>[^}]+)\}")


def marked(text: str) -> tuple[str, list[Citation]]:
    """Read ``[a citation]`` and ``{a citation of the citing article}``; return the plain text and the citations."""
    plain, citations, last = "", [], 0
    for match in _MARKED.finditer(text):
        plain += text[last : match.start()]
        raw = match["other"] or match["own"]
        own = match["own"] is not None
        place = len(plain)
        citations.append(Citation(Jurisdiction.RU, "ГК", "1", raw, place, place + len(raw), is_self=own))
        plain += raw
        last = match.end()
    return plain + text[last:], citations


def examples():
    for language in (Language.RU, Language.UK):
        for rule in load_rules(language).rules:
            for number, example in enumerate(rule.examples):
                yield pytest.param(language, rule, example, id=f"{language}-{rule.id}-{number}")
    for rule in load_chinese_rules().rules:
        for number, example in enumerate(rule.examples):
            yield pytest.param(Language.ZH, rule, example, id=f"zh-{rule.id}-{number}")


@pytest.mark.parametrize(("language", "rule", "example"), list(examples()))
def test_example(language, rule, example):
    text, citations = marked(example.text)
    assert citations
    for typed in type_citations(text, citations, language):
        if typed.citation.is_self:
            assert typed.rule is None
        elif example.typed:
            assert (typed.rule, typed.type, typed.direction) == (rule.id, rule.type, rule.direction), typed
            assert text[typed.cue_start : typed.cue_end] == typed.cue
        else:
            assert (typed.type, typed.direction) != (rule.type, rule.direction), typed


def test_every_rule_has_both_kinds_of_examples():
    for language in (Language.RU, Language.UK):
        for rule in load_rules(language).rules:
            assert {example.typed for example in rule.examples} == {True, False}, rule.id


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("classes:", "klasses:", "classes"),
        ("direction: target_over_source", "direction: sideways", "sideways"),
        ("id: prevails.unless-follows", "id: prevails.unless-otherwise", "twice"),
        ('cues: ["кроме"]', 'cues: ["..3 кроме"]', "must begin with a word"),
        ('cues: ["кроме"]', 'cues: ["кроме ..900 того"]', "gap of 900"),
        ('cues: ["кроме"]', 'cues: ["<nothing>"]', "nothing"),
        ("rules:", "rules: [", "not valid"),
        ("instead_of: [excludes.except]", "instead_of: [excludes.nobody]", "excludes.nobody"),
    ],
)
def test_bad_rule_files_say_what_is_wrong(old, new, said):
    source = resource_text("data/cues/ru.yaml")
    assert old in source
    with pytest.raises(SetupError, match=re.escape(said)):
        compile_rules(source.replace(old, new, 1), Language.RU, "cues/ru.yaml")


@pytest.mark.parametrize("verb", ["не применяются", "не могут применяться", "не подлежат применению"])
def test_what_is_not_applied_is_not_said_to_be_applied_as_well(verb):
    text, citations = marked(f"Правила [статьи 8 этого Кодекса] к детям {verb}.")
    (typed,) = type_citations(text, citations, Language.RU)
    assert typed.type is RelationType.EXCLUDES
    assert typed.also == ()


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("К доходам мэра, кроме доходов, предусмотренных", RelationType.SUPPLEMENTS),
        ("Сбор не берут с доходов мэра, кроме доходов, предусмотренных", RelationType.EXCLUDES),
    ],
)
def test_what_more_of_the_kind_follows_is_no_exception(before, kind):
    """A rule that stands instead of another leaves nothing of it, not even among the weaker types."""
    behind = ", относятся также подарки." if kind is RelationType.SUPPLEMENTS else ", а также с подарков."
    text, citations = marked(f"{before} [статьями 49 и 50 этого Кодекса]{behind}")
    (typed,) = type_citations(text, citations, Language.RU)
    assert typed.type is kind
    assert typed.also == ()


@pytest.mark.parametrize(
    "text",
    [
        "Договор действует независимо от доводов сторон в случаях, указанных в [статье 5 этого Кодекса].",
        "Договор действует независимо от доводов сторон в случаях, которые указаны в [статье 5 этого Кодекса].",
    ],
)
def test_what_states_a_nearer_noun_says_nothing_of_the_phrase(text):
    plain, citations = marked(text)
    (typed,) = type_citations(plain, citations, Language.RU)
    assert typed.rule is None


@pytest.mark.parametrize("who", ["Налогоплательщик, который не применяет", "Если налогоплательщик не применяет"])
def test_a_relative_clause_and_a_condition_only_describe(who):
    text, citations = marked(f"{who} вычеты, предусмотренные [статьей 5 этого Кодекса], платит сбор.")
    (typed,) = type_citations(text, citations, Language.RU)
    assert typed.rule is None
