"""What an answer promises to remember, in English and Italian. Conservative, as ``agents/engine/claims.py``."""

import re
from typing import Final

from agents.engine.sentences import OPENING, examined, sentences

_PROMISES: Final = re.compile(
    OPENING + r"(?:"
    r"(?:and |so |then )?I(?:['’]ll| will| shall)(?: now| always| certainly)* "
    r"(?:remember|(?:keep|bear) (?:that|this|it) in mind|note (?:that|this|it)|make a note|not forget)|"
    r"I(?:['’]ve| have)(?: now| just| also)* "
    r"(?:noted|made a note|remembered|saved (?:that|this|it) (?:to|in) my memory)|"
    r"(?:that['’]s|it['’]s) (?:noted|remembered)(?: for| down)|"
    r"(?:me )?(?:lo|la|ne|li|le|mi)?\s?(?:ricorderò|terrò (?:a mente|conto|presente)|segno|annoto|appunto)\b|"
    r"(?:lo|la|ne) tengo (?:a mente|presente)|(?:ho preso|prendo|prenderò) nota|non (?:lo |me lo )?dimenticherò"
    r")",
    re.IGNORECASE,
)
_NO_PROMISE: Final = re.compile(r"\b(?:if|unless|when|se|quando)\b|\?", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"^(?!\s*(?:do|did|can|could|what|who|ti|cosa|chi)\b).*"
    r"\b(?:remember|don['’]t forget|keep in mind|note that|memori[sz]e|"
    r"ricorda(?:ti|telo)?|tieni a mente|tieni presente|non dimenticare|memorizza|prendi nota)\b",
    re.IGNORECASE | re.DOTALL,
)


def promises_memory(answer: str) -> bool:
    """Whether ``answer`` says that something will be remembered, or has been noted."""
    return any(_PROMISES.match(sentence) and not _NO_PROMISE.search(sentence) for sentence in sentences(answer))


def asks_to_remember(message: str) -> bool:
    """Whether the user asks for something to be remembered, and not whether it is."""
    return _ASKS.search(examined(message)) is not None
