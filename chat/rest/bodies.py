"""What ``/api/v1/chat`` is asked and what it answers."""

import json
from typing import Annotated, Final

from pydantic import AfterValidator, Field, JsonValue

from agents.engine.roster import AgentName
from chat.formatters.parts import BlockType
from chat.protocol.frames.client import HistoryMessage
from chat.protocol.frames.fields import Frame, Name, RequestId, Text
from chat.protocol.frames.server import Mutation

MAX_CONTEXT_CHARS: Final = 8000


def _bounded(context: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if len(json.dumps(context, ensure_ascii=False)) > MAX_CONTEXT_CHARS:
        raise ValueError(f"is at most {MAX_CONTEXT_CHARS} characters of JSON")
    return context


class ChatQuestion(Frame):
    """A request to the assistant."""

    message: Annotated[Text, Field(description="What the user says.")]
    session_id: Annotated[Name | None, Field(description="The client's name for the conversation.")] = None
    device_id: Annotated[
        Name | None,
        Field(description="The device whose database is asked, by the id it gave itself; else the one used last."),
    ] = None
    context: Annotated[
        Annotated[dict[str, JsonValue], AfterValidator(_bounded)] | None,
        Field(description=f"What the application says of its own state; at most {MAX_CONTEXT_CHARS} characters."),
    ] = None
    history: Annotated[list[HistoryMessage], Field(description="What was said before, oldest first.")] = Field(
        default_factory=list
    )


class Block(Frame):
    """A chart, a table, a timeline or cards, for the client to draw."""

    block_type: BlockType
    data: dict[str, JsonValue]


class ChatAnswer(Frame):
    """A whole answer."""

    response: Annotated[str, Field(description="The text, in markdown.")]
    agent: Annotated[AgentName, Field(description="Who answered.")]
    blocks: Annotated[list[Block], Field(description="In the order in which they were written.")]
    mutations: Annotated[list[Mutation], Field(description="What the device changed in its database, in order.")]
    request_id: RequestId
