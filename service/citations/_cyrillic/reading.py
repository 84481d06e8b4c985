"""From text to events (phrases and mentions of acts), and from events to citations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.citations._cyrillic.acts import ActReader, Mention
from service.citations._cyrillic.lexicon import CONTRACTS, PAPERS, Level, Unit, lexicon
from service.citations._cyrillic.phrases import Phrase, PhraseReader
from service.citations._cyrillic.resolution import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.citations._reading import Surrounding
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import Registry
    from service.domain import Citation, Language

__all__ = ["read"]

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_LATIN = re.compile("[ABCEHIKMOPTXYaceiopxy]+")
_LATIN_LOOKALIKES = str.maketrans("ABCEHIKMOPTXYaceiopxy", "АВСЕНІКМОРТХУасеіорху")
_NEXT_WORD = re.compile(r"\s{0,4}([^\W\d_]+)")
_HEADING = re.compile(r"\.?\s{1,3}[А-ЯЇІЄҐ«\"(]")
_ARTICLE = Unit(Level.ARTICLE, short=True)


@dataclass(slots=True)
class _Glued:
    """An act and an article in one piece: ``ГК_1064``."""

    mention: Mention
    phrase: Phrase


def read(
    text: str,
    registry: Registry,
    surrounding: Surrounding,
    articles: ArticleIndex | None,
    language: Language,
) -> list[Citation]:
    """Read the citations of normalised text; offsets are of this text."""
    return Resolver(text, registry, surrounding, articles).citations(_events(text, registry, surrounding, language))


def _events(
    text: str, registry: Registry, surrounding: Surrounding, language: Language
) -> Iterator[Phrase | Mention | tuple[Mention, Phrase]]:
    # Look-alike Latin letters are read as the Cyrillic ones that they stand for; the length does not change.
    folded = _LATIN.sub(lambda found: found.group().translate(_LATIN_LOOKALIKES), text)
    words = lexicon(language)
    phrases = PhraseReader(folded, words)
    acts = ActReader(folded, registry, words, language)
    units, pointers, ordinals, tens, nouns = words.units, words.pointers, words.ordinals, words.tens, words.nouns
    skip_papers = CONTRACTS if surrounding.act else CONTRACTS | PAPERS
    behind = 0
    for word in _WORD.finditer(folded):
        at = word.start()
        if at < behind:
            continue
        name = word.group()
        if name in units or ((name in ordinals or name in tens) and not acts.is_first_word(name)):
            phrase, behind = phrases.phrase(at)
            if phrase is not None and not _is_heading(folded, phrase) and not _is_of_paper(folded, phrase, skip_papers):
                yield phrase
            continue
        if name in pointers:
            mention = acts.mention(at)
            if mention is not None:
                behind = mention.end
                yield mention
                continue
            phrase, behind = phrases.phrase(at)
            if phrase is not None:
                yield phrase
            continue
        if name in nouns or acts.is_first_word(name) or name in acts.law_words:
            mention = acts.mention(_with_number(folded, at, name))
            if mention is None:
                if name in ordinals:
                    phrase, behind = phrases.phrase(at)
                    if phrase is not None:
                        yield phrase
                continue
            behind = mention.end
            if folded.startswith("_", mention.end):
                step = phrases.numbers_as_articles(mention.end + 1, _ARTICLE)
                if step is not None:
                    behind = step.end
                    yield mention, Phrase(step, mention.start, step.end)
                    continue
            yield mention


def _with_number(text: str, at: int, name: str) -> int:
    """Return where «127-ФЗ» begins, when the word at ``at`` is its end."""
    if name not in ("ФЗ", "ФКЗ") or at < 2 or text[at - 1] != "-":
        return at
    start = at - 1
    while start > 0 and at - start < 6 and text[start - 1].isdigit():
        start -= 1
    return start


def _is_heading(text: str, phrase: Phrase) -> bool:
    """Tell whether this is a statute's own heading: «Статья 15. Возмещение убытков» on a line of its own."""
    head = phrase.head
    if head.start != phrase.start or head.unit.short or not head.unit.direct or len(head.numbers) != 1:
        return False
    line = text.rfind("\n", max(0, phrase.start - 6), phrase.start)
    before = text[max(0, phrase.start - 6) if line < 0 else line + 1 : phrase.start]
    if (line < 0 and phrase.start > 6) or before.strip(" \t#*"):
        return False
    return text.startswith(".", head.end) and _HEADING.match(text, head.end) is not None


def _is_of_paper(text: str, phrase: Phrase, papers: frozenset[str]) -> bool:
    following = _NEXT_WORD.match(text, phrase.end)
    return following is not None and following.group(1).lower() in papers
