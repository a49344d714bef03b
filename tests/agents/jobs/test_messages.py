import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.jobs.queue import LONGEST_BODY, MalformedMessage, Message, ToolExecution, ToolResult, decode, encode

JOB = uuid.UUID("7d0f7c5e-9a43-4c1b-8f51-0d3a8a0f7f21")

executions = st.builds(ToolExecution, job_id=st.uuids())
results = st.builds(ToolResult, job_id=st.uuids())


@given(message=executions | results)
def test_a_message_comes_out_as_it_went_in(message: Message) -> None:
    assert decode(type(message), encode(message)) == message


@given(body=st.binary(max_size=100) | st.text(max_size=20).map(lambda text: json.dumps({"job_id": text}).encode()))
def test_any_other_body_is_malformed(body: bytes) -> None:
    for kind in (ToolExecution, ToolResult):
        with pytest.raises(MalformedMessage):
            decode(kind, body)


@pytest.mark.parametrize("kind", [ToolExecution, ToolResult])
def test_a_body_has_nothing_but_the_id(kind: type[Message]) -> None:
    assert json.loads(encode(kind(job_id=JOB))) == {"job_id": str(JOB)}


@pytest.mark.parametrize("kind", [ToolExecution, ToolResult])
def test_what_another_release_says_besides_is_passed_over(kind: type[Message]) -> None:
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
def test_other_json_is_malformed(body: object) -> None:
    with pytest.raises(MalformedMessage):
        decode(ToolExecution, json.dumps(body).encode())


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * LONGEST_BODY, b'{"job_id":NaN}'])
def test_what_is_no_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedMessage):
        decode(ToolExecution, body)


def test_a_body_may_be_as_long_as_allowed_and_not_longer() -> None:
    body = encode(ToolExecution(job_id=JOB)).ljust(LONGEST_BODY)
    assert decode(ToolExecution, body) == ToolExecution(job_id=JOB)

    with pytest.raises(MalformedMessage):
        decode(ToolExecution, body + b" ")


def test_the_error_repeats_nothing_of_the_body() -> None:
    with pytest.raises(MalformedMessage) as caught:
        decode(ToolExecution, b'{"job_id": "roses"}')

    assert "roses" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ is True
