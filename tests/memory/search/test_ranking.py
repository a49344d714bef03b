from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.exchanges import IndexedExchange
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import BUDGET, recalled
from memory.search.selection import ReservedText
from memory.search.snippets import encoded_length

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOW = START + timedelta(days=16)


def index_of(*talk: str | tuple[str, str], days_apart: float = 1) -> ExchangeIndex:
    index = ExchangeIndex()
    for number, line in enumerate(talk):
        message, response = (line, "Noted.") if isinstance(line, str) else line
        at = START + timedelta(days=days_apart * number)
        index.add(
            IndexedExchange(id=UUID(int=number), at=at, session_id=f"s{number}", message=message, response=response)
        )
    return index


def ask(index: ExchangeIndex, question: str, *, budget: int = BUDGET, **more: Any) -> list[str]:
    return [each.text for each in recalled(index, Question(text=question, now=NOW, **more), budget=budget)]


def recalled_text(index: ExchangeIndex, question: str) -> str:
    return "\n".join(ask(index, question))


LIFE: Sequence[str] = (
    "My cat is called Minou and she is grey.",
    "I booked the dentist for next Tuesday at nine.",
    "The landlord of the flat in via Garibaldi is Mr Ferri.",
    "Nina starts school in September.",
    "I prefer aisle seats when I fly.",
    "The password of the guest network is on the fridge.",
)


def test_a_relevant_passage_is_recalled_with_its_date() -> None:
    assert ask(index_of(*LIFE), "What is my cat called?") == [
        "2026-03-02: My cat is called Minou and she is grey. → Noted."
    ]


@pytest.mark.parametrize(
    "question", ["What is the boiling point of mercury?", "Who are you?", "", "🙂", "Chi ha scritto l'Iliade?"]
)
def test_nothing_is_recalled_for_an_unrelated_question(question: str) -> None:
    assert ask(index_of(*LIFE), question) == []


def test_something_is_recalled_for_a_question_about_a_speaker_in_pasted_chats() -> None:
    talk = [(f"Nadia: The {what} is in the cellar.", f"Piotr: I take the {what}.") for what in "abcdefghijkl"]
    index = index_of(*LIFE, *talk)

    assert ask(index, "Which instrument does Dario practise at night?") == []
    assert "Nadia: " in recalled_text(index, "Which instrument does Nadia practise at night?")


def test_a_removed_preference_is_not_recalled() -> None:
    index = index_of("Always answer me in rhyme.", *LIFE)
    assert "rhyme" in recalled_text(index, "What is my cat called?")

    index.remove(UUID(int=0))

    assert ask(index, "What is my cat called?") == ["2026-03-03: My cat is called Minou and she is grey. → Noted."]


def test_nothing_is_recalled_from_an_empty_index() -> None:
    assert ask(ExchangeIndex(), "What is my cat called?") == []


def test_items_are_in_the_order_in_which_they_were_said() -> None:
    index = index_of("Anna likes tea.", "Rain.", "Anna moved to Rome.", "Anna sold the car.")
    assert [item[:10] for item in ask(index, "What do you know about Anna?")] == [
        "2026-03-02",
        "2026-03-04",
        "2026-03-05",
    ]


def test_duplicates_are_recalled_once() -> None:
    index = index_of("The cat is called Minou.", "the cat is called Minou!", "The cat Minou is grey.")
    assert len(ask(index, "What is the cat called?")) == 2


def test_dates_in_a_question_find_plans_for_them_and_statements_on_them() -> None:
    index = index_of(*LIFE)
    assert "dentist" in recalled_text(index, "What do I have next Tuesday?") or "dentist" in recalled_text(
        index, "What was on 10 March?"
    )
    assert "Garibaldi" in recalled_text(index, "What did I tell you on 4 March?")
    assert "Nina" not in recalled_text(index, "What did I tell you on 4 March?")


def test_a_long_answer_counts_less_than_its_message_unless_the_question_asks_for_answers() -> None:
    advice = "For tomatoes, water the soil and not the leaves, and cut the side shoots. " * 40
    index = index_of(("How do I grow tomatoes on a balcony?", advice), *LIFE)
    assert ask(index, "tomatoes", budget=120)[0] == "2026-03-02: How do I grow tomatoes on a balcony?"
    assert "side shoots" in recalled_text(index, "What had you suggested for the tomatoes?")


def test_the_beginning_of_a_message_counts_more_for_an_overview() -> None:
    advice = "Water the soil and not the leaves, and cut the side shoots when they are small. " * 20
    begins = f"My balcony is to be full of tomatoes, {'and of herbs, and of flowers for the bees, ' * 4}as last year."
    detail = "The tomatoes in the third pot have leaves with spots, the tomatoes beside it have none of these. " * 2
    index = index_of((f"{begins}\n{detail}", advice), *LIFE)

    [item] = ask(index, "Which tomatoes in which pot have spots?", budget=300)
    assert "third pot" in item
    [item] = ask(index, "Can you summarize which tomatoes in which pot have spots?", budget=300)
    assert "My balcony" in item
    assert Question(text="In che ordine ho parlato dei pomodori?", now=NOW).asks_for_overview
    assert not Question(text="Are my papers in order?", now=NOW).asks_for_overview
    assert not Question(text="What do I need in order to grow tomatoes?", now=NOW).asks_for_overview


def test_vectors_raise_the_scores_of_similar_exchanges() -> None:
    index = index_of("The bicycle is in the cellar.", "The bicycle is in the garage.")
    first = ask(index, "Where is the bicycle?", budget=50, vectors={UUID(int=0): 3.0})
    second = ask(index, "Where is the bicycle?", budget=50, vectors={UUID(int=1): 3.0})
    assert ("cellar" in first[0], "garage" in second[0]) == (True, True)
    assert ask(index, "Where is the bicycle?", vectors={UUID(int=7): 3.0})


def test_an_exchange_near_in_meaning_is_recalled_without_common_words() -> None:
    index = index_of("The bicycle is in the cellar.", "My sister paints.", "Rent is due on Monday.")
    vectors = {UUID(int=0): 4.0, UUID(int=1): 3.0}
    assert ask(index, "Transport?", vectors=vectors) == []
    [item] = ask(index, "Transport?", vectors=vectors, near={UUID(int=0)})
    assert "bicycle" in item


@pytest.mark.parametrize(
    ("question", "is_recalled"),
    [
        ("How many ounces are in a kilo? I'm off to see the sea.", False),
        ("How far is Calais from Dover? We had a quiz on 4 March.", False),
        ("I want to plan a run around it. When does the standup begin?", True),
        ("I had no time to ask. What was on 4 March?", True),
        ("What does she need? My sister paints in the cellar.", True),
    ],
)
def test_sentences_beside_a_question_are_seldom_searched(question: str, is_recalled: bool) -> None:
    index = index_of(
        "My sister paints in the cellar.", "The standup begins at nine.", "An argument with Rossi on 4 March."
    )
    assert bool(ask(index, question)) is is_recalled


@given(st.integers(0, 3_000), st.lists(st.text(alphabet='ab <&\n"è.', max_size=400), max_size=8))
def test_the_budget_is_kept_as_json_counts_it(budget: int, texts: list[str]) -> None:
    index = index_of(*(f"{text} cat" for text in texts))
    items = ask(index, "the cat", budget=budget)
    assert sum(encoded_length(item) + len('"", ') for item in items) <= budget


@pytest.mark.parametrize(("text", "count"), [("Minou is called", 2), ("called Minou, eats", 1), ("called unheard", 1)])
def test_a_reserved_text_uses_the_budget_unless_a_passage_contains_it(text: str, count: int) -> None:
    index = index_of("My cat is called Minou.", "My cat eats fish from the Monday market in town.")
    beside = ReservedText(text=text, chars=40)

    # Both passages take 115 characters.
    found = recalled(index, Question(text="What is my cat called?", now=NOW), budget=140, reserved=[beside])

    assert len(found) == count


def test_each_snippet_has_the_signals_that_selected_it() -> None:
    index = index_of(*LIFE)
    question = Question(text="Which aisle seats do I prefer?", now=NOW)
    assert [each.why for each in recalled(index, question)] == [("words", "preference")]
    days = {each.text[:10]: each.why for each in recalled(index, replace(question, text="What was on 4 March?"))}
    assert days["2026-03-04"] == ("date",)
    near = replace(question, vectors={UUID(int=4): 5.0})
    assert [each.why for each in recalled(index, near)] == [("words", "meaning", "preference")]


def test_neighbours_of_a_match_are_recalled_because_of_it() -> None:
    index = ExchangeIndex()
    for number, (message, session) in enumerate(
        [("We fly to Rome.", "a"), ("The hotel is the Splendid.", "a"), ("It rains.", "a"), ("It snows.", "b")]
    ):
        at = START + timedelta(minutes=number)
        index.add(IndexedExchange(id=UUID(int=number), at=at, session_id=session, message=message, response=""))
    found = recalled(index, Question(text="And in Rome?", now=NOW))
    assert [each.why for each in found] == [("words",), *[("conversation", "neighbours")] * 2]
