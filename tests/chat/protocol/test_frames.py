import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from agents.calls import CallAction
from chat.protocol.frames import client, server
from chat.protocol.frames.client import ClientFrame, DeviceHello, HomeRequest, Ping, PopupRequest, ToolResult
from chat.protocol.frames.codec import CLIENT_FRAMES, SERVER_FRAMES, encode, parse
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import Problem, StreamText, ToolCallFrame
from chat.protocol.frames.vocabulary import ErrorCode
from tests.chat.protocol.test_protocol_document import models

REQUEST_ID = "0e6b8a3c-1f2d-4c5b-9a7e-3d2c1b0a9f8e"


def types_of(schema: dict[str, object]) -> list[str]:
    discriminator = schema["discriminator"]
    assert isinstance(discriminator, dict)
    return sorted(discriminator["mapping"])


@pytest.mark.contracts
def test_the_unions_hold_every_frame_of_the_protocol() -> None:
    assert types_of(CLIENT_FRAMES.json_schema()) == sorted(models(client))
    assert types_of(SERVER_FRAMES.json_schema()) == sorted(models(server))


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ('{"type":"ping"}', Ping()),
        ('{"type":"device_hello","device_id":"d","later":1}', DeviceHello(device_id="d")),
        (
            f'{{"type":"home_request","message":"hi","request_id":"{REQUEST_ID}"}}',
            HomeRequest(message="hi", request_id=REQUEST_ID),
        ),
        ('{"type":"tool_result","id":"1","row":null}', ToolResult(id="1", row=None)),
        ('{"type":"tool_result","id":"1","rows":[{"a":[1,null]}]}', ToolResult(id="1", rows=[{"a": [1, None]}])),
    ],
)
def test_a_right_frame_becomes_its_value(text: str, frame: ClientFrame) -> None:
    assert parse(text) == frame


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nope",
        "[]",
        "null",
        "7",
        '"home_request"',
        "{}",
        '{"type":7}',
        '{"type":null}',
        '{"type":["ping"]}',
        "[" * 10_000,
        '{"type":"ping","x":' + '{"a":' * 10_000 + "1" + "}" * 10_001,
        '{"type":"ping"',
        '{"type":"ping","x":' + "1" * 5000 + "}",
    ],
)
def test_what_is_no_frame_is_bad(text: str) -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse(text)

    assert rejected.value.code is ErrorCode.BAD_FRAME


@pytest.mark.parametrize("kind", ["floating_request", "tool_call", "PING", "ping "])
def test_an_unknown_type_is_named_so(kind: str) -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse(json.dumps({"type": kind, "request_id": "mine"}))

    assert (rejected.value.code, rejected.value.request_id) == (ErrorCode.UNKNOWN_TYPE, "mine")


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        ({"type": "home_request"}, Problem(field="message", problem="Field required")),
        (
            {"type": "home_request", "message": ""},
            Problem(field="message", problem="String should have at least 1 character"),
        ),
        (
            {"type": "popup_request", "message": "hi", "scope": {"type": "moon"}},
            Problem(
                field="scope.type",
                problem="Input should be 'task', 'tasks', 'project', 'projects', 'checkpoint', 'checkpoints', "
                "'timeline', 'note' or 'notes'",
            ),
        ),
        (
            {"type": "tool_result", "id": "1", "row": {}, "ok": True},
            Problem(field="", problem="give exactly one of row, rows, results, deleted, ok, undo or error"),
        ),
        (
            {"type": "tool_result", "id": "1", "ok": None},
            Problem(field="", problem="only row may be null"),
        ),
        (
            {"type": "approval_response", "id": "1", "approved": "yes"},
            Problem(field="approved", problem="Input should be a valid boolean"),
        ),
        (
            {"type": "brief_request", "date": "2026-13-01"},
            Problem(field="date", problem="month must be in 1..12"),
        ),
        (
            {"type": "contextual_scope_update", "session_id": "s", "scope": {"page": "tasks", "entityType": "task"}},
            Problem(field="scope.entityType", problem="Input should be null"),
        ),
        (
            {
                "type": "contextual_scope_update",
                "session_id": "s",
                "scope": {
                    "page": "project",
                    "entityType": "project",
                    "entityId": "p1",
                    "entityName": "Garden",
                    "counts": {"tasks": 1, "notes": -1, "milestones": 0},
                },
            },
            Problem(field="scope.counts.notes", problem="Input should be greater than or equal to 0"),
        ),
        (
            {"type": "tool_result", "id": "1", "rows": [{}, "no row"]},
            Problem(field="rows.1", problem="Input should be an object"),
        ),
        (
            {"type": "contextual_scope_update", "session_id": "s", "scope": {"page": "moon"}},
            Problem(
                field="scope",
                problem="Input tag 'moon' found using 'page' does not match any of the expected tags: "
                "'timeline', 'tasks', 'projects-list', 'notes-list', 'project', 'note'",
            ),
        ),
    ],
)
def test_wrong_fields_are_listed(frame: dict[str, object], problem: Problem) -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse(json.dumps(frame))

    assert (rejected.value.code, rejected.value.details) == (ErrorCode.INVALID, [problem])
    assert rejected.value.call_id == frame.get("id")


def test_a_request_id_is_a_uuid() -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse('{"type":"cancel_request","request_id":"7"}')

    assert (rejected.value.code, rejected.value.request_id) == (ErrorCode.INVALID, "7")


def test_absent_fields_are_left_out_and_nulls_inside_data_stay() -> None:
    frame = ToolCallFrame(
        id="1",
        request_id=REQUEST_ID,
        action=CallAction.UPDATE,
        table="tasks",
        data={"id": "t", "updates": {"dueDate": None}},
    )
    assert json.loads(encode(frame)) == {
        "type": "tool_call",
        "id": "1",
        "request_id": REQUEST_ID,
        "action": "update",
        "table": "tasks",
        "data": {"id": "t", "updates": {"dueDate": None}},
    }


@given(st.text(st.characters(codec="utf-8")), st.integers(0, 2**53))
def test_what_is_encoded_reads_back(chunk: str, seq: int) -> None:
    frame = StreamText(request_id=REQUEST_ID, chunk=chunk, seq=seq)

    assert SERVER_FRAMES.validate_json(encode(frame)) == frame


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_json_is_a_frame_or_rejected(value: object) -> None:
    with suppress(FrameRejected):
        parse(json.dumps(value))


def test_scopes_of_the_popup_are_values() -> None:
    frame = parse('{"type":"popup_request","message":"hi","scope":{"type":"task","id":"t1"}}')

    assert isinstance(frame, PopupRequest)
    assert (frame.scope.type.value, frame.scope.id) == ("task", "t1")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"\ud83c", "\ufffd"),
        (r"\udf55", "\ufffd"),
        (r"\uD83C\uDF55", "🍕"),
        (r"\udf55\ud83c", "\ufffd\ufffd"),
        (r"\ud83c\ud83c\udf55", "\ufffd🍕"),
        (r"\\ud83c", r"\ud83c"),
        (r"\\\ud83c", "\\\ufffd"),
        (r"\u00e8 \" \ud83c.", 'è " \ufffd.'),
    ],
)
def test_half_a_surrogate_pair_is_replaced(written: str, read: str) -> None:
    assert parse(f'{{"type":"tool_result","id":"1","row":{{"title":"{written}"}}}}') == ToolResult(
        id="1", row={"title": read}
    )


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("NaN", None),
        ("-Infinity", None),
        ("1e999", None),
        pytest.param("2" * 210 + "e99", None, id="210 digits and an exponent of two"),
        ("-2E+308", None),
        (f"1{'0' * 400}.5", None),
        ("[ 1.5, 12.5e400]", [1.5, None]),
        ("1e-999", 0.0),
        ("1e308", 1e308),
        (f"1{'0' * 400}", 10**400),
        (r'": NaN, 1e999 \\ \" \ud83c"', ': NaN, 1e999 \\ " \ufffd'),
    ],
)
def test_a_number_that_is_not_finite_is_null(written: str, read: JsonValue) -> None:
    assert parse(f'{{"type":"tool_result","id":"1","row":{{"date":{written}}}}}') == ToolResult(
        id="1", row={"date": read}
    )


def request(**fields: object) -> str:
    return json.dumps({"type": "home_request", "message": "hi", "request_id": REQUEST_ID, **fields})


@pytest.mark.parametrize(
    "text",
    [
        request(conversation_history=[0] * 20_000),
        request(conversation_history=[{}] * 10_000),
        request(unknown=[{}] * 10_000),
        request(unknown=dict.fromkeys(map(str, range(20_000)))),
        request(unknown='"type":"tool_result"', conversation_history=[0] * 50_000),
        '{"type":"chat_request","message":"x","context":{"a":[' + ",".join(["{}"] * 20_000) + "]}}",
        '{"type":[[' + ",".join(["0"] * 20_000) + "]]}",
    ],
    ids=["numbers", "objects", "unknown", "members", "disguised", "context", "type"],
)
def test_a_request_of_too_many_values_is_too_large(text: str) -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse(text)

    assert rejected.value.code is ErrorCode.TOO_LARGE


def test_a_request_that_is_too_large_keeps_its_id() -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse(request(message="x" * 300_000))

    assert (rejected.value.code, rejected.value.request_id) == (ErrorCode.TOO_LARGE, REQUEST_ID)


@pytest.mark.parametrize(
    "rows", [[0] * 200_001, [{}] * 100_001, [{"x": [1] * 200_001}]], ids=["numbers", "rows", "one"]
)
def test_an_answer_of_too_many_values_is_too_large_and_names_its_call(rows: list[object]) -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse(json.dumps({"type": "tool_result", "id": "call-7", "rows": rows}))

    assert (rejected.value.code, rejected.value.call_id) == (ErrorCode.TOO_LARGE, "call-7")


def test_commas_and_brackets_in_texts_are_no_values() -> None:
    text = 'a, b, [c], {d}, "e", \\' * 20_000
    frame = {"type": "tool_result", "id": "1", "row": {"content": text}}
    assert parse(json.dumps(frame)) == ToolResult(id="1", row={"content": text})
    with pytest.raises(FrameRejected) as rejected:
        parse(request(conversation_history=[{"role": "user", "content": text}]))
    assert rejected.value.code is ErrorCode.TOO_LARGE
    message = 'a, b, [c], {d}, "e" ' * 5_000
    assert parse(request(message=message)) == HomeRequest(message=message, request_id=REQUEST_ID)


@pytest.mark.parametrize("wrong", [[0] * 5_000, [{}] * 5_000])
def test_validation_stops_at_the_first_wrong_element(wrong: list[object]) -> None:
    with pytest.raises(FrameRejected) as rejected:
        parse(request(conversation_history=wrong))

    assert rejected.value.code is ErrorCode.INVALID
    assert {problem.field.split(".")[1] for problem in rejected.value.details or ()} == {"0"}
