"""Sentences about what is remembered: questions to the memory, and something to remember or to forget."""

from typing import Final

from agents.offline import commands
from agents.offline.commands import Command, Incomplete, Missing, Talk
from agents.offline.reading import EDGES, Reading, one_line

_KEY_CHARACTERS: Final = 90


def read_memory(reading: Reading) -> Command | None:
    """A question to the memory, or something to remember or forget."""
    words = reading.grammar.memory
    for match in reading.matches(words.history):
        said = match.groupdict()
        since, until = reading.past(said["span"]) if said.get("span") else (None, None)
        return commands.SearchConversations(query=reading.name(said.get("query") or ""), since=since, until=until)
    for match in reading.matches(words.remember):
        return _remembered(reading, match["content"])
    if any(reading.matches(words.recall_all)):
        return commands.RecallMemory()
    for match in reading.matches(words.recall):
        return commands.RecallMemory(query=_named(reading, match["query"]))
    for match in reading.matches(words.forget):
        if reading.pattern(words.everything).fullmatch(match["query"]):
            return Talk.ONE_AT_A_TIME
        if reading.points(match["query"]):
            return Incomplete(missing=Missing.WHICH, entity=None)
        return commands.ForgetMemory(name=_named(reading, match["query"]))
    return None


def _remembered(reading: Reading, words: str) -> commands.StoreMemory:
    """The whole sentence is kept; the key is what it is about, so that the next sentence about it takes its place."""
    value = reading.content(words)
    subject = reading.pattern(reading.grammar.memory.subject).fullmatch(words.strip(EDGES))
    key = reading.name(subject["key"]) if subject else ""
    beginning = one_line(value)
    if len(beginning) > _KEY_CHARACTERS:
        cut = beginning[:_KEY_CHARACTERS]
        beginning = cut.rpartition(" ")[0] or cut
    return commands.StoreMemory(key=key or beginning, value=value)


def _named(reading: Reading, words: str) -> str:
    """The name in ``words``, without the words that lead to it."""
    bare = reading.pattern(f"(?:{reading.grammar.memory.lead})(?P<rest>.+)").fullmatch(words.strip(EDGES))
    return reading.name(bare["rest"] if bare else words)
