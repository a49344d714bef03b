"""References to rows by short id, id or title, in a run with its device, ledger and sharing filter."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.adapters.base import AssistantMessage, Message, ModelParams, ToolMessage, UserMessage, whole_text
from agents.calls import CallAction, Table
from agents.engine.repetition import DELETED_BEFORE
from agents.engine.roster import ROSTER, SIDEBAR, AgentName
from agents.engine.rounds import ToolOutcome
from agents.engine.run import AgentRun, DeviceRun, Requester, RunDependencies, running
from agents.engine.short_ids import MAX_SHORT_IDS, ShortIds
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from agents.scopes import AnyScope, ProjectCounts, ProjectScope
from agents.tools.client import SELECT_LIMIT, delete
from tests.agents.approving import NoApprovals
from tests.agents.conftest import NOW
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.embedding import RecordingEmbedder
from tests.agents.scripts import ScriptedAdapter, call, says
from tests.agents.tables import InMemoryClient

AUTUMN, SPRING, SECRET, MILK, RENT, RENT_AGAIN = (str(UUID(int=number)) for number in range(1, 7))
NOWHERE = str(UUID(int=9))
PARAMS = ModelParams(now=NOW)
THURSDAY = int(datetime(2026, 4, 2, 16, 0, tzinfo=UTC).timestamp() * 1000)


@dataclass
class World:
    """A run of Alice's with a device that has some rows."""

    run: AgentRun
    device: DeviceRun
    client: InMemoryClient
    adapter: ScriptedAdapter
    disclosures: KeptDisclosures
    marks: KeptMarks

    async def call(
        self,
        name: str,
        /,
        scope: AnyScope | None = None,
        said: str = "",
        conversation: Sequence[Message] | None = None,
        **arguments: object,
    ) -> ToolOutcome:
        tools = ROSTER[AgentName.GENERAL_AGENT].tools if scope is None else SIDEBAR.tools
        with self.device.active():
            executor = self.device.executor(tools, self.run.context(scope=scope), said=said)
            if conversation is not None:
                executor.follow(conversation)
            return await executor.dispatch(call(name, json.dumps(arguments)))

    async def told(self, *messages: Message) -> list[str]:
        """The texts that the model reads if it is sent ``messages``."""
        self.adapter.replies.append(says("Well."))
        await whole_text(self.run.adapter, messages, PARAMS)
        return [message.text for message in self.adapter.requests[-1].messages]

    @property
    def changes(self) -> list[CallAction]:
        return [call.action for call in self.client.calls if call.is_write]


@pytest.fixture
def short_ids(world: World) -> ShortIds:
    return world.run.short_ids


@pytest.fixture
def world() -> Iterator[World]:
    client, adapter, disclosures, marks = InMemoryClient(), ScriptedAdapter([]), KeptDisclosures(), KeptMarks()
    client.rows[Table.PROJECTS] = [
        {"id": AUTUMN, "name": "Autumn campaign", "status": "active"},
        {"id": SPRING, "name": "Perché  no?", "status": "archived"},
    ]
    client.rows[Table.TASKS] = [
        {"id": MILK, "title": "Buy milk", "status": "todo", "projectId": AUTUMN},
        {"id": RENT, "title": "Pay rent", "status": "todo", "dueDate": 1},
        {"id": RENT_AGAIN, "title": "pay Rent", "status": "done"},
    ]
    dependencies = RunDependencies(
        adapter=adapter,
        embedder=RecordingEmbedder(),
        approvals=NoApprovals(),
        disclosures=disclosures,
        marks=marks,
        clock=lambda: NOW,
    )
    alice = Requester(user_id=UUID(int=1), timezone=ZoneInfo("Europe/Rome"), language="en")
    with running(dependencies, alice, request_id="r", kind=RequestKind.HOME) as run:
        yield World(run, run.on(client), client, adapter, disclosures, marks)


@pytest.mark.parametrize("said", [AUTUMN, "Autumn campaign", "  autumn   CAMPAIGN ", "Äutumn campaign"])
async def test_project_is_found_by_id_or_exact_title(world: World, said: str) -> None:
    made = await world.call("create_task", title="Print flyers", project_id=said)

    assert made.ok
    assert (world.client.last_change.data or {})["projectId"] == AUTUMN


async def test_title_matches_despite_accents_spaces_and_archiving(world: World) -> None:
    assert (await world.call("create_task", title="Ask", project_id="perche no?")).ok
    assert (world.client.last_change.data or {})["projectId"] == SPRING


@pytest.mark.parametrize("said", ["Winter campaign", NOWHERE, "p1", "t7"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_task", {"title": "A"}),
        ("create_note", {"title": "A", "content": "B"}),
        ("list_tasks", {}),
        ("update_project", {"name": "C"}),
    ],
)
async def test_unknown_reference_is_refused_and_nothing_is_written(
    world: World, name: str, arguments: dict[str, Any], said: str
) -> None:
    refused = await world.call(name, project_id=said, **arguments)

    assert not refused.ok
    assert refused.text.startswith(f'There is no project with the id or title "{said}".')
    assert world.changes == []


async def test_task_title_given_as_project_lists_that_task(world: World) -> None:
    listed = await world.call("list_tasks", project_id="Buy milk", status="done")
    assert listed.ok
    assert '"Buy milk"' in listed.text

    # An ambiguous title is refused, and so is a change with a title of the wrong kind.
    assert not (await world.call("list_tasks", project_id="Pay rent")).ok
    assert not (await world.call("create_task", title="A", project_id="Buy milk")).ok
    assert world.changes == []


async def test_similar_title_is_suggested(world: World) -> None:
    refused = await world.call("create_task", title="A", project_id="Autum campagn")

    assert refused.text == (
        'There is no project with the id or title "Autum campagn". These come close:\n'
        f'- "Autumn campaign" (active) [id {AUTUMN}]\n'
        "Leave project_id out if the user did not name one."
    )


async def test_only_row_with_partial_title_is_read_but_not_changed(world: World) -> None:
    assert "Autumn campaign" in (await world.call("get_project", project_id="campaign")).text
    assert not (await world.call("get_task", task_id="rent")).ok
    refused = await world.call("create_task", title="A", project_id="campaign")

    assert not refused.ok
    assert "These come close:" in refused.text
    assert world.changes == []


async def test_ambiguous_title_is_refused(world: World) -> None:
    refused = await world.call("update_task", task_id="Pay rent", status="done")

    assert refused.text == (
        '2 tasks are called "Pay rent". Call this again with the id of the one that is meant, or ask the user which:\n'
        f'- "Pay rent" (todo, due Thu 1970-01-01 01:00) [id {RENT}]\n'
        f'- "pay Rent" (done) [id {RENT_AGAIN}]'
    )
    assert world.changes == []


TWINS = '2 tasks are called "Pay rent". Nothing that the user said tells which one is meant, so nothing is changed.'


@pytest.fixture
def twins(world: World) -> World:
    """A world whose device has two tasks with the same title, in two projects."""
    world.client.rows[Table.TASKS] = [
        {"id": RENT, "title": "Pay rent", "status": "todo", "projectId": AUTUMN, "dueDate": THURSDAY},
        {"id": RENT_AGAIN, "title": "Pay rent", "status": "in_progress", "projectId": SPRING},
    ]
    return world


@pytest.mark.parametrize("named", ["Pay rent", "t1", RENT, RENT_AGAIN])
@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ("Mark “Pay rent” as done.", {"status": "done"}),
        ("Segna «Pay rent» come fatta.", {"status": "done"}),
        ("Move Pay rent to Friday", {"due_date": "Friday"}),
        ("Move Pay rent to the autumn campaign", {"project_id": "Autumn campaign"}),
        ("Set the due date of Pay rent to Friday", {"due_date": "Friday"}),
        ("Set the priority of Pay rent to high for me", {"priority": "high"}),
        ("Imposta la priorità di Pay rent su alta", {"priority": "high"}),
    ],
)
async def test_model_does_not_choose_between_rows_with_same_title(
    twins: World, named: str, said: str, arguments: dict[str, Any]
) -> None:
    listed = await twins.call("list_tasks", said=said)
    assert "[id t1]" in (await twins.told(ToolMessage(call_id="1", text=listed.text)))[0]

    refused = await twins.call("update_task", said=said, task_id=named, **arguments)

    assert refused.text.startswith(TWINS)
    assert list(refused.choices) == ["“Pay rent” (Autumn campaign)", "“Pay rent” (Perché  no?)"]
    assert twins.changes == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Set “Pay rent” of the autumn campaign to high", [RENT]),
        ("Set the Pay rent that is due on Thursday to high", [RENT]),
        ("Set the Pay rent that is in progress to high", [RENT_AGAIN]),
        ("Set both “Pay rent” to high", [RENT, RENT_AGAIN]),
        ("Imposta alta la prima delle due Pay rent", [RENT, RENT_AGAIN]),
        ("Set it to high", [RENT, RENT_AGAIN]),
        ("Set the Pay rent that is not in progress to high", [RENT, RENT_AGAIN]),
        ("Set the Pay rent of 2 April to high", [RENT]),
        ("Set the Pay rent that I just created to high", [RENT, RENT_AGAIN]),
        ("Set the Pay rent of the campaign for Perché no to high", [RENT_AGAIN]),
    ],
)
async def test_words_of_user_choose_between_rows_with_same_title(twins: World, said: str, meant: list[str]) -> None:
    await twins.call("list_tasks", said=said)

    done = {
        each: await twins.call("update_task", said=said, task_id=each, priority="high") for each in (RENT, RENT_AGAIN)
    }
    by_title = await twins.call("update_task", said=said, task_id="Pay rent", priority="high")

    assert [row_id for row_id, outcome in done.items() if outcome.ok] == meant
    assert by_title.ok == (len(meant) == 1)


@pytest.mark.parametrize(
    ("said", "arguments", "meant"),
    [
        ("Mark “Pay rent” as done.", {"status": "done"}, RENT),
        ("Move “Pay rent” to Friday.", {"due_date": "Friday"}, RENT),
        ("Reopen “Pay rent”.", {"status": "todo"}, RENT_AGAIN),
    ],
)
async def test_status_chooses_between_rows_with_same_title(
    twins: World, said: str, arguments: dict[str, Any], meant: str
) -> None:
    twins.client.rows[Table.TASKS][1]["status"] = "done"
    await twins.call("list_tasks", said=said)

    [other] = {RENT, RENT_AGAIN} - {meant}
    assert not (await twins.call("update_task", said=said, task_id=other, **arguments)).ok
    assert (await twins.call("update_task", said=said, task_id="Pay rent", **arguments)).ok
    assert [(call.data or {})["id"] for call in twins.client.calls if call.is_write] == [meant]


async def test_either_of_two_identical_rows_is_changed(twins: World) -> None:
    twins.client.rows[Table.TASKS] = [
        {"id": each, "title": "Pay rent", "status": "todo"} for each in (RENT, RENT_AGAIN)
    ]
    said = "Mark “Pay rent” as done."
    await twins.call("list_tasks", said=said)

    assert (await twins.call("update_task", said=said, task_id=RENT, status="done")).ok


@pytest.mark.parametrize("said", ["buy_milk", "Buy-milk", "“Buy milk”", "`buy milk`"])
async def test_title_matches_in_program_spelling_and_quotes(world: World, said: str) -> None:
    assert (await world.call("update_task", task_id=said, status="done")).ok
    assert (world.client.last_change.data or {})["id"] == MILK


async def test_punctuation_of_title_is_significant(world: World) -> None:
    world.client.rows[Table.TASKS].append({"id": "t-c", "title": "C", "status": "todo"})

    assert not (await world.call("update_task", task_id="C++", status="done")).ok


async def test_row_that_user_named_last_is_suggested_for_invented_name(world: World) -> None:
    asked = [
        UserMessage(text=said) for said in ("Is “Buy milk” late?", "When is “Buy milk” due?", "Move it to Friday.")
    ]
    refused = await world.call(
        "update_task", conversation=asked, said=asked[-1].text, task_id="Dentist appointments", due_date="Friday"
    )

    assert refused.correctable
    assert "The user has named these before." in refused.text
    assert list(refused.choices) == ["“Buy milk” (Autumn campaign)"]


async def test_project_that_user_did_not_mention_does_not_filter_search(world: World) -> None:
    asked = [UserMessage(text="When is “Buy milk” due?")]
    listed = await world.call("list_tasks", conversation=asked, project_id="Milk appointments")
    refused = await world.call("create_task", conversation=asked, title="Look", project_id="Milk appointments")

    assert (listed.ok, refused.ok) == (True, False)


@pytest.mark.parametrize("task_id", [NOWHERE, "t2", "task_7"])
async def test_invented_id_means_only_row_that_user_named(world: World, task_id: str) -> None:
    done = await world.call("update_task", said="Mark “Buy milk” as done.", task_id=task_id, status="done")

    assert done.text.startswith('Updated the task "Buy milk" (done')


async def test_project_name_given_as_task_means_task_that_user_named(twins: World) -> None:
    said = "Mark “Pay rent” of the project Autumn campaign as done."
    done = await twins.call("update_task", said=said, task_id="Autumn campaign", status="done")

    assert f"[id {RENT}]" in done.text
    assert done.ok


@pytest.mark.parametrize(
    "said",
    [
        "Mark “Buy milk” and “Pay rent” as done.",
        "Mark all tasks but “Buy milk” as done.",
        "Mark the other one beside “Buy milk” as done.",
        "Segna come fatte tutte tranne «Buy milk».",
    ],
)
async def test_invented_id_changes_nothing_if_user_may_mean_others(world: World, said: str) -> None:
    refused = await world.call("update_task", said=said, task_id=NOWHERE, status="done")

    assert not refused.ok
    assert world.changes == []


async def test_missing_row_is_not_replaced_by_row_that_user_named(world: World) -> None:
    said = "Mark “Wash the windows” as done, as “Buy milk” is."
    refused = await world.call("update_task", said=said, task_id="Wash the windows", status="done")

    assert refused.correctable
    assert refused.text == (
        'There is no task with the id or title "Wash the windows". The user\'s message names these. Call this again '
        "with the id of the one that is meant, or ask the user which:\n"
        f'- "Buy milk" (todo, project "Autumn campaign" [id {AUTUMN}]) [id {MILK}]'
    )
    assert world.changes == []


@pytest.mark.parametrize("task_id", ["Pay rent (Autumn campaign)", "“Pay rent” (Autumn campaign)"])
async def test_title_with_project_means_row_of_that_project(twins: World, task_id: str) -> None:
    done = await twins.call("update_task", said="The one of the autumn campaign", task_id=task_id, status="done")
    other = await twins.call("update_task", said="The other", task_id="Pay rent (Spring)", status="done")

    assert (done.ok, other.ok) == (True, False)
    assert f"[id {RENT}]" in done.text


async def test_answer_to_question_which_row_is_meant_identifies_row(twins: World) -> None:
    asked = [UserMessage(text=each) for each in ("Mark “Pay rent” as done.", "The one of the project Autumn campaign.")]
    done = await twins.call("update_task", conversation=asked, said=asked[-1].text, task_id="p1", status="done")
    unclear = [asked[0], UserMessage(text="The right one.")]
    refused = await twins.call("update_task", conversation=unclear, said=unclear[-1].text, task_id="p1", status="done")

    assert (done.ok, refused.ok) == (True, False)
    assert f"[id {RENT}]" in done.text


async def test_note_is_read_by_words_of_its_text(world: World) -> None:
    world.client.rows[Table.NOTES] = [
        {"id": NOWHERE, "title": "Planting plan", "content": "No tomatoes outside before 20 April because of frost."},
        {"id": MILK, "title": "Wifi", "content": "Lanterna"},
        {"id": RENT, "title": "Office wifi", "content": "Lanterna, too"},
    ]
    read = await world.call("get_note", said="What do my notes say about frost?", note_id="frost")
    several = await world.call("get_note", said="What is Lanterna?", note_id="Lanterna")
    none = await world.call("get_note", said="What do my notes say about insurance?", note_id="insurance")
    changed = await world.call("update_note", said="Empty the note about frost", note_id="frost", content="")

    assert read.text.startswith('"Planting plan"')
    assert [each.ok for each in (several, none, changed)] == [False, False, False]
    assert list(several.choices) == ["“Wifi”", "“Office wifi”"]


@pytest.mark.parametrize(
    ("said", "task_id"),
    [
        ("Mark the task about renting as done.", "task1"),
        ("Segna come fatta l'attività del rent", NOWHERE),
    ],
)
async def test_user_is_asked_if_invented_id_may_mean_several_rows(world: World, said: str, task_id: str) -> None:
    refused = await world.call("update_task", said=said, task_id=task_id, status="done")

    assert not refused.correctable
    assert refused.text.splitlines()[0] == (
        f'There is no task with the id or title "{task_id}". The user\'s message may mean these. Nothing that the user '
        "said tells which one is meant, so nothing is changed. Ask the user which:"
    )
    assert len(refused.choices) == 2
    assert world.changes == []


async def test_only_row_with_part_of_title_is_suggested_for_invented_id(world: World) -> None:
    refused = await world.call("update_task", said="Mark the milk task as done.", task_id="task1", status="done")
    unknown = await world.call("update_task", said="Mark the bread task as done.", task_id="task1", status="done")
    listed = await world.call("list_task_comments", said="Show the task about renting", task_id="task1")

    assert (refused.correctable, list(refused.choices)) == (True, ["“Buy milk” (Autumn campaign)"])
    assert unknown.text.endswith("Look the right one up first.")
    assert (listed.correctable, len(listed.choices)) == (True, 2)


@pytest.mark.parametrize(
    "said", ["default", "<project_id>", "undefined", "N/A", "-", "Project 1", "Project A", "Anna's project"]
)
async def test_placeholder_for_optional_argument_is_left_out(world: World, said: str) -> None:
    assert (await world.call("create_task", title="Ask", project_id=said)).ok
    assert "projectId" not in (world.client.last_change.data or {})
    assert (await world.call("update_task", task_id=MILK, title="Milk", project_id=said)).ok
    assert world.client.last_change.data == {"id": MILK, "updates": {"title": "Milk"}}


@pytest.mark.parametrize(
    ("said", "is_changed"),
    [
        ("Mark “Buy milk” as done.", True),
        ("Segna «Buy milk» come fatta.", True),
        ("Mark “Buy milk” as done, and move it to my milk project.", False),
    ],
)
async def test_invented_project_does_not_prevent_a_change_of_something_else(
    world: World, said: str, *, is_changed: bool
) -> None:
    conversation = [UserMessage(text="It is Friday."), UserMessage(text=said)]
    given = {"task_id": "Buy milk", "status": "done", "project_id": "Management of milk"}

    done = await world.call("update_task", None, said, conversation, **given)

    assert done.ok is is_changed


async def test_person_given_as_project_is_not_task(world: World) -> None:
    world.client.rows[Table.TASKS] += [
        {"id": str(uuid4()), "title": "Call Anna", "status": "todo"},
        {"id": str(uuid4()), "title": "Paint", "status": "todo", "assignee": "Anna"},
    ]

    found = await world.call("list_tasks", project_id="Anna", assignee="Anna")

    assert "Paint" in found.text
    assert "Call Anna" not in found.text


@pytest.mark.parametrize(
    ("said", "project", "is_kept"),
    [
        ("Create a task “Book the train” for Friday", "Autumn campaign", False),
        ("Crea un'attività «Prenotare il treno» per venerdì", "Autumn campaign", False),
        ("Create a task “Book the train” for the campaign", "Autumn campaign", True),
        ("Create a task “Book the train” in the same project", "Autumn campaign", True),
        ("Create a task “Book the train” here", "Autumn campaign", True),
        ("Create a task “Book the train” for Friday", AUTUMN, True),
        # Words of other languages are not recognized.
        ("Erstelle die Aufgabe „Zug buchen“", "Autumn campaign", True),
    ],
)
async def test_new_row_gets_no_project_that_user_did_not_name(
    world: World, said: str, project: str, *, is_kept: bool
) -> None:
    conversation = [UserMessage(text="It is Friday."), UserMessage(text=said)]

    await world.call("create_task", None, said, conversation, title="Book the train", project_id=project)

    assert ((world.client.last_change.data or {}).get("projectId") == AUTUMN) is is_kept


async def test_row_may_be_called_like_placeholder(world: World) -> None:
    world.client.rows[Table.PROJECTS].append({"id": SECRET, "name": "Default", "status": "active"})

    assert (await world.call("create_task", title="Ask", project_id="default")).ok
    assert (world.client.last_change.data or {})["projectId"] == SECRET
    refused = await world.call("update_task", task_id="undefined", title="Ask")
    assert refused.text.startswith("There is no task")


async def test_title_beyond_first_rows_is_searched_for(world: World) -> None:
    world.client.rows[Table.TASKS] = [{"id": str(uuid4()), "title": "Other"}] * SELECT_LIMIT

    await world.call("update_task", task_id="Buy bread", title="B")

    searched = [call.filters for call in world.client.calls if call.filters]
    assert searched == [{"search": "Buy bread"}]


@pytest.mark.parametrize(("project", "is_found"), [("autumn campaign", True), ("Spring campaign", False)])
async def test_project_that_tool_does_not_take_tells_rows_apart(world: World, project: str, *, is_found: bool) -> None:
    said = "Comment on “Buy milk”: Two bottles."

    done = await world.call(
        "add_task_comment", said=said, task_id="Buy milk", project_id=project, content="Two bottles."
    )

    assert done.ok is is_found
    assert world.changes == [CallAction.INSERT] * is_found


async def test_row_named_by_short_id_is_not_renamed_if_user_wants_another_one(
    world: World, short_ids: ShortIds
) -> None:
    said = "The same for “Order tables”."
    before: list[Message] = [
        UserMessage(text="Create a task “Buy milk”."),
        ToolMessage(call_id="1", text=f'Created the task "Buy milk" (todo) [id {MILK}].'),
        UserMessage(text=said),
    ]
    short = short_ids.short(Table.TASKS, MILK)

    refused = await world.call(
        "update_task", said=said, conversation=before, task_id=short, title="Order tables", priority="high"
    )

    assert refused.text.startswith("The user wants another one like that")
    assert world.changes == []


async def test_tasks_are_read_in_order_that_user_wants(world: World) -> None:
    said = "List the open tasks, the earliest first."

    await world.call("list_tasks", said=said, conversation=[UserMessage(text=said)], order_by="-dueDate")

    orders = {(call.filters or {}).get("orderBy") for call in world.client.calls if call.table is Table.TASKS}
    assert orders == {"dueDate"}


async def test_deletion_names_row_and_later_change_of_it_is_refused(world: World, short_ids: ShortIds) -> None:
    short = short_ids.short(Table.TASKS, MILK)
    await world.call("list_tasks")
    with world.device.active():
        deleted = await delete(Table.TASKS, MILK)
    again = await world.call("update_task", said="Delete “Buy milk”.", task_id=short, status="done")

    assert deleted.text == f'Deleted the task "Buy milk" [id {MILK}].'
    assert (again.ok, again.text) == (False, DELETED_BEFORE)


async def test_row_that_was_read_is_not_looked_up_again(world: World) -> None:
    await world.call("list_tasks")
    before = len(world.client.calls)

    await world.call("update_task", task_id=MILK, status="done")

    assert [call.action for call in world.client.calls[before:]] == [CallAction.UPDATE]


async def test_page_in_view_is_found_by_title(world: World) -> None:
    counts = ProjectCounts(tasks=1, notes=0, milestones=0)
    page = ProjectScope(
        page="project", entityType="project", entityId=AUTUMN, entityName="Autumn campaign", counts=counts
    )
    named = await world.call("get_page_details", page, entity_type="project", entity_id="Autumn campaign")
    mistaken = await world.call("get_page_details", page, entity_type="task", entity_id=AUTUMN)
    unknown = await world.call("get_page_details", page, entity_type="task", entity_id="x9")
    assert mistaken.text == named.text
    assert unknown.text.startswith('There is no task with the id or title "x9".')
    listed = await world.call("get_page_details", page, entity_type="tasks_all", entity_id="whatever")

    assert f'"Autumn campaign" (active) [id {AUTUMN}]' in named.text
    assert listed.ok


async def test_model_reads_short_ids_and_they_are_resolved(world: World, short_ids: ShortIds) -> None:
    listed = await world.call("list_tasks")
    [told] = await world.told(ToolMessage(call_id="1", text=listed.text))

    assert told == (
        "Found 3 tasks:\n"
        '- "Buy milk" (todo, project "Autumn campaign" [id p1]) [id t1]\n'
        '- "Pay rent" (todo, due Thu 1970-01-01 01:00, overdue) [id t2]\n'
        '- "pay Rent" (done) [id t3]'
    )
    assert short_ids.resolve("t2") == (Table.TASKS, RENT)
    assert (short_ids.row_id("T2"), short_ids.row_id("t9")) == (RENT, None)
    for written in ("t2", "T2", "[id t2]", "id t2"):
        assert (await world.call("update_task", task_id=written, status="completed")).ok
    assert world.client.last_change.data == {"id": RENT, "updates": {"status": "done"}}


async def test_row_id_takes_precedence_over_short_id(world: World, short_ids: ShortIds) -> None:
    world.client.rows[Table.TASKS].append({"id": "t1", "title": "Its own", "status": "todo"})
    assert short_ids.short(Table.TASKS, MILK) == "t1"
    await world.call("list_tasks")

    await world.call("update_task", task_id="t1", status="done")

    assert (world.client.last_change.data or {})["id"] == "t1"


async def test_rows_read_by_short_id_are_in_ledger(world: World) -> None:
    await world.told(ToolMessage(call_id="1", text=(await world.call("list_tasks")).text))

    listed = [
        ("scripted", Table.PROJECTS, AUTUMN),
        *(("scripted", Table.TASKS, each) for each in (MILK, RENT, RENT_AGAIN)),
    ]
    assert world.disclosures.listed == sorted(listed)


async def test_ids_of_unread_rows_and_in_model_text_stay_unchanged(world: World) -> None:
    await world.call("list_tasks")
    mine, unread = AssistantMessage(text=f"[id {MILK}]"), UserMessage(text=f"[id {NOWHERE}]")

    assert await world.told(mine, unread) == [mine.text, unread.text]


async def test_short_id_of_earlier_request_is_resolved(world: World, short_ids: ShortIds) -> None:
    assert short_ids.short(Table.TASKS, MILK) == "t1"

    assert (await world.call("delete_task", task_id="t1")).text.startswith(("Deleted", "This needs"))
    assert (await world.call("list_task_comments", task_id="t1")).ok
    assert world.client.last.filters == {"taskId": MILK}


async def test_never_shared_row_is_refused_like_unknown_row(world: World) -> None:
    world.marks.held = Marks(projects=frozenset({AUTUMN}))
    hidden = [
        await world.call("create_task", title="A", project_id=AUTUMN),
        await world.call("create_task", title="A", project_id="Autumn campaign"),
        await world.call("update_task", task_id="Buy milk", title="B"),
    ]
    world.client.rows[Table.PROJECTS].pop(0)
    world.client.rows[Table.TASKS].pop(0)
    without = [
        await world.call("create_task", title="A", project_id=AUTUMN),
        await world.call("create_task", title="A", project_id="Autumn campaign"),
        await world.call("update_task", task_id="Buy milk", title="B"),
    ]

    assert [outcome.text for outcome in hidden] == [outcome.text for outcome in without]
    assert [row["title"] for row in world.client.rows[Table.TASKS]] == ["Pay rent", "pay Rent"]


@pytest.mark.parametrize("marks", [Marks(tables=frozenset({Table.NOTES})), Marks(projects=frozenset({SECRET}))])
async def test_unknown_project_is_refused_despite_marks(world: World, marks: Marks) -> None:
    world.marks.held = marks
    refused = await world.call("create_task", title="A", project_id="Winter")

    assert refused.text.startswith('There is no project with the id or title "Winter".')
    assert world.changes == []


ROWS = st.lists(st.tuples(st.sampled_from(Table), st.uuids().map(str)), max_size=30)


@given(first=ROWS, then=ROWS)
def test_restored_short_ids_continue_where_dump_ended(
    first: list[tuple[Table, str]], then: list[tuple[Table, str]]
) -> None:
    kept = ShortIds()
    for table, row_id in first:
        kept.short(table, row_id)
    loaded = ShortIds()
    loaded.restore(kept.dump())

    assert [loaded.short(*row) for row in (*first, *then)] == [kept.short(*row) for row in (*first, *then)]
    assert all(kept.resolve(kept.short(*row)) == row for row in (*first, *then))


def test_oldest_short_ids_are_dropped_and_never_reused() -> None:
    kept = ShortIds()
    given = [kept.short(Table.TASKS, str(number)) for number in range(MAX_SHORT_IDS + 1)]

    assert (kept.resolve("t1"), kept.resolve("t2")) == (None, (Table.TASKS, "1"))
    assert kept.short(Table.TASKS, "0") not in given
    assert len(kept.dump()) == MAX_SHORT_IDS
