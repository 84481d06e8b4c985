"""The words that Russian and Ukrainian citations are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from service.domain import Language

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CONTRACTS",
    "FILLERS",
    "PAPERS",
    "SLIP",
    "Level",
    "Lexicon",
    "Noun",
    "Pointer",
    "Unit",
    "lexicon",
    "variants",
    "words_of",
]


class Level(Enum):
    """What a numbered unit is."""

    ARTICLE = "article"
    PART = "part"
    POINT = "point"
    SUBPOINT = "subpoint"
    PARAGRAPH = "paragraph"
    SUBSECTION = "subsection"
    SECTION = "section"
    CHAPTER = "chapter"
    SENTENCE = "sentence"

    @property
    def is_below_article(self) -> bool:
        """Tell whether an article is divided into such units."""
        return self in _BELOW


_BELOW = frozenset({Level.PART, Level.POINT, Level.SUBPOINT, Level.PARAGRAPH, Level.SENTENCE})


@dataclass(frozen=True, slots=True)
class Unit:
    """A word for a unit.

    Attributes:
        level: What it is.
        short: An abbreviation (``ст.``).
        plural: Several units follow; None where the word does not tell.
        direct: Nominative or accusative, the case of headings and of references written downwards.
        either: ``пп.`` stands for points as well as for a subpoint.
    """

    level: Level
    short: bool = False
    plural: bool | None = None
    direct: bool = False
    either: bool = False


class Pointer(Enum):
    """A word that points at a norm or an act instead of naming it."""

    OWN = "own"
    """The text's own: «настоящей»."""
    NEAR = "near"
    """What was just spoken of, else the text's own: «данной», «этой», «цієї»."""
    BACK = "back"
    """What was just spoken of: «указанной», «того же»."""


class Noun(Enum):
    """What kind of act a common noun means."""

    CODE = "code"
    LAW = "law"
    CONSTITUTION = "constitution"
    TREATY = "treaty"
    DECREE = "decree"


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The words of one language.

    Attributes:
        units: Word, in each way it is capitalised → unit.
        pointers: Likewise → pointer.
        ordinals: Likewise → number.
        tens: First words of compound ordinals → number.
        hundreds: Likewise from a hundred up.
        nouns: Nouns for acts → kind.
        leads: Words with which a phrase can begin, pointers left out.
    """

    units: Mapping[str, Unit]
    pointers: Mapping[str, Pointer]
    ordinals: Mapping[str, int]
    tens: Mapping[str, int]
    hundreds: Mapping[str, int]
    nouns: Mapping[str, Noun]
    leads: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "leads", frozenset((*self.units, *self.ordinals, *self.tens)))


def words_of(words: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(words.split())


def _in_order(words: str) -> list[str]:
    return words.split()


def _tens(words: str) -> dict[str, int]:
    return {word: 20 + 10 * place for place, word in enumerate(words.split())}


def _hundreds(words: str) -> dict[str, int]:
    return {word: 100 * place for place, word in enumerate(words.split(), start=1)}


def variants(word: str) -> tuple[str, str, str]:
    """Return a word in lower case, with a capital and in upper case."""
    return word, word[:1].upper() + word[1:], word.upper()


def _spread(table: Mapping[str, object]) -> dict[str, object]:
    with_yo = ((_with_yo(word), value) for word, value in table.items())
    return {form: value for word, value in (*table.items(), *with_yo) for form in variants(word)}


def _with_yo(word: str) -> str:
    """Return a word as careful writers spell it: «четвёртой», «приведённой», «трёхсотой»."""
    for plain, dotted in (("четверт", "четвёрт"), ("веденн", "ведённ"), ("трехсот", "трёхсот")):
        word = word.replace(plain, dotted)
    return word


def _units(rows: Iterable[tuple[Level, str, str, str, str]]) -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for level, short, direct, singular, plural in rows:
        for word in short.split():
            found[word] = Unit(level, short=True, direct=True)
        for word in plural.split():
            found[word] = Unit(level, plural=True)
        for word in singular.split():
            # «части» and «статьи» are singular and plural alike.
            found[word] = Unit(level, plural=None if word in found else False)
        for word in direct.split():
            found[word] = Unit(level, plural=False, direct=True)
    return found


_UNITS_RU = _units(
    (
        (
            Level.ARTICLE,
            "ст стст",
            "статья статью",
            "статьи статье статьей статьёй статьею",
            "статьи статей статьям статьями статьях",
        ),
        (Level.PART, "ч чч", "часть", "части частью", "части частей частям частями частях"),
        (
            Level.POINT,
            "п",
            "пункт",
            "пункта пункту пунктом пункте",
            "пункты пунктов пунктам пунктами пунктах",
        ),
        (
            Level.SUBPOINT,
            "подп подпп ппп пдп",
            "подпункт",
            "подпункта подпункту подпунктом подпункте",
            "подпункты подпунктов подпунктам подпунктами подпунктах",
        ),
        (
            Level.PARAGRAPH,
            "абз",
            "абзац",
            "абзаца абзацу абзацем абзаце",
            "абзацы абзацев абзацам абзацами абзацах",
        ),
        (
            Level.SENTENCE,
            "предл",
            "предложение",
            "предложения предложению предложением предложении",
            "предложения предложений предложениям предложениями предложениях",
        ),
        (Level.CHAPTER, "гл", "глава главу", "главы главе главой", "главы глав главам главами главах"),
        (
            Level.CHAPTER,
            "",
            "параграф",
            "параграфа параграфу параграфом параграфе",
            "параграфы параграфов параграфам параграфами параграфах",
        ),
        (
            Level.SECTION,
            "разд",
            "раздел",
            "раздела разделу разделом разделе",
            "разделы разделов разделам разделами разделах",
        ),
        (
            Level.SUBSECTION,
            "подразд",
            "подраздел",
            "подраздела подразделу подразделом подразделе",
            "подразделов подразделами",
        ),
    )
)
_UNITS_UK = _units(
    (
        (Level.ARTICLE, "ст стст", "стаття статтю", "статті статтею", "статті статей статтям статтями статтях"),
        (
            Level.PART,
            "ч чч",
            "частина частину",
            "частини частині частиною",
            "частини частин частинам частинами частинах",
        ),
        (Level.POINT, "п", "пункт", "пункту пункті пунктом", "пункти пунктів пунктам пунктами пунктах"),
        (
            Level.SUBPOINT,
            "підп пп",
            "підпункт",
            "підпункту підпункті підпунктом",
            "підпункти підпунктів підпунктам підпунктами підпунктах",
        ),
        (Level.PARAGRAPH, "абз", "абзац", "абзацу абзаці абзацом", "абзаци абзаців абзацам абзацами абзацах"),
        (Level.SENTENCE, "", "речення", "реченню реченням реченні", "речень реченнями реченнях"),
        (Level.CHAPTER, "гл", "глава главу", "глави главі главою", "глави глав главам главами главах"),
        (Level.SECTION, "розд", "розділ", "розділу розділі розділом", "розділи розділів розділами розділах"),
        (Level.SUBSECTION, "підрозд", "підрозділ", "підрозділу підрозділі підрозділом", "підрозділів підрозділами"),
    )
)
_UNITS_RU["пп"] = Unit(Level.POINT, short=True, direct=True, either=True)
# A slip of the pen that decisions abound in; it is a word too («цієї статі», of this sex), so that it points at nothing.
SLIP = "статі"
_UNITS_UK[SLIP] = Unit(Level.ARTICLE, plural=False)
_UNITS_UK["пп"] = Unit(Level.SUBPOINT, short=True, direct=True, either=True)


def _pointers(own: str, near: str, back: str) -> dict[str, Pointer]:
    found = dict.fromkeys(back.split(), Pointer.BACK)
    found.update(dict.fromkeys(near.split(), Pointer.NEAR))
    found.update(dict.fromkeys(own.split(), Pointer.OWN))
    return found


def _inflected(stems: str, endings: str) -> str:
    return " ".join(stem + ending for stem in stems.split() for ending in endings.split())


_HARD_RU = "ый ого ому ым ом ая ой ую ою ое ые ых ыми"
_SOFT_RU = "ий его ему им ем яя ей юю ею ее ие их ими"
_HARD_UK = "ий ого ому им а ої ій у ою е і их ими"

_POINTERS_RU = _pointers(
    _inflected("настоящ", "ий его ему им ем ая ей ую ею ие их ими"),
    _inflected("данн", _HARD_RU) + " этот этого этому этим этом эта этой эту этою этих этими",
    _inflected(
        "указанн названн вышеуказанн вышеназванн упомянут вышеупомянут приведенн вышеприведенн поименованн нижеуказанн",
        _HARD_RU,
    )
    + " того тому тем том той тот ту тех теми",
)
_POINTERS_UK = _pointers(
    "",
    _inflected("дан", _HARD_UK) + " цей цього цьому цим ця цієї цій цю цією ці цих цими",
    _inflected("зазначен вказан назван вищевказан вищезазначен згадан наведен вищенаведен", _HARD_UK)
    + " того тому тим тієї тій ту тією той тих тими",
)

_STEMS_RU = _in_order(
    "перв втор трет четверт пят шест седьм восьм девят десят "
    "одиннадцат двенадцат тринадцат четырнадцат пятнадцат шестнадцат семнадцат восемнадцат девятнадцат двадцат"
)
_STEMS_UK = _in_order(
    "перш друг трет четверт п'ят шост сьом восьм дев'ят десят "
    "одинадцят дванадцят тринадцят чотирнадцят п'ятнадцят шістнадцят сімнадцят вісімнадцят дев'ятнадцят двадцят"
)


def _ordinals(stems: list[str], endings: str, third: str, last: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, stem in enumerate(stems, start=1):
        for form in _inflected(stem, third if number == 3 else endings).split():
            found[form] = number
    for number, stem in enumerate(last, start=3):
        for form in _inflected(stem, endings).split():
            found[form] = number * 10
    return found


def _round_hundreds(stems: str, endings: str) -> dict[str, int]:
    return {
        form: 100 * place
        for place, stem in enumerate(stems.split(), start=2)
        for form in _inflected(f"{stem}сот", endings).split()
    }


_ORDINALS_RU = _ordinals(
    _STEMS_RU,
    _HARD_RU,
    "ий ьего ьему ьим ьем ья ьей ью ьею ье ьи ьих ьими",
    ("тридцат", "сороков", "пятидесят", "шестидесят", "семидесят", "восьмидесят", "девяност", "сот"),
)
_ORDINALS_UK = _ordinals(
    _STEMS_UK,
    _HARD_UK,
    "ій ього ьому ім я ьої ю ьою є і іх іми",
    ("тридцят", "сороков", "п'ятдесят", "шістдесят", "сімдесят", "вісімдесят", "дев'яност", "сот"),
)
_ORDINALS_RU.update(dict.fromkeys(["второй", "второю"], 2))
_ORDINALS_RU.update(_round_hundreds("двух трех четырех пяти шести семи восьми девяти", _HARD_RU))
_ORDINALS_UK.update(_round_hundreds("двох трьох чотирьох п'яти шести семи восьми дев'яти", _HARD_UK))
_TENS_RU = _tens("двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто")
_TENS_UK = _tens("двадцять тридцять сорок п'ятдесят шістдесят сімдесят вісімдесят дев'яносто")
_HUNDREDS_RU = _hundreds("сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот тысяча")
_HUNDREDS_UK = _hundreds("сто двісті триста чотириста п'ятсот шістсот сімсот вісімсот дев'ятсот тисяча")

_NOUNS_RU = {
    **dict.fromkeys(["кодекс", "кодекса", "кодексу", "кодексом", "кодексе"], Noun.CODE),
    **dict.fromkeys(["закон", "закона", "закону", "законом", "законе"], Noun.LAW),
    **dict.fromkeys(["конституция", "конституции", "конституцию", "конституцией"], Noun.CONSTITUTION),
    **dict.fromkeys(["конвенция", "конвенции", "конвенцию", "конвенцией"], Noun.TREATY),
}
_NOUNS_UK = {
    **dict.fromkeys(["кодекс", "кодексу", "кодексі", "кодексом"], Noun.CODE),
    **dict.fromkeys(["закон", "закону", "законі", "законом"], Noun.LAW),
    **dict.fromkeys(["конституція", "конституції", "конституцію", "конституцією"], Noun.CONSTITUTION),
    **dict.fromkeys(["конвенція", "конвенції", "конвенцію", "конвенцією"], Noun.TREATY),
}

CONTRACTS = words_of(
    """
    договора договоров контракта соглашения устава полиса регламента договору контракту угоди статуту
    регламенту полісу
    """
)
"""Genitives of papers that have articles or points and are no statutes; «статья 5 договора» is no citation."""

PAPERS = words_of(
    """
    положения положений правил инструкции приказа постановления решения определения порядка бюджета расходов
    доходов расхода дохода сметы экспорта импорта газеты журнала словаря газети журналу положення інструкції наказу постанови
    рішення ухвали порядку бюджету витрат доходів кошторису видатків
    """
)
"""More of them, whose genitive is also the nominative of a word that can follow an article in a statute."""

FILLERS = words_of(
    """
    и или либо а также так же та або й і чи також в во у по с со к ко из з зі із до за на от від при об о про
    не но положений положениями положения положениям положению требований требованиями требования требованиям
    норм нормами нормы правил правилами правила вимог вимогами вимоги нормами положень положеннями положення
    взаимосвязи взаимной системной нормативном единстве совокупности учетом взаємозв'язку сукупності
    урахуванням соответствии соответственно відповідно відповідності згідно
    """
)
"""Words that may stand between two members of one enumeration of norms."""


@lru_cache(maxsize=8)
def lexicon(language: Language) -> Lexicon:
    """Return the words of a language; Ukrainian knows the Russian ones too, as mixed texts are common."""
    if language is Language.UK:
        tables: tuple[dict[str, object], ...] = (
            {**_UNITS_RU, **_UNITS_UK},
            {**_POINTERS_RU, **_POINTERS_UK},
            {**_ORDINALS_RU, **_ORDINALS_UK},
            {**_TENS_RU, **_TENS_UK},
            {**_HUNDREDS_RU, **_HUNDREDS_UK},
            {**_NOUNS_RU, **_NOUNS_UK},
        )
    else:
        tables = ({**_UNITS_RU}, {**_POINTERS_RU}, {**_ORDINALS_RU}, {**_TENS_RU}, {**_HUNDREDS_RU}, {**_NOUNS_RU})
    return Lexicon(*(_spread(table) for table in tables))  # type: ignore[arg-type]
