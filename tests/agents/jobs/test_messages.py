import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.jobs.queue import MAX_BODY_BYTES, MalformedMessage, Message, ToolExecution, ToolResult, decode, encode

JOB = uuid.UUID("7d0f7c5e-9a43-4c1b-8f51-0d3a8a0f7f21")

executions = st.builds(ToolExecution, job_id=st.uuids())
results = st.builds(ToolResult, job_id=st.uuids())


@given(message=executions | results)
def test_encoded_message_is_decoded_unchanged(message: Message) -> None:
    assert decode(type(message), encode(message)) == message


@given(body=st.binary(max_size=100) | st.text(max_size=20).map(lambda text: json.dumps({"job_id": text}).encode()))
def test_arbitrary_body_is_malformed(body: bytes) -> None:
    for kind in (ToolExecution, ToolResult):
        with pytest.raises(MalformedMessage):
            decode(kind, body)


@pytest.mark.parametrize("kind", [ToolExecution, ToolResult])
def test_body_contains_only_job_id(kind: type[Message]) -> None:
    assert json.loads(encode(kind(job_id=JOB))) == {"job_id": str(JOB)}


@pytest.mark.parametrize("kind", [ToolExecution, ToolResult])
def test_unknown_fields_are_ignored(kind: type[Message]) -> None:
    assert decode(kind, json.dumps({"job_id": str(JOB), "session_id": "s"}).encode()) == kind(job_id=JOB)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({}, id="a field is missing"),
        pytest.param({"job_id": 7}, id="a wrong type"),
        pytest.param({"job_id": None}, id="nothing"),
        pytest.param({"job_id": "seven"}, id="no id"),
        pytest.param([str(JOB)], id="no object"),
        pytest.param(str(JOB), id="only an id"),
    ],
)
def test_json_of_other_shape_is_malformed(body: object) -> None:
    with pytest.raises(MalformedMessage):
        decode(ToolExecution, json.dumps(body).encode())


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * MAX_BODY_BYTES, b'{"job_id":NaN}'])
def test_invalid_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode(ToolExecution, body)


def test_body_length_is_limited() -> None:
    body = encode(ToolExecution(job_id=JOB)).ljust(MAX_BODY_BYTES)
    assert decode(ToolExecution, body) == ToolExecution(job_id=JOB)

    with pytest.raises(MalformedMessage):
        decode(ToolExecution, body + b" ")


def test_error_does_not_quote_body() -> None:
    with pytest.raises(MalformedMessage) as caught:
        decode(ToolExecution, b'{"job_id": "roses"}')

    assert "roses" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ is True
