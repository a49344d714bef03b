"""Whether a text is about its author or about someone else, and its names, in English and Italian. Pure."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from memory.search.dates import may_have_date
from memory.search.words import is_common, stems_of, words_of

_OTHERS: Final = (
    r"(?:mum|mom|mother|dad|father|parents|sisters?|brothers?|kids?|children|sons?|daughters?|husband|wife|partner|"
    r"girlfriend|boyfriend|fiancee?|uncle|aunt|auntie|grand(?:ma|pa|mother|father)|cousins?|friends?|flatmate|roommate|"
    r"colleagues?|boss|neighbours?|neighbors?|"
    r"mamma|papa|madre|padre|genitori|sorell[ae]|fratell[oi]|figli[oae]?|bambin[oaie]|marito|moglie|compagn[oa]|"
    r"fidanzat[oa]|zi[oa]|nonn[oa]|cugin[oaie]|amic[oaie]|amiche|collega|colleghi|capo|vicin[oaie])"
)
POSSESSIVE: Final = r"(?:my|our|mi[oa]|miei|mie|nostr[oaie])"
_SELF: Final = (
    r"(?:i'm|i've|i'd|i'll|im|ive|my|mine|we|we're|we've|we'll|our|ours|"
    # The Italian article “i” precedes a word that ends in “i”.
    r"i(?! \w+i\b)|"
    r"io|mi[oa]|miei|mie|noi|nostr[oaie]|ho|abbiamo|siamo|devo|dobbiamo|posso|possiamo|voglio|"
    r"abito|bevo|compro|corro|dormo|esco|faccio|guido|lavoro|leggo|mangio|metto|pago|parto|porto|prendo|sto|studio|"
    r"suono|tengo|uso|vado|vengo|vivo|(?:cap|costru|fin|garant|prefer|pul|sped|un)isco|\w{2,}iamo)"
)
_OWN: Final = re.compile(rf"\b(?:{_SELF}|me|myself|us|mi|ci|ce|sono)\b")
_OF_SELF: Final = re.compile(rf"\b{_SELF}\b")
_OWN_OTHERS: Final = re.compile(rf"\b{POSSESSIVE} (?:\w+ )?(?P<other>{_OTHERS})\b")
_BEGINS_WITH: Final = rf"\A(?:(?:the|il|la|lo|i|gli|le) |l')?(?:{POSSESSIVE} )?(?:best |older |younger )?"
_SUBJECT: Final = re.compile(rf"{_BEGINS_WITH}({_OTHERS}) |([^\W\d_]+) ")
"""“My sister works …”, “Sara works …”."""
_WITH_HIS: Final = re.compile(r"([^\W\d_]+) \w+s (?:his|her)\b")
"""“Dan takes his coffee …”: a person, even if the name is unknown."""
_OWNER: Final = re.compile(
    rf"{_BEGINS_WITH}([^\W\d_]+?)(?:'s|s') |"
    rf"\b(?:di|del|della|dei|degli) (?:{POSSESSIVE} )?([^\W\d_]+)"
)
"""“Mum's doctor …”, “Il medico di mamma …”."""
_ADVERBS: Final = (
    r"(?:(?:now|no longer|also|still|just|only|not|don't|doesn't|has|have|"
    r"adesso|ora|ormai|anche|ancora|solo|non|si|mi|ci|ha|ho) )*"
)
_STATE: Final = (
    r"(?:(?:am|is|are|was|were)(?:n't)?\b(?! \w+ing\b)|(?:sono|siamo|e|era|ero|erano) |moved (?:to|in|out|back)\b|"
    r"[^\W\d_]{3,} (?:(?:at|in|for|as|with|da|per|con|presso|al?|all[aeo]|dal|dalla|nel|nella)\b|(?:all|dall|nell)'))"
)
"""A form of “be”, or a verb without an object: “works for …”, “si è trasferito a …”, not “moved our dinner to …”."""
_STATE_OF_OTHER: Final = re.compile(rf"{_BEGINS_WITH}[^\W\d_]+(?: [b-df-hj-np-z])? {_ADVERBS}{_STATE}")
_STATE_OF_SELF: Final = re.compile(
    rf"\A(?:(?:now|so|and|but|actually|adesso|ora|ma|e),? )*"
    rf"(?:(?:i'm|we're)\b|(?:(?:i|we|io|noi) )?{_ADVERBS}{_STATE})"
)
_SOMEONE: Final = re.compile(r"\b(?:he|she|him|her|they|them|lui|lei|loro)\b")
_INITIAL: Final = re.compile(r"([^\W\d_]+) ([b-df-hj-np-z]) ")
"""“Tom B plays …”. A single vowel may be a word."""
_BEGINNING_CHARS: Final = 40
_ASKS_WHO: Final = re.compile(r"\b(?:who|whose|who's|whom|chi)\b(?! (?:am|are|do|did|can|should) (?:i|we)\b)")
_OTHER: Final = re.compile(_OTHERS)
_WITHIN: Final = re.compile(r"(?<=[\w,;)] )(?:\w{1,5}['’])?([^\W\d_][\w'’-]+)")
"""A word that does not begin a sentence or line, without its article: “Aquila” in “l'Aquila”."""


def is_own(plain: str) -> bool:
    """Whether a text (as ``comparable``) is about its author, and not only about people around them."""
    return _OWN.search(_OWN_OTHERS.sub(r"\g<other>", plain)) is not None


def is_of_self(plain: str) -> bool:
    """As ``is_own``, for a question: “tell me why”, “how far is the sun from us” and “ci sono” are not."""
    return _OF_SELF.search(_OWN_OTHERS.sub(r"\g<other>", plain)) is not None


def subject_in(plain: str, is_name: Callable[[str], bool]) -> set[str]:
    """The other person (a name, or a word such as “mum”) with whom a text (as ``comparable``) begins, if any.

    ``is_name`` recognizes names.
    """
    if (someone := _WITH_HIS.match(plain)) is not None:
        return {someone[1]}
    found = _SUBJECT.match(plain)
    return people_in({found[1] or found[2]}, is_name) if found else set()


def owners_in(plain: str, is_name: Callable[[str], bool]) -> set[str]:
    """The other people whose thing or person a text begins with (“Mum's doctor”); as ``subject_in``."""
    owners = _OWNER.findall(plain[:_BEGINNING_CHARS])
    return people_in({word for owner in owners for word in owner if word}, is_name)


def tells_state_of_other(plain: str) -> bool:
    """Whether a text (as ``comparable``) begins with someone and says what they are or do, but not to what: “my brother
    moved to Leith”, not “Sara moved our dinner”.
    """
    return _STATE_OF_OTHER.match(plain) is not None


def tells_only_own_state(plain: str) -> bool:
    """As ``tells_state_of_other``, for the author of a text without “she”, “him” or the like."""
    return _STATE_OF_SELF.match(plain) is not None and is_own(plain) and not _SOMEONE.search(plain)


def have_other_initials(one: str, other: str, is_name: Callable[[str], bool]) -> bool:
    """Whether two texts (as ``comparable``) begin with the same name and different initials: “Tom B”, “Tom W”, but not
    “size S”. As ``subject_in``.
    """
    first, second = _INITIAL.match(one), _INITIAL.match(other)
    if first is None or second is None or first[1] != second[1]:
        return False
    return first[2] != second[2] and bool(people_in({first[1]}, is_name))


def asks_who(plain: str) -> bool:
    """Whether a question (as ``comparable``) asks for the person who does or is something."""
    return _ASKS_WHO.search(plain) is not None


def are_of_different_people(
    earlier: str, later: str, question: str, is_name: Callable[[str], bool], *, says_change: bool
) -> bool:
    """Whether a later statement is about another person than an earlier one; all texts as ``comparable``.

    ``is_name`` recognizes names. ``says_change``: whether the later statement has a word of change.
    """
    if have_other_initials(earlier, later, is_name):
        return True
    if is_own(earlier):
        return not is_own(later) and _names_other(earlier, later, question, is_name, says_change=says_change)
    # The user's new job does not change the answer to “Where does Sara work?”. To “Who drives?” it may.
    subject = subject_in(earlier, is_name)
    if not subject or not tells_only_own_state(later) or not subject.isdisjoint(words_of(later)):
        return False
    return not asks_who(question) or not subject.isdisjoint(words_of(question))


def _names_other(earlier: str, later: str, question: str, is_name: Callable[[str], bool], *, says_change: bool) -> bool:
    """Whether ``later`` is about someone whom neither ``earlier``, about its author, nor the question names."""
    others = owners_in(later, is_name)
    # A new name can answer “Who drives?”, and “Sara moved our dinner” is about a change.
    if not asks_who(question) and (tells_state_of_other(later) or not says_change):
        others |= subject_in(later, is_name)
    return not others <= {*words_of(earlier), *words_of(question)}


def may_be_name(word: str) -> bool:
    """Whether a capitalized word (folded) may be a name: it is neither a stop word nor a common word."""
    return bool(stems_of([word], "en") and stems_of([word], "it")) and not is_common(word)


def names_in(text: str) -> list[str]:
    """The distinct capitalized words (folded) that do not begin a sentence, without days and months; none if the text
    is in capitals.
    """
    if text.isupper():
        return []
    words = [words_of(match[1]) for match in _WITHIN.finditer(text) if match[1][0].isupper()]
    return list(dict.fromkeys(word for each in words if not may_have_date(each) for word in each))


def people_in(words: Iterable[str], is_name: Callable[[str], bool]) -> set[str]:
    """The ``words`` (folded) that are names or relations to the user (“mum”); as ``subject_in``."""
    return {word for word in words if _OTHER.fullmatch(word) or (is_name(word) and not is_common(word))}
