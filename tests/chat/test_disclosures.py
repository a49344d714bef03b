"""The ledger compared with a model server's requests: the real application and a device with rows in a file."""

import json
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from agents.adapters.openai import openai_client
from agents.calls import Table
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from device.tables import TableName
from memory.embedders.openai import EmbeddingModel, OpenAIEmbedder
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.chat import scopes
from tests.chat.accounts import ALICE
from tests.chat.marked_rows import NOW_MS, MarkedRows
from tests.chat.over_http import server
from tests.chat.rows import Answered, RowDevice, row_device
from tests.chat.scopes import ask, go
from tests.chat.sockets import Frame, Server
from tests.model_server.fixtures import model_server
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

__all__ = ["model_server", "server"]

CHAT, VECTORS = "model-1", "vectors-1"
REQUEST = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"
NOWHERE = "0c3c1a52-4f0e-4d7e-9a44-6f0f3c1b2a10"


@dataclass
class DisclosureHarness:
    """A device with many rows, and its user's ledger and marks."""

    device: RowDevice
    model_server: ModelServer
    ledger: KeptDisclosures
    marks: KeptMarks
    rows: MarkedRows

    async def ask(self, frame: Frame, *scripts: Any) -> Answered:
        self.model_server.reply(*scripts, says("Done."))
        return await self.device.ask(frame)

    def check(self) -> None:
        """The ledger lists exactly the rows that were sent, each once."""
        sent = {(CHAT, *row) for row in self.rows.sent(self.model_server)}
        embedded = {(VECTORS, *row) for row in self.rows.embedded(self.model_server)}
        assert self.ledger.listed == sorted(sent | embedded)

    def hidden(self, row_id: str) -> bool:
        """Whether no word of the row was sent to any model."""
        everything = self.rows.sent(self.model_server) | self.rows.embedded(self.model_server)
        return row_id not in {found for _, found in everything}


@pytest.fixture
def seed() -> int:
    return 1


@pytest.fixture
def capabilities() -> Sequence[str]:
    return ("ledger",)


@pytest.fixture
async def harness(
    server: Server, model_server: ModelServer, tmp_path: Path, seed: int, capabilities: Sequence[str]
) -> AsyncIterator[DisclosureHarness]:
    ledger, marks = KeptDisclosures(), KeptMarks()
    client = openai_client(api_key="sk-test", base_url=model_server.base_url, stall_s=10.0)
    server.run_with(disclosures=ledger, marks=marks, embedder=OpenAIEmbedder(client, EmbeddingModel(model=VECTORS)))
    server.reopen()
    async with client, row_device(server, tmp_path / "rows.sqlite3", capabilities=capabilities) as device:
        yield DisclosureHarness(device, model_server, ledger, marks, MarkedRows(device, random.Random(seed)).fill())


def home(message: str = "My tasks and notes") -> Frame:
    return {"type": "home_request", "message": message, "session_id": "s1"}


def popup(message: str = "My tasks and notes") -> Frame:
    return {"type": "popup_request", "message": message, "scope": {"type": "tasks"}}


def reads(rows: MarkedRows) -> list[Any]:
    """Rounds of reading calls whose results depend on the rows."""
    project, task, note = (rows.random.choice(each) for each in (rows.projects, rows.tasks, rows.notes))
    possible = [
        wants("list_tasks", "1"),
        wants("list_tasks", "2", project_id=project),
        wants("list_tasks", "3", search=rows.word(task)),
        wants("list_tasks", "4", status="done"),
        wants("list_tasks_due_today", "5"),
        wants("list_task_comments", "6", task_id=task),
        wants("list_projects", "7"),
        wants("get_project", "8", project_id=project),
        wants("list_checkpoints", "9", project_id=project),
        wants("list_notes", "10", project_id=project),
        wants("get_note", "11", note_id=note),
        wants("get_note", "12", note_id="none"),
    ]
    return [calls(*rows.random.sample(possible, 2)) for _ in range(3)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("request_of", [home, popup], ids=["home", "popup"])
async def test_rows_that_tools_tell_are_in_the_ledger_and_no_others(
    harness: DisclosureHarness, request_of: Callable[[], Frame]
) -> None:
    await harness.ask(request_of(), *reads(harness.rows))

    harness.check()
    assert harness.ledger.kept


async def test_a_ledger_says_who_asked_for_what_by_which_device_of_which_model(harness: DisclosureHarness) -> None:
    await harness.ask({**home(), "request_id": REQUEST}, calls(wants("list_tasks")))

    [(occasion, sent)] = harness.ledger.kept
    assert (occasion.origin.user_id, occasion.origin.request_id, occasion.origin.device_id) == (
        ALICE,
        REQUEST,
        "laptop",
    )
    assert (occasion.source, occasion.job_id, sent.model) == (RequestKind.HOME, None, CHAT)
    assert sent.rows == {Table.TASKS: frozenset(harness.rows.tasks), Table.PROJECTS: frozenset(harness.rows.projects)}


async def test_rows_that_a_tool_read_and_did_not_tell_are_not_disclosed(harness: DisclosureHarness) -> None:
    for number in range(300):
        harness.rows.add(Table.TASKS, assignee=json.dumps([f"somebody {number} " * 20]))

    await harness.ask(home(), calls(wants("list_tasks")))

    harness.check()
    assert 100 < len(harness.ledger.listed) < 300


async def test_rows_that_fell_to_the_cut_are_not_disclosed(harness: DisclosureHarness) -> None:
    note = harness.rows.notes[0]
    harness.device.store.update(TableName.NOTES, note, {"title": "t" * 70_000})

    await harness.ask(
        home(), calls(wants("get_note", "1", note_id=note), wants("get_note", "2", note_id=harness.rows.notes[1]))
    )

    project = (harness.device.store.get(TableName.NOTES, harness.rows.notes[1]) or {})["projectId"]
    assert harness.ledger.listed == [(CHAT, Table.NOTES, harness.rows.notes[1]), (CHAT, Table.PROJECTS, project)]
    assert "t" * 1000 not in str(harness.model_server.requests[-1].messages)


async def test_rows_in_the_history_are_the_clients_own_words(harness: DisclosureHarness) -> None:
    said = f'"{harness.rows.word(harness.rows.tasks[0])}" [id {harness.rows.tasks[0]}]'
    history: list[JsonValue] = [{"role": "user", "content": said}, {"role": "assistant", "content": said}]

    await harness.ask({**home(), "conversation_history": history})

    assert harness.ledger.kept == []


@pytest.mark.parametrize("capabilities", [("ledger",), ("ledger", "page_details")], ids=["composed", "snapshot"])
@pytest.mark.parametrize("page", ["project", "note", "tasks", "timeline", "projects", "notes"])
async def test_the_page_in_front_of_the_user_is_disclosed(harness: DisclosureHarness, page: str) -> None:
    await harness.ask(ask("What is this?", scope_of(harness.rows, page)), calls(*page_reads(harness.rows)))

    harness.check()
    assert harness.ledger.kept


async def test_pages_that_the_user_went_to_are_disclosed(harness: DisclosureHarness) -> None:
    first, second = harness.rows.projects[:2]
    await harness.ask(ask("Hello", scopes.project(first, harness.rows.word(first))))
    await harness.device.send(go(scopes.project(second, harness.rows.word(second))))
    await harness.ask(ask("Hello", scopes.TASKS))

    assert {(model, table, row_id) for model, table, row_id in harness.ledger.listed} >= {
        (CHAT, Table.PROJECTS, first),
        (CHAT, Table.PROJECTS, second),
    }


async def test_pages_of_earlier_requests_are_disclosed_again(harness: DisclosureHarness) -> None:
    project = harness.rows.projects[0]
    await harness.ask(ask("Hello", scopes.project(project, harness.rows.word(project))))
    await harness.device.send(go(scopes.TASKS))
    await harness.ask(ask("Hello", scopes.project(project, harness.rows.word(project))))
    before = len(harness.ledger.kept)

    await harness.ask(ask("Hello", scopes.TIMELINE))

    assert "[id p1], which holds" in str(harness.model_server.requests[-1].messages)
    assert project in {row_id for _, sent in harness.ledger.kept[before:] for row_id in sent.rows[Table.PROJECTS]}


def scope_of(rows: MarkedRows, page: str) -> Frame:
    project, note = rows.projects[0], rows.notes[0]
    return {
        "project": scopes.project(project, rows.word(project)),
        "note": scopes.note(note, rows.word(note)),
        "tasks": scopes.TASKS,
        "timeline": scopes.TIMELINE,
        "projects": scopes.PROJECTS,
        "notes": scopes.NOTES,
    }[page]


def page_reads(rows: MarkedRows) -> list[Any]:
    return [
        wants("get_page_details", "1", entity_type="project", entity_id=rows.projects[0]),
        wants("get_page_details", "2", entity_type="task", entity_id=rows.tasks[0]),
        wants("get_page_details", "3", entity_type="timeline_all"),
    ]


@pytest.mark.parametrize("seed", range(3))
async def test_the_rows_of_a_days_brief_are_disclosed(harness: DisclosureHarness) -> None:
    await harness.ask({"type": "brief_request"})

    harness.check()
    assert {occasion.source for occasion, _ in harness.ledger.kept} == {RequestKind.BRIEF}


@pytest.mark.parametrize("seed", range(3))
async def test_the_rows_of_a_tasks_brief_are_disclosed_to_both_models(harness: DisclosureHarness) -> None:
    task = harness.rows.tasks[0]

    await harness.ask({"type": "task_brief_request", "task_id": task})

    harness.check()
    assert (VECTORS, Table.TASKS, task) in harness.ledger.listed
    assert {occasion.source for occasion, _ in harness.ledger.kept} == {RequestKind.TASK_BRIEF}


async def test_changed_rows_are_disclosed_as_they_are_confirmed(harness: DisclosureHarness) -> None:
    task, note = harness.rows.tasks[0], harness.rows.notes[0]
    text = harness.rows.word(note, 1)

    await harness.ask(
        home(),
        calls(
            wants("update_task", "1", task_id=task, priority="high"),
            wants("update_note", "2", note_id=note, content=text),
            wants("create_task", "3", title="New"),
        ),
    )

    harness.rows.learn(Table.TASKS)
    harness.check()
    assert (VECTORS, Table.NOTES, note) in harness.ledger.listed


async def test_a_row_that_is_sent_again_stands_once(harness: DisclosureHarness) -> None:
    await harness.ask(home(), *[calls(wants("list_tasks"))] * 3)

    harness.check()
    [_] = harness.ledger.kept


async def test_a_note_that_cannot_be_written_down_stands_and_is_not_embedded(harness: DisclosureHarness) -> None:
    harness.ledger.away = True

    await harness.ask(home(), calls(wants("create_note", title="Fresh", content="Text")))

    assert harness.model_server.embedding_requests == []
    [row] = [row for row in harness.device.store.select(TableName.NOTES, {}) if row["title"] == "Fresh"]
    assert row["content"] == "Text"


async def test_what_cannot_be_written_down_is_not_sent(harness: DisclosureHarness) -> None:
    harness.ledger.away = True

    answered = await harness.ask(home(), calls(wants("list_tasks")))

    assert answered.end["finish_reason"] == "error"
    assert answered.end["error"]["code"] == "not_available"  # type: ignore[index, call-overload]
    assert harness.rows.sent(harness.model_server) == set()


# What is never shared.


def belongs(harness: DisclosureHarness, project: str) -> set[str]:
    """The ids of the project's row and of all rows that belong to it."""
    store = harness.device.store
    owned = {
        str(row["id"])
        for table in (TableName.TASKS, TableName.NOTES, TableName.CHECKPOINTS)
        for row in store.select(table, {"projectId": project})
    }
    comments = store.select(TableName.TASK_COMMENTS, {})
    return {project, *owned, *(str(row["id"]) for row in comments if row["taskId"] in owned)}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("request_of", [home, popup], ids=["home", "popup"])
async def test_no_row_of_a_marked_project_is_sent(harness: DisclosureHarness, request_of: Callable[[], Frame]) -> None:
    project = harness.rows.projects[0]
    harness.marks.held = Marks(projects=frozenset({project}))

    await harness.ask(request_of(), calls(wants("list_tasks"), wants("list_projects", "2")), *reads(harness.rows)[1:])

    harness.check()
    assert all(map(harness.hidden, belongs(harness, project)))
    assert harness.ledger.kept


@pytest.mark.parametrize("capabilities", [("ledger",), ("ledger", "page_details")], ids=["composed", "snapshot"])
@pytest.mark.parametrize("page", ["project", "tasks", "timeline", "projects", "notes"])
async def test_no_page_tells_a_marked_project(harness: DisclosureHarness, page: str) -> None:
    project = harness.rows.projects[0]
    harness.marks.held = Marks(projects=frozenset({project}))
    details = [
        wants("get_page_details", str(number), entity_type=kind)
        for number, kind in enumerate(("tasks_all", "projects_all", "timeline_all"))
    ]

    await harness.ask(
        ask("What is this?", scope_of(harness.rows, page)), calls(*page_reads(harness.rows)), calls(*details)
    )

    assert all(map(harness.hidden, belongs(harness, project)))
    harness.check()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("task_of_marked", [True, False])
async def test_no_brief_tells_a_marked_project(harness: DisclosureHarness, *, task_of_marked: bool) -> None:
    project = harness.rows.projects[0]
    own = harness.rows.add(Table.TASKS, projectId=project, dueDate=NOW_MS)
    other = harness.rows.add(Table.TASKS, dueDate=NOW_MS)
    harness.marks.held = Marks(projects=frozenset({project}))

    await harness.ask({"type": "brief_request"})
    answered = await harness.ask({"type": "task_brief_request", "task_id": own if task_of_marked else other})

    assert all(map(harness.hidden, belongs(harness, project)))
    assert ("never share" in answered.text) is task_of_marked
    assert "left out" not in harness.model_server.requests[0].asked


async def test_a_tool_says_that_a_table_is_never_shared_and_nothing_of_a_project(harness: DisclosureHarness) -> None:
    harness.marks.held = Marks(tables=frozenset({Table.NOTES}), projects=frozenset({harness.rows.projects[0]}))

    await harness.ask(
        home(), calls(wants("list_notes", "1"), wants("list_projects", "2"), wants("search_notes", "3", query="x"))
    )

    notes, projects, found = harness.model_server.requests[-1].told
    assert notes == found
    assert notes.startswith("The user never shares their notes, so this was not read.")
    assert projects.startswith("Found 2 projects:")
    assert projects.count("\n- ") == 2


async def test_a_search_by_meaning_finds_no_note_of_a_marked_project(harness: DisclosureHarness) -> None:
    project = harness.rows.projects[0]
    made = [
        wants("create_note", str(each), title="t", content="secret plan", project_id=each)
        for each in harness.rows.projects[:2]
    ]
    await harness.ask(home(), calls(*made))
    harness.marks.held = Marks(projects=frozenset({project}))

    await harness.ask(home(), calls(wants("search_notes", query="secret plan")))

    [told] = harness.model_server.requests[-1].told
    assert told.startswith("Found 1 note:")
    assert "left out" not in told


async def test_changes_in_a_marked_project_are_answered_as_those_of_unknown_ids(harness: DisclosureHarness) -> None:
    project = harness.rows.projects[0]
    task = harness.rows.add(Table.TASKS, projectId=project)
    harness.marks.held = Marks(projects=frozenset({project}))
    before = harness.device.store.get(TableName.TASKS, task)

    await harness.ask(
        home(),
        calls(
            wants("update_task", "1", task_id=task, status="done"),
            wants("update_task", "2", task_id=task, project_id=None),
            wants("create_task", "3", title="Mine", project_id=project),
            wants("create_task", "4", title="Mine", project_id=NOWHERE),
            wants("add_task_comment", "5", task_id=task, content="Mine"),
        ),
    )

    done, went, created, unknown, said = harness.model_server.requests[-1].told
    missing = 'There is no {} with the id or title "{}". Look the right one up first.'
    assert done == went == said == missing.format("task", task)
    optional = f"{missing}\nLeave project_id out if the user did not name one."
    assert (created, unknown) == (optional.format("project", project), optional.format("project", NOWHERE))
    assert harness.device.store.get(TableName.TASKS, task) == before


async def test_a_page_that_is_never_shared_is_not_named(harness: DisclosureHarness) -> None:
    project = harness.rows.projects[0]
    harness.marks.held = Marks(projects=frozenset({project}))
    page = scopes.project(project, harness.rows.word(project))
    note = scopes.note("n9", "The secret note", project_id=project)

    await harness.ask(ask("What is this?", page))
    await harness.device.send(go(note))
    await harness.ask(ask("And this?", scopes.TASKS))

    sent = str([request.messages for request in harness.model_server.requests])
    assert "looking at a page that they never share" in sent
    assert "navigated to a page that they never share" in sent
    assert (project in sent, harness.rows.word(project) in sent, "secret note" in sent) == (False, False, False)


async def test_a_page_that_is_not_shared_any_more_is_not_named_again(harness: DisclosureHarness) -> None:
    project = harness.rows.projects[0]
    page = scopes.project(project, harness.rows.word(project))
    await harness.ask(ask("Hello", scopes.TASKS))
    await harness.ask(ask("What is this?", page))
    await harness.ask(ask("And this?", scopes.TIMELINE))
    assert "holds" in str(harness.model_server.requests[-1].messages)

    harness.marks.held = Marks(projects=frozenset({project}))
    await harness.ask(ask("Hello again", scopes.TIMELINE))

    sent = str(harness.model_server.requests[-1].messages)
    assert "navigated to a page that they never share" in sent
    assert (project in sent, harness.rows.word(project) in sent, "holds" in sent) == (False, False, False)


async def test_beside_a_page_that_is_never_shared_nothing_is_made_unasked(harness: DisclosureHarness) -> None:
    project = harness.rows.projects[0]
    harness.marks.held = Marks(projects=frozenset({project}))

    # This client cannot show questions.
    await harness.ask(ask("Add one", scopes.project(project)), calls(wants("create_task", title="Fresh")))

    assert harness.model_server.requests[-1].told == ["There is no such project. Look the right id up first."]
    assert [row for row in harness.device.store.select(TableName.TASKS, {}) if row["title"] == "Fresh"] == []


@pytest.mark.parametrize("table", [Table.TASKS, Table.NOTES, Table.CHECKPOINTS])
async def test_a_page_does_not_count_rows_of_a_marked_table(harness: DisclosureHarness, table: Table) -> None:
    project = harness.rows.projects[0]
    harness.marks.held = Marks(tables=frozenset({table}))
    pages = [scopes.project(project, tasks=number, notes=number, milestones=number) for number in (7, 8)]
    word = {Table.TASKS: "task", Table.NOTES: "note", Table.CHECKPOINTS: "milestone"}[table]

    await harness.ask(ask("What is this?", pages[0]))
    await harness.device.send(go(scopes.TASKS))
    await harness.ask(ask("And this?", pages[1]))

    sent = str([request.messages for request in harness.model_server.requests])
    assert "which holds" in sent
    assert (f"7 {word}s" in sent, f"8 {word}s" in sent) == (False, False)


@pytest.mark.parametrize(
    "filters",
    [
        lambda project, _: {"projectId": project},
        lambda project, other: {"projectId": f"{other}, {project}"},
        lambda project, other: {"projectId": ",".join([other] * 12 + [project] + [other] * 12)},
        lambda project, _: {"projects": [{project: True}]},
    ],
    ids=["one", "several", "many", "names"],
)
async def test_a_list_that_is_filtered_by_a_marked_project_does_not_name_it(
    harness: DisclosureHarness, filters: Callable[[str, str], dict[str, JsonValue]]
) -> None:
    project, other = harness.rows.projects[:2]
    harness.marks.held = Marks(projects=frozenset({project}))
    page = scopes.filtered(scopes.TASKS, **filters(project, other))

    await harness.ask(ask("What is this?", page))
    await harness.device.send(go(scopes.filtered(scopes.TIMELINE, **filters(project, other))))
    await harness.ask(ask("And this?", scopes.NOTES))

    sent = str([request.messages for request in harness.model_server.requests])
    assert sent.count("a page that they never share") >= 2
    assert project not in sent


async def test_nothing_is_read_while_the_marks_cannot_be_known(harness: DisclosureHarness) -> None:
    harness.marks.away = True

    await harness.ask(home(), calls(wants("list_tasks")))
    await harness.ask(ask("What is this?", scope_of(harness.rows, "project")), calls(*page_reads(harness.rows)))

    assert harness.device.calls == []
    assert harness.rows.sent(harness.model_server) == set()


async def test_marks_are_looked_up_whenever_the_device_is_asked_and_not_before(harness: DisclosureHarness) -> None:
    await harness.ask(home())
    assert harness.marks.asked == []

    await harness.ask(home(), calls(wants("list_tasks"), wants("list_projects", "2")))
    assert set(harness.marks.asked) == {ALICE}
