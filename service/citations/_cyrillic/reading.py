"""From text to events (phrases and mentions of acts), and from events to citations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from service.citations._cyrillic.acts import ActReader, Mention
from service.citations._cyrillic.bare import article_before
from service.citations._cyrillic.lexicon import CONTRACTS, PAPERS, Level, Lexicon, Unit, lexicon
from service.citations._cyrillic.phrases import PhraseReader
from service.citations._cyrillic.resolution import Aside, Resolver
from service.citations._cyrillic.units import Phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.citations._cyrillic.resolution import Event
    from service.citations._reading import Surrounding
    from service.citations.article_index import ArticleIndex
    from service.citations.registry import Registry
    from service.domain import Citation, Language

__all__ = ["read"]

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+){0,4}")
_LATIN = re.compile("[ABCEHIKMOPTXYaceiopxy]+")
_LATIN_LOOKALIKES = str.maketrans("ABCEHIKMOPTXYaceiopxy", "АВСЕНІКМОРТХУасеіорху")
_NEXT_WORD = re.compile(r"\s{0,4}(?:[^\W\d_]+(?:ого|его|ой|ей|ої)\s)?([^\W\d_]+)")
_NEXT_NAME = re.compile(r"\s{0,3}([А-ЯІЇЄҐ][^\W\d_]*(?:['-][^\W\d_]+){0,4})")
_HEADING = re.compile(r"\.?\s{1,3}[А-ЯЇІЄҐ«\"(]")
_NUMERO = re.compile(r"[№N]\s?$")
_GAZETTE = re.compile(r"(?:№|N)\s?\d{1,4}(?:[-/]\d{1,3})?(?:\s?\([^()]{1,16}\))?,\s{1,3}$")
_GAZETTE_END = re.compile(r"\s?(?:[);.,\n]|$)")
_PARAGRAPH_SIGN = re.compile(r"((?<![^\W_])ст(?:\.|ат[а-яією]{1,3})\s{0,2}\d{1,4}\s{0,2})§")  # «ст. 6 § 1 Конвенции»
_INNER = re.compile(r"\((?:[^()\n]|\([^()\n]{0,300}\)){3,600}+\)")
_ARTICLE = Unit(Level.ARTICLE, short=True)


def read(
    text: str,
    registry: Registry,
    surrounding: Surrounding,
    articles: ArticleIndex | None,
    language: Language,
) -> list[Citation]:
    """Read the citations of normalised text; offsets are of this text."""
    # Look-alike Latin letters are read as the Cyrillic ones that they stand for; the length does not change.
    folded = _LATIN.sub(lambda found: found.group().translate(_LATIN_LOOKALIKES), text)
    if "§" in folded:
        folded = _PARAGRAPH_SIGN.sub(r"\1п", folded)
    words = lexicon(language)
    acts = ActReader(folded, registry, words, language)
    events = _events(folded, words, acts, CONTRACTS if surrounding.act else CONTRACTS | PAPERS)
    return Resolver(text, registry, surrounding, articles, acts.defined).citations(events)


def _events(
    folded: str, words: Lexicon, acts: ActReader, papers: frozenset[str], *, is_aside: bool = False
) -> Iterator[Event]:
    """Yield phrases and mentions of acts; every word is looked up once, and few need a second look.

    A remark inside a phrase was passed over by it; what it cites is read by itself, once, and not inside another remark.
    """
    phrases = PhraseReader(folded, words, infers=acts.infers)
    wakes, short_names = acts.wakes, acts.short_names
    behind = done = 0
    open_phrase: Phrase | None = None
    for word in _WORD.finditer(folded):
        at = word.start()
        if at < behind:
            continue
        name = word.group()
        if name not in wakes and name not in short_names:
            continue
        is_lead = name in words.leads
        if acts.may_begin(name):
            mention = acts.mention(_with_number(folded, at, name))
            if mention is not None:
                glued = _glued(folded, mention, phrases)
                if glued is not None:
                    behind, open_phrase = glued.end, None
                    done = behind
                    yield mention, glued
                    continue
                is_named = open_phrase is not None and _is_directly_behind(folded, mention, open_phrase)
                bare = None if is_named else article_before(folded, mention, done, phrases, words)
                if bare is not None:
                    open_phrase, is_named = bare, True
                    yield bare
                if is_named and open_phrase is not None:
                    _read_units_behind(folded, mention, open_phrase, phrases, papers)
                behind = mention.end
                yield mention
                open_phrase = _continued(folded, mention, phrases, acts) if is_named else None
                if open_phrase is not None:
                    behind = open_phrase.end
                    yield open_phrase
                done = behind
                continue
            is_lead = is_lead or name in words.pointers
        if is_lead:
            phrase, behind = phrases.phrase(at)
            if phrase is not None and not _is_no_citation(folded, phrase, papers, acts):
                open_phrase, done = phrase, behind
                yield phrase
                if not is_aside:
                    yield from _asides(folded, phrase, words, acts, papers)


def _asides(text: str, phrase: Phrase, words: Lexicon, acts: ActReader, papers: frozenset[str]) -> Iterator[Aside]:
    for inner in _INNER.finditer(text, phrase.start, phrase.end):
        part = inner.group()
        yield Aside(inner.start(), part, _events(part, words, acts.for_part(part), papers, is_aside=True))


def _is_directly_behind(text: str, mention: Mention, phrase: Phrase) -> bool:
    return 0 <= mention.start - phrase.end < 6 and not text[phrase.end : mention.start].strip(" \n\t*`")


def _read_units_behind(
    text: str, mention: Mention, phrase: Phrase, phrases: PhraseReader, papers: frozenset[str]
) -> None:
    """Give the last article the units behind the act's name: «ст. 105 УК РФ п. «а» ч. 2»."""
    place = len(phrase.head.numbers) - 1
    if phrase.head.unit.level is not Level.ARTICLE or phrase.above or place < 0 or place in phrase.below:
        return
    chains, end = phrases.units_behind(mention.end)
    following = _NEXT_WORD.match(text, end)
    if chains and not (following is not None and following.group(1).lower() in papers):
        phrase.below[place] = chains
        mention.end = mention.name_end = end


def _continued(text: str, mention: Mention, phrases: PhraseReader, acts: ActReader) -> Phrase | None:
    """Read «и 5.61» of «статьи 128.1 УК РФ и 5.61 КоАП РФ», when an act follows."""
    phrase = phrases.continued(mention.end, _ARTICLE)
    if phrase is None:
        return None
    word = _NEXT_NAME.match(text, phrase.end)
    if word is None or not acts.may_begin(word.group(1)):
        return None
    following = acts.mention(word.start(1))
    return phrase if following is not None and following.ref is not None else None


def _glued(text: str, mention: Mention, phrases: PhraseReader) -> Phrase | None:
    """Read the article of ``ГК_1064``."""
    if not text.startswith("_", mention.end):
        return None
    step = phrases.numbers_as_articles(mention.end + 1, _ARTICLE)
    return phrases.completed(Phrase(step, mention.start, step.end)) if step else None


def _with_number(text: str, at: int, name: str) -> int:
    """Return where «127-ФЗ» begins, when the word at ``at`` is its end."""
    if name not in ("ФЗ", "ФКЗ") or at < 2 or text[at - 1] != "-":
        return at
    start = at - 1
    while start > 0 and at - start < 6 and text[start - 1].isdigit():
        start -= 1
    numero = _NUMERO.search(text, max(0, start - 3), start)
    return numero.start() if numero else start


def _is_no_citation(text: str, phrase: Phrase, papers: frozenset[str], acts: ActReader) -> bool:
    return _is_heading(text, phrase) or _is_of_gazette(text, phrase) or _is_of_paper(text, phrase, papers, acts)


def _is_of_gazette(text: str, phrase: Phrase) -> bool:
    """Tell whether this is an item of an official gazette: «(Собрание законодательства, 2001, № 31, ст. 3817)»."""
    if not phrase.head.unit.short or phrase.head.start != phrase.start:
        return False
    return bool(_GAZETTE.search(text[max(0, phrase.start - 40) : phrase.start])) and bool(
        _GAZETTE_END.match(text, phrase.end)
    )


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


def _is_of_paper(text: str, phrase: Phrase, papers: frozenset[str], acts: ActReader) -> bool:
    following = _NEXT_WORD.match(text, phrase.end)
    if following is None or following.group(1).lower() not in papers:
        return False
    # «статьи 72 Договора о Евразийском экономическом союзе»
    return not acts.is_registered(following.start(1))
