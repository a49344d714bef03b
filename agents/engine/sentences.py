"""The sentences of messages and answers that are examined, in English and Italian. Pure.

Of long texts, only the beginning and the end are examined (``examined``).
"""

import re
from collections.abc import Iterator
from typing import Final

QUOTED: Final = re.compile(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|(?<=\S )\*\*[^*\n]*\*\*|(?<!\w)\'[^\'\n]*\'(?!\w)')
_DETAILS: Final = re.compile(rf"(?:{QUOTED.pattern}) ?\([^()\n]*\)")
"""A title and, in brackets, what a tool has told of its row, such as its state."""
_SPACES: Final = re.compile(r"[ \t*_]+")
_SENTENCE: Final = re.compile(r"[^.!?\n:;]+[.!?:;]?")
_ROW: Final = re.compile(r"\s*(?:[-*+|>#]|\d+[.)])")
OPENING: Final = (
    r"\s*(?:(?:ok|okay|sure|done|great|alright|all right|perfect|certainly|of course|yes|"
    r"fatto|certo|perfetto|va bene|sì|bene)\b[,!. –—-]*)*"
    r"(?:(?:in order to|to|for|per) \w[^,.\n]{0,100}, )?"
)
"""Words at the beginning of an answer that say nothing, as in “OK. To move the task, I …”."""
THING: Final = (
    r"(?:task|to-?do|project|note|checkpoint|milestone|comment|event|attività|progetto|nota|appunto|traguardo)"
)
"""Words for a row, in the singular."""
EXAMINED: Final = 4_000
"""How many characters at the beginning of a text, and at its end, are examined: it blocks the event loop."""


def examined(written: str) -> str:
    """``written``; of a long text, only the lines at its beginning and its end, of ``EXAMINED`` characters each.

    There an answer speaks of itself. An incomplete line is omitted, because half a sentence may claim what the whole
    one does not. If there is only one line, the same applies to its sentences.
    """
    if len(written) <= 2 * EXAMINED:
        return written
    beginning, end = written[:EXAMINED], written[-EXAMINED:]
    return f"{beginning[: _last_break(beginning)]}\n{end[_first_break(end) :]}"


def _last_break(beginning: str) -> int:
    line = beginning.rfind("\n")
    return line if line >= 0 else beginning.rfind(". ") + 1


def _first_break(end: str) -> int:
    line = end.find("\n")
    at = line if line >= 0 else end.find(". ")
    return len(end) if at < 0 else at + 1


def unquoted(message: str) -> str:
    """``message`` without its quotations, such as titles."""
    return QUOTED.sub(" ", message)


def sentences(answer: str) -> Iterator[str]:
    """The sentences of ``examined(answer)`` outside lists and tables, without titles and the details of their rows."""
    for line in examined(answer).splitlines():
        if not _ROW.match(line):
            yield from _SENTENCE.findall(_SPACES.sub(" ", QUOTED.sub(" ", _DETAILS.sub(" ", line))))
