"""The sentences of messages and answers that are examined, in English and Italian. Pure.

Of long texts only the beginning and the end are examined (``examined``).
"""

import re
from collections.abc import Iterator
from typing import Final

QUOTED: Final = re.compile(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|(?<=\S )\*\*[^*\n]*\*\*|(?<!\w)\'[^\'\n]*\'(?!\w)')
_SPACES: Final = re.compile(r"[ \t*_]+")
_SENTENCE: Final = re.compile(r"[^.!?\n:;]+[.!?:;]?")
_ROW: Final = re.compile(r"\s*(?:[-*+|>#]|\d+[.)])")
OPENING: Final = (
    r"\s*(?:(?:ok|okay|sure|done|great|alright|all right|perfect|certainly|of course|yes|"
    r"fatto|certo|perfetto|va bene|sì|bene)\b[,!. –—-]*)*"
)
"""What an answer may begin with before it says anything."""
THING: Final = (
    r"(?:task|to-?do|project|note|checkpoint|milestone|comment|event|attività|progetto|nota|appunto|traguardo)"
)
"""A row of a kind that the user keeps, in the singular."""
EXAMINED: Final = 4_000
"""Characters at the beginning of a text, and as many at its end, that are examined: the event loop waits meanwhile."""


def examined(written: str) -> str:
    """``written``; of a long text only the lines at its beginning and its end, of ``EXAMINED`` characters each.

    What an answer says of itself is there. A line that is cut is left out, because half a sentence may claim what the
    whole one does not; if there is only one line, its sentences count instead.
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
    """``message`` without what is quoted in it, such as titles."""
    return QUOTED.sub(" ", message)


def sentences(answer: str) -> Iterator[str]:
    """The sentences of ``answer`` outside of lists and tables, without what is quoted in them; as ``examined``."""
    for line in examined(answer).splitlines():
        if not _ROW.match(line):
            yield from _SENTENCE.findall(_SPACES.sub(" ", QUOTED.sub(" ", line)))
