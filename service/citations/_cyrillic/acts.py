"""Acts in a text: named, abbreviated, by number and date, by title, pointed at."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from service.citations._cyrillic.lexicon import Noun, Pointer
from service.citations._cyrillic.names import NameTree, fold_title, name_tree
from service.citations._cyrillic.numbers import roman_value
from service.citations.registry import RegistryAct, known_jurisdictions, load_registry
from service.domain import Jurisdiction

if TYPE_CHECKING:
    from service.citations._cyrillic.lexicon import Lexicon
    from service.citations.registry import Registry
    from service.domain import Language

__all__ = ["GENITIVES", "ActReader", "ActRef", "Mention"]

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+){0,4}")
_SPACE = re.compile(r"\s{0,6}")
_DATE = re.compile(
    r"\s{0,4}(?:от|від|вiд)\s{1,3}(?:\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2}\s{1,3}[^\W\d_]{3,9}\s{1,3}\d{4})"
    r"(?:\s{0,2}(?:года|г\.?|року|р\.?)(?![^\W_]))?"
)
_NUMBER = re.compile(
    r"\s{0,4}(?:№|N|Nо|No|Νo)\s{0,3}(\d{1,5}[а-я]?(?:/\d{1,4})?(?:\s?-\s?(?:Ф[КЗ3]+|[ІХVLСXIC]{1,7}|[А-Я]{1,4}|\d{1,3}))?)"
)
_BARE_NUMBER = re.compile(r"\s{0,4}(?:№\s?)?(\d{1,4}-Ф(?:К?З))(?![^\W_])")
_BRACKETED_NUMBER = re.compile(r"\s{0,3}\(\s?(?:№|N)\s{0,2}(\d{1,5}(?:-[А-ЯІЇA-Z]{1,5}|/\d{2}-ВР)?)\s?\)")
_JOINED_NUMBER = re.compile(r"\s?-\s?(\d{1,4})(?![\d-])")
_TITLE_OPENS = re.compile(r"\s{0,4}([\"«“„])")
_REGION = re.compile(
    r"\s{1,3}(?:города|г\.|Республики|области|края)\s{1,3}[^\W\d_]+(?:-[^\W\d_]+)?|\s{1,3}[^\W\d_]+(?:ой|ого)\s(?:области|края)"
)
_ISSUER = re.compile(r"(?:\s{1,3}[^\W\d_]+){1,7}?(?=\s{1,3}(?:від|от)\s\d|\s{0,3}[№«\"])")
_YEAR = re.compile(
    r"\s{0,3}\(?(?:(?:в|у)\s(?:ред(?:акции|акції|\.)?\s)?(?:от\s|від\s)?)?((?:19|20)\d\d)\s?(?:года|г\.|г(?![^\W_])|року|р\.|рр\.)\)?"
)
_OWN_PART = re.compile(
    r"\s{1,3}\((?:часть|ч\.)\s{0,2}(?:[1-4]|перв[а-я]{2}|втор[а-я]{2}|трет[а-я]{2}|четв[её]рт[а-я]{2})\)"
)
_UNTITLED = re.compile(r"\s{1,3}(?:о|об|обо|про)\s{1,3}[^\W\d_]+(?:\s[^\W\d_]+){0,2}")
_SAME = re.compile(r"\s{0,3}(?:же|ж|самого|самому|самим)(?![^\W_])")
_ALIAS = re.compile(
    r"[\s)]{0,3}\(?(?:далее|далі)(?:\s(?:по тексту|также|іменується|за текстом|именуется|в тексте))?"
    r"\s{0,2}[-:,]?\s{0,2}([^()\n]{1,90}?)\s?[);]"
)
_FEDERAL = re.compile(
    r"Федеральн[а-я]{2,3}\s{1,4}(?:конституционн[а-я]{2,3}\s{1,4})?закон[а-я]{0,2}(?![^\W_])", re.IGNORECASE
)
_QUOTES = re.compile('["«»“”„]')
_LONGEST_TITLE = 600
_LONGEST_NAME = 120
GENITIVES = frozenset(("кодекса", "закона", "кодексу", "закону", "конвенции", "конвенції"))
_TREATY_ADJECTIVES = (
    "Международн Міжнародн Всеобщ Загальн Европейск Європейськ Рамочн Рамков Гаагск Гаагськ Женевск Женевськ Венск "
    "Віденськ Минск Мінськ Варшавск Варшавськ Монреальск Монреальськ Бернск Бернськ Парижск Паризьк"
)
_TREATY_WORDS = frozenset(
    stem + ending
    for stem in _TREATY_ADJECTIVES.split()
    for ending in ("ый", "ий", "ого", "ому", "ым", "им", "ом", "ая", "ой", "ей", "ую", "а", "ої", "ій", "у", "ою", "ее")
) | frozenset(("Пакта", "Пакту", "Декларации", "Декларації", "Хартии", "Хартії", "Директивы", "Директиви"))
_TREATY = re.compile(
    r"(?P<kind>[А-ЯІЄҐ][а-яіїєґ]{2,14}\s(?:[а-яіїєґ-]{3,20}\s){0,3}?)?"
    r"(?:[пП]акт|[дД]екларац|[хХ]арт|[кК]онвенц|[сС]оглашен|[уУ]год|[дД]иректив|[пП]ротокол)[а-яіїєґ]{0,4}(?![^\W_])"
    r"(?P<whose>\s(?:ООН|МОП|МОТ|ЕС|ЄС|СНГ|СНД|Ради Європи|Совета Европы|Организации Объединенных Наций))?"
    r"(?P<title>\s(?:о|об|про|для|з)\s[^\W\d_]+(?:\s(?!(?:от|від)\s\d)[^\W\d_]+){0,9})?"
)
_MOST_SHORT_NAMES = 20
_NUMBERS_RU = re.compile(r"-Ф[КЗ3]")
_DECREE = frozenset(
    [
        "Указ",
        "Указа",
        "Указу",
        "Указом",
        "Указе",
        "Декрет",
        "Декрета",
        "Декрету",
        "Декретом",
        "Декрете",
        "Декреті",
        "Указі",
    ]
)
_BASICS = frozenset(["Основы", "Основ", "Основам", "Основами", "Основах"])
_ABBREVIATED_LAWS = frozenset(["ФЗ", "ФКЗ", "ЗУ", "ЗРК"])
_FEDERAL_WORDS = frozenset(
    f"{head}{ending}" for head in ("Федеральн", "федеральн") for ending in ("ый", "ого", "ому", "ым", "ом", "ых", "ыми")
)
_KIND_OF_NOUN = {
    Noun.CODE: ("code",),
    Noun.LAW: ("law",),
    Noun.CONSTITUTION: ("constitution",),
    Noun.TREATY: ("treaty",),
    Noun.DECREE: ("decree",),
}


@dataclass(frozen=True, slots=True)
class ActRef:
    """An act as a text means it.

    Attributes:
        act: The registry's entry, where it has one.
        kind: What kind of act it is; None where nobody said.
    """

    jurisdiction: Jurisdiction | None
    act: RegistryAct | None = None
    title: str | None = None
    number: str | None = None
    edition: str | None = None
    kind: Noun | None = None

    @property
    def key(self) -> str | None:
        """The act's key, when it is at home in the registry."""
        return self.act.key if self.act else None


@dataclass(slots=True)
class Mention:
    """An act's mention in the text.

    Attributes:
        end: Offset behind everything that belongs to it.
        name_end: Offset behind its name, which is how far a citation's ``raw`` goes.
        ref: What it is; None for a pointer, whose antecedent only the context knows.
        noun: The kind of act that a pointer or a bare noun asks for.
        only_behind: A bare «закона» is an act behind an article alone; «аналогии закона (статья 6)» names none.
    """

    start: int
    end: int
    name_end: int
    ref: ActRef | None = None
    pointer: Pointer | None = None
    noun: Noun | None = None
    only_behind: bool = False


class ActReader:
    """Reads mentions of acts at given offsets; keeps the short names that the text itself defines.

    Args:
        text: Normalised text.
        registry: Whose acts are meant where no country is named.
        lexicon: The language's words.
    """

    def __init__(self, text: str, registry: Registry, lexicon: Lexicon, language: Language) -> None:
        self._text = text
        self._lexicon = lexicon
        self._language = language
        self._tree: NameTree = name_tree(registry, language)
        self._registry = registry
        self.infers = registry.points_name_articles
        self.short_names: dict[str, list[tuple[tuple[str, ...], ActRef]]] = {}
        self.defined: dict[Noun, ActRef] = {}
        self._begins, self.wakes = _words(self._tree, lexicon)

    def for_part(self, text: str) -> ActReader:
        """Return a reader of a part of the text, which knows the short names defined before it."""
        part = ActReader(text, self._registry, self._lexicon, self._language)
        part.short_names, part.defined = self.short_names, self.defined
        return part

    def may_begin(self, word: str) -> bool:
        """Tell whether a mention can begin with this word."""
        return word in self._begins or word in self.short_names

    def is_registered(self, at: int) -> bool:
        """Tell whether the name of a registry's act stands at ``at``."""
        return self._tree.act_at(self._text, at) is not None

    def mention(self, at: int) -> Mention | None:
        """Return the mention that begins at ``at``."""
        word = _WORD.match(self._text, at)
        if word is None:
            return self._bare_number(at)
        found = self._defined_here(at, word.group()) or self._named(at) or self._law(at, word)
        if found is None:
            found = self._pointed(at, word)
        if found is not None and found.ref is not None:
            found.end = self._define(found.end, found.ref)
        return found

    # Names

    def _named(self, at: int) -> Mention | None:
        found = self._tree.act_at(self._text, at)
        if found is None:
            return None
        act, end = found
        if act.kind == "law":
            quotes = sum(char in '«»"“”„' for char in self._text[at:end])
            if quotes % 2 and self._text[end : end + 1] not in ("»", '"', "”", "“"):
                # A longer title of another law begins like this one.
                return None
            end += quotes % 2
        ref = self._ref(act)
        country = self._country(end)
        if country is not None:
            jurisdiction, behind = country
            if jurisdiction is not self._registry.jurisdiction:
                ref = self._abroad(self._text[at:end], jurisdiction)
            end = behind
        elif act.kind in ("constitution", "code"):
            region = _REGION.match(self._text, end)
            if region is not None:
                # «Конституции Республики Татарстан» is not the country's.
                title = re.sub(r"\s+", " ", self._text[at : region.end()])
                ref, end = ActRef(act.jurisdiction, None, title, None, None, ref.kind), region.end()
        if act.kind == "law":
            return self._details(at, end, ref, Noun.LAW)
        name_end = end
        own_part = _OWN_PART.match(self._text, end) if act.parts else None
        end = own_part.end() if own_part else end
        year = _YEAR.match(self._text, end)
        if year is not None and ref.act is not None:
            ref = self._edition(ref, year.group(1))
            closes = year.group().endswith(")") and "(" not in year.group()
            end = year.end() - closes
            # «КПК України 1960 року» is a name, «ГПК в редакції 2012 року» a name and a remark.
            name_end = end if self._text[name_end:end].lstrip()[:1].isdigit() else name_end
        return self._numbered_code(at, end, name_end, ref)

    def _numbered_code(self, at: int, end: int, name_end: int, ref: ActRef) -> Mention:
        """Take along «от 30.11.1994 № 51-ФЗ» and a title, which are not the name."""
        for pattern in (_DATE, _NUMBER, _BARE_NUMBER):
            found = pattern.match(self._text, end)
            end = found.end() if found else end
        return Mention(at, end, name_end, ref)

    def _ref(self, act: RegistryAct) -> ActRef:
        kind = next((noun for noun, kinds in _KIND_OF_NOUN.items() if act.kind in kinds), None)
        number = act.number if act.title_is_unique else None
        return ActRef(act.jurisdiction, act, act.title, number, act.edition, kind)

    def _country(self, at: int) -> tuple[Jurisdiction | None, int] | None:
        space = _SPACE.match(self._text, at)
        return self._tree.country_at(self._text, space.end() if space else at)

    def _abroad(self, name: str, jurisdiction: Jurisdiction | None) -> ActRef:
        """Return the act of another country that bears the name."""
        if jurisdiction is not None and jurisdiction in known_jurisdictions():
            found = name_tree(load_registry(jurisdiction), self._language).act_at(name, 0)
            if found is not None and found[1] == len(name):
                return self._ref(found[0])
        return ActRef(jurisdiction, None, name, None, None, Noun.CODE)

    def _edition(self, ref: ActRef, year: str) -> ActRef:
        old = self._tree.by_edition.get((ref.key or "", year))
        if old is not None:
            return self._ref(old)
        return replace(ref, edition=year)

    # Laws by title, number, date

    def _law(self, at: int, word: re.Match[str]) -> Mention | None:
        """Read what begins with a common noun: «Федерального закона от … № …», «Закона», «Конвенции»."""
        name = word.group()
        noun, end = self._head(at, word)
        if noun is Noun.TREATY or name in _TREATY_WORDS:
            return self._treaty(at, end, name)
        if noun not in (Noun.LAW, Noun.DECREE, Noun.CODE):
            return None
        jurisdiction, behind = self._whose(end, noun)
        ref = ActRef(jurisdiction, kind=noun)
        found = self._details(at, behind, ref, noun)
        if noun is Noun.CODE and (found.ref is None or found.ref.act is None):
            # «Кодекс Российской Федерации» is no name; «Кодекс» alone means the one spoken of.
            if behind > end and self._country(end) is None:
                return self._regional(at, behind, ref)
            return self._bare(at, end, name, noun) if behind == end else None
        if found.ref != ref:
            return found
        if noun is Noun.DECREE:
            title = re.sub(r"\s+", " ", self._text[at:behind])
            return Mention(at, behind, behind, replace(ref, title=title)) if behind > end else None
        return self._untitled(at, end, behind, ref) or self._bare(at, behind, name, noun)

    def _head(self, at: int, word: re.Match[str]) -> tuple[Noun | None, int]:
        name, end = word.group(), word.end()
        federal = _FEDERAL.match(self._text, at) if name[:1] in "Фф" else None
        if federal is not None:
            return Noun.LAW, federal.end()
        if name in _ABBREVIATED_LAWS:
            return Noun.LAW, end
        if name in _DECREE:
            return Noun.DECREE, end
        if name in _BASICS and self._text.startswith(" законодательства", end):
            return Noun.LAW, end + len(" законодательства")
        return self._lexicon.nouns.get(name), end

    def _whose(self, end: int, noun: Noun) -> tuple[Jurisdiction | None, int]:
        country = self._country(end)
        if country is not None:
            return country
        region = (_ISSUER if noun is Noun.DECREE else _REGION).match(self._text, end)
        return self._registry.jurisdiction, region.end() if region else end

    def _treaty(self, at: int, end: int, name: str) -> Mention | None:
        treaty = _TREATY.match(self._text, at)
        if treaty is not None and (treaty["kind"] or treaty["whose"] or treaty["title"]):
            title = re.sub(r"\s+", " ", treaty.group()).strip()
            return Mention(at, treaty.end(), treaty.end(), ActRef(None, None, title, None, None, Noun.TREATY))
        return self._bare(at, end, name, Noun.TREATY) if name not in _TREATY_WORDS else None

    def _bare(self, at: int, end: int, name: str, noun: Noun) -> Mention | None:
        """Take «статьи 5 Закона» for the law spoken of; without a capital only a genitive can be meant so."""
        if not name[:1].isupper() and name not in GENITIVES:
            return None
        return Mention(at, end, end, None, Pointer.BACK, noun, only_behind=name[:1].islower())

    def _regional(self, at: int, behind: int, ref: ActRef) -> Mention:
        """Read «Кодекса Томской области об административных правонарушениях», which is not the country's code."""
        untitled = _UNTITLED.match(self._text, behind)
        end = untitled.end() if untitled else behind
        return Mention(at, end, end, replace(ref, title=re.sub(r"\s+", " ", self._text[at:end])))

    def _untitled(self, at: int, end: int, behind: int, ref: ActRef) -> Mention | None:
        """Read «Закона о рекламе», «Закона Российской Федерации о защите прав потребителей»."""
        untitled = _UNTITLED.match(self._text, behind)
        if untitled is None:
            return None
        if behind > end:
            # The registry has the name without the country inside.
            prefix = self._text[at:end]
            known = self._tree.act_at(prefix + self._text[behind : behind + _LONGEST_NAME], 0)
            if known is not None and known[0].kind == "law":
                stop = behind + known[1] - len(prefix)
                return Mention(at, stop, stop, replace(self._ref(known[0]), jurisdiction=ref.jurisdiction))
        title = re.sub(r"\s+", " ", self._text[at : untitled.end()])
        return Mention(at, untitled.end(), untitled.end(), replace(ref, title=title))

    def _details(self, at: int, end: int, ref: ActRef, noun: Noun) -> Mention:
        """Read date, number and title behind a law's name, in whatever order they stand."""
        text = self._text
        name_end = end
        number: str | None = None
        title: str | None = None
        joined = _JOINED_NUMBER.match(text, end) if text[at:end] in ("ФЗ", "ФКЗ") else None
        if joined is not None:
            # «ФЗ-218»
            number, end = f"{joined.group(1)}-{text[at:end]}", joined.end()
            name_end = end
        for _ in range(5):
            date = _DATE.match(text, end)
            if date is not None:
                end = date.end()
                continue
            numbered = None if number else _NUMBER.match(text, end) or _BARE_NUMBER.match(text, end)
            if numbered is not None:
                number = _plain_number(numbered.group(1))
                end = name_end = numbered.end()
                continue
            country = self._country(end) if number or title else None
            if country is not None:
                end = country[1]
                continue
            quoted = None if title else _title_at(text, end)
            if quoted is None:
                behind = _BRACKETED_NUMBER.match(text, end) if (title or ref.act) and not number else None
                if behind is not None:
                    # «Закону «Про виконавче провадження» (№ 1404-VIII)»: a remark, not the name.
                    number, end = _plain_number(behind.group(1)), behind.end()
                break
            title, end = quoted
            if number is None:
                name_end = end
        if number is None and title is None and end > name_end:
            name_end = end
        return Mention(at, end, name_end, self._lookup(ref, title, number, noun))

    def _lookup(self, ref: ActRef, title: str | None, number: str | None, noun: Noun) -> ActRef:
        if title is None and number is None:
            return ref
        registry = self._registry
        if ref.jurisdiction not in (None, registry.jurisdiction) and ref.jurisdiction in known_jurisdictions():
            registry = load_registry(ref.jurisdiction)
        tree = name_tree(registry, self._language)
        known = (tree.titles.get(fold_title(title)) or tree.titles.get(_without_remark(title))) if title else None
        if known is None and number is not None:
            known = registry.by_number.get(number)
        if known is not None and known.number and number and _arabic(known.number) != _arabic(number):
            known = None
        if known is not None:
            found = self._ref(known)
            return replace(found, number=number or found.number, jurisdiction=ref.jurisdiction)
        if ref.act is not None and (number is None or _arabic(number) == _arabic(ref.act.number or "")):
            return ref
        text_title = re.sub(r"\s+", " ", title) if title else (ref.title if ref.act else None)
        return ActRef(ref.jurisdiction, None, text_title, number, None, noun)

    def _bare_number(self, at: int) -> Mention | None:
        """Read «127-ФЗ» standing alone."""
        number = _BARE_NUMBER.match(self._text, at) or _NUMBER.match(self._text, at)
        if number is None or not (_NUMBERS_RU.search(number.group(1))):
            return None
        ref = ActRef(self._registry.jurisdiction, number=_plain_number(number.group(1)), kind=Noun.LAW)
        return Mention(at, number.end(), number.end(), ref)

    # Pointers and short names

    def _pointed(self, at: int, word: re.Match[str]) -> Mention | None:
        pointer = self._lexicon.pointers.get(word.group())
        if pointer is None:
            return None
        same = _SAME.match(self._text, word.end())
        space = _SPACE.match(self._text, same.end() if same else word.end())
        here = space.end() if space else word.end()
        federal = _FEDERAL.match(self._text, here)
        noun_word = _WORD.match(self._text, here)
        noun = Noun.LAW if federal else self._lexicon.nouns.get(noun_word.group()) if noun_word else None
        if noun_word is None or noun is None:
            return None
        end = federal.end() if federal else noun_word.end()
        country = self._country(end)
        end = country[1] if country else end
        return Mention(at, end, end, None, pointer, noun)

    def _defined_here(self, at: int, word: str) -> Mention | None:
        for words, ref in self.short_names.get(word, ()):
            end = self._defined_end(at, words)
            if end is not None:
                return Mention(at, end, end, ref)
        return None

    def _defined_end(self, at: int, words: tuple[str, ...]) -> int | None:
        here = end = at
        for expected in words:
            found = _WORD.match(self._text, here)
            if found is None or _lemma(found.group(), self._lexicon) != expected:
                return None
            end = found.end()
            space = _SPACE.match(self._text, end)
            here = space.end() if space else end
        return end

    def _define(self, at: int, ref: ActRef) -> int:
        """Keep the short name of «(далее - Закон о контрактной системе)»; return the offset behind it."""
        alias = _ALIAS.match(self._text, at)
        if alias is None:
            return at
        words = tuple(_lemma(word, self._lexicon) for word in _WORD.findall(alias.group(1).strip(' «»"')))
        if not words or len(words) > 12:
            return at
        noun = self._lexicon.nouns.get(words[0])
        if len(words) == 1 and noun is not None:
            self.defined[noun] = ref
        elif noun is not None or len(words) <= 2:
            for form in self._heads(words[0], noun):
                known = self.short_names.setdefault(form, [])
                if len(known) < _MOST_SHORT_NAMES and (words, ref) not in known:
                    known.append((words, ref))
        return alias.end()

    def _heads(self, word: str, noun: Noun | None) -> list[str]:
        if noun is None:
            return [word]
        return [form for form, kind in self._lexicon.nouns.items() if kind is noun and not form.isupper()]


def _title_at(text: str, at: int) -> tuple[str, int] | None:
    """Return the quoted title at ``at`` and the offset behind it; titles quote other titles."""
    opens = _TITLE_OPENS.match(text, at)
    if opens is None:
        return None
    start = here = opens.end()
    limit = min(len(text), start + _LONGEST_TITLE)
    depth = 1
    for quote in _QUOTES.finditer(text, here, limit):
        mark = quote.group()
        # «"» opens behind a space and closes behind anything else.
        closes = mark in "»”“" or (mark == '"' and not text[quote.start() - 1].isspace())
        depth += -1 if closes else 1
        if depth == 0 or (depth == 1 and closes and text[quote.end() : quote.end() + 1] in (")", ";", "")):
            return text[start : quote.start()].strip(), quote.end()
    return None


@lru_cache(maxsize=32)
def _words(tree: NameTree, lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words with which a mention begins, and all at which reading has to stop."""
    laws = (*_TREATY_WORDS, *_DECREE, *_BASICS, *_ABBREVIATED_LAWS, *_FEDERAL_WORDS)
    begins = frozenset((*tree.first_words, *lexicon.pointers, *lexicon.nouns, *laws))
    return begins, begins | lexicon.leads


def _lemma(word: str, lexicon: Lexicon) -> str:
    """Return one form for all cases of a noun for acts; other words are kept as they are."""
    noun = lexicon.nouns.get(word)
    return word if noun is None else _FIRST_FORM[noun]


_FIRST_FORM = {
    Noun.CODE: "кодекс",
    Noun.LAW: "закон",
    Noun.CONSTITUTION: "конституция",
    Noun.TREATY: "конвенция",
    Noun.DECREE: "указ",
}


def _without_remark(title: str) -> str:
    """Fold «О налогах и других обязательных платежах в бюджет (Налоговый кодекс)» without what is in brackets."""
    return fold_title(re.sub(r"\s{0,3}\([^()]{1,80}\)$", "", title))


def _arabic(number: str) -> str:
    """Laws of the early nineties are cited as 2300-1 and as 2300-I."""
    return number.removesuffix("-I") + "-1" if number.endswith("-I") else number


def _plain_number(number: str) -> str:
    head, mark, tail = number.replace(" ", "").replace("Ф3", "ФЗ").partition("-")
    latin = roman_value(tail)
    return f"{head}-{latin}" if mark and set(latin) <= set("IVXLC") else head + mark + tail
