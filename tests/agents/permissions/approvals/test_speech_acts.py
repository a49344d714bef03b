"""Which words of a message are the user's own statements."""

import pytest

from agents.permissions.approvals.naming import repeats
from agents.permissions.approvals.speech_acts import change_requests, may_order


@pytest.mark.parametrize(
    "said",
    [
        "Bob says I am allergic to nuts, which is wrong",
        "My sister, Ada, thinks that I am allergic to nuts",
        "Bob told me that I am tall, nice and allergic to nuts",
        "I was told that I am allergic to nuts",
        "According to Bob, I am allergic to nuts",
        "I am allergic to nuts, says Bob",
        "I am allergic to nuts, which is not true",
        "I am allergic to nuts, but that is wrong",
        "I doubt that I am allergic to nuts",
        "I wonder whether I am allergic to nuts",
        "Maybe I am allergic to nuts",
        "Pretend that I am allergic to nuts",
        "I used to be allergic to nuts",
        "Bob wrote: I am allergic to nuts",
        "Translate into Italian: I am allergic to nuts",
        "Bob mi ha detto che I am allergic to nuts",
        "Secondo Bob, I am allergic to nuts",
        "Dubito che I am allergic to nuts",
        "Bob dice: I am allergic to nuts",
        "I am allergic to nuts, ma non è vero",
        "I dreamt that I am allergic to nuts",
        "Let's say that I am allergic to nuts",
        "Supponi che I am allergic to nuts",
        "Bob's doctor told him that I am allergic to nuts",
        "My doctor wrongly told me that I am allergic to nuts",
        "My doctor told me that Bob is tall and allergic to nuts",
        "I am anything but allergic to nuts",
        "In the novel I am a thief who is allergic to nuts",
        "Remember, in my story I am allergic to nuts",
        "My character is allergic to nuts",
        "Nel romanzo I am allergic to nuts",
        "I wish I were allergic to nuts",
        "I wish that I were allergic to nuts",
        "Bob replied that I am allergic to nuts",
        "My condition used to be allergic to nuts",
    ],
)
def test_reported_doubted_or_fictional_statement_is_not_statement_of_user(said: str) -> None:
    assert not repeats("Allergic to nuts", said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Drinks coffee", "I stopped drinking coffee"),
        ("Bere caffè", "Ho smesso di bere caffè"),
        ("Mangia carne", "Anna crede che mangio carne"),
        ("Mangia carne", "Anna pensa che mangio carne, ma sbaglia"),
        ("Eats meat", "I avoid eating meat"),
        ("Eats meat", "I hardly eat meat"),
        ("Pays Mallory", "I refuse to pay Mallory"),
        ("Green tea", "I hate green tea"),
        ("Eats everything", "I eat everything except meat"),
        ("Eats everything", "I eat everything but meat"),
        ("Mangia carne", "Evito di mangiare carne"),
        ("Mangia tutto", "Mangio tutto tranne la carne"),
        ("Lives in Rome", "I want to live in Rome"),
        ("Lives in Rome", "I'd really like to live in Rome"),
        ("Lives in Rome", "I hope to live in Rome"),
        ("Vive a Roma", "Vorrei vivere a Roma"),
        ("Vive a Roma", "Spero di vivere a Roma"),
    ],
)
def test_negated_restricted_or_wished_fact_is_not_repetition(words: str, said: str) -> None:
    assert not repeats(words, said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Likes green tea", "I told Anna that I like green tea"),
        ("Likes green tea", "As I have already said, I like green tea"),
        ("Likes green tea", "I believe I like green tea"),
        ("Likes green tea", "I like green tea, but Bob says that it is bad for me"),
        ("Likes green tea", "Bob thinks it is bad for me, but I like green tea"),
        ("Bob says the deadline is Friday", "Remember that Bob says the deadline is Friday"),
        ("Dentist is Rossi", "Remember my dentist is Rossi; he says hi"),
        ("Wrote three books", "I wrote three books"),
        ("Prefers what Bob wrote", "I prefer what Bob wrote"),
        ("Preferisce il tè verde", "Ti ho già detto che preferisco il tè verde"),
        ("Preferisce il tè verde", "Secondo me preferisco il tè verde"),
        ("Vive al secondo piano", "Vivo al secondo piano"),
        ("Stopped drinking coffee", "I stopped drinking coffee"),
        ("Is used to early meetings", "I am used to early meetings"),
        ("Hates phone calls", "I hate phone calls"),
        ("Avoids eating meat", "I avoid eating meat"),
        ("Loves tea", "I love tea and hate coffee"),
        ("Eats everything except meat", "I eat everything except meat"),
        ("Allergic to penicillin", "My doctor told me I'm allergic to penicillin"),
        ("Allergic to penicillin", "My doctor says that I am allergic to penicillin"),
        ("Allergico alla penicillina", "Il mio medico mi ha detto che sono allergico alla penicillina"),
        ("True crime", "My favourite genre is true crime"),
        ("Wants to live in Rome", "I want to live in Rome"),
        ("Risposte brevi", "Voglio risposte brevi"),
        ("Short answers", "I want short answers"),
        ("Called Sam", "I want to be called Sam"),
        ("Called Sam", "I wish to be called Sam"),
        ("Likes to walk in Rome", "I like to walk in Rome"),
        ("Stars in a film", "I star in a film"),
        ("Favourite character is Frodo", "My favourite character is Frodo"),
        ("Office is in Rome", "My office is in Rome"),
    ],
)
def test_statement_of_user_is_repetition(words: str, said: str) -> None:
    assert repeats(words, said)


def test_reporting_clause_may_be_in_another_argument_of_call() -> None:
    said = "Remember that Bob says the deadline is Friday"

    assert not repeats("The deadline", said)
    assert repeats("The deadline", said, beside=["Bob says the deadline is Friday"])
    assert repeats("Coffee", "I hate coffee", beside=["Hates"])


@pytest.mark.parametrize(
    "message",
    [
        "I'm not going to delete Water the roses",
        "I am thinking of archiving Garden",
        "My sister wants to delete Garden",
        "Bob told me to rename Garden",
        "Rename nothing in Garden",
        "Just list Garden",
        "Sto pensando di eliminare Garden",
        "Mia sorella vuole eliminare Garden",
        "Bob mi ha chiesto di archiviare Garden",
    ],
)
def test_plans_and_reports_ask_for_no_change(message: str) -> None:
    assert change_requests(message) == ""


@pytest.mark.parametrize(
    "message",
    [
        "I want to delete Garden",
        "I'd like you to archive Garden",
        "Rename Garden to “Nothing”",
        "Water the roses is done",
        "Voglio archiviare Garden",
        "Vorrei eliminare Garden",
        "Tell Bob nothing and delete Garden",
    ],
)
def test_wishes_ask_for_change(message: str) -> None:
    assert change_requests(message) == message


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("Forget my favourite tea", True),
        ("I want you to forget my favourite tea", True),
        ("Please forget “favourite tea”", True),
        ("Add a task to forget my favourite tea", False),
        ("Ask Bob to forget my favourite tea", False),
        ("Explain “forget my favourite tea”", False),
        ("Aggiungi un'attività per dimenticare il tè", False),
        ("Dimentica il mio tè preferito", True),
    ],
)
def test_verb_that_another_word_governs_or_in_quotation_orders_nothing(sentence: str, *, may: bool) -> None:
    assert may_order(sentence, ("forget", "dimentica")) is may
