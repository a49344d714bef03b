"""What is the same in the requests of two turns, byte by byte: what a provider or a local server has cached."""

import json
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from chat.turns import question
from chat.turns.question import BlockInstructions
from tests.chat.over_http import device, server
from tests.chat.rows import RowDevice
from tests.chat.sockets import Server
from tests.model_server.fixtures import model_server
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

__all__ = ["device", "model_server", "server"]

LIST = wants("list_tasks")


def home(message: str, *history: str) -> Any:
    said = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(history)]
    return {"type": "home_request", "message": message, "conversation_history": said, "session_id": "s1"}


def as_sent(messages: Sequence[object]) -> str:
    return json.dumps(messages, ensure_ascii=False)


async def test_next_turn_begins_with_the_instructions_tools_and_history_of_the_one_before(
    device: RowDevice, model_server: ModelServer, server: Server
) -> None:
    device.add("tasks", title="Buy milk")
    model_server.otherwise(says("One task."))
    first, answer = "Which tasks are open?", "One task."
    await device.ask(home(first))
    server.now += timedelta(minutes=1)
    await device.ask(home("Which tasks are late?", first, answer))
    server.now += timedelta(days=1)
    await device.ask(home("And which tasks are done?", first, answer, "Which tasks are late?", answer))

    one, two, three = model_server.requests
    assert as_sent(one.body["tools"]) == as_sent(two.body["tools"]) == as_sent(three.body["tools"])
    assert as_sent(one.messages[:1]) == as_sent(two.messages[:1]) == as_sent(three.messages[:1])
    # All of the second request but what is said of the moment and the question itself.
    kept = as_sent(two.messages[:-2]).removesuffix("]")
    assert as_sent(three.messages).startswith(kept)
    assert [message["content"] for message in two.messages[1:3]] == [first, answer]
    assert "2026-03-29 12:01" in two.messages[-2]["content"]


async def test_rounds_of_a_turn_begin_with_the_round_before_and_keep_their_tools(
    device: RowDevice, model_server: ModelServer
) -> None:
    device.add("tasks", title="Buy milk")
    for number in range(5):
        model_server.reply(calls(wants("list_tasks", search=f"milk {number}")))
    model_server.reply(says("Enough."))
    await device.ask(home("Which tasks are open?"))

    sent = model_server.requests
    assert len(sent) == 6
    for before, after in pairwise(sent):
        assert as_sent(after.messages).startswith(as_sent(before.messages).removesuffix("]"))
        assert after.body["tools"] == before.body["tools"]
    assert [request.body.get("tool_choice") for request in sent] == [*[None] * 5, "none"]


@pytest.mark.parametrize("drawing", [True, False])
@pytest.mark.parametrize("when", BlockInstructions)
async def test_blocks_are_explained_when_the_switch_says_so(
    device: RowDevice,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    when: BlockInstructions,
    drawing: bool,
) -> None:
    monkeypatch.setattr(question, "BLOCK_INSTRUCTIONS", when)
    asked = "Draw a chart of my open tasks." if drawing else "Which tasks are open?"
    device.add("tasks", title="Buy milk")
    model_server.reply(calls(LIST))
    model_server.reply(says("Buy milk."))
    answered = await device.ask(home(asked))

    def explained(request: Recorded) -> bool:
        return "```chart" in as_sent(request.messages)

    first, second = model_server.requests
    always, with_rows = when is BlockInstructions.ALWAYS, when is BlockInstructions.WITH_ROWS and drawing
    assert (explained(first), explained(second)) == (always, always or with_rows)
    assert [block["data"]["items"][0]["title"] for block in answered.blocks] == ["Buy milk"]  # type: ignore[index, call-overload]
