"""How the offline assistant understands requests for jobs."""

import pytest

from agents.offline.commands import (
    ChangeRow,
    Command,
    CreateRow,
    Incomplete,
    Missing,
    RowKind,
    Talk,
    Wish,
    WritePlan,
    WriteSummary,
)
from agents.offline.understanding import understand
from tests.agents.offline.expected import TODAY, target, without_literals

EN, IT = "en", "it"
GARDEN, GIARDINO = target("Garden", RowKind.PROJECT), target("Giardino", RowKind.PROJECT)
POND, LAGHETTO = "open the pond by 1 May", "aprire il laghetto entro il 1 maggio"
NO_GOAL = Incomplete(missing=Missing.GOAL, entity=RowKind.PROJECT)

SENTENCES: list[tuple[str, str, Command]] = [
    (EN, "summarise the project Garden", WriteSummary(target=GARDEN)),
    (EN, "Please summarize project “Garden”.", WriteSummary(target=GARDEN)),
    (EN, "summarise the Garden project", WriteSummary(target=GARDEN)),
    (EN, "summarise Garden", WriteSummary(target=GARDEN)),
    (EN, "sum up the state of the project Garden", WriteSummary(target=GARDEN)),
    (EN, "write me a summary of the project Garden", WriteSummary(target=GARDEN)),
    (EN, "update the summary of my project Garden, thanks", WriteSummary(target=GARDEN)),
    (IT, "riassumi il progetto Giardino", WriteSummary(target=GIARDINO)),
    (IT, "puoi riassumere il progetto «Giardino»?", WriteSummary(target=GIARDINO)),
    (IT, "riassumi Giardino", WriteSummary(target=GIARDINO)),
    (IT, "fammi un riassunto del progetto Giardino", WriteSummary(target=GIARDINO)),
    (IT, "aggiorna il riassunto del progetto Giardino", WriteSummary(target=GIARDINO)),
    (EN, f"plan the project Garden: {POND}", WritePlan(target=GARDEN, goal=POND)),
    (EN, f"plan the project Garden to {POND}", WritePlan(target=GARDEN, goal=POND)),
    (EN, f"plan “Garden”: {POND}", WritePlan(target=GARDEN, goal=POND)),
    (EN, f"could you plan the Garden project so as to {POND}?", WritePlan(target=GARDEN, goal=POND)),
    (EN, f"make a plan for the project Garden: {POND}", WritePlan(target=GARDEN, goal=POND)),
    (EN, f"plan the project Garden\n{POND}", WritePlan(target=GARDEN, goal=POND)),
    (IT, f"pianifica il progetto Giardino: {LAGHETTO}", WritePlan(target=GIARDINO, goal=LAGHETTO)),
    (IT, f"pianifica il progetto Giardino per {LAGHETTO}", WritePlan(target=GIARDINO, goal=LAGHETTO)),
    (IT, f"pianifica «Giardino»: {LAGHETTO}", WritePlan(target=GIARDINO, goal=LAGHETTO)),
    (IT, f"fai un piano per il progetto Giardino: {LAGHETTO}", WritePlan(target=GIARDINO, goal=LAGHETTO)),
    (EN, "plan Garden: open at 10:30", WritePlan(target=GARDEN, goal="open at 10:30")),
    (EN, "plan the project Garden to open at 10:30", WritePlan(target=GARDEN, goal="open at 10:30")),
    (
        EN,
        "plan the project “Back to school: 3” to buy books",
        WritePlan(target=target("Back to school: 3", RowKind.PROJECT), goal="buy books"),
    ),
    (EN, f"plan the project Garden: {'dig ' * 400}", WritePlan(target=GARDEN, goal=("dig " * 400).strip())),
    (EN, "weekly review", Wish.WRITE_REVIEW),
    (EN, "Do my weekly review, please", Wish.WRITE_REVIEW),
    (EN, "review my week", Wish.WRITE_REVIEW),
    (EN, "summarise the week for me", Wish.WRITE_REVIEW),
    (EN, "give me a review of the last week", Wish.WRITE_REVIEW),
    (EN, "how was my week?", Wish.WRITE_REVIEW),
    (IT, "revisione settimanale", Wish.WRITE_REVIEW),
    (IT, "fai la revisione settimanale", Wish.WRITE_REVIEW),
    (IT, "rivedi la mia settimana", Wish.WRITE_REVIEW),
    (IT, "il riepilogo della settimana, per favore", Wish.WRITE_REVIEW),
    (IT, "com'è andata la mia settimana?", Wish.WRITE_REVIEW),
    (EN, "plan the project Garden", NO_GOAL),
    (EN, "plan the project Garden:", NO_GOAL),
    (EN, "plan the project Garden to Friday", NO_GOAL),
    (IT, "pianifica il progetto Giardino", NO_GOAL),
    (IT, "pianifica il progetto Giardino per venerdì", NO_GOAL),
    (EN, "plan the project: open the pond", Incomplete(missing=Missing.WHICH, entity=RowKind.PROJECT)),
    (EN, "summarise the project", Incomplete(missing=Missing.WHICH, entity=RowKind.PROJECT)),
    (IT, "riassumi il progetto", Incomplete(missing=Missing.WHICH, entity=RowKind.PROJECT)),
    (EN, "summarise it", Incomplete(missing=Missing.WHICH, entity=RowKind.PROJECT)),
    (EN, "summarise all my projects", Talk.ONE_AT_A_TIME),
    (EN, "summarise this page", Wish.SHOW_PAGE),
    (IT, "riassumi questa pagina", Wish.SHOW_PAGE),
]


def read(message: str, language: str = "en") -> tuple[Command, str]:
    command, understood_in = understand(message, language=language, today=TODAY)
    return without_literals(command), understood_in


@pytest.mark.parametrize(("language", "message", "expected"), SENTENCES)
def test_sentence_in_other_language_is_understood(language: str, message: str, expected: Command) -> None:
    other = IT if language == EN else EN
    assert read(message, other) == (expected, language)


@pytest.mark.parametrize(
    "message",
    [
        "plan “Buy milk” to Friday",
        "plan Buy milk for Friday",
        "mark Weekly review as done",
        "start weekly review",
        "pianifica Compra il latte per venerdì",
        "sposta la revisione settimanale a venerdì",
    ],
)
def test_change_of_task_is_not_job(message: str) -> None:
    command, _ = read(message)
    assert isinstance(command, ChangeRow)
    assert command.target.entity is RowKind.TASK


@pytest.mark.parametrize("message", ["create a task Weekly review", "aggiungi un'attività riassumi il progetto Sito"])
def test_task_about_job_is_still_task(message: str) -> None:
    assert isinstance(read(message)[0], CreateRow)


@pytest.mark.parametrize(
    "message",
    [
        "summarise my tasks",
        "summarise the note Ideas",
        "summarise our conversation",
        "plan my day",
        "plan the task Tea: x",
        "review next week",
        "riassumi le mie attività",
        "riassumi la nota Idee",
    ],
)
def test_other_request_is_not_taken_for_job(message: str) -> None:
    assert read(message)[0] is Talk.NOT_UNDERSTOOD
