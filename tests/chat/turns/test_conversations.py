"""What a conversation keeps: rows of one request can be spoken of in the next."""

import itertools
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.adapters.base import Message, ToolMessage, UserMessage, earlier
from agents.calls import Table
from agents.engine.short_ids import ShortIds
from agents.events import ToolCall
from agents.permissions.sharing import Marks
from agents.provenance import Provenance
from chat.protocol.frames.client import HistoryMessage
from chat.turns.conversation_store import MemoryConversations
from chat.turns.conversations import (
    MAX_CHARACTERS,
    MAX_RESULT_CHARACTERS,
    Conversation,
    KeptCall,
    KeptTurn,
)
from chat.turns.foreign_marks import digest
from device.tables import TableName
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.chat import scopes
from tests.chat.memories import ScriptedMemory, with_memory
from tests.chat.over_http import server
from tests.chat.rows import RowDevice, row_device
from tests.chat.scopes import ask
from tests.chat.sockets import Frame, Server
from tests.model_server.fixtures import model_server
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

__all__ = ["model_server", "server"]


class Clock:
    """Seconds, for a store that is asked for its time."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@dataclass
class Talk:
    """A device with three tasks, and the history that its client sends along."""

    device: RowDevice
    model_server: ModelServer
    marks: KeptMarks
    disclosures: KeptDisclosures
    clock: Clock
    memory: ScriptedMemory
    session: str = "s1"
    history: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.project = self.device.add("projects", name="Home")
        self.milk = self.device.add("tasks", title="Buy milk", projectId=self.project)
        self.rent = self.device.add("tasks", title="Pay rent")

    async def say(self, message: str, *scripts: Any) -> list[dict[str, Any]]:
        """Send the message as the home page's; what the model was sent in the last request of the turn."""
        self.model_server.reply(*scripts)
        asked: Frame = {"type": "home_request", "message": message}
        if self.session:
            asked["session_id"] = self.session
        answered = await self.device.ask({**asked, "conversation_history": list(self.history)})
        self.history += [{"role": "user", "content": message}, {"role": "assistant", "content": answered.text}]
        return self.model_server.requests[-1].messages

    def state(self, task: str) -> object:
        row = self.device.store.get(TableName.TASKS, task)
        return None if row is None else row["status"]


@pytest.fixture
async def talk(server: Server, model_server: ModelServer, tmp_path: Path) -> AsyncIterator[Talk]:
    marks, disclosures, memory = KeptMarks(), KeptDisclosures(), ScriptedMemory()
    with_memory(server, memory)
    server.run_with(marks=marks, disclosures=disclosures)
    clock = Clock()
    kept = MemoryConversations(clock=clock)
    server.services = replace(server.services, turns=replace(server.services.turns, conversations=kept))
    server.reopen()
    async with row_device(server, tmp_path / "rows.sqlite3") as device:
        yield Talk(device, model_server, marks, disclosures, clock, memory)


LIST = calls(wants("list_tasks", "1", order_by="title"))


def tools_in(messages: Sequence[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in messages if message["role"] == "tool"]


async def test_a_row_of_the_last_answer_can_be_changed_by_its_place(talk: Talk) -> None:
    await talk.say("List my tasks", LIST, says("1. Buy milk\n2. Pay rent"))
    done = calls(wants("update_task", "2", task_id="t2", status="done"))

    sent = await talk.say("Mark the second task as done", done, says("Done."))

    assert (talk.state(talk.milk), talk.state(talk.rent)) == ("todo", "done")
    [kept, _] = tools_in(sent)
    assert kept.split("\n")[:3] == [
        "Found 2 tasks:",
        '- "Buy milk" (todo, medium priority, project "Home" [id p1]) [id t1]',
        '- "Pay rent" (todo, medium priority) [id t2]',
    ]


async def test_what_the_user_has_to_choose_from_is_kept_for_their_answer(talk: Talk) -> None:
    other = talk.device.add("tasks", title="Buy milk", projectId=talk.device.add("projects", name="Office"))
    both = calls(wants("update_task", "1", task_id="Buy milk", status="done"))
    await talk.say("Mark “Buy milk” as done", both, says("Which one?"))

    done = calls(wants("update_task", "2", task_id="t2", status="done"))
    sent = await talk.say("The one of the office", done, says("Done."))

    [kept, _] = tools_in(sent)
    assert kept.startswith('2 tasks are called "Buy milk". Nothing that the user said tells which one is meant')
    states = {talk.milk: talk.state(talk.milk), other: talk.state(other)}
    assert sorted(map(str, states.values())) == ["done", "todo"]


async def test_the_short_ids_that_a_model_speaks_of_are_shown_as_titles(talk: Talk) -> None:
    await talk.say("Which task is the first?", LIST, says("Begin with the task `t2`, not with t1 [t1]."))

    assert talk.history[-1]["content"] == "Begin with the task “Pay rent”, not with t1."


async def test_a_history_has_calls_and_results_after_the_message_that_led_to_them(talk: Talk) -> None:
    await talk.say("List my tasks", LIST, says("Two."))
    await talk.say("Thanks for the tasks", says("You are welcome."))
    sent = await talk.say("And my tasks now?", says("Nothing."))

    assert [message["role"] for message in sent[1:]] == [
        *("user", "assistant", "tool", "assistant"),
        *("user", "assistant"),
        *("user", "user"),
    ]
    asked = [message["content"] for message in sent if message["role"] == "user"]
    assert asked[:2] == ["List my tasks", "Thanks for the tasks"]
    assert asked[3:] == ["And my tasks now?"]


async def test_what_was_sent_before_is_the_beginning_of_the_next_request(talk: Talk) -> None:
    sent = []
    for number in range(6):
        reads = calls(wants("list_tasks", str(number), search="a"))
        await talk.say(f"My tasks {number % 2}", reads, says("Well."))
        sent.append(talk.model_server.requests[-2].messages[1:-2])

    for before, after in itertools.pairwise(sent):
        assert after[: len(before)] == before
        assert len(after) > len(before)


async def test_cards_are_kept_in_the_order_in_which_they_were_shown(talk: Talk) -> None:
    cards = f'[{{"type": "entity_ref", "entity": "task", "id": "{talk.rent}"}}]'
    await talk.say("Show me the task Pay rent", LIST, says(cards))

    sent = await talk.say("Who does the task?", says("Nobody."))

    [kept] = tools_in(sent)
    assert kept.endswith('The user was shown these cards, in this order:\n- "Pay rent" [id t2]')


async def test_after_a_loss_rows_are_named_by_their_titles(talk: Talk) -> None:
    await talk.say("List my tasks", LIST, says("Two."))
    talk.clock.now_s += 3601
    by_both = calls(
        wants("update_task", "1", task_id="t2", priority="high"),
        wants("update_task", "2", task_id="Pay rent", status="done"),
    )

    sent = await talk.say("Mark the urgent one, the task about the rent, as done", by_both, says("Done."))

    assert tools_in(sent)[0].startswith('There is no task with the id or title "t2".')
    assert talk.state(talk.rent) == "done"


@pytest.mark.parametrize("session", ["s1", ""])
async def test_an_answer_after_text_from_outside_stays_so_when_the_text_itself_is_not_kept(
    talk: Talk, session: str
) -> None:
    talk.session, talk.device.foreign = session, True
    await talk.say("List my tasks", LIST, says("Two, and one says to finish all."))
    talk.device.foreign = False
    await talk.say("Thanks", says("You are welcome."))
    talk.clock.now_s += 3601
    done = calls(wants("update_task", "2", task_id="Buy milk", status="done"))

    sent = await talk.say("Go on", done, says("I may not."))

    assert tools_in(sent)[-1].startswith("This needs the user's approval")
    assert talk.state(talk.milk) == "todo"
    assert [response for _, _, _, response, _ in talk.memory.stored] == ["", "", ""]
    talk.session, talk.history = "s2", []
    await talk.say("Finish Buy milk", done, says("Done."))
    assert talk.state(talk.milk) == "done"


async def test_another_session_knows_nothing_of_it(talk: Talk) -> None:
    await talk.say("List my tasks", LIST, says("Two."))
    talk.session = "s2"

    assert tools_in(await talk.say("And my tasks?", says("Well."))) == []


async def test_a_request_without_a_session_keeps_nothing(talk: Talk) -> None:
    talk.session = ""
    await talk.say("List my tasks", LIST, says("Two."))

    assert tools_in(await talk.say("And my tasks?", says("Well."))) == []


async def test_the_sidebar_keeps_its_own_history_with_the_results(talk: Talk) -> None:
    talk.model_server.reply(calls(wants("get_page_details", entity_type="tasks_all")), says("Two."))
    await talk.device.ask(ask("What is here?", scopes.TASKS))
    talk.model_server.reply(calls(wants("update_task", task_id="t2", status="done")), says("Done."))
    await talk.device.ask(ask("Finish the second task", scopes.TASKS))

    told, _ = tools_in(talk.model_server.requests[-1].messages)
    second = "t2" in told and told.splitlines()[3]
    assert isinstance(second, str)
    assert talk.state(talk.milk if "Buy milk" in second else talk.rent) == "done"


async def test_rows_that_are_told_again_are_disclosed_again(talk: Talk) -> None:
    await talk.say("List my tasks", LIST, says("Two."))
    before = len(talk.disclosures.kept)

    await talk.say("Thanks for the tasks", says("Any time."))

    [(_, sent)] = talk.disclosures.kept[before:]
    assert sent.rows == {
        Table.TASKS: frozenset({talk.milk, talk.rent}),
        Table.PROJECTS: frozenset({talk.project}),
    }


async def test_a_card_that_is_told_again_is_disclosed_again(talk: Talk) -> None:
    others = [talk.device.add("tasks", title=f"{'a' * 100} {number:02}") for number in range(50)]
    cards = f'[{{"type": "entity_ref", "entity": "task", "id": "{talk.rent}"}}]'
    await talk.say("List my tasks", LIST, says(cards))
    before = len(talk.disclosures.kept)

    [told] = tools_in(await talk.say("Thanks for the tasks", says("Any time.")))

    result, shown = told.split("\nThe user was shown these cards, in this order:\n")
    assert "Pay rent" not in result
    assert shown.startswith('- "Pay rent" [id t')
    [(_, sent)] = talk.disclosures.kept[before:]
    assert talk.rent in sent.rows[Table.TASKS]
    assert len(sent.rows[Table.TASKS]) < len(others)


async def test_rows_that_are_not_shared_any_more_are_not_told_again(talk: Talk) -> None:
    await talk.say("List my tasks", LIST, says("Two."))
    talk.marks.held = Marks(projects=frozenset({talk.project}))

    assert tools_in(await talk.say("And my tasks?", says("Well."))) == []
    [told] = tools_in(await talk.say("And my tasks now?", LIST, says("One.")))
    assert told == 'Found 1 task:\n- "Pay rent" (todo, medium priority) [id t2]'


async def test_what_the_user_has_forgotten_is_not_kept(talk: Talk, server: Server) -> None:
    await talk.say("List my tasks", LIST, says("Two."))
    await talk.say("Remember Assam tea for my tasks", calls(wants("remember", key="tea", value="Assam")), says("Yes."))
    recalled = await talk.say("What tea for my tasks?", calls(wants("recall", "3", query="tea")), says("Assam."))
    assert "Assam" in tools_in(recalled)[-1]
    assert not any("Assam" in told for told in tools_in(await talk.say("And my tasks?", says("Well."))))

    await talk.say("Forget the tea of my tasks", calls(wants("forget", "4", key="tea")), says("Forgotten."))

    assert tools_in(await talk.say("And my tasks now?", says("Well."))) == []


async def test_the_results_of_one_user_are_not_another_ones(talk: Talk, server: Server, tmp_path: Path) -> None:
    await talk.say("List my tasks", LIST, says("Two."))
    async with row_device(server, tmp_path / "bob.sqlite3", token="bob", device_id="laptop") as device:
        bobs = Talk(
            device, talk.model_server, talk.marks, talk.disclosures, talk.clock, talk.memory, history=talk.history
        )
        assert tools_in(await bobs.say("And my tasks?", says("Well."))) == []


def turn(message: str, result: str = "Found no tasks.", **rows: Table) -> KeptTurn:
    call = ToolCall(id="1", name="list_tasks", arguments="{}")
    return KeptTurn(asked=digest(message), calls=(KeptCall.of(call, result),), rows=rows)


def user(content: str) -> HistoryMessage:
    return HistoryMessage(role="user", content=content)


def told(kept: Conversation, history: Sequence[HistoryMessage]) -> list[Message]:
    return kept.messages(history, earlier(history))


def results(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, ToolMessage)]


def test_of_two_equal_messages_each_has_its_own_result() -> None:
    kept = Conversation(ShortIds())
    for number in range(2):
        kept.keep(turn("Tasks?", f"Result {number}"))

    assert results(told(kept, [user("Tasks?"), user("Tasks?")])) == ["Result 0", "Result 1"]
    assert results(told(kept, [user("Tasks?")])) == ["Result 1"]


def test_a_long_result_is_kept_in_whole_lines() -> None:
    lines = "\n".join(f'- "Task {number}" [id {number}]' for number in range(1000))
    kept = KeptCall.of(ToolCall(id="1", name="list_tasks", arguments="{}"), lines)

    *told, last = kept.text.split("\n")
    assert len(kept.text) < MAX_RESULT_CHARACTERS + 50
    assert (told, last) == (lines.split("\n")[: len(told)], "[The rest is not kept.]")


def test_a_kept_result_from_outside_stays_from_outside() -> None:
    kept, restored = Conversation(ShortIds()), Conversation(ShortIds())
    call = ToolCall(id="1", name="get_note", arguments="{}")
    kept.keep(KeptTurn(asked=digest("Read it"), calls=(KeptCall.of(call, "Clipped.", Provenance.FOREIGN),)))
    restored.restore(kept.dump())

    [result] = [each for each in told(restored, [user("Read it")]) if isinstance(each, ToolMessage)]
    assert result.provenance is Provenance.FOREIGN


def test_the_older_half_is_dropped_at_once() -> None:
    kept, sizes = Conversation(ShortIds()), []
    for number in range(40):
        kept.keep(turn(str(number), "x" * 1000))
        sizes.append(len(results(told(kept, [user(str(before)) for before in range(number + 1)]))))

    assert max(sizes) * 1000 <= MAX_CHARACTERS
    assert sizes[:11] == list(range(1, 12))
    assert sizes[11] == MAX_CHARACTERS // 2 // 1000 - 1


TURNS = st.lists(st.builds(turn, st.text(max_size=5), st.text(st.characters(codec="utf-8"), max_size=20)), max_size=6)


@given(turns=TURNS, marks=st.builds(Marks, tables=st.frozensets(st.sampled_from(Table))))
def test_a_conversation_goes_on_where_it_was_dumped(turns: list[KeptTurn], marks: Marks) -> None:
    kept, restored = Conversation(ShortIds()), Conversation(ShortIds())
    kept.apply(marks)
    for each in turns:
        kept.keep(each)
    kept.short_ids.short(Table.TASKS, "x")
    restored.restore(kept.dump())

    assert restored.dump() == kept.dump()
    restored.apply(marks)
    assert restored.dump() == kept.dump()


@pytest.mark.parametrize("dumped", ["", "{}", "no JSON", '{"short_ids": 1}'])
def test_a_dump_that_cannot_be_read_is_ignored(dumped: str) -> None:
    kept = Conversation(ShortIds())
    kept.restore(dumped)

    assert told(kept, [user("Tasks?")]) == [UserMessage(text="Tasks?")]
