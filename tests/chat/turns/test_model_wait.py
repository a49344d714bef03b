import asyncio

import pytest

from agents.events import AgentEvent, Finished, ModelProgress, TextDelta, ToolCall, ToolFinished, ToolStarted
from chat.turns.model_wait import ModelWait
from tests.agents.scripts import says
from tests.chat.sockets import Server, leap
from tests.chat.test_consumer import home

CALL = ToolCall(id="1", name="list_tasks", arguments="{}")
STARTED = ToolStarted(call=CALL, label="Looking")
FINISHED = ToolFinished(call=CALL, text="None.", ok=True, duration_ms=1)
NOT_LAST = ToolFinished(call=CALL, text="None.", ok=True, duration_ms=1, is_last=False)


def waiting(language: str = "en") -> tuple[ModelWait, list[str]]:
    told: list[str] = []
    wait = ModelWait(told.append, language)
    wait.begin()
    return wait, told


async def passes(seconds: float) -> None:
    leap(seconds)
    # A timer that is due runs in the next turn of the loop, and one that it sets in the turn after.
    for _ in range(3):
        await asyncio.sleep(0)


async def test_a_silent_model_is_spoken_of_every_ten_seconds() -> None:
    wait, told = waiting()
    await passes(9)
    assert told == []
    await passes(2)
    await passes(11)
    wait.end()
    assert told == ["Still working: 11 s", "Still working: 22 s"]


async def test_a_model_that_writes_is_not() -> None:
    wait, told = waiting()
    for _ in range(3):
        await passes(9)
        wait.note(TextDelta(text="and "))
    await passes(9)
    assert told == []
    await passes(2)
    wait.end()
    assert told == ["Still working: 11 s"]


async def test_what_has_been_read_is_told_in_the_users_language() -> None:
    wait, told = waiting("it")
    wait.note(ModelProgress(fraction=0.126))
    await passes(11)
    wait.end()
    assert told == ["Lettura: 13 %", "Ancora al lavoro: 11 s"]


@pytest.mark.parametrize("last", [STARTED, NOT_LAST, Finished(text="", tool_rounds=0)])
async def test_nothing_is_told_while_the_model_is_not_asked(last: AgentEvent) -> None:
    wait, told = waiting()
    wait.note(last)
    await passes(60)
    assert told == []
    wait.note(FINISHED)
    await passes(11)
    wait.end()
    await passes(60)
    assert told == ["Still working: 11 s"]


async def test_a_device_sees_how_much_has_been_read() -> None:
    steps = [ModelProgress(fraction=fraction) for fraction in (0.0, 0.01, 0.25, 0.27, 1.0)]
    server = Server([[*steps, *says("Two tasks.")]])
    async with server.device() as device:
        await device.send(home("Which tasks are due?"))
        frames = await device.until("stream_end")

    told = [frame.get("label") for frame in frames if frame["type"] == "stream_status"]
    assert told == [None, "Reading: 25 %", "Reading: 100 %"]
