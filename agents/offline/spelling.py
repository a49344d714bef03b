"""A message as people type it → the text that the patterns of a grammar expect.

Politeness and symbols around a command are removed, contractions spelled out, misspelt words corrected.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from agents.offline.grammar import LanguageGrammar, grammars
from agents.offline.reading import Reading

_WORD = re.compile(r"[^\W\d_]{3,}")
_SURE = 6
"""A shorter word with one wrong letter may be another word."""


def plain(grammar: LanguageGrammar, text: str) -> str:
    """The text without politeness at either end, with its beginning spelled out; text that is only polite stays."""
    opening = grammar.pattern(rf"(?:{grammar.opening})[\s,:;!.]+(?P<rest>.+)")
    closing = grammar.pattern(rf"(?P<rest>.+?)[\s,.!?;]+(?:{grammar.closing})")
    for pattern in (opening, closing):
        while match := pattern.fullmatch(text):
            text = match["rest"].strip(" \n,.!?")
    return spelled_out(grammar, text)


def without_hesitation(reading: Reading) -> Reading:
    """The reading without words such as “no, wait” before a command."""
    grammar = reading.grammar
    begun = grammar.pattern(rf"(?:(?:{grammar.hesitation})[\s,.!:;]+)+(?P<rest>.+)").fullmatch(reading.text)
    return replace(reading, text=plain(grammar, begun["rest"])) if begun else reading


def spelled_out(grammar: LanguageGrammar, text: str) -> str:
    """The text with its beginning as the patterns expect it: “what's” for “whats”, “sposta la” for “spostala”."""
    for written, meant in grammar.spellings:
        text = grammar.pattern(f"^(?:{written})").sub(meant, text)
    return text


def without_symbols(message: str) -> str:
    """``message`` without emoji and such at its ends, which may belong to a title and seldom do."""
    start, end = 0, len(message)
    while start < end and _is_symbol(message[start]):
        start += 1
    while start < end and _is_symbol(message[end - 1]):
        end -= 1
    return message[start:end]


def corrections(reading: Reading) -> Iterator[tuple[Reading, bool]]:
    """The reading with its first misspelt word corrected, then the first two, …; true with the last, of all words.

    Only words that may be those of a command are corrected. A capitalised word may be a name.
    """
    text = reading.text
    found = [
        (match, meant)
        for match in _WORD.finditer(text)
        if (match.start() == 0 or match[0].islower()) and (meant := _meant(reading.grammar, match[0].casefold()))
    ]
    for count in range(1, len(found) + 1):
        corrected = text
        for match, meant in reversed(found[:count]):
            corrected = f"{corrected[: match.start()]}{meant}{corrected[match.end() :]}"
        yield replace(reading, text=corrected), count == len(found)


def is_command_word(word: str) -> bool:
    """Whether ``word`` is one of those that a language has for commands."""
    return any(word.casefold() in each.words for each in grammars())


@lru_cache(maxsize=4_096)  # users can write any number of different words
def _meant(grammar: LanguageGrammar, word: str) -> str | None:
    """The one word of commands that ``word`` is most likely meant to be; None if it is one, or there are several."""
    if word in grammar.words or any(word in each.marks | each.listing.fillers for each in grammars()):
        return None
    words = [each for each in grammar.marks | grammar.listing.fillers if len(each) > len(word) - 2 and len(each) > 3]
    near = [each for each in words if each[0] == word[0]]
    for is_near in (_is_contracted, _is_swapped, _is_shortened, _is_lengthened, _is_mistyped):
        if fitting := [each for each in near if is_near(word, each)]:
            return fitting[0] if len(fitting) == 1 else None
    return None


def _is_contracted(typed: str, meant: str) -> bool:
    """The apostrophe is missing."""
    return typed == meant.replace("'", "") != meant


def _is_swapped(typed: str, meant: str) -> bool:
    """Two neighbouring letters are in the wrong order."""
    return any(f"{typed[:at]}{typed[at + 1 : at + 2]}{typed[at]}{typed[at + 2 :]}" == meant for at in range(len(typed)))


def _is_shortened(typed: str, meant: str) -> bool:
    """A letter is missing."""
    return any(f"{meant[:at]}{meant[at + 1 :]}" == typed for at in range(len(meant)))


def _is_lengthened(typed: str, meant: str) -> bool:
    """A letter is too much, but not the last: “deleted” is another word than “delete”."""
    return _is_shortened(meant, typed) and not typed.startswith(meant)


def _is_mistyped(typed: str, meant: str) -> bool:
    """One letter is another one."""
    differ = sum(one != other for one, other in zip(typed, meant, strict=False))
    return len(typed) == len(meant) >= _SURE and differ == 1


def _is_symbol(mark: str) -> bool:
    return mark.isspace() or mark == "\ufe0f" or unicodedata.category(mark) in {"So", "Sk", "Cf"}
