import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from agents.adapters.base import Message, ModelParams, ModelSize, ToolSchema
from agents.engine.roster import AgentName
from agents.engine.routing import by_words, classify_intent
from agents.errors import ModelUnavailable
from agents.events import ModelEvent, TextDelta
from tests.agents.engine.plain_requests import KNOWN, UNSEEN
from tests.agents.scripts import ScriptedAdapter, says


@pytest.mark.parametrize(
    ("message", "agent"),
    [
        ("Which tasks are due today?", AgentName.TASK_AGENT),
        ("What's overdue?", AgentName.TASK_AGENT),
        ("Quali attività scadono oggi?", AgentName.TASK_AGENT),
        ("Show my projects", AgentName.PROJECT_AGENT),
        ("Elenca i progetti del cliente", AgentName.PROJECT_AGENT),
        ("Next milestones?", AgentName.CHECKPOINT_AGENT),
        ("Quali traguardi arrivano?", AgentName.CHECKPOINT_AGENT),
        ("What did I write in my notes?", AgentName.NOTE_AGENT),
        ("Cerca nei miei appunti", AgentName.NOTE_AGENT),
        ("Summarise the project Garden", AgentName.PROJECT_AGENT),
        ("Riassumi il progetto Giardino", AgentName.PROJECT_AGENT),
        ("Plan the project Garden: open the pond by 1 May", AgentName.PROJECT_AGENT),
        ("Pianifica il progetto Giardino: aprire il laghetto", AgentName.PROJECT_AGENT),
        ("Weekly review", AgentName.TASK_AGENT),
        ("Review my week", AgentName.TASK_AGENT),
        ("Revisione settimanale", AgentName.TASK_AGENT),
        ("Rivedi la mia settimana", AgentName.TASK_AGENT),
        ("Show my notes of this week", AgentName.NOTE_AGENT),
        ("Mostra gli appunti della settimana", AgentName.NOTE_AGENT),
        ("Plan the project Garden: finish all tasks", AgentName.GENERAL_AGENT),
        ("Which tasks of the project are late?", AgentName.TASK_AGENT),
        ("Hello there", AgentName.GENERAL_AGENT),
        ("Create a note and a task about it", AgentName.GENERAL_AGENT),
        ("and that one?", None),
        ("", None),
    ],
)
def test_clear_words_choose_agent(message: str, agent: AgentName | None) -> None:
    assert by_words(message) is agent


@pytest.mark.parametrize(("message", "agent"), KNOWN)
def test_plain_request_goes_to_its_agent(message: str, agent: AgentName) -> None:
    assert by_words(message) is agent


def test_unseen_plain_requests_seldom_need_model() -> None:
    unrouted = [message for message, _ in UNSEEN if by_words(message) is None]
    wrong = [message for message, agent in UNSEEN if by_words(message) not in (agent, AgentName.GENERAL_AGENT, None)]
    assert len(unrouted) <= len(UNSEEN) * 0.2, unrouted
    assert len(wrong) <= len(UNSEEN) * 0.05, wrong


async def test_conversation_keeps_its_agent_without_asking_model() -> None:
    async def agent_of(message: str, *before: str) -> AgentName:
        return await classify_intent(message, ScriptedAdapter([]), language="en", before=before)

    assert await agent_of("and the second one?", "list my notes") is AgentName.NOTE_AGENT
    assert await agent_of("and that?", "list my notes", "which tasks are open?", "hm") is AgentName.TASK_AGENT
    assert await agent_of("now the tasks", "list my notes") is AgentName.TASK_AGENT
    assert await agent_of("and that?", "hm") is AgentName.GENERAL_AGENT
    assert await agent_of("the one of the project Garden", "mark “Water” as done") is AgentName.TASK_AGENT
    assert await agent_of("now archive my project Garden", "mark “Water” as done") is AgentName.PROJECT_AGENT


@pytest.mark.parametrize(
    "message",
    ["Mark “Review the contract” of the project Garden as done.", "Segna «Contratto» del progetto Orto come fatta."],
)
def test_project_that_only_gives_place_does_not_choose_agent(message: str) -> None:
    assert by_words(message) is AgentName.TASK_AGENT


async def test_default_agent_is_used_if_words_do_not_decide() -> None:
    otherwise = AgentName.PROJECT_AGENT
    routed = [
        await classify_intent(message, ScriptedAdapter([]), language="en", otherwise=otherwise)
        for message in ("and now?", "my tasks")
    ]
    assert routed == [AgentName.PROJECT_AGENT, AgentName.TASK_AGENT]


async def test_clear_words_need_no_model() -> None:
    assert await classify_intent("list my tasks", ScriptedAdapter([]), language="en") is AgentName.TASK_AGENT


async def test_unclear_words_ask_small_model_for_agent_name() -> None:
    adapter = ScriptedAdapter([says('{"agent": "note', '_agent"}')])

    assert await classify_intent("what was that again?", adapter, language="it") is AgentName.NOTE_AGENT
    [request] = adapter.requests
    assert request.params.size is ModelSize.SMALL
    assert request.params.response_schema is not None
    assert request.params.response_schema["properties"] == {
        "agent": {"type": "string", "enum": [name.value for name in AgentName]}
    }
    assert getattr(request.messages[0], "text", "").endswith("The user's language is Italian (it). Answer in it.")


@pytest.mark.parametrize(
    ("answer", "agent"),
    [
        ("I would say task_agent.", AgentName.TASK_AGENT),
        ('```json\n{"agent": "project_agent"}\n```', AgentName.PROJECT_AGENT),
        ("task_agent or note_agent", AgentName.GENERAL_AGENT),
        ('{"agent": "weather_agent"}', AgentName.GENERAL_AGENT),
        ('{"agent": 7}', AgentName.GENERAL_AGENT),
        ("[]", AgentName.GENERAL_AGENT),
        ("null", AgentName.GENERAL_AGENT),
        ("[" * 100_000, AgentName.GENERAL_AGENT),
        ("", AgentName.GENERAL_AGENT),
    ],
)
async def test_answer_that_ignores_schema_is_understood_or_falls_back(answer: str, agent: AgentName) -> None:
    assert await classify_intent("hm", ScriptedAdapter([says(answer)]), language="en") is agent


async def test_failing_model_falls_back_to_general_agent() -> None:
    adapter = ScriptedAdapter([[ModelUnavailable()]])

    assert await classify_intent("hm", adapter, language="en") is AgentName.GENERAL_AGENT


async def test_silent_model_times_out() -> None:
    class Silent:
        name = "silent"

        async def stream(
            self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
        ) -> AsyncGenerator[ModelEvent, None]:
            await asyncio.Event().wait()
            yield TextDelta(text="never")

    assert await classify_intent("hm", Silent(), language="en", timeout_s=0.01) is AgentName.GENERAL_AGENT
