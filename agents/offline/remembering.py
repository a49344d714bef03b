"""Sentences about the memory: questions to it, and requests to remember or to forget something."""

from typing import Final

from agents.offline import commands
from agents.offline.commands import Command, Incomplete, Missing, Talk
from agents.offline.reading import EDGES, Reading, one_line

_MAX_KEY_CHARS: Final = 90


def read_memory(reading: Reading) -> Command | None:
    """A question to the memory, or a request to remember or to forget something."""
    words = reading.grammar.memory
    for match in reading.matches(words.history):
        groups = match.groupdict()
        since, until = reading.past(groups["span"]) if groups.get("span") else (None, None)
        return commands.SearchConversations(query=reading.name(groups.get("query") or ""), since=since, until=until)
    for match in reading.matches(words.remember):
        return _stored(reading, match["content"])
    if any(reading.matches(words.recall_all)):
        return commands.RecallMemory()
    for match in reading.matches(words.recall):
        return commands.RecallMemory(query=_name(reading, match["query"]))
    for match in reading.matches(words.forget):
        if reading.pattern(words.everything).fullmatch(match["query"]):
            return Talk.ONE_AT_A_TIME
        if reading.points(match["query"]):
            return Incomplete(missing=Missing.WHICH, entity=None)
        return commands.ForgetMemory(name=_name(reading, match["query"]))
    return None


def _stored(reading: Reading, words: str) -> commands.StoreMemory:
    """The value is the whole sentence. The key is its subject, so that the next sentence about it replaces this one."""
    value = reading.content(words)
    subject = reading.pattern(reading.grammar.memory.subject).fullmatch(words.strip(EDGES))
    key = reading.name(subject["key"]) if subject else ""
    beginning = one_line(value)
    if len(beginning) > _MAX_KEY_CHARS:
        cut = beginning[:_MAX_KEY_CHARS]
        beginning = cut.rpartition(" ")[0] or cut
    return commands.StoreMemory(key=key or beginning, value=value)


def _name(reading: Reading, words: str) -> str:
    """The name in ``words``, without the introduction."""
    bare = reading.pattern(f"(?:{reading.grammar.memory.lead})(?P<rest>.+)").fullmatch(words.strip(EDGES))
    return reading.name(bare["rest"] if bare else words)
