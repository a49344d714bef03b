"""What a message asks for."""

import pytest

from agents.engine.intents import asks_for_text


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("Draft an email to Marco saying that the budget is updated.", True),
        ("Please help me word a message to my team", True),
        ("Could you rewrite this more politely: I deleted your file.", True),
        ("Translate to English: Ho creato la nota.", True),
        ("Reply to the client about the invoice", True),
        ("Write a short poem about finished work", True),
        ("I need a message for the project team", True),
        ("Scrivi una mail a Luca per dirgli che la riunione è spostata", True),
        ("Mi scrivi un messaggio per il cliente?", True),
        ("Traduci in italiano: I created the task.", True),
        ("Prepara una bozza di risposta", True),
        ("Draft an email to Marco and save it as a note", False),
        ("Scrivi una mail a Luca e salva il testo in una nota", False),
        ("Rewrite the note “Wifi” in English", False),
        ("Riscrivi la nota «Wifi»", False),
        ("Write a note about the message", False),
        ("Create a task: reply to Marco", False),
        ("Create a reply task for Anna", False),
        ("Mark “Draft the email” as done", False),
        ("Scrivi una nota per il cliente", False),
        ("Which messages are there?", False),
    ],
)
def test_requests_for_text_are_recognized(message: str, *, asks: bool) -> None:
    assert asks_for_text(message) is asks
