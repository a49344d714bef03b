"""Calls that a model repeats or tries to undo."""

from agents.adapters.base import ToolChoice
from agents.events import Finished, ToolFinished
from tests.agents.engine.echo import Echo, events
from tests.agents.scripts import ScriptedAdapter, call, calls, says


async def test_change_is_not_undone_in_same_answer() -> None:
    undo = call("undo_changes", '{"what": "last"}', id="u")
    executor = Echo()
    more = call("undo_changes", '{"what": "today"}', id="u2")
    adapter = ScriptedAdapter([calls(undo), calls(more, call("write")), calls(undo), says("It is there.")])

    seen = await events(adapter, executor)

    told = [(event.call.id, event.ok) for event in seen if isinstance(event, ToolFinished)]
    assert told == [("u", True), ("u2", True), ("call-1", True), ("u", False)]
    assert executor.order.count("begin u") == 1


async def test_repeated_failure_gets_advice_then_ends_tools() -> None:
    failing = [calls(call("read", '{"id": "x"}', id=f"{number}")) for number in range(3)]
    adapter, executor = ScriptedAdapter([*failing, says("It is not there.")]), Echo(ok=False)

    seen = await events(adapter, executor)

    told = [event.text for event in seen if isinstance(event, ToolFinished)]
    assert ["same call" in text for text in told] == [False, True, True]
    assert [len(request.tools) for request in adapter.requests] == [2] * 4
    assert [request.params.tool_choice for request in adapter.requests] == [*[ToolChoice.AUTO] * 3, ToolChoice.NONE]
    assert seen[-1] == Finished(text="It is not there.", tool_rounds=3)


async def test_repeated_read_with_same_result_gets_advice_then_ends_tools() -> None:
    spelled = ('{"id": "x", "n": 1}', '{"id":"x","n":1}', '{"n": 1, "id": "x"}')
    reads = [calls(call("read", arguments, id="1")) for arguments in spelled]
    adapter = ScriptedAdapter([*reads, says("There is nothing.")])

    seen = await events(adapter, Echo())

    told = [event.text for event in seen if isinstance(event, ToolFinished)]
    assert ["Answer the user now" in text for text in told] == [False, True, True]
    assert adapter.requests[-1].params.tool_choice is ToolChoice.NONE
    assert seen[-1] == Finished(text="There is nothing.", tool_rounds=3)


async def test_change_is_repeated_within_round_but_not_in_later_round() -> None:
    both = [call("write", "{}", id="1"), call("write", "{}", id="2")]
    other = call("write", '{"x": 1}', id="4")
    adapter = ScriptedAdapter([calls(*both), calls(call("write", "{}", id="3"), other), says("Three.")])
    executor = Echo()

    seen = await events(adapter, executor)

    assert [one for one in executor.order if one.startswith("end")] == ["end 1", "end 2", "end 4"]
    told = {event.call.id: event.text for event in seen if isinstance(event, ToolFinished)}
    assert told["3"].startswith("You have made this very change already")


async def test_different_or_separated_failures_are_not_repetition() -> None:
    wanted = [("read", "1"), ("read", "2"), ("read", "1"), ("write", "1"), ("read", "1")]
    failing = [calls(call(name, f'{{"id": "{row}"}}', id=str(at))) for at, (name, row) in enumerate(wanted)]
    adapter = ScriptedAdapter([*failing, says("I cannot find it.")])

    seen = await events(adapter, Echo(ok=False))

    assert not any("same call" in event.text for event in seen if isinstance(event, ToolFinished))
    assert {request.params.tool_choice for request in adapter.requests[:-1]} == {ToolChoice.AUTO}
