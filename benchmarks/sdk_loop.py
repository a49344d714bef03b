"""The same turns by hand: the SDK's own parsed stream, tools in the process, no socket, no formatter, no log.

What it sends is what the server sends: the same prompt, the same situation, the same tools. It is written as the SDK's
documentation writes it.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionFunctionToolParam

from agents.engine.roster import ROSTER, AgentName
from agents.prompts.names import PromptName
from agents.prompts.rendering import prompt_text, situation, system_message
from benchmarks.plans import ROWS, message, stamp_in

MODEL: Final = "gpt-4.1"
_AGENT: Final = ROSTER[AgentName.TASK_AGENT]
TOLD: Final = json.dumps(ROWS)
"""What a tool by hand tells the model."""


@dataclass(kw_only=True, slots=True)
class HandTurn:
    """What one turn by hand gave. Times in seconds."""

    seconds: float = 0.0
    first_text: float | None = None
    text: str = ""
    calls: int = 0


@dataclass(kw_only=True, slots=True)
class _Call:
    id: str
    name: str
    arguments: str = ""


@dataclass(kw_only=True, slots=True)
class _Reply:
    pieces: list[str] = field(default_factory=list)
    calls: dict[int, _Call] = field(default_factory=dict)
    first_text: float | None = None


def instructions() -> str:
    """The system prompt that the server sends."""
    variables = {
        "now": f"{datetime.now(UTC):%A %Y-%m-%d %H:%M}",
        "timezone": "UTC",
        "role": prompt_text(PromptName.TASK_AGENT_SYSTEM),
        "scope": "",
    }
    return system_message(PromptName.HOME_SYSTEM, variables, language="en").text


def tools() -> list[ChatCompletionFunctionToolParam]:
    """The tools that the server offers at first: the others are found by the model."""
    return [
        {
            "type": "function",
            "function": {
                "name": schema.name,
                "description": schema.description,
                "parameters": dict(schema.parameters),
            },
        }
        for schema in (tool.schema() for tool in _AGENT.tools if tool not in _AGENT.found)
    ]


class SdkLoop:
    """Runs turns on one client of the SDK."""

    def __init__(self, base_url: str) -> None:
        self.client = AsyncOpenAI(api_key="none", base_url=base_url)
        self._tools = tools()
        self._instructions = instructions()

    async def turn(self, plan: str) -> HandTurn:
        """Ask the model, run its calls, ask again, until it answers."""
        turn, started = HandTurn(), time.monotonic()
        messages: list[Any] = [
            {"role": "system", "content": self._instructions},
            {"role": "user", "content": situation(datetime.now(UTC), "UTC")},
            {"role": "user", "content": message(plan)},
        ]
        while True:
            reply = await self._reply(messages)
            if not reply.calls:
                turn.text, turn.first_text = "".join(reply.pieces), reply.first_text
                turn.seconds = time.monotonic() - started
                return turn
            messages.append(
                {"role": "assistant", "content": None, "tool_calls": list(map(_said, reply.calls.values()))}
            )
            for call in reply.calls.values():
                turn.calls += 1
                messages.append({"role": "tool", "tool_call_id": call.id, "content": run_tool(call.arguments)})

    async def _reply(self, messages: list[Any]) -> _Reply:
        reply = _Reply()
        stream = await self.client.chat.completions.create(
            model=MODEL, messages=messages, tools=self._tools, stream=True, stream_options={"include_usage": True}
        )
        async for chunk in stream:
            for choice in chunk.choices:
                if choice.delta.content:
                    if not reply.pieces:
                        reply.first_text = _since(choice.delta.content)
                    reply.pieces.append(choice.delta.content)
                for part in choice.delta.tool_calls or ():
                    function = part.function
                    if part.index not in reply.calls:
                        reply.calls[part.index] = _Call(id=part.id or "", name=(function and function.name) or "")
                    if function and function.arguments:
                        reply.calls[part.index].arguments += function.arguments
        return reply


def run_tool(arguments: str) -> str:
    """A tool in the process: reads its arguments and has its rows at once."""
    wanted: Mapping[str, object] = json.loads(arguments)
    return TOLD if "status" in wanted or not wanted else "Created."


def _since(text: str) -> float | None:
    stamp = stamp_in(text)
    return None if stamp is None else time.monotonic() - stamp / 1e9


def _said(call: _Call) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
