"""How an answer ends: when the model is asked again, and what the server adds."""

from collections.abc import Sequence
from uuid import uuid4

import pytest

from agents.adapters.base import AssistantMessage, ModelParams, ToolChoice, ToolMessage, ToolSchema, UserMessage
from agents.calls import Rows, Table
from agents.engine import loop
from agents.errors import ModelBroken, ModelRefused
from agents.events import Finished, TextDelta
from agents.prompts.rendering import remembered_text
from agents.tools.client import NOTHING_GIVEN
from agents.tools.rows import ASK_WHICH, CARDS_SHOWN
from memory.recalled import ItemKind, Recalled, RecalledItem
from tests.agents.engine.echo import EARLIER, MESSAGES, Echo, events
from tests.agents.scripts import ScriptedAdapter, call, calls, says

UNDO = "I have not changed anything."


@pytest.mark.parametrize(
    ("second", "added"),
    [
        ("You should give a valid id.", [UNDO]),
        ("Which of the two do you mean?", []),
        ("I could not find it.", []),
    ],
)
async def test_model_that_explains_its_mistake_is_told_to_call_again(second: str, added: list[str]) -> None:
    asked = [MESSAGES[0], UserMessage(text="Mark it as done.")]
    adapter = ScriptedAdapter([calls(call("write")), says("The id is wrong."), says(second)])

    seen = await events(adapter, Echo(ok=False, correctable=True), asked)

    assert getattr(adapter.requests[2].messages[-1], "text", "").startswith("[Your call failed")
    assert seen[-1] == Finished(text="\n\n".join(["The id is wrong.", second, *added]), tool_rounds=1)


@pytest.mark.parametrize(("correctable", "answer"), [(False, "There is no such task."), (True, "Which one?")])
async def test_model_that_cannot_correct_call_is_not_asked_again(correctable: bool, answer: str) -> None:
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])

    assert (await events(adapter, Echo(ok=False, correctable=correctable)))[-1] == Finished(text=answer, tool_rounds=1)


async def test_copied_card_text_of_earlier_result_is_not_shown() -> None:
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
async def test_copy_of_last_answer_or_message_is_not_shown_and_requires_call(copied: str) -> None:
    adapter = ScriptedAdapter([says(copied), calls(call("write_row")), says("It is done.")])
    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))

    seen = await events(adapter, tools, [*EARLIER, UserMessage(text="Mark “it” as done.")])

    choices = [request.params.tool_choice for request in adapter.requests]
    assert choices == [ToolChoice.AUTO, ToolChoice.REQUIRED, ToolChoice.AUTO]
    assert seen[-1] == Finished(text="It is done.", tool_rounds=1)


async def test_copy_is_shown_if_model_repeats_it() -> None:
    adapter = ScriptedAdapter([says("I found: “Order compost”."), says("I found: “Order compost”.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And of the balcony?")])

    assert seen[-1] == Finished(text="I found: “Order compost”.", tool_rounds=0)


async def test_short_answer_may_be_given_twice() -> None:
    earlier = [*EARLIER[:-1], AssistantMessage(text="You are welcome.")]
    adapter = ScriptedAdapter([says("You are welcome.")])

    seen = await events(adapter, Echo(), [*earlier, UserMessage(text="Thanks again!")])

    assert seen[-1] == Finished(text="You are welcome.", tool_rounds=0)


@pytest.mark.parametrize("message", ["Sorry, say that again.", "In English please", "Repeat it word by word"])
async def test_answer_is_repeated_on_request(message: str) -> None:
    adapter = ScriptedAdapter([says("I found: “Order compost”.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text=message)])

    assert seen[-1] == Finished(text="I found: “Order compost”.", tool_rounds=0)


async def test_copied_list_of_cards_counts_as_empty_answer() -> None:
    adapter = ScriptedAdapter([says(f"{CARDS_SHOWN}\n- “Order compost”"), says("You are welcome.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="Thanks!")])

    assert seen[-1] == Finished(text="You are welcome.", tool_rounds=0)


async def test_refusal_of_follow_up_question_requires_call_once() -> None:
    refusal = "I'm sorry, but I don't have access to the Harbour website."
    adapter = ScriptedAdapter([says(refusal), calls(call("read")), says("Four.")])

    seen = await events(adapter, Echo(), [*EARLIER, UserMessage(text="And in Harbour website?")])

    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[The user goes on")
    assert adapter.requests[1].params.tool_choice is ToolChoice.REQUIRED
    assert seen[-1] == Finished(text="Four.", tool_rounds=1)


@pytest.mark.parametrize(("language", "told"), [("it", " Answer in Italian (it).]"), ("en-GB", " or two.]")])
async def test_objection_names_language_other_than_english(language: str, told: str) -> None:
    adapter = ScriptedAdapter([says(""), says("Ecco.")])

    _ = [event async for event in loop.run(adapter, MESSAGES, Echo(), ModelParams(language=language))]

    assert getattr(adapter.requests[1].messages[-1], "text", "").endswith(told)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("What will the weather be tomorrow?", "It will be sunny.\n\nI cannot do that: I only see and change what"),
        ("What do my notes say about the weather?", "It will be sunny."),
        ("How do exchange rates work?", "It will be sunny."),
        ("What is a weather front?", "It will be sunny."),
    ],
)
async def test_question_that_no_row_answers_is_declined(message: str, shown: str) -> None:
    adapter = ScriptedAdapter([says("It will be sunny."), says("It will be sunny.")])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text=message)])

    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.startswith(shown)


@pytest.mark.parametrize(
    ("asked", "is_required"),
    [("Mark “Order compost” as done.", True), ("Which tasks are open?", False), ("Tell me more about it.", False)],
)
async def test_answer_to_earlier_question_is_no_answer_to_order(asked: str, *, is_required: bool) -> None:
    before = "This task is not done yet.\n\nI found: “Order compost”, “Prune the roses”."
    conversation = [*EARLIER[:-1], AssistantMessage(text=before), UserMessage(text=asked)]
    copied = "This task is not done yet.\n\nI found: “Order compost”."
    adapter = ScriptedAdapter([says(copied), calls(call("write_row")), says("It is done.")])
    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))

    await events(adapter, tools, conversation)

    assert (ToolChoice.REQUIRED in [request.params.tool_choice for request in adapter.requests]) is is_required


@pytest.mark.parametrize(("title", "is_declined"), [("Water the roses", True), ("Weather radar", False)])
async def test_question_about_the_world_is_answered_only_by_rows_about_it(title: str, *, is_declined: bool) -> None:
    adapter = ScriptedAdapter([calls(call("list_tasks")), says("I am on it."), says("I am on it.")])
    found = Echo(rows={Table.TASKS: Rows(rows=({"id": "1", "title": title},))})

    seen = await events(adapter, found, [MESSAGES[0], UserMessage(text="What will the weather be tomorrow?")])

    assert isinstance(seen[-1], Finished)
    assert ("I cannot do that" in seen[-1].text) is is_declined


@pytest.mark.parametrize(("name", "added"), [("create_task", f"\n\n{UNDO}"), ("list_tasks", "")])
async def test_user_is_told_that_attempted_change_failed(name: str, added: str) -> None:
    adapter = ScriptedAdapter([calls(call(name)), says("To be done, “Lisbon”."), says("To be done, “Lisbon”.")])

    seen = await events(
        adapter, Echo(ok=False, correctable=True), [MESSAGES[0], UserMessage(text="A flight to Lisbon.")]
    )

    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.endswith(f"“Lisbon”.{added}")


async def test_card_text_is_removed_from_answer() -> None:
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
async def test_copied_result_of_failed_call_is_not_answer(
    message: str, choices: Sequence[str], shown: str, correctable: bool
) -> None:
    copied = says("```\nanswer ", "to call-1\n", "```")
    adapter = ScriptedAdapter([calls(call("write"), text="```\n"), copied, copied])
    executor = Echo(ok=False, correctable=correctable, choices=choices)

    seen = await events(adapter, executor, [MESSAGES[0], UserMessage(text=message)])

    begun = "[Your call failed" if correctable else "[Your answer was empty"
    assert getattr(adapter.requests[2].messages[-1], "text", "").startswith(begun)
    assert seen[-1] == Finished(text=shown, tool_rounds=1)


async def test_beginning_of_copied_result_is_not_answer() -> None:
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


@pytest.mark.parametrize("answer", ["Please tell me which one to mark as done.", "Quale intendi"])
async def test_question_that_model_asks_is_not_added_again(answer: str) -> None:
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])
    tools = Echo(ok=False, choices=("“Rent” (Home)", "“Rent” (Office)"))

    assert (await events(adapter, tools))[-1] == Finished(text=answer, tool_rounds=1)


async def test_answer_of_only_brackets_counts_as_empty() -> None:
    adapter = ScriptedAdapter([says("{}\n"), says("There is nothing.")])

    assert (await events(adapter, Echo()))[-1].text.endswith("There is nothing.")  # type: ignore[union-attr]
    assert getattr(adapter.requests[1].messages[-1], "text", "").startswith("[Your answer was empty")


@pytest.mark.parametrize(
    ("tool", "result"),
    [("read", 'There is no note with the id or title "tea".'), ("remember", "Nothing is changed.")],
)
@pytest.mark.parametrize(
    ("asked", "answer", "is_told"),
    [
        ("What is my favourite tea?", "Please check your notes.", True),
        ("What is my favourite tea?", "Assam & Ceylon.", False),
        ("What is the favourite tea of Anna?", "I do not know.", False),
        ("What do my notes say about coffee?", "Nothing.", False),
    ],
)
async def test_remembered_value_is_given_if_tool_does_not_find_it(
    asked: str, answer: str, tool: str, result: str, *, is_told: bool
) -> None:
    pairs = [("favourite tea", "Assam & Ceylon"), ("address", "formal")]
    items = [RecalledItem(id=uuid4(), kind=ItemKind.PREFERENCE, key=key, text=value) for key, value in pairs]
    remembered = remembered_text(Recalled(items=items))
    adapter = ScriptedAdapter([calls(call(tool)), says(answer), says("It is Assam.")])
    missing = Echo(ok=False, told=result)
    messages = [MESSAGES[0], UserMessage(text=f"It is Friday.\n\n{remembered}"), UserMessage(text=asked)]

    seen = await events(adapter, missing, messages)

    if is_told:
        assert '{"favourite tea": "Assam & Ceylon"}' in adapter.requests[2].messages[-1].text
        assert seen[-1] == Finished(text=f"{answer}\n\nIt is Assam.", tool_rounds=1)
    else:
        assert seen[-1] == Finished(text=answer, tool_rounds=1)


async def test_question_which_row_is_meant_is_added_if_model_does_not_ask() -> None:
    tools = Echo(ok=False, correctable=True, choices=("“Rent” (Home)", "“Rent” (Office)"))
    adapter = ScriptedAdapter([calls(call("write")), says("Mark it as done."), says("Mark it as done.")])

    seen = await events(adapter, tools, [MESSAGES[0], UserMessage(text="Mark “Rent” as done.")])

    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.endswith("Which one do you mean: “Rent” (Home), “Rent” (Office)?")


@pytest.mark.parametrize(
    ("chosen", "is_required"),
    [
        ("The one of the project Harbour website.", True),
        ("Harbour website", True),
        ("No, leave the one of Harbour website.", False),
        ("Which one is in Harbour website?", False),
        ("Thanks!", False),
    ],
)
async def test_choice_of_row_requires_the_change_that_was_asked_for(chosen: str, *, is_required: bool) -> None:
    refused = ToolMessage(
        call_id="call-1",
        text=f'2 tasks are called "Rent". {ASK_WHICH}\n- "Rent" (project "Harbour website") [id t1]\n- "Rent" [id t2]',
        ok=False,
    )
    asked = [
        MESSAGES[0],
        UserMessage(text="Mark “Rent” as done."),
        AssistantMessage(text="", tool_calls=(call("write"),)),
        refused,
        AssistantMessage(text="Which one do you mean?"),
        UserMessage(text=chosen),
    ]
    adapter = ScriptedAdapter([says("Mark “Rent” (Harbour) as done."), calls(call("write")), says("It is done.")])

    await events(adapter, Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),)), asked)

    choices = [request.params.tool_choice for request in adapter.requests]
    assert (ToolChoice.REQUIRED in choices) is is_required


@pytest.mark.parametrize(
    ("answer", "added"),
    [
        ("The task is already in progress.", "\n\nWhat should I change, and to what?"),
        ("To which day should I move it?", ""),
    ],
)
async def test_user_is_asked_for_missing_value_of_change(answer: str, added: str) -> None:
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])
    asked = [MESSAGES[0], UserMessage(text="Move the task “Call the dentist”.")]

    seen = await events(adapter, Echo(ok=False, told=f"{NOTHING_GIVEN} Say which column."), asked)

    assert seen[-1] == Finished(text=f"{answer}{added}", tool_rounds=1)


@pytest.mark.parametrize(
    ("asked", "named", "answer", "added"),
    [
        (
            "Mark the task “Wash the windows” as done.",
            "Wash the windows",
            "Sorry.",
            "nothing called “Wash the windows”.",
        ),
        ("Mark the task “Wash the windows” as done.", "Wash the windows", "I found no task “Wash the windows”.", ""),
        ("What do my notes say about frost?", "frost", "Give me an id.", "I found nothing called “frost”."),
        ("Mark it as done.", "2026-03-10", "It did not work.", "Which one do you mean? Please tell me its title."),
        ("Mark it as done.", "2026-03-10", "Which task is it?", ""),
        ("Is the task “Wash the windows” done?", "Wash the windows", "It is on your list.", ""),
    ],
)
async def test_answer_names_missing_row_or_asks_which_is_meant(asked: str, named: str, answer: str, added: str) -> None:
    told = f'There is no task with the id or title "{named}". Look the right one up first.'
    adapter = ScriptedAdapter([calls(call("write")), says(answer)])

    seen = await events(adapter, Echo(ok=False, told=told), [MESSAGES[0], UserMessage(text=asked)])

    assert isinstance(seen[-1], Finished)
    if added:
        assert seen[-1].text.endswith(added)
    else:
        assert seen[-1].text == answer


async def test_project_of_new_row_is_asked_for_if_model_invented_it() -> None:
    told = 'There is no project with the id or title "Project1". Look the right one up first.'
    adapter = ScriptedAdapter([calls(call("write")), says("I cannot proceed.")])
    asked = [MESSAGES[0], UserMessage(text="Create a checkpoint “Opening” on 30 March.")]

    seen = await events(adapter, Echo(ok=False, told=told), asked)

    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.endswith("Which project do you mean?")


async def test_notes_are_read_before_answer_about_them() -> None:
    tool = ToolSchema(name="search_notes", description="", parameters={})
    adapter = ScriptedAdapter(
        [says("They leave tomorrow."), calls(call("search_notes")), says("They leave on 23 March.")]
    )
    asked = [MESSAGES[0], UserMessage(text="When do the envelopes leave, according to my notes?")]

    seen = await events(adapter, Echo(schemas=(tool,)), asked)

    assert adapter.requests[1].params.tool_choice is ToolChoice.REQUIRED
    assert isinstance(seen[-1], Finished)
    assert seen[-1].tool_rounds == 1


async def test_answer_of_only_an_id_counts_as_empty() -> None:
    adapter = ScriptedAdapter([calls(call("write")), says("<p1>"), says("<p1>")])

    seen = await events(adapter, Echo(told='Created the project "Reading" [id p1].'))

    assert getattr(adapter.requests[2].messages[-1], "text", "").startswith("[Your answer was empty")
    assert isinstance(seen[-1], Finished)
    # The id is removed before the user sees it.
    assert seen[-1].text == "<p1>\n\nIt is done."


async def test_copied_result_of_call_that_was_not_made_is_false_claim() -> None:
    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))
    tools.told = 'Created the task "Order chairs" (todo) [id t1].'
    adapter = ScriptedAdapter(
        [
            calls(call("write_row")),
            says('Created the task "Order tables" (todo).'),
            calls(call("write_row", '{"a": 1}')),
        ]
    )
    adapter.replies.append(says("Both are there."))
    asked = [MESSAGES[0], UserMessage(text="Create two tasks: “Order chairs” and “Order tables”.")]

    seen = await events(adapter, tools, asked)

    assert adapter.requests[2].params.tool_choice is ToolChoice.REQUIRED
    assert isinstance(seen[-1], Finished)
    assert seen[-1].tool_rounds == 2


async def test_promised_memory_requires_call() -> None:
    tool = ToolSchema(name="remember", description="", parameters={})
    adapter = ScriptedAdapter(
        [says("I remember that your tea is Darjeeling."), calls(call("remember")), says("Noted.")]
    )
    asked = [MESSAGES[0], UserMessage(text="Remember that my favourite tea is Darjeeling.")]

    await events(adapter, Echo(schemas=(tool,)), asked)

    assert adapter.requests[1].params.tool_choice is ToolChoice.REQUIRED


async def test_claim_to_have_sent_something_is_corrected() -> None:
    adapter = ScriptedAdapter([says("I sent an e-mail to Anna."), says("I have sent the e-mail.")])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text="Send an e-mail to Anna")])

    assert isinstance(seen[-1], Finished)
    assert (
        seen[-1]
        .text.partition("\n\n")[2]
        .endswith("I cannot do that: I only see and change what you keep here, such as tasks and notes.")
    )


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
async def test_request_that_no_tool_can_fulfil_is_declined(asked: str, replies: list[str], answer: str) -> None:
    adapter = ScriptedAdapter([says(reply) for reply in replies])

    seen = await events(adapter, Echo(), [MESSAGES[0], UserMessage(text=asked)])

    assert seen[-1] == Finished(text=answer, tool_rounds=0)
    assert not any("call it now" in request.messages[-1].text for request in adapter.requests)


async def test_model_with_empty_answer_is_asked_for_call_again_if_it_then_describes_it() -> None:
    tool = ToolSchema(name="read_rows", description="", parameters={})
    adapter = ScriptedAdapter([says(""), says("You would call read_rows."), calls(call("read_rows")), says("One.")])

    seen = await events(adapter, Echo(schemas=(tool,)), [MESSAGES[0], UserMessage(text="How many?")])

    assert seen[-1] == Finished(text="One.", tool_rounds=1)
    told = [request.messages[-1].text for request in adapter.requests[1:3]]
    assert "call it now" in told[0]
    assert "Make the call now" in told[1]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What do my notes say of it?", "I found no notes about it."),
        ("And in Harbour website?", "No Harbour website found."),
        ("And in Harbour website?", "There is no information about Harbour website in the database."),
    ],
)
async def test_model_that_reports_nothing_found_without_reading_is_told_to_read(asked: str, answer: str) -> None:
    tool = ToolSchema(name="read_rows", description="", parameters={})
    adapter = ScriptedAdapter([says(answer), calls(call("read_rows")), says("It is 1234.")])

    seen = await events(adapter, Echo(schemas=(tool,)), [MESSAGES[0], UserMessage(text=asked)])

    assert isinstance(seen[-1], Finished)
    assert seen[-1].tool_rounds == 1


async def test_model_with_empty_answer_is_asked_again() -> None:
    adapter = ScriptedAdapter([says("\n"), says("Hi!")])

    assert await events(adapter, Echo()) == [TextDelta(text="Hi!"), Finished(text="Hi!", tool_rounds=0)]
    assert adapter.requests[1].messages == [
        *MESSAGES,
        UserMessage(text="[Your answer was empty. Answer the user now, in a sentence or two.]"),
    ]


async def test_second_empty_answer_and_refusal_raise_errors() -> None:
    with pytest.raises(ModelBroken, match="without an answer"):
        await events(ScriptedAdapter([says(), says(" ")]), Echo())
    with pytest.raises(ModelRefused):
        await events(ScriptedAdapter([[ModelRefused()]]), Echo())


async def test_claim_of_more_than_was_done_is_corrected_by_what_was_done() -> None:
    tools = Echo(schemas=(ToolSchema(name="write_row", description="", parameters={}),))
    tools.told = 'Created the task "Order chairs" (todo) [id t1].'
    tools.rows = {Table.TASKS: Rows(rows=({"id": "t1", "title": "Order chairs"},))}
    copied = 'Created the task "Order tables" (todo).'
    adapter = ScriptedAdapter([calls(call("write_row")), says(copied), says(copied)])
    asked = [MESSAGES[0], UserMessage(text="Create two tasks: “Order chairs” and “Order tables”.")]

    seen = await events(adapter, tools, asked)

    assert getattr(adapter.requests[2].messages[-1], "text", "").startswith("[Only what the results above say was done")
    assert isinstance(seen[-1], Finished)
    assert seen[-1].text.endswith("“Order chairs”.")
    assert "I have not changed anything" not in seen[-1].text
