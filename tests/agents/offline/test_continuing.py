"""Messages that only make sense after the one before."""

from datetime import date

import pytest

from agents.offline.commands import (
    ChangeRow,
    Command,
    CreateRow,
    DeleteRow,
    Filter,
    ListRows,
    Priority,
    RowKind,
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
    ("before", "message", "expected"),
    [
        ("Which tasks are due today?", "and on 31 February?", Talk.NO_SUCH_DATE),
        ("Which tasks are due today?", "and the weather?", Talk.NOT_UNDERSTOOD),
        ("Hello", "and bananas?", Talk.NOT_UNDERSTOOD),
    ],
)
def test_what_does_not_continue_is_not_understood(before: str, message: str, expected: Talk) -> None:
    assert continued(before, message, "en") is expected
