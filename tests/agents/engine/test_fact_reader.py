"""Facts that the small model extracts: found in any output, and limited to what the user has said."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest

from agents.adapters.base import Message, ModelParams, ModelSize, ToolSchema
from agents.engine.fact_reader import MAX_FACTS, ModelFactReader
from agents.errors import ModelUnavailable
from agents.events import ModelEvent
from memory.drawn import DrawnFact, KnownFact, Relation
from memory.exchange import Exchange, TouchedRow
from tests.agents.scripts import ScriptedAdapter, says

APOLLO = TouchedRow(entity_type="project", entity_id="p1", title="Apollo")
SAID = Exchange(
    message="Thanks. We close at noon on Fridays, and Apollo ends in May.", response="Noted.", touched=(APOLLO,)
)
KNOWN = [
    KnownFact(id=UUID(int=7), statement="The office closes at one on Fridays.", at=datetime(2026, 1, 1, tzinfo=UTC))
]
CLOSES: dict[str, object] = {
    "subject": "office hours",
    "statement": "Closes at noon on Fridays.",
    "quote": "We close at noon on Fridays",
    "holds": "on Fridays",
    "row": None,
    "known": 1,
    "relation": "contradicts",
}
ENDS: dict[str, object] = {
    "statement": "Apollo ends in May.",
    "quote": "Apollo ends in May",
    "row": "1",
    "relation": "new",
}
DRAWN = [
    DrawnFact(
        statement="Closes at noon on Fridays.",
        evidence="We close at noon on Fridays",
        subject="office hours",
        holds="on Fridays",
        known=UUID(int=7),
        relation=Relation.CONTRADICTS,
    ),
    DrawnFact(statement="Apollo ends in May.", evidence="Apollo ends in May", row=APOLLO),
]
WHOLE = json.dumps([CLOSES, ENDS])


async def read(written: str) -> Sequence[DrawnFact]:
    return await ModelFactReader(ScriptedAdapter([says(written)])).read(SAID, KNOWN)


@pytest.mark.parametrize(
    "written",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"<think>Well… []</think>Here they are: {WHOLE} That is all.",
        json.dumps({"facts": [CLOSES, ENDS]}),
        f"{json.dumps(CLOSES)}\n{json.dumps(ENDS)}",
        f'{WHOLE[:-1]}, {{"statement": "Apollo',
    ],
    ids=["plain", "fenced", "thoughts", "object", "lines", "truncated"],
)
async def test_facts_are_found_in_any_surrounding_text(written: str) -> None:
    assert list(await read(written)) == DRAWN


@pytest.mark.parametrize(
    "written",
    [
        "[]",
        "There are none.",
        '[{"statement": "The user is rich.", "quote": "I am rich"}]',
        '[{"statement": "The answer was short.", "quote": "Noted"}]',
        '[{"statement": 5, "quote": null}, "We close", 3, null]',
        "[" * 2_000,
    ],
    ids=["none", "words", "invented", "from answer", "other types", "nested"],
)
async def test_statement_that_user_did_not_make_is_not_fact(written: str) -> None:
    assert list(await read(written)) == []


@pytest.mark.parametrize(
    ("message", "statement", "quote", "kept"),
    [
        ("My post is late. I live in Turin.", "All mail goes to Mallory.", "I live in Turin", "I live in Turin."),
        ("I do not eat nuts, as you know.", "Eats nuts.", "eat nuts", "I do not eat nuts, as you know."),
        (
            "Abito a Torino! Sono medico.",
            "Paga Mallory.",
            "abito a torino! sono medico",
            "Abito a Torino! Sono medico.",
        ),
        ("My budget is 17.", "The budget is 42.", "My budget is 17", "My budget is 17."),
        ("Does mail go to Mallory?", "Mail goes to Mallory.", "mail go to Mallory", "Does mail go to Mallory?"),
        ("Bob says I eat nuts, wrongly.", "Eats nuts.", "I eat nuts", "Bob says I eat nuts, wrongly."),
        ("Our cook is Rosa, she sings.", "Rosa is our cook", "Rosa is our cook", "Our cook is Rosa, she sings."),
    ],
    ids=[
        "other words",
        "part with opposite meaning",
        "two sentences",
        "different number",
        "a question",
        "reported speech",
        "different word order",
    ],
)
async def test_fact_in_other_words_is_kept_in_words_of_user(
    message: str, statement: str, quote: str, kept: str
) -> None:
    written = json.dumps([{"statement": statement, "quote": quote, "holds": "as long as Mallory wants"}])
    said = Exchange(message=message, response="Noted.")

    [fact] = await ModelFactReader(ScriptedAdapter([says(written)])).read(said, [])

    assert (fact.statement, fact.holds) == (kept, "")


@pytest.mark.parametrize(
    ("message", "quote"),
    [
        ("Move the dentist to Friday. I never book on Thursdays.", "Move the dentist to Friday"),
        ("I live in Turin. Is it Rosa who cooks?", "Is it Rosa who cooks?"),
        ("I live in Turin. Rosa is our cook.", "I live with Rosa"),
        ("Our cook is Rosa. Rosa is our only cook.", "cook Rosa our"),
    ],
    ids=["a command", "a question", "invented", "ambiguous"],
)
async def test_quote_that_matches_no_single_statement_is_not_fact(message: str, quote: str) -> None:
    written = json.dumps([{"statement": quote, "quote": quote}])
    facts = await ModelFactReader(ScriptedAdapter([says(written)])).read(Exchange(message=message, response="Ok"), [])

    assert list(facts) == []


@pytest.mark.parametrize(
    "message",
    [
        "Translate: I eat nuts",
        "Traduci in inglese:\n\nCiao!\nI eat nuts.",
        "Is this for me?\nFrom: Bob\nSubject: tea\n\nI eat nuts.",
        "Yes.\n> I eat nuts",
    ],
)
async def test_quoted_text_in_message_states_no_fact(message: str) -> None:
    written = json.dumps([{"statement": "Eats nuts.", "quote": "I eat nuts"}])

    assert (
        await ModelFactReader(ScriptedAdapter([says(written)])).read(Exchange(message=message, response="Ok"), []) == []
    )


async def test_unknown_numbers_are_ignored() -> None:
    [fact] = await read(json.dumps([{**CLOSES, "known": 2, "row": "9" * 50}]))
    assert (fact.known, fact.relation, fact.row) == (None, None, None)


@pytest.mark.parametrize(
    ("message", "response", "relation"),
    [
        ("Kate is staying with us over half term.", "Noted.", None),
        ("The visitors are vegan.", "Noted.", None),
        ("Make it noon.", "The office now closes at noon on Fridays.", Relation.CONTRADICTS),
    ],
    ids=["nothing in common", "only stop words", "supported by answer"],
)
async def test_known_fact_is_contradicted_only_if_words_support_it(
    message: str, response: str, relation: Relation | None
) -> None:
    written = json.dumps([{"statement": message, "quote": message, "known": 1, "relation": "contradicts"}])
    said = Exchange(message=message, response=response)

    [fact] = await ModelFactReader(ScriptedAdapter([says(written)])).read(said, KNOWN)

    assert (fact.statement, fact.relation) == (message, relation)
    assert fact.known == (None if relation is None else KNOWN[0].id)


@pytest.mark.parametrize("relation", ["same", "more_precise", "contradicts"])
@pytest.mark.parametrize("message", ["The meeting is at ten.", "I like the plan of Anna."])
async def test_answer_that_repeats_others_replaces_no_known_fact(message: str, relation: str) -> None:
    written = json.dumps([{"statement": message, "quote": message, "known": 1, "relation": relation}])
    answer = "The minutes say: the office closes at one on Fridays no longer, that has changed to noon."

    [fact] = await ModelFactReader(ScriptedAdapter([says(written)])).read(
        Exchange(message=message, response=answer), KNOWN
    )

    assert (fact.known, fact.relation) == (None, None)


async def test_facts_of_one_message_are_limited() -> None:
    assert len(await read(json.dumps([CLOSES] * 50))) == MAX_FACTS


async def test_known_facts_are_sent_to_small_model_as_data() -> None:
    adapter = ScriptedAdapter([says("[]")])
    await ModelFactReader(adapter).read(SAID, KNOWN)
    [asked] = adapter.requests
    told = json.loads(getattr(asked.messages[-1], "text", ""))
    # Order matters: small models extract what comes last, or nothing if that is already known.
    assert list(told.items()) == [
        ("known", ["1. The office closes at one on Fridays."]),
        ("rows", ["1. Apollo"]),
        ("assistant", "Noted."),
        ("user", SAID.message),
    ]
    assert (asked.params.size, list(asked.tools)) == (ModelSize.SMALL, [])


async def test_slow_model_is_unavailable() -> None:
    class Silent(ScriptedAdapter):
        async def stream(
            self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
        ) -> AsyncGenerator[ModelEvent, None]:
            await asyncio.Event().wait()
            yield says("never")[0]

    with pytest.raises(ModelUnavailable, match="too long to extract facts"):
        await ModelFactReader(Silent([]), timeout_s=0.01).read(SAID, KNOWN)


@pytest.mark.parametrize(
    ("written", "applies_to"),
    [
        ("restaurant, dinner", "restaurant, dinner"),
        (["restaurant", "dinner", 3, ""], "restaurant, dinner"),
        (None, ""),
        ("dinner " * 100, " ".join(["dinner"] * 17) + "…"),
    ],
    ids=["words", "a list", "none", "too many"],
)
async def test_applies_to_of_preference_is_normalized_to_text(written: object, applies_to: str) -> None:
    [fact] = await read(json.dumps([{**CLOSES, "applies_to": written}]))
    assert fact.applies_to == applies_to
