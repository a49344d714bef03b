"""Sentences about what is remembered: to keep it, to recall it, to forget it, and what was spoken of before."""

from datetime import date, timedelta

from agents.offline.commands import (
    Command,
    ForgetMemory,
    Incomplete,
    Missing,
    RecallMemory,
    Remember,
    SearchHistory,
)
from agents.offline.reading import EDGES, Reading
from agents.offline.spelling import one_line

_KEY_CHARACTERS = 90
_WEEK = timedelta(days=7)


def read_memory(reading: Reading) -> Command | None:
    """What the memory is asked, or told to keep or to forget."""
    words = reading.grammar.memory
    for match in reading.matches(words.history):
        return _history(reading, match.groupdict())
    for match in reading.matches(words.remember):
        return _remembered(reading, match["content"])
    if any(reading.matches(words.recall_all)):
        return RecallMemory()
    for match in reading.matches(words.recall):
        return RecallMemory(query=_named(reading, match["query"]))
    for match in reading.matches(words.forget):
        if reading.pattern(reading.grammar.pronouns).fullmatch(match["query"].strip(EDGES)):
            return Incomplete(missing=Missing.WHICH, entity=None)
        return ForgetMemory(name=_named(reading, match["query"]))
    return None


def _remembered(reading: Reading, words: str) -> Remember:
    """The whole sentence is kept; the key is what it is about, so that the next sentence about it takes its place."""
    value = reading.content(words)
    return Remember(key=_subject(reading, words) or _beginning(value), value=value)


def _beginning(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _KEY_CHARACTERS else line[:_KEY_CHARACTERS].rpartition(" ")[0] or line[:_KEY_CHARACTERS]


def _subject(reading: Reading, words: str) -> str:
    found = reading.pattern(reading.grammar.memory.subject).fullmatch(words.strip(EDGES))
    return reading.name(found["key"]) if found else ""


def _named(reading: Reading, words: str) -> str:
    """What is meant, without the words that lead to it."""
    bare = reading.pattern(f"(?:{reading.grammar.memory.lead})(?P<rest>.+)").fullmatch(words.strip(EDGES))
    return reading.name(bare["rest"] if bare else words)


def _history(reading: Reading, said: dict[str, str | None]) -> SearchHistory:
    query, span = said.get("query"), said.get("span")
    since, until = _span(reading, span) if span else (None, None)
    return SearchHistory(query=reading.name(query) if query else "", since=since, until=until)


def _span(reading: Reading, words: str) -> tuple[date | None, date | None]:
    """Days gone by: what is said of a day to come is meant of the last such day."""
    for pattern, days in reading.grammar.memory.back:
        if reading.pattern(pattern).fullmatch(words):
            return reading.today - timedelta(days=days), None
    when = reading.when(words)
    if when is None:
        return None, None
    ahead = when.first > reading.today
    return (when.first - _WEEK, when.last - _WEEK) if ahead else (when.first, when.last)
