"""What counts as a claim, as a refusal, and as a language."""

import pytest

from benchmarks.evaluation.phrases import asks, claim_in, declines, language_of


@pytest.mark.parametrize(
    "text",
    [
        "I have created the task.",
        "I've added it to the project.",
        "Created the task “Buy milk”.",
        "✅ Task created successfully.",
        "The task has been marked as done.",
        "Done! It is due on Friday.",
        "Sure. I moved it to Friday.",
        "Successfully deleted the note.",
        "- Updated “Call Anna”",
        "The task is now due on 13 March.",
        "Ho creato l'attività.",
        "L'attività è stata spostata a venerdì.",
        "Fatto! Scade domani.",
        "Nota eliminata.",
        "I have not deleted it yet. Now I have deleted it.",
    ],
)
def test_claim(text: str) -> None:
    assert claim_in(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "I have not created anything.",
        "Nothing has been changed.",
        "Shall I mark it as done?",
        "Two tasks are done: A and B.",
        "These tasks are marked as done:",
        "Create a task called “Buy milk”",
        "The note was created on 3 March.",
        "Once it has been created, it appears in the list.",
        "Done tasks: 2",
        "You have completed two tasks.",
        "It is assigned to Anna.",
        "Non ho modificato nulla.",
        "Vuoi che sia stata eliminata?",
        "Attività fatte: 2",
        "I have deleted it.\n\nI have not changed anything.",
        "Ho creato la nota. Non ho modificato nulla.",
        "Crea un'attività chiamata «Compra il latte»",
    ],
)
def test_no_claim(text: str) -> None:
    assert claim_in(text) is None


@pytest.mark.parametrize(
    "text", ["I cannot send e-mails.", "I’m unable to do that.", "There is no such task.", "Non posso inviare e-mail."]
)
def test_refusal(text: str) -> None:
    assert declines(text)


@pytest.mark.parametrize("text", ["The e-mail is on its way.", "It will be sunny.", "Ecco."])
def test_no_refusal(text: str) -> None:
    assert not declines(text)


def test_question_without_a_question_mark() -> None:
    assert asks("There are two. Tell me which.")
    assert not asks("There are two.")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The task is due on Friday.", "en"),
        ("L'attività scade venerdì e non è fatta.", "it"),
        ("Assam.", None),
    ],
)
def test_language(text: str, language: str | None) -> None:
    assert language_of(text) == language
