"""A message that is clear only in its conversation is searched with the texts before it."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory.search.exchanges import IndexedExchange
from memory.search.follow_ups import Earlier, followed_up, follows_up, full_text
from memory.search.index import ExchangeIndex
from memory.search.question import Question
from memory.search.ranking import recalled

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
NOW = START + timedelta(days=40)
LIFE = (
    "My niece Ottilie has her swimming class on Thursdays.",
    "Ottilie's teacher is called Brandt.",
    "Ottilie was born on 5 May.",
    "Gustav was born on 9 November.",
    "The class for the dog is in the hall by the canal.",
    "The plumber wants 300 for the boiler.",
)


def conversation(*texts: str) -> list[Earlier]:
    """A conversation in which the user speaks first."""
    return [Earlier(text, is_answer=number % 2 == 1) for number, text in enumerate(texts)]


def ask(question: str, *before: str) -> str:
    """The snippets of ``LIFE`` and of the conversation, which is also in the memory."""
    index = ExchangeIndex()
    said = [*((line, "Noted.", f"s{number}") for number, line in enumerate(LIFE))]
    said += [(before[number], before[number + 1], "now") for number in range(0, len(before), 2)]
    for number, (message, response, session) in enumerate(said):
        at = START + timedelta(days=number)
        index.add(IndexedExchange(id=UUID(int=number), at=at, session_id=session, message=message, response=response))
    asked = Question(text=question, now=NOW, before=conversation(*before))
    return "\n".join(each.text for each in recalled(index, asked))


@pytest.mark.parametrize(
    "message",
    [
        "and her birthday?",
        "What about the other one?",
        "how much did it cost?",
        "what time?",
        "gauge?",
        "and on Thursday",
        "Ok great, and the address?",
        "whats his number",
        "can you send her the list",
        "e il telefono?",
        "a che ora?",
        "quanto gli devo?",
        "come si chiama suo marito?",
        "mandamelo per favore",
        "perfetto. e quanto costa?",
    ],
)
def test_a_message_that_names_nothing_or_refers_to_something_is_a_follow_up(message: str) -> None:
    assert follows_up(message)


@pytest.mark.parametrize(
    "message",
    [
        "perfect, thanks",
        "ok grazie mille",
        "What is the capital of Peru?",
        "why do we yawn?",
        "Translate into French: where is it?",
        "when does the swimming class of Ottilie begin?",
        "And who of the neighbours has watered the tomatoes on the balcony while Ottilie was away?",
        "I have told them.",
        "",
    ],
)
def test_a_clear_message_or_one_that_asks_nothing_is_no_follow_up(message: str) -> None:
    assert not follows_up(message)


def test_a_follow_up_is_searched_for_with_the_end_of_the_conversation() -> None:
    before = conversation("one", "two", "three", "four", "five", "six", "seven", "eight")

    assert [earlier.text for earlier in followed_up("and her birthday?", before)] == [
        "eight", "seven", "six", "five", "four", "three",
    ]  # fmt: skip
    assert full_text("and her birthday?", before) == "three\nfive\nseven\nand her birthday?"
    assert followed_up("When was Ottilie born?", before) == []
    assert full_text("and her birthday?", conversation("a" * 10_000)) == f"{'a' * 600}\nand her birthday?"
    assert full_text("When was Ottilie born?", before) == "When was Ottilie born?"
    assert full_text("and her birthday?", []) == "and her birthday?"


def test_the_topic_of_a_follow_up_comes_from_the_messages_before_it() -> None:
    assert ask("and what do I owe him?") == ""
    assert "300" in ask("and what do I owe him?", "Is the plumber done?", "He is.")
    assert "300" in ask(
        "and what do I owe him?", "Is the plumber done?", "He is.", "Good. Is it warm?", "Yes, 21 degrees."
    )


def test_a_name_in_an_answer_can_be_the_topic_of_a_follow_up() -> None:
    assert "Brandt" in ask("and what is the teacher called?", "Who swims on Thursdays?", "That is Ottilie.")


def test_the_conversation_itself_is_no_evidence_of_relevance() -> None:
    general = ("How high is the lighthouse of Genoa?", "The lighthouse of Genoa is 77 metres high.")

    assert ask("And how old is the lighthouse?", *general) == ""
    assert ask("Who built the lighthouse of Genoa?", *general) == ""


def test_nothing_is_recalled_for_thanks() -> None:
    assert ask("perfect, thanks!", "When does Ottilie swim?", "On Thursdays.") == ""
    assert ask("ok grazie mille") == ""
    assert "Ottilie" in ask("Ottilie")
