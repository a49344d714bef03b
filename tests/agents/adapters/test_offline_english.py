"""What English sentences are understood as."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.adapters.offline.commands import (
    OPEN,
    AddComment,
    Command,
    DeleteRow,
    Entity,
    Field,
    Grouping,
    Incomplete,
    ListComments,
    Missing,
    Priority,
    SearchNotes,
    Shape,
    ShowPage,
    ShowRow,
    Status,
    Talk,
    WhatNext,
)
from agents.adapters.offline.grammar import Language
from agents.adapters.offline.understanding import understand
from tests.agents.adapters.offline_expected import (
    CHRISTMAS_EVE,
    FRIDAY,
    NEXT_WEEK,
    THIS_WEEK,
    TITLE,
    TODAY,
    TOMORROW,
    as_titled,
    between,
    changed,
    created,
    on,
    rows,
    target,
    without_literals,
)

DONE = frozenset({Status.DONE})
TASK, PROJECT, CHECKPOINT, NOTE = Entity.TASK, Entity.PROJECT, Entity.CHECKPOINT, Entity.NOTE

LISTS: list[tuple[str, Command]] = [
    ("List my tasks", rows()),
    ("LIST MY TASKS!!!", rows()),
    ("could you please show me my tasks?", rows()),
    ("What tasks do I have?", rows()),
    ("tasks", rows()),
    ("my to-dos", rows()),
    ("How many tasks do I have?", rows()),
    ("show me all my tasks", rows(everything=True)),
    ("what are my open tasks", rows(statuses=OPEN)),
    ("which of my tasks are still open", rows(statuses=OPEN)),
    ("what do I have to do", rows(statuses=OPEN)),
    ("Which tasks are in progress?", rows(statuses=frozenset({Status.IN_PROGRESS}))),
    ("show my completed tasks", rows(statuses=DONE)),
    ("which tasks did I complete", rows(statuses=DONE)),
    ("How many open tasks do I have in the project Website?", rows(statuses=OPEN, project="Website")),
    ("how many tasks by status", rows(shape=Shape.CHART, grouping=Grouping.STATUS)),
    ("Show a chart of my tasks by priority", rows(shape=Shape.CHART, grouping=Grouping.PRIORITY)),
    ("pie chart of tasks by project", rows(shape=Shape.CHART, chart_type="pie", grouping=Grouping.PROJECT)),
    ("chart of my tasks", rows(shape=Shape.CHART, grouping=Grouping.STATUS)),
    ("show my tasks as a table", rows(shape=Shape.TABLE)),
    ("Table of high priority tasks", rows(shape=Shape.TABLE, priority=Priority.HIGH)),
    ("Which tasks are due today?", rows(due=on("2026-11-18"))),
    ("What’s due today?", rows(due=on("2026-11-18"))),
    ("today's tasks", rows(due=on("2026-11-18"))),
    ("do I have any tasks due today?", rows(due=on("2026-11-18"))),
    ("what do I have to do today", rows(statuses=OPEN, due=on("2026-11-18"))),
    ("anything due tomorrow?", rows(due=TOMORROW)),
    ("tasks for tomorrow", rows(due=TOMORROW)),
    ("tasks due on Friday", rows(due=FRIDAY)),
    ("Which tasks are due on 24 December?", rows(due=CHRISTMAS_EVE)),
    ("tasks due this week", rows(due=THIS_WEEK)),
    ("tasks due next week", rows(due=NEXT_WEEK)),
    ("tasks due in the next 3 days", rows(due=between("2026-11-18", "2026-11-21", "2026-11-21"))),
    ("What's overdue?", rows(overdue=True)),
    ("show overdue tasks", rows(overdue=True)),
    ("are there overdue tasks", rows(overdue=True)),
    ("tasks without a due date", rows(undated=True)),
    ("list high-priority tasks", rows(priority=Priority.HIGH)),
    ("urgent tasks", rows(priority=Priority.HIGH)),
    ("low priority tasks that are not done", rows(statuses=OPEN, priority=Priority.LOW)),
    ('tasks in project "Website"', rows(project="Website")),
    ("tasks of the Website project", rows(project="Website")),
    (
        "show me the high priority tasks due this week in project “Website”",
        rows(priority=Priority.HIGH, due=THIS_WEEK, project="Website"),
    ),
    ("show tasks assigned to Anna", rows(assignee="Anna")),
    ("tasks for Anna", rows(about="Anna")),
    ("show my milk tasks", rows(about="milk")),
    ("search my tasks for milk", rows(about="milk")),
    ("tasks about milk", rows(words="milk")),
    ('find tasks containing "milk"', rows(words="milk")),
    ("list my projects", rows(PROJECT)),
    ("give me an overview of my projects", rows(PROJECT)),
    ("show all projects", rows(PROJECT, everything=True)),
    ("archived projects", rows(PROJECT, archived=True)),
    ("active projects", rows(PROJECT)),
    ("checkpoints of project Website", rows(CHECKPOINT, project="Website")),
    ("what milestones are coming up", rows(CHECKPOINT)),
    ("timeline", rows(CHECKPOINT, shape=Shape.TIMELINE)),
    ("show the timeline of project Website", rows(CHECKPOINT, shape=Shape.TIMELINE, project="Website")),
    ("list my notes", rows(NOTE)),
    ("notes in project Website", rows(NOTE, project="Website")),
]

TITLED: list[tuple[str, Command]] = [
    ("Create a task called {title} with high priority", created(priority=Priority.HIGH)),
    ("add task {title}", created()),
    ("Add a task: {title}", created()),
    ("please add a task to {title}", created()),
    ("new task: {title} tomorrow", created(due=TOMORROW)),
    ("create task {title} for tomorrow", created(due=TOMORROW)),
    ("create a high priority task called {title} due Friday", created(priority=Priority.HIGH, due=FRIDAY)),
    ("add an urgent task {title} due 24 December", created(priority=Priority.HIGH, due=CHRISTMAS_EVE)),
    (
        "add task {title} on 24 December assigned to Anna and Marco",
        created(due=CHRISTMAS_EVE, assignees=("Anna", "Marco")),
    ),
    ("add task {title} in project Website due 2026-12-01", created(project="Website", due=on("2026-12-01"))),
    ("create a task in project Website called {title}", created(project="Website")),
    (
        "Create a task {title} due tomorrow at 18:00 with low priority assigned to Anna in project “Website”",
        created(due=on("2026-11-19", "18:00"), priority=Priority.LOW, assignees=("Anna",), project="Website"),
    ),
    ("create a task {title} with the description ask Bob first", created(content="ask Bob first")),
    ("remind me to {title} tomorrow", created(due=TOMORROW)),
    ("add {title} to my to-do list", created()),
    ("create a project called {title}", created(PROJECT)),
    ("new project {title}", created(PROJECT)),
    (
        "create a checkpoint {title} in project Website on 24 December",
        created(CHECKPOINT, project="Website", due=CHRISTMAS_EVE),
    ),
    (
        "add a milestone {title} to project “Website” for 2026-12-24",
        created(CHECKPOINT, project="Website", due=CHRISTMAS_EVE),
    ),
    ("create a note called {title}: paint the kitchen", created(NOTE, content="paint the kitchen")),
    ('create a note titled {title} with content "paint it"', created(NOTE, content="paint it")),
    ("write a note about {title} saying paint it", created(NOTE, content="paint it")),
    ("add a note {title} in project Website with the text “x”", created(NOTE, project="Website", content="x")),
    ("note: {title}", created(NOTE, content=TITLE)),
    ("note down that {title}", created(NOTE, content=TITLE)),
    ("mark {title} as done", changed(status=Status.DONE)),
    ("Mark {title} as completed.", changed(status=Status.DONE)),
    ("complete {title}", changed(status=Status.DONE)),
    ("complete the task {title}", changed(status=Status.DONE)),
    ("I finished {title}", changed(status=Status.DONE)),
    ("I’ve done the {title} task", changed(status=Status.DONE)),
    ("tick off {title}", changed(status=Status.DONE)),
    ("tick {title} off", changed(status=Status.DONE)),
    ("{title} is done", changed(status=Status.DONE)),
    ("reopen {title}", changed(status=Status.TODO)),
    ("mark {title} as not done", changed(status=Status.TODO)),
    ("start {title}", changed(status=Status.IN_PROGRESS)),
    ("I'm working on {title}", changed(status=Status.IN_PROGRESS)),
    ("set {title} to in progress", changed(status=Status.IN_PROGRESS)),
    ("rename task {title} to Other thing", changed(title="Other thing")),
    ("rename {title} to Other thing", changed(target(entity=None), title="Other thing")),
    ("change the title of {title} to Other thing", changed(target(entity=None), title="Other thing")),
    ("rename project {title} to Site", changed(target(entity=PROJECT), title="Site")),
    ("rename note {title} to Site", changed(target(entity=NOTE), title="Site")),
    ("set the priority of {title} to high", changed(priority=Priority.HIGH)),
    ("make {title} high priority", changed(priority=Priority.HIGH)),
    ("make {title} urgent", changed(priority=Priority.HIGH)),
    ("change the priority of task {title} to low", changed(priority=Priority.LOW)),
    ("give {title} medium priority", changed(priority=Priority.MEDIUM)),
    ("prioritize {title}", changed(priority=Priority.HIGH)),
    ("move {title} to tomorrow", changed(due=TOMORROW)),
    ("postpone {title} to Friday", changed(due=FRIDAY)),
    ("set the due date of {title} to 24 December", changed(due=CHRISTMAS_EVE)),
    ("{title} is due on Friday", changed(due=FRIDAY)),
    ("reschedule {title} for 2026-12-01 at 18:00", changed(due=on("2026-12-01", "18:00"))),
    ("remove the due date of {title}", changed(clears=Field.DUE)),
    ("assign {title} to Anna", changed(assignees=("Anna",))),
    ("assign the task {title} to Anna, Marco and Eve", changed(assignees=("Anna", "Marco", "Eve"))),
    ("unassign {title}", changed(clears=Field.ASSIGNEES)),
    ("move {title} to project Website", changed(target(entity=None), project="Website")),
    ("move task {title} to the Website project", changed(project="Website")),
    ("move {title} to Website", changed(target(entity=None), project="Website")),
    ("remove {title} from its project", changed(target(entity=None), clears=Field.PROJECT)),
    ("archive project {title}", changed(target(entity=PROJECT), archived=True)),
    ("archive {title}", changed(target(entity=PROJECT), archived=True)),
    ("unarchive {title}", changed(target(entity=PROJECT), archived=False)),
    ("move checkpoint {title} to 1 January", changed(target(entity=CHECKPOINT), due=on("2027-01-01"))),
    ("set the content of note {title} to “new text”", changed(target(entity=NOTE), content="new text")),
    ("set the description of {title} to new text", changed(content="new text")),
    ("delete task {title}", DeleteRow(target=target())),
    ("delete the task {title}, please", DeleteRow(target=target())),
    ("delete {title}", DeleteRow(target=target(entity=None))),
    ("delete project {title}", DeleteRow(target=target(entity=PROJECT))),
    ("delete the checkpoint {title}", DeleteRow(target=target(entity=CHECKPOINT))),
    (
        "delete checkpoint {title} in project Website",
        DeleteRow(target=target(entity=CHECKPOINT, project="Website")),
    ),
    ("delete note {title}", DeleteRow(target=target(entity=NOTE))),
    (
        "delete the comment “it closes” from {title}",
        DeleteRow(target=target("it closes", Entity.COMMENT, parent=target())),
    ),
    ("comment on {title}: it closes", AddComment(target=target(), content="it closes")),
    ("add a comment to {title} saying it closes", AddComment(target=target(), content="it closes")),
    ("add comment “it closes” to task {title}", AddComment(target=target(), content="it closes")),
    ("add a comment to {title}: “it closes” as Anna", AddComment(target=target(), content="it closes", author="Anna")),
    ("show the comments of task {title}", ListComments(target=target())),
    ("comments on {title}", ListComments(target=target())),
    ("read the note {title}", ShowRow(target=target(entity=NOTE))),
    ("open note {title}", ShowRow(target=target(entity=NOTE))),
    ("show me the note called {title}", ShowRow(target=target(entity=NOTE))),
    ("what does the note {title} say?", ShowRow(target=target(entity=NOTE))),
    ("show project {title}", ShowRow(target=target(entity=PROJECT))),
    ("find the task called {title}", ShowRow(target=target())),
    ("search my notes for {title}", SearchNotes(query=TITLE)),
    ("What do my notes say about {title}?", SearchNotes(query=TITLE)),
    ("find notes about {title}", SearchNotes(query=TITLE)),
    ("what did I write about {title}?", SearchNotes(query=TITLE)),
    ("find notes about {title} in project Website", SearchNotes(query=TITLE, project="Website")),
]

OTHERS: list[tuple[str, Command]] = [
    ("What is on this page?", ShowPage()),
    ("show me what's on my screen", ShowPage()),
    ("what's here", ShowPage()),
    ("what am I looking at?", ShowPage()),
    ("what's overdue here?", rows(overdue=True)),
    ("what should I do next?", WhatNext()),
    ("What should I work on?", WhatNext()),
    ("what's my most urgent task", WhatNext()),
    ("hello", Talk.GREETING),
    ("Good morning, Adiuva!", Talk.GREETING),
    ("help", Talk.HELP),
    ("What can you do?", Talk.HELP),
    ("thanks", Talk.THANKS),
    ("delete all my tasks", Talk.ONE_AT_A_TIME),
    ("delete everything", Talk.ONE_AT_A_TIME),
    ("complete all tasks", Talk.ONE_AT_A_TIME),
    ("move Buy milk to 31 February", Talk.NO_SUCH_DATE),
    ("tasks due on 31 February", Talk.NO_SUCH_DATE),
    ("what is due on 2026-02-30?", Talk.NO_SUCH_DATE),
    ("delete it", Incomplete(missing=Missing.WHICH, entity=None)),
    ("mark it as done", Incomplete(missing=Missing.WHICH, entity=TASK)),
    ("delete the task", Incomplete(missing=Missing.WHICH, entity=TASK)),
    ("comments of this", Incomplete(missing=Missing.WHICH, entity=TASK)),
    ("comment on that: hi", Incomplete(missing=Missing.WHICH, entity=TASK)),
    ("delete comment “x” from it", Incomplete(missing=Missing.WHICH, entity=TASK)),
    ("Create a task", Incomplete(missing=Missing.TITLE, entity=TASK)),
    ("create a task for tomorrow", Incomplete(missing=Missing.TITLE, entity=TASK)),
    ("create a note:", Incomplete(missing=Missing.CONTENT, entity=NOTE)),
    ("create a note", Incomplete(missing=Missing.TITLE, entity=NOTE)),
    ("create a note called Ideas with content “.” ", created(NOTE, "Ideas", content=".")),
]

NOT_UNDERSTOOD = [
    "tell me a joke",
    "what is the weather today",
    "write me a poem about the sea",
    "Why is the sky blue?",
    "how do I get to Rome tomorrow",
    "what about tomorrow?",
    "overdue projects",
    "notes by status",
    "projects due today",
    "chart of notes",
    "tasks and notes",
    "comment on “Buy milk”:",
    "show it",
    "",
    "   ",
    "?!",
    "🙂",
]

WORDS = ("Paint", "kitchen", "Zürich", "report", "invoice", "bread", "Tokyo", "garden", "piano", "R2D2")
plain_titles = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True).map(" ".join)
QUOTES = (("“", "”"), ('"', '"'), ("«", "»"), ("'", "'"), ("‘", "’"))


def read(message: str) -> tuple[Command, Language]:
    command, language = understand(message, language="en", today=TODAY)
    return without_literals(command), language


@pytest.mark.parametrize(("message", "expected"), LISTS + OTHERS)
def test_sentence_is_understood(message: str, expected: Command) -> None:
    assert read(message) == (expected, Language.ENGLISH)


@pytest.mark.parametrize(("template", "expected"), TITLED)
@given(title=plain_titles)
@settings(max_examples=4, deadline=None)
def test_sentence_is_understood_with_a_plain_title(template: str, expected: Command, title: str) -> None:
    assert read(template.replace(TITLE, title)) == (as_titled(expected, title), Language.ENGLISH)


@pytest.mark.parametrize(("template", "expected"), TITLED)
@given(title=plain_titles, word=st.sampled_from(["to", "done", "tomorrow", "in project", "with", "as", ":", "?"]))
@settings(max_examples=8, deadline=None)
def test_sentence_is_understood_with_a_quoted_title_that_holds_its_words(
    template: str, expected: Command, title: str, word: str
) -> None:
    told = f"{title} {word} x"
    for opening, closing in QUOTES:
        message = template.replace(TITLE, f"{opening}{told}{closing}")
        assert read(message) == (as_titled(expected, told), Language.ENGLISH)


@pytest.mark.parametrize("message", NOT_UNDERSTOOD)
def test_sentence_beyond_the_assistant_is_not_guessed_at(message: str) -> None:
    assert read(message)[0] is Talk.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    ("message", "title", "details"),
    [
        ('create a task called "Say "hi" to Bob" for tomorrow', 'Say "hi" to Bob', {"due": TOMORROW}),
        ('add task Fix "login" bug', 'Fix "login" bug', {}),
        ("add task Meeting of Friday", "Meeting of Friday", {}),
        ("add task Prepare the talk for Friday", "Prepare the talk", {"due": FRIDAY}),
        ("add task Read chapter 1/2", "Read chapter 1/2", {}),
        ("add task Release 5.3", "Release 5.3", {}),
        ("add task Call Anna every Monday", "Call Anna every Monday", {}),
        ("add task Buy bread and butter tomorrow", "Buy bread and butter", {"due": TOMORROW}),
        ("add task Rename the file to x.txt", "Rename the file to x.txt", {}),
        ("add task Find the shop called Foo", "Find the shop called Foo", {}),
        ("add task Pay rent due Friday, priority low", "Pay rent", {"due": FRIDAY, "priority": Priority.LOW}),
        ("add task Pay rent (high priority)", "Pay rent", {"priority": Priority.HIGH}),
        ("add task Meet on 31 February", "Meet on 31 February", {}),
        ("add task Buy a high priority high priority", "Buy a high priority", {"priority": Priority.HIGH}),
        ('add task "Buy milk" at the shop', '"Buy milk" at the shop', {}),
        ("add a task\nBuy milk\nfor tomorrow", "Buy milk", {"due": TOMORROW}),
    ],
)
def test_title_ends_where_the_details_begin(message: str, title: str, details: dict[str, Any]) -> None:
    assert read(message)[0] == created(title=title, **details)
