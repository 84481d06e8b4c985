"""Numbers of units: lists, ranges, superscripts, ordinal words, letters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.citations._cyrillic.lexicon import Level
from service.domain import article_sort_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.citations._cyrillic.lexicon import Lexicon

__all__ = ["Number", "NumberReader", "behind_remark", "letters_between", "roman_value"]

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPT_DIGITS = str.maketrans(_SUPERSCRIPTS, "0123456789")
_CORE = re.compile(
    r"\d{1,5}(?:(?:\.| \.(?=\d)| \. (?=\d))\d{1,4}){0,4}(?!\d)"
    rf"(?:[{_SUPERSCRIPTS}]{{1,3}}|<su[pр]>\s{{0,2}}\d{{1,3}}\s{{0,2}}</su[pр]>)?"
)
_MARKUP = re.compile("</?su[pр]>")
_SCANNED = re.compile(r"\.\s(\d{1,3})(?=\s{1,3}(?:[А-ЯІЇЄ]{2}|Ко[А-Я]|Гр[А-Я]))")
_STRAY_DOT = re.compile(r"\.(?=\s?,\s?\d)")
_MISREAD = re.compile(r"[ОO][ОO\d]{0,3}(?![^\W_])")  # «ст. 3О9»: a scan took the nought for a letter
_NOUGHTS = str.maketrans("ОO", "00")
_TAIL = re.compile(r"\s{0,2}-(\d{1,5}(?:\.\d{1,4}){0,4})(?!\d)(?:\s?-(\d{1,2})(?!\d))?")
_SPACED_TAIL = re.compile(
    r"(?:\)-|\)?(?:\s{1,4}-\s{0,4}|-\s{1,4}|\s{1,3}по\s{1,3}|\s{1,3}до\s{1,3}))(?=\d|[«\"'](?!\s))"
)
_DASH = re.compile(r"\s{0,2}-\s{0,2}")
_SUFFIX = re.compile(r"-(?:го|ой|ый|ий|му|ым|им|ом|ми|ти|ая|ую|ая|й|я|х|ю|е|а|у|ої|ій|ою|та|ша|га|тя)(?![^\W_])")
_ARTICLE_SUFFIX = re.compile(r"-(?:й|ой|ій|ої|я|ая|а|ю|ую|у|ою|ей|ею)")
_ORDINAL_BEFORE = re.compile(r"(?<![\w.,-])(\d{1,2})-(?:й|я|ю|ой|ую|го|му|м|ый|ому|ий|а|у|ої|ою)\s{1,2}\Z")
_LONGEST_ORDINAL = 10
_NO_NUMBER = re.compile(
    r"(?:[/:]\d|-?[А-ЯЇІЄA-Z]{2}|\s{0,3}(?:%|₽|°|"
    r"(?:январ|феврал|март|апрел|ма[йя]\b|июн|июл|август|сентябр|октябр|ноябр|декабр|"
    r"січн|лют(?:ий|ого|ому)|берез|квіт|трав|черв|лип(?:ень|ня|ні)|серп|верес|жовт|листопад|груд|"
    r"год|лет\b|г\.|гг\.|рок|рік|р\.|рр\.|месяц|місяц|недел|тижн|дн(?:ей|я|ям|і|ів)|день|сут(?:ок|ки)|діб|час(?:а|ов|у)?\b|годин|минут|хвилин|"
    r"руб|коп|тыс|тис|млн|млрд|грн|гривен|тенге|долл|евро|євро|МРП|процент|відсотк|человек|лиц\b|осіб|раз[а]?\b|метр|м\b|км\b|га\b|кв\b|куб|"
    r"минимальн|мінімальн|неоподатков|стать[еи]й\b|шт\b|экз|л\.\s?д)))"
)
_COLON = re.compile(r": (?=\d)")
_BLANK_LINE = re.compile(r"[^\S\n]{0,3}\n\s{0,3}\n\s{0,3}")
_NO_LIST_ITEM = re.compile(r"\d{1,4}(?:[.-]\d{1,3}){0,3}(?![.)\d])")
_ROMAN = re.compile(r"[ІХVLСXIC]{1,7}(?![^\W\d_])(?:-\d{1,2})?")
_LETTER = re.compile(r"[«\"'“„]\s?([а-яґєії]{1,2}\d{0,2}(?:\.\d{1,2})?)\s?[»\"'”“]", re.IGNORECASE)
_LETTERS = re.compile(
    r"[«\"'“„]\s?[а-яґєії](?:\s?(?:[,;-]|\s(?:и|или|та|або|і|й)\s)\s?[а-яґєії]){1,20}\s?[»\"'”“]", re.IGNORECASE
)
_IN_LETTERS = re.compile(r"([а-яґєії])(?![а-яґєії])(?:\s?-\s?([а-яґєії]))?", re.IGNORECASE)
_AND = frozenset("ийі")
_REMARK = re.compile(r"\s{0,2}\((?:[^()\n]|\([^()\n]{0,300}\)){3,600}+\)")
_BARE_LETTER = re.compile(
    r"([а-яґєії])(?:\)|(?=\s{0,3}[,-]|\s{1,3}(?:и|или|та|або|і|й)\s|\s{0,3}(?:ч|ст|п)\b|\s{1,3}(?:част|стат|пункт|стаття)))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+){0,4}")
_ORDINAL_INSERTION = re.compile(r"\.(\d{1,2})(?!\d)")
_SPACE = re.compile(r"[^\S\n]{0,6}\n?[^\S\n]{0,6}")
_SEPARATOR = re.compile(
    r"\s{0,4}(?:[,;]\s{0,4})?"
    r"(?:\(?(?:а\s{1,2}также|а\s{1,2}також|и\s?\(или\)|и/или|та/або|і/або|и|или|либо|та|або|й|і|чи)\)?\s{1,4})?"
)
_GOES_ON = re.compile(
    r"\)\s{0,3}(?:(?:под)?пункт|стат|част|абзац|п\.|ст\.|ч\.|,\s{0,3}\d{1,3}\)|(?:и|или|та|або)\s\d{1,3}\))"
)
_ALPHABET = "абвгдежзиклмнопрстуфхцчшщэюя"
_ALPHABET_UK = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN_FOLD = str.maketrans("ІХС", "IXC")
_MARK_ENDS = re.compile(r"[.)]\s")
_LONGEST_LIST = 2000
_LONGEST_WORDS = 40
_FEMININE = re.compile(r"(?:[ая]|ой|ью|ьей|ьею|[ую]ю|ою|ої|ій|(?<!м)у|ю)$")
_HUNDRED, _THOUSAND, _ABOVE_ALL = 100, 1000, 10_000


@dataclass(frozen=True, slots=True)
class Number:
    """One member of a list of numbers, or a range.

    Attributes:
        value: As written, digits for words; a superscript stands behind ``^``.
        last: The other end of a range that spaces or its kind make certain.
        tail: What stands behind a hyphen that may be a range or an insertion; decided when the act is known.
        end: Offset behind it.
    """

    value: str
    start: int
    end: int
    last: str | None = None
    tail: str | None = None


def roman_value(text: str) -> str:
    """Return a Roman numeral in Latin letters (``ХХ`` → ``XX``)."""
    return text.translate(_ROMAN_FOLD)


class NumberReader:
    """Reads the numbers behind a unit word.

    Args:
        text: Normalised text.
        lexicon: The language's words.
    """

    __slots__ = ("_lexicon", "_text")

    def __init__(self, text: str, lexicon: Lexicon) -> None:
        self._text = text
        self._lexicon = lexicon

    def numbers(self, at: int, level: Level) -> tuple[list[Number], int]:
        """Return the list of numbers that starts at ``at`` or behind spaces, and the offset behind it."""
        text = self._text
        start = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        blank = _BLANK_LINE.match(text, at)
        if blank is not None and _NO_LIST_ITEM.match(text, blank.end()):
            # A page break between «статьи» and its number; «2. …» would begin a paragraph instead.
            start = blank.end()
        if text.startswith(("№", "N"), start):
            start = _SPACE.match(text, start + 1).end()  # type: ignore[union-attr]
        elif text.startswith(("с ", "з "), start) or (level is Level.ARTICLE and _COLON.match(text, start)):
            start += 2
        found = self._members(start, level, first=True)
        if not found:
            return [], at
        first = found[0]
        while len(found) < _LONGEST_LIST:
            here = found[-1].end
            if level is not Level.ARTICLE and text.startswith(" (", here):
                # «частью 3 (в части перевозки), 4 статьи 8.52»: the remark does not part the list.
                here = behind_remark(text, here) or here
            if level is Level.ARTICLE and "." in found[-1].value:
                # «ст. 61.2., 61.3.»
                here += bool(_STRAY_DOT.match(text, here))
            separator = _SEPARATOR.match(text, here)
            behind = separator.end() if separator else here
            if behind == here or not text[here:behind].strip():
                break
            members = self._members(behind, level, first=False)
            if not members:
                break
            following = members[0]
            if ";" in text[here:behind] and text.startswith(")", following.end):
                break
            if "\n" in text[here:behind] and _is_list_mark(text, following, found[-1], text[here:behind]):
                break
            if text[found[0].start].isdigit() != text[following.start].isdigit() or (
                first.value[:1].isdigit() != following.value[:1].isdigit()
            ):
                # «п. «а», 158», «117 частью первой, 118»: a number behind a letter or a word begins something else.
                break
            found.extend(members)
        return found, found[-1].end

    def ordinals(self, at: int) -> tuple[list[Number], int]:
        """Return the list of ordinal words at ``at``, as in «первой и второй частей»."""
        return self._ordinals(at, _LONGEST_WORDS, lambda _: True)

    def _ordinals(self, at: int, longest: int, fits: Callable[[Number], bool]) -> tuple[list[Number], int]:
        found: list[Number] = []
        here = at
        while len(found) < longest:
            number = self._ordinal(here)
            if number is None or not fits(number):
                break
            found.append(number)
            separator = _SEPARATOR.match(self._text, number.end)
            if separator is None or not separator.group().strip():
                break
            here = separator.end()
        return found, found[-1].end if found else at

    def _members(self, at: int, level: Level, *, first: bool) -> list[Number]:
        """Read one member of a list, or the several that stand in one pair of quotes: «п. «а, б, в»»."""
        if level in (Level.POINT, Level.SUBPOINT, Level.PARAGRAPH):
            quoted = _LETTERS.match(self._text, at)
            if quoted is not None:
                return _letters_of(quoted)
        number = self._number(at, level, first=first)
        return [number] if number else []

    def _number(self, at: int, level: Level, *, first: bool) -> Number | None:
        if level in (Level.SECTION, Level.CHAPTER):
            roman = _ROMAN.match(self._text, at)
            if roman is not None:
                return Number(roman_value(roman.group()), at, roman.end())
        if self._text[at : at + 1].isdigit():
            return self._digits(at, level)
        if level is not Level.ARTICLE:
            ordinal = self._ordinal(at)
            if ordinal is not None and (first or not self._is_before_unit(ordinal.end)):
                return self._ordinal_range(ordinal)
        if level in (Level.POINT, Level.SUBPOINT, Level.PARAGRAPH):
            return self._letter(at)
        return None

    def _digits(self, at: int, level: Level) -> Number | None:
        text = self._text
        core = _CORE.match(text, at)
        if core is None:
            return None
        end = core.end()
        value = self._plain(core.group())
        scanned = _SCANNED.match(text, end) if level is Level.ARTICLE else None
        if scanned is not None:
            # «ст. 12. 1 КоАП»: a scan put a space into the number.
            value, end = f"{value}.{scanned.group(1)}", scanned.end()
        misread = _MISREAD.match(text, end) if level is Level.ARTICLE and value.isdigit() else None
        if misread is not None:
            value, end = value + misread.group().translate(_NOUGHTS), misread.end()
        tail = _TAIL.match(text, end)
        if tail is not None:
            number = Number(value, at, tail.end(), tail="".join(tail.group().split())[1:])
        else:
            suffix = _SUFFIX.match(text, end)
            if suffix is not None and level is Level.ARTICLE and _ARTICLE_SUFFIX.fullmatch(suffix.group()) is None:
                # «статьи 2-го договора»
                return None
            number = Number(value, at, suffix.end() if suffix else end)
        if _NO_NUMBER.match(text, number.end) and not self._act_follows(number.end):
            return None
        spaced = _SPACED_TAIL.match(text, number.end)
        if spaced is not None:
            other = _CORE.match(text, spaced.end())
            if other is not None and not _NO_NUMBER.match(text, other.end()):
                return self._range(number, other, level)
        return self._closed(number, level)

    def _range(self, first: Number, other: re.Match[str], level: Level) -> Number:
        last, end = self._plain(other.group()), other.end()
        tail = _TAIL.match(self._text, end)
        if tail is not None:
            last, end = f"{last}-{''.join(tail.group().split())[1:]}", tail.end()
        value = first.value if first.tail is None else f"{first.value}-{first.tail}"
        return self._closed(Number(value, first.start, end, last=last), level)

    def _closed(self, number: Number, level: Level) -> Number:
        """Take the bracket of «подпункт 1)» along."""
        if level is Level.ARTICLE or not self._text.startswith(")", number.end):
            return number
        opened = self._text.rfind("(", max(0, number.start - 40), number.start)
        if opened > self._text.rfind(")", max(0, number.start - 40), number.start) and not _GOES_ON.match(
            self._text, number.end
        ):
            return number
        return Number(number.value, number.start, number.end + 1, number.last, number.tail)

    def _act_follows(self, at: int) -> bool:
        # «530ЦК», «ч.2УК»: capitals glued to a unit's number are an abbreviation of an act, not of a measure.
        return self._text[at : at + 2].isupper()

    @staticmethod
    def _plain(written: str) -> str:
        if written.isdigit() and written.isascii():
            return written
        written = _MARKUP.sub(lambda found: "" if "/" in found.group() else "^", "".join(written.split()))
        for place, char in enumerate(written):
            if char in _SUPERSCRIPTS:
                return written[:place] + "^" + written[place:].translate(_SUPERSCRIPT_DIGITS)
        return written

    def ordinal_before(self, at: int) -> list[Number]:
        """Return the «2-й» of «2-й части статьи 5» that ends right before the unit word at ``at``."""
        found = _ORDINAL_BEFORE.search(self._text, max(0, at - _LONGEST_ORDINAL), at)
        return [Number(found.group(1), found.start(), found.end())] if found else []

    def article_words(self, at: int) -> tuple[list[Number], int]:
        """Return the articles that words number behind «статья»: «статья двадцатая», «статей первой и второй»."""

        def is_article(number: Number) -> bool:
            ending = _FEMININE.search(self._text, number.start, number.end)
            return ending is not None and not self._is_before_unit(number.end)

        space = _SPACE.match(self._text, at)
        found, end = self._ordinals(space.end() if space else at, _LONGEST_LIST, is_article)
        return found, end if found else at

    def _ordinal(self, at: int, below: int = _ABOVE_ALL) -> Number | None:
        word = _WORD.match(self._text, at)
        if word is None:
            return None
        hundreds = self._lexicon.hundreds.get(word.group(), below)
        if hundreds < below:
            # «сто пятая», «тысяча шестьдесят четвёртая»: each word is of a lower order than the one before.
            space = _SPACE.match(self._text, word.end())
            rest = self._ordinal(space.end() if space else word.end(), min(hundreds, _THOUSAND))
            whole, mark, inserted = rest.value.partition(".") if rest else ("", "", "")
            if rest is None or int(whole) >= (_HUNDRED if hundreds < _THOUSAND else _THOUSAND):
                return None
            return Number(f"{hundreds + int(whole)}{mark}{inserted}", at, rest.end)
        tens = self._lexicon.tens.get(word.group())
        if tens is not None:
            space = _SPACE.match(self._text, word.end())
            second = _WORD.match(self._text, space.end() if space else word.end())
            unit = self._lexicon.ordinals.get(second.group()) if second else None
            if second is not None and unit is not None and unit < 10:
                return self._inserted(tens + unit, at, second.end())
            return None
        value = self._lexicon.ordinals.get(word.group())
        return None if value is None else self._inserted(value, at, word.end())

    def _inserted(self, value: int, at: int, end: int) -> Number:
        """Take the insertion of «частью третьей.1» along."""
        insertion = _ORDINAL_INSERTION.match(self._text, end)
        if insertion is None:
            return Number(str(value), at, end)
        return Number(f"{value}.{insertion.group(1)}", at, insertion.end())

    def _ordinal_range(self, first: Number) -> Number:
        dash = _DASH.match(self._text, first.end)
        last = self._ordinal(dash.end()) if dash else None
        return first if last is None else Number(first.value, first.start, last.end, last=last.value)

    def _is_before_unit(self, at: int) -> bool:
        """Tell whether an ordinal belongs to the unit word behind it, which has no number of its own."""
        space = _SPACE.match(self._text, at)
        word = _WORD.match(self._text, space.end() if space else at)
        if word is None or word.group() not in self._lexicon.units:
            return False
        unit = self._lexicon.units[word.group()]
        space = _SPACE.match(self._text, word.end())
        return not unit.short and self._number(space.end() if space else word.end(), unit.level, first=True) is None

    def _letter(self, at: int) -> Number | None:
        quoted = _LETTER.match(self._text, at)
        match = quoted or _BARE_LETTER.match(self._text, at)
        if match is None:
            return None
        value = match.group(1).lower()
        other = _SPACED_TAIL.match(self._text, match.end()) if quoted else None
        end = match.end()
        if other is None and quoted and self._text.startswith("-", match.end()):
            last = _LETTER.match(self._text, match.end() + 1)
        else:
            last = _LETTER.match(self._text, other.end()) if other else None
        if last is not None:
            return Number(value, at, last.end(), last=last.group(1).lower())
        return Number(value, at, end)


def _is_list_mark(text: str, number: Number, before: Number, separator: str) -> bool:
    """Tell «2.» that begins the next line's item from an article that only its sentence ends: «ст. 15,⏎16. Суд …»."""
    if _MARK_ENDS.match(text, number.end) is None or number.last or number.tail or not number.value.isdigit():
        return False
    return ";" in separator or article_sort_key(number.value) <= article_sort_key(before.value)


def behind_remark(text: str, at: int) -> int | None:
    """Return the offset behind a remark in brackets at ``at``, which may have brackets of its own."""
    remark = _REMARK.match(text, at)
    return remark.end() if remark else None


def _letters_of(quoted: re.Match[str]) -> list[Number]:
    """Return the letters of one pair of quotes; the last number ends behind the closing one."""
    found = []
    for letter in _IN_LETTERS.finditer(quoted.string, quoted.start() + 1, quoted.end() - 1):
        first, last = letter.group(1).lower(), letter.group(2)
        if first in _AND and quoted.string[letter.start() - 1] == " " and quoted.string[letter.end()] == " ":
            continue
        found.append(Number(first, letter.start(), letter.end(), last=last.lower() if last else None))
    last_found = found[-1]
    return [*found[:-1], Number(last_found.value, last_found.start, quoted.end(), last_found.last)]


def letters_between(first: str, last: str) -> list[str]:
    """Return the letters of a range of lettered points."""
    alphabet = _ALPHABET_UK if {first, last} & set("ґєії") else _ALPHABET
    if first in alphabet and last in alphabet and alphabet.index(first) < alphabet.index(last):
        return list(alphabet[alphabet.index(first) : alphabet.index(last) + 1])
    return [first, last]
