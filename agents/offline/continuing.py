"""Messages that continue an earlier one: ``and in Garden?``, ``no, medium is enough``, ``the second``."""

import re
from dataclasses import replace

from agents.offline.amendments import read_change
from agents.offline.commands import (
    TITLED,
    ChangeRow,
    Command,
    CreateRow,
    DeleteRow,
    Incomplete,
    ListComments,
    ListRows,
    Missing,
    Place,
    RowKind,
    ShowRow,
    Talk,
    Target,
)
from agents.offline.creations import read_row, read_title
from agents.offline.dates import When
from agents.offline.earlier import Earlier
from agents.offline.filters import read_more
from agents.offline.grammar import QUOTED, grammars
from agents.offline.reading import EDGES, Reading
from agents.offline.spelling import is_command_word

_MAX_NAME_WORDS = 3
"""The maximum length of a name that is the whole message, as in “and Marco?”."""


def read_dependent(before: Command | None, reading: Reading) -> Command | None:
    """A message that could be a sentence of its own but continues ``before``: “which of these …?”, “as a table”."""
    words = reading.grammar.continuing
    match before:
        case ListRows():
            if among := reading.pattern(f"(?:{words.among})[ ,]+(?P<rest>.+)").fullmatch(reading.text):
                return _narrowed(before, replace(reading, text=among["rest"]))
            shapes = (pattern for pattern, _ in reading.grammar.listing.shapes)
            if any(reading.matches(tuple(shapes))):
                return read_more(before, reading, reading.text)
        case Incomplete(missing=Missing.KIND):
            return _typed(before, reading)
        case CreateRow() if not reading.utterance.asks:
            lacks_date = before.entity is RowKind.CHECKPOINT and before.details.due is None
            for match in reading.matches((words.deadline, *(("{when}",) if lacks_date else ()))):
                return _detailed(before, replace(reading, text=match["when"]))
    return None


def continued(before: Command | None, earlier: Earlier, reading: Reading) -> Command | None:
    """``before``, the previous message's command, with the changes in ``reading``; None if there are none."""
    match before:
        case ListRows():
            return _narrowed(before, reading)
        case CreateRow():
            return _repeated(before, reading) or _another(before, reading) or _detailed(before, reading)
        case Incomplete(missing=Missing.TITLE):
            return _titled(before, reading)
        case ChangeRow() if chosen := _chosen(before.target, earlier, reading):
            return replace(before, target=chosen)
        case DeleteRow() if chosen := _chosen(before.target, earlier, reading):
            return DeleteRow(target=chosen)
        case ShowRow() if chosen := _chosen(before.target, earlier, reading):
            return ShowRow(target=chosen)
        case ListComments() if chosen := _chosen(before.target, earlier, reading):
            return ListComments(target=chosen)
        case ChangeRow():
            return _of_another(before, reading) or _reassigned(before, reading) or _changed(reading, before.due)
        case _:
            return None


def _new(reading: Reading) -> str:
    """The words of the message that say what changes."""
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
    if any(reading.matches((words.again,))):
        return before
    if more := read_more(before, reading, new):
        return more
    named = reading.pattern(words.assignee).fullmatch(new)
    if named and where.assignee:
        return replace(before, where=replace(where, assignee=reading.name(named["names"])))
    for pattern in words.project:
        if match := reading.pattern(pattern).fullmatch(new):
            name = reading.name(match["project"])
            has_noun = reading.pattern(r".*\b{project_noun}\b.*").fullmatch(new)
            # “Of Marco” can also mean a person.
            if not has_noun and where.project is None:
                return replace(before, where=replace(where, about=name, assignee=None))
            return replace(before, where=replace(where, project=name, about=None))
    if before.entity is RowKind.TASK and (of_tasks := _with_fact(before, reading, new)):
        return of_tasks
    if named:
        return replace(before, where=replace(where, assignee=reading.name(named["names"]), about=None))
    return _renamed(before, reading, new)


def _with_fact(before: ListRows, reading: Reading, new: str) -> Command | None:
    """The tasks with another date, priority or state."""
    words, where = reading.grammar.continuing, before.where
    if match := reading.pattern(words.due).fullmatch(new):
        due = reading.when(match["when"])
        return replace(before, where=replace(where, due=due, overdue=False)) if due else Talk.NO_SUCH_DATE
    if match := reading.pattern(words.priority).fullmatch(new):
        return replace(before, where=replace(where, priority=reading.grammar.priority(match["priority"])))
    if match := reading.pattern(words.status).fullmatch(new):
        return replace(before, where=replace(where, statuses=reading.grammar.status(match["status"])))
    return None


def _renamed(before: ListRows, reading: Reading, new: str) -> Command | None:
    """The list for another person, or of another project, if the message is only a name."""
    where = before.where
    goes_on = reading.pattern(f"(?:{reading.grammar.continuing.opening})").match(reading.utterance.text)
    if not goes_on or not (_is_name(new) or (where.assignee and _is_unknown(new))):
        return None
    name = reading.name(new)
    if where.assignee:
        return replace(before, where=replace(where, assignee=name))
    if where.project:
        return replace(before, where=replace(where, project=name))
    return replace(before, where=replace(where, about=name)) if where.about else None


def _is_name(text: str) -> bool:
    words = text.split()
    return 0 < len(words) <= _MAX_NAME_WORDS and (words[0][0].isupper() or bool(re.fullmatch(QUOTED, text)))


def _is_unknown(text: str) -> bool:
    """Whether ``text`` may be a name in lower case: it is short, and contains no known word."""
    words = text.split()
    return 0 < len(words) <= _MAX_NAME_WORDS and not any(map(is_command_word, words))


def _titled(before: Incomplete, reading: Reading) -> Command | None:
    """The row whose title the assistant has asked for. A question, or a word such as “no”, is no title."""
    refusals = "|".join(each.continuing.refusal for each in grammars())
    is_refused = reading.pattern(rf"(?:{refusals})(?:\W.*)?").fullmatch(reading.text)
    if reading.utterance.asks or is_refused or before.entity is None:
        return None
    return read_title(reading, before.entity, before.details)


def _typed(before: Incomplete, reading: Reading) -> Command | None:
    """The row whose kind the assistant has asked for."""
    new = _new(reading)
    for kind in TITLED:
        if reading.pattern(f"{reading.grammar.creation.articles}{{{kind}_noun}}").fullmatch(new):
            return CreateRow(entity=kind, title=before.title, details=before.details)
    for match in reading.matches((reading.grammar.continuing.deadline,)):
        # Only a task has a deadline.
        due = reading.when(match["when"])
        details = replace(before.details, due=due)
        return CreateRow(entity=RowKind.TASK, title=before.title, details=details) if due else Talk.NO_SUCH_DATE
    return None


def _detailed(before: CreateRow, reading: Reading) -> Command | None:
    """The row with a detail that the assistant has asked for, or else a change of the row that was created."""
    new, details = _new(reading), before.details
    change = _changed(reading, details.due)
    if before.entity is not RowKind.CHECKPOINT or (details.project and details.due):
        return change
    # A checkpoint is created only once it has both.
    if details.due is None and isinstance(change, ChangeRow) and change.due:
        return replace(before, details=replace(details, due=change.due))
    if details.project is None:
        patterns = (*reading.grammar.continuing.project, *(("(?P<project>.+)",) if _is_name(new) else ()))
        for pattern in patterns:
            if match := reading.pattern(pattern).fullmatch(new):
                return replace(before, details=replace(details, project=reading.name(match["project"])))
    return change


def _repeated(before: CreateRow, reading: Reading) -> Command | None:
    """Another row with the details of the previous one."""
    for match in reading.matches(reading.grammar.continuing.same):
        return replace(before, title=reading.name(match["title"]))
    return None


def _another(before: CreateRow, reading: Reading) -> Command | None:
    """Another row of the same kind, such as “also one for Friday: call Eve”."""
    for match in reading.matches((reading.grammar.continuing.another,)):
        return read_row(reading, before.entity, match["rest"])
    return None


def _of_another(before: ChangeRow, reading: Reading) -> Command | None:
    """The same kind of change of another row, such as “the flyers too” or “and the flyers to Friday”."""
    words = reading.grammar.continuing
    if reading.utterance.asks:
        return None
    for match in reading.matches(words.too):
        target = reading.target(match["title"], before.target.entity)
        return replace(before, target=target) if isinstance(target, Target) else target
    goes_on = reading.pattern(f"(?:{words.opening}){{named}}").match(reading.utterance.text)
    verbs = sorted(words.verbs, key=lambda name: not getattr(before, name)) if goes_on else ()
    texts = (f"{words.verbs[name]} {_new(reading)}" for name in verbs)
    return next((found for text in texts if (found := read_change(replace(reading, text=text)))), None)


def _reassigned(before: ChangeRow, reading: Reading) -> Command | None:
    """The same task for other people, such as “no, Marco”."""
    new = _new(reading)
    if not before.assignees or not _is_name(new) or reading.utterance.asks:
        return None
    return replace(before, assignees=reading.names(new))


def _changed(reading: Reading, due: When | None) -> Command | None:
    """A change of the row that was changed or created before. ``due`` is its date so far."""
    words, new = reading.grammar.continuing, _new(reading)
    if reading.utterance.asks:
        return None
    command = ChangeRow(target=Target(name=new, literal=new, place=Place.IT))
    if match := reading.pattern(words.priority).fullmatch(new):
        return replace(command, priority=reading.grammar.priority(match["priority"]))
    if match := reading.pattern(words.due).fullmatch(new):
        due = reading.when(match["when"])
        return replace(command, due=due) if due else Talk.NO_SUCH_DATE
    if at := reading.grammar.dates.read_time(new, instead=due.at if due else None):
        return replace(command, at=at)
    if match := reading.pattern(words.assignee).fullmatch(new):
        return replace(command, assignees=reading.names(match["names"]))
    return None


def _chosen(target: Target, earlier: Earlier, reading: Reading) -> Target | None:
    """``target``, if the message says which row is meant: by its place in the list, its title, or its project."""
    new = _new(reading)
    for pattern, place in reading.grammar.places:
        if place is not Place.IT and reading.pattern(pattern).fullmatch(new):
            return replace(target, place=place)
    for pattern in reading.grammar.continuing.chosen:
        if match := reading.pattern(pattern).fullmatch(new):
            return replace(target, project=reading.name(match["project"]))
    shown = earlier.lists[-1] if earlier.lists else ()
    was_asked = len(shown) > 1 and (
        target.place is not None or all(target.name.casefold() in row.title.casefold() for row in shown)
    )
    name = reading.name(new).casefold()
    named = [row for row in shown if name and name in row.title.casefold()]
    if not was_asked or len(named) != 1:
        return None
    [row] = named
    return Target(name=row.title, literal=row.title, entity=row.entity, id=row.id)
