"""The loop: its rounds, the order of its calls, its requests and its end."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from agents.adapters.base import AssistantMessage, ModelParams, ToolMessage
from agents.calls import NamedRows, Rows, Table
from agents.engine import loop
from agents.engine.reply import MAX_CALLS
from agents.engine.rounds import ToolOutcome
from agents.errors import ModelUnavailable
from agents.events import AgentEvent, Finished, ModelState, TextDelta, ToolCall, ToolFinished, ToolStarted, Usage
from tests.agents.engine.echo import MESSAGES, Echo, events
from tests.agents.scripts import ScriptedAdapter, call, calls, says


async def test_plain_answer_is_streamed_and_finished() -> None:
    adapter = ScriptedAdapter([[TextDelta(text="Hi"), TextDelta(text="!"), Usage(input_tokens=3, output_tokens=2)]])

    assert await events(adapter, Echo()) == [
        TextDelta(text="Hi"),
        TextDelta(text="!"),
        Usage(input_tokens=3, output_tokens=2),
        Finished(text="Hi!", tool_rounds=0),
    ]
    assert adapter.requests[0].messages == MESSAGES


async def test_tool_answer_is_in_the_next_request() -> None:
    wanted = call("read", '{"x": 1}')
    adapter = ScriptedAdapter([calls(wanted, text="Let me look. "), says("Done.")])

    assert await events(adapter, Echo()) == [
        TextDelta(text="Let me look. "),
        ToolStarted(call=wanted, label="reading"),
        ToolFinished(call=wanted, text="answer to call-1", ok=True, duration_ms=0),
        TextDelta(text="Done."),
        Finished(text="Let me look. Done.", tool_rounds=1),
    ]
    assert adapter.requests[1].messages == [
        *MESSAGES,
        AssistantMessage(text="Let me look. ", tool_calls=(wanted,)),
        ToolMessage(call_id="call-1", text="answer to call-1"),
    ]


async def test_calls_beyond_limit_are_not_run_and_model_is_told() -> None:
    wanted = [call("write", f'{{"x": {number}}}', id=f"w{number}") for number in range(500)]
    adapter = ScriptedAdapter([calls(*wanted), says("There were too many.")])
    echo = Echo()

    seen = await events(adapter, echo)

    made = [event.call.id for event in seen if isinstance(event, ToolFinished)]
    assert made == [each.id for each in wanted[:MAX_CALLS]]
    asked, *told, limit = adapter.requests[1].messages[len(MESSAGES) :]
    assert isinstance(asked, AssistantMessage)
    assert [each.id for each in asked.tool_calls] == made
    assert [each.call_id for each in told if isinstance(each, ToolMessage)] == made
    assert limit.text.startswith("[Your message had 500 calls, and only the first 50 were run.")
    assert [event.is_last for event in seen if isinstance(event, ToolFinished)].index(True) == MAX_CALLS - 1


async def test_hint_is_sent_only_with_first_rows() -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1"},))}
    adapter = ScriptedAdapter([calls(call("read", id="a"), call("read", id="b")), says("Well.")])
    async for _ in loop.run(adapter, MESSAGES, Echo(rows=rows), ModelParams(), with_rows="[Draw it.]"):
        pass

    told = [message.text for message in adapter.requests[1].messages if isinstance(message, ToolMessage)]
    assert told == ["answer to a\n\n[Draw it.]", "answer to b"]


async def test_adapter_gets_rows_and_success_of_tool() -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1"},))}
    adapter = ScriptedAdapter([calls(call("read")), says("No.")])
    await events(adapter, Echo(ok=False, rows=rows))

    assert adapter.requests[1].messages[-1] == ToolMessage(
        call_id="call-1", text="answer to call-1", ok=False, rows=rows
    )


async def test_adjacent_reads_run_together_and_writes_alone() -> None:
    wanted = [call("read", id="r1"), call("read", id="r2"), call("write", id="w"), call("read", id="r3")]
    dispatcher = Echo(gate=None)
    both = asyncio.Barrier(2)

    async def dispatch(tool: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        dispatcher.gate = both if tool.id in {"r1", "r2"} else None
        return await Echo.dispatch(dispatcher, tool, on_waiting=on_waiting)

    dispatcher.dispatch = dispatch  # type: ignore[assignment, method-assign]
    await events(ScriptedAdapter([calls(*wanted), says("ok")]), dispatcher)

    assert dispatcher.order[:2] == ["begin r1", "begin r2"]
    assert dispatcher.order[4:] == ["begin w", "end w", "begin r3", "end r3"]


@pytest.mark.parametrize("ok", [True, False])
async def test_reads_run_while_earlier_change_waits_for_user_and_later_changes_wait(ok: bool) -> None:
    wanted = [call("write", id="w1"), call("read", id="r1"), call("read", id="r2"), call("write", id="w2")]
    dispatcher = Echo(allowed=asyncio.Event(), ok=ok)
    adapter = ScriptedAdapter([calls(*wanted), says("ok")])

    async def dispatch(tool: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        outcome = await Echo.dispatch(dispatcher, tool, on_waiting=on_waiting)
        if tool.id == "r2":
            assert dispatcher.allowed is not None
            dispatcher.allowed.set()
        return outcome

    dispatcher.dispatch = dispatch  # type: ignore[assignment, method-assign]
    await events(adapter, dispatcher)

    assert dispatcher.order == [
        "begin w1", "begin r1", "end r1", "begin r2", "end r2", "end w1", "begin w2", "end w2",
    ]  # fmt: skip
    told = [getattr(message, "text", "") for message in adapter.requests[1].messages[-4:]]
    late = (
        "\n[This was read while the change before it waited for the user: it does not show that change.]" if ok else ""
    )
    assert told == ["answer to w1", f"answer to r1{late}", f"answer to r2{late}", "answer to w2"]


async def test_invalid_arguments_are_sent_back_as_object() -> None:
    broken = [call("read", text, id=str(at)) for at, text in enumerate(('{"id": 1', "{'id': 1,}", '{"id":1}'))]
    adapter = ScriptedAdapter([calls(*broken), says("Done.")])

    await events(adapter, Echo())

    sent = adapter.requests[1].messages[len(MESSAGES)]
    assert isinstance(sent, AssistantMessage)
    assert [each.arguments for each in sent.tool_calls] == ["{}", '{"id": 1}', '{"id":1}']


@pytest.mark.parametrize("arguments", ["{}", "[1]"])
async def test_model_state_is_sent_back_with_call(arguments: str) -> None:
    state = ModelState(owner="server model", items="[]")
    wanted = replace(call("read", arguments), state=state)
    adapter = ScriptedAdapter([calls(wanted), says("Done.")])

    await events(adapter, Echo())

    sent = adapter.requests[1].messages[len(MESSAGES)]
    assert isinstance(sent, AssistantMessage)
    assert [each.state for each in sent.tool_calls] == [state]


async def test_model_must_answer_after_five_tool_rounds_and_keeps_its_tools() -> None:
    adapter = ScriptedAdapter([*[calls(call("read", id=f"c{n}")) for n in range(5)], says("Enough.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Enough.", tool_rounds=5)
    assert [len(request.tools) for request in adapter.requests] == [2] * 6
    assert [request.params.tool_choice for request in adapter.requests] == [*["auto"] * 5, "none"]


async def test_every_request_begins_with_previous_one() -> None:
    adapter = ScriptedAdapter([calls(call("write")), calls(call("read")), says(), says("Created it."), says("Done.")])
    await events(adapter, Echo(ok=False))

    for shorter, longer in pairwise(request.messages for request in adapter.requests):
        assert longer[: len(shorter)] == shorter


async def test_model_failure_is_raised_after_its_text() -> None:
    adapter = ScriptedAdapter([[TextDelta(text="Half"), ModelUnavailable("gone")]])
    seen: list[AgentEvent] = []

    async def watch() -> None:
        async for event in loop.run(adapter, MESSAGES, Echo(), ModelParams()):
            seen.append(event)  # noqa: PERF401 - what came before the failure counts

    with pytest.raises(ModelUnavailable, match="gone"):
        await watch()

    assert seen == [TextDelta(text="Half")]


async def test_closing_loop_closes_model_stream() -> None:
    adapter = ScriptedAdapter([says("one", "two")])
    running = loop.run(adapter, MESSAGES, Echo(), ModelParams())

    assert await anext(running) == TextDelta(text="one")
    await running.aclose()

    assert adapter.closed == 1
