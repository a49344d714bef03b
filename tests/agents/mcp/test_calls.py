"""Records of calls: observed turns, the ledger, log context and quotas; hidden rows stay hidden."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from structlog.contextvars import get_contextvars

from agents.adapters.base import Blueprint, ModelSize
from agents.adapters.openai import OpenAIAdapter, openai_client
from agents.allowances import Quota, Usage, day_of
from agents.calls import ClientAnswer, ClientCall, Table
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.refusals import Refusal
from agents.permissions.models import Decision
from agents.permissions.quotas import CountedElsewhere, QuotaService
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from agents.telemetry.turns import ObservedAdapter, TurnOutcome, TurnSource
from agents.tools.client import OnLate
from agents.tools.models import publish
from tests.agents.conftest import NOW
from tests.agents.mcp.test_endpoint import LEGACY, DisconnectingRequest
from tests.agents.mcp.worlds import ALICE, HangingClient, World, called, headers, request, serving
from tests.agents.tables import InMemoryClient
from tests.model_server.fixtures import model_server
from tests.model_server.scripts import says
from tests.model_server.server import ModelServer

__all__ = ["model_server"]


@pytest.fixture
def world() -> World:
    """An endpoint whose device has two tasks, one of them in the project p1."""
    world = World()
    assert world.client is not None
    world.client.rows[Table.TASKS] += [
        {"id": "t1", "title": "Pay the rent", "status": "todo", "projectId": "p1"},
        {"id": "t2", "title": "Buy milk", "status": "todo", "projectId": None},
    ]
    return world


def text_of(answer: dict[str, Any]) -> str:
    text: str = answer["result"]["content"][0]["text"]
    return text


async def test_rows_sent_to_client_are_recorded_in_ledger(world: World) -> None:
    async with serving(world) as client:
        answer = await called(client, "list_tasks", {})
    assert "Pay the rent" in text_of(answer)
    [(occasion, sent)] = world.disclosures.kept
    assert sent.rows == {Table.TASKS: {"t1", "t2"}}
    assert sent.model == "mcp: tests"
    assert (occasion.source, occasion.origin.user_id, occasion.origin.device_id) == (
        RequestKind.MCP,
        ALICE.user_id,
        "laptop",
    )
    assert occasion.origin.request_id == answer["result"]["_meta"]["adiuva/request_id"]


@pytest.mark.parametrize("program", ["", "x" * 65, "two\nlines", "quincunx: gpt-4.1", " spaced"])
async def test_invalid_program_name_is_left_out(world: World, program: str) -> None:
    async with serving(world) as client:
        await called(client, "list_tasks", {}, program=program)
    assert {sent.model for _, sent in world.disclosures.kept} == {"mcp"}


async def test_program_of_older_revision_has_no_name(world: World) -> None:
    async with serving(world) as client:
        body = request("tools/call", name="list_tasks", arguments={})
        body["params"].pop("_meta")
        answer = await client.post("/mcp", json=body, headers={**headers(), **LEGACY})
    assert answer.json()["result"]["isError"] is False
    assert {sent.model for _, sent in world.disclosures.kept} == {"mcp"}


async def test_hidden_rows_are_not_returned(world: World) -> None:
    world.marks.held = Marks(projects=frozenset({"p1"}))
    async with serving(world) as client:
        text = text_of(await called(client, "list_tasks", {}))
    assert "Pay the rent" not in text
    assert "Buy milk" in text
    assert text.startswith("Found 1 task:")
    assert "left out" not in text
    assert world.disclosures.listed == [("mcp: tests", Table.TASKS, "t2")]


async def test_marked_table_is_not_read(world: World) -> None:
    world.marks.held = Marks(tables=frozenset({Table.TASKS}))
    async with serving(world) as client:
        answer = await called(client, "list_tasks", {})
    assert answer["result"]["isError"] is True
    assert text_of(answer).startswith("The user never shares their tasks")
    assert world.client is not None
    assert (world.client.calls, world.disclosures.kept) == ([], [])


async def test_nothing_is_read_while_marks_are_unavailable(world: World) -> None:
    world.marks.away = True
    async with serving(world) as client:
        assert (await called(client, "list_tasks", {}))["result"]["isError"] is True
    assert world.client is not None
    assert world.client.calls == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("list_tasks", {}, "What was read could not be written down"),
        ("update_task", {"task_id": "t1", "status": "done"}, "The change may have happened"),
    ],
    ids=["read", "write"],
)
async def test_rows_that_cannot_be_recorded_are_not_returned(
    world: World, tool: str, arguments: dict[str, object], said: str
) -> None:
    world.disclosures.away = True
    async with serving(world) as client:
        answer = await called(client, tool, arguments)
    assert answer["result"]["isError"] is True
    assert said in text_of(answer)
    assert "Pay the rent" not in str(answer)
    [turn] = world.turns
    assert (turn.outcome, turn.error_code) == (TurnOutcome.ERROR, "unrecorded")


@pytest.mark.parametrize(("arguments", "ok"), [({}, True), ({"status": "purple"}, False)])
async def test_each_call_is_observed_as_turn(world: World, arguments: dict[str, object], *, ok: bool) -> None:
    async with serving(world) as client:
        answer = await called(client, "list_tasks", arguments)
    [turn] = world.turns
    assert (turn.origin.kind, turn.origin.source) == (RequestKind.MCP, TurnSource.MCP)
    assert (turn.origin.user_id, turn.outcome) == (ALICE.user_id, TurnOutcome.DONE)
    assert turn.origin.request_id == answer["result"]["_meta"]["adiuva/request_id"]
    assert [(use.tool, use.ok) for use in turn.tools] == [("list_tasks", ok)]


async def test_call_of_disconnected_client_is_observed_as_cancelled() -> None:
    device = HangingClient()
    world = World(client=device)
    world.endpoint.begin()
    async with asyncio.timeout(10):
        leaver = DisconnectingRequest(world, {})
        await leaver.ask()
        await device.asked.wait()
        await leaver.leave()
        await device.over.wait()
        await world.endpoint.aclose(5)
    assert [turn.outcome for turn in world.turns] == [TurnOutcome.CANCELLED]


class LogContextClient(InMemoryClient):
    """Records the log context while the device is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.beside: dict[str, Any] = {}

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        self.beside = get_contextvars()
        return await super().execute(call, on_late=on_late)


async def test_log_context_identifies_call() -> None:
    device = LogContextClient()
    async with serving(World(client=device)) as client:
        answer = await called(client, "list_tasks", {})
    named = answer["result"]["_meta"]["adiuva/request_id"]
    assert device.beside == {"request_id": named, "user_id": str(ALICE.user_id)}


@pytest.fixture
async def chat(model_server: ModelServer) -> AsyncIterator[str]:
    """The tool name of a model."""
    adapter = OpenAIAdapter(
        openai_client(api_key="k", base_url=model_server.base_url, stall_s=10), dict.fromkeys(ModelSize, "large-1")
    )
    [tool] = publish([Blueprint(name="large", model="large-1", adapter=ObservedAdapter(adapter))])
    yield tool.tool_name
    publish(())
    await adapter.aclose()


def with_tokens(left: int) -> QuotaService:
    async def written(user_id: UUID, *, since: datetime, elsewhere: CountedElsewhere) -> Usage:
        return Usage(tokens=100 - left)

    return QuotaService(installation=Quota(tokens=100, turns=1), written=written, now=lambda: NOW)


async def test_model_tool_is_refused_without_tokens(chat: str, model_server: ModelServer) -> None:
    world = World(quotas=with_tokens(0))
    async with serving(world) as client:
        answer = await called(client, chat, {"prompt": "Which colour?"})
        assert (await called(client, "list_tasks", {}))["result"]["isError"] is False
    assert answer["result"]["isError"] is True
    renewed = day_of(NOW.astimezone(UTC)) + timedelta(days=1)
    assert text_of(answer) == (
        f"The 100 tokens of the day are used up. There will be new ones at {renewed:%Y-%m-%dT%H:%M:%SZ}."
    )
    assert model_server.requests == []


@pytest.mark.parametrize("left", [0, 1])
async def test_job_is_refused_without_tokens(left: int) -> None:
    world = World(quotas=with_tokens(left))
    async with serving(world) as client:
        answer = await called(client, "weekly_review", {})
    assert (answer["result"]["isError"], len(world.started)) == (left == 0, left)
    assert text_of(answer).startswith("The 100 tokens of the day are used up.") is (left == 0)


@pytest.mark.django_db(transaction=True)
async def test_model_tool_runs_and_is_counted_while_tokens_remain(chat: str, model_server: ModelServer) -> None:
    model_server.reply(says("Blue."))
    world = World(quotas=with_tokens(1))
    async with serving(world) as client:
        answer = await called(client, chat, {"prompt": "Which colour?"})
    [turn] = world.turns
    assert [generation.model for generation in turn.generations] == ["large-1"]
    # No user here has a key, so the session cannot be stored; the answer is sent all the same.
    assert len(model_server.requests) == 1
    assert text_of(answer).startswith("Blue.\n\n[This could not be kept as a session.")


async def test_denied_model_tool_is_refused_without_calling_model(chat: str, model_server: ModelServer) -> None:
    world = World(policies=Policies(tools={chat: Decision.DENY}))
    async with serving(world) as client:
        answer = await called(client, chat, {"prompt": "Which colour?"})
    assert text_of(answer).startswith(Refusal.DENIED)
    assert model_server.requests == []
