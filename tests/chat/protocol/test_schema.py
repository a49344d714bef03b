import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import path
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from rest_framework.test import APIClient

from agents.calls import CallAction
from agents.scopes import NoteScope, ProjectCounts, ProjectScope
from agents.tools.spec import Risk
from chat.formatters.blocks import BlockType
from chat.protocol.frames import client, server
from chat.protocol.frames.codec import CLIENT_FRAMES, encode
from chat.protocol.frames.vocabulary import ErrorCode, FinishReason, JobState, TurnKind
from chat.protocol.schema import asyncapi, frame_definitions, frames_of, json_schema
from chat.rest.api import AsyncapiView, FrameSchemaView

SCHEMA, ASYNCAPI = "/api/v1/ws/schema.json", "/api/v1/ws/asyncapi.json"
ID = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"
VALIDATOR = Draft202012Validator(json_schema())
urlpatterns = [
    path("api/v1/ws/schema.json", FrameSchemaView.as_view()),
    path("api/v1/ws/asyncapi.json", AsyncapiView.as_view()),
]
pytestmark = [pytest.mark.contracts, pytest.mark.urls(__name__)]

SERVER_EXAMPLES: list[server.ServerFrame] = [
    server.StreamStart(request_id=ID, kind=TurnKind.HOME, seq=0),
    server.StreamStart(request_id=ID, kind=TurnKind.HOME, session_id="s", seq=0),
    server.StreamBlock(request_id=ID, block_type=BlockType.TABLE, data={"headers": [], "rows": [[None]]}, seq=1),
    server.StreamEnd(
        request_id=ID,
        finish_reason=FinishReason.ERROR,
        mutations=[server.Mutation(action=CallAction.INSERT, table="tasks", id="t")],
        usage=server.TokenUsage(input_tokens=1, output_tokens=2),
        error=server.ErrorInfo(code=ErrorCode.MODEL_ERROR, message="m"),
        seq=2,
    ),
    server.ToolCallFrame(
        id="c", request_id=ID, action=CallAction.UPDATE, data={"id": "t", "updates": {"dueDate": None}}
    ),
    server.ApprovalRequest(
        id="a",
        request_id=ID,
        tool="delete_task",
        arguments={},
        summary="s",
        risk=Risk.DESTRUCTIVE,
        preview=server.Preview(before={"id": "t"}, after=None),
        expires_at=1,
    ),
    server.JobUpdate(job_id="j", request_id=ID, state=JobState.RUNNING, fraction=0.5),
    server.ErrorFrame(code=ErrorCode.INVALID, message="m", details=[server.Problem(field="f", problem="p")]),
    server.FinalFrame(response="r"),
    client.Ping(),
]
CLIENT_EXAMPLES: list[dict[str, object]] = [
    {"type": "device_hello", "device_id": "laptop"},
    {"type": "home_request", "message": "m", "request_id": None, "session_id": "s", "unknown": 1},
    {"type": "home_request", "message": "m", "conversation_history": [{"role": "user", "content": "c"}]},
    {"type": "popup_request", "message": "m", "scope": {"type": "note", "id": "n"}},
    {"type": "contextual_scope_update", "session_id": "s", "scope": {"page": "tasks", "entityType": None}},
    {"type": "tool_result", "id": "c", "rows": [{"id": "t", "dueDate": None}]},
    {"type": "resume_request", "request_id": ID, "after_seq": -1},
    {"type": "ping"},
]
ASKED = {
    "type": "approval_request",
    "id": "a",
    "request_id": ID,
    "tool": "delete_task",
    "arguments": {},
    "summary": "s",
    "risk": "destructive",
    "expires_at": 1,
}
NOT_FRAMES: list[dict[str, object]] = [
    {},
    {"message": "m"},
    {"type": "floating_request"},
    {"type": "home_request"},
    {"type": "home_request", "message": ""},
    {"type": "home_request", "message": 1},
    {"type": "home_request", "message": "m", "request_id": "7"},
    {"type": "contextual_scope_update", "session_id": "s", "scope": {"page": "desk"}},
    {"type": "resume_request", "request_id": ID, "after_seq": -2},
    {"type": "stream_text", "request_id": ID, "chunk": "c"},
    {"type": "stream_start", "request_id": ID, "kind": "home", "session_id": None, "seq": 0},
    {"type": "final", "response": "r"},
    {**ASKED, "preview": {"before": {"id": "t"}}},
    {**ASKED, "preview": None},
]


def references(value: object) -> Iterator[str]:
    """Every ``$ref`` in a document."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from references(item)


def resolved(document: Any, reference: str) -> Any:
    """The target of a reference within the document."""
    for step in reference.removeprefix("#/").split("/"):
        document = document[step.replace("~1", "/").replace("~0", "~")]
    return document


def test_the_schema_is_one_of_2020_12_and_names_both_unions() -> None:
    document: Any = json_schema()
    Draft202012Validator.check_schema(document)

    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (document["$id"], document["version"]) == ("urn:adiuva:socket-protocol:3", 3)
    assert {*document["$defs"]} >= {"ClientFrame", "ServerFrame", "DeviceHello", "StreamText"}
    for reference in references(document):
        assert resolved(document, reference) is not None


def test_any_value_is_described_in_place() -> None:
    """Generators would wrap each value in a type of its own if it had a name."""
    definitions = frame_definitions("{model}")
    assert definitions["ToolCallFrame"]["properties"]["data"] == {"type": "object", "additionalProperties": True}
    assert [name for name, schema in definitions.items() if not schema] == []


def test_every_frame_is_in_its_union() -> None:
    definitions: Any = json_schema()["$defs"]
    for union, module in (("ClientFrame", client), ("ServerFrame", server)):
        declared = {
            value.model_fields["type"].default: value.__name__
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, BaseModel) and "type" in value.model_fields
        }
        assert frames_of(definitions, union) == declared


def test_the_schema_is_the_same_each_time_and_in_order() -> None:
    assert json.dumps(json_schema()) == json.dumps(json_schema())
    assert list(frame_definitions("{model}")) == sorted(frame_definitions("{model}"))


@pytest.mark.parametrize("frame", SERVER_EXAMPLES, ids=lambda frame: frame.type)
def test_what_the_server_writes_fits_the_schema(frame: server.ServerFrame) -> None:
    VALIDATOR.validate(json.loads(encode(frame)))


@pytest.mark.parametrize("frame", CLIENT_EXAMPLES, ids=lambda frame: str(frame["type"]))
def test_what_the_server_reads_fits_the_schema(frame: dict[str, object]) -> None:
    CLIENT_FRAMES.validate_json(json.dumps(frame))
    VALIDATOR.validate(frame)


@pytest.mark.parametrize("frame", NOT_FRAMES, ids=json.dumps)
def test_what_is_no_frame_does_not_fit_the_schema(frame: dict[str, object]) -> None:
    assert not VALIDATOR.is_valid(frame)


def test_a_preview_says_null_where_there_is_no_row_and_is_left_out_where_it_is_absent() -> None:
    VALIDATOR.validate(ASKED)
    VALIDATOR.validate({**ASKED, "preview": {"before": None, "after": {"title": None}}})
    asked = server.ApprovalRequest.model_validate({**ASKED, "risk": Risk.DESTRUCTIVE})
    inserted = asked.model_copy(update={"preview": server.Preview(before=None, after={"title": None})})

    assert json.loads(encode(asked)) == ASKED
    assert json.loads(encode(inserted)) == {**ASKED, "preview": {"before": None, "after": {"title": None}}}


def test_scopes_fit_the_schema_as_they_are_written() -> None:
    project = ProjectScope(
        page="project",
        entityType="project",
        entityId="p",
        entityName="n",
        counts=ProjectCounts(tasks=1, notes=0, milestones=0),
    )
    note = NoteScope(page="note", entityType="note", entityId="n", entityName="n", projectId=None, charCount=0)
    for scope in (project, note):
        frame = client.ContextualScopeUpdate(session_id="s", scope=scope)
        VALIDATOR.validate(json.loads(frame.model_dump_json()))


def test_asyncapi_names_every_frame_in_the_direction_it_goes() -> None:
    document: Any = asyncapi()
    definitions: Any = json_schema()["$defs"]

    assert document["asyncapi"] == "3.0.0"
    assert document["channels"]["device"]["address"] == "/api/v1/ws/device"
    for operation, union in (("receiveFromDevice", "ClientFrame"), ("sendToDevice", "ServerFrame")):
        messages = [resolved(document, message["$ref"]) for message in document["operations"][operation]["messages"]]
        payloads = {
            resolved(document, message["$ref"])["name"]: resolved(document, message["$ref"])["payload"]["$ref"]
            for message in messages
        }
        assert payloads == {
            kind: f"#/components/schemas/{name}" for kind, name in frames_of(definitions, union).items()
        }
    assert [document["operations"][name]["action"] for name in ("receiveFromDevice", "sendToDevice")] == [
        "receive",
        "send",
    ]


def test_asyncapi_holds_together() -> None:
    document: Any = asyncapi()
    for reference in references(document):
        assert resolved(document, reference) is not None
    assert "discriminator" not in json.dumps(document)
    assert {*document["components"]["securitySchemes"]} == {"accessToken", "subprotocol"}


@pytest.mark.parametrize(("address", "made"), [(SCHEMA, json_schema), (ASYNCAPI, asyncapi)])
def test_documents_are_open_to_everybody_and_may_be_kept(address: str, made: Any) -> None:
    answer = APIClient().get(address, HTTP_AUTHORIZATION="Bearer nonsense")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer["Cache-Control"] == "public, max-age=300"
    assert json.loads(answer.content) == made()

    again = APIClient().get(address, HTTP_IF_NONE_MATCH=answer["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", answer["ETag"])
    assert APIClient().get(address, HTTP_IF_NONE_MATCH='"other"').status_code == 200
    assert APIClient().post(address).status_code == 405
