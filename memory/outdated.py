"""How statements that are no longer true are left out of recalled text, or marked in it. No I/O."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory.drawn import content_words
from memory.search.told import ANSWER, JOINT
from memory.search.words import words_of

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d: ")
_ECHOED: Final = 0.6
"""A text with more than this share of a statement's words states it."""
_MIN_WORDS: Final = 2
"""A passage with fewer words than this says too little to be kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outdated:
    """The words of a statement (empty if they are not stored), and since when it is no longer true."""

    evidence: str
    since: datetime


def without_outdated(text: str, outdated: Sequence[Outdated]) -> str:
    """``text`` (dated passages) without the statements that are no longer true; empty if nothing useful remains.

    If something is left out, the answer to it is left out too.
    """
    found = _DATE.match(text)
    date_, body = (found[0], text[found.end() :]) if found else ("", text)
    said, arrow, answer = body.partition(ANSWER)
    kept = [_kept(passage, outdated) for passage in said.split(JOINT)]
    unchanged = kept == said.split(JOINT)
    left = JOINT.join(passage for passage in kept if len(words_of(passage)) >= _MIN_WORDS)
    if not left:
        return ""
    told = [part for part in answer.split(JOINT) if part and _kept(part, outdated) == part] if unchanged else []
    return f"{date_}{left}{arrow}{JOINT.join(told)}" if told else f"{date_}{left}"


def marked(text: str, outdated: Sequence[Outdated]) -> str:
    """``text`` with a note of what is no longer true in it, and since when (``since`` is in the user's time zone)."""
    notes = [
        f"“{each.evidence}” is no longer true since {each.since:%Y-%m-%d}"
        if each.evidence
        else f"some of it is no longer true since {each.since:%Y-%m-%d}"
        for each in outdated
        if says(text, each)
    ]
    return f"{text} ({'; '.join(notes)})" if notes else text


def marked_since(text: str, since: datetime | None) -> str:
    """``text`` with a note that some of it is no longer true; unchanged if ``since`` is None."""
    return text if since is None else marked(text, [Outdated(evidence="", since=since)])


def _kept(passage: str, outdated: Sequence[Outdated]) -> str:
    for each in outdated:
        if each.evidence and each.evidence in passage:
            passage = passage.replace(each.evidence, "").strip(" ,;:.!…")
        elif says(passage, each):
            return ""
    return passage


def says(text: str, outdated: Outdated) -> bool:
    """Whether ``text`` states what is no longer true, in the same words or most of them."""
    if not outdated.evidence or outdated.evidence in text:
        return True
    words = set(content_words(outdated.evidence))
    return len(words & set(content_words(text))) > _ECHOED * len(words)
