"""The memory tools, on an in-memory port."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER
from agents.engine.rounds import ToolOutcome
from agents.events import ToolCall
from agents.tools.context import CallContext, Episode, Fact
from agents.tools.recollection import preference_line
from tests.agents.memories import MEMORY_TOOLS, InMemoryRecollection

MORNING = datetime(2026, 3, 28, 8, 30, tzinfo=UTC)


@pytest.fixture
def memory() -> InMemoryRecollection:
    return InMemoryRecollection()


@pytest.fixture
def with_memory(context: CallContext, memory: InMemoryRecollection) -> CallContext:
    return replace(context, memory=memory)


async def run(context: CallContext, name: str, **arguments: object) -> ToolOutcome:
    executor = ToolExecutor(MEMORY_TOOLS, context)
    return await executor.dispatch(ToolCall(id="c1", name=name, arguments=json.dumps(arguments)))


def test_every_agent_has_memory_tools() -> None:
    for profile in ROSTER.values():
        assert set(MEMORY_TOOLS) <= set(profile.tools), profile.name


async def test_remember_states_key_and_value(with_memory: CallContext, memory: InMemoryRecollection) -> None:
    outcome = await run(with_memory, "remember", key="tea", value='Assam, the "strong" one')

    assert (outcome.ok, outcome.text) == (True, 'Remembered "tea": "Assam, the \\"strong\\" one".')
    assert memory.kept == {"tea": 'Assam, the "strong" one'}


async def test_remember_replaces_value_of_same_key(with_memory: CallContext, memory: InMemoryRecollection) -> None:
    await run(with_memory, "remember", key="tea", value="Assam")
    await run(with_memory, "remember", key="tea", value="Darjeeling")

    assert memory.kept == {"tea": "Darjeeling"}


async def test_recall_finds_preferences_by_word_and_facts_by_similarity(
    with_memory: CallContext, memory: InMemoryRecollection
) -> None:
    memory.kept = {"favourite tea": "Assam", "dentist": "Dr. Rossi"}
    memory.known = [Fact(id="f1", content="The tea shop closes at six", score=0.834)]

    outcome = await run(with_memory, "recall", query="Tea")

    assert outcome.text.split("\n") == [
        "Found 1 preference:",
        '- "favourite tea": "Assam"',
        "Found 1 fact:",
        '- "The tea shop closes at six" (similarity 0.83) [id f1]',
    ]


async def test_recall_without_query_lists_all_preferences(
    with_memory: CallContext, memory: InMemoryRecollection
) -> None:
    memory.kept = {"tea": "Assam", "dentist": "Dr. Rossi"}
    outcome = await run(with_memory, "recall", query=" ")

    assert outcome.text == 'Found 2 preferences:\n- "tea": "Assam"\n- "dentist": "Dr. Rossi"'


async def test_recall_reports_empty_result(with_memory: CallContext) -> None:
    assert (await run(with_memory, "recall", query="tea")).text == "Found no preferences."


async def test_forget_deletes_preference_or_fact(with_memory: CallContext, memory: InMemoryRecollection) -> None:
    memory.kept, memory.known = {"tea": "Assam"}, [Fact(id="f1", content="x", score=1.0)]

    assert (await run(with_memory, "forget", key="tea")).text == 'Forgot "tea".'
    assert (await run(with_memory, "forget", key="f1")).ok
    assert (memory.kept, memory.known) == ({}, [])


async def test_forget_of_unknown_key_lists_known_keys(with_memory: CallContext, memory: InMemoryRecollection) -> None:
    memory.kept = {"tea": "Assam", "dentist": "Dr. Rossi"}
    outcome = await run(with_memory, "forget", key="coffee")

    assert outcome.ok is False
    assert outcome.text == 'Nothing is remembered under \'coffee\'. The keys are: "tea", "dentist".'
    assert len(memory.kept) == 2


async def test_history_uses_users_time_zone(with_memory: CallContext, memory: InMemoryRecollection) -> None:
    memory.past = [
        Episode(id="e2", summary="Planned the roof.", at=MORNING),
        Episode(id="e1", summary="Spoke of the roof.", at=MORNING.replace(day=1)),
    ]

    everything = await run(with_memory, "search_history", query="")
    lately = await run(with_memory, "search_history", query="ROOF", since="2026-03-28T09:30")
    later = await run(with_memory, "search_history", query="roof", since="2026-03-28T09:31")

    assert everything.text.split("\n") == [
        "Found 2 earlier conversations:",
        '- "Planned the roof." (2026-03-28 09:30) [id e2]',
        '- "Spoke of the roof." (2026-03-01 09:30) [id e1]',
    ]
    assert lately.text.split("\n")[1:] == ['- "Planned the roof." (2026-03-28 09:30) [id e2]']
    assert later.text == "Found no earlier conversations."


async def test_recall_finds_earlier_conversations(with_memory: CallContext, memory: InMemoryRecollection) -> None:
    memory.past = [Episode(id="e2", summary="Planned the roof.", at=MORNING)]

    outcome = await run(with_memory, "recall", query="roof")

    assert outcome.text.split("\n")[-2:] == [
        "Found 1 earlier conversation:",
        '- "Planned the roof." (2026-03-28 09:30) [id e2]',
    ]
    assert "earlier conversation" not in (await run(with_memory, "recall", query="")).text


async def test_invalid_date_is_reported(with_memory: CallContext) -> None:
    outcome = await run(with_memory, "search_history", query="", since="last week")
    assert (outcome.ok, outcome.text) == (
        False,
        "'last week' is not a date: write it as 2026-11-24 or 2026-11-24T18:00.",
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("remember", {"key": "tea", "value": "Assam"}),
        ("recall", {"query": ""}),
        ("forget", {"key": "tea"}),
        ("search_history", {"query": ""}),
    ],
)
async def test_memory_tools_report_that_memory_is_off(
    context: CallContext, memory: InMemoryRecollection, name: str, arguments: dict[str, object]
) -> None:
    memory.off = True
    by_the_user = await run(replace(context, memory=memory), name, **arguments)
    by_the_installation = await run(context, name, **arguments)

    assert (by_the_user.ok, by_the_user.text) == (False, "The user has turned memory off.")
    assert (by_the_installation.ok, by_the_installation.text) == (False, "This server remembers nothing.")
    assert memory.kept == {}


@given(key=st.text(), value=st.text())
def test_preference_line_can_be_parsed(key: str, value: str) -> None:
    line = preference_line(key, value)
    assert json.loads(f"{{{line}}}") == {key: value}
    assert "\n" not in line
