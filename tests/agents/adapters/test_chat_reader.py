import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.adapters import reading
from agents.adapters.chat_reader import ChatReader
from agents.adapters.reading import joined
from agents.errors import ModelBroken, ModelError, ModelRefused, ModelUnavailable
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from tests.model_server.scripts import DONE, Chunk, Raw, Script, calls, event, refuses, says, wants


def stream(script: Script) -> bytes:
    return b"".join(step.encoded() for step in script if isinstance(step, Chunk | Raw))


def read(*pieces: bytes) -> list[ModelEvent]:
    return list(_events(pieces))


def outcome(*pieces: bytes) -> list[ModelEvent | str]:
    """The events, followed by the exception if one was raised."""
    events: list[ModelEvent | str] = []
    try:
        for event in _events(pieces):
            events.append(event)  # noqa: PERF402 - what came before the error counts
    except ModelError as error:
        events.append(repr(error))
    return events


def _events(pieces: Sequence[bytes]) -> Iterator[ModelEvent]:
    reader = ChatReader()
    for piece in pieces:
        yield from reader.feed(piece)
    yield from reader.end()


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events: list[ModelEvent]) -> list[tuple[str, str, str]]:
    return [(event.id, event.name, event.arguments) for event in events if isinstance(event, ToolCall)]


def deltas(*found: dict[str, Any], finish_reason: str = "stop") -> bytes:
    return stream([*(Chunk(delta) for delta in found), Chunk({}, finish_reason)])


def piece(index: int | None = None, call_id: str | None = None, **function: object) -> dict[str, Any]:
    """A delta with a piece of one call. Fields that are None are omitted, as servers do."""
    given = {"index": index, "id": call_id, "function": function}
    return {"tool_calls": [{name: value for name, value in given.items() if value is not None}]}


def test_text_is_returned_in_pieces_and_usage_at_end() -> None:
    assert read(stream(says("Hel", "lo"))) == [
        TextDelta(text="Hel"),
        TextDelta(text="lo"),
        Usage(input_tokens=11, output_tokens=7),
        ModelStopped(reason=StopReason.COMPLETE),
    ]


def test_text_is_returned_before_stream_ends() -> None:
    reader = ChatReader()

    assert list(reader.feed(stream(says("Hel", "lo")[:2]))) == [TextDelta(text="Hel")]
    assert not reader.is_whole


def test_interleaved_pieces_of_parallel_calls_are_joined() -> None:
    wanted = [wants("list_tasks", "a", status="todo"), wants("create_task", "b", title='Müsli "x"'), wants("ping", "c")]

    assert read(stream(calls(*wanted, text="Wait.", cut=3))) == [
        TextDelta(text="Wait."),
        ToolCall(id="a", name="list_tasks", arguments='{"status": "todo"}'),
        ToolCall(id="b", name="create_task", arguments='{"title": "Müsli \\"x\\""}'),
        ToolCall(id="c", name="ping", arguments="{}"),
        Usage(input_tokens=11, output_tokens=7),
        ModelStopped(reason=StopReason.TOOL_CALLS),
    ]


ENDINGS = st.sampled_from(
    [stream([DONE]), b"", b"<html>\n", b"data: {nonsense\n\n", event({"error": {"code": "server_error"}}), b": bye\n\n"]
)


@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=5), ENDINGS, st.data(), st.sampled_from([b"\n", b"\r\n", b"\r"])
)
def test_outcome_is_the_same_for_any_division_of_bytes(
    words: list[str], ending: bytes, data: st.DataObject, newline: bytes
) -> None:
    script = [*says(*words)[:-3], *calls(wants("f", x=words))[: -data.draw(st.integers(1, 3))]]
    whole = (stream(script) + ending).replace(b"\n", newline)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=12)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]

    assert outcome(*pieces) == outcome(whole)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_stream_in_single_bytes_is_read(newline: bytes) -> None:
    whole = stream(calls(wants("f", x="Grüße 🎉"), text="Ciao 🎉"))

    assert read(*(bytes([byte]) for byte in whole.replace(b"\n", newline))) == read(whole)


@given(st.text(st.characters()), st.integers(0, 20))
def test_split_surrogate_pairs_are_joined(text: str, cut: int) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    halves = [part.decode("utf-16-le", "surrogatepass") for part in (units[: cut * 2], units[cut * 2 :])]
    chunks = b"".join(
        b"data: " + json.dumps({"choices": [{"delta": {"content": half}}]}).encode() + b"\n\n" for half in halves
    )

    said = text_of(read(chunks + stream([DONE])))

    assert said == units.decode("utf-16-le", "replace")


def test_lone_surrogate_is_replaced() -> None:
    chunks = b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n'

    assert text_of(read(chunks + stream([DONE]))) == "a\ufffd"
    assert text_of(read(chunks + chunks + stream([DONE]))) == "a\ufffda\ufffd"


def test_lone_surrogate_in_call_name_is_replaced() -> None:
    function = b'{"name":"list_\\ud83d","arguments":"{}"}'
    chunk = b'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a\\ud83d","function":%s}]}}]}\n\n' % function

    [made] = [each for each in read(chunk + stream([Chunk({}, "tool_calls"), DONE])) if isinstance(each, ToolCall)]

    assert (made.id, made.name) == ("a\ufffd", "list_\ufffd")


def test_invalid_utf_8_is_replaced_and_deep_nesting_is_read() -> None:
    broken = b'data: {"choices":[{"delta":{"content":"a\xff"}}]}\n\n'
    nested = b'data: {"choices":[{"delta":{"content":"b"}}],"more":' + b"[" * 300 + b"]" * 300 + b"}\n\n"

    assert text_of(read(broken + nested + stream([DONE]))) == "a\ufffdb"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(
            [piece(call_id="x", name="f", arguments={"a": 1})], [("x", "f", '{"a": 1}')], id="whole, as an object"
        ),
        pytest.param(
            [
                piece(0, "x", name="f", arguments="{}"),
                piece(0, "y", name="g", arguments='{"a":'),
                piece(0, arguments="1}"),
            ],
            [("x", "f", "{}"), ("y", "g", '{"a":1}')],
            id="every call at index 0",
        ),
        pytest.param(
            [piece(call_id="x", name="f", arguments='{"a"'), piece(arguments=":1}"), piece(call_id="x", arguments=" ")],
            [("x", "f", '{"a":1} ')],
            id="no index, by id or by order",
        ),
        pytest.param(
            [piece(call_id="x", name="f"), piece(call_id="y", name="g"), piece(call_id="x", arguments="{} ")],
            [("x", "f", "{} "), ("y", "g", "{}")],
            id="no index, interleaved by id",
        ),
        pytest.param(
            [piece(0, name="f", arguments=""), piece(0, name="f", arguments="{} "), piece(0, "x", name="f")],
            [("x", "f", "{} ")],
            id="name repeated, id late",
        ),
        pytest.param(
            [piece(0, "x", name="f", arguments="{"), piece(0, "another", arguments="}")],
            [("x", "f", "{}")],
            id="another id with every piece",
        ),
        pytest.param(
            [piece(0, "x", name="list_"), piece(0, name="tasks")], [("x", "list_tasks", "{}")], id="name in pieces"
        ),
        pytest.param([piece(0, "x", name="f", arguments=None)], [("x", "f", "{}")], id="null arguments"),
    ],
)
def test_call_formats_of_different_servers_are_understood(
    found: list[dict[str, Any]], expected: list[tuple[str, str, str]]
) -> None:
    events = read(deltas(*found))

    assert calls_of(events) == expected
    assert events[-1] == ModelStopped(reason=StopReason.TOOL_CALLS)


def test_legacy_function_call_is_understood() -> None:
    found = [{"function_call": {"name": "f", "arguments": "{"}}, {"function_call": {"arguments": "}"}}]

    [(_, *call)] = calls_of(read(deltas(*found, finish_reason="function_call")))

    assert call == ["f", "{}"]


def test_missing_or_duplicate_ids_are_generated_deterministically() -> None:
    found = deltas(piece(0, name="f"), piece(1, "x", name="f"), piece(2, "x", name="f"))
    elsewhere = found.replace(b"chatcmpl-1", b"chatcmpl-2")

    made, again, others = ([id_ for id_, *_ in calls_of(read(each))] for each in (found, found, elsewhere))

    assert made == again
    assert made[1] == others[1] == "x"
    assert len({*made, *others}) == 5


def test_call_without_name_is_broken() -> None:
    with pytest.raises(ModelBroken, match="without naming it"):
        read(deltas(piece(0, "x", arguments="{}")))


@pytest.mark.parametrize(
    ("reason", "stopped"),
    [
        ("stop", StopReason.COMPLETE),
        ("length", StopReason.LENGTH),
        ("eos", StopReason.COMPLETE),
        ("tool_calls", StopReason.COMPLETE),
    ],
)
def test_stop_reason_is_reported(reason: str, stopped: StopReason) -> None:
    assert read(deltas({"content": "x"}, finish_reason=reason))[-1] == ModelStopped(reason=stopped)


def test_call_truncated_by_length_limit_is_not_made() -> None:
    found = (piece(0, "x", name="f", arguments="{}"), piece(1, "y", name="delete_task", arguments='{"task_id": "1'))

    events = read(deltas(*found, finish_reason="length"))

    assert events == [
        ToolCall(id="x", name="f", arguments="{}"),
        ModelStopped(reason=StopReason.LENGTH, lost_call=True),
    ]


def test_calls_of_filtered_answer_are_not_made() -> None:
    filtered = deltas(piece(0, "x", name="f", arguments="{}"), finish_reason="content_filter")

    assert outcome(filtered) == [repr(ModelRefused())]


def test_refusal_is_text_and_error() -> None:
    assert outcome(stream(refuses("I will ", "not."))) == [
        TextDelta(text="I will "),
        TextDelta(text="not."),
        Usage(input_tokens=11, output_tokens=7),
        repr(ModelRefused()),
    ]


def test_content_in_parts_is_text() -> None:
    parts = [{"type": "text", "text": "Hi"}, {"type": "image"}, {"type": "text", "text": 7}]

    assert text_of(read(deltas({"content": parts}))) == "Hi"


def test_comments_other_fields_and_empty_events_are_ignored() -> None:
    noise = b': keep-alive\n\nevent: ping\nid: 7\nretry: 5\n\ndata:\n\ndata\n\ndata: {"choices": null, "x": 1}\n\n'

    assert read(noise + stream(says("Hi")) + noise) == read(stream(says("Hi")))


def test_other_choices_are_ignored() -> None:
    both = [{"index": 1, "delta": {"content": "No"}}, {"index": 0, "delta": {"content": "Yes"}}]

    assert text_of(read(event({"choices": both}) + stream([DONE]))) == "Yes"
    assert text_of(read(event({"choices": both[:1]}) + stream([DONE]))) == ""


def test_data_on_several_lines_is_one_event() -> None:
    chunk = json.dumps({"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}, indent=1)
    lines = "".join(f"data:{line}\n" for line in chunk.split("\n"))

    assert text_of(read(lines.encode() + b"\n")) == "Hi"


def test_byte_order_mark_is_ignored() -> None:
    assert read(b"\xef\xbb\xbf" + stream(says("Hi"))) == read(stream(says("Hi")))


def test_last_event_without_blank_line_counts() -> None:
    assert read(stream(says("Hi")).rstrip(b"\n")) == read(stream(says("Hi")))
    assert read(stream(says("Hi")[:-1]).rstrip(b"\n")) == read(stream(says("Hi")))


def test_cumulative_usage_is_reported_once() -> None:
    counts = [{"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": count}} for count in (1, 2)]

    events = read(deltas({"content": "x"}) + event(counts[0]) + event(counts[1]))

    assert [each for each in events if isinstance(each, Usage)] == [Usage(input_tokens=5, output_tokens=2)]


def test_invalid_usage_counts_as_zero() -> None:
    odd = event({"choices": [], "usage": {"prompt_tokens": -5, "completion_tokens": "many"}})

    assert read(deltas({"content": "x"}) + odd)[1] == Usage(input_tokens=0, output_tokens=0)


def test_nothing_is_read_after_end() -> None:
    reader = ChatReader()
    events = list(reader.feed(stream(says("Hi")) + b"<html>\n"))

    assert events == read(stream(says("Hi")))
    assert reader.done
    assert list(reader.feed(stream(says("more")))) == []
    assert list(reader.end()) == []


@pytest.mark.parametrize("script", [[], says("Hello")[:2], calls(wants("f", x=1))[:2]])
def test_truncated_stream_is_broken(script: Script) -> None:
    with pytest.raises(ModelBroken, match="broke off"):
        read(stream(script))


@pytest.mark.parametrize(
    "garbage",
    [b"data: {\n\n", b"data: 7\n\n", b"data: \xff\n\n", b"data: " + b"[" * 100_000 + b"\n\n", b"<html>\n", b"{}\n",
     b'data: {"choices": 7}\n\n', b'data: {"choices": [7]}\n\n', b'data: {"choices": [{"delta": {"content": 7}}]}\n\n',
     b'data: {"choices": [{"delta": {"tool_calls": [7]}}]}\n\n', b"data: 1\ndata: 2\n\n"],
)  # fmt: skip
def test_invalid_stream_is_broken(garbage: bytes) -> None:
    assert outcome(stream(says("Hi")[:2]) + garbage)[0] == TextDelta(text="Hi")
    with pytest.raises(ModelBroken, match="The model's server sent"):
        read(garbage)


@pytest.mark.parametrize("endless", [b"data: " + b"x" * 1000, b"data: x\n", b"data:\n"])
def test_endless_event_is_broken(endless: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_EVENT_BYTES", 10_000)

    with pytest.raises(ModelBroken, match="without an end"):
        read(*[endless] * 10_001)


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        ({"error": {"type": "server_error", "message": "private"}}, ModelUnavailable),
        ({"error": {"code": 503, "message": "private"}}, ModelUnavailable),
        ({"object": "error", "message": "private", "code": "429"}, ModelUnavailable),
        ({"error": {"code": "content_filter"}}, ModelRefused),
        ({"error": {"type": "invalid_request_error", "message": "private"}}, ModelBroken),
        ({"error": {"code": "private words"}}, ModelBroken),
        ({"error": "private"}, ModelBroken),
    ],
)
def test_error_in_stream_is_raised_without_its_message(error: object, raised: type[ModelError]) -> None:
    with pytest.raises(raised) as told:
        read(stream(says("Hi")[:2]) + event(error))

    assert "private" not in str(told.value)


def test_answer_that_was_not_streamed_is_read() -> None:
    message = {"content": "Hi", "tool_calls": [wants("f", "x")]}
    body = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1}}

    assert list(ChatReader().read_whole(json.dumps(body).encode())) == [
        TextDelta(text="Hi"),
        ToolCall(id="x", name="f", arguments="{}"),
        Usage(input_tokens=1, output_tokens=0),
        ModelStopped(reason=StopReason.TOOL_CALLS),
    ]


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"choices": []}'])
def test_invalid_whole_answer_is_broken(body: bytes) -> None:
    with pytest.raises(ModelBroken):
        list(ChatReader().read_whole(body))


def test_consecutive_texts_are_joined_even_before_error() -> None:
    def events() -> Iterator[ModelEvent]:
        yield from (TextDelta(text="a"), TextDelta(text="b"), ToolCall(id="1", name="t", arguments="{}"))
        yield TextDelta(text="c")
        yield TextDelta(text="d")
        raise ModelBroken

    heard: list[ModelEvent] = []
    with pytest.raises(ModelBroken):
        heard.extend(joined(events()))
    assert heard == [TextDelta(text="ab"), ToolCall(id="1", name="t", arguments="{}"), TextDelta(text="cd")]
