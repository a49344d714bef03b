"""What a model gives to a tool rests on what it has read, or is left out."""

import json

import pytest

from agents.adapters.base import Message, SystemMessage, ToolMessage, UserMessage
from agents.engine.grounding import Grounds
from agents.provenance import Provenance
from agents.tools.context import CallContext
from agents.tools.notes import CreateNote
from agents.tools.tasks import CreateTask, ListTasks
from tests.costs import calls_of

NOW = UserMessage(text="It is Tuesday 2026-03-10 09:00 in the user's time zone, Europe/Rome.")


def conversation(*said: str) -> list[Message]:
    return [SystemMessage(text="Friday"), NOW, *(UserMessage(text=each) for each in said)]


def unfounded(context: CallContext, read: list[Message] | None, /, **arguments: object) -> set[str]:
    given = {"title": "Frame the poster", **arguments}
    return set(Grounds(read).unfounded(CreateTask.from_arguments(json.dumps(given), context)))


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        ("Create a task “Frame the poster”.", {"due_date", "priority"}),
        ("Create a task “Frame the poster” for Thursday.", {"priority"}),
        ("Create a task “Frame the poster” for ven.", {"priority"}),
        ("Crea un'attività «Frame the poster» per venerdì con priorità alta", set()),
        ("Add “Frame the poster” in March, it is urgent", set()),
        ("Erstelle eine Aufgabe für morgen", set()),
        ("The poster needs a frame.", set()),
    ],
)
def test_values_that_nothing_was_said_of_are_left_out(said: str, left_out: set[str], context: CallContext) -> None:
    assert unfounded(context, conversation(said), due_date="2026-03-12", priority="low") == left_out


def test_values_may_rest_on_anything_that_was_read(context: CallContext) -> None:
    asked = conversation("Create a task for it.")
    row = ToolMessage(call_id="1", text='"Launch" (due Fri 2026-03-13)')
    remembered = UserMessage(text="New tasks are due on Friday", provenance=Provenance.READ)

    assert unfounded(context, asked, due_date="2026-03-13") == {"due_date"}
    assert unfounded(context, [*asked, row], due_date="2026-03-13") == set()
    assert unfounded(context, [*asked, remembered], due_date="2026-03-13") == set()
    assert unfounded(context, None, due_date="2026-03-13") == set()


def test_each_result_is_looked_through_once(context: CallContext) -> None:
    read = conversation("Create tasks for all of it.")
    grounds = Grounds(read)
    tool = CreateTask.from_arguments('{"title": "Launch", "due_date": "2026-03-13", "priority": "high"}', context)

    def further(added: int) -> int:
        read.extend(ToolMessage(call_id="1", text="Row") for _ in range(added))
        return calls_of(lambda: grounds.unfounded(tool))

    further(1)
    costs = [further(1), further(100), further(1)]

    assert costs[0] == costs[2] < costs[1]
    read.append(ToolMessage(call_id="2", text='"Launch" (high priority)'))
    assert grounds.unfounded(tool) == {"due_date"}
    assert grounds.unfounded(tool) == {"due_date"}


def test_limits_of_a_list_that_no_one_asked_for_are_left_out(context: CallContext) -> None:
    given = '{"overdue": true, "due_from": "2026-03-10T09:00", "due_to": "2026-03-10T09:00"}'
    tool = ListTasks.from_arguments(given, context)
    found = ToolMessage(call_id="1", text='"Launch" (due Fri 2026-03-13)')

    read = conversation("Which tasks are overdue?")
    grounds = Grounds(read)
    read += [found, UserMessage(text="[Make the call now.]")]
    tool.leave_out(grounds.unfounded(tool))

    assert tool.arguments == {"overdue": True}


@pytest.mark.parametrize(
    ("name", "is_made_up"),
    [("general", True), ("1", True), ("domani", True), ("Autumn fair", False), ("autumn", False), ("p7", False),
     ("3f2c8a90-1b2c-4d5e-8f90-0123456789ab", False)],
)  # fmt: skip
def test_a_name_without_a_word_of_the_user_is_made_up(name: str, is_made_up: bool) -> None:
    grounds = Grounds(conversation("Crea un'attività per domani in Autumn campaign"))
    assert grounds.is_made_up(name) is is_made_up
    assert not Grounds().is_made_up(name)


@pytest.mark.parametrize(
    ("said", "title", "only_repeats"),
    [
        ("Read the note “Add salt”.", "Rent", True),
        ("What do my notes say about the wifi?", "RENT", True),
        ("Quali note ho?", "Rent", True),
        ("Which notes are about money?", "Rent and more", False),
        ("Create a note “Rent”", "Rent", False),
        ("Find a slot and book it", "Rent", False),
        ("Show the notes. Mark the first as done.", "Rent", False),
        ("What about a note on the rent?", "Rent", False),
        ("Cosa ne dici di una nota?", "Rent", False),
        ("Is it there?", "Rent", False),
    ],
)
def test_who_asks_to_see_something_wants_no_copy_of_it(
    said: str, title: str, only_repeats: bool, context: CallContext
) -> None:
    read = conversation(said)
    grounds = Grounds(read)
    read += [ToolMessage(call_id="1", text='"Rent" [id n1]\n\n900 a month'), UserMessage(text="[Call the tool now.]")]
    note = json.dumps({"title": title, "content": "900 a month"})

    assert grounds.only_repeats(CreateNote.from_arguments(note, context)) is only_repeats
