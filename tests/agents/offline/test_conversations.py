"""Whole conversations with the offline assistant: its tool calls, its answers, and the rows afterwards."""

from datetime import datetime

import pytest

from agents.adapters.base import AnswerFormat, AssistantMessage, Message, ToolMessage, UserMessage
from agents.events import ToolCall
from agents.permissions.approvals.refusals import Refusal
from agents.tools.rows import item
from tests.agents.offline.world import MAX_ROUNDS, NOW, ROME, World, say

BLOCKS = AnswerFormat.BLOCKS


@pytest.fixture
def world() -> World:
    """Alice's rows."""
    world = World()
    site = world.project("Website", summary="Launch in spring.")
    world.project("Attic", status="archived")
    world.task("Write report", status="in_progress", due_date="2026-11-16", project_id=site, assignees=["Anna Rossi"])
    world.task("Buy milk", due_date="2026-11-18", priority="high")
    world.task("Buy bread", due_date="2026-11-19T18:00", priority="low")
    world.task("Pay rent", status="done", due_date="2026-11-18")
    world.task("Tidy up")
    world.checkpoint("Beta", site, "2026-12-24")
    world.checkpoint("Alpha", site, "2026-12-01T09:00")
    world.note("Ideas", "paint the kitchen\n\nand the hall", site)
    world.note("Budget", "the budget is 100")
    return world


def ids(world: World, *titles: str) -> list[object]:
    rows = [*world.tasks.values(), *world.notes.values(), *world.checkpoints.values()]
    return [next(row["id"] for row in rows if row["title"] == title) for title in titles]


def task(world: World, title: str) -> dict[str, object]:
    return next(row for row in world.tasks.values() if row["title"] == title)


async def test_list_omits_done_tasks(world: World) -> None:
    said = await say(world, "List my tasks")
    assert said.text.split("\n") == [
        "You have 4 open tasks.",
        "- Write report (in progress, due Mon 16 Nov, for Anna Rossi)",
        "- Buy milk (high priority, due today)",
        "- Buy bread (low priority, due tomorrow at 18:00)",
        "- Tidy up",
    ]
    assert world.calls == [("list_tasks", {"status": "todo"}), ("list_tasks", {"status": "in_progress"})]


async def test_unfiltered_list_shows_cards_of_all_returned_rows(world: World) -> None:
    said = await say(world, "Elenca le mie attività", answer_format=BLOCKS)
    assert said.blocks == [
        {"type": "text", "content": "Hai 4 attività aperte."},
        {"type": "entity_ref", "entity": "task"},
    ]


async def test_filtered_list_shows_cards_of_matching_rows_only(world: World) -> None:
    said = await say(world, "tasks with high priority", answer_format=BLOCKS)
    assert said.blocks == [
        {"type": "text", "content": "You have 1 open task with high priority."},
        {"type": "entity_ref", "entity": "task", "id": ids(world, "Buy milk")[0]},
    ]


async def test_tasks_due_before_day_include_overdue_ones(world: World) -> None:
    assert (await say(world, "tasks due before Friday")).text.split("\n") == [
        "You have 3 open tasks due by tomorrow.",
        "- Write report (in progress, due Mon 16 Nov, for Anna Rossi)",
        "- Buy milk (high priority, due today)",
        "- Buy bread (low priority, due tomorrow at 18:00)",
    ]


async def test_tasks_due_after_day_have_no_end_date(world: World) -> None:
    said = await say(world, "attività in scadenza dopo oggi")
    assert said.text.split("\n")[0] == "Hai 1 attività in scadenza da domani in poi."
    assert world.calls == [("list_tasks", {"due_from": "2026-11-19"})]


@pytest.mark.parametrize(
    ("message", "first_line"),
    [
        ("tasks without a project", "You have 3 open tasks without a project."),
        ("attività senza progetto", "Hai 3 attività aperte senza progetto."),
        ("unassigned tasks", "You have 3 open tasks without an assignee."),
        ("attività non assegnate", "Hai 3 attività aperte senza assegnatario."),
        ("tasks created today", "You have no tasks created today."),
        ("attività create il 1 novembre 2026", "Hai 5 attività create dom 1 nov. Una è già fatta."),
    ],
)
async def test_list_is_filtered_by_missing_values_or_creation_date(world: World, message: str, first_line: str) -> None:
    assert (await say(world, message)).text.split("\n")[0] == first_line


async def test_tasks_are_counted_per_assignee(world: World) -> None:
    world.task("Call Bob", assignees=["Anna Rossi", "Marco"])
    assert (await say(world, "who has the most tasks?")).text == ("You have 6 tasks: 2 Anna Rossi, 1 Marco, 4 nobody.")


async def test_date_is_moved_by_days_and_keeps_its_time(world: World) -> None:
    said = await say(world, "postpone Buy bread by two days")
    assert said.text == "I updated the task “Buy bread” (low priority, due Sat 21 Nov at 18:00)."
    assert world.calls[-1][1]["due_date"] == "2026-11-21T18:00"


async def test_date_is_not_moved_beyond_calendar(world: World) -> None:
    world.task("Retire", due_date=datetime(9999, 12, 31, tzinfo=ROME).timestamp() * 1000)
    assert (await say(world, "postpone Retire by two days")).text == "There is no such date in the calendar."
    assert world.writes() == []


async def test_missing_date_is_not_moved(world: World) -> None:
    said = await say(world, "anticipa Tidy up di un giorno")
    assert said.text == "L'attività «Tidy up» non ha una data da spostare."
    assert "update_task" not in {name for name, _ in world.calls}


async def test_one_of_several_assignees_is_removed(world: World) -> None:
    world.task("Call Bob", assignees=["Anna Rossi", "Marco"])
    assert (await say(world, "unassign Anna from Call Bob")).text == "I updated the task “Call Bob” (for Marco)."
    assert task(world, "Call Bob")["assignees"] == ["Marco"]
    assert (await say(world, "unassign Marco from Call Bob")).text == (
        "The task “Call Bob” is no longer assigned to anyone."
    )


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("is Buy milk done?", "“Buy milk” (to do, high priority, due today)"),
        ("Buy milk is done?", "“Buy milk” (to do, high priority, due today)"),
        ("Buy milk is due on Friday?", "“Buy milk” (to do, high priority, due today)"),
        ("Buy milk è fatta?", "«Buy milk» (da fare, priorità alta, scadenza oggi)"),
        ("Buy milk scade venerdì?", "«Buy milk» (da fare, priorità alta, scadenza oggi)"),
    ],
)
async def test_question_changes_nothing(world: World, message: str, answer: str) -> None:
    assert (await say(world, message)).text == answer
    assert not {name for name, _ in world.calls} & {"update_task"}


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ("the last 2 tasks", ["The latest of your 5 open tasks:", "- Call Bob", "- Write report (in progress"]),
        ("my last task", ["The latest of your 5 open tasks:", "- Call Bob"]),
        ("l'ultima attività", ["La più recente di 5 attività aperte:", "- Call Bob"]),
    ],
)
async def test_latest_tasks_are_those_created_last(world: World, message: str, lines: list[str]) -> None:
    world.task("Call Bob", createdAt=1795000000000)
    said = (await say(world, message)).text.split("\n")
    assert len(said) == len(lines)
    assert all(line.startswith(start) for line, start in zip(said, lines, strict=True))


async def test_person_who_is_not_assigned_is_not_removed(world: World) -> None:
    said = await say(world, "unassign Bob from Write report")
    assert said.text == "The task “Write report” is not assigned to Bob."
    assert task(world, "Write report")["assignees"] == ["Anna Rossi"]


async def test_tasks_due_today_include_done_ones(world: World) -> None:
    said = await say(world, "Which tasks are due today?")
    assert said.text.split("\n") == [
        "You have 2 tasks due today. One of them is done.",
        "- Buy milk (high priority, due today)",
        "- Pay rent (done, due today)",
    ]
    # No other task is read.
    today = world.today.isoformat()
    assert world.calls == [("list_tasks", {"due_from": today, "due_to": today})]


async def test_tasks_due_today_are_listed_in_italian_blocks(world: World) -> None:
    said = await say(world, "cosa scade oggi?", answer_format=BLOCKS)
    assert said.content == "Hai 2 attività in scadenza oggi. Una è già fatta."
    # Without an id, the block means all rows that were read.
    assert said.blocks[1:] == [{"type": "entity_ref", "entity": "task"}]


@pytest.mark.parametrize(
    ("message", "titles"),
    [
        ("what's overdue?", ["Write report"]),
        ("tasks due tomorrow", ["Buy bread"]),
        ("tasks due this week", ["Write report", "Buy milk", "Pay rent", "Buy bread"]),
        ("open tasks due this week", ["Write report", "Buy milk", "Buy bread"]),
        ("tasks in project website", ["Write report"]),
        ("tasks assigned to Anna", ["Write report"]),
        ("tasks for Anna Rossi", ["Write report"]),
        ("tasks for Website", ["Write report"]),
        ("tasks for Web", ["Write report"]),
        ("my milk tasks", ["Buy milk"]),
        ("tasks about buy", ["Buy milk", "Buy bread"]),
        ("tasks without a due date", ["Tidy up"]),
        ("tasks in progress", ["Write report"]),
        ("completed tasks", ["Pay rent"]),
        ("all tasks", ["Write report", "Buy milk", "Pay rent", "Buy bread", "Tidy up"]),
    ],
)
async def test_list_has_exactly_the_requested_rows(world: World, message: str, titles: list[str]) -> None:
    said = await say(world, message)
    assert [line[2:].split(" (")[0] for line in said.text.split("\n")[1:]] == titles


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("tasks due on Friday", "You have no tasks due Fri 20 Nov."),
        ("attività scadute assegnate a Marco", "Non hai attività scadute per Marco."),
        ("tasks about cheese", "You have no tasks with “cheese”."),
        ("archived projects in project Website", None),
        ("notes created today", "You have no notes dated today."),
        ("checkpoints this month", "You have no checkpoints dated between Sun 1 Nov and Mon 30 Nov."),
        ("tasks in project Nope", "I found no project called “Nope”."),
        ("attività nel progetto Nope", "Non ho trovato nessun progetto con il nome «Nope»."),
    ],
)
async def test_empty_list_is_reported(world: World, message: str, answer: str | None) -> None:
    said = await say(world, message)
    assert said.text == answer or (answer is None and said.text.startswith("I did not understand"))


async def test_long_list_names_twenty_rows_and_counts_rest() -> None:
    world = World()
    for number in range(60):
        world.task(f"Task {number}", priority="high")
    world.task("Other")
    said = await say(world, "high priority tasks")
    assert said.text.split("\n")[-1] == "- … and 40 more"
    assert len(said.text.split("\n")) == 22
    shown = await say(world, "high priority tasks", answer_format=BLOCKS)
    assert len(shown.blocks) == 51


async def test_list_truncated_by_tool_states_how_many_rows_are_missing(world: World) -> None:
    world.notes.popitem()
    world.omitting["list_notes"] = 39
    said = await say(world, "list my notes")
    assert said.text.split("\n")[0] == "You have 1 note. There are 39 more that I could not look at."


async def test_count_by_status_is_a_chart(world: World) -> None:
    said = await say(world, "how many tasks by status", answer_format=BLOCKS)
    assert said.blocks == [
        {"type": "text", "content": "You have 5 tasks: 3 to do, 1 in progress, 1 done."},
        {
            "type": "chart",
            "chartType": "bar",
            "title": "Tasks by status",
            "data": [{"name": "to do", "value": 3}, {"name": "in progress", "value": 1}, {"name": "done", "value": 1}],
            "config": {"value": {"label": "tasks", "color": "#4f7cff"}},
        },
    ]


@pytest.mark.parametrize(
    ("message", "chart_type", "data"),
    [
        ("pie chart of tasks by project", "pie", [("no project", 4), ("Website", 1)]),
        (
            "grafico delle attività per priorità",
            "bar",
            [("alta", 1), ("media", 3), ("bassa", 1)],
        ),
        ("line chart of my tasks", "line", [("to do", 3), ("in progress", 1), ("done", 1)]),
    ],
)
async def test_chart_counts_requested_groups(
    world: World, message: str, chart_type: str, data: list[tuple[str, int]]
) -> None:
    said = await say(world, message, answer_format=BLOCKS)
    assert said.blocks[1]["chartType"] == chart_type
    assert said.blocks[1]["data"] == [{"name": name, "value": value} for name, value in data]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("when is Beta?", "“Beta” (Thu 24 Dec)"),
        ("quando è la Beta?", "«Beta» (gio 24 dic)"),
        ("rename Beta to Gamma", "I renamed the checkpoint “Beta” to “Gamma”."),
        ("when does the Website go live?", "You have 2 checkpoints in the project “Website”."),
        ("tasks in a project", "You have 1 open task in a project."),
        ("attività in un progetto", "Hai 1 attività aperta in un progetto."),
        (
            "set Buy milk to low priority and move it to Friday",
            "I updated the task “Buy milk” (low priority, due Fri 20 Nov).",
        ),
        ("Buy milk e' fatta", "Ho segnato l'attività «Buy milk» come fatta."),
        (
            "archive it",
            "Which one do you mean? Name it by its title, best in quotes. For example: Mark “Buy milk” as done",
        ),
    ],
)
async def test_answer_begins_with_expected_line(world: World, message: str, answer: str) -> None:
    assert (await say(world, message)).text.split("\n")[0] == answer


async def test_description_of_task_is_shown(world: World) -> None:
    task(world, "Buy milk")["description"] = "Two litres.\n\nOat."
    said = await say(world, "What does the description of Buy milk say?")
    assert said.text == "“Buy milk” (to do, high priority, due today)\n\nTwo litres.\n\nOat."


async def test_cards_in_requested_order_are_named_one_by_one(world: World) -> None:
    for message, titles in (
        ("open tasks, the earliest first", ("Write report", "Buy milk", "Buy bread", "Tidy up")),
        ("open tasks sorted by priority", ("Buy milk", "Write report", "Tidy up", "Buy bread")),
    ):
        said = await say(world, message, answer_format=BLOCKS)
        assert [block["id"] for block in said.blocks[1:]] == ids(world, *titles)


async def test_chart_in_plain_text_shows_counts(world: World) -> None:
    said = await say(world, "how many tasks by status")
    assert said.text == "You have 5 tasks: 3 to do, 1 in progress, 1 done."


async def test_count_by_status_agrees_in_number_in_italian(world: World) -> None:
    for row in world.tasks.values():
        row["status"] = "done"
    said = await say(world, "quante attività per stato")
    assert said.text == "Hai 5 attività: 5 fatte."


async def test_table_has_one_row_per_task(world: World) -> None:
    said = await say(world, "show my open tasks as a table", answer_format=BLOCKS)
    assert said.blocks[1] == {
        "type": "table",
        "headers": ["Title", "Status", "Priority", "Due"],
        "rows": [
            ["Write report", "in progress", "medium", "Mon 16 Nov"],
            ["Buy milk", "to do", "high", "today"],
            ["Buy bread", "to do", "low", "tomorrow at 18:00"],
            ["Tidy up", "to do", "medium", ""],
        ],
    }


async def test_table_of_notes_has_their_dates(world: World) -> None:
    said = await say(world, "table of my notes")
    assert said.text.split("\n")[1:] == ["Title | Date", "Ideas | Sun 1 Nov", "Budget | Sun 1 Nov"]


async def test_checkpoints_are_timeline_in_time_zone_of_user(world: World) -> None:
    said = await say(world, "show the timeline", answer_format=BLOCKS)
    alpha, beta = ids(world, "Alpha", "Beta")
    assert said.blocks == [
        {"type": "text", "content": "You have 2 checkpoints."},
        {
            "type": "timeline",
            "checkpoints": [
                {"id": alpha, "title": "Alpha", "date": 1_000 * datetime(2026, 12, 1, 9, tzinfo=ROME).timestamp()},
                {"id": beta, "title": "Beta", "date": 1_000 * datetime(2026, 12, 24, tzinfo=ROME).timestamp()},
            ],
        },
    ]
    assert [name for name, _ in world.calls] == ["list_projects", "list_checkpoints", "list_checkpoints"]


async def test_checkpoints_of_project_are_listed_in_plain_text(world: World) -> None:
    said = await say(world, "checkpoint del progetto Website")
    assert said.text.split("\n") == [
        "Hai 2 checkpoint nel progetto «Website».",
        "- Alpha (mar 1 dic alle 09:00)",
        "- Beta (gio 24 dic)",
    ]


async def test_checkpoints_without_any_project_need_no_more_calls() -> None:
    world = World()
    assert (await say(world, "checkpoints")).text == "You have no checkpoints."
    assert (await say(world, "delete checkpoint Beta")).text == "I found no checkpoint called “Beta”."


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ("list my projects", ["You have 1 project.", "- Website"]),
        ("all projects", ["You have 2 projects.", "- Website", "- Attic (archived)"]),
        ("archived projects", ["You have 1 project.", "- Attic (archived)"]),
    ],
)
async def test_projects_are_listed_with_and_without_archived_ones(world: World, message: str, lines: list[str]) -> None:
    assert (await say(world, message)).text.split("\n") == lines
    world.withheld = frozenset({"list_all_projects"})
    assert (await say(world, message)).text.split("\n") == lines


async def test_next_task_is_most_urgent_one(world: World) -> None:
    said = await say(world, "What should I do next?", answer_format=BLOCKS)
    assert said.content.split("\n") == [
        "I would start with “Write report”: it was due Mon 16 Nov. After that:",
        "- Buy milk (high priority, due today)",
        "- Buy bread (low priority, due tomorrow at 18:00)",
    ]
    assert said.blocks[1] == {"type": "entity_ref", "entity": "task", "id": ids(world, "Write report")[0]}


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"due_date": "2026-11-18"}, ": it is due today."),
        ({"due_date": "2026-11-30"}, ": it is due Mon 30 Nov."),
        ({"status": "in_progress"}, ": it is already in progress."),
        ({"priority": "high"}, ": it has high priority."),
        ({}, "."),
    ],
)
async def test_next_task_comes_with_reason(columns: dict[str, object], reason: str) -> None:
    world = World()
    world.task("Tidy up", **columns)
    assert (await say(world, "what's next?")).text == f"I would start with “Tidy up”{reason}"


async def test_request_for_next_task_without_open_tasks_says_so() -> None:
    assert (await say(World(), "cosa dovrei fare adesso?")).text.startswith("Non hai attività aperte")


async def test_note_is_read_with_its_text(world: World) -> None:
    said = await say(world, "read the note ideas")
    assert said.text == "Ideas\n\npaint the kitchen\n\nand the hall"
    world.note("Blank", "")
    assert (await say(world, "leggi la nota Blank")).text == "Blank\n\nLa nota non ha testo."


async def test_project_is_shown_with_its_summary_and_open_tasks(world: World) -> None:
    said = await say(world, "show project Website", answer_format=BLOCKS)
    assert said.content == "The project “Website” is active.\n\nLaunch in spring.\n\nIt has 1 open task."
    world.withheld = frozenset({"get_project", "list_tasks"})
    assert (await say(world, "show project Attic")).text == "The project “Attic” is archived."


async def test_task_is_shown_with_its_details(world: World) -> None:
    said = await say(world, 'show task "buy bread"')
    assert said.text == "“Buy bread” (to do, low priority, due tomorrow at 18:00)"


async def test_notes_are_searched_by_meaning(world: World) -> None:
    said = await say(world, "What do my notes say about the budget?")
    assert said.text.split("\n")[:2] == [
        "These of your notes come closest to “the budget”:",
        "- Ideas: paint the kitchen and the hall",
    ]
    assert world.calls == [("search_notes", {"query": "the budget", "limit": 5})]
    inside = await say(world, "search my notes for kitchen in project Website")
    assert inside.text.startswith("These of your notes come closest to “kitchen”:\n- Ideas:")
    assert (await say(world, "search my notes for whales")).text == "I found no notes about “whales”."


async def test_task_is_created_with_all_its_details(world: World) -> None:
    said = await say(
        world,
        "Create a task “Write memo” due tomorrow at 18:00 with low priority "
        "assigned to Anna and Marco in project website",
        answer_format=BLOCKS,
    )
    site = next(row["id"] for row in world.projects.values() if row["name"] == "Website")
    assert world.calls[-1] == (
        "create_task",
        {
            "title": "Write memo",
            "status": "todo",
            "priority": "low",
            "assignees": ["Anna", "Marco"],
            "due_date": "2026-11-19T18:00",
            "project_id": site,
        },
    )
    details = "low priority, due tomorrow at 18:00, for Anna, Marco"
    assert said.content == f"I created the task “Write memo” ({details})."
    assert said.blocks[1] == {"type": "entity_ref", "entity": "task", "id": task(world, "Write memo")["id"]}


async def test_checkpoint_needs_a_project_and_a_date(world: World) -> None:
    said = await say(world, "create a checkpoint Gamma on 1 December")
    assert said.text.startswith("Which project does the checkpoint belong to?")
    said = await say(world, "crea un checkpoint Gamma nel progetto Website")
    assert said.text.startswith("Per quale data è il checkpoint?")
    assert world.writes() == []
    said = await say(world, "create a checkpoint Gamma in project Website on 1 December")
    assert said.text == "I created the checkpoint “Gamma” (Tue 1 Dec)."


async def test_note_without_text_gets_its_title_as_text(world: World) -> None:
    assert (await say(world, "create a note called Plans")).text == "I created the note “Plans” (Sun 1 Nov)."
    assert world.calls[-1] == ("create_note", {"title": "Plans", "content": "Plans"})


async def test_dictated_note_is_titled_with_its_first_words(world: World) -> None:
    text = "remember to ask the landlord about the broken window in the upper hall before winter"
    await say(world, f"note: {text}")
    title = "remember to ask the landlord about the broken window in the"
    assert world.calls[-1] == ("create_note", {"title": title, "content": text})
    await say(world, f"note: {'x' * 100}")
    assert world.calls[-1] == ("create_note", {"title": "x" * 60, "content": "x" * 100})


async def test_project_is_created_with_its_whole_name(world: World) -> None:
    said = await say(world, "nuovo progetto Casa per domani")
    assert said.text == "Ho creato il progetto «Casa per domani»."


@pytest.mark.parametrize(
    ("message", "title", "columns"),
    [
        ("mark buy milk as done", "Buy milk", {"status": "done"}),
        ("complete milk", "Buy milk", {"status": "done"}),
        ("complete the task to buy milk", "Buy milk", {"status": "done"}),
        ("complete the milk and eggs", None, {}),
        ("complete milk buy", "Buy milk", {"status": "done"}),
        ("reopen Pay rent", "Pay rent", {"status": "todo"}),
        ("start Tidy up", "Tidy up", {"status": "in_progress"}),
        ("make Tidy up high priority", "Tidy up", {"priority": "high"}),
        ("move Tidy up to Friday", "Tidy up", {"due_date": "2026-11-20"}),
        ("remove the due date of Buy milk", "Buy milk", {"due_date": None}),
        ("assign Tidy up to Anna & Bob", "Tidy up", {"assignees": ["Anna", "Bob"]}),
        ("unassign Write report", "Write report", {"assignees": None}),
        ("move Tidy up to project Website", "Tidy up", {"project_id": "row-1"}),
        ("move Tidy up to Website", "Tidy up", {"project_id": "row-1"}),
        ("remove Write report from its project", "Write report", {"project_id": None}),
        ("set the description of Tidy up to the whole house", "Tidy up", {"description": "the whole house"}),
    ],
)
async def test_change_applies_only_to_meant_row(
    world: World, message: str, title: str | None, columns: dict[str, object]
) -> None:
    before = {row_id: dict(row) for row_id, row in world.tasks.items()}
    await say(world, message)
    expected = {row_id: row | (columns if row["title"] == title else {}) for row_id, row in before.items()}
    assert world.tasks == expected


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("mark buy milk as done", "I marked the task “Buy milk” as done."),
        ("segna buy milk come in corso", "Ho segnato l'attività «Buy milk» come in corso."),
        ("rename Buy milk to Buy oat milk", "I renamed the task “Buy milk” to “Buy oat milk”."),
        ("rinomina la nota Ideas in Idee", "Ho rinominato la nota «Ideas» in «Idee»."),
        ("make Tidy up high priority", "I updated the task “Tidy up” (high priority)."),
        ("move Tidy up to Website", "I moved the task “Tidy up” to the project “Website”."),
        ("remove the due date of Buy milk", "The task “Buy milk” has no due date any more."),
        ("archive Website", "I archived the project “Website”."),
        ("unarchive Attic", "I took the project “Attic” out of the archive."),
        ("move checkpoint Beta to 1 January", "I updated the checkpoint “Beta” (Fri 1 Jan 2027)."),
        ("set the content of note Ideas to “x”", "I updated the note “Ideas” (Sun 1 Nov)."),
        ("rename checkpoint Beta in project Website to Gamma", "I renamed the checkpoint “Beta” to “Gamma”."),
        ("move project Website to tomorrow", "I cannot change that: the project “Website” has no such field."),
        ("delete task Tidy up", "I deleted the task “Tidy up”."),
        ("delete “Ideas”", "I deleted the note “Ideas”."),
        ("elimina il checkpoint Beta", "Ho eliminato il checkpoint «Beta»."),
        ("delete project Attic", "I deleted the project “Attic”."),
    ],
)
async def test_change_is_confirmed_in_words(world: World, message: str, answer: str) -> None:
    assert (await say(world, message)).text == answer


@pytest.mark.parametrize("message", ["complete buy", "delete buy", "rename buy to sell", "elimina l'attività buy"])
async def test_ambiguous_title_asks_which_row_is_meant(world: World, message: str) -> None:
    said = await say(world, message)
    assert [line.split(" (")[0] for line in said.text.split("\n")[1:]] == ["- Buy milk", "- Buy bread"]
    assert world.writes() == []


async def test_exact_title_takes_precedence_over_partial_ones(world: World) -> None:
    world.task("Buy milk and honey")
    await say(world, "delete task BUY MILK")
    assert [row["title"] for row in world.tasks.values()].count("Buy milk") == 0
    assert len(world.tasks) == 5


async def test_same_title_is_distinguished_by_project_or_asked_about(world: World) -> None:
    world.task("Write report")
    said = await say(world, "delete task Write report")
    assert said.text.startswith("2 tasks have the title “Write report”.")
    said = await say(world, "delete task Write report in project Website")
    assert said.text == "I deleted the task “Write report”."
    assert [row.get("project_id") for row in world.tasks.values() if row["title"] == "Write report"] == [None]


async def test_completed_duplicate_does_not_prevent_completing(world: World) -> None:
    world.task("Pay rent", due_date="2026-12-18")
    assert (await say(world, "complete Pay rent")).text == "I marked the task “Pay rent” as done."
    assert {row["status"] for row in world.tasks.values() if row["title"] == "Pay rent"} == {"done"}


@pytest.mark.parametrize("message", ["delete task milk", "delete the note ide", "elimina il progetto web"])
async def test_partial_title_deletes_nothing(world: World, message: str) -> None:
    said = await say(world, message)
    assert said.text.endswith(("repeat the command with the full title.", "ripeti il comando con il titolo completo."))
    assert world.writes() == []


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("complete Fly to Mars", "I found no task called “Fly to Mars”."),
        ("delete Fly to Mars", "I found nothing called “Fly to Mars”."),
        ("elimina la nota Marte", "Non ho trovato nessuna nota con il nome «Marte»."),
        ("comments on Fly to Mars", "I found no task called “Fly to Mars”."),
        ("comment on Fly to Mars: x", "I found no task called “Fly to Mars”."),
        ("read the note Mars", "I found no note called “Mars”."),
        ("complete Buy milk in project Mars", "I found no project called “Mars”."),
        ("add task X in project Mars", "I found no project called “Mars”."),
        ("move Buy milk to Mars", "I found no project called “Mars”."),
        ("delete checkpoint Beta in project Mars", "I found no project called “Mars”."),
        ("find notes about tea in project Mars", "I found no project called “Mars”."),
        ("delete comment “x” from “Fly to Mars”", "I found no task called “Fly to Mars”."),
        ("delete comment “x” from “Buy milk”", "I found no comment called “x”."),
    ],
)
async def test_missing_row_is_reported(world: World, message: str, answer: str) -> None:
    assert (await say(world, message)).text == answer
    assert world.writes() == []


async def test_title_that_device_search_misses_is_found_among_all_tasks(world: World) -> None:
    world.task("ÜBER  die Brücke")
    await say(world, "complete “über die brücke”")
    assert task(world, "ÜBER  die Brücke")["status"] == "done"


async def test_comment_is_added_listed_and_deleted(world: World) -> None:
    said = await say(world, "comment on Buy milk: the shop closes at six")
    assert said.text == "I added the comment to the task “Buy milk”."
    await say(world, "aggiungi un commento a Buy milk: «va bene» a nome di Anna")
    said = await say(world, "commenti su Buy milk")
    assert said.text.split("\n") == [
        "2 commenti sull'attività «Buy milk»:",
        "- the shop closes at six — Me, ieri",
        "- va bene (Anna) — Me, ieri",
    ]
    await say(world, "delete the comment “va bene (Anna)” from Buy milk")
    assert [row["content"] for row in world.comments.values()] == ["the shop closes at six"]
    await say(world, "delete the comment “the shop closes at six” from Buy milk")
    assert (await say(world, "comments on Buy milk")).text == "The task “Buy milk” has no comments."


async def test_deletion_of_comment_without_task_asks_which_one(world: World) -> None:
    assert (await say(world, "delete comment “ok”")).text.startswith("Which one do you mean?")
    assert world.calls == []


async def test_omitted_rows_are_counted(world: World) -> None:
    world.omitting = {"list_task_comments": 2, "list_tasks": 3}
    await say(world, "comment on Buy milk: the shop closes at six")
    assert (await say(world, "comments on Buy milk")).text.split("\n") == [
        "3 comments on the task “Buy milk”:",
        "- the shop closes at six — Me, yesterday",
        "- … and 2 more",
    ]
    # Two lists of tasks are read, one for each status.
    assert (await say(world, "show project Website")).text.endswith("It has 7 open tasks.")


async def test_checkpoint_with_unreadable_date_is_not_on_timeline(world: World) -> None:
    for checkpoint in world.checkpoints.values():
        checkpoint["date"] = 10**18
    said = await say(world, "checkpoints of project Website", answer_format=BLOCKS)
    assert said.blocks[1] == {"type": "timeline", "checkpoints": []}


async def test_longest_plan_fits_maximum_rounds(world: World) -> None:
    twin = world.task("Ünder way", project_id="row-1")
    world.comment(twin, "Anna", "ok")
    said = await say(world, "delete the comment “ok” from ünder way in project Website")
    assert (said.text, said.rounds) == ("I deleted the comment “ok”.", MAX_ROUNDS)


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("list_tasks", "list my tasks"),
        ("list_projects", "tasks for Anna"),
        ("list_projects", "checkpoints"),
        ("list_projects", "delete checkpoint Beta"),
        ("list_checkpoints", "delete checkpoint Beta"),
        ("list_tasks", "what should I do next?"),
        ("list_tasks", "complete Buy milk"),
        ("update_task", "complete Buy milk"),
        ("delete_task", "delete task Buy milk"),
        ("create_task", "add task X"),
        ("add_task_comment", "comment on Buy milk: x"),
        ("list_task_comments", "comments on Buy milk"),
        ("list_task_comments", "delete comment “x” from Buy milk"),
        ("get_note", "read note Ideas"),
        ("get_project", "show project Website"),
        ("list_tasks", "show project Website"),
        ("search_notes", "search notes for tea"),
    ],
)
async def test_tool_failure_is_reported_without_ids(world: World, tool: str, message: str) -> None:
    world.failing[tool] = "The user's device refused [id x1]: the disk is full."
    said = await say(world, message)
    assert said.text == "That did not work. The user's device refused: the disk is full."
    world.failing[tool] = ""
    assert (await say(world, message)).text == "That did not work. The tool gave no answer."


@pytest.mark.parametrize(
    ("withheld", "message"),
    [
        ({"list_tasks"}, "list my tasks"),
        ({"delete_task"}, "delete task Buy milk"),
        ({"list_tasks", "list_projects", "list_notes"}, "delete Buy milk"),
        ({"search_notes"}, "search my notes for tea"),
        ({"create_note"}, "note: tea"),
    ],
)
async def test_tool_that_is_not_offered_is_never_called(world: World, withheld: set[str], message: str) -> None:
    world.withheld = frozenset(withheld)
    assert (await say(world, message)).text == "I cannot do this here: the tool it takes is not on offer."
    assert world.writes() == []


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("hello", "Hello! I am the offline assistant: no language model is connected"),
        ("help", "I am the offline assistant: no language model is connected"),
        ("tell me a joke", "I did not understand that. I am the offline assistant"),
        ("raccontami una barzelletta", "Non ho capito. Sono l'assistente offline: nessun modello linguistico"),
        ("ciao", "Ciao! Sono l'assistente offline"),
    ],
)
async def test_assistant_explains_offline_mode_model_setup_and_abilities(
    world: World, message: str, start: str
) -> None:
    said = await say(world, message)
    assert said.text.startswith(start)
    assert said.text.count("\n- ") == 5
    assert said.text.count("OPENAI_API_KEY") == said.text.count("OPENAI_BASE_URL") == 1
    assert world.calls == []


@pytest.mark.parametrize("message", ["thanks", "list my tasks", "delete everything", "add task Tea", "create a task"])
async def test_assistant_does_not_repeat_that_it_is_offline(world: World, message: str) -> None:
    assert "offline" not in (await say(world, message)).text


@pytest.mark.parametrize("language", ["en", "it"])
async def test_every_example_of_help_is_understood(world: World, language: str) -> None:
    help_text = (await say(world, "help" if language == "en" else "aiuto")).text
    examples = [line[2:] for line in help_text.split("\n") if line.startswith("- ")]
    world.project("Sito")
    for example in examples:
        answer = (await say(world, example, language=language)).text
        assert not answer.startswith(("I did not", "Non ho capito", "What", "Which", "Come", "Quale"))


async def test_earlier_messages_are_not_answered_again(world: World) -> None:
    history: list[Message] = [
        UserMessage(text="delete task Tidy up"),
        AssistantMessage(text="I deleted the task “Tidy up”."),
    ]
    said = await say(world, "thanks", history=history)
    assert said.text == "You're welcome."
    assert world.calls == []


async def test_tomorrow_is_relative_to_time_zone_of_user(world: World) -> None:
    late = NOW.replace(hour=23, minute=59)
    await say(world, "add task Tea for tomorrow", now=late)
    assert task(world, "Tea")["due_date"] == "2026-11-19"


@pytest.mark.parametrize("refusal", Refusal)
@pytest.mark.parametrize(
    ("order", "answers"),
    [
        (
            "Delete task “Buy milk”",
            {
                Refusal.REFUSED: "All right, I leave it as it is.",
                Refusal.NOT_ASKED: "All right, I leave it as it is.",
                Refusal.UNANSWERED: ("You did not answer in time, so I changed nothing. Say it again when you like."),
                Refusal.PENDING: (
                    "This needs your approval and waits for it: look at what is open. Nothing is changed yet."
                ),
                Refusal.CANNOT_ASK: "This needs your approval, and I cannot ask you for it here. Nothing is changed.",
                Refusal.DENIED: "Your settings do not allow this. Nothing is changed.",
            },
        ),
        (
            "Elimina l'attività «Buy milk»",
            {
                Refusal.REFUSED: "Va bene, lascio tutto com'è.",
                Refusal.NOT_ASKED: "Va bene, lascio tutto com'è.",
                Refusal.UNANSWERED: (
                    "Non hai risposto in tempo, quindi non ho cambiato nulla. Ripeti la richiesta quando vuoi."
                ),
                Refusal.PENDING: (
                    "Serve la tua approvazione, in attesa tra le richieste aperte. Finora nulla è cambiato."
                ),
                Refusal.CANNOT_ASK: "Serve la tua approvazione, e qui non posso chiedertela. Non è cambiato nulla.",
                Refusal.DENIED: "Le tue impostazioni non lo permettono. Non è cambiato nulla.",
            },
        ),
    ],
)
async def test_refused_change_is_explained_in_language_of_user(
    world: World, refusal: Refusal, order: str, answers: dict[Refusal, str]
) -> None:
    world.failing["delete_task"] = f"{refusal} Told to a model."

    assert (await say(world, order)).text == answers[refusal]
    assert task(world, "Buy milk")


async def test_text_is_appended_to_note(world: World) -> None:
    await say(world, "add “and the attic” to the note Ideas")
    assert world.calls[-1] == (
        "update_note",
        {"note_id": ids(world, "Ideas")[0], "content": "paint the kitchen\n\nand the hall\nand the attic"},
    )


@pytest.mark.parametrize(
    ("message", "title", "answer"),
    [
        ("Pay rent is not done", "Pay rent", "I marked the task “Pay rent” as to do."),
        ("Write report isn't done yet", None, "The task “Write report” is not done anyway."),
        ("Compra il latte non è fatta", None, "Non ho trovato nessuna attività con il nome «Compra il latte»."),
        ("Write report non è finita", None, "L'attività «Write report» non è comunque fatta."),
    ],
)
async def test_only_done_task_is_reopened(world: World, message: str, title: str | None, answer: str) -> None:
    before = {row_id: row["status"] for row_id, row in world.tasks.items()}
    assert (await say(world, message)).text == answer
    now = {row["title"]: row["status"] for row_id, row in world.tasks.items() if row["status"] != before[row_id]}
    assert now == ({title: "todo"} if title else {})


async def test_new_time_keeps_date_of_row(world: World) -> None:
    history = [UserMessage(text="rename Buy bread to Buy rye"), *_told(world, "Buy bread")]
    assert (await say(world, "no, at 7am", history=history)).text == (
        "I updated the task “Buy bread” (low priority, due tomorrow at 07:00)."
    )


async def test_row_without_a_date_gets_no_time(world: World) -> None:
    history = [UserMessage(text="rename Tidy up to Clean up"), *_told(world, "Tidy up")]
    said = await say(world, "no, at 7am", history=history)
    assert said.text == "The task “Tidy up” has no date that could be moved."
    assert world.writes() == []


def _told(world: World, title: str) -> list[Message]:
    """A turn that changed the row."""
    call = ToolCall(id="1", name="update_task", arguments="{}")
    told = f"Updated the task {item(title, (), str(task(world, title)['id']))}."
    return [
        AssistantMessage(text="", tool_calls=(call,)),
        ToolMessage(call_id="1", text=told),
        AssistantMessage(text="I did."),
    ]
