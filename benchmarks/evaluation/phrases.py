"""Reading an answer's words: facts, dates, claims, refusals, and what no user should see. English and Italian. Pure."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final

from benchmarks.evaluation.world import folded

_MARKDOWN: Final = re.compile(r"[*_`#]+")
_MONTHS: Final = (
    *(("january", "gennaio"), ("february", "febbraio"), ("march", "marzo"), ("april", "aprile"), ("may", "maggio")),
    *(("june", "giugno"), ("july", "luglio"), ("august", "agosto"), ("september", "settembre")),
    *(("october", "ottobre"), ("november", "novembre"), ("december", "dicembre")),
)


def says(text: str, fact: str) -> bool:
    """Whether ``text`` has ``fact`` as whole words; ``*`` at the end of the fact stands for any ending."""
    stem = fact.removesuffix("*")
    end = "" if fact.endswith("*") else r"(?!\w)"
    return re.search(rf"(?<!\w){re.escape(plain(stem))}{end}", plain(text)) is not None


def names_day(text: str, day: date) -> bool:
    """Whether ``text`` names ``day``, however it is written."""
    return any(says(text, spelling) for spelling in _spellings(day))


def plain(text: str) -> str:
    """``text`` without markdown's marks and with straight quotes, folded."""
    return folded(_MARKDOWN.sub(" ", text).replace("’", "'"))


def _spellings(day: date) -> Iterator[str]:
    yield day.isoformat()
    for month in _MONTHS[day.month - 1]:
        for name in (month, month[:3], f"{month[:3]}."):
            yield from (f"{day.day} {name}", f"{name} {day.day}", f"{name} {day.day:02}", f"{name} {_ordinal(day.day)}")
            yield from (f"{_ordinal(day.day)} {name}", f"{_ordinal(day.day)} of {name}", f"{day.day} di {name}")
    for mark in "/.-":
        yield from (f"{day.day}{mark}{day.month}", f"{day.day:02}{mark}{day.month:02}", f"{day.month}{mark}{day.day}")
        yield from (f"{day.month:02}{mark}{day.day:02}", f"{day.day:02}{mark}{day.month:02}{mark}{day.year}")


def _ordinal(number: int) -> str:
    teens = range(11, 14)
    ending = "th" if number % 100 in teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


# What no user should see

_MARKUP: Final = re.compile(
    r"""
    </?(?:think|thinking|reasoning|tool_call|tool_response|function|tools)\b   # thoughts and calls as text
    | <\|[\w ]+\|>                                                             # a template's own marks
    | ```\s*(?:json|tool)                                                      # a block that was not drawn
    | [{\[]\s*\\?["'][\w ]+\\?["']\s*[:,]                                      # JSON
    | \{\s*["']?(?:type|name|arguments)["']?\s*:
    """,
    re.VERBOSE | re.IGNORECASE,
)
_UUID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
_SHORT_ID: Final = re.compile(r"(?<![\w-])(?:[tpncm]|tc|cl)\d{1,4}(?![\w-])")
"""Such as ``t1``: what models read instead of a long id."""


def markup_in(text: str) -> str | None:
    """The first raw JSON, thought or tool call in ``text``, with what follows it."""
    found = _MARKUP.search(text)
    return None if found is None else text[found.start() : found.start() + 60]


def id_in(text: str) -> str | None:
    """The first id of a row in ``text``."""
    found = _UUID.search(text) or _SHORT_ID.search(text)
    return None if found is None else found.group()


# Claims and refusals

_DONE: Final = (
    "created|added|made|updated|changed|edited|marked|moved|postponed|rescheduled|renamed|assigned|archived|deleted|"
    "removed|completed|set|commented|cleared|inserted|saved"
)
_FATTO: Final = (
    "creat[oai]|(?:aggiunt|aggiornat|modificat|cambiat|segnat|spostat|rinominat|assegnat|archiviat|eliminat|cancellat|"
    "rimoss|completat|impostat|inserit|salvat)[oaie]"
)
_CLAIMS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bi(?: have|'ve)? (?:just |now |also |already |successfully )*(?:{_DONE})\b",
        rf"\b(?:has|have) (?:now |just |also )*been (?:now |successfully )*(?:{_DONE})\b",
        rf"\b(?:is|are) now (?:{_DONE}|done|due|called)\b",
        rf"^(?:ok|okay|sure|great|all right|done)?[,.!:;✓✔✅ -]*(?:successfully )?(?:{_DONE})\b(?! by)",
        rf"\b(?:task|project|note|comment|checkpoint|milestone)s? (?:successfully )?(?:{_DONE})\b",
        r"^(?:all )?done[.!]",
        rf"\bho (?:appena |già |anche )*(?:{_FATTO})\b",
        rf"\b(?:è|sono) (?:ora |adesso )?(?:stat[oaie] )(?:{_FATTO})\b",
        rf"^(?:ok|va bene|perfetto|certo)?[,.!:; ]*(?:{_FATTO})\b",
        rf"\b(?:attività|progetto|nota|commento|checkpoint) (?:{_FATTO})\b",
        r"^fatto[.!]",
    )
)
_NO_CLAIM: Final = re.compile(
    r"\?|\b(?:not|n't|no|nothing|none|never|without|unless|if|once|when|before|would|could|can|cannot|shall|should|may|"
    r"will|want|which|that you|you have|anything|"
    r"non|nulla|niente|nessun\w*|mai|senza|se|quando|prima|vuoi|posso|potrei|devo|quale|quali)\b|n't\b"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")


_TAKEN_BACK: Final = re.compile(
    r"\b(?:not|n't|nothing|never) (?:\w+ ){0,3}(?:changed|created|deleted|done|updated)\b"
    r"|\bnon (?:\w+ ){0,3}(?:modificat|cambiat|creat|eliminat|fatt)[oaie]\b"
)


def claim_in(text: str) -> str | None:
    """The first sentence of ``text`` that claims a change of rows and is not taken back afterwards."""
    claimed = None
    for sentence in _SENTENCE.split(text.replace("’", "'")):
        said = plain(sentence).lstrip("-•✓✔✅ ")
        if _TAKEN_BACK.search(said):
            claimed = None
        elif not _NO_CLAIM.search(said) and any(claim.search(said) for claim in _CLAIMS):
            claimed = claimed or sentence.strip()
    return claimed


_OF_DONE: Final = re.compile(
    r"^(?:which|what|show|list|quali|che|mostra\w*|elenca\w*)\b.*\b(?:done|completed|finished|archived|"
    r"fatt[aeio]|completat[aeio]|finit[aeio]|archiviat[aeio])\b"
)


def asks_what_is_done(message: str) -> bool:
    """Whether the user asks which rows are done or archived: an answer says of them that they “have been completed”."""
    return _OF_DONE.search(plain(message)) is not None


_ASKING: Final = re.compile(r"\?|\b(?:which|quale|quali|tell me|say|specify|dimmi|indica|what tells|distingue)\b")


def asks(text: str) -> bool:
    """Whether ``text`` asks the user for something."""
    return _ASKING.search(plain(text)) is not None


_REFUSALS: Final = re.compile(
    r"\b(?:can't|cannot|can not|could not|couldn't|unable|not able|not possible|impossible|don't have|do not have|"
    r"don't support|not supported|no access|no tool|no way|don't understand|do not understand|did not understand|"
    r"didn't understand|i only|not something i|doesn't exist|does not exist|there is no|there's no|there are no|"
    r"found no|couldn't find|could not find|no (?:task|project|note|checkpoint|comment)s?|nothing called|won't|"
    r"will not|non posso|non sono in grado|non riesco|non ho|impossibile|non è possibile|non capisco|non ho capito|"
    r"non esiste|non c'è|non ci sono|non trovo|nessun\w*)\b"
)


def declines(text: str) -> bool:
    """Whether ``text`` says that something cannot be done or does not exist."""
    return _REFUSALS.search(plain(text)) is not None


_WORDS: Final = {
    "it": re.compile(
        r"\b(?:il|lo|la|gli|le|di|del|della|dei|delle|che|è|per|una|un|nel|nella|con|non|sono|ho|hai|oggi|domani|ieri|"
        r"scade|scadono|attività|progetto|nota|quale|vuoi|da|in|alle|entro|fatto)\b"
    ),
    "en": re.compile(
        r"\b(?:the|is|are|you|your|of|to|and|have|has|for|not|due|which|with|this|that|was|were|tasks?|project|note|"
        r"today|tomorrow|there|do|want|at|in)\b"
    ),
}


def language_of(text: str, *, apart_from: Iterable[str] = ()) -> str | None:
    """``en`` or ``it``, by the words of ``text`` without the given titles; None where they do not tell."""
    said = plain(text)
    for title in sorted(map(plain, apart_from), key=len, reverse=True):
        said = said.replace(title, " ")
    counts = {language: len(words.findall(said)) for language, words in _WORDS.items()}
    if counts["it"] == counts["en"]:
        return None
    return max(counts, key=lambda language: counts[language])
