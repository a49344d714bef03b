"""Traces as Langfuse's server receives them from the real SDK."""

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from opentelemetry import trace

from agents.adapters.base import ModelSize, SystemMessage, UserMessage
from agents.events import ToolCall, Usage
from agents.requests import RequestKind
from agents.telemetry.tracing.langfuse import LangfuseTracer, quiet
from agents.telemetry.turns import Generation, GenerationContent, ObservedTurn, ToolContent, ToolUse, TurnOutcome
from tests.agents.turns import STARTED, turn
from tests.langfuse_server.ingestion import Ingestion, ingestion

USER = uuid4()
BEGAN = int(STARTED.timestamp()) * 1_000_000_000
PATIENCE_S = 30


@pytest.fixture(autouse=True)
def _unsaid(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = logging.getLogger("opentelemetry")
    monkeypatch.setattr(theirs, "handlers", [])
    monkeypatch.setattr(theirs, "propagate", True)


@pytest.fixture
def taking() -> Iterator[Ingestion]:
    with ingestion() as server:
        yield server


def tracer_to(server: Ingestion, *, environment: str = "", release: str = "") -> LangfuseTracer:
    keys = {"public_key": server.public_key, "secret_key": server.secret_key}
    named = {"environment": environment, "release": release}
    return LangfuseTracer(host=server.url, **keys, **named, secret=b"secret of the tests", every_s=60)


def a_turn(*, content: bool = False) -> ObservedTurn:
    call = ToolCall(id="1", name="list_tasks", arguments='{"title": "quincunx"}')
    messages = (SystemMessage(text="Be kind."), UserMessage(text="What of the marmalade?"))
    return turn(
        USER,
        request_id="5b9f2a4e",
        generations=(
            Generation(
                model="large-1",
                size=ModelSize.LARGE,
                began_s=0.1,
                ended_s=0.9,
                ok=True,
                first_text_s=0.3,
                usage=Usage(input_tokens=310, output_tokens=42, cached_tokens=300),
                content=GenerationContent(messages=messages, text="Two jars.", calls=(call,)) if content else None,
            ),
        ),
        tools=(
            ToolUse(
                tool="list_tasks",
                ok=False,
                began_s=0.5,
                ended_s=0.75,
                content=ToolContent(arguments=call.arguments, result="Row: gooseberry") if content else None,
            ),
        ),
    )


async def test_a_turn_is_a_trace_of_generations_and_tools(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(a_turn())
    await send.aclose(PATIENCE_S)

    root, generation, tool = taking.spans
    assert {root.trace} == {generation.trace, tool.trace}
    assert (root.parent, generation.parent, tool.parent) == (b"", root.id, root.id)
    assert (root.name, root.start - BEGAN, root.end - BEGAN) == ("home turn", 0, 1_234_000_000)
    assert (generation.name, generation.start - BEGAN, generation.end - BEGAN) == ("large model", 10**8, 9 * 10**8)
    assert (tool.name, tool.start - BEGAN, tool.end - BEGAN) == ("list_tasks", 5 * 10**8, 75 * 10**7)
    common = {"langfuse.trace.name": "home", "user.id": send.pseudonym(USER)}
    meta = "langfuse.observation.metadata"
    assert root.attributes == common | {
        "langfuse.internal.is_app_root": True,
        "langfuse.observation.type": "span",
        f"{meta}.request_id": '"5b9f2a4e"',
        f"{meta}.kind": '"home"',
        f"{meta}.source": '"socket"',
        f"{meta}.agent": '"task_agent"',
        f"{meta}.outcome": '"done"',
        f"{meta}.first_text_ms": "300",
    }
    assert generation.attributes == common | {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "large-1",
        "langfuse.observation.usage_details": '{"input": 10, "output": 42, "input_cached_tokens": 300}',
        "langfuse.observation.completion_start_time": json.dumps((STARTED + timedelta(seconds=0.3)).isoformat()),
    }
    assert tool.attributes == common | {
        "langfuse.observation.type": "tool",
        "langfuse.observation.level": "WARNING",
        f"{meta}.ok": "false",
    }


async def test_what_a_user_cancels_is_no_failure(taking: Ingestion) -> None:
    send = tracer_to(taking)
    turn = a_turn()
    stopped = replace(turn.generations[0], ok=False, stopped=True)
    send(replace(turn, outcome=TurnOutcome.CANCELLED, generations=(stopped,), tools=()))
    await send.aclose(PATIENCE_S)

    messages = [span.attributes["langfuse.observation.status_message"] for span in taking.spans]
    assert messages == ["cancelled", "stopped"]
    assert not any("langfuse.observation.level" in span.attributes for span in taking.spans)


async def test_traces_name_the_environment_and_the_release(taking: Ingestion) -> None:
    send = tracer_to(taking, environment="staging", release="7")
    send(a_turn())
    await send.aclose(PATIENCE_S)

    named = {(span.attributes["langfuse.environment"], span.attributes["langfuse.release"]) for span in taking.spans}
    assert named == {("staging", "7")}


async def test_a_pseudonym_stands_for_the_user(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(a_turn())
    await send.aclose(PATIENCE_S)
    sent = b"".join(taking.bodies)
    assert [form for form in (str(USER), USER.hex) if form.encode() in sent] == []
    assert USER.bytes not in sent
    assert send.pseudonym(USER) == send.pseudonym(USER) != send.pseudonym(uuid4())


async def test_content_goes_along_when_it_was_kept(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(a_turn(content=True))
    await send.aclose(PATIENCE_S)

    root, generation, tool = taking.spans
    put, out = "langfuse.observation.input", "langfuse.observation.output"
    assert (root.attributes[put], root.attributes[out]) == ("What of the marmalade?", "Two jars.")
    assert [said["role"] for said in json.loads(str(generation.attributes[put]))] == ["system", "user"]
    assert json.loads(str(generation.attributes[out]))["tool_calls"][0]["name"] == "list_tasks"
    assert (tool.attributes[put], tool.attributes[out]) == ('{"title": "quincunx"}', "Row: gooseberry")


async def test_a_turn_that_ended_badly_says_so(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(turn(USER, kind=RequestKind.JOB, outcome=TurnOutcome.ERROR, error_code="model_error"))
    await send.aclose(PATIENCE_S)
    [root] = taking.spans
    assert root.name == "job turn"
    assert root.attributes["langfuse.observation.level"] == "ERROR"
    assert root.attributes["langfuse.observation.status_message"] == "model_error"


async def test_nothing_of_the_process_is_taken_over(taking: Ingestion) -> None:
    before = trace.get_tracer_provider()
    send = tracer_to(taking)
    with trace.get_tracer("another library").start_as_current_span("another's"):
        send(turn(USER))
    await send.aclose(PATIENCE_S)
    assert trace.get_tracer_provider() is before
    [root] = taking.spans
    assert (root.name, root.parent) == ("home turn", b"")


async def test_a_server_that_refuses_is_warned_of_once(taking: Ingestion, caplog: pytest.LogCaptureFixture) -> None:
    taking.status = 400
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            send = tracer_to(taking)
            send(a_turn())
            await send.aclose(PATIENCE_S)
    assert len(taking.bodies) == 2
    assert [entry for entry in caplog.messages if "Langfuse" in entry] == [
        "traces could not be sent to Langfuse; some are lost"
    ]
    assert not logging.getLogger("opentelemetry").propagate


async def test_a_server_that_does_not_answer_blocks_no_caller(taking: Ingestion) -> None:
    taking.answering.clear()
    send = tracer_to(taking)
    for _ in range(5000):
        send(turn(USER))
    before = threading.enumerate()
    await send.aclose(0.05)
    begun = [thread for thread in threading.enumerate() if thread not in before]
    [sending] = [thread for thread in begun if thread.name == "sending the last traces"]

    taking.answering.set()
    await asyncio.to_thread(sending.join, PATIENCE_S)


def test_a_library_is_heard_once_a_minute_and_never_in_its_own_words(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    theirs = logging.getLogger("tests.chatty.part")
    for _ in range(2):
        quiet("tests.chatty", "it does not work", clock=lambda: now)
    for now in (0.0, 1.0, 59.9, 60.0, 61.0):  # noqa: B007 - the clock reads it
        theirs.error("I was sending %s", "quincunx")
        theirs.info("hello")
    said = [entry.message for entry in caplog.records if entry.name == "agents.telemetry.tracing.langfuse"]
    assert said == ["it does not work"] * 2
