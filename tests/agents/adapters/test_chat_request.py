import json
from typing import Any

from agents.adapters.base import (
    AssistantMessage,
    Material,
    Message,
    Purpose,
    SystemMessage,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.adapters.chat_request import message_params, schema_param, tool_params, with_schema_in_words
from agents.adapters.dialects import DIALECTS, DialectName
from agents.calls import Rows
from agents.events import ToolCall

SCHEMA = {"type": "object", "properties": {"agent": {"type": "string"}}}


def sent_as(*messages: Message, dialect: DialectName = DialectName.COMPATIBLE, owner: str = "") -> list[Any]:
    return message_params(messages, dialect=DIALECTS[dialect], owner=owner)


def test_conversation_is_sent_in_order() -> None:
    call = ToolCall(id="call_1", name="list_tasks", arguments='{"status": "todo"}')
    messages: list[Message] = [
        SystemMessage(text="Be brief."),
        UserMessage(text="Cosa c'è da fare?"),
        AssistantMessage(text="", tool_calls=(call,)),
        ToolMessage(call_id="call_1", text="Found no tasks."),
        AssistantMessage(text="Nothing."),
    ]

    function = {"name": "list_tasks", "arguments": '{"status": "todo"}'}
    assert message_params(messages) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Cosa c'è da fare?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "Found no tasks."},
        {"role": "assistant", "content": "Nothing."},
    ]


def test_arguments_that_are_not_object_are_wrapped_in_one() -> None:
    written = ["", "{", "[1]", '"x"', "[" * 100_000, '{"a": 1}']
    calls = tuple(ToolCall(id=str(number), name="f", arguments=text) for number, text in enumerate(written))

    [message] = sent_as(AssistantMessage(text="", tool_calls=calls))

    sent = [json.loads(call["function"]["arguments"]) for call in message["tool_calls"]]
    assert sent == [{}, *({"unreadable_arguments": text} for text in written[1:-1]), {"a": 1}]


def test_surrogates_are_joined_or_replaced() -> None:
    assert sent_as(UserMessage(text="\ud83c\udf89 \ud83c!")) == [{"role": "user", "content": "🎉 \ufffd!"}]


def test_tools_are_sent_as_functions() -> None:
    schema = ToolSchema(name="f", description="Does it.", parameters=SCHEMA)

    assert tool_params([schema]) == [
        {"type": "function", "function": {"name": "f", "description": "Does it.", "parameters": SCHEMA}}
    ]


def test_schema_is_strict() -> None:
    assert schema_param(SCHEMA) == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
    }


def test_schema_in_words_is_added_to_first_system_message() -> None:
    user = UserMessage(text="Hi")
    words = f"Answer with nothing but JSON that fits this JSON Schema:\n{json.dumps(SCHEMA)}"

    assert with_schema_in_words([user], SCHEMA) == [SystemMessage(text=words), user]
    assert with_schema_in_words([SystemMessage(text="Route."), user], SCHEMA) == [
        SystemMessage(text=f"Route.\n\n{words}"),
        user,
    ]


def test_rows_and_material_beside_text_are_not_sent() -> None:
    rows = Rows(rows=({"id": "t1", "title": "Secret"},))
    plain: list[Message] = [UserMessage(text="Brief me."), ToolMessage(call_id="call_1", text="Found no tasks.")]
    beside: list[Message] = [
        UserMessage(text="Brief me.", material=Material(purpose=Purpose.BRIEF, rows={"Due": rows})),
        ToolMessage(call_id="call_1", text="Found no tasks.", ok=False, rows={"tasks": rows}),
    ]

    assert message_params(beside) == message_params(plain)
