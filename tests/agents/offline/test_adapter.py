"""The offline assistant as a model adapter: its events, and properties that hold for any message."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agents.adapters.base import (
    AnswerFormat,
    AssistantMessage,
    Message,
    ModelAdapter,
    ModelParams,
    SystemMessage,
    ToolChoice,
    ToolMessage,
    UserMessage,
)
from agents.calls import Rows, Table
from agents.events import ModelStopped, StopReason, TextDelta, ToolCall, Usage
from agents.offline import OfflineAdapter
from tests.agents.offline.world import NOW, World, request, say
from tests.effort import tries

PARAMS = ModelParams(now=NOW)
BLOCK_TYPES = {"text", "entity_ref", "chart", "table", "timeline"}


def conversation(message: str) -> list[Message]:
    return [SystemMessage(text="Be helpful."), UserMessage(text=message)]


def schema(properties: Mapping[str, object]) -> ModelParams:
    return ModelParams(now=NOW, response_schema={"type": "object", "properties": properties})


async def answer(message: str, params: ModelParams) -> str:
    events = await request(conversation(message), [], params)
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_adapter_has_a_name() -> None:
    adapter: ModelAdapter = OfflineAdapter()
    assert adapter.name == "offline"


async def test_round_of_calls_ends_with_usage_and_stop_reason() -> None:
    events = await request(conversation("list my tasks"), World().schemas(), PARAMS)
    assert events == [
        ToolCall(id="offline-2-0-0", name="list_tasks", arguments='{"status": "todo"}'),
        ToolCall(id="offline-2-0-1", name="list_tasks", arguments='{"status": "in_progress"}'),
        Usage(input_tokens=6, output_tokens=events[2].output_tokens if isinstance(events[2], Usage) else -1),
        ModelStopped(reason=StopReason.TOOL_CALLS),
    ]


async def test_answer_is_streamed_and_ends_with_usage_and_stop_reason() -> None:
    events = await request(conversation("thanks"), [], PARAMS)
    assert events == [
        TextDelta(text="You're "),
        TextDelta(text="welcome."),
        Usage(input_tokens=4, output_tokens=5),
        ModelStopped(reason=StopReason.COMPLETE),
    ]


@pytest.mark.parametrize("message", ["hello", "help", "My sister is called Anna"])
async def test_help_text_stops_with_no_answer(message: str) -> None:
    events = await request(conversation(message), [], PARAMS)
    assert events[-1] == ModelStopped(reason=StopReason.NO_ANSWER)


async def test_adapter_clock_is_used_if_request_has_no_time() -> None:
    adapter = OfflineAdapter(clock=lambda: datetime(2030, 5, 1, 12, tzinfo=UTC))
    events = await request(conversation("add task Tea for tomorrow"), World().schemas(), ModelParams(), adapter)
    [call] = [event for event in events if isinstance(event, ToolCall)]
    assert json.loads(call.arguments)["due_date"] == "2030-05-02"


async def test_same_conversation_gives_same_events() -> None:
    tools = World().schemas()
    first = await request(conversation("how many tasks by status"), tools, PARAMS)
    assert await request(conversation("how many tasks by status"), tools, PARAMS) == first


@pytest.mark.parametrize("answer_format", AnswerFormat)
async def test_request_without_tools_is_declined_in_text(answer_format: AnswerFormat) -> None:
    params = ModelParams(now=NOW, answer_format=answer_format)
    events = await request(conversation("list my tasks"), [], params)
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    said = json.loads(text)["content"] if answer_format is AnswerFormat.BLOCKS else text
    assert said == "I cannot do this here: the tool it takes is not on offer."


async def test_tool_choice_none_gives_no_calls() -> None:
    params = ModelParams(now=NOW, tool_choice=ToolChoice.NONE)
    bound = await request(conversation("list my tasks"), World().schemas(), params)
    assert bound == await request(conversation("list my tasks"), [], PARAMS)


async def test_missing_tool_message_counts_as_failure() -> None:
    call = ToolCall(id="c1", name="list_notes", arguments="{}")
    messages = [*conversation("list my notes"), AssistantMessage(text="", tool_calls=(call,))]
    events = await request(messages, World().schemas(), PARAMS)
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text == "That did not work. The tool gave no answer."


async def test_rounds_beyond_plan_end_in_answer() -> None:
    messages: list[Message] = conversation("list my notes")
    for number in range(3):
        call = ToolCall(id=f"c{number}", name="list_notes", arguments="{}")
        messages += [
            AssistantMessage(text="", tool_calls=(call,)),
            ToolMessage(call_id=call.id, text="Found no notes.", rows={Table.NOTES: Rows()}),
        ]
    events = await request(messages, World().schemas(), PARAMS)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "You have no notes."


@pytest.mark.parametrize("messages", [[], [SystemMessage(text="Be helpful.")], [UserMessage(text="")]])
async def test_conversation_without_user_text_gets_help(messages: list[Message]) -> None:
    events = await request(messages, [], PARAMS)
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert text.startswith("I did not understand that.")


AGENTS = ["task_agent", "project_agent", "checkpoint_agent", "note_agent", "general_agent"]


@pytest.mark.parametrize(
    ("message", "agent"),
    [
        ("what should I do next?", "task_agent"),
        ("mark Buy milk as done", "task_agent"),
        ("ricordami di comprare il latte", "task_agent"),
        ("cosa scade oggi?", "task_agent"),
        ("comment on “X”: y", "task_agent"),
        ("comments on “X”", "task_agent"),
        ("delete comment “y” from “X”", "task_agent"),
        ("archivia Sito", "project_agent"),
        ("timeline", "checkpoint_agent"),
        ("cosa ho scritto sul budget?", "note_agent"),
        ("note down that it rains", "note_agent"),
        ("delete “Buy milk”", "general_agent"),
        ("hello", "general_agent"),
        ("why is the sky blue", "general_agent"),
    ],
)
async def test_schema_with_choices_gets_choice_for_message(message: str, agent: str) -> None:
    text = await answer(message, schema({"agent": {"type": "string", "enum": AGENTS}}))
    assert json.loads(text) == {"agent": agent}


async def test_schema_is_filled_with_values_of_its_types() -> None:
    params = schema(
        {
            "summary": {"type": "string"},
            "short": {"type": "string", "maxLength": 7},
            "count": {"type": "integer", "minimum": 1},
            "share": {"type": "number"},
            "sure": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "kind": {"const": "episode"},
            "maybe": {"type": ["string", "null"]},
            "nothing": {"type": "null"},
            "anything": {},
            "empty": {"type": []},
            "inner": {"properties": {"text": {"type": "string"}}},
            "odd": {"type": "integer", "minimum": "x"},
            "bare": {"type": "object"},
        }
    )
    assert json.loads(await answer("Bought\n milk", params)) == {
        "summary": "Bought milk",
        "short": "Bought ",
        "count": 1,
        "share": 0,
        "sure": False,
        "tags": [],
        "kind": "episode",
        "maybe": "Bought milk",
        "nothing": None,
        "anything": None,
        "empty": None,
        "inner": {"text": "Bought milk"},
        "odd": 0,
        "bare": {},
    }


async def test_recursive_schema_is_answered() -> None:
    endless: dict[str, object] = {"type": "object"}
    endless["properties"] = {"more": endless}
    text = await answer("x", ModelParams(now=NOW, response_schema=endless))
    assert re.fullmatch(r'(\{"more": )+\{\}\}+', text)


titles = (
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
    | st.sampled_from(
        ['Say "hi" (now) [id 7]', "«Ça»", "🎉 party, at 8", "a\\b", "- x", '"', "Deleted", "done", "rename a to b"]
    )
).map(lambda text: " ".join(text.split()))


def quoted(title: str) -> str:
    """``title`` in quotation marks that it does not contain."""
    for opening, closing in ("“”", "«»", "„“", "「」", "‹›"):
        if opening not in title and closing not in title and not title.endswith("\\"):
            return f"{opening}{title}{closing}"
    escaped = title.replace('"', '\\"')
    return f'"{escaped}"'


@given(first=titles, second=titles, language=st.sampled_from(["en", "it"]))
@settings(max_examples=tries(50, long=1_000), deadline=None)
async def test_any_title_survives_from_creation_to_deletion(first: str, second: str, language: str) -> None:
    assume(first and second and not re.search("[\ue000-\uf8ff]", first + second))
    assume(first.casefold() != second.casefold() and not first.endswith("\\") and not second.endswith("\\"))
    world = World()
    other = world.task("Another task")
    sentences = {
        "en": (
            "create a task called {0} with high priority",
            "complete {0}",
            "rename task {0} to {1}",
            "delete task {1}",
        ),
        "it": (
            "crea un'attività chiamata {0} con priorità alta",
            "completa {0}",
            "rinomina l'attività {0} in {1}",
            "elimina l'attività {1}",
        ),
    }[language]
    create, complete, rename, delete = (sentence.format(quoted(first), quoted(second)) for sentence in sentences)

    def mine() -> list[tuple[object, object, object]]:
        rows = (row for row in world.tasks.values() if row["id"] != other)
        return [(row["title"], row["status"], row["priority"]) for row in rows]

    await say(world, create, language=language)
    assert mine() == [(first, "todo", "high")]
    assert f"- {first} (" in (await say(world, "list my tasks")).text
    await say(world, complete, language=language)
    assert mine() == [(first, "done", "high")]
    await say(world, rename, language=language)
    assert mine() == [(second, "done", "high")]
    await say(world, delete, language=language)
    assert mine() == []
    assert world.tasks[other]["title"] == "Another task"


FRAGMENTS = """
list show my tasks task note notes project checkpoint create add delete rename to as done due today tomorrow called with
high priority in the and for “Buy milk” "x" : , ? all by status chart table timeline overdue search comment on elenca
attività crea nota progetto elimina rinomina fatta scade oggi domani con priorità alta tutte per stato cerca commento su
« » ' 24 december 2026-12-01 24/12 31/2 at 18:00 summarise plan weekly review my week riassumi pianifica settimanale
"""
fragments = st.sampled_from([*FRAGMENTS.split(), "\n"])
messages = st.text(max_size=200) | st.lists(fragments, max_size=14).map(" ".join)


@given(message=messages, language=st.sampled_from(["en", "it", "de", ""]), answer_format=st.sampled_from(AnswerFormat))
@settings(max_examples=tries(100, long=2_000), deadline=None)
async def test_any_message_gets_well_formed_answer(message: str, language: str, answer_format: AnswerFormat) -> None:
    world = World()
    site = world.project("Website")
    world.checkpoint("Beta", site, "2026-12-24")
    world.comment(world.task("Buy milk", due_date="2026-11-18", project_id=site), "Anna", "ok")
    world.note("Ideas", "paint the kitchen")
    said = await say(world, message, language=language, answer_format=answer_format)
    said.text.encode()
    assert said.text.strip()
    if answer_format is AnswerFormat.BLOCKS:
        assert said.blocks[0]["type"] == "text"
        assert {block["type"] for block in said.blocks} <= BLOCK_TYPES


@given(message=messages, texts=st.lists(st.text(max_size=80), max_size=5))
@settings(max_examples=tries(60, long=1_000), deadline=None)
async def test_any_tool_text_leads_to_answer_or_more_calls(message: str, texts: list[str]) -> None:
    conversed = conversation(message)
    for number, text in enumerate(texts):
        call = ToolCall(id=str(number), name="list_tasks", arguments="{}")
        conversed += [AssistantMessage(text="", tool_calls=(call,)), ToolMessage(call_id=call.id, text=text)]
    events = await request(conversed, World().schemas(), PARAMS)
    calls = [event for event in events if isinstance(event, ToolCall)]
    reasons = {StopReason.TOOL_CALLS} if calls else {StopReason.COMPLETE, StopReason.NO_ANSWER}
    assert events[-1] in [ModelStopped(reason=reason) for reason in reasons]


@pytest.mark.parametrize("title", ["half \ud800 character"])
async def test_lone_surrogates_are_replaced(title: str) -> None:
    said = await say(World(), f"complete “{title}”", answer_format=AnswerFormat.BLOCKS)
    assert said.content == "I found no task called “half ? character”."
