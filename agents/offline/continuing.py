"""A message that only makes sense after another: ``and in Garden?``, ``no, medium is enough``, ``the second``."""

from dataclasses import replace

from agents.offline.commands import (
    ChangeRow,
    Command,
    CreateRow,
    DeleteRow,
    ListComments,
    ListRows,
    Place,
    ShowRow,
    Talk,
    Target,
)
from agents.offline.reading import EDGES, Reading


def continued(before: Command, reading: Reading) -> Command | None:
    """``before``, the command of the message before, with what ``reading`` changes; None if that says nothing."""
    match before:
        case ListRows():
            return _narrowed(before, reading)
        case CreateRow():
            return _repeated(before, reading) or _changed(reading)
        case ChangeRow() if chosen := _chosen(before.target, reading):
            return replace(before, target=chosen)
        case DeleteRow() if chosen := _chosen(before.target, reading):
            return DeleteRow(target=chosen)
        case ShowRow() if chosen := _chosen(before.target, reading):
            return ShowRow(target=chosen)
        case ListComments() if chosen := _chosen(before.target, reading):
            return ListComments(target=chosen)
        case ChangeRow():
            return _changed(reading)
        case _:
            return None


def _new(reading: Reading) -> str:
    """What the message changes, without the words around it."""
    words = reading.grammar.continuing
    text, opening, closing = reading.text, reading.pattern(f"(?:{words.opening})"), reading.pattern(words.closing)
    while (found := opening.match(text)) and found.end():
        text = text[found.end() :]
    while (found := reading.pattern(f"(?P<rest>.+?)(?:{words.closing})").fullmatch(text)) and closing:
        text = found["rest"]
    return text.strip(EDGES + "?!")


def _narrowed(before: ListRows, reading: Reading) -> Command | None:
    """The same list with another project, person, date, priority or state."""
    words, new, where = reading.grammar.continuing, _new(reading), before.where
    for pattern in words.project:
        if match := reading.pattern(pattern).fullmatch(new):
            return replace(before, where=replace(where, project=reading.name(match["project"]), about=None))
    if match := reading.pattern(words.due).fullmatch(new):
        due = reading.when(match["when"])
        return replace(before, where=replace(where, due=due, overdue=False)) if due else Talk.NO_SUCH_DATE
    if match := reading.pattern(words.priority).fullmatch(new):
        return replace(before, where=replace(where, priority=reading.grammar.priority(match["priority"])))
    if match := reading.pattern(words.status).fullmatch(new):
        return replace(before, where=replace(where, statuses=reading.grammar.status(match["status"])))
    if match := reading.pattern(words.assignee).fullmatch(new):
        return replace(before, where=replace(where, assignee=reading.name(match["names"]), about=None))
    return None


def _repeated(before: CreateRow, reading: Reading) -> Command | None:
    """Another row with the details of the one before."""
    for match in reading.matches(reading.grammar.continuing.same):
        return replace(before, title=reading.name(match["title"]))
    return None


def _changed(reading: Reading) -> Command | None:
    """A change of the row that was changed or made before."""
    words, new = reading.grammar.continuing, _new(reading)
    command = ChangeRow(target=Target(name=new, literal=new, place=Place.IT))
    if match := reading.pattern(words.priority).fullmatch(new):
        return replace(command, priority=reading.grammar.priority(match["priority"]))
    if match := reading.pattern(words.due).fullmatch(new):
        due = reading.when(match["when"])
        return replace(command, due=due) if due else Talk.NO_SUCH_DATE
    if match := reading.pattern(words.assignee).fullmatch(new):
        return replace(command, assignees=reading.names(match["names"]))
    return None


def _chosen(target: Target, reading: Reading) -> Target | None:
    """``target`` once it is said which row was meant: by its place among those shown, or by its project."""
    new = _new(reading)
    for pattern, place in reading.grammar.places:
        if place is not Place.IT and reading.pattern(pattern).fullmatch(new):
            return replace(target, place=place)
    for pattern in reading.grammar.continuing.chosen:
        if match := reading.pattern(pattern).fullmatch(new):
            return replace(target, project=reading.name(match["project"]))
    return None
