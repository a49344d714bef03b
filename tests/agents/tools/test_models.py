"""Models as tools: over real HTTP, with conversations stored in the database."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from accounts.models import User
from agents.adapters.base import Blueprint, ModelSize, Parameter
from agents.adapters.openai import OpenAIAdapter, openai_client
from agents.dialogues.service import UserDialogues
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, SIDEBAR
from agents.engine.rounds import ToolOutcome
from agents.errors import ModelRetry, ToolFailed
from agents.events import ToolCall
from agents.tools.context import CallContext, Turn
from agents.tools.models import ChatWithModel, publish
from agents.tools.spec import registered_tools
from tests.agents.scripts import ScriptedAdapter
from tests.agents.working import InMemoryWork
from tests.model_server.scripts import Status, says
from tests.model_server.server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(autouse=True)
def no_models() -> Iterator[None]:
    yield
    publish(())


@asynccontextmanager
async def tools(server: ModelServer, *parameters: Parameter) -> AsyncIterator[list[type[ChatWithModel]]]:
    client = openai_client(api_key="sk-secret", base_url=server.base_url, stall_s=10)
    adapter = OpenAIAdapter(client, dict.fromkeys(ModelSize, "vendor/large-4.1"))
    blueprint = Blueprint(
        name="large_4_1",
        model="vendor/large-4.1",
        adapter=adapter,
        description="Writes well.",
        parameters=frozenset(parameters),
    )
    yield publish([blueprint])
    await adapter.aclose()


async def ask(made: list[type[ChatWithModel]], context: CallContext, **arguments: object) -> ToolOutcome:
    return await ToolExecutor(made, context).dispatch(
        ToolCall(id="c1", name="chat_with_large_4_1", arguments=json.dumps(arguments))
    )


async def test_blueprint_becomes_registered_tool_with_parameters_of_model(server: ModelServer) -> None:
    async with tools(server, *Parameter) as (tool,):
        assert registered_tools()["chat_with_large_4_1"] is tool
        schema = tool.schema()

    assert schema.description == "Talk with the model vendor/large-4.1. Writes well."
    assert schema.parameters == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "prompt": {"type": "string", "description": "What to say to the model."},
            "session": {
                "type": "string",
                "format": "uuid",
                "description": "The conversation to go on with, as an earlier answer named it.",
            },
            "temperature": {
                "type": "number",
                "minimum": 0,
                "maximum": 2,
                "description": "How freely it chooses its words, from 0 to 2; its own default without.",
            },
            "max_tokens": {
                "type": "integer",
                "minimum": 1,
                "description": "How many tokens it may write at most.",
            },
        },
        "required": ["prompt"],
    }


async def test_model_tool_belongs_to_no_agent(server: ModelServer) -> None:
    async with tools(server) as (tool,):
        assert all(tool not in profile.tools for profile in (*ROSTER.values(), SIDEBAR))


async def test_publish_replaces_published_tools(server: ModelServer) -> None:
    async with tools(server), tools(server, Parameter.TEMPERATURE) as (later,):
        assert registered_tools()["chat_with_large_4_1"] is later

    publish(())
    assert "chat_with_large_4_1" not in registered_tools()


async def test_parameters_of_caller_reach_model(server: ModelServer, context: CallContext) -> None:
    server.reply(says("Blue."))
    async with tools(server, *Parameter) as made:
        outcome = await ask(made, context, prompt="Which colour?", temperature=0.5, max_tokens=7)

    assert (outcome.ok, outcome.text) == (True, "Blue.")
    (request,) = server.wait_for_requests(1)
    assert request.messages == [{"role": "user", "content": "Which colour?"}]
    assert request.body["model"] == "vendor/large-4.1"
    assert (request.body["temperature"], request.body["max_completion_tokens"]) == (0.5, 7)
    assert "tools" not in request.body


async def test_deeply_nested_arguments_are_refused(server: ModelServer, context: CallContext) -> None:
    async with tools(server) as (tool,):
        with pytest.raises(ModelRetry, match="The arguments of chat_with_large_4_1 are not right"):
            tool.from_arguments("[" * 100_000, context)


async def test_unset_parameters_are_not_sent(server: ModelServer, context: CallContext) -> None:
    server.reply(says("Blue."))
    async with tools(server, *Parameter) as made:
        await ask(made, context, prompt="Which colour?")

    (request,) = server.wait_for_requests(1)
    assert not {"temperature", "max_completion_tokens"} & request.body.keys()


@pytest.mark.parametrize("parameter", ["temperature", "max_tokens"])
async def test_unsupported_parameter_is_reported_with_model_name(
    server: ModelServer, context: CallContext, parameter: str
) -> None:
    async with tools(server) as made:
        outcome = await ask(made, context, prompt="Which colour?", **{parameter: 1})

    assert (outcome.ok, outcome.text) == (False, f"vendor/large-4.1 takes no {parameter}: leave it out.")
    assert server.requests == []


@pytest.mark.parametrize("arguments", ["[]", '"temperature"', "{", "7"])
async def test_invalid_arguments_are_reported(server: ModelServer, context: CallContext, arguments: str) -> None:
    async with tools(server) as made:
        call = ToolCall(id="c1", name="chat_with_large_4_1", arguments=arguments)
        outcome = await ToolExecutor(made, context).dispatch(call)

    assert not outcome.ok
    assert outcome.text.startswith("The arguments of chat_with_large_4_1 are not right:")


async def test_value_out_of_bounds_is_reported_without_calling_model(server: ModelServer, context: CallContext) -> None:
    async with tools(server, *Parameter) as made:
        outcome = await ask(made, context, prompt="Which colour?", temperature=2.5)

    assert not outcome.ok
    assert "temperature" in outcome.text
    assert server.requests == []


async def test_value_refused_by_server_is_reported_with_model_name(server: ModelServer, context: CallContext) -> None:
    server.reply([Status(400, code="unsupported_value", parameter="temperature", message="Only 1 is supported")])
    async with tools(server, *Parameter) as made:
        outcome = await ask(made, context, prompt="Which colour?", temperature=0.5)

    assert (outcome.ok, outcome.text) == (False, "The model vendor/large-4.1 does not take this temperature.")


@pytest.mark.django_db(transaction=True)
async def test_session_is_continued(server: ModelServer, context: CallContext, alice: User) -> None:
    hers = replace(context, user_id=alice.id, dialogues=UserDialogues(user_id=alice.id))
    server.reply(says("Blue."), says("Because of the sky."))
    async with tools(server) as made:
        first = await ask(made, hers, prompt="Which colour?")
        session = session_in(first)
        second = await ask(made, hers, prompt="Why?", session=str(session))

    assert second.text == f"Because of the sky.\n\n[session: {session}]"
    assert server.wait_for_requests(2)[1].messages == [
        {"role": "user", "content": "Which colour?"},
        {"role": "assistant", "content": "Blue."},
        {"role": "user", "content": "Why?"},
    ]


@pytest.mark.django_db(transaction=True)
async def test_second_run_of_job_neither_calls_model_nor_stores_turns_again(
    server: ModelServer, context: CallContext, alice: User
) -> None:
    kept = UserDialogues(user_id=alice.id)
    server.reply(says("Blue."))
    work = InMemoryWork(ScriptedAdapter([]))
    async with tools(server) as made:
        runs = [await ask(made, replace(context, dialogues=kept, work=work), prompt="Which colour?") for _ in range(2)]

    assert runs[0].text == runs[1].text
    assert [turn.content for turn in await kept.turns(session_in(runs[0]), "large_4_1")] == ["Which colour?", "Blue."]
    assert len(server.requests) == 1


@pytest.mark.django_db(transaction=True)
async def test_session_of_another_user_is_unknown(
    server: ModelServer, context: CallContext, alice: User, bob: User
) -> None:
    server.reply(says("Blue."))
    async with tools(server) as made:
        hers = await ask(made, replace(context, dialogues=UserDialogues(user_id=alice.id)), prompt="Which colour?")
        session = session_in(hers)
        his = replace(context, dialogues=UserDialogues(user_id=bob.id))
        outcome = await ask(made, his, prompt="Why?", session=str(session))

    assert not outcome.ok
    assert outcome.text == f"There is no session {session} with large_4_1: leave it out to begin a new one."
    assert len(server.requests) == 1


@pytest.mark.django_db(transaction=True)
async def test_failed_answer_is_not_stored(server: ModelServer, context: CallContext, alice: User) -> None:
    kept = UserDialogues(user_id=alice.id)
    hers = replace(context, dialogues=kept)
    server.reply(says("Blue."), [Status(401)])
    async with tools(server) as made:
        session = session_in(await ask(made, hers, prompt="Which colour?"))
        failed = await ask(made, hers, prompt="Why?", session=str(session))

    assert not failed.ok
    assert [turn.content for turn in await kept.turns(session, "large_4_1")] == ["Which colour?", "Blue."]


async def test_answer_that_cannot_be_stored_is_still_returned(server: ModelServer, context: CallContext) -> None:
    class Full:
        async def turns(self, dialogue_id: UUID, model: str) -> tuple[Turn, ...]:
            return ()

        async def add(self, dialogue_id: UUID | None, model: str, turns: object) -> UUID:
            raise ToolFailed("The session cannot be opened right now.")

    server.reply(says("Blue."))
    async with tools(server) as made:
        outcome = await ask(made, replace(context, dialogues=Full()), prompt="Which colour?")

    assert outcome.ok
    assert outcome.text == ("Blue.\n\n[This could not be kept as a session. The session cannot be opened right now.]")


async def test_session_is_refused_without_storage(server: ModelServer, context: CallContext) -> None:
    async with tools(server) as made:
        outcome = await ask(made, context, prompt="Why?", session=str(uuid4()))

    assert (outcome.ok, outcome.text) == (False, "No sessions are kept here: leave the session out.")


def session_in(outcome: ToolOutcome) -> UUID:
    found = re.search(r"\[session: ([0-9a-f-]{36})\]$", outcome.text)
    assert found is not None, outcome.text
    return UUID(found[1])
