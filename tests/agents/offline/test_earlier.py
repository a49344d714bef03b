"""Rows that an earlier turn has shown, and messages that refer to them."""

from datetime import date

import pytest

from agents.adapters.base import AssistantMessage, Message, UserMessage
from agents.calls import Table
from agents.events import ToolCall
from agents.offline.commands import ChangeRow, Incomplete, Missing, Place, Priority, RowKind, Status
from agents.offline.earlier import Earlier, SeenRow, beside, read_earlier
from agents.offline.understanding import understand
from agents.scopes import ListScope, ProjectCounts, ProjectScope, View
from agents.tools.rows import item
from chat.turns.conversations import KeptCall, KeptTurn
from tests.agents.offline.world import World, say

TODAY = date(2026, 3, 10)


def kept(asked: str, tool: str, result: str, *cards: str, answer: str = "") -> list[Message]:
    """A turn as it appears in the history of the next one. Without ``answer``, its answer is the result."""
    call = KeptCall.of(ToolCall(id=f"{asked}-1", name=tool, arguments="{}"), result)
    turn = KeptTurn(asked="", calls=(call,), cards=cards, rows={"t1": Table.TASKS})
    return [UserMessage(text=asked), *turn.messages, AssistantMessage(text=answer or result)]


def task(title: str, row_id: str) -> str:
    return item(title, ["todo", f'project "Garden" {"[id p1]"}'], row_id)


LISTED = f"Found 3 tasks:\n- {task('Water', 't1')}\n- {task('Weed', 't2')}\n- {task('Sow', 't3')}"
LIST = kept("List my tasks", "list_tasks", LISTED)
WATERED = kept("Mark “Water” as done", "update_task", f"Updated the task {task('Water', 't1')}.")
QUESTION = UserMessage(text="It is Tuesday.")


def seen(number: int) -> SeenRow:
    return SeenRow(entity=RowKind.TASK, id=f"t{number}", title=("Water", "Weed", "Sow")[number - 1])


def test_shown_rows_are_those_of_cards_in_their_order() -> None:
    cards = kept("Which are open?", "list_tasks", LISTED, item("Sow", (), "t3"), item("Water", (), "t1"))

    assert read_earlier([*cards, QUESTION]) == Earlier(messages=("Which are open?",), lists=((seen(3), seen(1)),))


def test_shown_rows_without_cards_are_those_in_tool_results() -> None:
    assert read_earlier([*LIST, *WATERED, QUESTION]) == Earlier(
        messages=("List my tasks", "Mark “Water” as done"), lists=((seen(1), seen(2), seen(3)), (seen(1),))
    )


@pytest.mark.parametrize("line", [r'"C:\dir" [id t2]', '"two\nlines" [id t2]'])
def test_line_of_note_that_resembles_row_is_not_row(line: str) -> None:
    read = kept("Open the note “Paths”", "get_note", f"{item('Paths', (), 'n1')}\n\n{line}")

    assert [[row.id for row in rows] for rows in read_earlier([*read, QUESTION]).lists] == [["n1"]]


def test_looked_up_rows_missing_from_answer_were_not_shown() -> None:
    looked_up = kept("Delete “Mow”", "list_tasks", LISTED, answer="I found no task called “Mow”.")
    few = kept("Delete “W”", "list_tasks", LISTED, answer="2 tasks fit “W”:\n- Water\n- Weed")

    assert read_earlier([*looked_up, QUESTION]).lists == ()
    assert read_earlier([*few, QUESTION]).lists == ((seen(1), seen(2)),)


def test_shown_rows_in_plain_text_follow_order_of_answer() -> None:
    answer = "You have 2 open tasks.\n- Sow (due today)\n- Water"
    listed = kept("List my tasks", "list_tasks", LISTED, answer=answer)

    assert read_earlier([*listed, QUESTION]).lists == ((seen(3), seen(1)),)


def test_rows_of_page_have_kind_of_their_section() -> None:
    page = "== Project ==\n" + item("Garden", (), "p1") + f"\n\n== Tasks ==\n{LISTED}"
    shown = kept("Which tasks are open?", "get_page_details", page, answer="- Weed\n- Water")

    assert read_earlier([*shown, QUESTION]).lists == ((seen(2), seen(1)),)


def test_row_of_open_page_was_shown_first() -> None:
    counts = ProjectCounts(tasks=1, notes=0, milestones=0)
    garden = ProjectScope(page="project", entityType="project", entityId="p1", entityName="Garden", counts=counts)
    earlier = beside(read_earlier([*LIST, QUESTION]), View(scope=garden, words=""))

    assert earlier.find(Place.IT, RowKind.PROJECT) == SeenRow(entity=RowKind.PROJECT, id="p1", title="Garden")
    assert earlier.find(Place.SECOND, None) == seen(2)
    assert beside(Earlier(), View(scope=ListScope(page="tasks"), words="")) == Earlier()


@pytest.mark.parametrize("messages", [[], [QUESTION], [UserMessage(text="Hi"), AssistantMessage(text="Hello")]])
def test_conversation_without_tools_shows_no_rows(messages: list[Message]) -> None:
    assert read_earlier(messages).lists == ()


@pytest.mark.parametrize(
    ("lists", "place", "found"),
    [
        ([[1, 2, 3]], Place.SECOND, 2),
        ([[1, 2, 3]], Place.LAST, 3),
        ([[1, 2, 3]], Place.FOURTH, None),
        ([[1, 2, 3]], Place.IT, None),
        ([[1, 2, 3], [2]], Place.IT, 2),
        ([[1, 2, 3], [2]], Place.THIRD, 3),
        ([[1, 2, 3], [2]], Place.OTHER, None),
        ([[1, 2], [2]], Place.OTHER, 1),
        ([[1]], Place.FIRST, None),
        ([], Place.IT, None),
    ],
)
def test_place_refers_to_one_row_or_none(lists: list[list[int]], place: Place, found: int | None) -> None:
    earlier = Earlier(lists=tuple(tuple(map(seen, numbers)) for numbers in lists))

    assert earlier.find(place, None) == (seen(found) if found else None)
    assert earlier.find(place, RowKind.NOTE) is None


@pytest.mark.parametrize(
    ("message", "language", "number"),
    [
        ("mark the second one as done", "en", 2),
        ("mark the last task as done", "en", 3),
        ("complete the third", "en", 3),
        ("segna la seconda come fatta", "it", 2),
        ("segna l'ultima come fatta", "it", 3),
    ],
)
def test_row_is_identified_by_its_place(message: str, language: str, number: int) -> None:
    command, _ = understand(message, language=language, today=TODAY, earlier=read_earlier([*LIST, QUESTION]))

    assert isinstance(command, ChangeRow)
    assert (command.target.id, command.status) == (f"t{number}", Status.DONE)


@pytest.mark.parametrize(
    ("message", "language"), [("set it to high priority", "en"), ("no, high is better", "en"), ("anzi, alta", "it")]
)
def test_pronoun_refers_to_row_changed_last(message: str, language: str) -> None:
    earlier = read_earlier([*LIST, *WATERED, QUESTION])
    command, _ = understand(message, language=language, today=TODAY, earlier=earlier)

    assert isinstance(command, ChangeRow)
    assert (command.target.id, command.priority) == ("t1", Priority.HIGH)


def test_pronoun_without_shown_row_asks_which_one() -> None:
    command, _ = understand("spostala a venerdì", language="it", today=TODAY)

    assert command == Incomplete(missing=Missing.WHICH, entity=None)


async def test_shown_row_is_looked_up_by_its_title_and_changed() -> None:
    world = World()
    water, weed = world.task("Water"), world.task("Weed")
    listed = kept("List my tasks", "list_tasks", f"- {task('Water', water)}\n- {task('Weed', weed)}")

    said = await say(world, "Mark the second one as done.", history=listed)

    assert said.text == "I marked the task “Weed” as done."
    assert (world.tasks[water]["status"], world.tasks[weed]["status"]) == ("todo", "done")


async def test_shown_row_is_changed_if_two_have_same_title() -> None:
    world = World()
    first, second = world.task("Water"), world.task("Water")
    listed = kept("List my tasks", "list_tasks", f"- {task('Water', first)}\n- {task('Water', second)}")

    await say(world, "Mark the second one as done.", history=listed)

    assert (world.tasks[first]["status"], world.tasks[second]["status"]) == ("todo", "done")
