"""How sentences with a title are understood, and where the title ends."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.offline.commands import (
    AddComment,
    Command,
    DeleteRow,
    Field,
    FindNotes,
    ListComments,
    Priority,
    RowKind,
    ShowRow,
    Status,
)
from agents.offline.understanding import understand
from tests.agents.offline.expected import (
    CHRISTMAS_EVE,
    FRIDAY,
    NEXT_WEEK,
    TITLE,
    TODAY,
    TOMORROW,
    as_titled,
    changed,
    created,
    on,
    target,
    without_literals,
)

EN, IT = "en", "it"
PROJECT, CHECKPOINT, NOTE = RowKind.PROJECT, RowKind.CHECKPOINT, RowKind.NOTE

TITLED: list[tuple[str, str, Command]] = [
    (EN, "Create a task called {title} with high priority", created(priority=Priority.HIGH)),
    (IT, "Crea un'attività chiamata {title} con priorità alta", created(priority=Priority.HIGH)),
    (EN, "add task {title}", created()),
    (EN, "add task {title}. It is urgent. It should be due on Friday.", created(priority=Priority.HIGH, due=FRIDAY)),
    (IT, "aggiungi attività {title}. È urgente. Scade venerdì.", created(priority=Priority.HIGH, due=FRIDAY)),
    (
        EN,
        "set the task {title} to in progress and move it to Friday",
        changed(status=Status.IN_PROGRESS, due=FRIDAY),
    ),
    (IT, "segna l'attività {title} come in corso e spostala a venerdì", changed(status=Status.IN_PROGRESS, due=FRIDAY)),
    (EN, "what does the description of the task {title} say?", ShowRow(target=target())),
    (IT, "cosa dice la descrizione dell'attività {title}?", ShowRow(target=target())),
    (EN, "show me {title}", ShowRow(target=target(entity=None))),
    (IT, "mostrami {title}", ShowRow(target=target(entity=None))),
    (EN, "is {title} assigned to Anna?", ShowRow(target=target(entity=None))),
    (IT, "{title} è assegnata ad Anna?", ShowRow(target=target(entity=None))),
    (IT, "{title} e' fatta", changed(status=Status.DONE)),
    (EN, "read {title}", ShowRow(target=target(entity=None))),
    (IT, "leggi {title}", ShowRow(target=target(entity=None))),
    (IT, "rendi urgente {title}", changed(priority=Priority.HIGH)),
    (IT, "dai {title} a Marco", changed(assignees=("Marco",))),
    (IT, "crea un'attività {title} per il 24 aprile", created(due=on("2027-04-24"))),
    (EN, "what's in the {title} note?", ShowRow(target=target(entity=NOTE))),
    (EN, "Add a task: {title}", created()),
    (EN, "please add a task to {title}", created()),
    (EN, "add {title} to my to-do list", created()),
    (IT, "aggiungi attività {title}", created()),
    (IT, "Aggiungi un’attività: {title}", created()),
    (IT, "per favore aggiungi un'attività per {title}", created()),
    (IT, "aggiungi {title} alla lista delle cose da fare", created()),
    (EN, "new task: {title} tomorrow", created(due=TOMORROW)),
    (EN, "remember to {title}", created()),
    (IT, "ricordati di {title}", created()),
    (
        EN,
        "new task: {title}, high priority, due Friday, in Website",
        created(priority=Priority.HIGH, due=FRIDAY, project="Website"),
    ),
    (EN, "create task {title} for tomorrow", created(due=TOMORROW)),
    (EN, "remind me to {title} tomorrow", created(due=TOMORROW)),
    (IT, "nuova attività: {title} domani", created(due=TOMORROW)),
    (IT, "crea l'attività {title} per domani", created(due=TOMORROW)),
    (IT, "ricordami di {title} domani", created(due=TOMORROW)),
    (IT, "crea attività {title} entro venerdì", created(due=FRIDAY)),
    (EN, "create a high priority task called {title} due Friday", created(priority=Priority.HIGH, due=FRIDAY)),
    (EN, "add an urgent task {title} due 24 December", created(priority=Priority.HIGH, due=CHRISTMAS_EVE)),
    (IT, "aggiungi un'attività urgente {title} per il 24 dicembre", created(priority=Priority.HIGH, due=CHRISTMAS_EVE)),
    (
        EN,
        "add task {title} on 24 December assigned to Anna and Marco",
        created(due=CHRISTMAS_EVE, assignees=("Anna", "Marco")),
    ),
    (
        IT,
        "aggiungi attività {title} il 24 dicembre assegnata ad Anna e Marco",
        created(due=CHRISTMAS_EVE, assignees=("Anna", "Marco")),
    ),
    (EN, "add task {title} in project Website due 2026-12-01", created(project="Website", due=on("2026-12-01"))),
    (
        IT,
        "aggiungi l'attività {title} nel progetto Sito con scadenza 2026-12-01",
        created(project="Sito", due=on("2026-12-01")),
    ),
    (EN, "create a task in project Website called {title}", created(project="Website")),
    (IT, "crea un'attività nel progetto Sito chiamata {title}", created(project="Sito")),
    (
        EN,
        "Create a task {title} due tomorrow at 18:00 with low priority assigned to Anna in project “Website”",
        created(due=on("2026-11-19", "18:00"), priority=Priority.LOW, assignees=("Anna",), project="Website"),
    ),
    (
        IT,
        "Crea un’attività {title} per domani alle 18:00 con priorità bassa assegnata ad Anna nel progetto “Sito”",
        created(due=on("2026-11-19", "18:00"), priority=Priority.LOW, assignees=("Anna",), project="Sito"),
    ),
    (EN, "create a task {title} with the description ask Bob first", created(content="ask Bob first")),
    (IT, "crea un'attività {title} con la descrizione chiedi a Bob", created(content="chiedi a Bob")),
    (EN, "create a project called {title}", created(PROJECT)),
    (EN, "new project {title}", created(PROJECT)),
    (IT, "crea un progetto chiamato {title}", created(PROJECT)),
    (IT, "nuovo progetto {title}", created(PROJECT)),
    (
        EN,
        "create a checkpoint {title} in project Website on 24 December",
        created(CHECKPOINT, project="Website", due=CHRISTMAS_EVE),
    ),
    (
        EN,
        "add a milestone {title} to project “Website” for 2026-12-24",
        created(CHECKPOINT, project="Website", due=CHRISTMAS_EVE),
    ),
    (
        IT,
        "crea un checkpoint {title} nel progetto Sito il 24 dicembre",
        created(CHECKPOINT, project="Sito", due=CHRISTMAS_EVE),
    ),
    (
        IT,
        "aggiungi una tappa {title} al progetto «Sito» per il 2026-12-24",
        created(CHECKPOINT, project="Sito", due=CHRISTMAS_EVE),
    ),
    (EN, "create a note called {title}: paint the kitchen", created(NOTE, content="paint the kitchen")),
    (IT, "crea una nota chiamata {title}: dipingere la cucina", created(NOTE, content="dipingere la cucina")),
    (EN, 'create a note titled {title} with content "paint it"', created(NOTE, content="paint it")),
    (EN, "write a note about {title} saying paint it", created(NOTE, content="paint it")),
    (IT, "crea una nota intitolata {title} con contenuto «x»", created(NOTE, content="x")),
    (IT, "scrivi una nota su {title} con scritto dipingerla", created(NOTE, content="dipingerla")),
    (EN, "add a note {title} in project Website with the text “x”", created(NOTE, project="Website", content="x")),
    (EN, "note: {title}", created(NOTE, content=TITLE)),
    (EN, "note down that {title}", created(NOTE, content=TITLE)),
    (IT, "nota: {title}", created(NOTE, content=TITLE)),
    (IT, "annota che {title}", created(NOTE, content=TITLE)),
    (IT, "prendi nota: {title}", created(NOTE, content=TITLE)),
    (EN, "mark {title} as done", changed(status=Status.DONE)),
    (EN, "Mark {title} as completed.", changed(status=Status.DONE)),
    (EN, "complete {title}", changed(status=Status.DONE)),
    (EN, "complete the task {title}", changed(status=Status.DONE)),
    (EN, "I finished {title}", changed(status=Status.DONE)),
    (EN, "I’ve done the {title} task", changed(status=Status.DONE)),
    (EN, "tick off {title}", changed(status=Status.DONE)),
    (EN, "tick {title} off", changed(status=Status.DONE)),
    (EN, "{title} is done", changed(status=Status.DONE)),
    (IT, "segna {title} come fatta", changed(status=Status.DONE)),
    (IT, "Segna {title} come completata.", changed(status=Status.DONE)),
    (IT, "completa {title}", changed(status=Status.DONE)),
    (IT, "completa l'attività {title}", changed(status=Status.DONE)),
    (IT, "ho finito {title}", changed(status=Status.DONE)),
    (IT, "ho completato l'attività {title}", changed(status=Status.DONE)),
    (IT, "{title} è fatta", changed(status=Status.DONE)),
    (IT, "fatto: {title}", changed(status=Status.DONE)),
    (EN, "reopen {title}", changed(status=Status.TODO)),
    (EN, "mark {title} as not done", changed(status=Status.TODO)),
    (IT, "riapri {title}", changed(status=Status.TODO)),
    (IT, "segna {title} come da fare", changed(status=Status.TODO)),
    (IT, "segna {title} come non fatta", changed(status=Status.TODO)),
    (EN, "start {title}", changed(status=Status.IN_PROGRESS)),
    (EN, "I'm working on {title}", changed(status=Status.IN_PROGRESS)),
    (EN, "set {title} to in progress", changed(status=Status.IN_PROGRESS)),
    (IT, "inizia {title}", changed(status=Status.IN_PROGRESS)),
    (IT, "sto lavorando a {title}", changed(status=Status.IN_PROGRESS)),
    (IT, "metti {title} in corso", changed(status=Status.IN_PROGRESS)),
    (EN, "rename task {title} to Other thing", changed(title="Other thing")),
    (IT, "rinomina l'attività {title} in Altra cosa", changed(title="Altra cosa")),
    (EN, "rename {title} to Other thing", changed(target(entity=None), title="Other thing")),
    (EN, "change the title of {title} to Other thing", changed(target(entity=None), title="Other thing")),
    (IT, "rinomina {title} in Altra cosa", changed(target(entity=None), title="Altra cosa")),
    (IT, "cambia il titolo di {title} in Altra cosa", changed(target(entity=None), title="Altra cosa")),
    (EN, "rename project {title} to Site", changed(target(entity=PROJECT), title="Site")),
    (IT, "rinomina il progetto {title} in Portale", changed(target(entity=PROJECT), title="Portale")),
    (EN, "rename note {title} to Site", changed(target(entity=NOTE), title="Site")),
    (IT, "rinomina la nota {title} in Pensieri", changed(target(entity=NOTE), title="Pensieri")),
    (EN, "set the priority of {title} to high", changed(priority=Priority.HIGH)),
    (EN, "make {title} high priority", changed(priority=Priority.HIGH)),
    (EN, "make {title} urgent", changed(priority=Priority.HIGH)),
    (EN, "prioritize {title}", changed(priority=Priority.HIGH)),
    (IT, "imposta la priorità di {title} ad alta", changed(priority=Priority.HIGH)),
    (IT, "metti priorità alta a {title}", changed(priority=Priority.HIGH)),
    (IT, "segna {title} come urgente", changed(priority=Priority.HIGH)),
    (EN, "change the priority of task {title} to low", changed(priority=Priority.LOW)),
    (IT, "imposta la priorità dell'attività {title} su bassa", changed(priority=Priority.LOW)),
    (EN, "give {title} medium priority", changed(priority=Priority.MEDIUM)),
    (EN, "move {title} to tomorrow", changed(due=TOMORROW)),
    (IT, "sposta {title} a domani", changed(due=TOMORROW)),
    (EN, "postpone {title} to Friday", changed(due=FRIDAY)),
    (EN, "mark as done: {title}", changed(status=Status.DONE)),
    (IT, "segna come fatta {title}", changed(status=Status.DONE)),
    (EN, "postpone {title} by two days", changed(shift=2)),
    (EN, "push {title} back a week", changed(shift=7)),
    (EN, "bring {title} forward by a day", changed(shift=-1)),
    (IT, "rimanda {title} di una settimana", changed(shift=7)),
    (IT, "anticipa {title} di due giorni", changed(shift=-2)),
    (EN, "{title} is due on Friday", changed(due=FRIDAY)),
    (IT, "rimanda {title} a venerdì", changed(due=FRIDAY)),
    (IT, "{title} scade venerdì", changed(due=FRIDAY)),
    (IT, "posticipa {title} alla prossima settimana", changed(due=NEXT_WEEK)),
    (EN, "set the due date of {title} to 24 December", changed(due=CHRISTMAS_EVE)),
    (IT, "imposta la scadenza di {title} al 24 dicembre", changed(due=CHRISTMAS_EVE)),
    (IT, "cambia la scadenza di {title} a domani alle 18", changed(due=on("2026-11-19", "18:00"))),
    (EN, "reschedule {title} for 2026-12-01 at 18:00", changed(due=on("2026-12-01", "18:00"))),
    (EN, "remove the due date of {title}", changed(clears=Field.DUE)),
    (IT, "togli la scadenza a {title}", changed(clears=Field.DUE)),
    (EN, "assign {title} to Anna", changed(assignees=("Anna",))),
    (IT, "assegna {title} ad Anna", changed(assignees=("Anna",))),
    (EN, "assign the task {title} to Anna, Marco and Eve", changed(assignees=("Anna", "Marco", "Eve"))),
    (IT, "assegna l'attività {title} ad Anna, Marco ed Eva", changed(assignees=("Anna", "Marco", "Eva"))),
    (EN, "unassign {title}", changed(clears=Field.ASSIGNEES)),
    (EN, "unassign Anna from {title}", changed(unassigned=("Anna",))),
    (IT, "togli Anna dagli assegnatari di {title}", changed(unassigned=("Anna",))),
    (IT, "rimuovi le assegnazioni di {title}", changed(clears=Field.ASSIGNEES)),
    (EN, "move {title} to project Website", changed(target(entity=None), project="Website")),
    (EN, "move {title} to Website", changed(target(entity=None), project="Website")),
    (IT, "sposta {title} nel progetto Sito", changed(target(entity=None), project="Sito")),
    (EN, "move task {title} to the Website project", changed(project="Website")),
    (IT, "sposta l'attività {title} al progetto Sito", changed(project="Sito")),
    (EN, "remove {title} from its project", changed(target(entity=None), clears=Field.PROJECT)),
    (IT, "togli {title} dal suo progetto", changed(target(entity=None), clears=Field.PROJECT)),
    (EN, "archive project {title}", changed(target(entity=PROJECT), archived=True)),
    (EN, "archive {title}", changed(target(entity=PROJECT), archived=True)),
    (IT, "archivia il progetto {title}", changed(target(entity=PROJECT), archived=True)),
    (IT, "archivia {title}", changed(target(entity=PROJECT), archived=True)),
    (EN, "unarchive {title}", changed(target(entity=PROJECT), archived=False)),
    (IT, "riattiva il progetto {title}", changed(target(entity=PROJECT), archived=False)),
    (EN, "move checkpoint {title} to 1 January", changed(target(entity=CHECKPOINT), due=on("2027-01-01"))),
    (IT, "sposta il checkpoint {title} al 1 gennaio", changed(target(entity=CHECKPOINT), due=on("2027-01-01"))),
    (EN, "set the content of note {title} to “new text”", changed(target(entity=NOTE), content="new text")),
    (IT, "cambia il testo della nota {title} in «nuovo testo»", changed(target(entity=NOTE), content="nuovo testo")),
    (EN, "set the description of {title} to new text", changed(content="new text")),
    (IT, "cambia la descrizione di {title} in nuovo testo", changed(content="nuovo testo")),
    (EN, "delete task {title}", DeleteRow(target=target())),
    (EN, "delete the task {title}, please", DeleteRow(target=target())),
    (IT, "elimina l'attività {title}", DeleteRow(target=target())),
    (IT, "elimina l'attività {title} per favore", DeleteRow(target=target())),
    (IT, "rimuovi il compito {title}", DeleteRow(target=target())),
    (EN, "delete {title}", DeleteRow(target=target(entity=None))),
    (IT, "cancella {title}", DeleteRow(target=target(entity=None))),
    (EN, "delete project {title}", DeleteRow(target=target(entity=PROJECT))),
    (IT, "elimina il progetto {title}", DeleteRow(target=target(entity=PROJECT))),
    (EN, "delete the checkpoint {title}", DeleteRow(target=target(entity=CHECKPOINT))),
    (IT, "elimina il checkpoint {title}", DeleteRow(target=target(entity=CHECKPOINT))),
    (
        EN,
        "delete checkpoint {title} in project Website",
        DeleteRow(target=target(entity=CHECKPOINT, project="Website")),
    ),
    (IT, "elimina il traguardo {title} del progetto Sito", DeleteRow(target=target(entity=CHECKPOINT, project="Sito"))),
    (EN, "delete note {title}", DeleteRow(target=target(entity=NOTE))),
    (IT, "elimina la nota {title}", DeleteRow(target=target(entity=NOTE))),
    (
        EN,
        "delete the comment “it closes” from {title}",
        DeleteRow(target=target("it closes", RowKind.COMMENT, parent=target())),
    ),
    (
        IT,
        "elimina il commento «chiude» dall'attività {title}",
        DeleteRow(target=target("chiude", RowKind.COMMENT, parent=target())),
    ),
    (EN, "comment on {title}: it closes", AddComment(target=target(), content="it closes")),
    (EN, "add a comment to {title} saying it closes", AddComment(target=target(), content="it closes")),
    (EN, "add comment “it closes” to task {title}", AddComment(target=target(), content="it closes")),
    (IT, "commenta {title}: chiude alle sei", AddComment(target=target(), content="chiude alle sei")),
    (IT, "aggiungi un commento a {title}: chiude alle sei", AddComment(target=target(), content="chiude alle sei")),
    (IT, "aggiungi il commento «chiude» all'attività {title}", AddComment(target=target(), content="chiude")),
    (
        EN,
        "add a comment to {title}: “it closes” as Anna",
        AddComment(target=target(), content="it closes", author="Anna"),
    ),
    (
        IT,
        "aggiungi un commento a {title}: «chiude» a nome di Anna",
        AddComment(target=target(), content="chiude", author="Anna"),
    ),
    (EN, "show the comments of task {title}", ListComments(target=target())),
    (EN, "comments on {title}", ListComments(target=target())),
    (IT, "mostra i commenti dell'attività {title}", ListComments(target=target())),
    (IT, "commenti su {title}", ListComments(target=target())),
    (EN, "When is the task {title} due?", ShowRow(target=target())),
    (IT, "quando scade l'attività {title}?", ShowRow(target=target())),
    (EN, "Who is assigned to the task {title}?", ShowRow(target=target())),
    (EN, "who is working on {title}?", ShowRow(target=target(entity=None))),
    (EN, "when is {title}?", ShowRow(target=target(entity=None))),
    (EN, "how is {title} going?", ShowRow(target=target(entity=None))),
    (EN, "search for {title}", ShowRow(target=target(entity=None))),
    (EN, "what's in the note {title}?", ShowRow(target=target(entity=NOTE))),
    (IT, "chi sta facendo {title}?", ShowRow(target=target(entity=None))),
    (IT, "come sta andando {title}?", ShowRow(target=target(entity=None))),
    (IT, "cosa c'è scritto nella nota {title}?", ShowRow(target=target(entity=NOTE))),
    (EN, "read the note {title}", ShowRow(target=target(entity=NOTE))),
    (EN, "open note {title}", ShowRow(target=target(entity=NOTE))),
    (EN, "show me the note called {title}", ShowRow(target=target(entity=NOTE))),
    (EN, "what does the note {title} say?", ShowRow(target=target(entity=NOTE))),
    (IT, "leggi la nota {title}", ShowRow(target=target(entity=NOTE))),
    (IT, "apri la nota {title}", ShowRow(target=target(entity=NOTE))),
    (IT, "mostrami la nota chiamata {title}", ShowRow(target=target(entity=NOTE))),
    (IT, "cosa dice la nota {title}?", ShowRow(target=target(entity=NOTE))),
    (EN, "show project {title}", ShowRow(target=target(entity=PROJECT))),
    (IT, "mostra il progetto {title}", ShowRow(target=target(entity=PROJECT))),
    (EN, "find the task called {title}", ShowRow(target=target())),
    (EN, "search my notes for {title}", FindNotes(query=TITLE)),
    (EN, "What do my notes say about {title}?", FindNotes(query=TITLE)),
    (EN, "find notes about {title}", FindNotes(query=TITLE)),
    (EN, "what did I write about {title}?", FindNotes(query=TITLE)),
    (IT, "cerca nelle mie note {title}", FindNotes(query=TITLE)),
    (IT, "Cosa dicono le mie note su {title}?", FindNotes(query=TITLE)),
    (IT, "trova le note su {title}", FindNotes(query=TITLE)),
    (IT, "cosa ho scritto su {title}?", FindNotes(query=TITLE)),
    (EN, "find notes about {title} in project Website", FindNotes(query=TITLE, project="Website")),
]

WORDS = {
    EN: ("Paint", "kitchen", "Zürich", "report", "invoice", "bread", "Tokyo", "garden", "piano", "R2D2"),
    IT: ("Dipingi", "cucina", "Zürich", "bolletta", "fattura", "pane", "Tokyo", "giardino", "pianoforte", "caffè"),
}
PLAIN_TITLES = {
    language: st.lists(st.sampled_from(words), min_size=1, max_size=4, unique=True).map(" ".join)
    for language, words in WORDS.items()
}
WORDS_OF_SENTENCES = {
    EN: st.sampled_from(["to", "done", "tomorrow", "in project", "with", "as", ":", "?"]),
    IT: st.sampled_from(["in", "fatta", "domani", "nel progetto", "con", "come", ":", "?"]),
}
QUOTES = {
    EN: (("“", "”"), ('"', '"'), ("«", "»"), ("'", "'"), ("‘", "’")),
    IT: (("«", "»"), ("“", "”"), ('"', '"')),
}


def read(message: str, language: str) -> tuple[Command, str]:
    """The command that ``message`` is understood as, and the language that is recognized."""
    command, understood_in = understand(message, language=language, today=TODAY)
    return without_literals(command), understood_in


@pytest.mark.parametrize(("language", "template", "expected"), TITLED)
@given(data=st.data())
@settings(max_examples=4, deadline=None)
def test_sentence_with_plain_title_is_understood(
    language: str, template: str, expected: Command, data: st.DataObject
) -> None:
    title = data.draw(PLAIN_TITLES[language])
    assert read(template.replace(TITLE, title), language) == (as_titled(expected, title), language)


@pytest.mark.parametrize(("language", "template", "expected"), TITLED)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_sentence_with_quoted_title_that_contains_its_words_is_understood(
    language: str, template: str, expected: Command, data: st.DataObject
) -> None:
    title = f"{data.draw(PLAIN_TITLES[language])} {data.draw(WORDS_OF_SENTENCES[language])} x"
    for opening, closing in QUOTES[language]:
        message = template.replace(TITLE, f"{opening}{title}{closing}")
        assert read(message, language) == (as_titled(expected, title), language)


@pytest.mark.parametrize(
    ("message", "title", "details"),
    [
        ('create a task called "Say "hi" to Bob" for tomorrow', 'Say "hi" to Bob', {"due": TOMORROW}),
        ('add task Fix "login" bug', 'Fix "login" bug', {}),
        ("add task Meeting of Friday", "Meeting of Friday", {}),
        ("add task Prepare the talk for Friday", "Prepare the talk", {"due": FRIDAY}),
        ("add task Read chapter 1/2", "Read chapter 1/2", {}),
        ("add task Release 5.3", "Release 5.3", {}),
        ("add task Call Anna every Monday", "Call Anna every Monday", {}),
        ("add task Buy bread and butter tomorrow", "Buy bread and butter", {"due": TOMORROW}),
        ("add task Rename the file to x.txt", "Rename the file to x.txt", {}),
        ("add task Find the shop called Foo", "Find the shop called Foo", {}),
        ("add task Pay rent due Friday, priority low", "Pay rent", {"due": FRIDAY, "priority": Priority.LOW}),
        ("add task Pay rent (high priority)", "Pay rent", {"priority": Priority.HIGH}),
        ("add task Meet on 31 February", "Meet on 31 February", {}),
        ("add task Buy a high priority high priority", "Buy a high priority", {"priority": Priority.HIGH}),
        ('add task "Buy milk" at the shop', '"Buy milk" at the shop', {}),
        (
            "add task “Buy milk” for Anna and Marco tomorrow",
            "Buy milk",
            {"due": TOMORROW, "assignees": ("Anna", "Marco")},
        ),
        ("add task “Buy milk” for Anna, due Friday", "Buy milk", {"due": FRIDAY, "assignees": ("Anna",)}),
        ("add task Buy milk for Anna", "Buy milk for Anna", {}),
        ("add task “Buy milk” for the party", "“Buy milk” for the party", {}),
        ("add a task\nBuy milk\nfor tomorrow", "Buy milk", {"due": TOMORROW}),
    ],
)
def test_title_ends_where_details_begin(message: str, title: str, details: dict[str, Any]) -> None:
    assert read(message, EN)[0] == created(title=title, **details)
