"""Sentences that change or delete one row, and comments on a task."""

import re
from dataclasses import replace

from agents.offline.commands import (
    AddComment,
    ChangeRow,
    Command,
    DeleteRow,
    Entity,
    Incomplete,
    Missing,
    Status,
    Talk,
    Target,
)
from agents.offline.grammar import Change
from agents.offline.reading import Reading
from agents.offline.spelling import QUOTED


def read_change(reading: Reading) -> Command | None:
    """A change of one row: the first sentence that fits."""
    for change in reading.grammar.sentences.changes:
        for match in reading.matches((change.pattern,)):
            return _changed(reading, change, match)
    return None


def read_deletion(reading: Reading) -> Command | None:
    """A wish to delete one row for good."""
    for match in reading.matches(reading.grammar.sentences.comment_deletions):
        parent = reading.target(match["target"], Entity.TASK)
        if not isinstance(parent, Target):
            return parent
        content = reading.name(match["content"])
        return DeleteRow(target=Target(name=content, literal=content, entity=Entity.COMMENT, parent=parent))
    for match in reading.matches(reading.grammar.sentences.deletions):
        target = reading.target(match["target"])
        return DeleteRow(target=target) if isinstance(target, Target) else target
    return None


def read_comment(reading: Reading) -> Command | None:
    """A comment to be added to a task."""
    for match in reading.matches(reading.grammar.sentences.comments):
        target = reading.target(match["target"], Entity.TASK)
        if not isinstance(target, Target):
            return target
        content, author = _authored(reading, match["content"])
        return AddComment(target=target, content=content, author=author)
    return None


def _changed(reading: Reading, change: Change, match: re.Match[str]) -> Command:
    target = reading.target(match["target"], change.entity)
    if not isinstance(target, Target):
        return target
    said = match.groupdict()
    if "when" in said and target.entity is None:
        target = replace(target, entity=Entity.TASK)
    command = ChangeRow(
        target=target, status=change.status, priority=change.priority, archived=change.archived, clears=change.clears
    )
    if "when" in said:
        return _due(reading, command, said["when"])
    if "status" in said:
        return replace(command, status=_status(reading, said["status"]))
    if "priority" in said:
        return replace(command, priority=reading.grammar.priority(said["priority"]))
    if "names" in said:
        return replace(command, assignees=reading.names(said["names"]))
    if "project" in said:
        return replace(command, project=reading.name(said["project"]))
    if "content" in said:
        return replace(command, content=reading.content(said["content"]))
    if "title" in said:
        title = reading.name(said["title"])
        return replace(command, title=title) if title else Incomplete(missing=Missing.TITLE, entity=target.entity)
    return command


def _due(reading: Reading, command: ChangeRow, words: str) -> Command:
    due = reading.when(words)
    return replace(command, due=due) if due else Talk.NO_SUCH_DATE


def _status(reading: Reading, word: str) -> Status:
    """A task that is open again is to be done."""
    meant = reading.grammar.status(word) or frozenset()
    return next(iter(meant)) if len(meant) == 1 else Status.TODO


def _authored(reading: Reading, text: str) -> tuple[str, str | None]:
    """A quoted comment and who says it, where that stands behind it."""
    match = reading.pattern(f"(?P<quote>{QUOTED}) {reading.grammar.sentences.authored}").fullmatch(text.strip())
    if match is None:
        return reading.content(text), None
    return reading.content(match["quote"]), reading.name(match["author"])
