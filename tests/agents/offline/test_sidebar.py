"""The offline assistant in the sidebar of a page, where one tool reads whole pages."""

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.calls import Rows
from agents.events import TextDelta, ToolCall
from agents.scopes import ListScope, View
from agents.tools.page_details import Part
from tests.agents.offline.world import NOW, request

TOOLS = [ToolSchema(name="get_page_details", description="", parameters={})]


async def test_possibly_incomplete_rows_of_page_are_reported_as_such() -> None:
    params = ModelParams(language="en", now=NOW, view=View(scope=ListScope(page="tasks"), words=""))
    conversation: list[Message] = [SystemMessage(text="Be helpful."), UserMessage(text="List my tasks")]
    [*calls, _, _] = await request(conversation, TOOLS, params)
    page = Rows(rows=({"id": "t1", "title": "Buy milk", "status": "todo"},), uncounted=True)
    asked = [call for call in calls if isinstance(call, ToolCall)]
    read = [ToolMessage(call_id=call.id, text="", rows={Part.TASKS: page}) for call in asked]

    answer = await request([*conversation, AssistantMessage(text="", tool_calls=tuple(asked)), *read], TOOLS, params)

    text = "".join(event.text for event in answer if isinstance(event, TextDelta))
    assert text.split("\n")[0] == "You have 1 open task. There may be more that I could not look at."
