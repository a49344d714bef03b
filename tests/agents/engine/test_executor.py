import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from agents.adapters.base import UserMessage
from agents.calls import Row, Rows, Table
from agents.engine.executor import MAX_TEXT_BYTES, ToolExecutor
from agents.errors import AgentError, ClientAbsent, ClientRefused, ClientSilent, ModelRetry, ToolFailed
from agents.events import ToolCall
from agents.permissions.approvals.consent import Gate
from agents.tools.arguments import URGENCY_WORDS, WHEN_WORDS
from agents.tools.context import CallContext
from agents.tools.routes import Route
from agents.tools.rows import ToolResult, item
from agents.tools.spec import Agent, Risk, ToolSpec
from tests.agents.approving import Allowed


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.tools.spec._tools", {})


def executor(
    context: CallContext,
    *,
    raising: Exception | None = None,
    saying: str = "ok",
    rows: tuple[Row, ...] = (),
    gate: Gate | None = None,
    acted: list[str] | None = None,
) -> ToolExecutor:
    class Look(ToolSpec):
        """Look."""

        agent = Agent.TASKS
        risk = Risk.READ
        label = "Looking"

        async def execute(self) -> ToolResult:
            if raising is not None:
                raise raising
            return ToolResult(text=saying, rows={Table.TASKS: Rows(rows=rows)})

    class Change(Look):
        """Change."""

        risk = Risk.WRITE
        what: str = Route.prompt("What.")

    ticks = iter([10.0, 10.25])
    return ToolExecutor([Look, Change], context, gate=gate, acted=acted, clock=lambda: next(ticks))


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(id="1", name=name, arguments=json.dumps(arguments))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"due_date": "2026-12-25", "priority": "high"}, "due_date, priority"),
        ({"due_date": None, "priority": "medium"}, ""),
        ({"due_date": "2026-12-25", "priority": "medium"}, "due_date"),
    ],
)
async def test_model_is_told_which_arguments_were_left_out(
    context: CallContext, arguments: dict[str, object], told: str
) -> None:
    class Plan(ToolSpec):
        """Plan."""

        agent = Agent.TASKS
        risk = Risk.WRITE
        label = "Planning"
        title: str = Route.prompt("Title.")
        due_date: str | None = Route.prompt("Due.", default=None, founded=WHEN_WORDS)
        priority: str = Route.prompt("Priority.", default="medium", founded=URGENCY_WORDS)

        async def execute(self) -> ToolResult:
            return ToolResult(text=f"Planned for {self.due_date}.")

    tools = ToolExecutor([Plan], context, gate=Allowed())
    tools.follow([UserMessage(text="Create a task “Trip”")])
    note = f"\n[Left out, since nothing was said of it: {told}. Do not tell the user that it was set.]" if told else ""

    outcome = await tools.dispatch(call("plan", title="Trip", **arguments))

    assert outcome.text == f"Planned for None.{note}"


class RecordingGate(Allowed):
    """Records the changes that are asked about together."""

    def __init__(self, *, asks: bool) -> None:
        self.asks = asks
        self.asked: list[list[object]] = []

    @asynccontextmanager
    async def together(self, tools: Sequence[ToolSpec], context: CallContext) -> AsyncIterator[None]:
        self.asked.append([tool.arguments for tool in tools])
        yield


@pytest.mark.parametrize(("asks", "asked"), [(True, [[{"what": "a"}, {"what": "b"}]]), (False, [])])
async def test_changes_of_one_reply_are_asked_about_together(
    context: CallContext, asks: bool, asked: list[list[object]]
) -> None:
    gate = RecordingGate(asks=asks)
    tools = executor(context, gate=gate)
    async with tools.round([call("change", what="a"), call("look"), call("change", what="b"), call("change")]):
        assert gate.asked == asked
        # The calls themselves still run one by one.
        assert (await tools.dispatch(call("change", what="a"))).ok
    async with tools.round([call("change", what="a"), call("look")]):
        assert gate.asked == asked


async def test_outcome_has_text_and_duration(context: CallContext) -> None:
    outcome = await executor(context).dispatch(call("look"))

    assert (outcome.text, outcome.ok, outcome.duration_ms) == ("ok", True, 250)


async def test_labels_and_risks_come_from_tools(context: CallContext) -> None:
    tools = executor(context)

    assert [tools.label(call(name)) for name in ("look", "change", "fly")] == ["Looking", "Looking", ""]
    assert [tools.reads(call(name)) for name in ("look", "change", "fly")] == [True, False, True]


async def test_unknown_tool_is_reported_with_known_tools(context: CallContext) -> None:
    outcome = await executor(context).dispatch(call("fly"))

    assert (outcome.text, outcome.ok) == ("There is no tool named 'fly'. The tools are: look, change.", False)


async def test_unknown_tool_is_answered_with_similar_names(context: CallContext) -> None:
    outcome = await executor(context).dispatch(call("changes"))

    assert outcome.text == "There is no tool named 'changes'. Did you mean change? The tools are: look, change."


def test_call_gets_name_of_tool_that_is_meant(context: CallContext) -> None:
    tools = executor(context)

    assert [tools.named(call(name)).name for name in ("look", "Look", "functions.look", "fly")] == [
        *["look"] * 3,
        "fly",
    ]


def test_name_of_unknown_tool_is_made_valid(context: CallContext) -> None:
    tools, names = executor(context), ("multi_tool_use.parallel", "fly è\nhigh", "", "f" * 100_000)

    assert [tools.named(call(name)).name for name in names] == [
        "multi_tool_use_parallel",
        "fly___high",
        "unnamed",
        "f" * 64,
    ]


@pytest.mark.parametrize(
    ("name", "error", "told"),
    [
        ("look", ModelRetry("Give a date."), "Give a date."),
        ("look", ToolFailed("No way."), "No way."),
        ("look", ToolFailed(), "The tool cannot do this."),
        ("look", ClientRefused("disk full"), "The user's device refused: disk full"),
        ("look", ClientAbsent(), "The user's device is not connected, so nothing was read or changed. Tell the user."),
        (
            "look",
            ClientSilent(),
            "The user's device did not answer in time, so nothing could be read. Tell the user.",
        ),
        (
            "change",
            ClientSilent(),
            (
                "The user's device did not answer in time. The outcome is unknown: the change may or may not have "
                "happened. Do not repeat it; tell the user to check."
            ),
        ),
    ],
)
async def test_failures_are_reported_in_a_sentence(
    name: str, error: AgentError, told: str, context: CallContext
) -> None:
    outcome = await executor(context, raising=error).dispatch(call(name, **({"what": "x"} if name == "change" else {})))

    assert (outcome.text, outcome.ok) == (told, False)
    assert outcome.unknown == ("outcome is unknown" in told)


@pytest.mark.parametrize(
    ("name", "error", "acted"),
    [
        ("look", None, []),
        ("look", ClientSilent(), []),
        ("change", None, ["change"]),
        ("change", ClientSilent(), ["change"]),
        ("change", KeyError("oops"), ["change"]),
        ("change", ModelRetry("There is no such row."), []),
    ],
)
async def test_calls_that_changed_or_may_have_changed_something_are_recorded(
    name: str, error: Exception | None, acted: list[str], context: CallContext
) -> None:
    noted: list[str] = []
    tools = executor(context, raising=error, acted=noted)
    await tools.dispatch(call(name, **({"what": "x"} if name == "change" else {})))

    assert noted == acted


async def test_unexpected_error_is_logged_without_arguments_and_reported_without_detail(
    context: CallContext, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        outcome = await executor(context, raising=KeyError("oops")).dispatch(call("change", what="my secret"))

    assert outcome.text.startswith("The tool failed unexpectedly (incident ")
    assert "oops" not in outcome.text
    assert "change" in caplog.text
    assert "my secret" not in caplog.text


async def test_long_text_is_truncated_with_note(context: CallContext) -> None:
    outcome = await executor(context, saying="é" * MAX_TEXT_BYTES).dispatch(call("look"))

    kept, _, said = outcome.text.rpartition("\n")
    assert kept == "é" * (MAX_TEXT_BYTES // 2)
    assert said == f"[{MAX_TEXT_BYTES} more bytes are left out.]"


async def test_rows_are_returned_with_text_that_names_them(context: CallContext) -> None:
    rows: tuple[Row, ...] = ({"id": "t1", "title": "A"},)
    outcome = await executor(context, saying='- "A" [id t1]', rows=rows).dispatch(call("look"))

    assert (outcome.text, outcome.rows) == ('- "A" [id t1]', {Table.TASKS: Rows(rows=rows)})


async def test_rows_beyond_truncation_are_counted_as_omitted(context: CallContext) -> None:
    rows: tuple[Row, ...] = ({"id": "t1", "title": "A"}, {"id": "t2", "title": "B"})
    text = "\n".join(f"- {item(str(row['title']) * MAX_TEXT_BYTES, (), str(row['id']))}" for row in rows)
    outcome = await executor(context, saying=f'- "A" [id t1]\n{text}', rows=rows).dispatch(call("look"))

    assert outcome.rows == {Table.TASKS: Rows(rows=rows[:1], omitted=1)}


async def test_failure_has_no_rows(context: CallContext) -> None:
    rows: tuple[Row, ...] = ({"id": "t1"},)
    outcome = await executor(context, raising=ToolFailed("No."), rows=rows).dispatch(call("look"))

    assert (outcome.ok, outcome.rows) == (False, {})


@pytest.mark.parametrize("said", ["Send an e-mail to Anna.", "What will the weather be tomorrow?"])
async def test_request_that_no_tool_can_fulfil_changes_nothing(said: str, context: CallContext) -> None:
    tools = executor(context)
    tools.follow([UserMessage(text=said)])

    outcome = await tools.dispatch(call("change", what="An e-mail to Anna"))

    assert not outcome.ok
    assert outcome.text.startswith("None of your tools can do this, so nothing was done.")
