"""How the offline assistant understands requests about memory, and carries them out with the real tools."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TypeAlias
from zoneinfo import ZoneInfo

import pytest

from agents.adapters.base import ModelParams, UserMessage
from agents.engine import loop
from agents.engine.executor import ToolExecutor
from agents.offline import OfflineAdapter
from agents.offline.commands import (
    Command,
    CreateRow,
    ForgetMemory,
    Incomplete,
    Missing,
    RecallMemory,
    SearchConversations,
    StoreMemory,
)
from agents.offline.understanding import understand
from agents.tools.context import CallContext, Episode, Fact
from tests.agents.conftest import NOW
from tests.agents.memories import MEMORY_TOOLS, InMemoryRecollection
from tests.agents.offline.expected import TODAY
from tests.agents.scripts import finished

EN, IT = "en", "it"
MONDAY, YESTERDAY, LAST_WEEK = date(2026, 11, 16), date(2026, 11, 17), date(2026, 11, 11)
TRAIN = "I take the train on Mondays"
LONG = "I will be in Trento with the whole family " + "and with the dog " * 5

SENTENCES: list[tuple[str, str, Command]] = [
    (
        EN,
        "Remember that my favourite tea is Assam.",
        StoreMemory(key="favourite tea", value="my favourite tea is Assam"),
    ),
    (
        IT,
        "Ricorda che il mio tè preferito è l'Assam",
        StoreMemory(key="tè preferito", value="il mio tè preferito è l'Assam"),
    ),
    (EN, f"please remember that {TRAIN}", StoreMemory(key=TRAIN, value=TRAIN)),
    (IT, "non dimenticare che prendo il treno", StoreMemory(key="prendo il treno", value="prendo il treno")),
    (EN, "remember my dentist is Dr. Rossi", StoreMemory(key="dentist", value="my dentist is Dr. Rossi")),
    (EN, 'remember: the key is "under the mat"', StoreMemory(key="key", value='the key is "under the mat"')),
    # A person can have several facts, so the key is the whole statement.
    (EN, "don't forget that Anna is tall", StoreMemory(key="Anna is tall", value="Anna is tall")),
    (IT, "ricordati che Anna è alta", StoreMemory(key="Anna è alta", value="Anna è alta")),
    (EN, f"remember that {LONG}", StoreMemory(key=LONG[:90].rpartition(" ")[0], value=LONG.strip())),
    (EN, "What do you remember?", RecallMemory()),
    (EN, "what do you know about me", RecallMemory()),
    (EN, "show me your memory", RecallMemory()),
    (IT, "cosa ricordi?", RecallMemory()),
    (IT, "che cosa sai di me", RecallMemory()),
    (EN, "what do you remember about my favourite tea?", RecallMemory(query="favourite tea")),
    (IT, "cosa ricordi del mio tè preferito?", RecallMemory(query="tè preferito")),
    (EN, "do you remember my dentist?", RecallMemory(query="dentist")),
    (IT, "ti ricordi del dentista?", RecallMemory(query="dentista")),
    (EN, "forget my favourite tea", ForgetMemory(name="favourite tea")),
    (IT, "dimentica il mio tè preferito", ForgetMemory(name="tè preferito")),
    (EN, f"forget that {TRAIN}", ForgetMemory(name=TRAIN)),
    (IT, "dimentica che prendo il treno", ForgetMemory(name="prendo il treno")),
    (EN, "forget everything about tea", ForgetMemory(name="tea")),
    (IT, "dimentica tutto sul tè", ForgetMemory(name="tè")),
    (EN, "forget it", Incomplete(missing=Missing.WHICH, entity=None)),
    (EN, "what did we talk about?", SearchConversations()),
    (EN, "what did we talk about yesterday?", SearchConversations(since=YESTERDAY, until=YESTERDAY)),
    (IT, "di cosa abbiamo parlato ieri?", SearchConversations(since=YESTERDAY, until=YESTERDAY)),
    (EN, "what did we discuss on Monday", SearchConversations(since=MONDAY, until=MONDAY)),
    (EN, "what did we say about the roof last week?", SearchConversations(query="the roof", since=LAST_WEEK)),
    (IT, "di cosa abbiamo parlato la settimana scorsa", SearchConversations(since=LAST_WEEK)),
    (EN, "what did I tell you about the budget", SearchConversations(query="the budget")),
    (IT, "cosa ti ho detto del tetto?", SearchConversations(query="tetto")),
    (EN, "search our conversations about tax", SearchConversations(query="tax")),
    (IT, "cerca il tetto nelle nostre conversazioni", SearchConversations(query="il tetto")),
]

Ask: TypeAlias = Callable[[str], Awaitable[str]]


@pytest.mark.parametrize(("language", "message", "expected"), SENTENCES)
def test_sentence_is_understood(language: str, message: str, expected: Command) -> None:
    assert understand(message, language="en", today=TODAY) == (expected, language)


@pytest.mark.parametrize("message", ["remind me to buy milk", "ricordami di comprare il latte"])
def test_request_for_reminder_creates_task(message: str) -> None:
    assert isinstance(understand(message, language="en", today=TODAY)[0], CreateRow)


@pytest.fixture
def memory() -> InMemoryRecollection:
    return InMemoryRecollection()


@pytest.fixture
def ask(context: CallContext, memory: InMemoryRecollection) -> Ask:
    """A function that returns the assistant's answer to a message, with Alice's memory."""
    params = ModelParams(now=NOW.astimezone(ZoneInfo("Europe/Rome")))

    async def said(message: str) -> str:
        executor = ToolExecutor(MEMORY_TOOLS, replace(context, memory=memory))
        answer = loop.run(OfflineAdapter(), [UserMessage(text=message)], executor, params)
        return (await finished(answer)).text

    return said


async def test_facts_are_stored_recalled_replaced_and_forgotten(ask: Ask, memory: InMemoryRecollection) -> None:
    assert await ask("what do you remember?") == "I remember nothing."
    assert await ask("remember that my favourite tea is Assam") == "I will remember: “my favourite tea is Assam”."
    assert await ask("remember that my favourite tea is Darjeeling") == (
        "I will remember: “my favourite tea is Darjeeling”."
    )
    assert await ask("what do you remember about my tea?") == (
        "This is what I remember:\n- my favourite tea is Darjeeling"
    )
    assert await ask("forget my favourite tea") == "I have forgotten: “my favourite tea is Darjeeling”."
    assert await ask("forget my favourite tea") == "I remember nothing about “favourite tea”."
    assert memory.kept == {}


async def test_italian_request_is_answered_in_italian(ask: Ask) -> None:
    assert await ask("ricorda che il mio tè preferito è l'Assam") == ("Mi ricorderò: «il mio tè preferito è l'Assam».")
    assert await ask("cosa ricordi?") == "Ecco che cosa ricordo:\n- il mio tè preferito è l'Assam"
    assert await ask("dimentica il mio tè preferito") == "Ho dimenticato: «il mio tè preferito è l'Assam»."
    assert await ask("cosa ricordi del tè?") == "Non ricordo nulla su «tè»."


async def test_facts_are_recalled_with_preferences(ask: Ask, memory: InMemoryRecollection) -> None:
    memory.kept, memory.known = {"drink": "tea"}, [Fact(id="f", content='The "tea" shop\ncloses at six', score=0.5)]
    memory.known.append(Fact(id="g", content="tea", score=0.4))

    assert await ask("what do you remember about tea?") == ("This is what I remember:\n- drink: tea\n- tea")


async def test_ambiguous_key_is_asked_about(ask: Ask, memory: InMemoryRecollection) -> None:
    memory.kept = {"green tea": "Sencha", "black tea": "Assam"}

    assert await ask("forget my tea") == (
        "Several could be meant. Repeat the command with one of these:\n- green tea\n- black tea"
    )
    assert await ask("forget green tea") == "I have forgotten: “green tea: Sencha”."
    assert await ask("forget tea") == "I have forgotten: “black tea: Assam”."


async def test_past_conversations_are_recalled_with_dates(ask: Ask, memory: InMemoryRecollection) -> None:
    memory.past = [
        Episode(id="3", summary="The roof again.", at=datetime(2026, 3, 29, 8, tzinfo=UTC)),
        Episode(id="2", summary="The roof leaks.", at=datetime(2026, 3, 28, 8, tzinfo=UTC)),
        Episode(id="1", summary="Something else.", at=datetime(2026, 3, 1, 8, tzinfo=UTC)),
    ]

    assert await ask("what did we talk about yesterday?") == (
        "This is what we talked about:\n- yesterday: The roof leaks."
    )
    assert await ask("what did I tell you about something else?") == (
        "This is what we talked about:\n- Sun 1 Mar: Something else."
    )
    assert await ask("what did we say about the attic?") == "I find no earlier conversation about “the attic”."


@pytest.mark.parametrize(
    "message", ["remember that my tea is Assam", "what do you remember?", "forget my tea", "what did we talk about?"]
)
async def test_disabled_memory_is_reported(ask: Ask, memory: InMemoryRecollection, message: str) -> None:
    memory.off = True
    assert await ask(message) == "That did not work. The user has turned memory off."
