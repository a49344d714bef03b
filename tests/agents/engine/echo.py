"""An executor whose tools answer with the ids of their calls, and helpers for the tests of the loop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.calls import NamedRows
from agents.engine import loop
from agents.engine.executor import ToolExecutor
from agents.engine.rounds import ToolOutcome
from agents.events import AgentEvent, ToolCall
from tests.agents.scripts import ScriptedAdapter, call

MESSAGES: list[Message] = [SystemMessage(text="be kind"), UserMessage(text="hello")]
WRITE = ToolSchema(name="write", description="", parameters={})


@dataclass
class Echo(ToolExecutor):
    """Answers each call with its id. Tools named ``write…`` write, and wait for ``allowed`` if it is given.

    Calls with ids in ``wrong`` fail and are correctable. ``told`` replaces the text of every answer.
    """

    schemas: Sequence[ToolSchema] = (ToolSchema(name="read", description="", parameters={}), WRITE)
    order: list[str] = field(default_factory=list)
    gate: asyncio.Barrier | None = None
    allowed: asyncio.Event | None = None
    ok: bool = True
    told: str = ""
    correctable: bool = False
    wrong: Collection[str] = ()
    choices: Sequence[str] = ()
    unknown: bool = False
    rows: NamedRows = field(default_factory=dict)

    def follow(self, conversation: Sequence[Message]) -> None:
        return None

    @asynccontextmanager
    async def round(self, calls: Sequence[ToolCall]) -> AsyncIterator[None]:
        yield

    def named(self, call: ToolCall) -> ToolCall:
        return call

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
        return ToolOutcome(
            text=self.told or f"answer to {call.id}",
            ok=self.ok and call.id not in self.wrong,
            duration_ms=0,
            rows=self.rows,
            correctable=self.correctable or call.id in self.wrong,
            choices=self.choices,
            unknown=self.unknown,
        )


async def events(
    adapter: ScriptedAdapter, dispatcher: Echo, messages: Sequence[Message] = MESSAGES
) -> list[AgentEvent]:
    return [event async for event in loop.run(adapter, messages, dispatcher, ModelParams())]


EARLIER: list[Message] = [
    MESSAGES[0],
    UserMessage(text="Which tasks of the garden are open?"),
    AssistantMessage(text="", tool_calls=(call("read"),)),
    ToolMessage(call_id="call-1", text='Found 1 task:\n- "Order compost" [id t1]'),
    AssistantMessage(text="I found: “Order compost”."),
]
CREATED: list[Message] = [
    MESSAGES[0],
    UserMessage(text="Create a task “Buy milk”"),
    AssistantMessage(text="", tool_calls=(call("write"),)),
    ToolMessage(call_id="call-1", text='Created the task "Buy milk" (todo) [id t1].'),
    AssistantMessage(text="I created the task “Buy milk”."),
]
