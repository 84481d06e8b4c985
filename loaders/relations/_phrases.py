"""Which citations a phrase governs: a walk from its head to where it ends.

The walk knows nouns and their cases, participles that state («предусмотренных»), lists («статьёй 5 и частью 2
статьи 7»), glosses in brackets and coordinated nouns («случаев, указанных в …, и случаев, предусмотренных …»). It ends
at a verb, at a word that does not fit the case, at another cue, at the end of the clause. Each step looks at a bounded
number of tokens, so a walk is linear in the phrase's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loaders.relations._rules import Words
from loaders.relations._tokens import Kind, Token

if TYPE_CHECKING:
    from loaders.relations._tokens import Grammar

__all__ = ["governed"]

_ALIKE = {"об": "о", "обо": "о", "со": "с", "во": "в", "ко": "к", "із": "з", "зі": "з", "у": "в"}
_LOOKAHEAD = 8
_SKIPPED_PHRASE = 15
_LONGEST_BRACKET = 300
_CLAUSE = 60
_PATIENCE = 45
"""A phrase that runs on for so many tokens without a citation is given up."""


@dataclass(slots=True)
class _Walk:
    tokens: Sequence[Token]
    words: Words
    cases: frozenset[str]
    stop: int
    other_cues: frozenset[int]
    at: int
    begin: int
    found: list[int] = field(default_factory=list)
    head: frozenset[str] = frozenset()
    """Lemmas of the phrase's first noun."""
    forms: frozenset[tuple[str, str]] = frozenset()
    """Case and gender or number that what states must share with the head, or with both where two are joined."""
    nearest: frozenset[tuple[str, str]] = frozenset()
    """The same of the last noun."""
    grounds: frozenset[tuple[str, str]] = frozenset()
    """The same of a ground that stands behind a preposition."""
    noun: frozenset[str] = frozenset()
    """Cases of the last noun."""
    stated: bool = False
    """Within a participle phrase that states and belongs to the head."""
    apart: bool = False
    """Within a phrase that only describes the head (active participle, foreign participle)."""
    nested: bool = False
    """Behind a preposition within the phrase."""
    foreign: bool = False
    """Behind a preposition that stands before the head: its noun is not the head («на случаи действует правило»)."""
    joined: bool = False
    """The noun that comes next is coordinated with one before."""
    passed: bool = False
    """A noun that is not the head stood before the head."""
    by_grounds: bool = False
    """Whether grounds behind a preposition lead («увольнения по основаниям, указанным в …»)."""
    opening: str = ""
    """The preposition that governs the phrase; repeated, it begins it anew («на суда, …, а также на лодки, …»)."""
    prepositions: set[str] = field(default_factory=set)
    """Prepositions of the phrase's own nouns («правила о …»)."""
    preposition: str = ""
    """The preposition that the last citation had."""
    listed: frozenset[str] = frozenset()
    """Cases of the last citation taken; empty where none was."""
    since: int = 0


def governed(
    tokens: Sequence[Token],
    begin: int,
    stop: int,
    cases: frozenset[str],
    words: Words,
    *,
    other_cues: frozenset[int] = frozenset(),
    grounds: bool = False,
) -> tuple[list[int], frozenset[str], int]:
    """Walk a phrase.

    Args:
        tokens: The sentence.
        begin: The phrase's first token.
        stop: Where the walk must end at the latest.
        cases: The cases that the governing word asks for.
        words: The language's words.
        other_cues: Tokens at which another cue begins; there the walk ends.
        grounds: Whether what states may belong to a ground behind a preposition («увольнения по основаниям, …»).

    Returns:
        The groups of citations governed, the lemmas of the head noun (empty where a citation is the head), and the
        token at which the walk ended.
    """
    walk = _Walk(tokens, words, cases, stop, other_cues, begin, begin, by_grounds=grounds)
    if begin and tokens[begin - 1].grammar.preposition:
        walk.opening = _alike(tokens[begin - 1])
    while walk.at < stop and walk.since < _PATIENCE:
        if (walk.at in other_cues and walk.at > begin) or not _step(walk):
            break
        walk.since += 1
    return walk.found, walk.head, walk.at


def _alike(token: Token) -> str:
    return _ALIKE.get(token.text, token.text)


def _step(walk: _Walk) -> bool:
    """Take one token; False where the phrase ends."""
    token = walk.tokens[walk.at]
    if token.kind == Kind.CITE:
        return _cite(walk, token)
    if token.kind == Kind.MARK:
        return _mark(walk, token)
    if token.kind in (Kind.NUMBER, Kind.QUOTE):
        walk.at += 1
        return True
    if token.text in walk.words.coordinators:
        return _join(walk)
    return _word(walk, token)


def _cite(walk: _Walk, token: Token) -> bool:
    """A citation is governed where it is head, genitive of a noun, or agent or place of what states."""
    previous = walk.tokens[walk.at - 1] if walk.at else None
    grammar = token.grammar
    preposition = ""
    behind_preposition = previous is not None and previous.kind == Kind.WORD and previous.grammar.preposition
    opens = not (walk.head or walk.found or walk.stated or walk.noun or walk.apart)
    if opens and walk.passed and previous is not None and previous.grammar.noun and "gent" in grammar.cases:
        # «применяются перед нормами статьи 5»: the genitive of a noun that is not the head.
        taken = False
    elif opens and (walk.at == walk.begin or not behind_preposition):
        taken = bool(grammar.cases & walk.cases)
    elif previous is not None and behind_preposition:
        preposition = previous.text
        taken = walk.stated and previous.text in walk.words.stated_in
    elif walk.stated and "ablt" in grammar.cases:
        taken = True
    elif previous is not None and previous.grammar.noun:
        taken = not walk.nested and not walk.apart and "gent" in grammar.cases
    else:
        taken = walk.stated and previous is not None and previous.text in walk.words.stated
    if taken:
        _take(walk, token, preposition)
    else:
        walk.listed = frozenset()
    walk.at += 1
    return True


def _take(walk: _Walk, token: Token, preposition: str) -> None:
    walk.found.append(token.cite)
    walk.listed = token.grammar.cases
    walk.preposition = preposition
    walk.since = 0


def _word(walk: _Walk, token: Token) -> bool:
    grammar = token.grammar
    if token.text in walk.words.stated:
        # What states belongs to the head where it agrees with the case asked for; else to some noun on the way.
        own = bool(walk.head) or not walk.passed
        behind_comma = walk.at > 0 and walk.tokens[walk.at - 1].text == ","
        agrees = bool(grammar.forms & walk.forms if walk.forms and behind_comma else grammar.cases & walk.cases)
        # Where a nearer noun agrees as well, it has the participle; not so in nominative and genitive, whose forms
        # agree by chance too often («правила о сдаче аренды, предусмотренные …»).
        chance = not walk.cases.isdisjoint(("nomn", "gent"))
        nearer = walk.nested and not chance and not grammar.forms.isdisjoint(walk.nearest)
        agrees = walk.by_grounds if grammar.forms & walk.grounds else agrees and not nearer
        walk.stated = own and not walk.apart and agrees
        walk.apart = walk.apart or not walk.stated
    elif grammar.verbal or token.text in walk.words.clause_openers:
        return False
    elif grammar.preposition:
        if walk.head and not walk.stated:
            walk.nested = True
            walk.prepositions.add(_alike(token))
        walk.foreign = not walk.head and not walk.stated and "nomn" in walk.cases
    elif token.text in walk.words.closers and walk.at and walk.tokens[walk.at - 1].grammar.preposition:
        return False
    elif grammar.noun:
        if walk.foreign or (not walk.head and not grammar.cases & walk.cases):
            if not (walk.stated or "nomn" in walk.cases):
                return False
            walk.foreign = False
            walk.passed = True
            if walk.stated and not grammar.lemmas.isdisjoint(walk.words.units):
                walk.listed = grammar.cases  # «установленными в этом разделе и статье 7», the head being the cue's own
        else:
            _lead(walk, grammar)
            walk.head = walk.head or grammar.lemmas
            walk.noun = grammar.cases
            walk.nearest = grammar.forms
            if not (walk.nested or walk.apart) and not grammar.lemmas.isdisjoint(walk.words.units):
                walk.listed = grammar.cases  # «правила главы 3, статей 5 и 7»: the articles go on with the list
    walk.at += 1
    return True


def _lead(walk: _Walk, grammar: Grammar) -> None:
    """Let a noun lead; joined nouns may be resumed by a plural («порядке и сроках, указанных в …»).

    In the genitive the head's own genitives lead as well («от уплаты процентов, указанных в …»), and those of a noun
    that only carries them («действие правил, …»). A ground behind a preposition leads too («увольнения по основаниям,
    указанным в …»).
    """
    if "gent" in walk.cases and walk.nested and not grammar.lemmas.isdisjoint(walk.words.grounds):
        walk.grounds |= grammar.forms
    carried = not walk.head.isdisjoint(walk.words.carriers)
    cases = walk.cases | {"gent"} if carried else walk.cases
    if walk.forms and (walk.nested or walk.apart or "gent" not in cases):
        return
    forms = {form for form in grammar.forms if form[0] in cases}
    if walk.joined:
        forms |= {(case, "plur") for case, _ in forms}
    walk.forms |= forms


def _mark(walk: _Walk, token: Token) -> bool:
    if token.text == "(":
        return _bracket(walk)
    if token.text == ",":
        return _join(walk)
    if token.text in "-–—" and walk.at + 1 < walk.stop and walk.tokens[walk.at + 1].kind != Kind.MARK:
        return _join(walk)
    return False


def _bracket(walk: _Walk) -> bool:
    """Skip a bracket; citations with which it opens gloss the phrase and share its government."""
    close = walk.at + 1
    depth = 1
    end = min(walk.stop, walk.at + _LONGEST_BRACKET)
    while close < end and depth:
        depth += {"(": 1, ")": -1}.get(walk.tokens[close].text, 0)
        close += 1
    if depth:
        return False
    inside = walk.tokens[walk.at + 1 : close - 1]
    first = 0
    while first < len(inside) and inside[first].text in walk.words.coordinators:
        first += 1  # «(в том числе пункт 2 статьи 161)»
    opens = first < len(inside) and inside[first].kind == Kind.CITE
    # «если иное не предусмотрено договором (статья 5)»: the contract prevails, the bracket only explains it.
    private = "ablt" in walk.cases and not walk.head.isdisjoint(walk.words.private) and not walk.found
    if opens and (walk.head or walk.found) and not walk.apart and not private:
        for token in inside:
            if token.kind == Kind.CITE:
                walk.found.append(token.cite)
                walk.since = 0
            elif token.text != "," and token.text not in walk.words.coordinators:
                break
    walk.at = close
    return True


def _join(walk: _Walk) -> bool:
    """A comma or a coordinator: decide by what follows whether the phrase goes on."""
    at = walk.at
    comma = False
    while at < walk.stop and (walk.tokens[at].text in ",-–—" or walk.tokens[at].text in walk.words.coordinators):
        if walk.tokens[at].kind == Kind.MARK:
            comma = True
        if walk.tokens[at].text in walk.words.adversative:
            # «…, а правила статьи 7 применяются» starts another clause; «а также», «а равно» go on.
            following = walk.tokens[at + 1].text if at + 1 < walk.stop else ""
            if following not in walk.words.coordinators and following not in walk.words.adversative_goes_on:
                return False
        at += 1
    coordinated = walk.tokens[at - 1].kind == Kind.WORD
    if at + 1 < walk.stop and walk.tokens[at].text in walk.words.plainly:
        at += walk.tokens[at + 1].text in walk.words.stated  # «случаев, прямо указанных в …»
    if at >= walk.stop or at in walk.other_cues:
        return False
    if coordinated and walk.tokens[at].text in walk.words.stated:
        # «лиц, получающих доход и указанных в статье 5»: what only described the head is over.
        walk.apart = walk.apart and walk.tokens[at].grammar.forms.isdisjoint(walk.forms)
    return _join_next(walk, at, comma)


def _join_next(walk: _Walk, at: int, comma: bool) -> bool:
    """Go on behind the joining words, at ``at``, or end there."""
    token = walk.tokens[at]
    if token.kind == Kind.CITE:
        return _join_cite(walk, at, token)
    if token.kind in (Kind.QUOTE, Kind.NUMBER) or token.text in walk.words.stated:
        walk.at = at  # «указанных в строках 27 - 30 таблицы статьи 577»
        return True
    if token.kind != Kind.WORD:
        return False
    if token.text in walk.words.relative:
        return _join_relative(walk, at) or _resume(walk, at)
    if token.text in walk.words.clause_openers:
        return _resume(walk, at)
    grammar = token.grammar
    if grammar.preposition:
        return _join_preposition(walk, at, token)
    return _join_noun(walk, at, comma and grammar.participle)


def _join_cite(walk: _Walk, at: int, token: Token) -> bool:
    """The next member of a list has the case of the one before; agents of what states go on as such."""
    opens = not (walk.head or walk.found or walk.stated or walk.noun or walk.apart)
    if walk.listed & token.grammar.cases:
        _take(walk, token, walk.preposition)
    elif opens and walk.at == walk.begin and token.grammar.cases & walk.cases:
        _take(walk, token, "")  # «применяются также статьи 5 и 7», «ни статья 5, ни статья 7»
    elif walk.stated and "ablt" in token.grammar.cases:
        _take(walk, token, "")
    elif walk.found or not (
        walk.head and not walk.apart and token.grammar.cases & walk.cases and "gent" not in walk.cases
    ):
        return False
    else:
        _take(walk, token, "")
    walk.at = at + 1
    return True


def _join_relative(walk: _Walk, at: int) -> bool:
    """«случаев, которые установлены статьёй …»: goes on only where the verb that follows states."""
    for place in range(at + 1, min(walk.stop, at + 5)):
        token = walk.tokens[place]
        if token.text in walk.words.stated_active and _join_active(walk, at, place + 1):
            return True
        if token.text in walk.words.stated_short:
            # A clause about a noun that is not the head («на лиц, которые указаны в …») says nothing of the head.
            walk.stated = not walk.apart and _relates(walk, walk.tokens[at].grammar)
            walk.at = place + 1
            return True
        if token.kind != Kind.WORD or token.grammar.verbal:
            break
    return False


def _resume(walk: _Walk, at: int) -> bool:
    """«случаев, когда …, и случаев, предусмотренных …»: behind a clause the phrase goes on where its head comes again."""
    for place in range(at + 1, min(walk.stop, at + _CLAUSE)):
        token = walk.tokens[place]
        if token.text == ":":
            break
        again = not token.grammar.lemmas.isdisjoint(walk.head) and token.grammar.cases & walk.cases
        if again and token.grammar.noun and _goes_on(walk, place):
            _begin_anew(walk)
            walk.at = place
            return True
    return False


def _goes_on(walk: _Walk, place: int) -> bool:
    """Whether the noun at ``place`` is joined; behind a mere comma only if what states agrees with it («решения, …»)."""
    before = walk.tokens[place - 1].text
    if before != ",":
        return before in walk.words.coordinators
    following = walk.tokens[place + 1 : min(walk.stop, place + 3)]
    if len(following) < 2 or following[0].text != "," or following[1].text not in walk.words.stated:
        return False
    return any(case in walk.cases for case, _ in walk.tokens[place].grammar.forms & following[1].grammar.forms)


def _join_active(walk: _Walk, at: int, place: int) -> bool:
    """«случаев, которые предусматривает статья 5»: the citation is the clause's subject."""
    if place >= walk.stop or walk.apart or not _relates(walk, walk.tokens[at].grammar):
        return False
    token = walk.tokens[place]
    if token.kind != Kind.CITE or "nomn" not in token.grammar.cases:
        return False
    _take(walk, token, "")
    walk.at = place + 1
    return True


def _relates(walk: _Walk, pronoun: Grammar) -> bool:
    """Whether a relative pronoun speaks of the head: not where a noun behind a preposition is nearer and agrees."""
    if not walk.head:
        return not walk.passed
    numbers = {number for _, number in pronoun.forms}
    if not walk.nested or numbers.isdisjoint(number for _, number in walk.nearest):
        return True
    return walk.by_grounds and bool(walk.grounds)


def _join_preposition(walk: _Walk, at: int, token: Token) -> bool:
    """«указанных в статье 5, в статье 7», «правила о залоге и об аренде»: the preposition is repeated.

    Else it may open a relative clause («случаев, о которых говорится в статье 5»).
    """
    if not walk.stated and _alike(token) in walk.prepositions:
        walk.at = at
        return True
    following = walk.tokens[at + 1] if at + 1 < walk.stop else None
    if following is not None and _alike(token) in walk.words.about and following.text in walk.words.relative:
        return _join_relative(walk, at + 1)
    if _alike(token) == walk.opening and walk.head and _agreeing_noun(walk, at + 1):
        _begin_anew(walk)
        walk.at = at + 1
        return True
    if following is None or not walk.stated:
        return False
    if following.kind == Kind.CITE and token.text == walk.preposition:
        walk.at = at
        return True
    return False


def _agreeing_noun(walk: _Walk, at: int) -> bool:
    """Whether adjectives from ``at`` lead to a noun in a case that the phrase can go on with."""
    forms: frozenset[tuple[str, str]] | None = None
    for place in range(at, min(walk.stop, at + _LOOKAHEAD)):
        token = walk.tokens[place]
        grammar = token.grammar
        if token.kind == Kind.NUMBER:
            continue
        if token.kind != Kind.WORD or grammar.verbal or grammar.preposition or not grammar.forms:
            return False
        # Gender and number too: «применяющих режим» are no adjective and its noun.
        forms = grammar.forms if forms is None else forms & grammar.forms
        if grammar.noun:
            cases = {case for case, _ in forms}
            listed = walk.listed if not grammar.lemmas.isdisjoint(walk.words.units) else frozenset()
            return bool(cases & (walk.cases | walk.noun | listed))
        if not forms:
            return False
    return False


def _join_noun(walk: _Walk, at: int, participle: bool) -> bool:
    """«и случаев, …»: a noun in the case asked for starts the phrase again; one in the last noun's case goes on."""
    if not _agreeing_noun(walk, at):
        return participle and _describe(walk, at)
    if walk.tokens[at].grammar.cases & walk.cases:
        unit = not walk.tokens[at].grammar.lemmas.isdisjoint(walk.words.units)
        if not (unit and walk.listed):
            _begin_anew(walk)
    walk.at = at
    return True


def _begin_anew(walk: _Walk) -> None:
    walk.nested = walk.apart = walk.stated = False
    walk.joined = bool(walk.head)
    walk.forms = walk.grounds = frozenset()


def _describe(walk: _Walk, at: int) -> bool:
    """A participle that states nothing: what stands in it only describes; a list may go on behind its comma."""
    if walk.listed:
        for place in range(at, min(walk.stop, at + _SKIPPED_PHRASE)):
            token = walk.tokens[place]
            if token.kind == Kind.CITE or token.grammar.verbal:
                break
            if token.text == "," and place > at:
                walk.at = place
                return True
        return False
    walk.apart = True
    walk.stated = False
    walk.at = at
    return True
