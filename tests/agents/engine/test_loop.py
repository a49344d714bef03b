import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from uuid import uuid4

import pytest

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelParams,
    SystemMessage,
    ToolChoice,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.calls import NamedRows, Rows, Table
from agents.engine import loop
from agents.engine.executor import ToolExecutor
from agents.engine.rounds import ToolOutcome
from agents.errors import ModelBroken, ModelRefused, ModelUnavailable
from agents.events import (
    AgentEvent,
    Finished,
    ModelState,
    ModelStopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
)
from agents.prompts.rendering import remembered_text
from agents.tools.rows import CARDS_SHOWN
from memory.recalled import ItemKind, Recalled, RecalledItem
from tests.agents.scripts import Reply, ScriptedAdapter, call, calls, says

MESSAGES: list[Message] = [SystemMessage(text="be kind"), UserMessage(text="hello")]


APART = "\n\n"
WRITE = ToolSchema(name="write", description="", parameters={})


@dataclass
class Echo(ToolExecutor):
    """Tools that answer with their ids; those named ``write…`` write, after ``allowed`` is set if it is given.

    ``wrong`` are the ids of calls that fail, and are told what would be right. ``told`` is what all are told.
    """

    schemas: Sequence[ToolSchema] = (ToolSchema(name="read", description="", parameters={}), WRITE)
    order: list[str] = field(default_factory=list)
    gate: asyncio.Barrier | None = None
    allowed: asyncio.Event | None = None
    ok: bool = True
    told: str = ""
    correctable: bool = False
    wrong: Collection[str] = ()
    choices: Sequence[str] = ()
    unknown: bool = False
    rows: NamedRows = field(default_factory=dict)

    def follow(self, conversation: Sequence[Message]) -> None:
        return None

    @asynccontextmanager
    async def round(self, calls: Sequence[ToolCall]) -> AsyncIterator[None]:
        yield

    def named(self, call: ToolCall) -> ToolCall:
        return call

    def label(self, call: ToolCall) -> str:
        return f"{call.name}ing"

    def reads(self, call: ToolCall) -> bool:
        return not call.name.startswith("write")

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        self.order.append(f"begin {call.id}")
        if self.allowed is not None and not self.reads(call):
            on_waiting()
            async with asyncio.timeout(5):
                await self.allowed.wait()
        if self.gate is not None and self.reads(call):
            async with asyncio.timeout(5):
                await self.gate.wait()
        self.order.append(f"end {call.id}")
        return ToolOutcome(
            text=self.told or f"answer to {call.id}",
            ok=self.ok and call.id not in self.wrong,
            duration_ms=0,
            rows=self.rows,
            correctable=self.correctable or call.id in self.wrong,
            choices=self.choices,
            unknown=self.unknown,
        )


async def events(
    adapter: ScriptedAdapter, dispatcher: Echo, messages: Sequence[Message] = MESSAGES
) -> list[AgentEvent]:
    return [event async for event in loop.run(adapter, messages, dispatcher, ModelParams())]


async def test_plain_answer_is_streamed_and_finished() -> None:
    adapter = ScriptedAdapter([[TextDelta(text="Hi"), TextDelta(text="!"), Usage(input_tokens=3, output_tokens=2)]])

    assert await events(adapter, Echo()) == [
        TextDelta(text="Hi"),
        TextDelta(text="!"),
        Usage(input_tokens=3, output_tokens=2),
        Finished(text="Hi!", tool_rounds=0),
    ]
    assert adapter.requests[0].messages == MESSAGES


async def test_tool_answer_is_in_the_next_request() -> None:
    wanted = call("read", '{"x": 1}')
    adapter = ScriptedAdapter([calls(wanted, text="Let me look. "), says("Done.")])

    assert await events(adapter, Echo()) == [
        TextDelta(text="Let me look. "),
        ToolStarted(call=wanted, label="reading"),
        ToolFinished(call=wanted, text="answer to call-1", ok=True, duration_ms=0),
        TextDelta(text="Done."),
        Finished(text="Let me look. Done.", tool_rounds=1),
    ]
    assert adapter.requests[1].messages == [
        *MESSAGES,
        AssistantMessage(text="Let me look. ", tool_calls=(wanted,)),
        ToolMessage(call_id="call-1", text="answer to call-1"),
    ]


async def test_a_call_that_the_model_writes_as_text_is_run_and_not_shown() -> None:
    written = 'Let me look.\n<tool_call>\n{"name": "read", "arguments": {"x": 1}}\n</tool_call>'
    adapter = ScriptedAdapter([says(*written), says("Done.")])

    seen = await events(adapter, Echo())

    wanted = call("read", '{"x": 1}', id="text-0-0")
    assert [event for event in seen if not isinstance(event, TextDelta)] == [
        ToolStarted(call=wanted, label="reading"),
        ToolFinished(call=wanted, text="answer to text-0-0", ok=True, duration_ms=0),
        Finished(text="Let me look.\nDone.", tool_rounds=1),
    ]
    assert adapter.requests[1].messages[-2] == AssistantMessage(text="Let me look.\n", tool_calls=(wanted,))


CUT_CALL = '<tool_call>{"name": "write", "arguments": {"content": "The first'
LIMIT = ModelStopped(reason=StopReason.LENGTH)
CUT_OFF = "The last step became too long for the model and was cut off, so it is not done."


async def test_a_call_in_the_text_that_the_length_limit_cuts_off_is_not_run_and_the_model_is_told() -> None:
    adapter = ScriptedAdapter([[TextDelta(text=CUT_CALL), LIMIT], says("That is too long for me.")])
    echo = Echo()

    seen = await events(adapter, echo)

    assert (echo.order, seen[-1]) == ([], Finished(text="That is too long for me.", tool_rounds=0))
    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[Your message was cut off")


@pytest.mark.parametrize(("written", "shown"), [(CUT_CALL, ""), (f"Let me. {CUT_CALL}", "Let me. \n\n"), ("", "")])
async def test_the_user_is_told_of_a_call_that_is_cut_off_again(written: str, shown: str) -> None:
    adapter = ScriptedAdapter([[TextDelta(text=written), LIMIT], [TextDelta(text=written), LIMIT]])
    echo = Echo()

    assert (await events(adapter, echo))[-1] == Finished(text=f"{shown}{CUT_OFF}", tool_rounds=0)
    assert echo.order == []


async def test_calls_before_the_one_that_the_length_limit_cuts_off_are_run() -> None:
    whole = '<tool_call>{"name": "read", "arguments": {"x": 1}}</tool_call>'
    adapter = ScriptedAdapter([[TextDelta(text=f"{whole}{CUT_CALL}"), LIMIT], says("Well.")])
    echo = Echo()

    assert (await events(adapter, echo))[-1] == Finished(text="Well.", tool_rounds=1)
    assert echo.order == ["begin text-0-0", "end text-0-0"]
    assert "the last call in it was not run" in adapter.requests[1].messages[-1].text


LOST = ModelStopped(reason=StopReason.LENGTH, lost_call=True)


@pytest.mark.parametrize(
    ("said", "shown"),
    [(says("It is too long.")[:-1], "It is too long."), ([TextDelta(text="Now."), LOST], f"Now.\n\n{CUT_OFF}")],
)
async def test_a_call_of_the_wire_that_the_length_limit_cuts_off_after_a_text_is_told(said: Reply, shown: str) -> None:
    adapter = ScriptedAdapter([[TextDelta(text="I write it down."), LOST], said])
    echo = Echo()

    assert (await events(adapter, echo))[-1] == Finished(text=f"I write it down.\n\n{shown}", tool_rounds=0)
    assert adapter.requests[1].messages[-1].text.startswith("[Your message was cut off")
    assert echo.order == []


async def test_the_model_is_told_of_a_call_that_the_length_limit_cuts_off_beside_others() -> None:
    adapter = ScriptedAdapter([[call("write"), LOST], says("Well.")])
    echo = Echo()

    assert (await events(adapter, echo))[-1] == Finished(text="Well.", tool_rounds=1)
    assert echo.order == ["begin call-1", "end call-1"]
    assert "the last call in it was not run" in adapter.requests[1].messages[-1].text


async def test_of_too_many_calls_in_a_message_the_first_are_run_and_the_model_is_told() -> None:
    wanted = [call("write", f'{{"x": {number}}}', id=f"w{number}") for number in range(500)]
    adapter = ScriptedAdapter([calls(*wanted), says("There were too many.")])
    echo = Echo()

    seen = await events(adapter, echo)

    made = [event.call.id for event in seen if isinstance(event, ToolFinished)]
    assert made == [each.id for each in wanted[: loop.MAX_CALLS]]
    asked, *told, limit = adapter.requests[1].messages[len(MESSAGES) :]
    assert isinstance(asked, AssistantMessage)
    assert [each.id for each in asked.tool_calls] == made
    assert [each.call_id for each in told if isinstance(each, ToolMessage)] == made
    assert limit.text.startswith("[Your message had 500 calls, and only the first 50 were run.")
    assert [event.is_last for event in seen if isinstance(event, ToolFinished)].index(True) == loop.MAX_CALLS - 1


async def test_a_call_that_has_begun_when_the_same_one_is_written_too_often_is_not_run() -> None:
    same = '{"name": "read", "arguments": {}}'
    adapter = ScriptedAdapter([says(f'{same * 4}{{"name": "write", "arguments": {{}}'), says("Well.")])
    echo = Echo()

    assert (await events(adapter, echo))[-1] == Finished(text="Well.", tool_rounds=1)
    assert all("text-0-4" not in each for each in echo.order)


async def test_calls_of_the_wire_are_not_run_again_because_they_are_in_the_text_too() -> None:
    adapter = ScriptedAdapter([calls(call("read"), text='{"name": "read", "arguments": {}}'), says("Well.")])
    echo = Echo()
    await events(adapter, echo)

    assert echo.order == ["begin call-1", "end call-1"]


async def test_a_hint_goes_with_the_first_rows_and_only_there() -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1"},))}
    adapter = ScriptedAdapter([calls(call("read", id="a"), call("read", id="b")), says("Well.")])
    async for _ in loop.run(adapter, MESSAGES, Echo(rows=rows), ModelParams(), with_rows="[Draw it.]"):
        pass

    told = [message.text for message in adapter.requests[1].messages if isinstance(message, ToolMessage)]
    assert told == ["answer to a\n\n[Draw it.]", "answer to b"]


async def test_a_claim_without_a_change_is_objected_to_once_and_then_corrected() -> None:
    adapter = ScriptedAdapter([says("Created the task."), says("Created the task.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Created the task.\n\nI have not changed anything.", tool_rounds=0)
    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[Nothing was changed")


async def test_nothing_is_said_to_be_unchanged_if_a_change_may_have_happened() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("Created the task."), says("Created the task.")])

    seen = await events(adapter, Echo(ok=False, unknown=True))

    unknown = "Your device did not answer, so I do not know whether this was changed. Please check."
    assert seen[-1] == Finished(text=f"Created the task.\n\n{unknown}", tool_rounds=1)
    assert adapter.requests[2].messages[-1].text.startswith("[The user's device did not answer: the change may")


EARLIER: list[Message] = [
    MESSAGES[0],
    UserMessage(text="Which tasks of the garden are open?"),
    AssistantMessage(text="", tool_calls=(call("read"),)),
    ToolMessage(call_id="call-1", text='Found 1 task:\n- "Order compost" [id t1]'),
    AssistantMessage(text="I found: “Order compost”."),
]
CREATED: list[Message] = [
    MESSAGES[0],
    UserMessage(text="Create a task “Buy milk”"),
    AssistantMessage(text="", tool_calls=(call("write"),)),
    ToolMessage(call_id="call-1", text='Created the task "Buy milk" (todo) [id t1].'),
    AssistantMessage(text="I created the task “Buy milk”."),
]


@pytest.mark.parametrize("earlier", [CREATED, [*CREATED[:2], CREATED[-1]]], ids=["with results", "without results"])
@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Thanks!", "You're welcome! I've created the task “Buy milk” as you asked."),
        ("I can't see it", "I created the task “Buy milk” without a project."),
        ("Sure?", "Yes. The task “Buy milk” has been created."),
        ("Grazie, riepiloga cosa hai fatto", "Ho creato l'attività “Buy milk”."),
    ],
)
async def test_what_an_earlier_turn_has_done_may_be_told_again(
    earlier: list[Message], message: str, answer: str
) -> None:
    adapter = ScriptedAdapter([says(answer)])

    seen = await events(adapter, Echo(), [*earlier, UserMessage(text=message)])

    assert seen[-1] == Finished(text=answer, tool_rounds=0)


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        (CREATED, "Create a task “Buy bread”"),
        (EARLIER, "Thanks!"),
        ([*CREATED[:2], AssistantMessage(text="Created the task.\n\nI have not changed anything.")], "Thanks!"),
    ],
    ids=["an order", "nothing changed before", "a claim that was corrected"],
)
async def test_other_claims_after_an_earlier_turn_are_corrected(earlier: list[Message], message: str) -> None:
    claim = "I created the task “Buy bread” for you."
    adapter = ScriptedAdapter([says(claim), says(f"Well: {claim}"), says(claim)])

    seen = await events(adapter, Echo(), [*earlier, UserMessage(text=message)])

    assert seen[-1].text.endswith("I have not changed anything.") if isinstance(seen[-1], Finished) else False


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (["Draft an email to Marco about the budget"], "Hi Marco,\n\nI have updated the budget.\n\nBest,\nAnna"),
        (["Draft a reply to the client about the invoice"], "Dear Ms Rossi,\n\nI sent the invoice on Monday."),
        (["Translate to English: Ho inviato il contratto."], "I sent the contract."),
        (["Scrivi una mail a Luca"], "Ciao Luca,\n\nHo spostato la riunione: è assegnata a Giorgio.\n\nA presto"),
        (["Draft an email to Marco about the budget", "Shorter, please"], "Hi Marco,\n\nI have updated the budget."),
    ],
)
async def test_a_text_that_the_user_wants_claims_nothing(messages: list[str], answer: str) -> None:
    adapter = ScriptedAdapter([says(answer)])

    seen = await events(adapter, Echo(), [MESSAGES[0], *(UserMessage(text=each) for each in messages)])

    assert seen[-1] == Finished(text=answer, tool_rounds=0)


@pytest.mark.parametrize(
    ("second", "shown"),
    [
        (["Created", " the task", ".\n"], ["Created the task.", "\n\nI have not changed anything."]),
        (["Created", " the note."], ["Created the task.", "\n\nCreated the note.", "\n\nI have not changed anything."]),
        (["Created"], ["Created the task.", "\n\nCreated", "\n\nI have not changed anything."]),
    ],
)
async def test_a_message_that_only_repeats_the_one_before_is_not_shown(second: list[str], shown: list[str]) -> None:
    adapter = ScriptedAdapter([says("Created the task."), says(*second)])

    seen = await events(adapter, Echo())

    assert [event.text for event in seen if isinstance(event, TextDelta)] == shown
    assert seen[-1] == Finished(text="".join(shown), tool_rounds=0)


async def test_what_the_model_was_told_of_its_answer_is_not_shown_when_it_repeats_that() -> None:
    adapter = ScriptedAdapter([says("Created the task."), *[lambda request: says(*request.messages[-1].text)] * 2])

    seen = await events(adapter, Echo())

    assert adapter.requests[1].messages[-1].text.startswith("[Nothing was changed")
    assert seen[-1] == Finished(text="Created the task.\n\nI have not changed anything.", tool_rounds=0)


async def test_a_model_that_makes_its_claim_true_is_not_corrected() -> None:
    adapter = ScriptedAdapter([says("Created the task."), calls(call("write")), says("It is there.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Created the task.\n\nIt is there.", tool_rounds=1)


async def test_a_model_that_takes_its_claim_back_is_not_corrected() -> None:
    adapter = ScriptedAdapter([says("Created the task."), says("I have not created it: which project?")])

    assert (await events(adapter, Echo()))[-1] == Finished(
        text="Created the task.\n\nI have not created it: which project?", tool_rounds=0
    )


UNDO = "I have not changed anything."


@pytest.mark.parametrize(
    ("second", "added"),
    [
        ("You should give a valid id.", [UNDO]),
        ("Which of the two do you mean?", []),
        ("I could not find it.", []),
    ],
)
async def test_a_model_that_tells_its_mistake_instead_of_calling_again_is_told_to(
    second: str, added: list[str]
) -> None:
    asked = [MESSAGES[0], UserMessage(text="Mark it as done.")]
    adapter = ScriptedAdapter([calls(call("write")), says("The id is wrong."), says(second)])

    seen = await events(adapter, Echo(ok=False, correctable=True), asked)

    assert getattr(adapter.requests[2].messages[-1], "text", "").startswith("[Your call failed")
    assert seen[-1] == Finished(text="\n\n".join(["The id is wrong.", second, *added]), tool_rounds=1)


@pytest.mark.parametrize(("correctable", "answer"), [(False, "There is no such task."), (True, "Which one?")])
async def test_a_model_that_cannot_do_better_is_not_asked_again(correctable: bool, answer: str) -> None:
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])

    assert (await events(adapter, Echo(ok=False, correctable=correctable)))[-1] == Finished(text=answer, tool_rounds=1)


async def test_what_an_earlier_result_says_of_its_cards_is_not_shown_when_the_model_repeats_it() -> None:
    before = 'Created the task "Frame it" [id {id}].\n' + CARDS_SHOWN + '\n- "Frame it" [id {id}]'
    asked = [
        MESSAGES[0],
        AssistantMessage(text="", tool_calls=(call("write"),)),
        ToolMessage(call_id="call-1", text=before.format(id="928e7c01-254a-5610-a349-bb00694b35e1")),
        UserMessage(text="It is for Giulia."),
    ]
    adapter = ScriptedAdapter([says(*before.format(id="t1")), calls(call("write")), says("Giulia does it.")])

    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))

    seen = await events(adapter, tools, asked)

    told = getattr(adapter.requests[1].messages[-1], "text", "")
    assert told.startswith("[Your answer was empty, and nothing was changed.")
    assert "updates it now, with its id" in told
    assert seen[-1] == Finished(text="Giulia does it.", tool_rounds=1)


@pytest.mark.parametrize("copied", ["I found: “Order compost”.", 'I found: "Order compost".', "Mark “it” as done."])
async def test_a_copy_of_the_last_answer_or_of_the_message_is_not_shown_and_a_call_required(copied: str) -> None:
    adapter = ScriptedAdapter([says(copied), calls(call("write_row")), says("It is done.")])
    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))

    seen = await events(adapter, tools, [*EARLIER, UserMessage(text="Mark “it” as done.")])

    choices = [request.params.tool_choice for request in adapter.requests]
    assert choices == [ToolChoice.AUTO, ToolChoice.REQUIRED, ToolChoice.AUTO]
    assert seen[-1] == Finished(text="It is done.", tool_rounds=1)


async def test_a_copy_that_the_model_insists_on_is_shown() -> None:
    adapter = ScriptedAdapter([says("I found: “Order compost”."), says("I found: “Order compost”.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And of the balcony?")])

    assert seen[-1] == Finished(text="I found: “Order compost”.", tool_rounds=0)


async def test_the_same_short_answer_may_be_given_twice() -> None:
    earlier = [*EARLIER[:-1], AssistantMessage(text="You are welcome.")]
    adapter = ScriptedAdapter([says("You are welcome.")])

    seen = await events(adapter, Echo(), [*earlier, UserMessage(text="Thanks again!")])

    assert seen[-1] == Finished(text="You are welcome.", tool_rounds=0)


@pytest.mark.parametrize(
    ("message", "choice"),
    [
        ("Mark it as done.", ToolChoice.REQUIRED),
        ("It is for Giulia.", ToolChoice.REQUIRED),
        ("Thank you very much!", ToolChoice.AUTO),
    ],
)
async def test_a_claim_of_a_change_that_was_wanted_requires_a_call(message: str, choice: ToolChoice) -> None:
    adapter = ScriptedAdapter([says("I marked it as done."), says("I have changed nothing.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text=message)])

    assert [request.params.tool_choice for request in adapter.requests] == [ToolChoice.AUTO, choice]
    told = getattr(adapter.requests[1].messages[-1], "text", "")
    assert ("Call the tool that does what the user wants now" in told) is (choice is ToolChoice.REQUIRED)
    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.startswith("I marked it as done.\n\nI have changed nothing.")


async def test_a_change_that_the_user_has_refused_is_not_required_again() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("I deleted the task."), says("I did not.")])

    await events(adapter, Echo(ok=False), [MESSAGES[0], UserMessage(text="Delete the task.")])

    assert {request.params.tool_choice for request in adapter.requests} == {ToolChoice.AUTO}


async def test_a_failed_call_is_not_required_again_because_what_comes_close_may_not_be_meant() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("There is no “Buy silk”."), says("There is none.")])
    executor = Echo(ok=False, correctable=True, choices=["“Buy milk”"])

    await events(adapter, executor, [MESSAGES[0], UserMessage(text="Mark “Buy silk” as done.")])

    assert {request.params.tool_choice for request in adapter.requests} == {ToolChoice.AUTO}


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Create a project plan for moving house", "First pack the books. Then call the movers."),
        ("Remove the comments from this code: x = 1 # one", "x = 1"),
        ("Delete the project Garden", "Please confirm that you want me to delete it with its 12 tasks."),
        ("Create a task “Buy milk”", "There is already a task called “Buy milk”."),
        ("Rename it", "I need the new title for that."),
        ("Wow, that was quick!", "You are welcome!"),
    ],
)
async def test_what_heeds_a_message_is_not_objected_to(message: str, answer: str) -> None:
    adapter = ScriptedAdapter([says(answer)])

    assert (await events(adapter, Echo(), [*EARLIER, UserMessage(text=message)]))[-1] == Finished(
        text=answer, tool_rounds=0
    )


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Wow, that was quick!", "Happy to help! I've moved it to Friday as you asked."),
        ("Make this text shorter: a, b and again b", "I've removed the repetition: a, b."),
        ("Mark it as done.", "This task is marked as done."),
    ],
)
async def test_a_call_is_not_required_unless_a_change_was_told_and_claimed(message: str, answer: str) -> None:
    adapter = ScriptedAdapter([says(answer), says("I have changed nothing.")])

    await events(adapter, Echo(), [*EARLIER, UserMessage(text=message)])

    assert {request.params.tool_choice for request in adapter.requests} == {ToolChoice.AUTO}


@pytest.mark.parametrize("message", ["Sorry, say that again.", "In English please", "Repeat it word by word"])
async def test_what_is_to_be_repeated_is_repeated(message: str) -> None:
    adapter = ScriptedAdapter([says("I found: “Order compost”.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text=message)])

    assert seen[-1] == Finished(text="I found: “Order compost”.", tool_rounds=0)


async def test_a_server_that_refuses_a_required_call_is_asked_without() -> None:
    claimed = says("I marked it as done.")
    adapter = ScriptedAdapter([claimed, [ModelRefused()], calls(call("write")), says("It is done.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="Mark it as done.")])

    choices = [request.params.tool_choice for request in adapter.requests]
    assert choices == [ToolChoice.AUTO, ToolChoice.REQUIRED, ToolChoice.AUTO, ToolChoice.AUTO]
    assert seen[-1] == Finished(text="I marked it as done.\n\nIt is done.", tool_rounds=1)


@pytest.mark.parametrize(
    "answer",
    ["I'm sorry, but I can't assist with that.", "I have changed nothing.", "Nothing was changed."],
)
async def test_a_denial_after_a_change_gives_way_to_what_was_changed(answer: str) -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))}
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])

    seen = await events(adapter, Echo(rows=rows), [MESSAGES[0], UserMessage(text="Set it to high priority.")])

    assert seen[-1] == Finished(text="Changed: “Buy milk”.", tool_rounds=1)


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, I couldn't find “Buy milk”, but the other is done.",
        "I'm sorry, I can't send anything, but it is named.",
    ],
)
async def test_what_could_not_be_done_is_told(answer: str) -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Pay rent"},))}
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])

    seen = await events(adapter, Echo(rows=rows), [MESSAGES[0], UserMessage(text="Mark both as done.")])

    assert seen[-1] == Finished(text=answer, tool_rounds=1)


async def test_a_copied_list_of_cards_alone_is_as_good_as_empty() -> None:
    adapter = ScriptedAdapter([says(f"{CARDS_SHOWN}\n- “Order compost”"), says("You are welcome.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="Thanks!")])

    assert seen[-1] == Finished(text="You are welcome.", tool_rounds=0)


async def test_a_refusal_in_the_middle_of_a_conversation_is_asked_for_the_call_once() -> None:
    refusal = "I'm sorry, but I don't have access to the Harbour website."
    adapter = ScriptedAdapter([says(refusal), calls(call("read")), says("Four.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And in Harbour website?")])

    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[The user goes on")
    assert adapter.requests[1].params.tool_choice is ToolChoice.REQUIRED
    assert seen[-1] == Finished(text="Four.", tool_rounds=1)


async def test_a_call_whose_arguments_have_no_end_is_not_made() -> None:
    endless = ['{"name": "write", "arguments": {"title": "', *["milk, "] * 2000]
    adapter = ScriptedAdapter([[*says(*endless)[:-1], RuntimeError("read too far")], says("What is it to say?")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="What is it to say?", tool_rounds=0)


async def test_a_message_that_makes_the_same_call_for_ever_is_ended() -> None:
    again = '<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>\n'
    adapter = ScriptedAdapter([[*says(*[again] * 4, "more")[:-2], RuntimeError("read too far")], says("Two.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Two.", tool_rounds=1)


async def test_rows_that_were_asked_for_are_told_though_the_answer_names_their_page() -> None:
    found: NamedRows = {
        Table.PROJECTS: Rows(rows=({"id": "p1", "name": "Garden"},)),
        Table.TASKS: Rows(rows=({"id": "t1", "title": "Order compost"}, {"id": "t2", "title": "Prune the roses"})),
    }
    answer = "The user has asked to see the tasks on the project “Garden”."
    adapter = ScriptedAdapter([calls(call("read")), says(answer)])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text="Which tasks are open here?")])

    assert seen[-1] == Finished(text=f"{answer}\n\nI found: “Order compost”, “Prune the roses”.", tool_rounds=1)


@pytest.mark.parametrize(
    ("asked", "answer", "added"),
    [
        ("Which open tasks does Anna have?", "", "I found: “Buy milk”."),
        ("Which open tasks does Anna have?", "She has some.", "\n\nI found: “Buy milk”."),
        ("How many open tasks does Anna have?", "She has 1 task.", ""),
        ("How many open tasks does Anna have?", "She has 2 tasks.", "\n\nIn all: 1."),
        ("Which open tasks does annA have?", "", "I found: “Buy milk”, “Pay rent”."),
    ],
)
async def test_of_a_list_of_all_only_what_is_for_the_person_is_told(asked: str, answer: str, added: str) -> None:
    rows = ({"id": "1", "title": "Buy milk", "assignee": '["Anna Verdi"]'}, {"id": "2", "title": "Pay rent"})
    listed = calls(call("list_rows", '{"status": "open", "project_id": "Anna\'s project"}'))
    adapter = ScriptedAdapter([listed, says(answer), says(answer)])

    seen = await events(adapter, Echo(rows={Table.TASKS: Rows(rows=rows)}), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=f"{answer}{added}", tool_rounds=1)


async def test_a_change_that_was_only_claimed_is_required_of_the_tools_that_change() -> None:
    claim = "The task has been moved to Friday."
    adapter = ScriptedAdapter([says(claim), calls(call("write")), says("It is due on Friday.")])

    await events(adapter, Echo(), [*EARLIER, UserMessage(text="Move it to Friday.")])

    assert adapter.requests[1].params.tool_choice is ToolChoice.REQUIRED
    assert adapter.requests[1].params.required_tools == ["write"]
    assert adapter.requests[2].params.required_tools == ()


async def test_an_apology_of_several_sentences_gives_way_to_what_was_changed() -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy stamps"},))}
    apology = "I'm sorry, but I don't have enough information to answer. Can you please provide more details of it?"
    adapter = ScriptedAdapter([calls(call("write")), calls(call("write")), says(apology)])

    seen = await events(adapter, Echo(rows=rows), [MESSAGES[0], UserMessage(text="Create a task “Buy stamps”.")])

    assert seen[-1] == Finished(text=f"{apology}\n\nChanged: “Buy stamps”.", tool_rounds=2)


@pytest.mark.parametrize(("language", "told"), [("it", " Answer in Italian (it).]"), ("en-GB", " or two.]")])
async def test_a_model_that_is_asked_once_more_is_told_the_language(language: str, told: str) -> None:
    adapter = ScriptedAdapter([says(""), says("Ecco.")])

    _ = [event async for event in loop.run(adapter, MESSAGES, Echo(), ModelParams(language=language))]

    assert getattr(adapter.requests[1].messages[-1], "text", "").endswith(told)


@pytest.mark.parametrize("brackets", ["[{}]", "{}", "`{}`"])
async def test_what_the_model_was_told_of_its_answer_is_not_shown(brackets: str) -> None:
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "1", "title": "Buy milk"},))}
    tool = ToolSchema(name="list_rows", description="", parameters={})
    told = brackets.format("The tool has run and only read: nothing was created or changed.")
    adapter = ScriptedAdapter([calls(call("list_rows")), says("You can use `list_rows`."), says(told), says("")])

    seen = await events(
        adapter, Echo(schemas=(tool,), rows=found), [MESSAGES[0], UserMessage(text="Which tasks are open?")]
    )

    assert seen[-1] == Finished(text="I found: “Buy milk”.", tool_rounds=1)


async def test_nothing_is_shown_of_a_text_before_a_required_call() -> None:
    refusal = "I'm sorry, but I don't have access to the Harbour website."
    adapter = ScriptedAdapter([says(refusal), calls(call("read"), text="The page says four of them."), says("Four.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And in Harbour website?")])

    assert seen[-1] == Finished(text="Four.", tool_rounds=1)


async def test_a_message_that_does_not_come_to_its_required_call_is_cut() -> None:
    refusal = "I'm sorry, but I don't have access to the Harbour website."
    rambling = [*says(*(f" (task {number} is due later)" for number in range(200)))[:-1], RuntimeError("read too far")]
    adapter = ScriptedAdapter([says(refusal), rambling, calls(call("read")), says("Four.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And in Harbour website?")])

    assert [request.params.tool_choice for request in adapter.requests][1] is ToolChoice.REQUIRED
    assert seen[-1] == Finished(text="Four.", tool_rounds=1)


async def test_an_apology_is_shown_where_there_is_nothing_else_to_say() -> None:
    refusal = "I'm sorry, but I cannot send e-mails."
    adapter = ScriptedAdapter([says("I'm sor", "ry, but I cannot send", " e-mails.")])

    assert (await events(adapter, Echo()))[-1] == Finished(text=refusal, tool_rounds=0)


async def test_a_message_without_an_end_is_ended_and_its_call_is_made() -> None:
    written = '```json\n{"name": "read", "arguments": {}}\n```'
    adapter = ScriptedAdapter([[*says(written, *["\n\n"] * 500)[:-1], RuntimeError("read too far")], says("Two.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Two.", tool_rounds=1)
    assert adapter.closed == 2


@pytest.mark.parametrize("said", ["I'm sorry to hear that.", "Mi dispiace per il tuo gatto."])
async def test_sympathy_before_a_call_is_shown(said: str) -> None:
    adapter = ScriptedAdapter([calls(call("read"), text=said), says("Two are due.")])

    assert (await events(adapter, Echo()))[-1] == Finished(text=f"{said}Two are due.", tool_rounds=1)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("What will the weather be tomorrow?", "It will be sunny.\n\nI cannot do that: I only see and change what"),
        ("What do my notes say about the weather?", "It will be sunny."),
        ("How do exchange rates work?", "It will be sunny."),
        ("What is a weather front?", "It will be sunny."),
    ],
)
async def test_what_no_row_tells_is_not_made_up(message: str, shown: str) -> None:
    adapter = ScriptedAdapter([says("It will be sunny."), says("It will be sunny.")])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text=message)])

    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.startswith(shown)


async def test_what_the_model_was_told_of_cards_is_left_out_of_an_answer() -> None:
    adapter = ScriptedAdapter([says(f"Created it.\n{CARDS_SHOWN[:15]}", f'{CARDS_SHOWN[15:]}\n- "Order chairs"')])
    asked = [MESSAGES[0], UserMessage(text="What did you do?")]

    seen = await events(adapter, Echo(), asked)

    assert seen[-1] == Finished(text="Created it.\n", tool_rounds=0)


@pytest.mark.parametrize(
    ("message", "choices", "shown"),
    [
        ("Mark it as done.", [], UNDO),
        ("Mark it as done.", ["“A”", "“B”"], "Which one do you mean: “A”, “B”?"),
        ("What is on today?", [], "That did not work."),
    ],
)
@pytest.mark.parametrize("correctable", [False, True])
async def test_what_the_model_was_told_of_a_failed_call_is_no_answer(
    message: str, choices: Sequence[str], shown: str, correctable: bool
) -> None:
    copied = says("```\nanswer ", "to call-1\n", "```")
    adapter = ScriptedAdapter([calls(call("write"), text="```\n"), copied, copied])
    executor = Echo(ok=False, correctable=correctable, choices=choices)

    seen = await events(adapter, executor, [MESSAGES[0], UserMessage(text=message)])

    begun = "[Your call failed" if correctable else "[Your answer was empty"
    assert getattr(adapter.requests[2].messages[-1], "text", "").startswith(begun)
    assert seen[-1] == Finished(text=shown, tool_rounds=1)


async def test_the_beginning_of_what_the_model_was_told_is_no_answer() -> None:
    refusal = "The user has asked to see something, so nothing is changed. Answer with what you read."
    adapter = ScriptedAdapter(
        [says("The user has asked to see ", "something, so nothing is changed."), says("It is 4.")]
    )
    asked = [
        MESSAGES[0],
        AssistantMessage(text="", tool_calls=(call("read"),)),
        ToolMessage(call_id="call-1", text=f"{refusal}\n{CARDS_SHOWN}"),
        UserMessage(text="What is the number?"),
    ]

    assert (await events(adapter, Echo(), asked))[-1] == Finished(text="It is 4.", tool_rounds=0)


async def test_a_call_that_is_only_described_is_asked_for() -> None:
    described = "I will use the `list_tasks` function with `status`: “open”."
    adapter = ScriptedAdapter([says(described), calls(call("list_tasks")), says("Two.")])
    executor = Echo(schemas=(ToolSchema(name="list_tasks", description="", parameters={}), WRITE))

    assert (await events(adapter, executor))[-1] == Finished(text="Two.", tool_rounds=1)
    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[You have only described")


async def test_a_call_that_is_described_with_its_parameters_is_made_unless_one_was_made_before() -> None:
    described = 'I used `write` with the following parameters:\n- `x`: "1"'
    adapter = ScriptedAdapter([says(described), says(described), says("It is there.")])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text="Set x to 1.")])

    made = [event.call for event in seen if isinstance(event, ToolStarted)]
    assert made == [ToolCall(id="text-0-0", name="write", arguments='{"x": "1"}')]
    assert seen[-1] == Finished(text="It is done.", tool_rounds=1)


async def test_a_call_that_is_described_once_more_with_what_it_lacked_is_made() -> None:
    wrong, right = (f"I used `write` with the following parameters:\n- `x`: {each}" for each in ("one", "1"))
    adapter = ScriptedAdapter([says(wrong), says(right), says("It is there.")])
    executor = Echo(wrong={"text-0-0"})

    seen = await events(adapter, executor, [MESSAGES[0], UserMessage(text="Set x to 1.")])

    made = [event.call.arguments for event in seen if isinstance(event, ToolStarted)]
    assert made == ['{"x": "one"}', '{"x": 1}']
    assert seen[-1] == Finished(text="It is there.", tool_rounds=2)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("To see the tasks, I will use the `read` function:\n- `status`: None\n\nThen I filter.\n", ""),
        ("Gladly. To do this, you can use the following command:\n\n", "Gladly. "),
        ("Per vedere le attività userò `read`.", ""),
        ("I’ll look at your tasks.", "I’ll look at your tasks."),
        ("To do today: three things.", "To do today: three things."),
        ("Tomorrow is free. I read", "Tomorrow is free. I read"),
        ("I can read and write. ", "I can read and write. "),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_what_announces_a_call_is_not_shown_with_it(said: str, shown: str, size: int) -> None:
    wanted, cut = call("read"), [said[at : at + size] for at in range(0, len(said), size)]
    adapter = ScriptedAdapter([[*says(*cut)[:-1], *calls(wanted)], says("Two.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text=f"{shown}Two.", tool_rounds=1)
    assert "".join(event.text for event in seen if isinstance(event, TextDelta)) == f"{shown}Two."
    assert AssistantMessage(text=said, tool_calls=(wanted,)) in adapter.requests[1].messages


@pytest.mark.parametrize("said", ["To see tasks there is a tool: `read`.", "To do: read this.", "You can call `read`"])
async def test_an_answer_that_names_a_tool_and_calls_none_is_shown(said: str) -> None:
    seen = await events(ScriptedAdapter([says(*said)]), Echo())

    assert seen[-1] == Finished(text=said, tool_rounds=0)


async def test_what_was_done_is_told_where_the_answer_is_the_users_own_message() -> None:
    asked = UserMessage(text="Crea un'attività «Comprare i francobolli» per domani.")
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Comprare i francobolli"},))}
    adapter = ScriptedAdapter([calls(call("write")), says("Crea un'attività «Comprare i francobolli» per domani")])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], asked])

    assert getattr(seen[-1], "text", "").endswith("\n\nChanged: “Comprare i francobolli”.")


async def test_the_user_is_told_that_it_failed_where_the_model_tells_only_how_to_call_a_tool() -> None:
    asked = UserMessage(text="What is in the note?")
    adapter = ScriptedAdapter([calls(call("read_note")), says("You can use the `read_note` function.")])
    tools = Echo(schemas=(ToolSchema(name="read_note", description="", parameters={}),), ok=False)

    seen = await events(adapter, tools, [MESSAGES[0], asked])

    assert seen[-1] == Finished(text="That did not work.", tool_rounds=1)


async def test_an_answer_that_was_held_back_is_shown_where_the_model_only_repeats_it() -> None:
    said = "You can call `create_task` with a title."
    tools = Echo(schemas=(ToolSchema(name="create_task", description="", parameters={}),))

    seen = await events(ScriptedAdapter([says(said), says(said)]), tools)

    assert seen[-1] == Finished(text=said, tool_rounds=0)


async def test_what_is_said_besides_an_announcement_is_not_lost_where_the_server_adds_something() -> None:
    said = "Done, I added “Buy milk” for John Doe. I used `write_row` for it. Shall I move the rent to Friday?"
    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))
    adapter = ScriptedAdapter([calls(call("write_row")), says(said)])

    seen = await events(adapter, tools, [MESSAGES[0], UserMessage(text="Add “Buy milk”")])

    assert getattr(seen[-1], "text", "").startswith(said)


@pytest.mark.parametrize("answer", ["Please tell me which one to mark as done.", "Quale intendi"])
async def test_a_question_that_the_model_asks_is_not_asked_once_more(answer: str) -> None:
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])
    tools = Echo(ok=False, choices=("“Rent” (Home)", "“Rent” (Office)"))

    assert (await events(adapter, tools))[-1] == Finished(text=answer, tool_rounds=1)


async def test_a_long_sentence_is_shown_however_it_ends() -> None:
    said = "To " + "find out more " * 20 + "I will use `read`."
    adapter = ScriptedAdapter([[*says(*said)[:-1], *calls(call("read"))], says("Two.")])

    assert getattr((await events(adapter, Echo()))[-1], "text", "").startswith(said)


async def test_what_was_changed_in_an_answer_is_not_undone_in_it() -> None:
    undo = call("undo_changes", '{"what": "last"}', id="u")
    executor = Echo()
    more = call("undo_changes", '{"what": "today"}', id="u2")
    adapter = ScriptedAdapter([calls(undo), calls(more, call("write")), calls(undo), says("It is there.")])

    seen = await events(adapter, executor)

    told = [(event.call.id, event.ok) for event in seen if isinstance(event, ToolFinished)]
    assert told == [("u", True), ("u2", True), ("call-1", True), ("u", False)]
    assert executor.order.count("begin u") == 1


async def test_an_answer_of_brackets_alone_is_an_empty_one() -> None:
    adapter = ScriptedAdapter([says("{}\n"), says("There is nothing.")])

    assert (await events(adapter, Echo()))[-1].text.endswith("There is nothing.")  # type: ignore[union-attr]
    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[Your answer was empty")


async def test_a_claim_after_a_change_is_none_of_ours() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("Created the task.")])

    assert (await events(adapter, Echo()))[-1] == Finished(text="Created the task.", tool_rounds=1)


async def test_a_person_that_no_one_named_is_corrected() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("It is there, assigned to John Doe.")])

    *_, added, _ = await events(adapter, Echo())

    assert added == TextDelta(text="\n\nCorrection: I read of no one called “John Doe”, so they are not assigned.")


async def test_an_adapter_gets_the_rows_of_a_tool_and_whether_it_succeeded() -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1"},))}
    adapter = ScriptedAdapter([calls(call("read")), says("No.")])
    await events(adapter, Echo(ok=False, rows=rows))

    assert adapter.requests[1].messages[-1] == ToolMessage(
        call_id="call-1", text="answer to call-1", ok=False, rows=rows
    )


async def test_adjacent_reads_run_together_and_writes_alone() -> None:
    wanted = [call("read", id="r1"), call("read", id="r2"), call("write", id="w"), call("read", id="r3")]
    dispatcher = Echo(gate=None)
    both = asyncio.Barrier(2)

    async def dispatch(tool: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        dispatcher.gate = both if tool.id in {"r1", "r2"} else None
        return await Echo.dispatch(dispatcher, tool, on_waiting=on_waiting)

    dispatcher.dispatch = dispatch  # type: ignore[assignment, method-assign]
    await events(ScriptedAdapter([calls(*wanted), says("ok")]), dispatcher)

    assert dispatcher.order[:2] == ["begin r1", "begin r2"]
    assert dispatcher.order[4:] == ["begin w", "end w", "begin r3", "end r3"]


@pytest.mark.parametrize("ok", [True, False])
async def test_reads_behind_a_change_go_on_while_it_waits_for_a_person_and_later_changes_wait(ok: bool) -> None:
    wanted = [call("write", id="w1"), call("read", id="r1"), call("read", id="r2"), call("write", id="w2")]
    dispatcher = Echo(allowed=asyncio.Event(), ok=ok)
    adapter = ScriptedAdapter([calls(*wanted), says("ok")])

    async def dispatch(tool: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        outcome = await Echo.dispatch(dispatcher, tool, on_waiting=on_waiting)
        if tool.id == "r2":
            assert dispatcher.allowed is not None
            dispatcher.allowed.set()
        return outcome

    dispatcher.dispatch = dispatch  # type: ignore[assignment, method-assign]
    await events(adapter, dispatcher)

    assert dispatcher.order == [
        "begin w1", "begin r1", "end r1", "begin r2", "end r2", "end w1", "begin w2", "end w2",
    ]  # fmt: skip
    told = [getattr(message, "text", "") for message in adapter.requests[1].messages[-4:]]
    late = (
        "\n[This was read while the change before it waited for the user: it does not show that change.]" if ok else ""
    )
    assert told == ["answer to w1", f"answer to r1{late}", f"answer to r2{late}", "answer to w2"]


async def test_the_same_failure_again_gets_advice_and_then_an_end_of_the_tools() -> None:
    failing = [calls(call("read", '{"id": "x"}', id=f"{number}")) for number in range(3)]
    adapter, executor = ScriptedAdapter([*failing, says("It is not there.")]), Echo(ok=False)

    seen = await events(adapter, executor)

    told = [event.text for event in seen if isinstance(event, ToolFinished)]
    assert ["same call" in text for text in told] == [False, True, True]
    assert [len(request.tools) for request in adapter.requests] == [2] * 4
    assert [request.params.tool_choice for request in adapter.requests] == [*[ToolChoice.AUTO] * 3, ToolChoice.NONE]
    assert seen[-1] == Finished(text="It is not there.", tool_rounds=3)


async def test_the_same_read_with_the_same_result_gets_advice_and_then_an_end_of_the_tools() -> None:
    spelled = ('{"id": "x", "n": 1}', '{"id":"x","n":1}', '{"n": 1, "id": "x"}')
    reads = [calls(call("read", arguments, id="1")) for arguments in spelled]
    adapter = ScriptedAdapter([*reads, says("There is nothing.")])

    seen = await events(adapter, Echo())

    told = [event.text for event in seen if isinstance(event, ToolFinished)]
    assert ["Answer the user now" in text for text in told] == [False, True, True]
    assert adapter.requests[-1].params.tool_choice is ToolChoice.NONE
    assert seen[-1] == Finished(text="There is nothing.", tool_rounds=3)


async def test_a_change_is_made_twice_in_one_round_and_not_again_in_a_later_one() -> None:
    both = [call("write", "{}", id="1"), call("write", "{}", id="2")]
    other = call("write", '{"x": 1}', id="4")
    adapter = ScriptedAdapter([calls(*both), calls(call("write", "{}", id="3"), other), says("Three.")])
    executor = Echo()

    seen = await events(adapter, executor)

    assert [one for one in executor.order if one.startswith("end")] == ["end 1", "end 2", "end 4"]
    told = {event.call.id: event.text for event in seen if isinstance(event, ToolFinished)}
    assert told["3"].startswith("You have made this very change already")


@pytest.mark.parametrize(
    "answer",
    [
        "This is the response from the tool.",
        "Here are the results of your query:",
        "I'm sorry, but I can't assist with that.",
        "I apologize, but I did not receive a response from the user.",
    ],
)
async def test_what_says_nothing_gives_way_to_what_was_found(answer: str) -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))}
    adapter = ScriptedAdapter([calls(call("read")), says(answer)])

    seen = await events(adapter, Echo(rows=rows), [MESSAGES[0], UserMessage(text="Which tasks are overdue?")])

    assert seen[-1] == Finished(text="I found: “Buy milk”.", tool_rounds=1)


@pytest.mark.parametrize(
    ("asked", "answer", "added"),
    [
        ("Which tasks are overdue?", "Buy milk is.", ""),
        ("How many tasks are overdue?", "One.", ""),
        ("Which tasks are overdue?", "Do you mean all of them?", ""),
        ("Which tasks are overdue?", "What tasks are overdue?", "\n\nI found: “Buy milk”."),
        ("Which tasks are due today?", "This task is due today.", "\n\nI found: “Buy milk”."),
        ("Quali attività scadono oggi?", "Ecco una lista.", "\n\nI found: “Buy milk”."),
        ("Quante attività scadono oggi?", "Oggi scadono tre attività.", ""),
        (
            "Which tasks are overdue?",
            "I am sorry, but I cannot provide a response without knowing what the user asked. Please tell me that.",
            "\n\nI found: “Buy milk”.",
        ),
        ("Who is it for?", "That is for Anna, who looks after the milk and after all else that is in the fridge.", ""),
        ("Do what you like.", "All right.", ""),
    ],
)
async def test_what_was_found_is_told_where_the_answer_says_nothing_of_it(asked: str, answer: str, added: str) -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))}
    adapter = ScriptedAdapter([calls(call("read")), says(answer)])

    seen = await events(adapter, Echo(rows=rows), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=answer + added, tool_rounds=1)


async def test_what_was_found_is_told_where_the_model_reads_it_again_and_again_and_then_apologizes() -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))}
    apology = "I apologize, but I cannot provide an answer without knowing the user's query. Please provide the query."
    adapter = ScriptedAdapter([*[calls(call("read"))] * 3, says(""), says(apology)])

    seen = await events(adapter, Echo(rows=rows), [MESSAGES[0], UserMessage(text="Which tasks are overdue?")])

    assert seen[-1] == Finished(text=f"{apology}\n\nI found: “Buy milk”.", tool_rounds=3)


@pytest.mark.parametrize(
    ("asked", "second", "shown"),
    [
        ("How many tasks are open?", "You have 1 open task.", "You have 1 open task."),
        ("How many tasks are open?", "You can use list_rows.", "In all: 1."),
        (
            "How many tasks are open?",
            "I have looked at all of your tasks, at their states and at the days on which they end.",
            "I have looked at all of your tasks, at their states and at the days on which they end.\n\nIn all: 1.",
        ),
        (
            "How many tasks are open?",
            "The tasks that are open: Buy milk.",
            "The tasks that are open: Buy milk.\n\nIn all: 1.",
        ),
        ("Quante attività sono aperte?", "list_rows", "list_rows\n\nIn all: 1."),
        ("Which tasks are open?", "You can use list_rows.", "I found: “Buy milk”."),
    ],
)
async def test_a_model_that_describes_a_call_that_has_been_made_is_asked_for_its_result(
    asked: str, second: str, shown: str
) -> None:
    described = "To find out you can use the `list_rows` function with the `status` parameter."
    tool = ToolSchema(name="list_rows", description="", parameters={})
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))}
    adapter = ScriptedAdapter([calls(call("list_rows")), says(described), says(second)])

    seen = await events(adapter, Echo(schemas=(tool,), rows=found), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=shown, tool_rounds=1)
    assert adapter.requests[2].messages[-1].text.startswith("[The tool has run")


@pytest.mark.parametrize(
    ("asked", "answer", "added"),
    [
        ("Which tasks are due today?", "“Buy milk” is due today.", "\n\nAlso: “Pay rent”."),
        ("Quali attività scadono oggi?", "Oggi scade “Buy milk”.", "\n\nAlso: “Pay rent”."),
        ("Which tasks are due today?", "Buy milk and pay rent.", ""),
        ("Which tasks are due today?", "I did not receive an answer.", "\n\nI found: “Buy milk”, “Pay rent”."),
        ("Which tasks of Anna's are due today?", "“Buy milk” is due today.", ""),
        ("Which tasks are due today?", "Buy milk, pay rent. You have no overdue tasks.", ""),
        ("Which tasks are open?", "“Buy milk” is open.", ""),
        ("Which tasks are due today?", '{"type": "entity_ref", "entity": "task", "ids": ["1", "2"]}', ""),
        ("Which task should I begin with today?", "“Buy milk” is due today.", ""),
        ("How many tasks are due today?", "Two tasks are due today, 27 November.", ""),
        ("How many tasks of Anna's are due today?", "1 task is due today.", ""),
        ("How many hours are left today?", "There are 9.", ""),
    ],
)
async def test_what_an_answer_leaves_out_of_a_list_is_told(asked: str, answer: str, added: str) -> None:
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "1", "title": "Buy milk"}, {"id": "2", "title": "Pay rent"}))}
    due = calls(call("list_rows", '{"due_to": "today"}'))
    adapter = ScriptedAdapter([due, due, says(answer)])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=f"{answer}{added}", tool_rounds=2)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Which open tasks does Anna have?", "I found 2 open tasks for Anna."),
        ("What are Anna's open tasks?", "There are two."),
        ("How many open tasks does Anna have?", "Anna has 1 open task."),
    ],
)
async def test_what_was_found_for_someone_is_told(asked: str, answer: str) -> None:
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "1", "title": "Buy milk"}, {"id": "2", "title": "Pay rent"}))}
    listed = calls(call("list_rows", '{"status": "open", "assignee": "Anna"}'))

    seen = await events(
        ScriptedAdapter([listed, says(answer)]), Echo(rows=found), [MESSAGES[0], UserMessage(text=asked)]
    )

    added = "In all: 2." if asked.startswith("How") else "I found: “Buy milk”, “Pay rent”."
    assert seen[-1] == Finished(text=f"{answer}\n\n{added}", tool_rounds=1)


@pytest.mark.parametrize(
    ("asked", "answer", "is_wrong"),
    [
        ("How many open tasks do I have?", "You have 3 open tasks.", True),
        ("How many open tasks do I have?", "You have 2 open tasks.", False),
        ("How many open tasks do I have?", "Two open tasks, the first since 24 November.", False),
        ("How many open tasks do I have?", "You have 2 open tasks and 3 done tasks.", False),
        ("How many done tasks do I have?", "You have 3 done tasks.", False),
        ("How many projects have open tasks?", "3 projects have open tasks.", False),
        ("Quante attività aperte ho?", "Hai 3 attività aperte.", True),
    ],
)
async def test_a_wrong_count_is_put_right(asked: str, answer: str, *, is_wrong: bool) -> None:
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "1", "title": "Buy milk"}, {"id": "2", "title": "Pay rent"}))}
    adapter = ScriptedAdapter([calls(call("list_rows", '{"status": "open"}')), says(answer)])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=f"{answer}{f'{APART}In all: 2.' if is_wrong else ''}", tool_rounds=1)


@pytest.mark.parametrize("again", [False, True])
async def test_what_was_read_is_not_said_to_be_created(*, again: bool) -> None:
    claim = "The note “Plan” (created Tue 2026-02-24) has been created. It says: beans by the shed."
    found: NamedRows = {Table.NOTES: Rows(rows=({"id": "1", "title": "Plan", "content": "Beans by the shed."},))}
    second = claim.replace("It says", "It contains") if again else "“Plan” says: beans by the shed."
    adapter = ScriptedAdapter([calls(call("read")), says(claim), says(second)])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text="Read the note “Plan”.")])

    assert adapter.requests[2].messages[-1].text.startswith("[The tool has run and only read")
    assert seen[-1] == Finished(text=f"{claim}\n\n{second}\n\nI have not changed anything.", tool_rounds=1)


@pytest.mark.parametrize(
    "answer",
    ["“Plan” has been created by Anna.", "“Plan” was created on Tuesday.", "Nothing has been created.", "It is done."],
)
async def test_what_is_told_of_creation_is_no_claim(answer: str) -> None:
    found: NamedRows = {Table.NOTES: Rows(rows=({"id": "1", "title": "Plan"},))}
    adapter = ScriptedAdapter([calls(call("read")), says(f"{answer} That is all of the note “Plan”.")])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text="When was “Plan” created?")])

    assert seen[-1] == Finished(text=f"{answer} That is all of the note “Plan”.", tool_rounds=1)


STATES: NamedRows = {
    Table.TASKS: Rows(
        rows=tuple(
            {"id": str(number), "title": f"Task {number}", "status": status, "priority": "low"}
            for number, status in enumerate(["todo", "todo", "in_progress"])
        )
    )
}


@pytest.mark.parametrize(
    ("asked", "answer", "drawn"),
    [
        (
            "Show me a pie chart of my tasks by status.",
            "There are 3 tasks.",
            (
                '{"chartType": "pie", "title": "Tasks by status", "data": [{"name": "to do", "value": 2}, '
                '{"name": "in progress", "value": 1}]}'
            ),
        ),
        (
            "Mostrami un grafico delle attività per priorità.",
            "Ecco.",
            '{"chartType": "bar", "title": "Tasks by priority", "data": [{"name": "low", "value": 3}]}',
        ),
        ("Show me a chart of my tasks by status.", '```chart\n{"data": {"todo": 2}}\n```', ""),
        ("Show me a chart of my tasks by month.", "There are 3 tasks.", ""),
        ("Show me a chart of my overdue tasks by priority.", "There are 3 tasks.", ""),
        ("List my tasks by status, not as a chart.", "There are 3 tasks.", ""),
        ("Elenca le mie attività per stato, senza grafico.", "Sono 3.", ""),
        ("Show me a chart of my tasks by status.", '{"type": "pie", "data": {"todo": 2}}', ""),
    ],
)
async def test_a_chart_that_was_asked_for_is_drawn(asked: str, answer: str, drawn: str) -> None:
    adapter = ScriptedAdapter([calls(call("list_rows")), says(answer)])
    executor = Echo(schemas=(ToolSchema(name="list_rows", description="", parameters={}),), rows=STATES)
    messages = [MESSAGES[0], UserMessage(text=asked)]

    seen = [event async for event in loop.run(adapter, messages, executor, ModelParams(), with_rows="[How to draw.]")]

    added = f"\n\n```chart\n{drawn}\n```" if drawn else ""
    assert seen[-1] == Finished(text=f"{answer}{added}", tool_rounds=1)


@pytest.mark.parametrize(
    ("asked", "answer", "is_told"),
    [
        ("What is my favourite tea?", "Please check your notes.", True),
        ("What is my favourite tea?", "Assam & Ceylon.", False),
        ("What is the favourite tea of Anna?", "I do not know.", False),
        ("What do my notes say about coffee?", "Nothing.", False),
    ],
)
async def test_what_is_remembered_is_told_where_a_tool_does_not_find_it(
    asked: str, answer: str, *, is_told: bool
) -> None:
    pairs = [("favourite tea", "Assam & Ceylon"), ("address", "formal")]
    items = [RecalledItem(id=uuid4(), kind=ItemKind.PREFERENCE, key=key, text=value) for key, value in pairs]
    remembered = remembered_text(Recalled(items=items))
    adapter = ScriptedAdapter([calls(call("read")), says(answer), says("It is Assam.")])
    missing = Echo(ok=False, told='There is no note with the id or title "tea".')
    messages = [MESSAGES[0], UserMessage(text=f"It is Friday.\n\n{remembered}"), UserMessage(text=asked)]

    seen = await events(adapter, missing, messages)

    if is_told:
        assert '{"favourite tea": "Assam & Ceylon"}' in adapter.requests[2].messages[-1].text
        assert seen[-1] == Finished(text=f"{answer}\n\nIt is Assam.", tool_rounds=1)
    else:
        assert seen[-1] == Finished(text=answer, tool_rounds=1)


async def test_comments_that_were_asked_for_are_told() -> None:
    found: NamedRows = {
        Table.TASK_COMMENTS: Rows(rows=({"id": "1", "content": "Half."}, {"id": "2", "content": "All."}))
    }
    adapter = ScriptedAdapter(
        [calls(call("list_task_comments", '{"task_id": "Buy milk"}')), says("It has 2 comments.")]
    )
    asked = "What are the comments on the task “Buy milk”?"

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text="It has 2 comments.\n\nI found: “Half.”, “All.”.", tool_rounds=1)


@pytest.mark.parametrize(
    ("asked", "arguments", "is_told"),
    [
        ("Quali attività scadono oggi?", '{"due_from": "today", "due_to": "today", "overdue": false}', True),
        ("Quali attività scadono oggi?", '{"project_id": "p1"}', False),
        # Of these it may well be none.
        ("Quali attività di Giorgio scadono oggi?", '{"due_to": "today"}', False),
    ],
)
async def test_what_was_found_is_told_where_the_answer_denies_it(asked: str, arguments: str, is_told: bool) -> None:
    found: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Comprare il latte"},))}
    denied = "Non ho trovato nessuna attività in scadenza oggi."
    adapter = ScriptedAdapter([calls(call("list_rows", arguments)), says(denied)])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text=asked)])

    added = "\n\nI found: “Comprare il latte”." if is_told else ""
    assert seen[-1] == Finished(text=f"{denied}{added}", tool_rounds=1)


@pytest.mark.parametrize(
    ("answer", "is_told"),
    [("I have no more information about this.", False), ("It says that tomatoes go along the south wall.", True)],
)
async def test_a_note_that_was_asked_for_is_told_where_the_answer_has_none_of_it(answer: str, is_told: bool) -> None:
    note = {"id": "n1", "title": "Planting plan", "content": "Tomatoes along the south wall, beans beside the shed."}
    adapter = ScriptedAdapter([calls(call("read")), says(answer)])

    seen = await events(
        adapter, Echo(rows={Table.NOTES: Rows(rows=(note,))}), [MESSAGES[0], UserMessage(text="Read the planting plan")]
    )

    added = "" if is_told else f"\n\nI found: “Planting plan”.\n\n{note['content']}"
    assert seen[-1] == Finished(text=answer + added, tool_rounds=1)


LONG_NOTE = (
    "The owner wants the website online before Easter, with an order form that works on phones. Photographs of bread "
    "come from a professional. Prices change every month, therefore she must be able to edit them herself. Payment by "
    "card is not needed at first. The newsletter goes out monthly to nine hundred subscribers. Colours: warm brown, "
    "cream, a little green. Hosting moves in February. The budget is three thousand euros, half now. Here we meet."
)


@pytest.mark.parametrize(
    ("asked", "answer", "is_told"),
    [
        (
            "Summarise the note “Bakery” in a sentence",
            "She wants a website before Easter, for three thousand euros.",
            True,
        ),
        ("What does the note “Bakery” say about colours?", "Warm brown and cream.", True),
        ("Riassumi la nota “Bakery”", f"La titolare vuole un sito {'e altre cose ' * 12}entro aprile.", True),
        ("Summarise the note “Bakery”", "Here is the note “Bakery”.", False),
        ("Read the note “Bakery”", "This note is about a meeting.", False),
    ],
)
async def test_a_short_answer_may_tell_enough_of_a_long_note(asked: str, answer: str, *, is_told: bool) -> None:
    note = {"id": "n1", "title": "Bakery", "content": LONG_NOTE}
    adapter = ScriptedAdapter([calls(call("read")), says(answer)])

    seen = await events(adapter, Echo(rows={Table.NOTES: Rows(rows=(note,))}), [MESSAGES[0], UserMessage(text=asked)])

    added = "" if is_told else f"\n\nI found: “Bakery”.\n\n{LONG_NOTE}"
    assert seen[-1] == Finished(text=answer + added, tool_rounds=1)


async def test_a_question_that_the_model_does_not_ask_is_asked() -> None:
    tools = Echo(ok=False, correctable=True, choices=("“Rent” (Home)", "“Rent” (Office)"))
    adapter = ScriptedAdapter([calls(call("write")), says("Mark it as done."), says("Mark it as done.")])

    seen = await events(adapter, tools, [MESSAGES[0], UserMessage(text="Mark “Rent” as done.")])

    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.endswith("Which one do you mean: “Rent” (Home), “Rent” (Office)?")


async def test_what_no_tool_can_do_is_not_claimed() -> None:
    adapter = ScriptedAdapter([says("I sent an e-mail to Anna."), says("I have sent the e-mail.")])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text="Send an e-mail to Anna")])

    assert isinstance(seen[-1], Finished)
    assert (
        seen[-1]
        .text.partition("\n\n")[2]
        .endswith("I cannot do that: I only see and change what you keep here, such as tasks and notes.")
    )


@pytest.mark.parametrize(
    ("tool", "ok", "added"),
    [
        ("read", True, "\n\nI found: “Buy milk”."),
        ("write", True, "\n\nCreated: “Buy milk”."),
        ("write", False, ""),
    ],
)
async def test_an_answer_that_only_repeats_why_a_call_failed_is_completed(tool: str, ok: bool, added: str) -> None:
    class Failing(Echo):
        """The second call fails."""

        def reads(self, call: ToolCall) -> bool:
            return tool == "read"

        async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
            self.ok = ok and call.id == "1"
            self.rows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))} if self.ok else {}
            return await super().dispatch(call, on_waiting=on_waiting)

    name = "read" if tool == "read" else "create_it"
    both = [calls(call(name, f'{{"x": {each}}}', id=each)) for each in "12"]
    adapter = ScriptedAdapter([*both, says("Answer to 2.")])

    asked = "What is there?" if tool == "read" else "Create it"
    seen = await events(adapter, Failing(), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=f"Answer to 2.{added}", tool_rounds=2)


OUT_OF_REACH = "I cannot do that: I only see and change what you keep here, such as tasks and notes."


@pytest.mark.parametrize(
    ("asked", "replies", "answer"),
    [
        ("Send an e-mail to Anna", ["", ""], OUT_OF_REACH),
        ("Send an e-mail to Anna", ["All right."], f"All right.\n\n{OUT_OF_REACH}"),
        ("Send an e-mail to Anna", ["I cannot send e-mails."], "I cannot send e-mails."),
        ("Remind me to send an e-mail to Anna", ["All right."], "All right."),
    ],
)
async def test_what_no_tool_can_do_is_declined(asked: str, replies: list[str], answer: str) -> None:
    adapter = ScriptedAdapter([says(reply) for reply in replies])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=answer, tool_rounds=0)
    assert not any("call it now" in request.messages[-1].text for request in adapter.requests)


async def test_a_model_without_an_answer_is_asked_for_the_call_and_then_for_more_than_its_description() -> None:
    tool = ToolSchema(name="read_rows", description="", parameters={})
    adapter = ScriptedAdapter([says(""), says("You would call read_rows."), calls(call("read_rows")), says("One.")])

    seen = await events(adapter, Echo(schemas=(tool,)), [MESSAGES[0], UserMessage(text="How many?")])

    assert seen[-1] == Finished(text="One.", tool_rounds=1)
    told = [request.messages[-1].text for request in adapter.requests[1:3]]
    assert "call it now" in told[0]
    assert "Make the call now" in told[1]


async def test_a_model_that_calls_what_it_does_not_have_is_told_so() -> None:
    tool = ToolSchema(name="read_rows", description="", parameters={})
    written = '<tools>\n  <draw_chart kind="pie"/>\n</tools>'
    adapter = ScriptedAdapter([says(written), says("I cannot draw.")])

    seen = await events(adapter, Echo(schemas=(tool,)), [MESSAGES[0], UserMessage(text="Draw a pie")])

    assert seen[-1] == Finished(text="I cannot draw.", tool_rounds=0)
    assert adapter.requests[1].messages[-1].text.startswith("[There is no tool named draw_chart")


async def test_a_model_that_finds_nothing_without_looking_is_told_to_look() -> None:
    tool = ToolSchema(name="read_rows", description="", parameters={})
    adapter = ScriptedAdapter([says("I found no notes about it."), calls(call("read_rows")), says("It is 1234.")])

    seen = await events(adapter, Echo(schemas=(tool,)), [MESSAGES[0], UserMessage(text="What do my notes say of it?")])

    assert isinstance(seen[-1], Finished)
    assert seen[-1].tool_rounds == 1


async def test_failures_of_other_calls_or_with_others_between_them_are_not_the_same_again() -> None:
    wanted = [("read", "1"), ("read", "2"), ("read", "1"), ("write", "1"), ("read", "1")]
    failing = [calls(call(name, f'{{"id": "{row}"}}', id=str(at))) for at, (name, row) in enumerate(wanted)]
    adapter = ScriptedAdapter([*failing, says("I cannot find it.")])

    seen = await events(adapter, Echo(ok=False))

    assert not any("same call" in event.text for event in seen if isinstance(event, ToolFinished))
    assert {request.params.tool_choice for request in adapter.requests[:-1]} == {ToolChoice.AUTO}


async def test_a_call_whose_arguments_are_no_object_is_sent_back_as_one() -> None:
    broken = [call("read", text, id=str(at)) for at, text in enumerate(('{"id": 1', "{'id': 1,}", '{"id":1}'))]
    adapter = ScriptedAdapter([calls(*broken), says("Done.")])

    await events(adapter, Echo())

    sent = adapter.requests[1].messages[len(MESSAGES)]
    assert isinstance(sent, AssistantMessage)
    assert [each.arguments for each in sent.tool_calls] == ["{}", '{"id": 1}', '{"id":1}']


@pytest.mark.parametrize("arguments", ["{}", "[1]"])
async def test_what_a_models_server_wants_back_goes_back_with_the_call(arguments: str) -> None:
    state = ModelState(owner="server model", items="[]")
    wanted = replace(call("read", arguments), state=state)
    adapter = ScriptedAdapter([calls(wanted), says("Done.")])

    await events(adapter, Echo())

    sent = adapter.requests[1].messages[len(MESSAGES)]
    assert isinstance(sent, AssistantMessage)
    assert [each.state for each in sent.tool_calls] == [state]


async def test_after_five_tool_rounds_the_model_must_answer_and_keeps_its_tools() -> None:
    adapter = ScriptedAdapter([*[calls(call("read", id=f"c{n}")) for n in range(5)], says("Enough.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Enough.", tool_rounds=5)
    assert [len(request.tools) for request in adapter.requests] == [2] * 6
    assert [request.params.tool_choice for request in adapter.requests] == [*["auto"] * 5, "none"]


async def test_every_request_begins_with_the_one_before() -> None:
    adapter = ScriptedAdapter([calls(call("write")), calls(call("read")), says(), says("Created it."), says("Done.")])
    await events(adapter, Echo(ok=False))

    for shorter, longer in pairwise(request.messages for request in adapter.requests):
        assert longer[: len(shorter)] == shorter


async def test_a_model_that_calls_tools_though_it_must_answer_is_answered_for() -> None:
    rows: NamedRows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Buy milk"},))}
    adapter = ScriptedAdapter([calls(call("read", id=f"c{n}")) for n in range(7)])

    *_, words, last = await events(adapter, Echo(rows=rows))

    assert words == TextDelta(text="I found: “Buy milk”.")
    assert last == Finished(text="I found: “Buy milk”.", tool_rounds=5)
    assert len(adapter.requests) == 7


async def test_a_silent_model_is_asked_once_more() -> None:
    adapter = ScriptedAdapter([says("\n"), says("Hi!")])

    assert await events(adapter, Echo()) == [TextDelta(text="Hi!"), Finished(text="Hi!", tool_rounds=0)]
    assert adapter.requests[1].messages == [
        *MESSAGES,
        UserMessage(text="[Your answer was empty. Answer the user now, in a sentence or two.]"),
    ]


async def test_a_silent_model_is_broken_and_a_refusing_one_refuses() -> None:
    with pytest.raises(ModelBroken, match="without an answer"):
        await events(ScriptedAdapter([says(), says(" ")]), Echo())
    with pytest.raises(ModelRefused):
        await events(ScriptedAdapter([[ModelRefused()]]), Echo())


async def test_a_failing_model_fails_the_loop_after_what_it_said() -> None:
    adapter = ScriptedAdapter([[TextDelta(text="Half"), ModelUnavailable("gone")]])
    seen: list[AgentEvent] = []

    async def watch() -> None:
        async for event in loop.run(adapter, MESSAGES, Echo(), ModelParams()):
            seen.append(event)  # noqa: PERF401 - what came before the failure counts

    with pytest.raises(ModelUnavailable, match="gone"):
        await watch()

    assert seen == [TextDelta(text="Half")]


async def test_closing_the_loop_closes_the_model_stream() -> None:
    adapter = ScriptedAdapter([says("one", "two")])
    running = loop.run(adapter, MESSAGES, Echo(), ModelParams())

    assert await anext(running) == TextDelta(text="one")
    await running.aclose()

    assert adapter.closed == 1
