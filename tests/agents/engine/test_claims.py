"""What counts as a claim of a change, and what does not."""

import pytest

from agents.engine.claims import admits_no_change, claims_change, claims_to_reach, invented_assignees
from agents.engine.intents import continues_change, goes_on_asking, orders_change, orders_update
from agents.engine.sentences import EXAMINED, examined

WISH = "Buy milk tomorrow"


@pytest.mark.parametrize(
    "answer",
    [
        'Created the task "Buy milk".',
        "I've created the task “Buy milk” for tomorrow.",
        "I have just added a note to the project.",
        "Sure, I added it to your list.",
        "The task “Buy milk” has been created.",
        "The task **Buy milk** has been created successfully!",
        '"Buy milk" has been added to your tasks.',
        "Task created.",
        "Task created successfully!",
        "The project was successfully deleted.",
        "The task “Buy milk” was updated successfully.",
        "The task “Buy milk” is now due on Friday 2026-03-13 18:00.",
        "The project is now archived, as you wanted.",
        'Task "Buy milk" moved to Friday.',
        'I marked the last task, "Buy milk", as done.',
        'The task "Buy milk" (todo, due Sat 2026-03-14 18:00, project "Home") is now marked as done.',
        "L'attività “Compra il latte” è ora in scadenza venerdì.",
        "Okay! I've moved the dentist to Friday.",
        "Done. I marked it as done.",
        "You asked for the contract. I have found this task and marked it as done.",
        "Ho trovato l'attività e l'ho segnata come fatta.",
        "Here you go:\n\nCreated the task Buy milk with high priority.",
        "I have scheduled the meeting.",
        "To keep it in mind, I have created the task “Buy milk”.",
        "For tomorrow, I added it to your list.",
        "Per ricordartelo, ho creato l'attività “Compra il latte”.",
        "Ho creato l'attività “Compra il latte”.",
        "L'attività “Compra il latte” è stata creata.",
        "L'attività è stata correttamente aggiornata.",
        "Attività creata.",
        "Creata l'attività Compra il latte.",
        "Certo! Ho spostato il dentista a venerdì.",
        "Ho appena aggiunto la nota al progetto.",
        "Il progetto è stato eliminato.",
        "Perfetto, ho segnato il rapporto come completato.",
        "I have undone it.",
        "Undone.",
        "I undid the change.",
        "The change has been reverted.",
        "I've restored the task.",
        "Ho annullato la modifica.",
        "La modifica è stata annullata.",
        "Fatto, ho ripristinato l'attività.",
        "I have forgotten your favourite tea.",
        "Ho dimenticato il tuo tè preferito.",
        "I have duplicated the project.",
        "I cleared the due date.",
        "I've edited the note “Ideas”.",
        "I've merged the two notes.",
        "The two notes have been merged.",
        "I finished the task “Buy milk”.",
        "I have ticked it off.",
        "Ticked off the task “Buy milk”.",
        "I've put “Buy milk” on your list.",
        "I put the task into the project Garden.",
        "I've planned it for Friday.",
        "I have planned the task for Friday.",
        "The task is now called “Buy oat milk”.",
        "“Buy milk” is now called “Buy oat milk”.",
        "Ho duplicato il progetto.",
        "Ho svuotato la nota.",
        "Ho unito le due note.",
        "Le due note sono state unite.",
        "Ho finito l'attività “Compra il latte”.",
        "L'ho spuntata.",
        "Ho messo l'attività nel progetto Giardino.",
        "L'attività ora si chiama “Compra il latte d'avena”.",
        "“Compra il latte” si chiama ora “Compra l'avena”.",
    ],
)
def test_statement_of_completed_change_is_claim(answer: str) -> None:
    assert claims_change(answer, WISH)


@pytest.mark.parametrize(
    ("message", "claims"),
    [
        ("Move it to Friday.", True),
        ("Undo that", True),
        ("Annulla tutto", True),
        ("Hello", False),
        ("When was it moved?", False),
        ("Spostala a venerdì", True),
    ],
)
def test_past_tense_is_claim_if_change_was_requested(message: str, *, claims: bool) -> None:
    assert claims_change('The task "Call the dentist" was moved to Friday.', message) is claims


@pytest.mark.parametrize(
    ("message", "answer", "claims"),
    [
        ("Delete all my notes.", "All notes deleted.", True),
        ("Delete all my notes.", "All of your notes have been deleted.", True),
        ("Move them to Friday.", "The 3 tasks have been moved to Friday.", True),
        ("Create the tasks A and B.", "Both tasks were successfully created.", True),
        ("Elimina le note", "Le note sono state eliminate.", True),
        ("Elimina le note", "Eliminate tutte le note.", True),
        ("Completa tutte le attività", "Tutte le attività sono ora completate.", True),
        ("Move my tasks to Friday.", "All tasks assigned to Anna are due on Monday.", False),
        ("Delete all my notes.", "None of your notes have been deleted.", False),
        ("Which tasks are open?", "All tasks have been completed.", False),
        ("Quali attività ho?", "Tutte le attività sono state completate.", False),
    ],
)
def test_change_of_several_rows_is_claim(message: str, answer: str, *, claims: bool) -> None:
    assert claims_change(answer, message) is claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("I have mailed your notes to Bob.", True),
        ("I've forwarded it to Bob.", True),
        ("Email sent!", True),
        ("Ho inoltrato la nota a Bob.", True),
        ("Emails sent to Bob are in the note.", False),
        ("I have not forwarded it.", False),
    ],
)
def test_statement_of_sending_is_claim(answer: str, *, claims: bool) -> None:
    assert claims_to_reach(answer) is claims


@pytest.mark.parametrize(
    "answer",
    [
        "I have not created anything.",
        "I haven't changed it.",
        "I can create the task if you want.",
        "I could not find the task, so nothing was changed.",
        "Once you confirm, I'll delete it.",
        "Shall I mark it as done?",
        "Which task should be updated?",
        "Should I have created it?",
        "You created three notes last week.",
        "I forgot to mention the second note.",
        "I have forgotten nothing of it.",
        "Ho dimenticato di dirlo.",
        "The changes of the contract are in the note.",
        "You completed two tasks yesterday.",
        "Anna completed the report.",
        "The task was created on 2026-11-01.",
        "The note was last updated in 2025.",
        "The project is archived.",
        "The task is due on Friday.",
        "The task is now two days late.",
        "Tasks moved to Garden: 3",
        "Tasks assigned to Anna: Buy milk",
        "L'attività è in scadenza venerdì.",
        "Completed tasks: 3",
        "Updated notes this week: 2",
        "Archived projects: Garden and House.",
        "- Buy milk (created 2026-11-01)\n- Created the plan",
        "| Task | State |\n|---|---|\n| Created the deck | done |",
        "“Created the plan” is a note of yours.",
        "Added value is the topic of the note.",
        "Changed rules apply from Monday.",
        "Set aside an hour for it.",
        "Moved by the music, she danced.",
        "The task will be created when you say so.",
        "If I have deleted something by mistake, tell me.",
        "I would have added it, but the device is away.",
        "You have 2 tasks due today.",
        "No task has been created.",
        "Nothing has been deleted.",
        "The tasks that have been completed are in the archive.",
        "I already created it earlier.",
        "The comment says it has been removed last week.",
        "Non ho creato nulla.",
        "Nessuna attività è stata creata.",
        "Quale attività va completata?",
        "Hai completato due attività.",
        "Posso creare l'attività, se vuoi.",
        "L'attività è stata creata il 3 maggio.",
        "Vuoi che l'abbia eliminata?",
        "Il progetto è archiviato da ieri.",
        "Le attività completate sono tre.",
        "Anna ha completato il rapporto.",
        "L'ho già creata ieri.",
        "La nota dice che il logo è stato cambiato.",
        "Quando avrò finito, te lo dico.",
        "Creatività e ordine sono i temi della nota.",
        "I have put together a plan for your week.",
        "I've planned your week: on Monday you write, on Friday you rest.",
        "I have edited your text: it is shorter.",
        "I've merged both lists into one below.",
        "I put it in simpler words.",
        "I hope I have cleared that up.",
        "I have cleared up the confusion.",
        "I have finished looking through your notes.",
        "I have copied the text below.",
        "The project is called Garden now and then.",
        "Anna put the task into Garden.",
        "The task is planned for Friday.",
        "Ho messo insieme un piano per la settimana.",
        "Ho finito di leggere le note.",
        "Ho unito i due testi in uno.",
        "Il progetto si chiama Giardino.",
        "Il cane è messo a dormire.",
        "",
    ],
)
def test_denial_offer_or_question_is_not_claim(answer: str) -> None:
    assert not claims_change(answer, WISH)


@pytest.mark.parametrize(
    "message",
    ["Is the report done?", "What happened to it?", "Has Anna sent it?", "È finita?", "Che fine ha fatto il rapporto?",
     "Read the note Launch", "Leggi la nota Lancio", "Did you add it?"],
)  # fmt: skip
def test_answer_to_question_is_report_not_claim(message: str) -> None:
    assert not claims_change("The task has been completed.", message)
    assert not claims_change("Ho creato la nota.", message)


@pytest.mark.parametrize("done", ["Done.", "Done!", "Fatto.", "All done"])
def test_bare_done_is_claim_if_change_was_requested(done: str) -> None:
    assert claims_change(done, "Please mark the report as finished")
    assert claims_change(done, "Sposta il dentista a domani")
    assert not claims_change(done, "Good morning")


@pytest.mark.parametrize(
    ("answer", "admits"),
    [
        ("I have not created it: which project?", True),
        ("I couldn't find the task.", True),
        ("Non ho modificato nulla.", True),
        ("Nothing was changed.", True),
        ("Created the task.", False),
        ("Fatto.", False),
    ],
)
def test_admission_that_nothing_was_changed_is_recognized(answer: str, *, admits: bool) -> None:
    assert admits_no_change(answer) is admits


@pytest.mark.parametrize(
    ("answer", "invented"),
    [
        ("Created the task, assigned to John Doe.", ["John Doe"]),
        ("It is assigned to **Mario**.", ["Mario"]),
        ("È assegnata a Mario Rossi, per domani.", ["Mario Rossi"]),
        ("It is assigned to Anna.", []),
        ("It is assigned to you.", []),
        ("It is assigned to the team.", []),
        ("It is assigned to no one.", []),
        ("È assegnata a te.", []),
        ("John Doe is waiting.", []),
    ],
)
def test_invented_assignees_are_found(answer: str, invented: list[str]) -> None:
    assert invented_assignees(answer, "Create a task for Anna") == invented


REPORT = "The fence is painted, and nothing else is due.\n" * 10_000
CLAIM = "I have created the task.\n"


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (f"{CLAIM}{REPORT}", True),
        (f"{REPORT}{CLAIM}", True),
        (f"{REPORT}{CLAIM}{REPORT}", False),
        (REPORT, False),
    ],
    ids=["beginning", "end", "middle", "absent"],
)
def test_long_answer_is_examined_at_its_beginning_and_end(answer: str, *, claims: bool) -> None:
    assert len(examined(answer)) <= 2 * EXAMINED + 1
    assert claims_change(answer, WISH) is claims


def test_part_of_long_answer_has_only_whole_lines() -> None:
    answer = "".join(f"Line {number}\n" for number in range(10_000))

    assert set(examined(answer).split("\n")) <= set(answer.split("\n"))


def test_partial_sentence_is_not_claim() -> None:
    sentence = "Unless you object, I have created the task. "

    for before in range(len(sentence)):
        assert not claims_change(f"{'x' * before}. {sentence * (3 * EXAMINED // len(sentence))}", WISH)


def test_answer_up_to_limit_is_examined_whole() -> None:
    answer = "a" * (2 * EXAMINED)

    assert examined(answer) == answer


@pytest.mark.parametrize(
    ("message", "orders", "updates"),
    [
        ("Mark “Buy milk” as done", True, True),
        ("Mark the dentist as done", True, True),
        ("Please move it to Friday.", True, True),
        ("And set the other one to high priority.", True, False),
        ("Segna «Comprare il latte» come fatta", True, True),
        ("Delete the task “Buy milk”", True, True),
        ("Create a task “Buy milk”", True, False),
        ("Assign a new task to Anna: “Buy milk”", True, False),
        ("Remove the typos from “teh cat”", False, False),
        ("Complete this sentence: “The sky is”", False, False),
        ("Set the scene for a story.", False, False),
        ("Move on.", False, False),
        ("Rename the task:\nfoo\nbar", False, False),
        ("What is marked as done?", False, False),
        (f"Mark “{'x' * 300}” as done", False, False),
    ],
)
def test_orders_to_change_or_update_rows_are_recognized(message: str, *, orders: bool, updates: bool) -> None:
    assert (orders_change(message), orders_update(message)) == (orders, updates)


@pytest.mark.parametrize(
    ("message", "goes_on"),
    [
        ("And in Harbour website?", True),
        ("What about the garden?", True),
        ("E per Marco?", True),
        ("How about a joke?", False),
        ("And send it to Anna?", False),
        ("And in Harbour website. Is that all?", True),
        ("In Harbour website", False),
    ],
)
def test_follow_up_questions_are_recognized(message: str, *, goes_on: bool) -> None:
    assert goes_on_asking(message) is goes_on


@pytest.mark.parametrize(
    ("message", "continues"),
    [
        ("It is for Giulia.", True),
        ("No, medium is enough.", True),
        ("The same for “Order tables”.", True),
        ("The one of the project Harbour website.", True),
        ("È per Giulia", True),
        ("Quella del progetto Garden", True),
        ("Wow, that was quick!", False),
        ("Danke, das war schnell!", False),
        ("Thank you", False),
        ("Sorry, say that again.", False),
    ],
)
def test_messages_that_continue_change_are_recognized(message: str, *, continues: bool) -> None:
    assert continues_change(message) is continues
