"""What the user's own words name (rows, by id, exact title or the viewed page), and what they state."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from typing import Final

from agents.calls import Row, Table
from agents.permissions.approvals.speech import reported
from agents.permissions.withholding import HiddenRow
from agents.scopes import AnyScope, viewed_project, viewed_row
from agents.titles import plain
from agents.tools.rows import text, title_of
from memory.search.words import stem

_WORD: Final = re.compile(r"\w+n['’]t\b|\w+|[,;:]")
_SHORT_NOT: Final = re.compile(r"\w+n['’]t")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_QUESTION: Final = re.compile(r"\?[\s!?…\"'”’»)\]]*$")
_POLITE: Final = re.compile(
    r"\b(?:(?:can|could|would|will|won['’]?t) you (?:please |kindly )?"
    r"(?:note|remember|keep|save|store|memori[sz]e|forget|delete|remove|erase|clear|drop)"
    r"|(?:puoi|potresti|vuoi|riesci a) (?:per favore )?"
    r"(?:ricord|memorizz|annot|segn|tener|salv|dimentic|scord|cancell|elimin|rimuov|togli))"
)
"""How a question asks to remember or forget something, in ``plain`` text."""
_TO_YOU: Final = re.compile(
    r"\b(?:(?:can|could|would|will|won['’]?t|why don['’]?t) (?:you|we)|puoi|potresti|vuoi|riesci a|potete|possiamo)\b"
)
"""How a question asks to do something, in ``plain`` text."""
_FORGETS: Final = re.compile(r"\b(?:forget|dimentic|scord)")
_OF_ROWS: Final = re.compile(
    r"\b(?:tasks?|to-?dos?|notes?|projects?|comments?|checkpoints?|milestones?|events?|lists?|"
    r"attivita|not[ae]|appunt[oi]|progett[oi]|comment[oi]|traguard[oi]|event[oi]|list[ae]|elenc(?:o|hi))\b"
)
_NOT_FORGOTTEN: Final = re.compile(
    r"\b(?:(?:do not|don['’]?t|never|must not|mustn['’]?t)(?: ever| you)? forget"
    r"|(?:non|mai)(?: ti| vi)? (?:dimentic|scord)\w*)\b"
)
"""Ways to say “remember” with a word like “not”, in ``plain`` text."""
_NO_LONGER: Final = re.compile(r"\b(?:(?:i|we|he|she|they) used to|gave up)\b")
"""Ways to say “stopped”, in ``plain`` text."""
_WORD_OR_NUMBER: Final = re.compile(r"[^\W\d_]+|\d+")
"""The id of an imported row may be a word or a number, which people also write in another sense."""
_THANKS: Final = re.compile(r"(?:many thanks|thanks|thank you|sorry|grazie|scusa(?:mi)?)\b[^,;:]*")
"""A sentence that asks for nothing, in ``plain`` text."""
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

_DENIALS: Final = frozenset(
    {
        *("cannot", "if", "neither", "never", "no", "none", "nor", "not", "nothing", "quit", "stopped", "unless"),
        *("whether", "without"),
        *("mai", "neanche", "nemmeno", "neppure", "nessun", "nessuna", "nessuno", "niente", "non", "nulla", "se"),
        *("senza", "smesso"),
    }
)
"""Words that reverse the meaning of a clause."""
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
_SIGNS: Final = frozenset({"Cf", "Cn", "Co", "Mn", "Me", "So"})
"""Categories of characters that belong to no word, punctuation or white space, but that a model reads.

Such as tags, which are invisible, letters in squares, flags and Braille.
"""
_EMOJI_STYLE: Final = "\ufe0f"
"""It only selects how the character before it is drawn."""
_CLAUSE_ENDS: Final = frozenset({*(",", ";", ":"), *("because", "but", "while"), *("ma", "mentre", "pero", "perche")})
_MAX_STARTS: Final = 50


class _Turn(Enum):
    """How a clause may say something other than its remaining words."""

    DENIED = auto()
    REPORTED = auto()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Spoken:
    """The words of a sentence, and whether each of them is reported speech."""

    words: Sequence[str]
    reported: Sequence[bool]

    def turns(self) -> frozenset[_Turn]:
        return _turns(denied=_denies(self.words), reported=any(self.reported))

    def turns_at(self, first: int, last: int) -> frozenset[_Turn]:
        """The turns of the clauses from the word ``first`` to the word ``last``."""
        denied = _denies(_clauses(self.words, first, last))
        return _turns(denied=denied, reported=any(self.reported[first : last + 1]))


def _turns(*, denied: bool, reported: bool) -> frozenset[_Turn]:
    return frozenset(turn for turn, there in ((_Turn.DENIED, denied), (_Turn.REPORTED, reported)) if there)


def is_named(hidden: HiddenRow, *, said: str, scope: AnyScope | None) -> bool:
    """Whether ``said``, what the user wrote in this request, names the row, or the user views it.

    Case, accents and white space of a title do not matter. A part of a longer word names nothing.
    """
    return viewed_row(scope) == (hidden.table, text(hidden.row, "id")) or names(said, hidden.row)


def names(said: str, row: Row) -> bool:
    """Whether ``said`` contains the id or the exact title of ``row``. Titles are compared as by ``is_named``."""
    return names_in_plain(plain(said), row)


def names_in_plain(told: str, row: Row) -> bool:
    """As ``names``, if ``told`` is ``plain`` already: folding a long text takes milliseconds."""
    row_id = text(row, "id")
    return (not _WORD_OR_NUMBER.fullmatch(row_id) and _occurs(row_id, told)) or _occurs(title_of(row), told)


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
    if not _signs(words) <= _signs(said):
        return False
    spoken = list(map(_spoken, sentences(said)))
    told = [each for each in map(_spoken, sentences(words)) if _telling(each.words)]
    if not told:
        return _occurs(words, plain(said))
    turned = frozenset({_Turn.REPORTED} if is_order else ()).union(*(_spoken(each).turns() for each in beside))
    return all(any(_has(known, wanted, turned) for known in spoken) for wanted in told)


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


def sentences(written: str) -> list[str]:
    """The sentences and lines of ``written``."""
    return [sentence for part in _SENTENCE_END.split(written) if (sentence := part.strip())]


def statements(written: str) -> list[str]:
    """The sentences that state something, or ask to remember or forget something.

    Other questions do not: “Does Bob pay?” is not “Bob pays”, and “Did you delete it?” deletes nothing.
    """
    return [each for each in sentences(written) if not _QUESTION.search(each) or _POLITE.search(plain(each))]


def is_of_rows(sentence: str, words: Iterable[str]) -> bool:
    """Whether ``sentence`` may ask to delete rows, which ``words`` do not mention. “Forget” never means rows."""
    told, asked = " ".join(map(plain, words)), plain(sentence)
    return not _FORGETS.search(asked) and any(kind not in told for kind in _OF_ROWS.findall(asked))


def requests(written: str) -> str:
    """The sentences that may ask for a change: neither thanks, nor questions except “Can you …?”."""
    asking = (each for each in sentences(written) if not _QUESTION.search(each) or _TO_YOU.search(plain(each)))
    return "\n".join(each for each in asking if not _THANKS.fullmatch(plain(each)))


def _spoken(sentence: str) -> _Spoken:
    words = list(_words(sentence))
    return _Spoken(words=words, reported=reported(words, ends=_CLAUSE_ENDS, denials=_DENIALS))


def _has(known: _Spoken, wanted: _Spoken, beside: frozenset[_Turn]) -> bool:
    """Whether the sentence ``known`` says what ``wanted`` says. It may also have the turns ``beside``."""
    places = [at for at, word in enumerate(known.words) if _means_something(word)]
    turns = wanted.turns()
    # Reported speech need not be reported: “Wrote a book” is contained in “I wrote a book”.
    needed = turns - {_Turn.REPORTED}
    return any(
        needed <= known.turns_at(span[0], span[-1]) <= turns | beside
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
    """The words that may link the words at ``first`` with a value, by what precedes them in the clause."""
    start = next((at for at in reversed(range(first)) if known[at] in _CLAUSE_ENDS | _THAT), 0)
    before = _telling(known[start:first])
    if before and _CHANGES.match(before[-1]):
        return _TO
    return _IS if all(word in _NOW or _OPENINGS.fullmatch(word) for word in before) else frozenset()


def _clauses(known: Sequence[str], first: int, last: int) -> Sequence[str]:
    """The clauses from the one with the word ``first`` to the one with the word ``last``."""
    start = next((at for at in reversed(range(first)) if known[at] in _CLAUSE_ENDS), 0)
    end = next((at for at in range(last + 1, len(known)) if known[at] in _CLAUSE_ENDS), len(known))
    return known[start:end]


def _telling(words: Sequence[str]) -> list[str]:
    return [word for word in words if _means_something(word)]


def _means_something(word: str) -> bool:
    return word[:1].isalnum() and not (word in COMMON_WORDS or word in _DENIALS or word in _CLAUSE_ENDS)


def _denies(words: Iterable[str]) -> bool:
    return any(word in _DENIALS for word in words)


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
    yield from ("not" if _SHORT_NOT.fullmatch(word) else word for word in _WORD.findall(told))


def _signs(written: str) -> set[str]:
    if written.isascii():
        return set()
    signs = {each for each in unicodedata.normalize("NFC", written) if unicodedata.category(each) in _SIGNS}
    return signs - {_EMOJI_STYLE}


def _occurs(name: str, told: str) -> bool:
    """Whether ``told``, which is ``plain``, contains ``name``, and not as a part of longer words."""
    words = plain(name)
    # Searched first, because most names do not occur, and each needs another expression to be compiled.
    return bool(words) and words in told and re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", told) is not None
