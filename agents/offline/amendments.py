"""Sentences that change or delete one row."""

import re
from dataclasses import fields, replace

from agents.offline import commands
from agents.offline.commands import Command, Field, Incomplete, Missing, Place, RowKind, Status, Talk, Target
from agents.offline.grammar import ChangeSentence
from agents.offline.reading import Reading
from agents.offline.spelling import spelled_out

_LONGEST_TOPIC = 6
"""Words of a row's name before its command: more are rather a sentence."""


def read_changes(reading: Reading) -> Command | None:
    """Several changes of one row: “set the task to in progress and move it to Friday”."""
    joint = reading.pattern(rf"(?:[,;.]\s|\s)(?:{reading.grammar.creation.joint}) ")
    for found in joint.finditer(reading.text):
        rest = replace(reading, text=spelled_out(reading.grammar, reading.text[found.end() :]))
        first = read_change(replace(reading, text=reading.text[: found.start()]))
        second = read_changes(rest) or read_change(rest)
        if not isinstance(first, commands.ChangeRow) or not isinstance(second, commands.ChangeRow):
            continue
        if second.target.place is Place.IT:
            return _together(first, second)
    return None


def read_topic(reading: Reading) -> Command | None:
    """A change or a deletion after the row that it is about: “the first one is paid, mark it as done”."""
    for found in re.finditer(r",? ", reading.text):
        rest = spelled_out(reading.grammar, reading.text[found.end() :])
        # Without a comma only a pronoun that is a part of its verb begins a new clause.
        if found[0] == " " and rest == reading.text[found.end() :]:
            continue
        own = replace(reading, text=rest)
        command = read_changes(own) or read_change(own) or read_deletion(own)
        if isinstance(command, commands.ChangeRow | commands.DeleteRow) and command.target.place is Place.IT:
            return _about(reading, reading.text[: found.start()], command)
    return None


def _about(reading: Reading, text: str, command: commands.ChangeRow | commands.DeleteRow) -> Command | None:
    sentences = reading.grammar.sentences
    aside = rf"(?:(?:{sentences.thanks}|{sentences.declined}|{reading.grammar.hesitation})[\s,.!]*)+"
    if reading.pattern(aside).fullmatch(text):
        return command
    for topic in replace(reading, text=text).matches(sentences.topics):
        target = reading.target(topic["target"], command.target.entity)
        if isinstance(target, Target):
            return replace(command, target=target) if len(target.name.split()) <= _LONGEST_TOPIC else None
        return target
    return None


def _together(first: commands.ChangeRow, second: commands.ChangeRow) -> commands.ChangeRow:
    """Both changes, of the first's row."""
    said = {each.name: value for each in fields(second) if (value := getattr(second, each.name)) != each.default}
    return replace(first, **(said | {"target": first.target}))


def read_change(reading: Reading) -> Command | None:
    """A change of one row: the first sentence that fits. A statement changes nothing where it is a question."""
    for change in reading.grammar.sentences.changes:
        if reading.utterance.asks and change.states:
            continue
        for match in reading.matches((change.pattern,)):
            return _changed(reading, change, match)
    return None


def _changed(reading: Reading, change: ChangeSentence, match: re.Match[str]) -> Command:
    target = reading.target(match["target"], change.entity)
    if not isinstance(target, Target):
        return target
    said = match.groupdict()
    is_dated = not said.keys().isdisjoint({"when", "count"})
    if is_dated and target.entity is None and target.place is None:
        target = replace(target, entity=RowKind.TASK)
    command = commands.ChangeRow(
        target=target,
        status=change.status,
        priority=change.priority,
        archived=change.archived,
        clears=change.clears,
        reopens=change.reopens,
    )
    if is_dated:
        return _dated(reading, change, command, said)
    return _with_details(reading, command, said)


def _with_details(reading: Reading, command: commands.ChangeRow, said: dict[str, str]) -> Command:
    """The change with what its sentence says besides the row."""
    if "status" in said:
        return replace(command, status=_status(reading, said["status"]))
    if "priority" in said:
        return replace(command, priority=reading.grammar.priority(said["priority"]))
    if "names" in said:
        return _with_people(command, reading.names(said["names"]))
    if "project" in said:
        return replace(command, project=reading.name(said["project"]))
    if "addition" in said:
        return replace(command, addition=reading.content(said["addition"]))
    if "content" in said:
        return replace(command, content=reading.content(said["content"]))
    if "title" in said:
        title = reading.name(said["title"])
        return (
            replace(command, title=title) if title else Incomplete(missing=Missing.TITLE, entity=command.target.entity)
        )
    return command


def _dated(
    reading: Reading, change: ChangeSentence, command: commands.ChangeRow, said: dict[str, str]
) -> commands.ChangeRow | Talk:
    """The change to another day, or by some days."""
    if "count" in said:
        return replace(command, shift=change.shift * (reading.grammar.dates.days(said["count"]) or 0))
    due = reading.when(said["when"])
    return replace(command, due=due) if due else Talk.NO_SUCH_DATE


def _with_people(command: commands.ChangeRow, names: tuple[str, ...]) -> commands.ChangeRow:
    """The change with the people who get the task; who is taken off it where the sentence clears them."""
    if command.clears is Field.ASSIGNEES:
        return replace(command, clears=None, unassigned=names)
    return replace(command, assignees=names)


def _status(reading: Reading, word: str) -> Status:
    """Several states mean an open task: a task that is reopened is to do."""
    states = reading.grammar.status(word) or ()
    return next(iter(states)) if len(states) == 1 else Status.TODO


def read_deletion(reading: Reading) -> Command | None:
    """A wish to delete one row."""
    for match in reading.matches(reading.grammar.sentences.comment_deletions):
        parent = reading.target(match["target"], RowKind.TASK)
        if not isinstance(parent, Target):
            return parent
        content = reading.name(match["content"])
        return commands.DeleteRow(target=Target(name=content, literal=content, entity=RowKind.COMMENT, parent=parent))
    for match in reading.matches(reading.grammar.sentences.deletions):
        target = reading.target(match["target"])
        return commands.DeleteRow(target=target) if isinstance(target, Target) else target
    return None
