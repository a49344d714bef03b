"""Turns and memory: what is sent with a request, what is recorded, and how long a turn waits for it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from uuid import UUID

import pytest
from pydantic import JsonValue

from agents.adapters.base import Message, ModelParams, SystemMessage, ToolSchema, UserMessage
from agents.engine.roster import tools_to_find
from agents.errors import ModelUnavailable
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta
from agents.prompts.rendering import CLOSING, OPENING
from memory.search.follow_ups import Earlier
from tests.agents.memories import MEMORY_TOOLS
from tests.agents.scripts import Reply, ScriptedAdapter, call, calls, says
from tests.chat import scopes
from tests.chat.accounts import ALICE, BOB
from tests.chat.http import CHAT as CHAT_ADDRESS
from tests.chat.http import rest, sign_in
from tests.chat.memories import ScriptedMemory, with_memory
from tests.chat.sockets import WAIT_S, Frame, Server, Socket
from tests.memory.items import recalled

TEA = recalled(
    core=[("favourite tea", "Assam")],
    facts=["The shop closes at six."],
    episodes=["2026-03-28: Asked about tea."],
    habits=["Asks for tasks on Mondays."],
)
HOME: Frame = {"type": "home_request", "message": "Which tasks are due?", "session_id": "s1"}
POPUP: Frame = {"type": "popup_request", "message": "How many tasks?", "scope": {"type": "tasks"}}
CHAT: Frame = {"type": "chat_request", "message": "My tasks?"}
ENDS = {"home_request": "stream_end", "popup_request": "stream_end", "chat_request": "final"}


def server_with(memory: ScriptedMemory, *replies: Reply) -> Server:
    return with_memory(Server(list(replies)), memory)


async def ask(device: Socket, request: Frame) -> list[Frame]:
    await device.send(request)
    return await device.until(ENDS[str(request["type"])])


def data_in(messages: Sequence[object]) -> list[object]:
    """The recalled data in the messages, each with its index."""
    return [
        json.loads(message.text.partition(OPENING)[2].partition(CLOSING)[0])
        for message in messages
        if isinstance(message, UserMessage) and OPENING in message.text
    ]


@pytest.mark.parametrize("request_", [HOME, POPUP, CHAT], ids=lambda request: str(request["type"]))
async def test_memories_are_in_the_request_as_data(request_: Frame) -> None:
    memory = ScriptedMemory({ALICE: TEA})
    server = server_with(memory, says("Two."))
    async with server.device() as device:
        await ask(device, request_)

    [asked] = server.adapter.requests
    assert data_in(asked.messages) == [
        {
            "preferences": [{"key": "favourite tea", "value": "Assam"}],
            "facts": ["The shop closes at six."],
            "earlier_conversations": ["2026-03-28: Asked about tea."],
            "habits": ["Asks for tasks on Mondays."],
        }
    ]
    first, *_, remembered, last = asked.messages
    assert isinstance(first, SystemMessage)
    assert "Assam" not in first.text
    assert isinstance(remembered, UserMessage)
    assert last == UserMessage(text=str(request_["message"]))
    assert memory.questions == [(ALICE, request_["message"])]


async def test_a_recall_knows_what_the_model_reads_of_the_conversation() -> None:
    memory = ScriptedMemory()
    history: list[JsonValue] = [
        {"role": "user", "content": "I drink Assam."},
        {"role": "assistant", "content": "Noted."},
    ]
    async with server_with(memory, says("Two.")).device() as device:
        await ask(device, {**HOME, "conversation_history": history})

    assert memory.histories == [[Earlier("I drink Assam.", is_answer=False), Earlier("Noted.", is_answer=True)]]


SHOWS = ("ledger", "remembered")
TOLD = [
    {"kind": "preference", "text": "favourite tea: Assam"},
    {"kind": "fact", "text": "The shop closes at six."},
    {"kind": "exchange", "text": "2026-03-28: Asked about tea."},
    {"kind": "habit", "text": "Asks for tasks on Mondays."},
]
ITEMS = [
    {"id": str(UUID(int=number)), **told, "why": ["always"], "said_at": None, "said_in": None}
    for number, told in enumerate(TOLD)
]


@pytest.mark.parametrize("request_", [HOME, POPUP], ids=lambda request: str(request["type"]))
async def test_a_client_that_shows_it_is_told_what_is_remembered_before_the_text(request_: Frame) -> None:
    memory = ScriptedMemory({ALICE: TEA})
    server = server_with(memory, says("Two."), says("Two."))
    async with server.device(capabilities=SHOWS) as device:
        told = await ask(device, request_)
    async with server.device() as device:
        untold = await ask(device, request_)

    types = [frame["type"] for frame in told]
    assert types.count("remembered") == 1
    assert types.index("remembered") < types.index("stream_text")
    assert [frame["seq"] for frame in told] == list(range(len(told)))
    [frame] = [frame for frame in told if frame["type"] == "remembered"]
    assert frame["items"] == ITEMS
    assert "remembered" not in [frame["type"] for frame in untold]


async def test_what_is_remembered_is_replayed_to_who_resumes() -> None:
    server = server_with(ScriptedMemory({ALICE: TEA}), says("Two."))
    request_id = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"
    async with server.device(capabilities=SHOWS) as device:
        first = await ask(device, {**HOME, "request_id": request_id})
    async with server.device(capabilities=SHOWS) as device:
        await device.send({"type": "resume_request", "request_id": request_id, "after_seq": -1})
        again = await device.until("stream_end")

    assert again == first
    assert "remembered" in [frame["type"] for frame in again]


async def test_no_frame_says_that_nothing_is_remembered() -> None:
    server = server_with(ScriptedMemory(), says("Two."))
    async with server.device(capabilities=SHOWS) as device:
        assert "remembered" not in [frame["type"] for frame in await ask(device, HOME)]


async def test_it_stands_after_the_history_however_long_that_is() -> None:
    server = server_with(ScriptedMemory({ALICE: TEA}), says("Two."))
    history: list[JsonValue] = [{"role": "user", "content": f"message {number}"} for number in range(100)]
    async with server.device() as device:
        await ask(device, {**HOME, "conversation_history": history})

    messages = server.adapter.requests[0].messages
    assert OPENING in getattr(messages[-2], "text", "")
    assert len(messages) == 1 + 40 + 1 + 1


async def test_without_anything_remembered_the_request_is_as_it_was() -> None:
    server, without = server_with(ScriptedMemory(), says("Two.")), Server([says("Two.")])
    for each in (server, without):
        async with each.device() as device:
            await ask(device, HOME)

    assert server.adapter.requests[0].messages == without.adapter.requests[0].messages


async def test_what_is_remembered_of_bob_never_reaches_alice() -> None:
    memory = ScriptedMemory({BOB: TEA})
    server = server_with(memory, says("Two."), says("Two."))
    async with server.device() as device:
        await ask(device, HOME)
    async with server.device("phone", token="bob") as device:
        await ask(device, HOME)

    alices, bobs = server.adapter.requests
    assert (data_in(alices.messages), len(data_in(bobs.messages))) == ([], 1)
    assert [user for user, *_ in memory.stored] == [ALICE, BOB]


@dataclass
class WaitingAdapter(ScriptedAdapter):
    """Answers once the memory has been asked, which answers once this has been: neither can wait for the other."""

    memory: ScriptedMemory = field(default_factory=ScriptedMemory)

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        await self.memory.asked.wait()
        self.memory.recalls.set()
        async with aclosing(super().stream(messages, tools, params)) as events:
            async for event in events:
                yield event


async def test_the_router_and_the_memory_are_asked_at_the_same_time() -> None:
    memory = ScriptedMemory({ALICE: TEA})
    memory.recalls.clear()
    server = server_with(memory)
    adapter = WaitingAdapter([says('{"agent": "task_agent"}'), says("Hello.")], memory=memory)
    server.run_with(adapter=adapter)
    async with server.restarted().device() as device, asyncio.timeout(WAIT_S):
        await ask(device, {**HOME, "message": "Well?"})

    routing, asking = adapter.requests
    assert (data_in(routing.messages), len(data_in(asking.messages))) == ([], 1)


async def test_a_popup_names_its_domain_before_the_memory_has_answered() -> None:
    memory = ScriptedMemory()
    memory.recalls.clear()
    server = server_with(memory, says("Two."))
    async with server.device() as device:
        await device.send(POPUP)
        assert (await device.receive())["type"] == "popup_domain"
        assert server.adapter.requests == []
        memory.recalls.set()
        await device.until("stream_end")


@pytest.mark.parametrize(
    ("request_", "session", "said"),
    [(HOME, "s1", "Two tasks.\n\nDone."), (POPUP, "", "Two tasks.\n\nDone."), (CHAT, "", "Two tasks.\n\nDone.")],
    ids=["home", "popup", "chat"],
)
async def test_an_exchange_is_recorded_in_words(request_: Frame, session: str, said: str) -> None:
    memory = ScriptedMemory()
    replies = [calls(call("recall", '{"query":"tea"}'), text="Two tasks."), says("Done.")]
    server = server_with(memory, *replies)
    async with server.device() as device:
        await ask(device, request_)
    await server.services.aclose()

    assert memory.stored == [(ALICE, session, request_["message"], said, "en")]


async def test_an_answer_that_says_only_what_the_assistant_can_do_is_not_recorded() -> None:
    memory = ScriptedMemory()
    reply: Reply = [TextDelta(text="Try: what is due on 24 December?"), ModelStopped(reason=StopReason.NO_ANSWER)]
    server = server_with(memory, reply)
    async with server.device() as device:
        await ask(device, HOME)
    await server.services.aclose()

    assert memory.stored == [(ALICE, "s1", HOME["message"], "", "en")]


async def test_the_sidebar_neither_recalls_nor_records() -> None:
    memory = ScriptedMemory({ALICE: TEA})
    server = server_with(memory, says("Two."))
    async with server.device() as device:
        await device.send(scopes.ask("Which tea do I like?", scopes.TASKS))
        await device.until("stream_end")
    await server.services.aclose()

    [request] = server.adapter.requests
    assert data_in(request.messages) == []
    assert (memory.questions, memory.stored) == ([], [])


async def test_blocks_are_no_part_of_the_words() -> None:
    memory = ScriptedMemory()
    table = '{"type":"table","headers":["a"],"rows":[["b"]]}'
    server = server_with(memory, says(f'{{"type":"text","content":"One."}}{table}'), says(table))
    async with server.device() as device:
        await ask(device, HOME)
        await ask(device, HOME)
    await server.services.aclose()

    assert [response for *_, response, _ in memory.stored] == ["One."]


@pytest.mark.parametrize("reply", [[ModelUnavailable()], [*says("Well,")[:1], ModelUnavailable()]])
async def test_what_did_not_end_well_is_not_recorded(reply: Reply) -> None:
    memory = ScriptedMemory()
    server = server_with(memory, reply)
    async with server.device() as device:
        [*_, end] = await ask(device, HOME)
    await server.services.aclose()

    assert (end["finish_reason"], memory.stored) == ("error", [])


async def test_a_cancelled_turn_is_not_recorded() -> None:
    memory = ScriptedMemory()
    memory.recalls.clear()
    server = server_with(memory, says("Two."))
    request_id = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"
    async with server.device() as device:
        await device.send({**HOME, "request_id": request_id})
        await asyncio.wait_for(memory.asked.wait(), WAIT_S)
        await device.send({"type": "cancel_request", "request_id": request_id})
        [*_, end] = await device.until("stream_end")
    await server.services.aclose()

    assert (end["finish_reason"], memory.stored, server.adapter.requests) == ("cancelled", [], [])


async def test_an_exchange_that_forgets_is_not_recorded() -> None:
    memory = ScriptedMemory()
    memory.recollection(ALICE).kept["tea"] = "Assam"
    server = server_with(
        memory,
        calls(call("forget", '{"key":"tea"}')),
        says("I forgot that you like Assam."),
        calls(call("forget", '{"key":"coffee"}')),
        says("There was none."),
    )
    async with server.device() as device:
        await ask(device, {**HOME, "message": "Forget my tea and my coffee in tasks"})
        await ask(device, {**HOME, "message": "Forget my coffee in tasks"})
    await server.services.aclose()

    assert memory.recollection(ALICE).kept == {}
    assert [response for *_, response, _ in memory.stored] == ["There was none."]


async def test_the_tools_work_on_the_memory_of_who_asks() -> None:
    memory = ScriptedMemory()
    server = server_with(memory, calls(call("remember", '{"key":"tea","value":"Assam"}')), says("I will."))
    async with server.device() as device:
        await ask(device, {**HOME, "message": "Remember for my tasks that my tea is Assam"})

    assert memory.recollection(ALICE).kept == {"tea": "Assam"}
    assert memory.recollection(BOB).kept == {}
    offered = {tool.name for tool in server.adapter.requests[0].tools}
    assert "remember" in offered
    assert {tool.tool_name for tool in MEMORY_TOOLS} <= offered | tools_to_find(offered)


async def test_an_answer_says_what_is_remembered_no_longer() -> None:
    memory = ScriptedMemory()
    memory.recollection(ALICE).kept["tea"] = "Assam"
    server = server_with(memory, calls(call("remember", '{"key":"tea","value":"Darjeeling"}')), says("Noted."))
    async with server.device() as device:
        await ask(device, {**HOME, "message": "Remember for my tasks that my tea is Darjeeling"})
    await server.services.aclose()

    told = "Noted.\n\nThis replaces what was remembered of “tea”: “Assam”."
    assert [response for *_, response, _ in memory.stored] == [told]


async def test_an_exchange_is_stored_before_the_client_gets_the_end() -> None:
    memory = ScriptedMemory()
    server = server_with(memory, says("One."))
    async with server.device() as device:
        await ask(device, HOME)
        assert [response for *_, response, _ in memory.stored] == ["One."]


async def test_only_the_end_of_the_process_waits_long_for_the_recording() -> None:
    memory = ScriptedMemory()
    memory.stores.clear()
    server = server_with(memory, says("One."), says("Two."))
    async with server.device() as device, asyncio.timeout(WAIT_S):
        await ask(device, HOME)
        await memory.begun.wait()
        await ask(device, HOME)
        assert server.services.supervisor.running((ALICE, "laptop")) == []
    assert memory.stored == []

    leaving = asyncio.create_task(server.services.aclose())
    while not leaving.done() and len(memory.stored) < 2:
        memory.stores.set()
        await asyncio.sleep(0)
    await leaving
    assert [response for *_, response, _ in memory.stored] == ["One.", "Two."]


@pytest.mark.django_db(transaction=True)
async def test_rest_answers_with_what_is_remembered_and_does_not_wait_for_the_recording() -> None:
    tokens = await sign_in()
    memory = ScriptedMemory({ALICE: TEA, BOB: recalled(facts=["The roof leaks."])})
    memory.stores.clear()
    server = server_with(memory, says('{"type":"text","content":"Two."}'))
    async with server.device(), rest(server, tokens.alice) as client, asyncio.timeout(WAIT_S):
        answer = await client.post(CHAT_ADDRESS, json={"message": "My tasks?", "session_id": "s9"})
        await memory.begun.wait()
    assert (answer.status_code, answer.json()["response"], memory.stored) == (200, "Two.", [])
    assert answer.json()["remembered"] == ITEMS
    assert len(data_in(server.adapter.requests[0].messages)) == 1

    memory.stores.set()
    await server.services.aclose()
    assert memory.stored == [(ALICE, "s9", "My tasks?", "Two.", "en")]
