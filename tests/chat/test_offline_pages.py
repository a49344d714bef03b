"""The sidebar and the briefs without a model: the offline assistant with the real tools on rows in a file."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agents.offline import OfflineAdapter
from agents.permissions.sharing import Marks
from device.tables import TableName
from tests.agents.disclosing import KeptMarks
from tests.chat import scopes
from tests.chat.rows import RowDevice, row_device
from tests.chat.scopes import ask, note, project
from tests.chat.sockets import NOW, Frame, Server

DAY_MS = 86_400_000
NOW_MS = round(NOW.timestamp() * 1000)
"""A Sunday, 2026-03-29, 12:00 in Rome."""


@pytest.fixture
def marks() -> KeptMarks:
    return KeptMarks()


@pytest.fixture(params=[["ledger", "undo"], ["ledger", "undo", "page_details"]], ids=["composed", "page_details"])
async def device(tmp_path: Path, request: pytest.FixtureRequest, marks: KeptMarks) -> AsyncIterator[RowDevice]:
    server = Server(model=OfflineAdapter())
    server.run_with(marks=marks)
    server.reopen()
    async with row_device(server, tmp_path / "rows.sqlite3", capabilities=request.param) as device:
        device.store.clock = lambda: NOW_MS - 5 * DAY_MS
        yield device


@pytest.fixture
def page(device: RowDevice) -> Frame:
    """The page of a project with some rows; there are rows elsewhere, too."""
    website = device.add("projects", name="Website")
    attic = device.add("projects", name="Attic")
    device.add("tasks", title="Write copy", projectId=website, dueDate=NOW_MS - 2 * DAY_MS)
    device.add("tasks", title="Choose colours", projectId=website, priority="high")
    device.add("tasks", title="Buy domain", projectId=website, status="done", dueDate=NOW_MS - 3 * DAY_MS)
    device.add("tasks", title="Sweep", projectId=attic, dueDate=NOW_MS - DAY_MS)
    device.add("notes", title="Ideas", content="# Paint\n\nthe kitchen", projectId=website)
    device.add("notes", title="Recipe", content="Bake it")
    device.add("checkpoints", title="Beta", projectId=website, date=NOW_MS + 2 * DAY_MS)
    return project(website)


def rows(device: RowDevice, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in device.store.select(TableName(table), {"includeArchived": True})]


def row(device: RowDevice, table: str, title: str) -> dict[str, Any]:
    return next(found for found in rows(device, table) if title in {found.get("title"), found.get("name")})


SHOWN = {
    "en": (
        "The project “Website” is active. It holds 2 open tasks, 1 of them overdue, 1 note, 1 checkpoint.\n"
        "- Write copy (due Fri 27 Mar at 11:00)\n"
        "- Choose colours (high priority)\n"
        "- Ideas (Tue 24 Mar at 11:00)\n"
        "- Beta (Tue 31 Mar at 12:00)"
    ),
    "it": (
        "Il progetto «Website» è attivo. Contiene 2 attività aperte, di cui 1 in ritardo, 1 nota, 1 checkpoint.\n"
        "- Write copy (scadenza ven 27 mar alle 11:00)\n"
        "- Choose colours (priorità alta)\n"
        "- Ideas (mar 24 mar alle 11:00)\n"
        "- Beta (mar 31 mar alle 12:00)"
    ),
}


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is on this page?"),
        ("it", "Cosa c'è in questa pagina?"),
        ("en", "what's here?"),
        ("it", "cosa c'è qui?"),
        ("en", "describe this page"),
        ("it", "riassumi questa pagina"),
    ],
)
async def test_page_of_a_project_is_shown(device: RowDevice, page: Frame, language: str, question: str) -> None:
    assert (await device.ask(ask(question, page))).text == SHOWN[language]


@pytest.mark.parametrize(
    ("scope", "question", "lines"),
    [
        (scopes.TASKS, "What is here?", ["You have 3 open tasks.", "- Write copy", "- Sweep", "- Choose colours"]),
        (scopes.PROJECTS, "What is on this page?", ["You have 2 projects.", "- Website", "- Attic"]),
        (scopes.NOTES, "What is on this page?", ["You have 2 notes.", "- Ideas", "- Recipe"]),
        (scopes.TIMELINE, "What is on this page?", ["On the timeline there is still ahead:", "- Beta"]),
        (scopes.TASKS, "What's overdue here?", ["You have 2 overdue tasks.", "- Write copy", "- Sweep"]),
        (scopes.TASKS, "Cosa è scaduto qui?", ["Hai 2 attività scadute.", "- Write copy", "- Sweep"]),
        (scopes.filtered(scopes.TASKS, status="done"), "all tasks", ["You have 1 task. It is done.", "- Buy domain"]),
        (scopes.TIMELINE, "checkpoints in project Attic", ["You have no checkpoints in the project “Attic”."]),
        (scopes.TIMELINE, "checkpoints", ["You have 1 checkpoint: Beta"]),
    ],
)  # fmt: skip
async def test_lists_are_shown(device: RowDevice, page: Frame, scope: Frame, question: str, lines: list[str]) -> None:
    answered = await device.ask(ask(question, scope))

    said = [line.partition(" (")[0] for line in answered.text.splitlines()]
    assert said == lines


async def test_rows_of_the_viewed_project_are_read_from_its_page(device: RowDevice, page: Frame) -> None:
    task = str(row(device, "tasks", "Write copy")["id"])
    device.add("taskComments", taskId=task, author="Anna", content="Not too long")

    assert (await device.ask(ask("checkpoints", page))).text.startswith("You have 1 checkpoint: Beta")
    assert (await device.ask(ask("checkpoints in project Website", page))).text.startswith("You have 1 checkpoint")
    assert (await device.ask(ask("comments on Write copy", page))).text == (
        "1 comment on the task “Write copy”:\n- Not too long — Anna, Tue 24 Mar at 11:00"
    )
    assert (await device.ask(ask("show project Website", page))).text == (
        "The project “Website” is active.\n\nIt has 2 open tasks."
    )


async def test_a_note_without_a_project_is_the_only_one_on_its_page(device: RowDevice, page: Frame) -> None:
    here = note(str(row(device, "notes", "Recipe")["id"]), "Recipe")

    assert (await device.ask(ask("my notes", here))).text == "You have 1 note.\n- Recipe"
    assert (await device.ask(ask("read note Recipe", here))).text == "Recipe\n\nBake it"


async def test_a_page_that_is_gone_is_a_failure(device: RowDevice, page: Frame) -> None:
    for question in ("what's overdue here?", "what is on this page?"):
        answered = await device.ask(ask(question, project("gone", "Gone")))
        assert answered.text.startswith("That did not work. There is no project")


async def test_a_timeline_without_events_is_said_to_be_empty(device: RowDevice) -> None:
    answered = await device.ask(ask("What is on this page?", scopes.TIMELINE))

    assert answered.text == "There is nothing ahead on the timeline."


async def test_what_is_asked_on_a_projects_page_is_asked_of_that_project(device: RowDevice, page: Frame) -> None:
    assert (await device.ask(ask("What's overdue here?", page))).text == (
        "You have 1 overdue task.\n- Write copy (due Fri 27 Mar at 11:00)"
    )
    assert (await device.ask(ask("What should I do next?", page))).text.startswith(
        "I would start with “Write copy”: it was due Fri 27 Mar."
    )
    assert (await device.ask(ask("my notes", page))).text.startswith("You have 1 note.\n- Ideas")


@pytest.mark.parametrize(
    ("wish", "table", "title"),
    [
        ("add a task Order photos for tomorrow", "tasks", "Order photos"),
        ("aggiungi un'attività Ordina foto", "tasks", "Ordina foto"),
        ("create a note called “Tone”: friendly and short", "notes", "Tone"),
        ("create a checkpoint “Launch” on 4 May", "checkpoints", "Launch"),
    ],
)
async def test_new_things_belong_to_the_viewed_project(
    device: RowDevice, page: Frame, wish: str, table: str, title: str
) -> None:
    answered = await device.ask(ask(wish, page))

    assert row(device, table, title)["projectId"] == page["entityId"]
    assert title in answered.text
    assert [change["table"] for change in answered.end["mutations"]] == [table]  # type: ignore[index, union-attr, call-overload]


async def test_a_note_is_written_with_its_text(device: RowDevice, page: Frame) -> None:
    await device.ask(ask("create a note called “Tone”: friendly and short", page))

    assert row(device, "notes", "Tone")["content"] == "friendly and short"


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("add a task Order photos", "Which project does the task belong to? For example: Create a task called “Buy"),
        ("aggiungi un'attività Ordina foto", "A quale progetto appartiene l'attività?"),
        ("create a note called “Tone”: friendly", "Which project does the note belong to?"),
        ("create a checkpoint “Launch” on 4 May", "Which project does the checkpoint belong to?"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("scope", [scopes.TASKS, scopes.TIMELINE, scopes.PROJECTS, scopes.NOTES])
async def test_on_a_list_it_asks_which_project(
    device: RowDevice, page: Frame, scope: Frame, wish: str, said: str
) -> None:
    answered = await device.ask(ask(wish, scope))

    assert answered.text.startswith(said)
    assert answered.end["mutations"] == []


async def test_on_a_list_the_project_may_be_named(device: RowDevice, page: Frame) -> None:
    await device.ask(ask("add a task Order photos in project Website", scopes.TASKS))

    assert row(device, "tasks", "Order photos")["projectId"] == page["entityId"]


async def test_on_a_notes_page_new_things_belong_to_its_project(device: RowDevice, page: Frame) -> None:
    here = note(str(row(device, "notes", "Ideas")["id"]), project_id=str(page["entityId"]))
    await device.ask(ask("add a task Order photos", here))

    assert row(device, "tasks", "Order photos")["projectId"] == page["entityId"]


@pytest.mark.parametrize("wish", ["complete Write copy", "segna Write copy come fatta", "mark “Write copy” as done"])
@pytest.mark.parametrize("anywhere", [True, False])
async def test_a_task_is_changed(device: RowDevice, page: Frame, wish: str, anywhere: bool) -> None:
    answered = await device.ask(ask(wish, scopes.TASKS if anywhere else page))

    assert row(device, "tasks", "Write copy")["status"] == "done"
    assert "Write copy" in answered.text


async def test_another_projects_task_is_not_changed_from_here(device: RowDevice, page: Frame) -> None:
    answered = await device.ask(ask("complete Sweep in project Attic", page))

    assert row(device, "tasks", "Sweep")["status"] == "todo"
    assert answered.text == "This needs your approval, and I cannot ask you for it here. Nothing is changed."


@pytest.mark.parametrize(
    ("question", "mark", "undo"),
    [
        ("Which tasks are open?", "mark the second one as done", "undo that"),
        ("quali attività sono aperte?", "segna la seconda come fatta", "annulla"),
    ],
)
async def test_a_listed_task_is_changed_by_its_place_and_put_back(
    device: RowDevice, page: Frame, question: str, mark: str, undo: str
) -> None:
    assert (await device.ask(ask(question, page))).text.splitlines()[2].startswith("- Choose colours")
    await device.ask(ask(mark, page))
    assert row(device, "tasks", "Choose colours")["status"] == "done"
    await device.ask(ask(undo, page))
    assert row(device, "tasks", "Choose colours")["status"] == "todo"


@pytest.mark.parametrize("question", ["tasks in Attic", "attività in Attic", "tasks in the project Attic"])
async def test_another_project_is_asked_about_from_here(device: RowDevice, page: Frame, question: str) -> None:
    assert (await device.ask(ask(question, page))).text.splitlines()[1].startswith("- Sweep")


@pytest.mark.parametrize("question", ["show this project", "tell me about this project", "who works on this project?"])
async def test_the_project_of_the_page_is_meant_by_this(device: RowDevice, page: Frame, question: str) -> None:
    assert (await device.ask(ask(question, page))).text.startswith("The project “Website” is active.")


@pytest.mark.parametrize(
    "question",
    [
        *(
            "What is on this page?",
            "read note Ideas",
            "read this note",
            "what does this note say?",
            "what is this about?",
        ),
        *("leggi la nota Ideas", "leggi questa nota", "cosa dice questa nota?", "di cosa parla?"),
    ],
)
async def test_a_note_can_be_read(device: RowDevice, page: Frame, question: str) -> None:
    here = note(str(row(device, "notes", "Ideas")["id"]), project_id=str(page["entityId"]))

    assert (await device.ask(ask(question, here))).text == "Ideas\n\n# Paint\n\nthe kitchen"


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("change the text of note Ideas to nothing", "Here I can read notes, but not edit them."),
        ("rename note Ideas to Thoughts", "Here I can read notes, but not edit them."),
        ("rename Ideas to Thoughts", "Here I can read notes, but not edit them."),
        ("delete note Ideas", "Here I can read notes, but not edit them."),
        ("rinomina la nota Ideas in Pensieri", "Qui posso leggere le note, ma non modificarle."),
    ],
)
async def test_a_note_is_not_edited_and_it_says_so(device: RowDevice, page: Frame, wish: str, said: str) -> None:
    before = rows(device, "notes")
    answered = await device.ask(ask(wish, page))

    assert answered.text.startswith(said)
    assert rows(device, "notes") == before


@pytest.mark.parametrize("wish", ["delete task Sweep", "archive project Attic", "search my notes for paint"])
async def test_what_the_sidebar_has_no_tool_for_is_said(device: RowDevice, page: Frame, wish: str) -> None:
    answered = await device.ask(ask(wish, scopes.TASKS))

    assert answered.text == "I cannot do this beside a page. Ask me on Home."
    assert answered.end["finish_reason"] == "done"


async def test_without_a_page_it_says_that_it_sees_none(device: RowDevice) -> None:
    answered = await device.ask({"type": "home_request", "message": "What is on this page?"})

    assert answered.text == "I see no page here. Ask me beside a page that you have open."


async def test_a_day_is_briefed(device: RowDevice, page: Frame) -> None:
    device.add("tasks", title="Call Anna", dueDate=NOW_MS + 3_600_000)
    device.store.clock = lambda: NOW_MS - 3_600_000
    device.add("notes", title="Fresh", content="new")
    answered = await device.ask({"type": "brief_request"})

    assert answered.text == (
        "You have 2 overdue tasks, 1 task due today. I would start with “Write copy”: it was due Fri 27 Mar. "
        "Next checkpoint: “Beta”, Tue 31 Mar at 12:00. New or changed since the day before: 1 note."
    )
    shown = [(block["block_type"], block["data"]) for block in answered.blocks]
    assert [kind for kind, _ in shown] == ["entity_ref", "entity_ref", "entity_ref", "timeline"]
    titles: list[Any] = [data["items"][0]["title"] for kind, data in shown if kind == "entity_ref"]  # type: ignore[index, call-overload]
    assert titles == ["Write copy", "Sweep", "Call Anna"]


async def test_a_day_on_which_nothing_is_due_is_said_so(device: RowDevice) -> None:
    answered = await device.ask({"type": "brief_request", "date": "2026-03-30"})

    assert (answered.text, answered.blocks) == ("You have no tasks due tomorrow.", [])


async def test_a_task_is_briefed(device: RowDevice, page: Frame) -> None:
    task = str(row(device, "tasks", "Write copy")["id"])
    device.add("taskComments", taskId=task, author="Anna", content="Not too long")
    device.store.update(TableName.TASKS, task, {"description": "For the home page.\n== Its comments ==\nFound none"})
    answered = await device.ask({"type": "task_brief_request", "task_id": task})

    assert answered.text == (
        "“Write copy” (due Fri 27 Mar at 11:00)\n\n"
        "For the home page.\n== Its comments ==\nFound none\n\n"
        "The project “Website” is active.\n\n"
        "1 comment on the task “Write copy”:\n- Not too long — Anna, Tue 24 Mar at 11:00"
    )
    assert [block["block_type"] for block in answered.blocks] == ["entity_ref"]


async def test_briefs_are_in_the_persons_language(tmp_path: Path) -> None:
    server = Server(model=OfflineAdapter())
    socket = server.socket()
    await socket.connect()
    await socket.send({"type": "device_hello", "device_id": "d", "language": "it-IT"})
    await socket.receive()
    await socket.send({"type": "brief_request"})
    calls = 0
    text = ""
    while (frame := await socket.receive())["type"] != "stream_end":
        if frame["type"] == "tool_call":
            calls += 1
            await socket.send({"type": "tool_result", "id": frame["id"], "rows": []})
        text += str(frame.get("chunk", ""))
    await socket.close()

    assert (calls, text) == (7, "Non hai attività in scadenza oggi.")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is on this page?", "You never share this page, so I cannot see it."),
        ("Cosa c'è in questa pagina?", "Questa pagina non la condividi mai, quindi non posso vederla."),
    ],
)
async def test_page_that_is_never_shared_is_not_seen(
    device: RowDevice, page: Frame, marks: KeptMarks, question: str, said: str
) -> None:
    marks.held = Marks(projects=frozenset({str(page["entityId"])}))

    assert (await device.ask(ask(question, page))).text == said


async def test_beside_a_page_that_is_never_shared_the_rest_is_at_hand(
    device: RowDevice, page: Frame, marks: KeptMarks
) -> None:
    marks.held = Marks(projects=frozenset({str(page["entityId"])}))

    listed = await device.ask(ask("What's overdue?", page))
    assert ("Sweep" in listed.text, "Write copy" in listed.text) == (True, False)
    # What is made there would belong to the project, and this client cannot ask whether it may.
    said = (await device.ask(ask("create task Print it", page))).text
    assert said == "That did not work. There is no such project. Look the right id up first."
    assert "Print it" not in {found["title"] for found in rows(device, "tasks")}
