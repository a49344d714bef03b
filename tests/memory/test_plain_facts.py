"""What the rules find in plain statements, in English and Italian, and what they leave alone."""

import pytest

from memory.exchange import TouchedRow
from memory.plain_facts import plain_facts, states_something

STATED = [
    ("My sister is called Anna and I live in Rome.", [("name:sister:anna", "anna"), ("home", "rome")]),
    ("Mia sorella si chiama Anna.", [("name:sister:anna", "anna")]),
    ("I've just moved from Rome to Milan, at last!", [("home", "milan")]),
    ("Mi sono trasferita da Roma a Milano.", [("home", "milano")]),
    ("Vivo a Reggio Emilia da due anni", [("home", "reggio emilia")]),
    ("I'm allergic to peanuts", [("allergy:peanuts", "yes")]),
    ("Sono allergica alle noci, e non mi piace il caffè.", [("allergy:noci", "yes"), ("taste:caffe", "no")]),
    ("I'm no longer allergic to the peanuts.", [("allergy:peanuts", "no")]),
    ("From now on, answer me in Italian please.", [("rule:language", "italian")]),
    ("D'ora in poi rispondi in inglese.", [("rule:language", "inglese")]),
    ("As of today, use bullet points.", [("", "")]),
    ("The budget of Apollo is 5,000 euros.", [("budget:apollo", "5 000 euros")]),
    ("The budget for Apollo has been raised to 7,500.", [("budget:apollo", "7 500")]),
    ("Apollo's budget is 9,000", [("budget:apollo", "9 000")]),
    ("Il budget del progetto Apollo è di 5.000 euro", [("budget:apollo", "5 000 euro")]),
    ("La scadenza di Apollo è venerdì", [("deadline:apollo", "venerdi")]),
    ("The budget of Apollo is no longer 5,000 but 7,000.", [("budget:apollo", "7 000")]),
    ("We raised the budget of Apollo from 5,000 to 7,000", [("budget:apollo", "7 000")]),
    ("Il budget di Apollo non è più 5.000 ma 7.000", [("budget:apollo", "7 000")]),
    ("Abbiamo alzato il budget di Apollo a 7.000", [("budget:apollo", "7 000")]),
    ("Il budget di Apollo è salito a 7.000", [("budget:apollo", "7 000")]),
    ("My sister is called Marta, not Anna.", [("name:sister:anna", "marta")]),
    ("i moved to milan", [("home", "milan")]),
    ("mi sono trasferita a milano", [("home", "milano")]),
    ("I live in rome now", [("home", "rome")]),
    ("my sister is called anna", [("name:sister:anna", "anna")]),
    ("The client of Apollo is Rossi.", [("client:apollo", "rossi")]),
    ("My favorite colour is blue", [("favourite:colour", "blue")]),
    ("Il mio colore preferito è il blu", [("favourite:colour", "il blu")]),
    ("My birthday is on 3 May.", [("birthday", "3 may")]),
    ("Il mio compleanno è il 3 maggio", [("birthday", "3 maggio")]),
    ("I work at Acme Corp", [("work", "acme corp")]),
    ("I no longer work at Acme.", [("work", "")]),
    ("Mi chiamo Gio", [("name:me", "gio")]),
    ("Non sono più vegetariana", [("diet:vegetarian", "no")]),
    ("I like green tea.", [("taste:green tea", "yes")]),
    ("I don't like green tea any more.", [("taste:green tea", "no")]),
]
NOT_STATED = [
    "What is my sister called?",
    "If I moved to Milan, what would change?",
    "Create a task called My sister is called Anna",
    "Traduci: mia sorella si chiama Anna",
    'The note says "I live in Rome".',
    "I moved the task to Friday",
    "i moved to the sales team",
    "we moved to it",
    "I love it",
    "I'd like a table for two",
    "My birthday is next week.",
    "The deadline of Apollo is tight.",
    "My boss is angry.",
    "",
    "\ud83d \0",
]


@pytest.mark.parametrize(("message", "found"), STATED, ids=[message for message, _ in STATED])
def test_plain_statements_are_found(message: str, found: list[tuple[str, str]]) -> None:
    assert sorted((fact.slot, fact.value) for fact in plain_facts(message)) == sorted(found)
    assert all(fact.evidence in message for fact in plain_facts(message))
    assert states_something(message)


@pytest.mark.parametrize("message", NOT_STATED, ids=range(len(NOT_STATED)))
def test_questions_conditions_commands_and_quotations_state_nothing(message: str) -> None:
    assert plain_facts(message) == []


def test_each_statement_has_its_own_words() -> None:
    facts = plain_facts("Hi! My sister is called Anna and I live in Rome, near the river.")
    assert {fact.statement for fact in facts} == {"My sister is called Anna", "I live in Rome"}


@pytest.mark.parametrize(
    ("message", "statement"),
    [
        ("I prefer few dependencies, how can I keep the app small with a login", "I prefer few dependencies"),
        ("I prefer tea, green if there is any", "I prefer tea, green if there is any"),
        ("I prefer mornings, so I moved the gym, but the tram is late", "I prefer mornings"),
        ("Preferisco il treno, puoi guardare gli orari", "Preferisco il treno"),
        ("Preferisco il tè, quello verde", "Preferisco il tè, quello verde"),
    ],
)
def test_a_preference_ends_where_something_else_is_said_or_asked(message: str, statement: str) -> None:
    assert [fact.statement for fact in plain_facts(message)] == [statement]


def test_a_statement_is_about_the_row_that_it_names() -> None:
    apollo = TouchedRow(entity_type="project", entity_id="p1", title="Apollo")
    other = TouchedRow(entity_type="task", entity_id="t1", title="Budget of")
    [budget, home] = plain_facts("The budget of Apollo is 5,000. I live in Rome.", [apollo, other])
    assert (budget.row, home.row) == (apollo, None)


def test_commands_and_questions_alone_state_nothing() -> None:
    assert not states_something("Create a task called Buy milk. Which tasks are due today?")
    assert not states_something("Ok!")
    assert states_something("Our office closes at noon on Fridays.")
