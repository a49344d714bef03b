"""Follow-ups, which are clear only in their conversation (“and her birthday?”), in English and Italian. Pure."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from memory.search.requests import (
    asking_sentences,
    asks_of_the_world,
    clauses_of,
    is_request,
    surely_of_the_world,
    wants_to_know,
)
from memory.search.supplied_text import supplies_text, without_supplied_text
from memory.search.words import asked_words, comparable, is_common

_FEW_WORDS: Final = 4
"""A message with more content words is clear by itself, even if it refers to something."""
_MAX_BACK: Final = 6
"""How many earlier messages and answers are searched for the topic."""
_MAX_CHARS: Final = 600
"""How many characters of each earlier message or answer are read."""
_CONTINUES: Final = re.compile(
    r"^\W*(?:(?:ok|okay|oh|ah|hm+|right|great|perfect|cool|thanks|grazie|bene|perfetto|ottimo),? )*"
    r"(?:and|or|but|so|also|plus|what about|how about|what if|ed?|o|ma|pero|anche|pure|quindi|poi|invece)\b"
)
_TIMES: Final = r"(?:morning|afternoon|evening|night|week(?:end)?|month|year|spring|summer|autumn|winter)"
_TEMPI: Final = r"(?:mattin[ao]|pomeriggio|sera|notte|settimana|fine|mese|anno|primavera|estate|autunno|inverno)"
_REFERS: Final = re.compile(
    r"\b(?:he|him|his|she|hers?|its?|they|them|theirs?|there|then|th[ao]se|same|others?|another|"
    rf"(?:that|the|this|which) (?:\w+ )?ones?|(?:that|this|these)(?! {_TIMES}\b)|"
    r"lui|lei|loro|su[oa]|suoi|sue|quell[oaie]|stess[oaie]|altr[oaie]|invece|l[aio]|ci|ne|gli|"
    r"glie(?:l[aeio]|ne)|[cmt]e (?:l[aeio]|ne|l')|"
    rf"quest[oaie](?! {_TEMPI}\b)|"
    # “Chiamarla”, “dirgli”, “mandamelo”.
    r"\w+(?:[aei]r(?:l[aeio]|gli|ne|ci)|(?:[mt]|gli)el[aeio]))\b"
)


class Earlier(NamedTuple):
    """An earlier message of the conversation, or an answer of the assistant."""

    text: str
    is_answer: bool


def follows_up(message: str) -> bool:
    """Whether a message asks about something that it does not name itself."""
    asked = asking_sentences(message)
    plain = comparable(asked)
    if supplies_text(plain) or surely_of_the_world(plain):
        return False
    continues = _CONTINUES.match(plain) is not None
    asks = "?" in plain or is_request(plain) or asks_of_the_world(plain) or any(map(wants_to_know, clauses_of(plain)))
    if not (continues or asks):
        return False
    content = [word for word in asked_words(asked, "en") if not is_common(word)]
    refers = continues or _REFERS.search(plain) is not None
    return len(content) <= (_FEW_WORDS if refers else 1)


def followed_up(message: str, before: Sequence[Earlier]) -> list[Earlier]:
    """The messages and answers in ``before`` that ``message`` follows up, shortened, latest first."""
    if not before or not follows_up(message):
        return []
    return [earlier._replace(text=earlier.text[:_MAX_CHARS]) for earlier in before[: -_MAX_BACK - 1 : -1]]


def full_text(message: str, before: Sequence[Earlier]) -> str:
    """The user's messages that ``message`` follows up, and ``message`` without the text that it supplies."""
    followed = [earlier.text for earlier in followed_up(message, before) if not earlier.is_answer]
    return "\n".join([*reversed(followed), without_supplied_text(message)])
