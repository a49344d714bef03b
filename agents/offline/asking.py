"""Questions about one row, its comments, or what the notes say."""

from agents.offline.commands import (
    Command,
    Entity,
    ListComments,
    SearchNotes,
    ShowPage,
    ShowRow,
    Target,
    WhatNext,
)
from agents.offline.reading import Reading


def read_question(reading: Reading) -> Command | None:
    """What should be worked on, what comments a task has, what the notes say about something."""
    grammar = reading.grammar
    if any(reading.matches(grammar.sentences.next)):
        return WhatNext()
    if any(reading.matches(grammar.sentences.page)):
        return ShowPage()
    for match in reading.matches(grammar.sentences.comment_lists):
        target = reading.target(match["target"], Entity.TASK)
        return ListComments(target=target) if isinstance(target, Target) else target
    for match in reading.matches(grammar.sentences.note_searches):
        return _search(reading, match["query"])
    return None


def read_showing(reading: Reading) -> Command | None:
    """A wish to see one row that is named by its kind."""
    for match in reading.matches(reading.grammar.sentences.readings):
        target = reading.target(match["target"])
        if isinstance(target, Target) and target.entity in {Entity.TASK, Entity.PROJECT, Entity.NOTE}:
            return ShowRow(target=target)
    return None


def _search(reading: Reading, words: str) -> SearchNotes:
    for pattern in reading.grammar.in_project:
        if match := reading.pattern(f"(?P<rest>.+?),? {pattern}").fullmatch(words):
            return SearchNotes(query=reading.name(match["rest"]), project=reading.name(match["project"]))
    return SearchNotes(query=reading.name(words))
