import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.calls import NamedRows, Rows, Table
from agents.engine import loop
from agents.engine.loop import ToolExecutor, ToolOutcome
from agents.errors import ModelBroken, ModelRefused, ModelUnavailable
from agents.events import (
    AgentEvent,
    Finished,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
)
from tests.agents.scripts import ScriptedAdapter, call, calls, says

MESSAGES: list[Message] = [SystemMessage(text="be kind"), UserMessage(text="hello")]


@dataclass
class Echo(ToolExecutor):
    """Tools that answer with their ids; those named ``write…`` write, after ``allowed`` is set if it is given."""

    schemas: Sequence[ToolSchema] = (ToolSchema(name="read", description="", parameters={}),)
    order: list[str] = field(default_factory=list)
    gate: asyncio.Barrier | None = None
    allowed: asyncio.Event | None = None
    ok: bool = True
    rows: NamedRows = field(default_factory=dict)

    def label(self, call: ToolCall) -> str:
        return f"{call.name}ing"

    def reads(self, call: ToolCall) -> bool:
        return not call.name.startswith("write")

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        self.order.append(f"begin {call.id}")
        if self.allowed is not None and not self.reads(call):
            on_waiting()
            async with asyncio.timeout(5):
                await self.allowed.wait()
        if self.gate is not None and self.reads(call):
            async with asyncio.timeout(5):
                await self.gate.wait()
        self.order.append(f"end {call.id}")
        return ToolOutcome(text=f"answer to {call.id}", ok=self.ok, duration_ms=0, rows=self.rows)


async def events(adapter: ScriptedAdapter, dispatcher: Echo) -> list[AgentEvent]:
    return [event async for event in loop.run(adapter, MESSAGES, dispatcher, ModelParams())]


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


async def test_an_adapter_gets_the_rows_of_a_tool_and_whether_it_succeeded() -> None:
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
async def test_reads_behind_a_change_go_on_while_it_waits_for_a_person_and_later_changes_wait(ok: bool) -> None:
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


async def test_after_five_tool_rounds_the_model_is_asked_without_tools() -> None:
    adapter = ScriptedAdapter([*[calls(call("read", id=f"c{n}")) for n in range(5)], says("Enough.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Enough.", tool_rounds=5)
    assert [len(request.tools) for request in adapter.requests] == [1, 1, 1, 1, 1, 0]


async def test_a_model_that_calls_tools_it_was_not_given_is_broken() -> None:
    adapter = ScriptedAdapter([calls(call("read", id=f"c{n}")) for n in range(6)])

    with pytest.raises(ModelBroken):
        await events(adapter, Echo())


async def test_a_silent_model_is_broken_and_a_refusing_one_refuses() -> None:
    with pytest.raises(ModelBroken, match="without an answer"):
        await events(ScriptedAdapter([says()]), Echo())
    with pytest.raises(ModelRefused):
        await events(ScriptedAdapter([[ModelRefused()]]), Echo())


async def test_a_failing_model_fails_the_loop_after_what_it_said() -> None:
    adapter = ScriptedAdapter([[TextDelta(text="Half"), ModelUnavailable("gone")]])
    seen: list[AgentEvent] = []

    async def watch() -> None:
        async for event in loop.run(adapter, MESSAGES, Echo(), ModelParams()):
            seen.append(event)  # noqa: PERF401 - what came before the failure counts

    with pytest.raises(ModelUnavailable, match="gone"):
        await watch()

    assert seen == [TextDelta(text="Half")]


async def test_closing_the_loop_closes_the_model_stream() -> None:
    adapter = ScriptedAdapter([says("one", "two")])
    running = loop.run(adapter, MESSAGES, Echo(), ModelParams())

    assert await anext(running) == TextDelta(text="one")
    await running.aclose()

    assert adapter.closed == 1
