"""Changes that a model claims and has not made."""

import pytest

from agents.adapters.base import AssistantMessage, Message, ToolChoice, UserMessage
from agents.calls import NamedRows, Rows, Table
from agents.errors import ModelRefused
from agents.events import Finished, TextDelta
from tests.agents.engine.echo import CREATED, EARLIER, MESSAGES, Echo, events
from tests.agents.scripts import ScriptedAdapter, call, calls, says


async def test_claim_without_change_is_objected_to_once_then_corrected() -> None:
    adapter = ScriptedAdapter([says("Created the task."), says("Created the task.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Created the task.\n\nI have not changed anything.", tool_rounds=0)
    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[Nothing was changed")


async def test_unknown_outcome_is_not_reported_as_unchanged() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("Created the task."), says("Created the task.")])

    seen = await events(adapter, Echo(ok=False, unknown=True))

    unknown = "Your device did not answer, so I do not know whether this was changed. Please check."
    assert seen[-1] == Finished(text=f"Created the task.\n\n{unknown}", tool_rounds=1)
    assert adapter.requests[2].messages[-1].text.startswith("[The user's device did not answer: the change may")


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
async def test_change_of_earlier_turn_may_be_reported_again(earlier: list[Message], message: str, answer: str) -> None:
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
    ids=["new order", "no earlier change", "corrected claim"],
)
async def test_other_claims_after_earlier_turn_are_corrected(earlier: list[Message], message: str) -> None:
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
async def test_text_written_on_request_claims_no_change(messages: list[str], answer: str) -> None:
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
async def test_message_that_only_repeats_previous_one_is_not_shown(second: list[str], shown: list[str]) -> None:
    adapter = ScriptedAdapter([says("Created the task."), says(*second)])

    seen = await events(adapter, Echo())

    assert [event.text for event in seen if isinstance(event, TextDelta)] == shown
    assert seen[-1] == Finished(text="".join(shown), tool_rounds=0)


async def test_objection_copied_by_model_is_not_shown() -> None:
    adapter = ScriptedAdapter([says("Created the task."), *[lambda request: says(*request.messages[-1].text)] * 2])

    seen = await events(adapter, Echo())

    assert adapter.requests[1].messages[-1].text.startswith("[Nothing was changed")
    assert seen[-1] == Finished(text="Created the task.\n\nI have not changed anything.", tool_rounds=0)


async def test_claim_that_model_then_fulfils_is_not_corrected() -> None:
    adapter = ScriptedAdapter([says("Created the task."), calls(call("write")), says("It is there.")])

    seen = await events(adapter, Echo())

    assert seen[-1] == Finished(text="Created the task.\n\nIt is there.", tool_rounds=1)


async def test_claim_that_model_retracts_is_not_corrected() -> None:
    adapter = ScriptedAdapter([says("Created the task."), says("I have not created it: which project?")])

    assert (await events(adapter, Echo()))[-1] == Finished(
        text="Created the task.\n\nI have not created it: which project?", tool_rounds=0
    )


@pytest.mark.parametrize(
    ("message", "choice"),
    [
        ("Mark it as done.", ToolChoice.REQUIRED),
        ("It is for Giulia.", ToolChoice.REQUIRED),
        ("Thank you very much!", ToolChoice.AUTO),
    ],
)
async def test_claim_of_requested_change_requires_call(message: str, choice: ToolChoice) -> None:
    adapter = ScriptedAdapter([says("I marked it as done."), says("I have changed nothing.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text=message)])

    assert [request.params.tool_choice for request in adapter.requests] == [ToolChoice.AUTO, choice]
    told = getattr(adapter.requests[1].messages[-1], "text", "")
    assert ("Call the tool that does what the user wants now" in told) is (choice is ToolChoice.REQUIRED)
    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.startswith("I marked it as done.\n\nI have changed nothing.")


async def test_change_refused_by_user_is_not_required_again() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("I deleted the task."), says("I did not.")])

    await events(adapter, Echo(ok=False), [MESSAGES[0], UserMessage(text="Delete the task.")])

    assert {request.params.tool_choice for request in adapter.requests} == {ToolChoice.AUTO}


async def test_failed_call_with_similar_choices_is_not_required_again() -> None:
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
async def test_fitting_answer_without_change_is_accepted(message: str, answer: str) -> None:
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
async def test_call_is_required_only_if_change_is_ordered_and_claimed(message: str, answer: str) -> None:
    adapter = ScriptedAdapter([says(answer), says("I have changed nothing.")])

    await events(adapter, Echo(), [*EARLIER, UserMessage(text=message)])

    assert {request.params.tool_choice for request in adapter.requests} == {ToolChoice.AUTO}


async def test_required_call_that_server_refuses_becomes_optional() -> None:
    claimed = says("I marked it as done.")
    adapter = ScriptedAdapter([claimed, [ModelRefused()], calls(call("write")), says("It is done.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="Mark it as done.")])

    choices = [request.params.tool_choice for request in adapter.requests]
    assert choices == [ToolChoice.AUTO, ToolChoice.REQUIRED, ToolChoice.AUTO, ToolChoice.AUTO]
    assert seen[-1] == Finished(text="I marked it as done.\n\nIt is done.", tool_rounds=1)


async def test_claimed_change_requires_tool_that_writes() -> None:
    claim = "The task has been moved to Friday."
    adapter = ScriptedAdapter([says(claim), calls(call("write")), says("It is due on Friday.")])

    await events(adapter, Echo(), [*EARLIER, UserMessage(text="Move it to Friday.")])

    assert adapter.requests[1].params.tool_choice is ToolChoice.REQUIRED
    assert adapter.requests[1].params.required_tools == ["write"]
    assert adapter.requests[2].params.required_tools == ()


async def test_claim_after_change_is_not_corrected() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("Created the task.")])

    assert (await events(adapter, Echo()))[-1] == Finished(text="Created the task.", tool_rounds=1)


async def test_invented_assignee_is_corrected() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("It is there, assigned to John Doe.")])

    *_, added, _ = await events(adapter, Echo())

    assert added == TextDelta(text="\n\nCorrection: I read of no one called “John Doe”, so they are not assigned.")


@pytest.mark.parametrize("again", [False, True])
async def test_claim_that_row_was_created_is_corrected_if_it_was_only_read(*, again: bool) -> None:
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
async def test_report_of_creation_is_not_claim(answer: str) -> None:
    found: NamedRows = {Table.NOTES: Rows(rows=({"id": "1", "title": "Plan"},))}
    adapter = ScriptedAdapter([calls(call("read")), says(f"{answer} That is all of the note “Plan”.")])

    seen = await events(adapter, Echo(rows=found), [MESSAGES[0], UserMessage(text="When was “Plan” created?")])

    assert seen[-1] == Finished(text=f"{answer} That is all of the note “Plan”.", tool_rounds=1)
