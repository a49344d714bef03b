"""What the offline assistant understands of work that takes minutes."""

import pytest

from agents.offline.commands import (
    ChangeRow,
    Command,
    CreateRow,
    Entity,
    Incomplete,
    Missing,
    PlanProject,
    ReviewWeek,
    ShowPage,
    SummarizeProject,
    Talk,
)
from agents.offline.grammar import Language
from agents.offline.understanding import understand
from tests.agents.offline.expected import TODAY, target, without_literals

EN, IT = Language.ENGLISH, Language.ITALIAN
GARDEN, GIARDINO = target("Garden", Entity.PROJECT), target("Giardino", Entity.PROJECT)
POND, LAGHETTO = "open the pond by 1 May", "aprire il laghetto entro il 1 maggio"
NO_GOAL = Incomplete(missing=Missing.GOAL, entity=Entity.PROJECT)

SENTENCES: list[tuple[Language, str, Command]] = [
    (EN, "summarise the project Garden", SummarizeProject(target=GARDEN)),
    (EN, "Please summarize project “Garden”.", SummarizeProject(target=GARDEN)),
    (EN, "summarise the Garden project", SummarizeProject(target=GARDEN)),
    (EN, "summarise Garden", SummarizeProject(target=GARDEN)),
    (EN, "sum up the state of the project Garden", SummarizeProject(target=GARDEN)),
    (EN, "write me a summary of the project Garden", SummarizeProject(target=GARDEN)),
    (EN, "update the summary of my project Garden, thanks", SummarizeProject(target=GARDEN)),
    (IT, "riassumi il progetto Giardino", SummarizeProject(target=GIARDINO)),
    (IT, "puoi riassumere il progetto «Giardino»?", SummarizeProject(target=GIARDINO)),
    (IT, "riassumi Giardino", SummarizeProject(target=GIARDINO)),
    (IT, "fammi un riassunto del progetto Giardino", SummarizeProject(target=GIARDINO)),
    (IT, "aggiorna il riassunto del progetto Giardino", SummarizeProject(target=GIARDINO)),
    (EN, f"plan the project Garden: {POND}", PlanProject(target=GARDEN, goal=POND)),
    (EN, f"plan the project Garden to {POND}", PlanProject(target=GARDEN, goal=POND)),
    (EN, f"plan “Garden”: {POND}", PlanProject(target=GARDEN, goal=POND)),
    (EN, f"could you plan the Garden project so as to {POND}?", PlanProject(target=GARDEN, goal=POND)),
    (EN, f"make a plan for the project Garden: {POND}", PlanProject(target=GARDEN, goal=POND)),
    (EN, f"plan the project Garden\n{POND}", PlanProject(target=GARDEN, goal=POND)),
    (IT, f"pianifica il progetto Giardino: {LAGHETTO}", PlanProject(target=GIARDINO, goal=LAGHETTO)),
    (IT, f"pianifica il progetto Giardino per {LAGHETTO}", PlanProject(target=GIARDINO, goal=LAGHETTO)),
    (IT, f"pianifica «Giardino»: {LAGHETTO}", PlanProject(target=GIARDINO, goal=LAGHETTO)),
    (IT, f"fai un piano per il progetto Giardino: {LAGHETTO}", PlanProject(target=GIARDINO, goal=LAGHETTO)),
    (EN, "plan Garden: open at 10:30", PlanProject(target=GARDEN, goal="open at 10:30")),
    (EN, "plan the project Garden to open at 10:30", PlanProject(target=GARDEN, goal="open at 10:30")),
    (
        EN,
        "plan the project “Back to school: 3” to buy books",
        PlanProject(target=target("Back to school: 3", Entity.PROJECT), goal="buy books"),
    ),
    (EN, f"plan the project Garden: {'dig ' * 400}", PlanProject(target=GARDEN, goal=("dig " * 400).strip())),
    (EN, "weekly review", ReviewWeek()),
    (EN, "Do my weekly review, please", ReviewWeek()),
    (EN, "review my week", ReviewWeek()),
    (EN, "summarise the week for me", ReviewWeek()),
    (EN, "give me a review of the last week", ReviewWeek()),
    (EN, "how was my week?", ReviewWeek()),
    (IT, "revisione settimanale", ReviewWeek()),
    (IT, "fai la revisione settimanale", ReviewWeek()),
    (IT, "rivedi la mia settimana", ReviewWeek()),
    (IT, "il riepilogo della settimana, per favore", ReviewWeek()),
    (IT, "com'è andata la mia settimana?", ReviewWeek()),
    (EN, "plan the project Garden", NO_GOAL),
    (EN, "plan the project Garden:", NO_GOAL),
    (EN, "plan the project Garden to Friday", NO_GOAL),
    (IT, "pianifica il progetto Giardino", NO_GOAL),
    (IT, "pianifica il progetto Giardino per venerdì", NO_GOAL),
    (EN, "plan the project: open the pond", Incomplete(missing=Missing.WHICH, entity=Entity.PROJECT)),
    (EN, "summarise the project", Incomplete(missing=Missing.WHICH, entity=Entity.PROJECT)),
    (IT, "riassumi il progetto", Incomplete(missing=Missing.WHICH, entity=Entity.PROJECT)),
    (EN, "summarise it", Incomplete(missing=Missing.WHICH, entity=None)),
    (EN, "summarise all my projects", Talk.ONE_AT_A_TIME),
    (EN, "summarise this page", ShowPage()),
    (IT, "riassumi questa pagina", ShowPage()),
]


def read(message: str, language: str = "en") -> tuple[Command, Language]:
    command, understood_in = understand(message, language=language, today=TODAY)
    return without_literals(command), understood_in


@pytest.mark.parametrize(("language", "message", "expected"), SENTENCES)
def test_sentence_in_the_other_language_is_understood(language: Language, message: str, expected: Command) -> None:
    other = IT if language is EN else EN
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
def test_a_change_of_a_task_is_still_one(message: str) -> None:
    command, _ = read(message)
    assert isinstance(command, ChangeRow)
    assert command.target.entity is Entity.TASK


@pytest.mark.parametrize("message", ["create a task Weekly review", "aggiungi un'attività riassumi il progetto Sito"])
def test_a_task_about_such_work_is_still_a_task(message: str) -> None:
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
def test_other_work_is_not_guessed_at(message: str) -> None:
    assert read(message)[0] is Talk.NOT_UNDERSTOOD
