"""Texts that a message supplies to be translated, corrected or shortened, in English and Italian. Pure.

“Translate into French: the table is laid” is not about a table. In case of doubt, a message supplies no text.
"""

import re
from typing import Final

from memory.search.requests import asks_or_wants

_INTO_LANGUAGE: Final = re.compile(
    r"\b(?:in(?:to)?|to|from|d[ae]l|dall')[ ]?(?:arab\w*|catal\w*|chinese|cinese|croat\w*|czech|dan(?:ese|ish)|dutch|"
    r"english|finlandese|finnish|francese|french|german|giapponese|greco|greek|hebrew|hindi|inglese|irish|italian\w?|"
    r"japanese|korean|latin\w?|norvegese|norwegian|olandese|polacco|polish|portog\w*|portuguese|romanian|rumeno|"
    r"russ\w*|spagnolo|spanish|swedish|svedese|tedesco|turco|turkish|ucraino|ukrainian|welsh)\b",
    re.IGNORECASE,
)
# A command follows the last of several marks. A match that began at each of them would take quadratic time.
_COMMANDS: Final = r"(?:\A|[.!?:;,\n])[^\w.!?:;,\n]*(?:(?:please|pls|can you|could you|puoi|potresti|mi) )*"
_THIS: Final = r"(?:this|these|the following|quest[oaie]|(?:il|la) seguente)\b"
_SUPPLIES_TEXT: Final = re.compile(
    rf"{_COMMANDS}(?P<command>(?P<translates>(?:translate|proofread|traduc(?:i|a|imi|ete)|tradur(?:re|mi))\b)|"
    r"(?P<corrects>(?:correct|rephrase|reword|rewrite|shorten|summari[sz]e|"
    rf"accorcia|correggi(?:mi)?|riassumi|riformula|riscrivi) {_THIS})"
    r"(?! (?:sentence|paragraph|phrase|frase|paragrafo)\b)|"
    r"(?:correct|fix|improve|polish|rephrase|reword|rewrite|shorten|"
    r"accorcia|correggi(?:mi)?|migliora|riformula|riscrivi|sistema) "
    r"(?:(?:this|the|my|questa|questo|la|il) )?(?:sentence|paragraph|phrase|frase|paragrafo)\b|"
    r"make (?:this|it) sound\b)"
    r"(?P<manner>[^:.!?\n\"“«]{0,60})(?P<opens>:(?!\d)|\n|(?=[\"“«]))\s*(?P<text>\S)",
    re.IGNORECASE,
)
_BARE_THIS: Final = re.compile(_THIS, re.IGNORECASE)
_MANNER: Final = re.compile(r"(?:\W*(?:(?:for|in|as|so|more|less|per|come|con|piu|più|meno) .*)?)\Z", re.IGNORECASE)
_CLOSING_QUOTES: Final = {"“": "”", "«": "»", '"': '"'}
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n")
_LINE: Final = re.compile(r"\n")


def supplies_text(message: str) -> bool:
    """Whether a message, which may be ``comparable``, supplies a text to be translated, corrected or shortened."""
    return without_supplied_text(message) != message


def without_supplied_text(message: str) -> str:
    """A message, which may be ``comparable``, without the text that it supplies to be translated, corrected or
    shortened, and without the instruction: “translate for Léa into French: the table is laid” becomes “for Léa”.
    """
    found = _SUPPLIES_TEXT.search(message)
    if found is None:
        return message
    manner, opens = found["manner"], found["opens"]
    language = _INTO_LANGUAGE.search(manner)
    rest = _INTO_LANGUAGE.sub("", manner)
    is_supplied = (
        # “Translate the recipe “Ragù”” names a text, and does not supply it.
        (bool(opens) or not rest.strip())
        and (opens != "\n" or not found["translates"] or bool(language) or _BARE_THIS.search(rest) is not None)
        and (not found["corrects"] or _MANNER.match(rest) is not None)
    )
    end = _end_of_text(
        message, found.start("text"), is_inline="\n" not in message[found.end("manner") : found.start("text")]
    )
    if not is_supplied or (language is None and asks_or_wants(message[found.start("text") : end])):
        return message
    return f"{message[: found.start('command')]}{rest}{message[end:]}".strip()


def _end_of_text(message: str, begin: int, *, is_inline: bool) -> int:
    """The end of the text that begins at ``begin``: after its quotes, or before a last line or paragraph that asks."""
    if (closing := _CLOSING_QUOTES.get(message[begin])) is not None and (end := message.find(closing, begin + 1)) > 0:
        return end + 1
    breaks = list((_LINE if is_inline else _BLANK_LINE).finditer(message, begin))
    return breaks[-1].start() if breaks and asks_or_wants(message[breaks[-1].end() :]) else len(message)
