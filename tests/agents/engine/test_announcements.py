"""What a model says about a call: announcements, descriptions, and text before it."""

import pytest

from agents.adapters.base import AssistantMessage, ToolChoice, ToolSchema, UserMessage
from agents.calls import NamedRows, Rows, Table
from agents.events import Finished, TextDelta, ToolCall, ToolStarted
from tests.agents.engine.echo import EARLIER, MESSAGES, WRITE, Echo, events
from tests.agents.scripts import ScriptedAdapter, call, calls, says


@pytest.mark.parametrize("brackets", ["[{}]", "{}", "`{}`"])
async def test_objection_copied_by_model_is_not_shown(brackets: str) -> None:
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "1", "title": "Buy milk"},))}
    tool = ToolSchema(name="list_rows", description="", parameters={})
    told = brackets.format("The tool has run and only read: nothing was created or changed.")
    adapter = ScriptedAdapter([calls(call("list_rows")), says("You can use `list_rows`."), says(told), says("")])

    seen = await events(
        adapter, Echo(schemas=(tool,), rows=found), [MESSAGES[0], UserMessage(text="Which tasks are open?")]
    )

    assert seen[-1] == Finished(text="I found: “Buy milk”.", tool_rounds=1)


async def test_text_before_required_call_is_not_shown() -> None:
    refusal = "I'm sorry, but I don't have access to the Harbour website."
    adapter = ScriptedAdapter([says(refusal), calls(call("read"), text="The page says four of them."), says("Four.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And in Harbour website?")])

    assert seen[-1] == Finished(text="Four.", tool_rounds=1)


async def test_long_message_without_required_call_is_cut_off() -> None:
    refusal = "I'm sorry, but I don't have access to the Harbour website."
    rambling = [*says(*(f" (task {number} is due later)" for number in range(200)))[:-1], RuntimeError("read too far")]
    adapter = ScriptedAdapter([says(refusal), rambling, calls(call("read")), says("Four.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And in Harbour website?")])

    assert [request.params.tool_choice for request in adapter.requests][1] is ToolChoice.REQUIRED
    assert seen[-1] == Finished(text="Four.", tool_rounds=1)


async def test_apology_is_shown_if_nothing_else_follows() -> None:
    refusal = "I'm sorry, but I cannot send e-mails."
    adapter = ScriptedAdapter([says("I'm sor", "ry, but I cannot send", " e-mails.")])

    assert (await events(adapter, Echo()))[-1] == Finished(text=refusal, tool_rounds=0)


@pytest.mark.parametrize("said", ["I'm sorry to hear that.", "Mi dispiace per il tuo gatto."])
async def test_sympathy_before_call_is_shown(said: str) -> None:
    adapter = ScriptedAdapter([calls(call("read"), text=said), says("Two are due.")])

    assert (await events(adapter, Echo()))[-1] == Finished(text=f"{said}Two are due.", tool_rounds=1)


async def test_model_is_asked_for_call_that_it_only_describes() -> None:
    described = "I will use the `list_tasks` function with `status`: “open”."
    adapter = ScriptedAdapter([says(described), calls(call("list_tasks")), says("Two.")])
    executor = Echo(schemas=(ToolSchema(name="list_tasks", description="", parameters={}), WRITE))

    assert (await events(adapter, executor))[-1] == Finished(text="Two.", tool_rounds=1)
    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[You have only described")


async def test_described_call_with_parameters_is_made_once() -> None:
    described = 'I used `write` with the following parameters:\n- `x`: "1"'
    adapter = ScriptedAdapter([says(described), says(described), says("It is there.")])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text="Set x to 1.")])

    made = [event.call for event in seen if isinstance(event, ToolStarted)]
    assert made == [ToolCall(id="text-0-0", name="write", arguments='{"x": "1"}')]
    assert seen[-1] == Finished(text="It is done.", tool_rounds=1)


async def test_corrected_description_of_failed_call_is_made() -> None:
    wrong, right = (f"I used `write` with the following parameters:\n- `x`: {each}" for each in ("one", "1"))
    adapter = ScriptedAdapter([says(wrong), says(right), says("It is there.")])
    executor = Echo(wrong={"text-0-0"})

    seen = await events(adapter, executor, [MESSAGES[0], UserMessage(text="Set x to 1.")])

    made = [event.call.arguments for event in seen if isinstance(event, ToolStarted)]
    assert made == ['{"x": "one"}', '{"x": 1}']
    assert seen[-1] == Finished(text="It is there.", tool_rounds=2)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("To see the tasks, I will use the `read` function:\n- `status`: None\n\nThen I filter.\n", ""),
        ("Gladly. To do this, you can use the following command:\n\n", "Gladly. "),
        ("Per vedere le attività userò `read`.", ""),
        ("I’ll look at your tasks.", "I’ll look at your tasks."),
        ("To do today: three things.", "To do today: three things."),
        ("Tomorrow is free. I read", "Tomorrow is free. I read"),
        ("I can read and write. ", "I can read and write. "),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_announcement_of_call_is_not_shown(said: str, shown: str, size: int) -> None:
    wanted, cut = call("read"), [said[at : at + size] for at in range(0, len(said), size)]
    adapter = ScriptedAdapter([[*says(*cut)[:-1], *calls(wanted)], says("Two.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text=f"{shown}Two.", tool_rounds=1)
    assert "".join(event.text for event in seen if isinstance(event, TextDelta)) == f"{shown}Two."
    assert AssistantMessage(text=said, tool_calls=(wanted,)) in adapter.requests[1].messages


@pytest.mark.parametrize("said", ["To see tasks there is a tool: `read`.", "To do: read this.", "You can call `read`"])
async def test_answer_that_names_tool_without_call_is_shown(said: str) -> None:
    seen = await events(ScriptedAdapter([says(*said)]), Echo())

    assert seen[-1] == Finished(text=said, tool_rounds=0)


async def test_failure_is_reported_if_model_only_explains_how_to_call_tool() -> None:
    asked = UserMessage(text="What is in the note?")
    adapter = ScriptedAdapter([calls(call("read_note")), says("You can use the `read_note` function.")])
    tools = Echo(schemas=(ToolSchema(name="read_note", description="", parameters={}),), ok=False)

    seen = await events(adapter, tools, [MESSAGES[0], asked])

    assert seen[-1] == Finished(text="That did not work.", tool_rounds=1)


async def test_withheld_answer_is_shown_if_model_repeats_it() -> None:
    said = "You can call `create_task` with a title."
    tools = Echo(schemas=(ToolSchema(name="create_task", description="", parameters={}),))

    seen = await events(ScriptedAdapter([says(said), says(said)]), tools)

    assert seen[-1] == Finished(text=said, tool_rounds=0)


async def test_text_beside_announcement_is_kept_if_server_adds_text() -> None:
    said = "Done, I added “Buy milk” for John Doe. I used `write_row` for it. Shall I move the rent to Friday?"
    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))
    adapter = ScriptedAdapter([calls(call("write_row")), says(said)])

    seen = await events(adapter, tools, [MESSAGES[0], UserMessage(text="Add “Buy milk”")])

    assert getattr(seen[-1], "text", "").startswith(said)


async def test_long_sentence_is_shown_even_if_it_announces_call() -> None:
    said = "To " + "find out more " * 20 + "I will use `read`."
    adapter = ScriptedAdapter([[*says(*said)[:-1], *calls(call("read"))], says("Two.")])

    assert getattr((await events(adapter, Echo()))[-1], "text", "").startswith(said)


@pytest.mark.parametrize(
    ("asked", "second", "shown"),
    [
        ("How many tasks are open?", "You have 1 open task.", "You have 1 open task."),
        ("How many tasks are open?", "You can use list_rows.", "In all: 1."),
        (
            "How many tasks are open?",
            "I have looked at all of your tasks, at their states and at the days on which they end.",
            "I have looked at all of your tasks, at their states and at the days on which they end.\n\nIn all: 1.",
        ),
        (
            "How many tasks are open?",
            "The tasks that are open: Buy milk.",
            "The tasks that are open: Buy milk.\n\nIn all: 1.",
        ),
        ("Quante attività sono aperte?", "list_rows", "list_rows\n\nIn all: 1."),
        ("Which tasks are open?", "You can use list_rows.", "I found: “Buy milk”."),
    ],
)
async def test_model_that_describes_completed_call_is_asked_for_its_result(asked: str, second: str, shown: str) -> None:
    described = "To find out you can use the `list_rows` function with the `status` parameter."
    tool = ToolSchema(name="list_rows", description="", parameters={})
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))}
    adapter = ScriptedAdapter([calls(call("list_rows")), says(described), says(second)])

    seen = await events(adapter, Echo(schemas=(tool,), rows=found), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=shown, tool_rounds=1)
    assert adapter.requests[2].messages[-1].text.startswith("[The tool has run")
