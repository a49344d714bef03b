"""Normalizing a message to the text that the patterns of a grammar expect.

Politeness and symbols around a command are removed, contractions are spelled out, and misspelt words are corrected.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from agents.offline.grammar import LanguageGrammar, grammars
from agents.offline.reading import Reading

_WORD = re.compile(r"[^\W\d_]{3,}")
_MIN_MISTYPED_CHARS = 6
"""A shorter word with one wrong letter can be another word."""


def plain(grammar: LanguageGrammar, text: str) -> str:
    """``text`` without politeness at either end, and with its beginning spelled out. A text is not left empty."""
    opening = grammar.pattern(rf"(?:{grammar.opening})[\s,:;!.]+(?P<rest>.+)")
    closing = grammar.pattern(rf"(?P<rest>.+?)[\s,.!?;]+(?:{grammar.closing})")
    for pattern in (opening, closing):
        while match := pattern.fullmatch(text):
            text = match["rest"].strip(" \n,.!?")
    return spelled_out(grammar, text)


def without_hesitation(reading: Reading) -> Reading:
    """``reading`` without words such as “no, wait” before a command."""
    grammar = reading.grammar
    begun = grammar.pattern(rf"(?:(?:{grammar.hesitation})[\s,.!:;]+)+(?P<rest>.+)").fullmatch(reading.text)
    return replace(reading, text=plain(grammar, begun["rest"])) if begun else reading


def spelled_out(grammar: LanguageGrammar, text: str) -> str:
    """``text`` with the beginning that the patterns expect: “what's” for “whats”, “sposta la” for “spostala”."""
    for written, meant in grammar.spellings:
        text = grammar.pattern(f"^(?:{written})").sub(meant, text)
    return text


def without_symbols(message: str) -> str:
    """``message`` without emoji and other symbols at its ends, which rarely belong to a title."""
    start, end = 0, len(message)
    while start < end and _is_symbol(message[start]):
        start += 1
    while start < end and _is_symbol(message[end - 1]):
        end -= 1
    return message[start:end]


def corrections(reading: Reading) -> Iterator[tuple[Reading, bool]]:
    """``reading`` with its first misspelt word corrected, then with the first two, and so on.

    The flag is true for the last reading, in which all are corrected. Words are corrected to words of commands. A
    capitalised word is not corrected, because it can be a name.
    """
    text = reading.text
    misspelt = [
        (match, meant)
        for match in _WORD.finditer(text)
        if (match.start() == 0 or match[0].islower()) and (meant := _meant(reading.grammar, match[0].casefold()))
    ]
    for count in range(1, len(misspelt) + 1):
        corrected = text
        for match, meant in reversed(misspelt[:count]):
            corrected = f"{corrected[: match.start()]}{meant}{corrected[match.end() :]}"
        yield replace(reading, text=corrected), count == len(misspelt)


def is_command_word(word: str) -> bool:
    """Whether ``word`` is a word of commands in any language."""
    return any(word.casefold() in each.words for each in grammars())


@lru_cache(maxsize=4_096)  # users can write any number of different words
def _meant(grammar: LanguageGrammar, word: str) -> str | None:
    """The word of commands that ``word`` is probably meant to be; None if it is one itself, or is ambiguous."""
    if word in grammar.words or any(word in each.marks | each.listing.fillers for each in grammars()):
        return None
    words = [each for each in grammar.marks | grammar.listing.fillers if len(each) > len(word) - 2 and len(each) > 3]
    near = [each for each in words if each[0] == word[0]]
    for is_near in (_is_contracted, _is_swapped, _is_shortened, _is_lengthened, _is_mistyped):
        if matching := [each for each in near if is_near(word, each)]:
            return matching[0] if len(matching) == 1 else None
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
    """There is an additional letter, but not at the end: “deleted” is another word than “delete”."""
    return _is_shortened(meant, typed) and not typed.startswith(meant)


def _is_mistyped(typed: str, meant: str) -> bool:
    """One letter is wrong."""
    differ = sum(one != other for one, other in zip(typed, meant, strict=False))
    return len(typed) == len(meant) >= _MIN_MISTYPED_CHARS and differ == 1


def _is_symbol(mark: str) -> bool:
    return mark.isspace() or mark == "\ufe0f" or unicodedata.category(mark) in {"So", "Sk", "Cf"}
