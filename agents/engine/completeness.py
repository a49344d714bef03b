"""Whether an answer tells all of a list that the user asked for. Conservative, in English and Italian. Pure.

Small models name the first row and stop.
"""

import re
from collections.abc import Sequence
from typing import Final

from agents.engine.claims import asks_to_see
from agents.titles import plain

_CHOOSES: Final = re.compile(
    r"\b(?:most|least|first|last|next|best|worst|biggest|oldest|newest|latest|earliest|only|one|any|top|main|"
    r"più|meno|prim[oaie]|ultim[oaie]|prossim[oaie]|migliore|peggiore|solo|un[oa]?|qualche|qualcuna?)\b",
    re.IGNORECASE,
)
"""Words of a message that wants less than all that there is."""
_COUNTS: Final = re.compile(r"\b(?:how many|quant[ei])\b", re.IGNORECASE)
_DRAWN: Final = re.compile(r"```|^\s*\|", re.MULTILINE)
"""A chart or a table tells rows in its own way."""


def asks_how_many(message: str) -> bool:
    """Whether the user's ``message`` asks for a number of rows."""
    return _COUNTS.search(message) is not None


def left_out(answer: str, titles: Sequence[str], message: str) -> list[str]:
    """Those of ``titles`` that ``answer`` does not name, if the user's ``message`` wants all and it names some."""
    if not asks_to_see(message) or asks_how_many(message) or _CHOOSES.search(message) or _DRAWN.search(answer):
        return []
    told = plain(answer)
    missing = [title for title in titles if plain(title) not in told]
    return missing if len(missing) < len(titles) else []
