"""What lists and searches find on a real device: filters, counts, order, words."""

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from agents.calls import ClientAnswer, Table
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, AgentName
from agents.engine.rounds import ToolOutcome
from agents.events import ToolCall
from agents.tools.briefs import by_date, section
from agents.tools.client import using_client
from agents.tools.context import CallContext
from agents.tools.rows import LineContext
from device.executor import Executor
from device.tables import TableName
from tests.agents.embedding import RecordingEmbedder
from tests.agents.permissions.sharing.worlds import Device, device
from tests.agents.tools.items import read_items

Ask = Callable[..., Awaitable[ToolOutcome]]


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Device]:
    with ExitStack() as stack:
        laptop = stack.enter_context(device(tmp_path / "laptop.sqlite3"))
        laptop.counts = True
        stack.enter_context(using_client(laptop))
        yield laptop


@pytest.fixture
def ask(context: CallContext, laptop: Device) -> Ask:
    executor = ToolExecutor(ROSTER[AgentName.GENERAL_AGENT].tools, context)

    async def dispatch(name: str, /, **arguments: object) -> ToolOutcome:
        return await executor.dispatch(ToolCall(id="1", name=name, arguments=json.dumps(arguments)))

    return dispatch


def titles(outcome: ToolOutcome) -> list[str]:
    return [item.title for item in read_items(outcome.text) if item.title != "Garden"]


@pytest.fixture
def tasks(laptop: Device, milliseconds: Callable[[str], int]) -> None:
    """Tasks around the day of the tests, 29 March 2026."""
    for title, status, due, priority in (
        ("done late", "done", "2026-03-20", "low"),
        ("last week", "in_progress", "2026-03-22", "low"),
        ("yesterday", "todo", "2026-03-28T23:59", "high"),
        ("today", "in_progress", "2026-03-29T23:30", "medium"),
        ("tomorrow", "todo", "2026-03-30", "high"),
        ("some day", "todo", None, "low"),
    ):
        laptop.store.clock = partial(int, laptop.store.clock() + 1)
        columns: dict[str, Any] = {"title": title, "status": status, "priority": priority}
        laptop.store.insert(TableName.TASKS, {**columns, "dueDate": due and milliseconds(due)})


@pytest.mark.parametrize(
    ("name", "found"),
    [("anna", ["Draft", "Proof"]), ("Anna Rossi", ["Proof"]), ("Rossi", ["Proof"]), ("Ann", []), ("Marcò", ["Draft"])],
)
async def test_tasks_are_filtered_by_assignee(ask: Ask, laptop: Device, name: str, found: list[str]) -> None:
    for title, people in (("Draft", ["Anna", "Marco"]), ("Proof", ["Anna Rossi"]), ("Tea", None)):
        laptop.store.insert(TableName.TASKS, {"title": title, "assignee": json.dumps(people) if people else None})

    outcome = await ask("list_tasks", assignee=name)

    assert titles(outcome) == found


@pytest.mark.usefixtures("tasks")
@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"status": "open"}, ["last week", "yesterday", "today", "tomorrow", "some day"]),
        ({"status": "not done", "order_by": "-dueDate"}, ["tomorrow", "today", "yesterday", "last week", "some day"]),
        ({"status": "open", "order_by": "title"}, ["last week", "some day", "today", "tomorrow", "yesterday"]),
        ({"status": "open", "order_by": "status"}, ["yesterday", "tomorrow", "some day", "last week", "today"]),
        ({"status": "open", "order_by": "priority"}, ["yesterday", "tomorrow", "today", "last week", "some day"]),
        ({"status": "done"}, ["done late"]),
        ({"overdue": True}, ["last week", "yesterday"]),
        ({"overdue": "true", "status": "todo"}, ["yesterday"]),
        ({"overdue": True, "due_from": "2026-03-28"}, ["yesterday"]),
        ({"overdue": True, "due_to": "2026-04-30"}, ["last week", "yesterday"]),
        ({"due_from": "2026-03-28", "due_to": "2026-03-29"}, ["yesterday", "today"]),
        ({"due_from": "today", "due_to": "tomorrow", "status": "open"}, ["today", "tomorrow"]),
        ({"due_to": "2026-03-29T12:00", "status": "open"}, ["last week", "yesterday"]),
        ({"due_from": "2026-03-28T09:00", "due_to": "2026-03-28T09:00"}, ["yesterday"]),
        ({"due_from": "2026-03-30"}, ["tomorrow"]),
        ({"search": "LATE dóne"}, ["done late"]),
    ],
)
async def test_tasks_are_filtered_and_ordered(ask: Ask, arguments: dict[str, object], found: list[str]) -> None:
    assert titles(await ask("list_tasks", **arguments)) == found


@pytest.mark.parametrize("status", ["todo", "open"])
async def test_titles_that_equal_states_or_priorities_are_sorted_alphabetically(
    ask: Ask, laptop: Device, status: str
) -> None:
    for title in ("Low", "Hang the door", "Medium", "in_progress", "Zoo", "Apples"):
        laptop.store.insert(TableName.TASKS, {"title": title})

    listed = titles(await ask("list_tasks", status=status, order_by="title"))

    assert listed == ["Apples", "Hang the door", "in_progress", "Low", "Medium", "Zoo"]


@pytest.mark.usefixtures("tasks")
async def test_contradictory_filters_of_overdue_tasks_are_refused(ask: Ask) -> None:
    outcome = await ask("list_tasks", overdue=True, status="done")
    assert (outcome.ok, outcome.text) == (
        False,
        "A task that is done is not overdue: leave out one of status and overdue.",
    )
    today = await ask("list_tasks", overdue=True, due_from="2026-03-29", due_to="2026-03-29")
    assert (today.ok, today.text) == (
        False,
        "Overdue is what was due before today. Leave out due_from for that, or overdue for what is due from then on.",
    )


async def test_last_day_of_calendar_is_refused(ask: Ask) -> None:
    outcome = await ask("list_tasks", due_to="9999-12-31")
    assert (outcome.ok, outcome.text) == (False, "'9999-12-31' is too far away: leave it out.")


@pytest.mark.parametrize("status", ["todo", "open"])
@pytest.mark.parametrize(("counts", "found"), [(True, "Found 620 tasks:"), (False, "Found at least 500 tasks:")])
async def test_truncated_list_states_number_of_rows(
    ask: Ask, laptop: Device, status: str, found: str, *, counts: bool
) -> None:
    laptop.counts = counts
    with laptop.store.transaction():
        for number in range(620):
            laptop.store.insert(TableName.TASKS, {"title": f"Task {number}"})

    told = (await ask("list_tasks", status=status)).text

    assert told.startswith(found)
    assert len(read_items(told)) == 500
    rest = "120 more are not shown: narrow the search." if counts else "There may be more: narrow the search."
    assert told.endswith(rest)


async def test_checkpoints_of_all_projects_are_listed_by_date(ask: Ask, laptop: Device) -> None:
    for project in ("p2", "p1"):
        for date in (2, 1):
            columns = {"projectId": project, "title": f"{project} {date}", "date": date}
            laptop.store.insert(TableName.CHECKPOINTS, columns)

    assert titles(await ask("list_checkpoints")) == ["p2 1", "p1 1", "p2 2", "p1 2"]
    assert titles(await ask("list_checkpoints", project_id="p1")) == ["p1 1", "p1 2"]


@pytest.fixture
def notes(laptop: Device, embedder: RecordingEmbedder) -> None:
    """Notes, of which only the first two have vectors."""
    for title, content in (
        ("Kitchen", "Budget for the new kitchen"),
        ("Roses", "Water the roses"),
        ("Caffè di città", "Un'idea per il caffè: aprire alle sei."),
        ("Costs", "The kitchen may cost a budget of 9,000."),
    ):
        row = laptop.store.insert(TableName.NOTES, {"title": title, "content": content})
        if title in ("Kitchen", "Roses"):
            data = {"id": row["id"], "projectId": None, "content": content}
            call: dict[str, Any] = {"id": title, "action": "vector_upsert", "table": "notes", "data": data}
            Executor(laptop.store).execute({**call, "vector": [1.0 if title == "Roses" else 0.5] * 1536})


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("kitchen BUDGET", ["Kitchen", "Costs"]),
        ("citta CAFFE", ["Caffè di città"]),
        ("sei aprire", ["Caffè di città"]),
    ],
)
async def test_notes_with_all_words_come_first_even_without_vector(ask: Ask, query: str, found: list[str]) -> None:
    assert titles(await ask("search_notes", query=query))[: len(found)] == found


@pytest.mark.usefixtures("notes")
async def test_each_note_is_found_once_within_limit(ask: Ask) -> None:
    every = titles(await ask("search_notes", query="kitchen"))
    assert sorted(every) == ["Costs", "Kitchen", "Roses"]
    assert titles(await ask("search_notes", query="kitchen", limit=2)) == ["Kitchen", "Costs"]


@pytest.mark.usefixtures("notes")
async def test_hit_of_deleted_note_is_left_out(ask: Ask, laptop: Device) -> None:
    laptop.store.run("DELETE FROM notes WHERE title = 'Roses'")
    assert sorted(titles(await ask("search_notes", query="kitchen"))) == ["Costs", "Kitchen"]


@pytest.mark.usefixtures("notes")
async def test_notes_are_found_by_words_if_embedder_fails(ask: Ask, embedder: RecordingEmbedder) -> None:
    embedder.broken = True

    assert titles(await ask("search_notes", query="roses water")) == ["Roses"]
    outcome = await ask("search_notes", query="tulips")
    assert (outcome.ok, outcome.text) == (
        False,
        "Notes cannot be searched by meaning right now. list_notes and get_note still work.",
    )


@pytest.mark.parametrize(
    ("meant", "found"),
    [
        ((1, 2, 3), "Found at least 3 tasks:"),
        ((1, 2), "Found 2 tasks:"),
        ((3,), "Found at least 1 task:"),
        ((), "Found no tasks."),
    ],
)
def test_section_may_be_incomplete_only_if_it_contains_last_row(meant: Sequence[int], found: str) -> None:
    answer = ClientAnswer(rows=tuple({"id": f"t{day}", "dueDate": day} for day in (1, 2, 3)), unsent=9)
    context = LineContext(timezone=ZoneInfo("UTC"))

    told = section("Due", Table.TASKS, by_date([answer]), context, lambda row: row["dueDate"] in meant)

    assert told.text.startswith(found)
