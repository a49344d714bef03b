"""The rows that the user's own words name, by id, exact title or the viewed page, and the texts that they repeat."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from typing import Final

from agents.calls import Row, Table
from agents.permissions.withholding import HiddenRow
from agents.scopes import AnyScope, viewed_project, viewed_row
from agents.titles import plain
from agents.tools.rows import text, title_of
from memory.search.words import sentences_of, stem
from memory.speech import CLAUSE_ENDS, DENIALS, reported

_WORD: Final = re.compile(r"\w+n['’]t\b|\w+|[,;:]")
_CONTRACTED_NOT: Final = re.compile(r"\w+n['’]t")
_NOT_FORGOTTEN: Final = re.compile(
    r"\b(?:(?:do not|don['’]?t|never|must not|mustn['’]?t)(?: ever| you)? forget"
    r"|(?:non|mai)(?: ti| vi)? (?:dimentic|scord)\w*)\b"
)
"""“Remember” in words with a negation, in ``plain`` text."""
_NO_LONGER: Final = re.compile(r"\b(?:(?:i|we|he|she|they) used to|used to be|gave up)\b")
"""Other words for “stopped”, in ``plain`` text."""
_ANYTHING_BUT: Final = re.compile(r"\banything but\b|\btutt['’]altro che\b")
_ALL_BUT: Final = re.compile(r"\b(all|every\w+) but\b")
_WORD_OR_NUMBER: Final = re.compile(r"[^\W\d_]+|\d+")
_LETTERS_AND_DIGITS: Final = re.compile(r"(?=\S*[^\W\d_])(?=\S*\d)\S+")
"""An id that hardly occurs with another meaning. The id of an imported row can be a word or a date."""
_LANGUAGES: Final = ("en", "it")
_LONG_STEM: Final = 5
"""From this length on, the stems of one word can differ by a letter at the end, as in “allergic” and “allergy”."""
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
"""Words that a model may add when it repeats statements of users about themselves, in English and Italian."""

_IS: Final = frozenset({"are", "e", "is", "sono", ":"})
_NOW: Final = frozenset({"adesso", "instead", "invece", "now", "ora"})
_THAT: Final = frozenset({"che", "that"})
_TO: Final = frozenset({"a", "con", "in", "to", "with"})
_CHANGE_VERB: Final = re.compile(r"chang|set|updat|switch|correct|cambi|impost|aggiorn|modific|corregg|sostitui")
_OPENINGS: Final = re.compile(
    r"actually|also|anche|hello|hi|keep|kno\w+|mind|not[ae]\w*|remember\w*|sa(?:i|pp\w+|v\w+)|store|think|today"
    r"|annot\w+|ciao|memorizz\w+|oggi|penso|ricord\w+|salv\w+|segn\w+|tien\w*|current|new|attuale|nuov[oa]"
)
"""Words that may precede a statement in its clause. “Bob's favourite tea is …” says nothing about the user's."""
_SYMBOL_CATEGORIES: Final = frozenset({"Cf", "Cn", "Co", "Mc", "Mn", "Me", "Sc", "Sk", "Sm", "So", "Zs"})
"""Unicode categories of characters outside words and punctuation that a model can read.

Examples are invisible tags, letters in squares, flags, Braille, and white space of unusual widths.
"""
_MARK: Final = re.compile(r"[^\w\s]")
_LETTERS: Final = re.compile(r"\w+")
_MAX_MARKS_PER_WORD: Final = 2
_MARKED_WORD: Final = re.compile(
    r"[$+<=>]|(?<!\w)-\d+|(?<![^\s,;!?'’(“\"])\w[^\s,;!?'’]*(?:@|[./:](?=\w)|(?<=\d)[-,](?=\d))[^\s,;!?]*\w"
)
"""A sign, a number or an address in which each punctuation mark counts: “-5”, “8:15”, “a-b@example.org”."""
_LAYOUT: Final = re.compile(r"\s{3}|[\t\v\f\r]")
_EMOJI_STYLE: Final = "\ufe0f"
"""A variation selector: it only changes how the character before it is drawn."""
_WEAKENS: Final = re.compile(
    r"afraid|avoid\w*|barely|detest\w*|dislik\w*|fail\w*|forb\w+|forgot|hardly|hat(?:e|es|ed|ing)|rarely|refus\w*"
    r"|reluctant\w*|scarcely|seldom|stops?|stopping|unable"
    r"|detest\w*|dimenticat[oaie]|evit\w*|fatic\w*|odi[oa]|odiamo|raramente|rifiut\w*|smett\w*|tem[oei]"
)
"""A ``plain`` word that denies or weakens the words after it."""
_WANTS: Final = re.compile(r"\b(?:(?:want|hope|(?:would|d)(?: \w+)? like) (?P<to>to)|(?:vorrei|voglio|spero)(?: di)?)$")
"""The words before something that the user only wants to do."""
_INFINITIVE: Final = re.compile(r"\w+(?:[aei]|r)re")
_MINE: Final = frozenset({"mia", "mie", "miei", "mio", "my"})
_LIMITS: Final = frozenset({"eccetto", "escluso", "except", "excepting", "excluding", "fuorche", "tranne"})
"""A ``plain`` word that makes an exception from the words before it."""
_MAX_STARTS: Final = 50


class _Modality(Enum):
    """Why a clause may mean something other than its content words."""

    DENIED = auto()
    REPORTED = auto()
    WEAKENED = auto()
    """Only words beside the weakening one: “I avoid meat” does not state “meat”, nor “I hate coffee” “coffee”."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sentence:
    """The words of a sentence, and whether each of them is reported speech."""

    words: Sequence[str]
    reported: Sequence[bool]

    def modality(self) -> frozenset[_Modality]:
        return _modality(denied=_denies(self.words), reported=any(self.reported))

    def is_weakened(self, first: int, last: int) -> bool:
        """Whether the content word before those from ``first`` to ``last``, or the word after them, weakens them."""
        before = next((word for word in reversed(self.words[:first]) if word not in COMMON_WORDS), "")
        after = "".join(self.words[last + 1 : last + 2])
        return _WEAKENS.fullmatch(before) is not None or after in _LIMITS or self._is_wanted(first)

    def _is_wanted(self, first: int) -> bool:
        """Whether the user only wants to do what the word at ``first`` says: “I want to live …”, “Vorrei vivere …”."""
        found = _WANTS.search(" ".join(self.words[max(0, first - 4) : first]))
        return found is not None and (bool(found["to"]) or _INFINITIVE.fullmatch(self.words[first]) is not None)

    def modality_of(self, first: int, last: int) -> frozenset[_Modality]:
        """The modality of the clauses from the word ``first`` to the word ``last``."""
        denied = _denies(_clauses(self.words, first, last))
        return _modality(denied=denied, reported=any(self.reported[first : last + 1]))


def _modality(*, denied: bool, reported: bool) -> frozenset[_Modality]:
    flags = ((_Modality.DENIED, denied), (_Modality.REPORTED, reported))
    return frozenset(modality for modality, is_set in flags if is_set)


def is_named(hidden: HiddenRow, *, message: str, scope: AnyScope | None) -> bool:
    """Whether the user's ``message`` names the row, or the user views it.

    Titles are compared without case, accents and white space. A part of a longer word names nothing. An id can
    consist of words with marks between them: the user is asked about such a row in any case.
    """
    row_id, plain_message = text(hidden.row, "id"), plain(message)
    by_id = not _WORD_OR_NUMBER.fullmatch(row_id) and _occurs(row_id, plain_message)
    return viewed_row(scope) == (hidden.table, row_id) or by_id or names_in_plain(plain_message, hidden.row)


def names(message: str, row: Row) -> bool:
    """Whether ``message`` contains the id or the exact title of ``row``. Titles are compared as by ``is_named``."""
    return names_in_plain(plain(message), row)


def names_in_plain(plain_text: str, row: Row) -> bool:
    """As ``names``, for a text that is ``plain`` already: folding a long text takes milliseconds."""
    row_id = text(row, "id")
    by_id = _LETTERS_AND_DIGITS.fullmatch(row_id) is not None and _occurs(row_id, plain_text)
    return by_id or _occurs(title_of(row), plain_text)


def is_on_page(table: Table, row: Row, scope: AnyScope | None) -> bool:
    """Whether the user views ``row``, or the project that it belongs to."""
    viewed = viewed_project(scope)
    return viewed_row(scope) == (table, text(row, "id")) or (viewed is not None and text(row, "projectId") == viewed)


def repeats(quote: str, said: str, *, beside: Sequence[str] = (), is_order: bool = False) -> bool:
    """Whether each sentence of ``quote`` is contained in a sentence of ``said``: its content words are adjacent there.

    The words may have other endings. Negations must be in both clauses or in neither, because without them the rest
    says the opposite. So must words like “says”, because what Bob says is not what the user says; but they may also be
    in a text ``beside`` the quote, and are ignored in an order of the user (``is_order``). Characters outside words,
    such as emoji, must also be in ``said``.
    """
    if not _symbols(quote) <= _symbols(said) or _may_be_code(quote, said) or _has_other_marks(quote, said):
        return False
    known = list(map(_sentence, sentences_of(said)))
    wanted = [each for each in map(_sentence, sentences_of(quote)) if _content_words(each.words)]
    if not wanted:
        return _occurs(quote, plain(said))
    allowed = frozenset({_Modality.REPORTED} if is_order else ()).union(*(_modality_beside(each) for each in beside))
    return all(any(_contains(sentence, each, allowed) for sentence in known) for each in wanted)


def is_mine(words: str, said: str) -> bool:
    """Whether ``said`` has ``words`` only as something of the user's own: “my PIN is …”, but not “her PIN is …”."""
    known, wanted = list(_words(said)), _content_words(list(_words(words)))
    positions = [at for at, word in enumerate(known) if _is_content_word(word)]
    before = [known[span[0] - 1] if span[0] else "" for span in _spans(known, positions, wanted)]
    return bool(before) and all(word in _MINE for word in before)


def begins_with(sentence: str, words: Iterable[str]) -> bool:
    """Whether the first content word of ``sentence`` is one of ``words``."""
    first = next(iter(_content_words(list(_words(sentence)))), "")
    return any(_are_forms(first, word) for word in words if first)


def states(key: str, value: str, said: str) -> bool:
    """Whether a sentence of ``said`` states that ``key`` is ``value``, such as “My tea is now Assam” or “tea: Assam”.

    So does an order to change it: “Change my tea to Assam”. “I bought my tea today” does not state that it is today.
    """
    name, words = _content_words(list(_words(key))), _content_words(list(_words(value)))
    start = next(iter(_spans(words, range(len(words)), name)), range(0))
    rest = [word for at, word in enumerate(words) if at not in start]
    return bool(name and rest) and any(_equates(list(_words(each)), name, rest) for each in sentences_of(said))


def _modality_beside(text_beside: str) -> frozenset[_Modality]:
    sentence = _sentence(text_beside)
    weakens = any(_WEAKENS.fullmatch(word) or word in _LIMITS for word in sentence.words)
    return sentence.modality() | (frozenset({_Modality.WEAKENED}) if weakens else frozenset())


def _sentence(written: str) -> _Sentence:
    words = list(_words(written))
    return _Sentence(words=words, reported=reported(words))


def _contains(known: _Sentence, wanted: _Sentence, allowed: frozenset[_Modality]) -> bool:
    """Whether the sentence ``known`` says what ``wanted`` says. It may also have the modalities ``allowed``."""
    positions = [at for at, word in enumerate(known.words) if _is_content_word(word)]
    modality = wanted.modality()
    # Reported speech need not be reported: “Wrote a book” is contained in “I wrote a book”.
    required = modality - {_Modality.REPORTED}
    return any(
        required <= known.modality_of(span[0], span[-1]) <= modality | allowed
        and not (known.is_weakened(span[0], span[-1]) and _Modality.WEAKENED not in allowed)
        for span in _spans(known.words, positions, _content_words(wanted.words))
    )


def _spans(known: Sequence[str], positions: Sequence[int], words: Sequence[str]) -> Iterator[Sequence[int]]:
    """The adjacent ``positions`` at which ``known`` has ``words``, perhaps with other endings."""
    starts = (first for first, at in enumerate(positions) if words and _are_forms(words[0], known[at]))
    for first in islice(starts, _MAX_STARTS):
        span = positions[first : first + len(words)]
        if len(span) == len(words) and all(map(_are_forms, words, (known[at] for at in span))):
            yield span


def _equates(known: Sequence[str], name: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether the sentence ``known`` has only words like “is” between ``name`` and ``rest``, in either order."""
    positions = [at for at, word in enumerate(known) if _is_content_word(word) and word not in _NOW]
    return any(
        positions.index(one[-1]) + 1 == positions.index(other[0])
        and not _copulas_after(known, one[0]).isdisjoint(known[one[-1] + 1 : other[0]])
        for key in _spans(known, positions, name)
        for value in _spans(known, positions, rest)
        for one, other in ((key, value), (value, key))
    )


def _copulas_after(known: Sequence[str], first: int) -> frozenset[str]:
    """The words that can join the words at ``first`` to their value, given the words before them in their clause."""
    start = next((at for at in reversed(range(first)) if known[at] in CLAUSE_ENDS | _THAT), 0)
    before = _content_words(known[start:first])
    if before and _CHANGE_VERB.match(before[-1]):
        return _TO
    return _IS if all(word in _NOW or _OPENINGS.fullmatch(word) for word in before) else frozenset()


def _clauses(known: Sequence[str], first: int, last: int) -> Sequence[str]:
    """The clauses from the one with the word ``first`` to the one with the word ``last``."""
    start = next((at for at in reversed(range(first)) if known[at] in CLAUSE_ENDS), 0)
    end = next((at for at in range(last + 1, len(known)) if known[at] in CLAUSE_ENDS), len(known))
    return known[start:end]


def _content_words(words: Sequence[str]) -> list[str]:
    return [word for word in words if _is_content_word(word)]


def _is_content_word(word: str) -> bool:
    return word[:1].isalnum() and not (word in COMMON_WORDS or word in DENIALS or word in CLAUSE_ENDS)


def _denies(words: Iterable[str]) -> bool:
    return any(word in DENIALS for word in words)


def _are_forms(word: str, other: str) -> bool:
    """Whether both are forms of one word in a known language. A number has no other form."""
    if word == other:
        return True
    if word[0] != other[0] or any(letter.isdigit() for letter in word + other):
        return False
    return any(_stems_match(stem(word, language), stem(other, language)) for language in _LANGUAGES)


def _stems_match(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    more = len(longer) - len(shorter)
    return longer.startswith(shorter) and more <= (1 if len(shorter) >= _LONG_STEM else 0)


def _words(written: str) -> Iterator[str]:
    # Models write keys as in programs: "favourite_tea".
    normalized = _NO_LONGER.sub("stopped", _NOT_FORGOTTEN.sub("remember", plain(written).replace("_", " ")))
    normalized = _ALL_BUT.sub(r"\1 except", _ANYTHING_BUT.sub("not", normalized))
    yield from ("not" if _CONTRACTED_NOT.fullmatch(word) else word for word in _WORD.findall(normalized))


def _symbols(written: str) -> set[str]:
    if written.isascii():
        return set()
    normalized = unicodedata.normalize("NFC", written)
    symbols = {each for each in normalized if unicodedata.category(each) in _SYMBOL_CATEGORIES}
    return symbols - {_EMOJI_STYLE, " "}


def _may_be_code(quote: str, said: str) -> bool:
    """Whether a text may be hidden in the punctuation or in the white space of ``quote``."""
    marks = len(_MARK.findall(quote))
    many = marks > _MAX_MARKS_PER_WORD * (len(_LETTERS.findall(quote)) + 1) and marks > len(_MARK.findall(said))
    return many or (_LAYOUT.search(quote.strip()) is not None and quote.strip() not in said)


def _has_other_marks(quote: str, said: str) -> bool:
    """Whether a number or an address of ``quote`` has another punctuation than in ``said``, and so another meaning."""
    plain_said = plain(said)
    return any(each not in plain_said for each in _MARKED_WORD.findall(plain(quote)))


def _occurs(name: str, plain_text: str) -> bool:
    """Whether ``plain_text`` contains ``name``, and not as a part of longer words."""
    words = plain(name)
    pattern = rf"(?<![\w-]){re.escape(words)}(?![\w-])"
    # ``in`` comes first: most names do not occur, and compiling a pattern takes long.
    return bool(words) and words in plain_text and re.search(pattern, plain_text) is not None
