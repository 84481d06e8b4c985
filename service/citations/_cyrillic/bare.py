"""Articles cited without a unit word in front: «по 228 ч. 2 УК РФ», «158-я статья УК РФ», «за 118 КК України».

People speak so, and numbers in front of a code mean other things as well: counts («21 статья УК РФ изменена»), years,
a second code («2-й АПК»), points («пункт 2 УК»). So this is read right before the name of a code, and where its wording
leaves no other sense.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from service.citations._cyrillic.lexicon import Level, Noun, Unit, words_of
from service.citations._cyrillic.numbers import Number
from service.citations._cyrillic.units import Phrase, Step

if TYPE_CHECKING:
    from service.citations._cyrillic.acts import Mention
    from service.citations._cyrillic.lexicon import Lexicon
    from service.citations._cyrillic.phrases import PhraseReader

__all__ = ["article_before"]

_WINDOW = 80
_DIGIT = re.compile(r"\d")
_NUMBER = r"\d{1,4}(?:\.\d{1,3}){0,2}(?:-\d{1,2}(?!\d))?"
_SUFFIX = r"-(?:й|я|ю|ой|ей|ая|ую|ою|ею|а|у|ої|ій)(?![^\W_])"
_UNITS = (
    r"(?:,?\s{0,2}(?:ч|чч|п|пп|подп|част[а-яі]{1,3}|пункт[а-яі]{0,2})(?:\.\s{0,2}|\s{1,2}|(?=\d))"
    r"(?:\d{1,2}(?:\.\d)?\)?|[«\"]?[а-яґєії]\b[»\"]?)){0,3}"
)
_ITEM = rf"{_NUMBER}(?:{_SUFFIX})?{_UNITS}"
_BARE = re.compile(
    rf"(?<![^\W_])(?<![.,/№§°-])(?P<items>{_ITEM}(?:(?:,\s?|\s(?:и|или|та|або|і|й|чи)\s){_ITEM}){{0,5}})"
    r"(?P<word>\s{1,2}(?:стать(?:я|и|е|ю|ей|ёй|ею)|стат(?:тя|тею|тю|ті)|ст\.))?\s{1,3}$"
)
_NUMBERS = re.compile(rf"({_NUMBER})({_SUFFIX})?")
_LEADS = words_of("по за на под під про об из із з")
_CHARGES = words_of("по за на под під")
_INTRODUCES = words_of("есть тобто именно саме это це и или та або і й чи")
_LAST_WORD = re.compile(r"([^\W_]+)\s{1,3}$")
_PUNCTUATION = frozenset('(:;,-«"')
_ARTICLE = Unit(Level.ARTICLE, short=True)
_TELLING_NAME = 4  # «УК» is also a management company, «КоАП» nothing else
_FEW = ("и", "ті")
_COUNTED = {1: ("я", "ю", "и", "ей", "тя", "тю", "тею"), 2: _FEW, 3: _FEW, 4: _FEW}  # endings that a count would have
_YEARS = range(1900, 2100)
_TEENS = range(11, 15)


def article_before(text: str, mention: Mention, floor: int, phrases: PhraseReader, words: Lexicon) -> Phrase | None:
    """Return the phrase of the bare article numbers that end right before a code's name.

    Args:
        text: The text read.
        mention: The code's mention.
        floor: Offset behind what is already read; nothing before it is looked at.
        phrases: Reads the units behind the numbers.
        words: The language's words.
    """
    ref = mention.ref
    if ref is None or ref.act is None or ref.kind not in (Noun.CODE, Noun.CONSTITUTION):
        return None
    window = text[max(floor, mention.start - _WINDOW) : mention.start]
    if not window[-1:].isspace() or _DIGIT.search(window) is None:
        return None
    found = _BARE.search(window)
    if found is None:
        return None
    base = mention.start - len(window)
    start = base + found.start("items")
    if not _is_cited(text, found, mention, start, words):
        return None
    end = mention.start - len(window) + (found.end("word") if found["word"] else found.end("items"))
    return _phrase(text, found, base, end, phrases)


def _phrase(text: str, found: re.Match[str], base: int, end: int, phrases: PhraseReader) -> Phrase | None:
    start = base + found.start("items")
    if _has_suffix(found) or found["word"]:
        first = _NUMBERS.match(found.string, found.start("items"))
        listed = [first] if found["word"] is None and first is not None else []
        # A list has its ordinal endings on every member or on the last: «по 158-й и 161-й», «105, 111-й».
        listed = list(_NUMBERS.finditer(found.string, *found.span("items"))) if not _has_units(found) else listed
        numbers = tuple(Number(one.group(1), base + one.start(), base + one.end()) for one in listed)
        if not numbers:
            return None
        step = Step(_ARTICLE, start, end if found["word"] else numbers[-1].end, numbers)
        phrase = Phrase(step, start, step.end)
        if not found["word"]:
            phrase = phrases.completed(phrase)
    else:
        read = phrases.numbers_as_articles(start, _ARTICLE)
        if read is None:
            return None
        phrase = phrases.completed(Phrase(read, start, read.end))
    return phrase if phrase.end <= end and not text[phrase.end : end].strip(" .") else None


def _has_suffix(found: re.Match[str]) -> bool:
    return re.search(_SUFFIX, found["items"]) is not None


def _has_units(found: re.Match[str]) -> bool:
    return re.search(r"[чп]", _NUMBERS.sub("", found["items"])) is not None


def _is_cited(text: str, found: re.Match[str], mention: Mention, start: int, words: Lexicon) -> bool:
    """Tell whether the wording leaves no other sense than an article."""
    near = text[max(0, start - 24) : start]
    word = _LAST_WORD.search(near)
    last = word.group(1) if word else ""
    if last in words.units or last in words.ordinals or last.isdigit():
        # «пункт 2 УК», «часть вторую 3-й»: the number is not of an article.
        return False
    if near.rstrip()[-1:] in ("№", "N", ".", "/"):
        return False
    led = last.lower() in _LEADS
    name = text[mention.start : mention.name_end]
    named = " " in name or len(name) >= _TELLING_NAME
    numbers = [one.group(1) for one in _NUMBERS.finditer(found["items"])]
    if found["word"]:
        return _is_one_article(found["word"].strip(), numbers, led=led, ordinal=_has_suffix(found))
    if mention.ref is not None and mention.ref.kind is Noun.CONSTITUTION:
        # «по 2-й Конституции» may be the second one.
        return False
    if _has_suffix(found):
        feminine = re.search(r"-(?:й|ой|ій)(?![^\W_])", found["items"]) is None
        return led or _has_units(found) or (named and feminine)
    if any(number.isdigit() and int(number) in _YEARS for number in numbers):
        return False
    if _has_units(found):
        opens = not last and (not near.strip() or near.rstrip()[-1] in _PUNCTUATION)
        return led or opens or last.lower() in _INTRODUCES
    return named and last.lower() in _CHARGES


def _is_one_article(word: str, numbers: list[str], *, led: bool, ordinal: bool) -> bool:
    """Tell an article's number from a count: «228 статья» is one, «21 статья» and «523 статьи» may be counts."""
    if ordinal:
        return True
    if len(numbers) != 1 or not numbers[0].isdigit() or int(numbers[0]) in _YEARS:
        return len(numbers) == 1 and not numbers[0].isdigit()
    number = int(numbers[0])
    if led and word in ("статье", "статтею", "статті", "ст."):
        return True
    counted = _COUNTED.get(number % 10, ()) if number % 100 not in _TEENS else ()
    return word != "ст." and not word.endswith(counted)
