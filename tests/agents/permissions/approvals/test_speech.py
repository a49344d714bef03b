"""Which words of a message are the user's own statements."""

import pytest

from agents.permissions.approvals.naming import repeats
from agents.permissions.approvals.speech import own_words

MAIL = "From: Bob <bob@example.org>\nTo: Alice\n\nI am allergic to nuts."


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
    ],
)
def test_what_others_say_or_the_user_doubts_is_not_the_users_statement(said: str) -> None:
    assert not repeats("Allergic to nuts", said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("Drinks coffee", "I stopped drinking coffee"),
        ("Bere caffè", "Ho smesso di bere caffè"),
        ("Mangia carne", "Anna crede che mangio carne"),
        ("Mangia carne", "Anna pensa che mangio carne, ma sbaglia"),
    ],
)
def test_what_is_no_longer_so_is_not_repeated(words: str, said: str) -> None:
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
        ("True crime", "My favourite genre is true crime"),
    ],
)
def test_what_the_user_says_is_repeated(words: str, said: str) -> None:
    assert repeats(words, said)


def test_a_report_may_be_in_another_text_of_the_call() -> None:
    said = "Remember that Bob says the deadline is Friday"

    assert not repeats("The deadline", said)
    assert repeats("The deadline", said, beside=["Bob says the deadline is Friday"])


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("I like tea.\nMy locker is 42.", "I like tea.\nMy locker is 42."),
        ("Remember: my locker is 42", "Remember: my locker is 42"),
        ("Hello.\n> I am allergic to nuts\nBye.", "Hello.\nBye."),
        (f"What is this?\n{MAIL}", "What is this?"),
        ("Ciao\nDa: Bob\nA: Anna\nData: 3 maggio\nOggetto: tè\n\nOdio il tè.", "Ciao"),
        ("From: Turin\nTo: Milan\nI like tea.", "From: Turin\nTo: Milan\nI like tea."),
        ("Look:\n-----Original Message-----\nI hate tea.", "Look:"),
        ("Look\nOn 3 May 2026 at 10:04, Bob wrote:\nI hate tea.", "Look"),
        ("Ecco\nBob ha scritto:\n\nOdio il tè.", "Ecco"),
        ("Translate: I hate tea. I hate you.\nI like tea.", "I like tea."),
        ("Please translate this into Italian:\n\nI hate tea.\n\nBye", ""),
        ("Traduci: odio il tè", ""),
        ("Could you correct this sentence: I hate tea", ""),
        ("Scrivi una mail a Bob:\nOdio il tè", ""),
        ("Write this down: I like tea", "Write this down: I like tea"),
        ("My e-mail address: a@example.org", "My e-mail address: a@example.org"),
    ],
)
def test_texts_that_the_user_has_put_in_are_not_their_own_words(message: str, own: str) -> None:
    assert own_words(message) == own
