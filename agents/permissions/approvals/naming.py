"""What the user's own words name (rows, by id, exact title or the viewed page), and what they state."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from typing import Final

from agents.calls import Row, Table
from agents.permissions.approvals.asking import sentences
from agents.permissions.withholding import HiddenRow
from agents.scopes import AnyScope, viewed_project, viewed_row
from agents.titles import plain
from agents.tools.rows import text, title_of
from memory.search.words import stem
from memory.speech import CLAUSE_ENDS, DENIALS, reported

_WORD: Final = re.compile(r"\w+n['’]t\b|\w+|[,;:]")
_SHORT_NOT: Final = re.compile(r"\w+n['’]t")
_NOT_FORGOTTEN: Final = re.compile(
    r"\b(?:(?:do not|don['’]?t|never|must not|mustn['’]?t)(?: ever| you)? forget"
    r"|(?:non|mai)(?: ti| vi)? (?:dimentic|scord)\w*)\b"
)
"""Ways to say “remember” with a word like “not”, in ``plain`` text."""
_NO_LONGER: Final = re.compile(r"\b(?:(?:i|we|he|she|they) used to|used to be|gave up)\b")
"""What says “stopped”, in plain letters."""
_ANYTHING_BUT: Final = re.compile(r"\banything but\b|\btutt['’]altro che\b")
_ALL_BUT: Final = re.compile(r"\b(all|every\w+) but\b")
_WORD_OR_NUMBER: Final = re.compile(r"[^\W\d_]+|\d+")
_NO_WORD: Final = re.compile(r"(?=\S*[^\W\d_])(?=\S*\d)\S+")
"""An id that hardly anyone writes in another sense. An imported row may have words or a date for its id."""
_LANGUAGES: Final = ("en", "it")
_LONG_STEM: Final = 5
"""A stem of at least so many letters may have one more at its end, as in “allergic” and “allergy”."""
COMMON_WORDS: Final = frozenset(
    {
        *("a", "am", "an", "and", "are", "as", "at", "be", "but", "by", "d", "do", "does", "for", "from", "has"),
        *("have", "he"),
        *("her", "him", "his", "i", "in", "is", "it", "its", "just", "ll", "m", "me", "my", "of", "on", "or", "our"),
        *("please", "re", "really", "s", "she", "so", "that", "the", "their", "them", "they", "this", "to", "up", "us"),
        *("user", "ve", "very", "was", "we", "who", "with", "you", "your"),
        *("ad", "agli", "ai", "al", "all", "alla", "alle", "c", "che", "chi", "ci", "con", "da", "dal", "dalla"),
        *("degli", "dei", "del", "dell", "della", "delle", "di", "e", "ed", "gli", "ha", "ho", "il", "l", "la", "le"),
        *("lo", "mi", "mia", "mie", "miei", "mio", "ne", "nel", "nell", "nella", "o", "per", "si", "sono", "su", "sua"),
        *("sue", "sul", "sull", "sulla", "suo", "suoi", "ti", "un", "una", "uno", "utente", "vi"),
    }
)
"""Words that a model may add when it repeats what users say of themselves, in English and Italian."""

_IS: Final = frozenset({"are", "e", "is", "sono", ":"})
_NOW: Final = frozenset({"adesso", "instead", "invece", "now", "ora"})
_THAT: Final = frozenset({"che", "that"})
_TO: Final = frozenset({"a", "con", "in", "to", "with"})
_CHANGES: Final = re.compile(r"chang|set|updat|switch|correct|cambi|impost|aggiorn|modific|corregg|sostitui")
_OPENINGS: Final = re.compile(
    r"actually|also|anche|hello|hi|keep|kno\w+|mind|not[ae]\w*|remember\w*|sa(?:i|pp\w+|v\w+)|store|think|today"
    r"|annot\w+|ciao|memorizz\w+|oggi|penso|ricord\w+|salv\w+|segn\w+|tien\w*|current|new|attuale|nuov[oa]"
)
"""Words that may precede a statement in its clause. “Bob's favourite tea is …” says nothing about the user's."""
_SIGNS: Final = frozenset({"Cf", "Cn", "Co", "Mc", "Mn", "Me", "Sc", "Sk", "Sm", "So", "Zs"})
"""Categories of characters that are no part of words or punctuation, and that a model reads all the same.

Such as tags, which no one sees, letters in squares, flags, Braille, and white space of many widths.
"""
_MARK: Final = re.compile(r"[^\w\s]")
_LETTERS: Final = re.compile(r"\w+")
_MARKS_OF_A_WORD: Final = 2
_MARKED_WORD: Final = re.compile(
    r"[$+<=>]|(?<!\w)-\d+|(?<![^\s,;!?'’(“\"])\w[^\s,;!?'’]*(?:@|[./:](?=\w)|(?<=\d)[-,](?=\d))[^\s,;!?]*\w"
)
"""A sign, a number or an address in which each mark counts: “-5”, “8:15”, “a-b@example.org”."""
_SPACES: Final = re.compile(r"\s{3}|[\t\v\f\r]")
_EMOJI_STYLE: Final = "\ufe0f"
"""It only says how the sign before it is drawn."""
_WEAKENS: Final = re.compile(
    r"afraid|avoid\w*|barely|detest\w*|dislik\w*|fail\w*|forb\w+|forgot|hardly|hat(?:e|es|ed|ing)|rarely|refus\w*"
    r"|reluctant\w*|scarcely|seldom|stops?|stopping|unable"
    r"|detest\w*|dimenticat[oaie]|evit\w*|fatic\w*|odi[oa]|odiamo|raramente|rifiut\w*|smett\w*|tem[oei]"
)
"""A ``plain`` word that says of what comes next that it is not so, or hardly."""
_WANTS: Final = re.compile(r"\b(?:(?:want|hope|(?:would|d)(?: \w+)? like) (?P<to>to)|(?:vorrei|voglio|spero)(?: di)?)$")
"""What is before something that the user only wants to do."""
_INFINITIVE: Final = re.compile(r"\w+(?:[aei]|r)re")
_MINE: Final = frozenset({"mia", "mie", "miei", "mio", "my"})
_LIMITS: Final = frozenset({"eccetto", "escluso", "except", "excepting", "excluding", "fuorche", "tranne"})
"""A ``plain`` word that takes something from what comes before."""
_MAX_STARTS: Final = 50


class _Turn(Enum):
    """How a clause may say something other than its remaining words."""

    DENIED = auto()
    REPORTED = auto()
    WEAKENED = auto()
    """Only where the word that does so is beside it: “I avoid meat” has no “meat”, and “I hate coffee” no “coffee”."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Spoken:
    """The words of a sentence, and whether each of them is reported speech."""

    words: Sequence[str]
    reported: Sequence[bool]

    def turns(self) -> frozenset[_Turn]:
        return _turns(denied=_denies(self.words), reported=any(self.reported))

    def is_weakened(self, first: int, last: int) -> bool:
        """Whether a word before those from ``first`` to ``last``, or after them, takes away from what they say."""
        before = next((word for word in reversed(self.words[:first]) if word not in COMMON_WORDS), "")
        after = "".join(self.words[last + 1 : last + 2])
        return _WEAKENS.fullmatch(before) is not None or after in _LIMITS or self._is_wanted(first)

    def _is_wanted(self, first: int) -> bool:
        """Whether the user only wants to do what the word at ``first`` says: “I want to live …”, “Vorrei vivere …”."""
        found = _WANTS.search(" ".join(self.words[max(0, first - 4) : first]))
        return found is not None and (bool(found["to"]) or _INFINITIVE.fullmatch(self.words[first]) is not None)

    def turns_at(self, first: int, last: int) -> frozenset[_Turn]:
        """The turns of the clauses from the word ``first`` to the word ``last``."""
        denied = _denies(_clauses(self.words, first, last))
        return _turns(denied=denied, reported=any(self.reported[first : last + 1]))


def _turns(*, denied: bool, reported: bool) -> frozenset[_Turn]:
    return frozenset(turn for turn, there in ((_Turn.DENIED, denied), (_Turn.REPORTED, reported)) if there)


def is_named(hidden: HiddenRow, *, said: str, scope: AnyScope | None) -> bool:
    """Whether ``said``, what the user wrote in this request, names the row, or the user views it.

    Case, accents and white space make no difference to a title. A part of a longer word names nothing. An
    id may be of words with marks between them: the user is asked about such a row in any case.
    """
    row_id, told = text(hidden.row, "id"), plain(said)
    by_id = not _WORD_OR_NUMBER.fullmatch(row_id) and _occurs(row_id, told)
    return viewed_row(scope) == (hidden.table, row_id) or by_id or names_in_plain(told, hidden.row)


def names(said: str, row: Row) -> bool:
    """Whether ``said`` contains the id or the exact title of ``row``. Titles are compared as by ``is_named``."""
    return names_in_plain(plain(said), row)


def names_in_plain(told: str, row: Row) -> bool:
    """As ``names``, if ``told`` is ``plain`` already: folding a long text takes milliseconds."""
    row_id = text(row, "id")
    return (_NO_WORD.fullmatch(row_id) is not None and _occurs(row_id, told)) or _occurs(title_of(row), told)


def is_on_page(table: Table, row: Row, scope: AnyScope | None) -> bool:
    """Whether the user views ``row``, or the project that it belongs to."""
    viewed = viewed_project(scope)
    return viewed_row(scope) == (table, text(row, "id")) or (viewed is not None and text(row, "projectId") == viewed)


def repeats(words: str, said: str, *, beside: Sequence[str] = (), is_order: bool = False) -> bool:
    """Whether each sentence of ``words`` is contained in a sentence of ``said``: its content words are adjacent there.

    The words may have other endings. Words like “not” must be in both clauses or in neither, because without them the
    rest says the opposite. So must words like “says”, because what Bob says is not what the user says; but they may
    also be in a text ``beside`` these ``words``, and do not matter in an order of the user's (``is_order``). Characters
    outside words, such as emoji, must also be in ``said``.
    """
    if not _signs(words) <= _signs(said) or _may_be_code(words, said) or _has_other_marks(words, said):
        return False
    spoken = list(map(_spoken, sentences(said)))
    told = [each for each in map(_spoken, sentences(words)) if _telling(each.words)]
    if not told:
        return _occurs(words, plain(said))
    turned = frozenset({_Turn.REPORTED} if is_order else ()).union(*(_turned_beside(each) for each in beside))
    return all(any(_has(known, wanted, turned) for known in spoken) for wanted in told)


def is_mine(words: str, said: str) -> bool:
    """Whether ``said`` has ``words`` only as something of the user's own: “my PIN is …”, but not “her PIN is …”."""
    known, told = list(_words(said)), _telling(list(_words(words)))
    places = [at for at, word in enumerate(known) if _means_something(word)]
    before = [known[span[0] - 1] if span[0] else "" for span in _spans(known, places, told)]
    return bool(before) and all(word in _MINE for word in before)


def begins_with(sentence: str, words: Iterable[str]) -> bool:
    """Whether the first content word of ``sentence`` is one of ``words``."""
    first = next(iter(_telling(list(_words(sentence)))), "")
    return any(_is_form(first, word) for word in words if first)


def states(key: str, value: str, said: str) -> bool:
    """Whether a sentence of ``said`` states that ``key`` is ``value``, as “My tea is now Assam” and “tea: Assam” do.

    So does an order to change it: “Change my tea to Assam”. “I bought my tea today” does not state that it is today.
    """
    name, words = _telling(list(_words(key))), _telling(list(_words(value)))
    start = next(iter(_spans(words, range(len(words)), name)), range(0))
    rest = [word for at, word in enumerate(words) if at not in start]
    return bool(name and rest) and any(_links(list(_words(each)), name, rest) for each in sentences(said))


def _turned_beside(words: str) -> frozenset[_Turn]:
    spoken = _spoken(words)
    weakens = any(_WEAKENS.fullmatch(word) or word in _LIMITS for word in spoken.words)
    return spoken.turns() | (frozenset({_Turn.WEAKENED}) if weakens else frozenset())


def _spoken(sentence: str) -> _Spoken:
    words = list(_words(sentence))
    return _Spoken(words=words, reported=reported(words))


def _has(known: _Spoken, wanted: _Spoken, beside: frozenset[_Turn]) -> bool:
    """Whether the sentence ``known`` says what ``wanted`` says. It may also have the turns ``beside``."""
    places = [at for at, word in enumerate(known.words) if _means_something(word)]
    turns = wanted.turns()
    # Reported speech need not be reported: “Wrote a book” is contained in “I wrote a book”.
    needed = turns - {_Turn.REPORTED}
    return any(
        needed <= known.turns_at(span[0], span[-1]) <= turns | beside
        and not (known.is_weakened(span[0], span[-1]) and _Turn.WEAKENED not in beside)
        for span in _spans(known.words, places, _telling(wanted.words))
    )


def _spans(known: Sequence[str], places: Sequence[int], words: Sequence[str]) -> Iterator[Sequence[int]]:
    """The adjacent ``places`` at which ``known`` has ``words``, perhaps with other endings."""
    starts = (first for first, at in enumerate(places) if words and _is_form(words[0], known[at]))
    for first in islice(starts, _MAX_STARTS):
        span = places[first : first + len(words)]
        if len(span) == len(words) and all(map(_is_form, words, (known[at] for at in span))):
            yield span


def _links(known: Sequence[str], name: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether the sentence ``known`` has only words like “is” between ``name`` and ``rest``, in either order."""
    places = [at for at, word in enumerate(known) if _means_something(word) and word not in _NOW]
    return any(
        places.index(one[-1]) + 1 == places.index(other[0])
        and not _links_after(known, one[0]).isdisjoint(known[one[-1] + 1 : other[0]])
        for key in _spans(known, places, name)
        for value in _spans(known, places, rest)
        for one, other in ((key, value), (value, key))
    )


def _links_after(known: Sequence[str], first: int) -> frozenset[str]:
    """The words that say what the words at ``first`` are, or are to be, by what is before them in their clause."""
    start = next((at for at in reversed(range(first)) if known[at] in CLAUSE_ENDS | _THAT), 0)
    before = _telling(known[start:first])
    if before and _CHANGES.match(before[-1]):
        return _TO
    return _IS if all(word in _NOW or _OPENINGS.fullmatch(word) for word in before) else frozenset()


def _clauses(known: Sequence[str], first: int, last: int) -> Sequence[str]:
    """The clauses from the one with the word ``first`` to the one with the word ``last``."""
    start = next((at for at in reversed(range(first)) if known[at] in CLAUSE_ENDS), 0)
    end = next((at for at in range(last + 1, len(known)) if known[at] in CLAUSE_ENDS), len(known))
    return known[start:end]


def _telling(words: Sequence[str]) -> list[str]:
    return [word for word in words if _means_something(word)]


def _means_something(word: str) -> bool:
    return word[:1].isalnum() and not (word in COMMON_WORDS or word in DENIALS or word in CLAUSE_ENDS)


def _denies(words: Iterable[str]) -> bool:
    return any(word in DENIALS for word in words)


def _is_form(word: str, other: str) -> bool:
    """Whether the two are forms of one word in a known language. A number has no other form."""
    if word == other:
        return True
    if word[0] != other[0] or any(letter.isdigit() for letter in word + other):
        return False
    return any(_are_near(stem(word, language), stem(other, language)) for language in _LANGUAGES)


def _are_near(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    more = len(longer) - len(shorter)
    return longer.startswith(shorter) and more <= (1 if len(shorter) >= _LONG_STEM else 0)


def _words(said: str) -> Iterator[str]:
    # Models write keys as programs do: "favourite_tea".
    told = _NO_LONGER.sub("stopped", _NOT_FORGOTTEN.sub("remember", plain(said).replace("_", " ")))
    told = _ALL_BUT.sub(r"\1 except", _ANYTHING_BUT.sub("not", told))
    yield from ("not" if _SHORT_NOT.fullmatch(word) else word for word in _WORD.findall(told))


def _signs(written: str) -> set[str]:
    if written.isascii():
        return set()
    signs = {each for each in unicodedata.normalize("NFC", written) if unicodedata.category(each) in _SIGNS}
    return signs - {_EMOJI_STYLE, " "}


def _may_be_code(words: str, said: str) -> bool:
    """Whether ``words`` have so many marks, or such white space, that something may be written in these."""
    marks = len(_MARK.findall(words))
    many = marks > _MARKS_OF_A_WORD * (len(_LETTERS.findall(words)) + 1) and marks > len(_MARK.findall(said))
    return many or (_SPACES.search(words.strip()) is not None and words.strip() not in said)


def _has_other_marks(words: str, said: str) -> bool:
    """Whether a mark in a number or an address of ``words`` is another than in ``said``: they mean something else."""
    told = plain(said)
    return any(each not in told for each in _MARKED_WORD.findall(plain(words)))


def _occurs(name: str, told: str) -> bool:
    """Whether ``told``, which is ``plain``, contains ``name``, and not as a part of longer words."""
    words = plain(name)
    # Searched first, because most names do not occur, and each needs another expression to be compiled.
    return bool(words) and words in told and re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", told) is not None
