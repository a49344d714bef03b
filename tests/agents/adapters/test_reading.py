"""What the readers of all APIs share: the events do not depend on how the bytes of an answer are divided."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.adapters.chat_reader import ChatReader
from agents.adapters.dialects import DIALECTS, DialectName
from agents.adapters.messages import MessageReader
from agents.adapters.reading import AnswerReader
from agents.adapters.responses import ResponsesReader
from agents.errors import ModelBroken, ModelError
from agents.events import ModelEvent, TextDelta
from tests.agents.adapters import test_anthropic, test_responses
from tests.model_server.scripts import Chunk, Raw, Script, calls, event, wants

TEXT = 'Ciao "Müsli" 🎉\n'
CHAT: Script = [
    Chunk({"reasoning_content": TEXT}),
    *calls(wants("list_tasks", "a", title=TEXT), wants("list_notes", "b"), text=TEXT),
]
RESPONSES = test_responses.responds(
    test_responses.REASONING, test_responses.says(TEXT), test_responses.wants("list_tasks")
)
MESSAGES = test_anthropic.message(
    test_anthropic.THOUGHT,
    {"type": "text", "text": TEXT},
    test_anthropic.wants("list_tasks", title=TEXT),
    stop_reason="tool_use",
)
STREAMS: Sequence[tuple[Callable[[], AnswerReader], Script]] = [
    (partial(ChatReader, DIALECTS[DialectName.VLLM]), CHAT),
    (ResponsesReader, RESPONSES),
    (MessageReader, MESSAGES),
]


def stream(script: Script) -> bytes:
    return b"".join(step.encoded() for step in script if isinstance(step, Chunk | Raw))


def events(reader: AnswerReader, pieces: Sequence[bytes]) -> Iterator[ModelEvent]:
    for piece in pieces:
        yield from reader.feed(piece)
    yield from reader.end()


def outcome(reader: AnswerReader, pieces: Sequence[bytes]) -> tuple[str, list[ModelEvent], str]:
    """The text, the other events, and the error at the end if there was one."""
    heard: list[ModelEvent] = []
    error = ""
    try:
        for each in events(reader, pieces):
            heard.append(each)  # noqa: PERF402 - what came before the error counts
    except ModelError as raised:
        error = repr(raised)
    text = "".join(each.text for each in heard if isinstance(each, TextDelta))
    return text, [each for each in heard if not isinstance(each, TextDelta)], error


@pytest.mark.parametrize(("made", "script"), STREAMS, ids=["chat", "responses", "messages"])
@given(data=st.data())
def test_events_are_the_same_for_any_division_of_bytes(
    made: Callable[[], AnswerReader], script: Script, data: st.DataObject
) -> None:
    whole = stream(script)
    # A stream that ends early is broken, however it is divided.
    whole = whole[: data.draw(st.integers(0, len(whole)) | st.just(len(whole)))]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=12)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]

    assert outcome(made(), pieces) == outcome(made(), [whole])


@pytest.mark.parametrize(("made", "script"), STREAMS, ids=["chat", "responses", "messages"])
def test_whole_stream_gives_text_and_calls_with_reasoning_state(
    made: Callable[[], AnswerReader], script: Script
) -> None:
    text, others, error = outcome(made(), [stream(script)])

    assert (text, error) == (TEXT, "")
    assert [type(each).__name__ for each in others if type(each).__name__ != "ToolCall"] == ["Usage", "ModelStopped"]
    assert getattr(others[0], "state", None) is not None


GARBAGE = [7, [], {"type": 7}, {"type": "message_start", "message": 7}, {"type": "content_block_delta", "delta": []},
           {"type": "response.output_item.done", "item": 7}, {"type": "response.completed", "response": []},
           {"type": "message_delta", "delta": 7}, {"choices": 7}, {"prompt_progress": 7}]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE, ids=str)
@pytest.mark.parametrize("made", [made for made, _ in STREAMS], ids=["chat", "responses", "messages"])
def test_invalid_event_is_broken(made: Callable[[], AnswerReader], garbage: object) -> None:
    with pytest.raises(ModelBroken):
        list(events(made(), [event(garbage)]))


FIELDS = ("type", "delta", "item", "content_block", "response", "usage", "choices", "index", "message", "text",
          "tool_calls", "function", "content", "error", "input", "output", "finish_reason")  # fmt: skip
TYPES = ("message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
         "message_stop", "message", "text_delta", "input_json_delta", "tool_use", "thinking", "reasoning",
         "function_call", "response.output_text.delta", "response.output_item.done", "response.completed",
         "response.failed", "error")  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(TYPES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
)


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5), max_size=4))
def test_unreadable_event_raises_only_model_error(values: list[object]) -> None:
    for made, script in STREAMS:
        outcome(made(), [*map(event, values), stream(script)])
