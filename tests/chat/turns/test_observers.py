"""What observers receive of turns: over the socket and REST, for every way to end."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest

from agents.adapters.base import ModelAdapter
from agents.adapters.catalogue import SizedAdapter
from agents.engine.run import Requester
from agents.errors import ModelRefused
from agents.events import ModelEvent, Usage
from agents.permissions.approvals.service import AskedLater
from agents.telemetry.tracing.export import TurnTracer
from agents.telemetry.tracing.genai import GenAiConvention
from agents.telemetry.tracing.langfuse import LangfuseConvention, langfuse_endpoint
from agents.telemetry.turns import ObservedAdapter, ObservedTurn, Observers
from chat.rest.bodies import ChatQuestion
from chat.rest.turns import RestTurn
from tests.agents.scripts import Reply, Request, ScriptedAdapter, call, calls, says
from tests.chat.accounts import ALICE, grant
from tests.chat.sockets import WAIT_S, Frame, Server
from tests.chat.test_consumer import answer, home
from tests.langfuse_server.ingestion import ingestion

ALICES = Requester(user_id=ALICE, timezone=ZoneInfo("Europe/Rome"), language="en", asker=AskedLater())


def counted(reply: list[ModelEvent], tokens: int) -> list[ModelEvent]:
    return [*reply, Usage(input_tokens=tokens, output_tokens=1)]


def observed(*replies: Reply) -> ModelAdapter:
    """Two observed models, as a process has them, that give ``replies`` in order."""
    left: list[Reply | Callable[[Request], Reply]] = [*replies]
    large, small = (ObservedAdapter(ScriptedAdapter(left, name=name)) for name in ("large-1", "small-1"))
    return SizedAdapter(large, small)


def watched(*replies: Reply, keep_content: bool = False) -> tuple[Server, list[ObservedTurn]]:
    told: list[ObservedTurn] = []
    observers = Observers(listeners=(told.append,), keep_content=keep_content)
    server = Server(model=observed(*replies), observers=observers)
    return server, told


async def test_a_turn_is_reported_with_all_its_requests_and_tools() -> None:
    server, told = watched(
        counted(says('{"agent": "task_agent"}'), 10),
        counted(calls(call("list_tasks", "{}", id="1"), call("fly_to_marmalade", "{}", id="2")), 100),
        counted(says("Two ", "tasks."), 200),
    )
    async with server.device() as device:
        asked = home("What should I do about the quincunx?", session_id="s")
        await device.send(asked)
        await answer(device, status="success", rows=[])
        await device.until("stream_end")

    [turn] = told
    assert (turn.origin.request_id, turn.origin.kind, turn.origin.source) == (asked["request_id"], "home", "socket")
    assert turn.origin.session_id == "s"
    assert (turn.agent, turn.model, turn.outcome, turn.error_code) == ("task_agent", "large-1", "done", "")
    assert [one.prompt and one.prompt.name for one in turn.generations] == [
        "router_system",
        "home_system",
        "home_system",
    ]
    assert {one.prompt.version for one in turn.generations if one.prompt} == {None}
    assert [(one.model, one.ok) for one in turn.generations] == [
        ("small-1", True),
        ("large-1", True),
        ("large-1", True),
    ]
    assert turn.usage == Usage(input_tokens=310, output_tokens=3)
    assert sorted((use.tool, use.ok) for use in turn.tools) == [("(unknown)", False), ("list_tasks", True)]
    assert turn.first_text_s is not None
    [*_, last] = turn.generations
    assert last.first_text_s is not None
    assert 0 <= last.began_s <= last.first_text_s <= turn.first_text_s <= turn.duration_s
    assert not any(word in repr(turn) for word in ("quincunx", "marmalade", "Two "))


async def test_content_is_kept_when_it_is_wanted() -> None:
    server, told = watched(calls(call("list_tasks", '{"status": "todo"}')), says("Two ", "tasks."), keep_content=True)
    async with server.device() as device:
        await device.send(home("Which tasks are due?"))
        await answer(device, status="success", rows=[])
        await device.until("stream_end")

    [turn] = told
    first, last = (one.content for one in turn.generations)
    assert first is not None
    assert last is not None
    assert [one.name for one in first.calls] == ["list_tasks"]
    assert len(first.messages) + 2 == len(last.messages)
    assert last.text == "Two tasks."
    [used] = turn.tools
    assert used.content is not None
    assert used.content.arguments == '{"status": "todo"}'


@pytest.mark.parametrize(
    ("error", "code"), [(ModelRefused(), "model_refused"), (RuntimeError("quincunx"), "internal_error")]
)
async def test_a_turn_that_fails_is_reported_with_its_code(error: Exception, code: str) -> None:
    server, told = watched([error])
    async with server.device() as device:
        await device.send(home())
        await device.until("stream_end")

    [turn] = told
    assert (turn.outcome, turn.error_code, turn.first_text_s) == ("error", code, None)
    assert [one.ok for one in turn.generations] == [False]


async def test_a_cancelled_turn_is_reported_as_one() -> None:
    server, told = watched(calls(call("list_tasks")))
    async with server.device() as device:
        asked = home()
        await device.send(asked)
        await device.until("tool_call")
        await device.send({"type": "cancel_request", "request_id": asked["request_id"]})
        await device.until("stream_end")

    [turn] = told
    assert (turn.outcome, turn.error_code) == ("cancelled", "")
    assert turn.generations[0].ok


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ({"type": "popup_request", "message": "Tasks?", "scope": {"type": "tasks"}}, "popup"),
        ({"type": "chat_request", "message": "Which tasks?"}, "chat"),
    ],
)
async def test_every_kind_is_reported_by_its_name(frame: Frame, kind: str) -> None:
    server, told = watched(says("None."))
    async with server.device() as device:
        await device.send(frame)
        await device.until("final" if kind == "chat" else "stream_end")

    [turn] = told
    assert turn.origin.kind == kind


async def test_a_turn_over_rest_is_reported_as_one() -> None:
    server, told = watched(says("None."))
    async with server.device():
        question = ChatQuestion(message="Which tasks?")
        rest = RestTurn(services=server.services, requester=ALICES, grant=grant("alice"), question=question)
        assert [batch async for batch in rest.frames()]

    [turn] = told
    assert (turn.origin.kind, turn.origin.source, turn.origin.request_id) == ("home", "rest", rest.request_id)


async def test_an_observer_that_fails_ends_nothing() -> None:
    def fail(_: ObservedTurn) -> None:
        raise OSError

    told: list[ObservedTurn] = []
    server = Server(replies=[says("None.")], observers=Observers(listeners=(fail, told.append)))
    async with server.device() as device:
        await device.send(home())
        [*_, end] = await device.until("stream_end")
    assert end["finish_reason"] == "done"
    assert len(told) == 1


@pytest.mark.parametrize("keep_content", [False, True])
async def test_a_trace_holds_no_word_of_the_turn_unless_that_is_wanted(keep_content: bool) -> None:
    with ingestion() as taking:
        keys = {"public_key": taking.public_key, "secret_key": taking.secret_key}
        endpoint = langfuse_endpoint(host=taking.url, **keys)
        senders = [
            TurnTracer(endpoint, convention, secret=b"secret", every_s=60)
            for convention in (LangfuseConvention(), GenAiConvention())
        ]
        replies = (
            says('{"agent": "task_agent"}'),
            calls(call("list_tasks", '{"search": "gooseberry"}', id="1"), call("marzipan", id="2")),
            says("Two ", "persimmons."),
        )
        server = Server(
            model=observed(*replies),
            observers=Observers(listeners=tuple(senders), keep_content=keep_content),
        )
        async with server.device() as device:
            await device.send(home("What of the quincunx?"))
            await answer(device, status="success", rows=[{"id": "t1", "title": "Marmalade"}])
            await device.until("stream_end")
        for send in senders:
            await send.aclose(WAIT_S)

    sent = b"".join(taking.bodies).lower()
    words = ("gooseberry", "marzipan", "persimmon", "quincunx", "marmalade")
    assert [word for word in words if word.encode() in sent] == ([*words] if keep_content else [])
    in_langfuse, by_opentelemetry = {"home turn", "small model", "large model"}, {"chat small-1", "chat large-1"}
    assert in_langfuse | by_opentelemetry <= {span.name for span in taking.spans}
