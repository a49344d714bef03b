"""Traces as an OTLP receiver gets them, and failures to send them."""

import asyncio
import json
import logging
import threading
from dataclasses import replace

import pytest
from opentelemetry import trace
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from agents.adapters.base import PromptUse
from agents.requests import RequestKind
from agents.telemetry.tracing.export import OtlpEndpoint, TurnTracer, quiet
from agents.telemetry.tracing.genai import GenAiConvention
from agents.telemetry.turns import TurnOutcome
from tests.agents.telemetry.tracing.conftest import BEGAN, PATIENCE_S, USER, a_turn
from tests.agents.turns import turn
from tests.langfuse_server.ingestion import PATH, Ingestion


def tracer_to(server: Ingestion) -> TurnTracer:
    server.credentials = "api-key=abc"
    endpoint = OtlpEndpoint(url=f"{server.url}{PATH}", headers={"authorization": server.credentials})
    return TurnTracer(endpoint, GenAiConvention(), secret=b"secret of the tests", every_s=60)


async def test_turn_is_agent_span_with_model_and_tool_spans(taking: Ingestion) -> None:
    send, observed = tracer_to(taking), a_turn()
    [generation] = observed.generations
    prompt = PromptUse(name="home_system", origin="override", version=3)
    send(
        replace(
            observed,
            origin=replace(observed.origin, session_id="garden"),
            generations=(replace(generation, provider="openai", prompt=prompt),),
        )
    )
    await send.aclose(PATIENCE_S)

    root, model, tool = taking.spans
    assert {root.trace} == {model.trace, tool.trace}
    assert (root.parent, model.parent, tool.parent) == (b"", root.id, root.id)
    assert [(span.name, span.kind, span.failed) for span in taking.spans] == [
        ("invoke_agent task_agent", Span.SPAN_KIND_INTERNAL, False),
        ("chat large-1", Span.SPAN_KIND_CLIENT, False),
        ("execute_tool list_tasks", Span.SPAN_KIND_INTERNAL, True),
    ]
    assert (model.start - BEGAN, model.end - BEGAN) == (10**8, 9 * 10**8)
    who = {
        "enduser.pseudo.id": send.pseudonym(USER),
        "gen_ai.conversation.id": send.pseudonym(USER, "garden"),
    }
    used = {
        "gen_ai.usage.input_tokens": 310,
        "gen_ai.usage.output_tokens": 42,
        "gen_ai.usage.cache_read.input_tokens": 300,
    }
    assert root.attributes == {
        **who,
        **used,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "task_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "large-1",
        "adiuva.request.id": "5b9f2a4e",
        "adiuva.turn.kind": "home",
        "adiuva.turn.source": "socket",
        "adiuva.turn.outcome": "done",
        "adiuva.turn.time_to_first_text": 0.3,
    }
    assert model.attributes == {
        **who,
        **used,
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "large-1",
        "gen_ai.request.stream": True,
        "gen_ai.response.time_to_first_chunk": pytest.approx(0.2),
        "gen_ai.prompt.name": "home_system",
        "adiuva.prompt.origin": "override",
        "adiuva.prompt.version": 3,
    }
    assert tool.attributes == {
        **who,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "list_tasks",
        "gen_ai.tool.type": "function",
        "error.type": "_OTHER",
    }


async def test_recorded_content_is_exported_as_messages_of_parts(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(a_turn(content=True))
    await send.aclose(PATIENCE_S)

    _, model, tool = taking.spans
    messages = {
        name: json.loads(str(model.attributes[f"gen_ai.{name}"]))
        for name in ("system_instructions", "input.messages", "output.messages")
    }
    called = {"type": "tool_call", "id": "1", "name": "list_tasks", "arguments": '{"title": "quincunx"}'}
    assert messages == {
        "system_instructions": [{"type": "text", "content": "Be kind."}],
        "input.messages": [{"role": "user", "parts": [{"type": "text", "content": "What of the marmalade?"}]}],
        "output.messages": [
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": "Two jars."}, called],
                "finish_reason": "tool_call",
            }
        ],
    }
    assert tool.attributes["gen_ai.tool.call.arguments"] == '{"title": "quincunx"}'
    assert tool.attributes["gen_ai.tool.call.result"] == "Row: gooseberry"


async def test_interrupted_answer_has_finish_reason_error(taking: Ingestion) -> None:
    send, observed = tracer_to(taking), a_turn(content=True)
    [whole] = observed.generations
    send(replace(observed, generations=(replace(whole, ok=False),), tools=()))
    await send.aclose(PATIENCE_S)
    [answer] = json.loads(str(taking.spans[1].attributes["gen_ai.output.messages"]))
    assert answer["finish_reason"] == "error"


async def test_no_content_is_exported_unless_recorded(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(a_turn())
    await send.aclose(PATIENCE_S)
    sent = b"".join(taking.bodies)
    words = ("kind.", "marmalade", "jars", "quincunx", "gooseberry", str(USER))
    assert [word for word in words if word.encode() in sent] == []


@pytest.mark.parametrize(
    ("outcome", "code", "failed", "error"),
    [
        (TurnOutcome.ERROR, "model_error", True, "model_error"),
        (TurnOutcome.ERROR, "", True, "_OTHER"),
        (TurnOutcome.CANCELLED, "", False, None),
    ],
)
async def test_error_has_its_code_and_cancellation_is_no_error(
    taking: Ingestion, outcome: TurnOutcome, code: str, failed: bool, error: str | None
) -> None:
    send = tracer_to(taking)
    send(replace(turn(USER, kind=RequestKind.JOB, outcome=outcome, error_code=code), agent=""))
    await send.aclose(PATIENCE_S)
    [root] = taking.spans
    assert (root.name, root.failed, root.attributes.get("error.type")) == ("job turn", failed, error)
    assert "gen_ai.operation.name" not in root.attributes


async def test_failed_model_request_is_an_error_and_stopped_one_is_not(taking: Ingestion) -> None:
    send, observed = tracer_to(taking), a_turn()
    [whole] = observed.generations
    broken, stopped = replace(whole, ok=False), replace(whole, ok=False, stopped=True)
    send(replace(observed, generations=(broken, stopped), tools=()))
    await send.aclose(PATIENCE_S)
    assert [span.failed for span in taking.spans] == [False, True, False]


async def test_global_tracer_provider_and_current_span_are_not_used(taking: Ingestion) -> None:
    before = trace.get_tracer_provider()
    send = tracer_to(taking)
    with trace.get_tracer("another library").start_as_current_span("another's"):
        send(turn(USER))
    await send.aclose(PATIENCE_S)
    assert trace.get_tracer_provider() is before
    [root] = taking.spans
    assert (root.name, root.parent) == ("invoke_agent task_agent", b"")


async def test_refusing_server_is_warned_of_once(taking: Ingestion, caplog: pytest.LogCaptureFixture) -> None:
    taking.status = 400
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            send = tracer_to(taking)
            send(a_turn())
            await send.aclose(PATIENCE_S)
    assert len(taking.bodies) == 2
    assert [entry for entry in caplog.messages if "traces" in entry] == ["traces could not be sent; some are lost"]
    assert not logging.getLogger("opentelemetry").propagate


async def test_unresponsive_server_blocks_no_caller(taking: Ingestion) -> None:
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


def test_logs_of_library_are_replaced_and_limited_to_one_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    theirs = logging.getLogger("tests.chatty.part")
    for _ in range(2):
        quiet("tests.chatty", "it does not work", clock=lambda: now)
    for now in (0.0, 1.0, 59.9, 60.0, 61.0):  # noqa: B007 - the clock reads it
        theirs.error("I was sending %s", "quincunx")
        theirs.info("hello")
    said = [entry.message for entry in caplog.records if entry.name == "agents.telemetry.tracing.export"]
    assert said == ["it does not work"] * 2
