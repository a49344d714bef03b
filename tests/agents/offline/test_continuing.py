"""Messages that only make sense after the one before."""

from datetime import date

import pytest

from agents.offline.commands import (
    ChangeRow,
    Command,
    CreateRow,
    DeleteRow,
    Filter,
    ListComments,
    ListRows,
    Priority,
    RowKind,
    ShowRow,
    Status,
    Talk,
)
from agents.offline.earlier import Earlier, SeenRow
from agents.offline.understanding import understand

TODAY = date(2026, 3, 10)
ROWS = tuple(SeenRow(entity=RowKind.TASK, id=f"t{number}", title="Contract") for number in (1, 2))


def continued(before: str, message: str, language: str) -> Command:
    earlier = Earlier(message=before, lists=(ROWS,))
    return understand(message, language=language, today=TODAY, earlier=earlier)[0]


@pytest.mark.parametrize(
    ("before", "message", "language", "expected"),
    [
        ("Tasks in the project Garden", "And in Harbour website?", "en", Filter(project="Harbour website")),
        ("Tasks in the project Garden", "what about the project House?", "en", Filter(project="House")),
        ("Attività nel progetto Orto", "E nel progetto Casa?", "it", Filter(project="Casa")),
        ("Tasks for Anna", "and for Marco?", "en", Filter(assignee="Marco")),
        ("High-priority tasks", "and low?", "en", Filter(priority=Priority.LOW)),
        ("Tasks in progress", "and the done ones?", "en", Filter(statuses=frozenset({Status.DONE}))),
    ],
)
def test_question_goes_on_about_something_else(before: str, message: str, language: str, expected: Filter) -> None:
    command = continued(before, message, language)

    assert isinstance(command, ListRows)
    assert command.where == expected


@pytest.mark.parametrize(
    ("before", "message", "language", "day"),
    [
        ("Which tasks are due today?", "and tomorrow?", "en", date(2026, 3, 11)),
        ("Quali attività scadono oggi?", "e domani?", "it", date(2026, 3, 11)),
        ("Which tasks are overdue?", "what about next week?", "en", date(2026, 3, 16)),
    ],
)
def test_question_goes_on_about_another_day(before: str, message: str, language: str, day: date) -> None:
    command = continued(before, message, language)

    assert isinstance(command, ListRows)
    assert command.where.due is not None
    assert (command.where.due.first, command.where.overdue) == (day, False)


@pytest.mark.parametrize(
    ("message", "language"),
    [("The same for “Tables”.", "en"), ("another one called “Tables”", "en"), ("Lo stesso per «Tables».", "it")],
)
def test_another_row_gets_the_details_of_the_one_before(message: str, language: str) -> None:
    command = continued("Create a task “Chairs” for Friday with high priority.", message, language)

    assert isinstance(command, CreateRow)
    assert (command.title, command.details.priority) == ("Tables", Priority.HIGH)
    assert command.details.due is not None


@pytest.mark.parametrize(
    ("before", "message", "language", "kind"),
    [
        ("Mark “Contract” as done.", "The one of the project Garden.", "en", ChangeRow),
        ("Delete the task “Contract”", "the one in Garden", "en", DeleteRow),
        ("Segna «Contract» come fatta.", "quella del progetto Garden", "it", ChangeRow),
    ],
)
def test_one_of_several_is_chosen_by_its_project(
    before: str, message: str, language: str, kind: type[ChangeRow | DeleteRow]
) -> None:
    command = continued(before, message, language)

    assert isinstance(command, kind)
    assert (command.target.name, command.target.project) == ("Contract", "Garden")


@pytest.mark.parametrize(("message", "language"), [("the second", "en"), ("la seconda", "it")])
def test_one_of_several_is_chosen_by_its_place(message: str, language: str) -> None:
    command = continued("Mark “Contract” as done.", message, language)

    assert isinstance(command, ChangeRow)
    assert (command.target.id, command.status) == ("t2", Status.DONE)


@pytest.mark.parametrize(
    ("before", "kind"), [("Show the task “Contract”", ShowRow), ("Comments of the task “Contract”", ListComments)]
)
def test_one_of_several_is_chosen_to_be_read(before: str, kind: type[ShowRow | ListComments]) -> None:
    command = continued(before, "the second", "en")

    assert isinstance(command, kind)
    assert command.target.id == "t2"


def test_what_was_made_is_changed() -> None:
    earlier = Earlier(message="Create a task “Contract”.", lists=(ROWS[:1],))
    due, low, assigned = (
        understand(message, language="en", today=TODAY, earlier=earlier)[0]
        for message in ("no, tomorrow", "no, low is enough", "no, for Marco")
    )

    assert isinstance(due, ChangeRow)
    assert due.due is not None
    assert (due.target.id, due.due.deadline) == ("t1", date(2026, 3, 11))
    assert isinstance(low, ChangeRow)
    assert low.priority is Priority.LOW
    assert isinstance(assigned, ChangeRow)
    assert assigned.assignees == ("Marco",)


@pytest.mark.parametrize(
    ("before", "message", "expected"),
    [
        ("Create a task “Chairs”.", "no, on 31 February", Talk.NO_SUCH_DATE),
        ("Which tasks are due today?", "and on 31 February?", Talk.NO_SUCH_DATE),
        ("Which tasks are due today?", "and the weather?", Talk.NOT_UNDERSTOOD),
        ("Hello", "and bananas?", Talk.NOT_UNDERSTOOD),
    ],
)
def test_what_does_not_continue_is_not_understood(before: str, message: str, expected: Talk) -> None:
    assert continued(before, message, "en") is expected
