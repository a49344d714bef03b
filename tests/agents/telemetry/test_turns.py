from contextlib import aclosing
from uuid import uuid4

import pytest

from agents.adapters.base import ModelParams, ModelSize
from agents.errors import ModelBroken
from agents.events import ModelEvent, TextDelta, Usage
from agents.requests import RequestKind
from agents.telemetry.turns import ObservedAdapter, ObservedTurn, Observers, TurnOrigin, TurnSource
from tests.agents.scripts import Reply, ScriptedAdapter, says

ORIGIN = TurnOrigin(user_id=uuid4(), request_id="r", kind=RequestKind.HOME, source=TurnSource.SOCKET)


async def taken(adapter: ObservedAdapter, *, most: int = 100) -> list[ModelEvent]:
    events: list[ModelEvent] = []
    async with aclosing(adapter.stream([], [], ModelParams(size=ModelSize.SMALL))) as stream:
        async for event in stream:
            events.append(event)
            if len(events) == most:
                break
    return events


def scripted(*replies: Reply) -> tuple[ObservedAdapter, ScriptedAdapter]:
    inner = ScriptedAdapter([*replies])
    return ObservedAdapter(inner), inner


async def test_events_are_unchanged_inside_and_outside_turn() -> None:
    reply = [*says("a", "b"), Usage(input_tokens=1, output_tokens=2)]
    adapter, _ = scripted(reply, reply)
    assert await taken(adapter) == reply
    with Observers(listeners=(lambda _: None,)).watching(ORIGIN):
        assert await taken(adapter) == reply


async def test_abandoned_stream_is_closed_and_observed_as_stopped() -> None:
    told: list[ObservedTurn] = []
    adapter, inner = scripted(says("a", "b"))
    with Observers(listeners=(told.append,)).watching(ORIGIN):
        assert await taken(adapter, most=1) == [TextDelta(text="a")]
        assert inner.closed == 1
    [one] = told[0].generations
    assert (one.ok, one.stopped, one.usage) == (False, True, None)
    assert (one.size, one.model) == (ModelSize.SMALL, "scripted")


async def test_failure_is_raised_and_observed() -> None:
    told: list[ObservedTurn] = []
    adapter, _ = scripted([TextDelta(text="a"), ModelBroken()])
    with Observers(listeners=(told.append,)).watching(ORIGIN), pytest.raises(ModelBroken):
        await taken(adapter)
    [one] = told[0].generations
    assert (one.ok, one.stopped) == (False, False)
    assert one.first_text_s is not None
    assert one.content is None
