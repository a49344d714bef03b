"""The words, in English and Italian, by which arguments are grounded in what a user has said. Pure."""

import re
from typing import Final

from agents.tools.rows import ID_IN_TEXT

CREATES: Final = re.compile(
    r"\b(?:creat\w*|add\w*|new|make|another|again|more|copy|duplicat\w*|"
    r"cre[ai]\w*|aggiun\w*|nuov[oaie]|altr[oaie]|ancora|copia\w*|duplica\w*)\b",
    re.IGNORECASE,
)
CLEARS: Final = re.compile(
    r"\b(?:clear\w*|remov\w+|delet\w+|empt\w+|drop\w*|eras\w+|wipe\w*|blank|unassign\w*|unset|reset|take|off|no|none|"
    r"nobody|noone|everyone|everybody|not|never|someday|whenever|open.?ended|indefinitely|without|longer|"
    r"any ?more|nothing|null|out|inbox|standalone|cancel\w*|need|rid|strip|away|"
    r"fuori|leva\w*|annull\w+|azzer\w+|stacc\w+|"
    r"svuot\w+|tog\w+|rimuov\w+|elimin\w+|cancell\w+|liber\w+|senza|nessun\w*|tutti|non|mai|niente|nulla|via|piu)\b"
)
"""Words of a ``plain`` message that may ask to clear something."""
LIKENESS: Final = re.compile(r"\b(?:same|like|as|equal|copy|stess[oaie]|come|uguale|copia)\b")
OFFERS: Final = re.compile(
    r"\?|\b(?:shall|should|suggest|propose|recommend|say so|let me know|could|propongo|suggerisco|consiglio|potrei)\b",
    re.IGNORECASE,
)
POINTS_AT: Final = re.compile(
    r"\b(?:projects?|progett[oi]|same|stess[oai]|here|there|qui|li|it|its|that|this|quest[oa]|quell[oa]|one|altr[oa])\b"
)
"""``plain`` words that may refer to a project without naming it."""
POINTS_AT_PEOPLE: Final = re.compile(
    r"\b(?:who\w*|same|person|people|someone|author|owner|team|everyone|everybody|them|him|her|they|he|she|one|"
    r"chi|stess[oaie]|person[ae]|qualcuno|autor[ei]|squadra|tutti|loro|lui|lei|quell[oaie])\b"
)
"""``plain`` words that may refer to a person without a name."""
POINTS_AT_TIME: Final = re.compile(r"\b(?:then|that|same|allora|quel|stess[oaie])\b")
"""``plain`` words that may refer to a day without naming it."""
SAYS_WHAT: Final = re.compile(r"\b(?:that|che)\b|:", re.IGNORECASE)
"""“Remember that …” says what to remember; “Remember how I work” does not."""
COMMAND: Final = re.compile(
    r"\b(?:creat\w*|add|make|please|call\w*|named|titled|with|task|project|note|user|wants?|"
    r"utente|vuole|crea\w*|aggiung\w*|chiama\w*|intitola\w*|attivita|progetto|nota)\b"
)
"""Words of a ``plain`` text that ask for a row without describing it."""
_LONG_WORD: Final = re.compile(r"[^\W_]{4,}")
"""A word that is long enough to say what a text is about."""
_ROW_COUNT: Final = re.compile(
    # A digit comes first, for which ``re`` searches fastest.
    r"\d(?<!\w\d)\d* (?:of them|(?:task|project|note|checkpoint|milestone|comment)s?)\b",
    re.IGNORECASE,
)
"""The number of rows on a page, which is not a time."""
_YEAR: Final = re.compile(r" (?:19|20)\d\d\b(?![-/.]?\d)")
_IN_NAME: Final = re.compile(
    r"\b(?!(?:in|by|until|till|of|since|before|after|for|nel|entro|del|dal|fino)\Z)[^\W\d_]+\Z", re.IGNORECASE
)
"""A word before a year that makes the year a part of a name, such as “Etichette 2026”."""
_MAX_NAME_CHARS: Final = 50


def without_numbers(text: str) -> str:
    """``text`` without numbers that are no times."""
    return _YEAR.sub(_named_or_said, _ROW_COUNT.sub("", ID_IN_TEXT.sub("", text)))


def _named_or_said(year: re.Match[str]) -> str:
    """The year, or "" if it is a part of a name."""
    end = year.start()
    return "" if _IN_NAME.search(year.string, max(0, end - _MAX_NAME_CHARS), end) else year[0]


def long_words(text: str) -> set[str]:
    """The long words of a ``plain`` text."""
    return set(_LONG_WORD.findall(text))


def telling_words(text: str) -> set[str]:
    """The long words of a ``plain`` text that describe a row."""
    # A listing repeats its words, so each is compared once.
    return {word for word in long_words(text) if not COMMAND.fullmatch(word)}
