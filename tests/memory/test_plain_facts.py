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
ENDED = [
    "I prefer few dependencies, how can I keep the app small with a login",
    "I prefer mornings, so I moved the gym, but the tram is late",
    "I prefer trains, how can I book one",
    "I prefer trains, which one should I take",
    "I prefer trains, which do you like",
    "I prefer trains, what time does the next one leave",
    "I prefer trains, when is the next one",
    "I prefer trains, where can I buy a ticket",
    "I prefer trains, is there one tomorrow",
    "I prefer trains, how much is a ticket",
    "I prefer trains, and can you book one",
    "I prefer tea, and I live in Rome",
    "Preferisco il treno, puoi guardare gli orari",
    "Preferisco il treno, come posso prenotare",
    "Preferisco il treno, quali ci sono domani",
    "Preferisco il treno, dove posso comprare il biglietto",
    "Preferisco il treno, quando parte il prossimo",
    "Preferisco il treno, mi prenoti un posto",
    "Preferisco il treno, ma come posso prenotare",
    "Preferisco il tè, e io pago",
]
KEPT = [
    "I prefer tea, green if there is any",
    "I prefer short answers, when I'm on my phone",
    "I prefer walking, when the weather is good",
    "I prefer the small bakery, which is easier for the kids",
    "I prefer knives, which do the job",
    "I prefer dentists, who can speak Italian",
    "I prefer seats, where I can stretch my legs",
    "I prefer window seats, should you have any left",
    "I prefer coffee, but only in the morning",
    "I prefer trains, but not overnight ones",
    "I prefer coffee, but without sugar",
    "I prefer tea, but the green one",
    "I prefer tea, but it has to be hot",
    "I prefer trains, but the bus when it rains",
    "I prefer trains, but the bus is fine when it rains",
    "I prefer trains, but I only use them in summer",
    "I prefer trains, but I take the car at night",
    "I prefer German trains, but Swiss ones are fine",
    "I prefer the night train, so long as it's quiet",
    "I prefer tea, and I never drink it after dinner",
    "I prefer to rest, have a bath and read",
    "At work, I prefer short answers",
    "For breakfast, I prefer eggs",
    "Preferisco il tè, quello verde",
    "Preferisco risposte brevi, quando sono al lavoro",
    "Preferisco camminare, quando posso",
    "Preferisco camminare, dove c'è il sole",
    "Preferisco il treno, ma non di notte",
    "Preferisco il treno, mi rilassa",
    "Preferisco il treno, che posso prendere sotto casa",
    "Preferisco i colori freddi, come il blu e il verde",
    "Preferisco i colori freddi, quali il blu e il verde",
    "Preferisco il caffè, ma solo la mattina",
    "Preferisco il tè, ma il caffè la mattina",
    "Preferisco il tè, ma la sera una camomilla",
    "Preferisco il tè, ma deve essere caldo",
    "Preferisco il venerdì, ma il giovedì va bene",
    "Preferisco il treno, quindi niente voli",
    "Al lavoro, preferisco risposte brevi",
    "D'estate, preferisco il gelato",
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


@pytest.mark.parametrize("message", ENDED)
def test_a_preference_ends_where_something_else_is_said_or_asked(message: str) -> None:
    [preference] = [fact.statement for fact in plain_facts(message) if not fact.slot]
    assert preference == message.partition(",")[0]


@pytest.mark.parametrize("message", KEPT)
def test_a_preference_keeps_its_condition_its_exception_and_its_list(message: str) -> None:
    assert [fact.statement for fact in plain_facts(message)] == [message]


def test_a_statement_is_about_the_row_that_it_names() -> None:
    apollo = TouchedRow(entity_type="project", entity_id="p1", title="Apollo")
    other = TouchedRow(entity_type="task", entity_id="t1", title="Budget of")
    [budget, home] = plain_facts("The budget of Apollo is 5,000. I live in Rome.", [apollo, other])
    assert (budget.row, home.row) == (apollo, None)


def test_commands_and_questions_alone_state_nothing() -> None:
    assert not states_something("Create a task called Buy milk. Which tasks are due today?")
    assert not states_something("Ok!")
    assert states_something("Our office closes at noon on Fridays.")


@pytest.mark.parametrize(
    "message",
    [
        "What is this?\nFrom: Bob <bob@example.org>\nTo: Alice\n\nI live in Milan.",
        "Bob: I live in Milan",
        "[10:04] Bob: I live in Milan",
        "> I live in Milan",
        "Translate this:\nI live in Milan.",
        "Bob wrote:\nI live in Milan.",
        "Bob says I live in Milan",
        "I live in Milan, says Bob",
        "Bob scrive:\nVivo a Milano",
    ],
)
def test_what_others_say_states_nothing_of_the_user(message: str) -> None:
    assert plain_facts(message) == []


def test_a_text_that_the_user_has_put_in_is_not_read_for_facts() -> None:
    assert not states_something("Translate this:\nI live in Milan.")
    assert states_something("My doctor told me I'm allergic to penicillin")
