"""Whether a text is about its author or about someone else, in English and Italian. Pure."""

import re
from collections.abc import Callable
from typing import Final

from memory.search.words import is_common

_RELATIVES: Final = (
    r"(?:mum|mom|mother|dad|father|parents|sister|brother|kids?|son|daughter|husband|wife|uncle|aunt|auntie|grandma|"
    r"grandpa|cousin|mamma|papa|madre|padre|genitori|sorella|fratello|figli[oa]?|marito|moglie|zi[oa]|nonn[oa]|"
    r"cugin[oa])"
)
_OWN: Final = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|me|mine|myself|we|we're|we've|we'll|our|ours|us|"
    r"io|mi[oa]|miei|mie|mi|me|noi|nostr[oaie]|ci|ce|ho|abbiamo|sono|siamo|devo|dobbiamo|posso|possiamo|voglio|"
    r"abito|bevo|compro|corro|dormo|esco|faccio|guido|lavoro|leggo|mangio|metto|pago|parto|porto|prendo|sto|studio|"
    r"suono|tengo|uso|vado|vengo|vivo|\w{3,}isco|\w{2,}iamo)\b"
)
_OWN_RELATIVE: Final = re.compile(rf"\b(?:my|our|mi[oa]|miei|mie|nostr[oaie]) (?:\w+ )?(?P<relative>{_RELATIVES})\b")
_SOMEONE: Final = re.compile(
    rf"\b(?:{_RELATIVES}|he|she|he's|she's|his|her|hers|they|they're|their|him|them|lui|lei|loro|suo|sua|suoi|sue)\b"
)
_OWNER: Final = re.compile(
    r"\A(?:the |my |our )?([^\W\d_]+?)(?:'s|s') |"
    r"\b(?:di|del|della|dei|degli) (?:mi[oa] |nostr[oa] )?([^\W\d_]+)"
)
"""“Mum's doctor …”, “Il medico di mamma …”."""
_BEGINNING_CHARS: Final = 40
_FIRST_WORD: Final = re.compile(r"[^\W\d_]+")
_ASKS_WHO: Final = re.compile(r"\b(?:who|whose|who's|whom|chi)\b(?! (?:am|are|do|did|can|should) (?:i|we)\b)")


def is_own(plain: str) -> bool:
    """Whether a text (as ``comparable``) says something of its author, and not only of a relative of theirs."""
    return _OWN.search(_OWN_RELATIVE.sub(r"\g<relative>", plain)) is not None


def others_in(plain: str, is_name: Callable[[str], bool]) -> set[str]:
    """The words for others of whom a text (as ``comparable``) says something: relatives, owners as ``owners_in``, and
    the name with which it begins.
    """
    first = _FIRST_WORD.match(plain)
    named = {first[0]} if first and is_name(first[0]) and not is_common(first[0]) else set[str]()
    return {*_SOMEONE.findall(plain), *named, *owners_in(plain, is_name)}


def owners_in(plain: str, is_name: Callable[[str], bool]) -> set[str]:
    """The words for other people to whom that belongs with which a text (as ``comparable``) begins.

    ``is_name`` knows names.
    """
    words = {word for owner in _OWNER.findall(plain[:_BEGINNING_CHARS]) for word in owner if word}
    return {word for word in words if _SOMEONE.fullmatch(word) or (is_name(word) and not is_common(word))}


def asks_who(plain: str) -> bool:
    """Whether a question (as ``comparable``) asks for the person who does or is something."""
    return _ASKS_WHO.search(plain) is not None
