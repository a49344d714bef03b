"""What counts as a promise to remember, and when the server corrects it."""

import pytest

from agents.adapters.base import Message, ToolMessage, UserMessage
from agents.engine.claims import promises_memory
from agents.engine.closing import Closing
from agents.engine.findings import Done
from agents.engine.intents import asks_to_remember
from agents.events import ToolCall

ANNA = "Nice name! I'll remember that."
TEA: list[Message] = [UserMessage(text="Remember that I like tea.")]
CHAT: list[Message] = [UserMessage(text="My sister is called Anna.")]
REMEMBERED = Done(
    call=ToolCall(id="1", name="remember", arguments="{}"),
    outcome=ToolMessage(call_id="1", text="", ok=True),
    changed=True,
)


@pytest.mark.parametrize(
    "answer",
    [
        "I'll remember that.",
        "Got it. I’ll keep that in mind for next time.",
        "Sure, I'll make a note of it.",
        "Okay! I've noted that you like tea.",
        "Me lo ricorderò.",
        "Va bene, lo terrò a mente.",
        "Ho preso nota.",
        "Ne terrò conto.",
    ],
)
def test_promises_to_remember_are_recognized(answer: str) -> None:
    assert promises_memory(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Noted.",
        "Do you want me to remember that?",
        "I'll remember that if you want.",
        "You said “I'll remember that.”",
        "- I'll remember the milk",
        "Remember to call Anna.",
        "Ricordati di chiamare Anna.",
    ],
)
def test_ambiguous_sentence_is_not_promise(answer: str) -> None:
    assert not promises_memory(answer)


def test_requests_to_remember_are_recognized() -> None:
    assert asks_to_remember("Please remember that I like tea")
    assert asks_to_remember("Ricordati che mi piace il tè")
    assert not asks_to_remember("Do you remember my sister?")
    assert not asks_to_remember("Ti ricordi di mia sorella?")


def closing(
    conversation: list[Message], *, records: bool, done: tuple[Done, ...] = (), language: str = "en"
) -> Closing:
    made = Closing(conversation, language=language, writes=True, records=records)
    made.said.append(ANNA)
    made.done.extend(done)
    return made


def test_promise_kept_by_record_is_not_corrected() -> None:
    kept = closing(CHAT, records=True)
    assert (kept.objection(can_call=True), kept.last_words()) == ([], "")


def test_request_to_remember_requires_call_of_remember() -> None:
    asked = closing(TEA, records=True)
    assert "call remember now" in getattr(asked.objection(can_call=True)[-1], "text", "")
    # The record stores it in any case, so the promise is true.
    asked.said.append(ANNA)
    assert (asked.objection(can_call=True), asked.last_words()) == ([], "")
    assert closing(TEA, records=True, done=(REMEMBERED,)).objection(can_call=True) == []


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "I have not noted this: I will not know it in a later conversation."),
        ("it", "Non l'ho annotato: in una conversazione successiva non lo saprò."),
    ],
)
def test_unkept_promise_is_corrected(language: str, said: str) -> None:
    unkept = closing(CHAT, records=False, language=language)
    assert "Nothing was stored" in getattr(unkept.objection(can_call=True)[-1], "text", "")
    unkept.said.append(ANNA)
    assert unkept.objection(can_call=True) == []
    assert unkept.last_words() == said

    stored = closing(CHAT, records=False, done=(REMEMBERED,))
    assert (stored.objection(can_call=True), stored.last_words()) == ([], "")
