"""Sentences that change or delete one row."""

import re
from dataclasses import fields, replace

from agents.offline import commands
from agents.offline.commands import Command, Field, Incomplete, Missing, Place, RowKind, Status, Talk, Target
from agents.offline.grammar import ChangeSentence
from agents.offline.reading import Reading
from agents.offline.spelling import spelled_out

_MAX_TOPIC_WORDS = 6
"""The maximum length of a row's name before its command. Longer texts are usually sentences."""


def read_changes(reading: Reading) -> Command | None:
    """Several changes of one row, such as “set the task to in progress and move it to Friday”."""
    joint = reading.pattern(rf"(?:[,;.]\s|\s)(?:{reading.grammar.creation.joint}) ")
    for found in joint.finditer(reading.text):
        rest = replace(reading, text=spelled_out(reading.grammar, reading.text[found.end() :]))
        first = read_change(replace(reading, text=reading.text[: found.start()]))
        second = read_changes(rest) or read_change(rest)
        if not isinstance(first, commands.ChangeRow) or not isinstance(second, commands.ChangeRow):
            continue
        if second.target.place is Place.IT:
            return _merged(first, second)
    return None


def read_topic(reading: Reading) -> Command | None:
    """A change or a deletion after the name of its row, such as “the first one is paid, mark it as done”."""
    for found in re.finditer(r",? ", reading.text):
        rest = spelled_out(reading.grammar, reading.text[found.end() :])
        # Without a comma, only a verb that includes its pronoun begins a new clause.
        if found[0] == " " and rest == reading.text[found.end() :]:
            continue
        own = replace(reading, text=rest)
        command = read_changes(own) or read_change(own) or read_deletion(own)
        if isinstance(command, commands.ChangeRow | commands.DeleteRow) and command.target.place is Place.IT:
            return _with_topic(reading, reading.text[: found.start()], command)
    return None


def _with_topic(reading: Reading, text: str, command: commands.ChangeRow | commands.DeleteRow) -> Command | None:
    sentences = reading.grammar.sentences
    aside = rf"(?:(?:{sentences.thanks}|{sentences.declined}|{reading.grammar.hesitation})[\s,.!]*)+"
    if reading.pattern(aside).fullmatch(text):
        return command
    for topic in replace(reading, text=text).matches(sentences.topics):
        target = reading.target(topic["target"], command.target.entity)
        if isinstance(target, Target):
            return replace(command, target=target) if len(target.name.split()) <= _MAX_TOPIC_WORDS else None
        return target
    return None


def _merged(first: commands.ChangeRow, second: commands.ChangeRow) -> commands.ChangeRow:
    """Both changes, of the row of the first."""
    changes = {each.name: value for each in fields(second) if (value := getattr(second, each.name)) != each.default}
    return replace(first, **(changes | {"target": first.target}))


def read_change(reading: Reading) -> Command | None:
    """A change of one row, by the first sentence that matches. A statement with a question mark changes nothing."""
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
    groups = match.groupdict()
    is_dated = not groups.keys().isdisjoint({"when", "count"})
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
        return _dated(reading, change, command, groups)
    return _with_details(reading, command, groups)


def _with_details(reading: Reading, command: commands.ChangeRow, groups: dict[str, str]) -> Command:
    """The change with the new value in its sentence."""
    if "status" in groups:
        return replace(command, status=_status(reading, groups["status"]))
    if "priority" in groups:
        return replace(command, priority=reading.grammar.priority(groups["priority"]))
    if "names" in groups:
        return _with_people(command, reading.names(groups["names"]))
    if "project" in groups:
        return replace(command, project=reading.name(groups["project"]))
    if "addition" in groups:
        return replace(command, addition=reading.content(groups["addition"]))
    if "content" in groups:
        return replace(command, content=reading.content(groups["content"]))
    if "title" in groups:
        title = reading.name(groups["title"])
        return (
            replace(command, title=title) if title else Incomplete(missing=Missing.TITLE, entity=command.target.entity)
        )
    return command


def _dated(
    reading: Reading, change: ChangeSentence, command: commands.ChangeRow, groups: dict[str, str]
) -> commands.ChangeRow | Talk:
    """The change to another day, or by a number of days."""
    if "count" in groups:
        return replace(command, shift=change.shift * (reading.grammar.dates.days(groups["count"]) or 0))
    due = reading.when(groups["when"])
    return replace(command, due=due) if due else Talk.NO_SUCH_DATE


def _with_people(command: commands.ChangeRow, names: tuple[str, ...]) -> commands.ChangeRow:
    """The change with the task's new assignees, or with those to remove if the sentence clears them."""
    if command.clears is Field.ASSIGNEES:
        return replace(command, clears=None, unassigned=names)
    return replace(command, assignees=names)


def _status(reading: Reading, word: str) -> Status:
    """The status that ``word`` means. Several states mean an open task, which becomes “to do”."""
    states = reading.grammar.status(word) or ()
    return next(iter(states)) if len(states) == 1 else Status.TODO


def read_deletion(reading: Reading) -> Command | None:
    """A request to delete one row."""
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
