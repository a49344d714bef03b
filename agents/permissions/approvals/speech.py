"""Which words of a message are the user's own statements, as far as grammar shows, in English and Italian. Pure.

Not texts to be translated or rephrased, nor what others wrote or said, nor what the user doubts.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_REWRITES: Final = (
    r"translat\w*|rephras\w*|reword\w*|rewrit\w*|paraphras\w*|proofread\w*|spell-?check\w*|summari[sz]\w*"
    r"|tradu[crz]\w*|riscriv\w*|riformul\w*|parafras\w*|riassum\w*"
)
_WROTE: Final = r"writes|wrote|written|says|said|scrive|scrivono|scritto|dice|dicono|detto"
_WRITES: Final = (
    r"(?:please |(?:can|could) you |per favore )?"
    r"(?:correct|fix|improve|polish|shorten|put|draft|write|send"
    r"|correggi|migliora|accorcia|metti|scrivi|manda|invia)\b[^\n:]*"
    r"\b(?:text|sentence|phrase|paragraph|e-?mail|mail|message|letter|reply|in(?:to)? (?:english|italian)"
    r"|testo|frase|paragrafo|messaggio|lettera|risposta|in (?:inglese|italiano))\b"
)
_TO_REWRITE: Final = re.compile(rf"\b(?:{_REWRITES})\b|^{_WRITES}", re.IGNORECASE)
"""“Translate into Italian: …” and “Write a mail: …”, before the colon."""
_WRITTEN: Final = re.compile(rf"\b(?:{_WROTE})\b[^:]*:\s*$", re.IGNORECASE)
"""The line above a quoted text: “On 3 May 2026 at 10:04, Bob wrote:”."""
_HEAD: Final = "to|a|cc|sent|date|subject|inviato|data|oggetto|destinatario"
_MAIL: Final = re.compile(
    r"-{4,} ?(?:original|forwarded|messaggio)[^\n]*"
    rf"|(?:from|da|mittente): (?:[^\n]*@[^\n]*\n(?:{_HEAD}): "
    rf"|[^\n]*\n(?:(?:{_HEAD}): [^\n]*\n)*?(?:subject|oggetto): )",
    re.IGNORECASE,
)
"""The beginning of the header of a mail. “From: Turin”, “To: Milan” is none."""
_MAX_HEADER_LINES: Final = 6

_REPORTS: Final = re.compile(
    rf"{_REWRITES}|{_WROTE}|according|alleged\w*|assert\w*|assum\w*|believ\w*|claim\w*|doubt\w*|false|falsely|fictional"
    r"|heard|hypothetical\w*|imagin\w*|insists?|lie|lied|lies|maybe|might|myth|nonsense|perhaps|pretend\w*|reckons"
    r"|rumou?rs?|supposed\w*|thinks|thought|told|untrue|wonder\w*|wrong|wrongly"
    r"|afferma(?:no)?|bugia|crede|credeva\w*|credono|dubit\w*|falso|fing\w*|forse|immagin\w*|ipotetic\w*|magari|pensa(?:no)?"
    r"|pensava\w*|presum\w*|ritengono|ritiene|sbagliat\w*|sentito|sostengono|sostiene"
)
"""A word that marks its clause as reported or doubtful, in the form that ``plain`` gives."""
_BY_ME: Final = frozenset({"abbiamo", "ho", "i", "we"})
_BETWEEN: Final = frozenset({"already", "also", "always", "d", "gia", "had", "have", "just", "only", "sempre", "ve"})
"""Words that may be between “I” and “said”."""
_BY_ME_SO: Final = re.compile(rf"(?:{_WROTE}|assert\w*|believe|claim|insist|told|sostengo)")
"""The ``_REPORTS`` with which users state something themselves."""
_TRUE: Final = frozenset({"right", "true", "vero"})
_RETURNS: Final = frozenset({"but", "ma", "pero"})
"""Words that end reported speech."""
_MAX_BETWEEN: Final = 4
_LONGEST_TAG: Final = 4
"""The maximum number of words in “, says Bob” and “, which is wrong”."""


def own_words(message: str) -> str:
    """``message`` without the texts that the user has quoted in it: those of others, and those to be rephrased.

    The lines that announce them are also removed. Such a text extends to the end of the message, or, if it begins on
    the line of the request, to the end of that line.
    """
    kept: list[str] = []
    lines = message.split("\n")
    for at, line in enumerate(lines):
        request, colon, given = line.partition(":")
        is_rewritten = bool(colon) and _TO_REWRITE.search(request) is not None
        head = "\n".join(lines[at : at + _MAX_HEADER_LINES])
        is_above = at + 1 < len(lines) and (_WRITTEN.search(line) or _MAIL.match(head))
        if is_above or (is_rewritten and not given.strip()):
            break
        if not (is_rewritten or line.lstrip().startswith(">")):
            kept.append(line)
    return "\n".join(kept)


def reported(words: Sequence[str], *, ends: frozenset[str], denials: frozenset[str]) -> list[bool]:
    """For each of the ``words`` of a sentence, whether it is reported or doubtful.

    ``ends`` end clauses. Reported speech continues after commas, up to “but”. The words that mark it may come last, as
    in “I am tall, says Bob”.
    """
    is_told, told, all_before = False, [False] * len(words), 0
    starts = [0, *(at + 1 for at, word in enumerate(words) if word in ends)]
    for start, end in pairwise([*starts, len(words) + 1]):
        is_told = is_told and words[start - 1] not in _RETURNS
        found = [at for at in range(start, end - 1) if _reports(words, at, denials)]
        if found:
            is_told = True
            is_tag = end - 1 - start <= _LONGEST_TAG and not {start, end - 2}.isdisjoint(found)
            all_before = start if is_tag else all_before
        told[start : end - 1] = [is_told] * (end - 1 - start)
    told[:all_before] = [True] * all_before
    return told


def _reports(words: Sequence[str], at: int, denials: frozenset[str]) -> bool:
    word, before = words[at], words[max(0, at - _MAX_BETWEEN) : at]
    if word in _TRUE:
        return not denials.isdisjoint(before)
    if word == "secondo":
        return at == 0 and words[1:2] not in (["me"], ["noi"])
    by = next((each for each in reversed(before) if each not in _BETWEEN), "")
    return _REPORTS.fullmatch(word) is not None and not (by in _BY_ME and _BY_ME_SO.fullmatch(word))
