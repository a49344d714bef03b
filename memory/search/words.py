"""Texts for comparison: words without case, accents and endings, sentences, and passages of a few sentences. Pure."""

import re
import threading
import unicodedata
from collections.abc import Iterator
from typing import Final

import Stemmer

from memory.search.vocabulary import COMMON_WORDS, REQUEST_WORDS, STOP_WORDS

PASSAGE_CHARS: Final = 300
"""A passage ends at the last end of a sentence or line within this length."""

_WORD: Final = re.compile(r"[^\W_]+")
_MAY_BE_MARKS: Final = re.compile("[^\0-\u02ff]{30}")
"""A long run of characters that may be combining marks; Latin letters are not."""
_SENTENCE_ENDS: Final = re.compile(r"(?<=[.?!…])\s+|\n+")
_END: Final = re.compile(r"(?<=[.!?…])[\"”»')\]]*\s+|\n\s*")
# "Order" in other phrases is a purchase.
_IN_ORDER: Final = re.compile(r"\bin (?:what |which )?order\b|\border in which\b")
# Before it there may be a line in brackets, such as the time. “Of course:” is no name.
_SPEAKER: Final = re.compile(
    r"(?:\([^)\n]*\)\s*|\[[^\]\n]*\]\s*)?"
    r"(?P<name>[^\W\d_][\w'’-]+(?: [^\W\d_a-zà-ÿ][\w'’-]+)?): "
)
_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")
_AROUND: Final = " \"'`“”„«»"
_NO_CACHE: Final = 0
_MIN_STOP_WORDS: Final = 2
"""A text with fewer stop words of a language is not recognized as being in it."""


class _Stemmers(threading.local):
    """The stemmers of a thread, because threads cannot share them.

    They cache nothing. A cache takes 2 MiB for each language and thread once it is full, and makes the stemming of rare
    words nine times as slow.
    """

    def __init__(self) -> None:
        self._by_language: dict[str, Stemmer.Stemmer] = {}

    def __getitem__(self, language: str) -> "Stemmer.Stemmer | None":
        if language not in self._by_language:
            try:
                self._by_language[language] = Stemmer.Stemmer(language, _NO_CACHE)
            except KeyError:
                return None
        return self._by_language[language]


_STEMMERS: Final = _Stemmers()


def folded(text: str) -> str:
    """``text`` without case and accents."""
    if text.isascii():
        return text.lower()
    plain = text.casefold()
    if _MAY_BE_MARKS.search(plain):
        # Normalization takes quadratic time for many consecutive marks, because it sorts them.
        plain = _without_marks(plain)
    plain = unicodedata.normalize("NFKD", plain)
    return plain if plain.isascii() else _without_marks(plain)


def _without_marks(text: str) -> str:
    return "".join([letter for letter in text if not unicodedata.combining(letter)])


def comparable(text: str) -> str:
    """``text`` folded, with plain apostrophes."""
    return folded(text).replace("’", "'")


def loosely(text: str) -> str:
    """``text`` folded, without the marks around and between words, which models leave out or add: ``"buy_milk"``."""
    words = " ".join(folded(text).split())
    return _BETWEEN_WORDS.sub(" ", words).strip(_AROUND) or words


def words_of(text: str) -> list[str]:
    """All words of ``text``, folded, in order."""
    return _WORD.findall(folded(text))


def sentences_of(text: str) -> list[str]:
    """The sentences and lines of ``text``, which may be ``comparable``, with their punctuation."""
    return [sentence for part in _SENTENCE_ENDS.split(text) if (sentence := part.strip())]


def primary_language(tag: str) -> str:
    """The language of an IETF tag without its region, as ISO 639-1."""
    return tag.partition("-")[0].lower()


def language_of(words: list[str], spoken: str) -> str:
    """The language of ``words`` (ISO 639-1): English or Italian by stop words, or else ``spoken`` (an IETF tag)."""
    counts = {language: sum(map(stops.__contains__, words)) for language, stops in STOP_WORDS.items()}
    best = max(counts, key=lambda language: counts[language])
    own = primary_language(spoken)
    return best if counts[best] >= max(_MIN_STOP_WORDS, counts.get(own, 0) + 1) else own


def stems_of(words: list[str], language: str) -> list[str]:
    """The stems of the words that are no stop words, by the Snowball algorithm of ``language``.

    Words of a language without such an algorithm are their own stems.
    """
    stops = STOP_WORDS.get(language, frozenset())
    kept = [word for word in words if word not in stops]
    stemmer = _STEMMERS[language]
    return kept if stemmer is None else stemmer.stemWords(kept)


def stem(word: str, language: str) -> str:
    """The stem of one folded ``word``, which may be a stop word; as ``stems_of``."""
    stemmer = _STEMMERS[language]
    return word if stemmer is None else stemmer.stemWord(word)


def asked_words(question: str, spoken: str) -> list[str]:
    """The distinct content words of a question. Words of requests (“tell”) are included only if there are no others.

    ``spoken`` is the user's language (an IETF tag).
    """
    words = list(dict.fromkeys(_WORD.findall(_IN_ORDER.sub(" ", folded(question)))))
    language = language_of(words, spoken)
    kept = [word for word in words if word not in STOP_WORDS.get(language, ())]
    return [word for word in kept if word not in REQUEST_WORDS.get(language, ())] or kept


def is_common(word: str) -> bool:
    """Whether a word (folded) says little about a topic: it is common, or a number."""
    return word.isdigit() or any(word in words for words in COMMON_WORDS.values())


def speaker_of(text: str) -> frozenset[str]:
    """The words (folded) of the name before a colon at the beginning of ``text``, as in minutes and pasted chats."""
    found = _SPEAKER.match(text)
    return frozenset(words_of(found["name"])) if found else frozenset()


def passages_of(text: str) -> Iterator[tuple[int, int]]:
    """The begin and end of each passage of ``text``: whole sentences or lines, or parts of long ones."""
    begin = end = following = 0
    for piece_end, next_begin in _pieces(text):
        if piece_end - begin > PASSAGE_CHARS and end > begin:
            yield begin, end
            begin = following
        while piece_end - begin > PASSAGE_CHARS:
            cut = text.rfind(" ", begin + PASSAGE_CHARS // 2, begin + PASSAGE_CHARS)
            cut = begin + PASSAGE_CHARS if cut < 0 else cut
            yield begin, cut
            begin = cut
        end, following = piece_end, next_begin
    if text[begin:end].strip():
        yield begin, end


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The end of each sentence or line, and the begin of the next one."""
    for match in _END.finditer(text):
        end = match.start()
        # If the pattern began with this white space, matching would take quadratic time.
        while end and text[end - 1].isspace():
            end -= 1
        yield end, match.end()
    yield len(text), len(text)


COMMON_STEMS: Final = frozenset(
    stem
    for words in (COMMON_WORDS, REQUEST_WORDS)
    for language, of_language in words.items()
    for stem in stems_of(sorted(of_language), language)
)
"""The stems of common words and of words of requests."""
