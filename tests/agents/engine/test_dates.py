"""Dates in calls must be on the days that the user has named."""

import json

import pytest

from agents.engine.dates import CallDates, order_said
from agents.tools.context import CallContext
from agents.tools.spec import ToolSpec
from agents.tools.tasks import CreateTask, ListTasks


def dates_of(tool: ToolSpec, said: str, *read: str) -> CallDates:
    dates = CallDates.of(tool, message=said, read=read)
    assert dates is not None
    return dates


def test_call_without_dates_has_none(context: CallContext) -> None:
    assert CallDates.of(ListTasks.from_arguments("{}", context), message="What is due on Friday?", read=()) is None


@pytest.mark.parametrize(
    ("said", "due", "is_wrong"),
    [
        ("Create a task for Thursday.", "2026-04-04", True),
        ("Create a task for Thursday.", "Saturday 18:00", True),
        ("Create a task for Thursday.", "2026-04-02T18:00", False),
        ("Create a task for Thursday or Friday.", "2026-04-03", False),
        ("Create a task “Friday”.", "2026-04-04", False),
        ("Set it to tomorrow", "2026-04-02", True),
        ("Create a task for the day before Thursday.", "2026-04-01", False),
        ("Create a task for Thursday in two weeks.", "2026-04-16", False),
        ("Create a task for next Thursday.", "2026-04-09", False),
        ("Create a task for Thursday.", "whenever", False),
        ("Sposta il dentista a giovedì", "2026-04-04", True),
    ],
)
def test_day_other_than_the_one_that_user_names_is_wrong(
    said: str, due: str, is_wrong: bool, context: CallContext
) -> None:
    tool = CreateTask.from_arguments(json.dumps({"title": "Frame the poster", "due_date": due}), context)

    told = dates_of(tool, said).fault

    assert told.startswith("due_date is wrong") is is_wrong
    assert "2026-04-02" in told or not is_wrong or "tomorrow" in told


@pytest.mark.parametrize(
    ("said", "due", "corrected"),
    [
        ("Create a task for Thursday.", "2026-04-04T09:30", {"due_date": "2026-04-02T09:30"}),
        ("Create a task for Thursday.", "Saturday", {"due_date": "2026-04-02"}),
        ("Create a task for Thursday.", "Thursday 9:30", {}),
        ("Create a task for Thursday or Friday.", "2026-04-04", {}),
        ("Create a task for Thursday at 15:30.", "2026-04-04T15:30", {"due_date": "2026-04-02T15:30"}),
        ("Create a task for Friday next week.", "2026-03-31T18:00", {"due_date": "2026-04-03T18:00"}),
        ("Create a task for 20 April in Summer catalogue", "2026-04-02", {"due_date": "2026-04-20"}),
        ("Crea un'attività per il 20 aprile.", "2026-04-02", {"due_date": "2026-04-20"}),
        ("Create a task to prepare the party of 20 April for Thursday.", "2026-04-04", {}),
        ("Create a task for version 2 on 20 April.", "2026-04-02", {}),
        ("Create a task for the meeting on Thursday, a day earlier.", "2026-04-01", {}),
        ("Create a task.", "2026-04-01", {}),
        ("Create a task to call Anna on Easter Monday.", "2026-04-06", {}),
        ("I saw Anna yesterday; create a task for a sensible time.", "2026-04-01", {}),
        ("The party is tomorrow: create a task to clean up afterwards.", "2026-03-31", {}),
        ("Rimanda la visita di domani", "2026-03-31", {}),
        ("Rimanda la visita a domani", "2026-03-31", {"due_date": "2026-03-30"}),
        ("Cosa scadeva venerdì passato?", "2026-03-27", {}),
    ],
)
def test_wrong_day_is_corrected_if_user_names_one(
    said: str, due: str, corrected: dict[str, str], context: CallContext
) -> None:
    tool = CreateTask.from_arguments(json.dumps({"title": "Frame the poster", "due_date": due}), context)
    days = dates_of(tool, said).corrected

    assert days == corrected
    tool.put(days)
    assert tool.arguments["due_date"] == corrected.get("due_date", due)


@pytest.mark.parametrize(
    ("said", "dates", "is_wrong"),
    [
        ("Quali attività scadono domani?", {"due_to": "2026-03-30T09:00"}, True),
        ("Which tasks are due tomorrow?", {"due_from": "tomorrow", "due_to": "tomorrow"}, False),
        ("Which tasks are due tomorrow?", {"due_date": "tomorrow"}, False),
        ("Which tasks are due by tomorrow?", {"due_to": "tomorrow"}, False),
        ("What is on my plate tomorrow?", {"due_to": "tomorrow"}, False),
    ],
)
def test_list_of_tasks_due_on_day_needs_lower_limit(
    said: str, dates: dict[str, str], is_wrong: bool, context: CallContext
) -> None:
    tool = ListTasks.from_arguments(json.dumps(dates), context)

    assert ("due_from" in dates_of(tool, said).fault) is is_wrong


def test_day_that_was_read_is_accepted_like_day_that_was_said(context: CallContext) -> None:
    tool = ListTasks.from_arguments('{"due_from": "2026-04-04", "due_to": "2026-04-04"}', context)
    said = "What is due on Thursday, or as late as the launch?"

    assert dates_of(tool, said).fault
    assert not dates_of(tool, said, '"launch" (due sat 2026-04-04) [id t1]').fault


@pytest.mark.parametrize(
    ("order", "said", "meant"),
    [
        ("-dueDate", "List my tasks, the earliest first.", "dueDate"),
        ("dueDate", "List my tasks, the latest first.", "-dueDate"),
        ("dueDate", "List my tasks, the earliest first.", "dueDate"),
        ("-createdAt", "Elenca le attività, prima le più vecchie.", "createdAt"),
        ("-dueDate", "List my tasks.", "-dueDate"),
        ("-priority", "List my tasks, the earliest first.", "-priority"),
    ],
)
def test_order_of_dates_is_the_one_that_user_wants(order: str, said: str, meant: str) -> None:
    assert order_said(order, said) == meant
