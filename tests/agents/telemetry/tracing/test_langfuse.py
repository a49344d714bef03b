"""Traces as Langfuse's server receives them."""

import json
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from agents.adapters.base import PromptUse
from agents.requests import RequestKind
from agents.telemetry.tracing.export import TurnTracer
from agents.telemetry.tracing.langfuse import LangfuseConvention, langfuse_endpoint
from agents.telemetry.turns import TurnOutcome
from tests.agents.telemetry.tracing.conftest import BEGAN, PATIENCE_S, USER, a_turn
from tests.agents.turns import STARTED, turn
from tests.langfuse_server.ingestion import Ingestion


def tracer_to(server: Ingestion, *, environment: str = "", release: str = "") -> TurnTracer:
    endpoint = langfuse_endpoint(host=server.url, public_key=server.public_key, secret_key=server.secret_key)
    convention = LangfuseConvention(environment=environment, release=release)
    return TurnTracer(endpoint, convention, secret=b"secret of the tests", every_s=60)


async def test_turn_is_trace_of_generations_and_tools(taking: Ingestion) -> None:
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


async def test_cancellation_by_user_is_no_failure(taking: Ingestion) -> None:
    send = tracer_to(taking)
    turn = a_turn()
    stopped = replace(turn.generations[0], ok=False, stopped=True)
    send(replace(turn, outcome=TurnOutcome.CANCELLED, generations=(stopped,), tools=()))
    await send.aclose(PATIENCE_S)

    messages = [span.attributes["langfuse.observation.status_message"] for span in taking.spans]
    assert messages == ["cancelled", "stopped"]
    assert not any("langfuse.observation.level" in span.attributes for span in taking.spans)


async def test_traces_have_environment_and_release(taking: Ingestion) -> None:
    send = tracer_to(taking, environment="staging", release="7")
    send(a_turn())
    await send.aclose(PATIENCE_S)

    named = {(span.attributes["langfuse.environment"], span.attributes["langfuse.release"]) for span in taking.spans}
    assert named == {("staging", "7")}


async def test_user_is_identified_by_pseudonym(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(a_turn())
    await send.aclose(PATIENCE_S)
    sent = b"".join(taking.bodies)
    assert [form for form in (str(USER), USER.hex) if form.encode() in sent] == []
    assert USER.bytes not in sent
    assert send.pseudonym(USER) == send.pseudonym(USER) != send.pseudonym(uuid4())


async def test_recorded_content_is_exported(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(a_turn(content=True))
    await send.aclose(PATIENCE_S)

    root, generation, tool = taking.spans
    put, out = "langfuse.observation.input", "langfuse.observation.output"
    assert (root.attributes[put], root.attributes[out]) == ("What of the marmalade?", "Two jars.")
    assert [said["role"] for said in json.loads(str(generation.attributes[put]))] == ["system", "user"]
    assert json.loads(str(generation.attributes[out]))["tool_calls"][0]["name"] == "list_tasks"
    assert (tool.attributes[put], tool.attributes[out]) == ('{"title": "quincunx"}', "Row: gooseberry")


async def test_failed_turn_has_level_and_message(taking: Ingestion) -> None:
    send = tracer_to(taking)
    send(turn(USER, kind=RequestKind.JOB, outcome=TurnOutcome.ERROR, error_code="model_error"))
    await send.aclose(PATIENCE_S)
    [root] = taking.spans
    assert root.name == "job turn"
    assert root.attributes["langfuse.observation.level"] == "ERROR"
    assert root.attributes["langfuse.observation.status_message"] == "model_error"


async def test_generations_have_prompt_name_and_version(taking: Ingestion) -> None:
    send = tracer_to(taking)
    [first] = a_turn().generations
    uses = [
        PromptUse(name="home_system", origin=origin, version=version)
        for origin, version in (("langfuse", 12), ("override", 3), ("builtin", None))
    ]
    send(replace(a_turn(), tools=(), generations=tuple(replace(first, prompt=use) for use in uses)))
    await send.aclose(PATIENCE_S)

    told = [
        {
            name.removeprefix("langfuse.observation."): value
            for name, value in span.attributes.items()
            if "prompt" in name
        }
        for span in taking.spans[1:]
    ]
    named = {"metadata.prompt": '"home_system"'}
    assert told == [
        # The first two link the generation to the version in Langfuse, which has no others.
        {
            "prompt.name": "home_system",
            "prompt.version": 12,
            **named,
            "metadata.prompt_origin": '"langfuse"',
            "metadata.prompt_version": "12",
        },
        {**named, "metadata.prompt_origin": '"override"', "metadata.prompt_version": "3"},
        {**named, "metadata.prompt_origin": '"builtin"'},
    ]


async def test_turns_of_conversation_share_its_pseudonym(taking: Ingestion) -> None:
    send = tracer_to(taking)
    origin = a_turn().origin
    for session_id, user_id in (("garden", USER), ("garden", USER), ("house", USER), ("garden", uuid4()), ("", USER)):
        send(
            replace(a_turn(), origin=replace(origin, session_id=session_id, user_id=user_id), tools=(), generations=())
        )
    await send.aclose(PATIENCE_S)

    first, again, other, anothers, none = (span.attributes.get("session.id") for span in taking.spans)
    assert first == again
    assert len({first, other, anothers}) == 3
    assert none is None
    assert b"garden" not in b"".join(taking.bodies)
