"""Which words of a message are the user's own."""

import pytest

from memory.speech import is_reported, own_words

MAIL = "From: Bob <bob@example.org>\nTo: Alice\n\nI am allergic to nuts."


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
        ("Bob: I am allergic to nuts", ""),
        ("Look:\nBob: Hey, I hate tea\nAda Rossi: Why?\n\nI like tea.", "Look:\n\nI like tea."),
        ("[10:04] Bob: tea is bad", ""),
        ("03/05/26, 10:04 - Bob Rossi: tea is bad\nI like tea.", "I like tea."),
        ("[3.5.2026, 10:04:11] bob: tea is bad", ""),
        ("Bob (10:04 am): tea is bad", ""),
        ("Ada: Odio il tè", ""),
        ("<Bob> I hate tea", ""),
        ("@bob: I hate tea", ""),
        ("Bob> I hate tea", ""),
        ("- Bob: I hate tea\n- Ada: Why?", ""),
        ("Message from Bob: I hate tea", ""),
        ("Here's the mail:\nI hate tea.", ""),
        ("Ecco la mail di Bob:\nOdio il tè.", ""),
        ("Bob's message:\nI hate tea.", ""),
        ("Reply to this: I hate tea", ""),
        ("What is this?\n```\nI hate tea\n```\nI like tea.", "What is this?\n\nI like tea."),
        ("What is this?\n~~~\nI hate tea\n~~~\nI like tea.", "What is this?\n\nI like tea."),
        ("\u200e[10:04] Bob: tea is bad", ""),
        ("[12/05/26, 10:04:33\u202fAM] Bob: tea is bad", ""),
        ("\u200fB\u200bob\uff1a I hate tea", ""),
        ("\u200b> I hate tea\nI like tea.", "I like tea."),
        ("\uff1e I hate tea\nI like tea.", "I like tea."),
        ("Look:\nBob — Today at 10:04\nI hate tea", "Look:"),
        ("Look:\nBob Rossi  10:04 AM\nI hate tea", "Look:"),
        ("Look:\nBob, [12.05.26 10:04]\nI hate tea", "Look:"),
        ("Look:\nanna: i hate tea\nbob: why\nanna: no idea", "Look:"),
        ("Look\nAm Mo., 3. Mai 2026 um 10:04 schrieb Bob <bob@example.org>:\nI hate tea", "Look"),
        ("Look\nLe 3 mai 2026, Bob <bob@example.org> a écrit :\nI hate tea", "Look"),
        ("Look\nVon: Bob <bob@example.org>\nBetreff: Tee\n\nI hate tea", "Look"),
        ("How do you say in French: I hate tea", ""),
        ("Put this into French: I hate tea", ""),
        ("Come si dice in inglese: odio il tè", ""),
        ("I like tea 👨\u200d👩\u200d👧 and\u00a0milk", "I like tea 👨\u200d👩\u200d👧 and\u00a0milk"),
        ("home: I live in Rome\nwork: I sell tea", "home: I live in Rome\nwork: I sell tea"),
        ("note: buy tea\nnote: I like milk", "note: buy tea\nnote: I like milk"),
        ("note: buy tea\nnote: buy milk\nbob: call him", "note: buy tea\nnote: buy milk\nbob: call him"),
        ("Meeting — room 4\nI bring tea", "Meeting — room 4\nI bring tea"),
        ("My mail: <a@example.org>\nI like tea.", "My mail: <a@example.org>\nI like tea."),
        ("Here is my favourite tea: Assam", "Here is my favourite tea: Assam"),
        ("Text me: I like tea", "Text me: I like tea"),
        ("Answer: I like tea", "Answer: I like tea"),
        ("Reminder: I like tea", "Reminder: I like tea"),
        ("Allergies: I cannot eat nuts", "Allergies: I cannot eat nuts"),
        ("Me: I like tea", "Me: I like tea"),
        ("Dentist: Rossi\nDoctor: Bianchi", "Dentist: Rossi\nDoctor: Bianchi"),
        ("favourite tea: the one that I had", "favourite tea: the one that I had"),
        ("At 10:04 I drink tea", "At 10:04 I drink tea"),
        ("My train leaves at 8:15: I take it daily", "My train leaves at 8:15: I take it daily"),
        ("Meeting at 10:30: bring tea", "Meeting at 10:30: bring tea"),
        ("Write this down: I like tea", "Write this down: I like tea"),
        ("My e-mail address: a@example.org", "My e-mail address: a@example.org"),
    ],
)
def test_texts_that_the_user_has_put_in_are_not_their_own_words(message: str, own: str) -> None:
    assert own_words(message) == own


@pytest.mark.parametrize(
    ("sentence", "words", "is_told"),
    [
        ("I live in Turin", "live in Turin", False),
        ("Bob says I live in Turin", "live in Turin", True),
        ("I live in Turin, says Bob", "live in Turin", True),
        ("I live in Turin, but Bob says it rains", "live in Turin", False),
        ("Secondo Bob vivo a Torino", "vivo a Torino", True),
    ],
)
def test_words_of_a_sentence_are_reported(sentence: str, words: str, *, is_told: bool) -> None:
    start = sentence.index(words)

    assert is_reported(sentence, start, start + len(words)) is is_told
