"""A model that writes numbered frames and rows, so that any loss or duplicate shows."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ModelParams, ToolSchema, UserMessage
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall

ROUNDS: Final = 4
"""Tool rounds in each turn."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """What one turn writes: at least ``frames`` frames, and ``writes`` rows, a multiple of the rounds."""

    frames: int
    writes: int

    @property
    def blocks(self) -> int:
        """The number of blocks, without the states around each write and the turn's own frames."""
        return max(ROUNDS + 1, self.frames - 2 * self.writes - 3)


def asking(turn: int) -> str:
    """The message that starts a turn; the agent is chosen without a model."""
    return f"Create my tasks, turn {turn}."


def title(turn: int, write: int) -> str:
    """The title of the row that a turn's write inserts."""
    return f"turn {turn}, write {write}"


def words(turn: int, block: int) -> str:
    """The text before a block."""
    return f"Turn {turn} says è {block}. "


@dataclass(frozen=True, kw_only=True)
class ProducingModel:
    """A ``ModelAdapter`` that answers ``asking`` with its share: blocks, rows, blocks, and so on."""

    share: Share
    name: str = "producing"

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        asked = next(message.text for message in reversed(messages) if isinstance(message, UserMessage))
        turn = int(re.findall(r"turn (\d+)", asked)[-1])
        done = sum(1 for message in messages if isinstance(message, AssistantMessage) and message.tool_calls)
        for event in self._events(turn, done):
            yield event
            await asyncio.sleep(0)  # lets other turns run

    def _events(self, turn: int, done: int) -> Iterator[ModelEvent]:
        blocks, writes = self.share.blocks, self.share.writes // ROUNDS
        for block in range(blocks * done // (ROUNDS + 1), blocks * (done + 1) // (ROUNDS + 1)):
            yield TextDelta(text=_block(turn, block))
        if done == ROUNDS:
            yield ModelStopped(reason=StopReason.COMPLETE)
            return
        for write in range(done * writes, (done + 1) * writes):
            arguments = json.dumps({"title": title(turn, write)})
            yield ToolCall(id=f"call-{write}", name="create_task", arguments=arguments)
        yield ModelStopped(reason=StopReason.TOOL_CALLS)


def _block(turn: int, block: int) -> str:
    """Every tenth is text, the others are tables."""
    if block % 10 == 0:
        return json.dumps({"type": "text", "content": words(turn, block)})
    return json.dumps({"type": "table", "headers": ["turn", "block"], "rows": [[str(turn), str(block)]]})
