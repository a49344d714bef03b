"""What Italian sentences are understood as."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.adapters.offline.commands import (
    OPEN,
    AddComment,
    Command,
    DeleteRow,
    Entity,
    Field,
    Grouping,
    Incomplete,
    ListComments,
    Missing,
    Priority,
    SearchNotes,
    Shape,
    ShowPage,
    ShowRow,
    Status,
    Talk,
    WhatNext,
)
from agents.adapters.offline.grammar import Language
from agents.adapters.offline.understanding import understand
from tests.agents.adapters.offline_expected import (
    CHRISTMAS_EVE,
    FRIDAY,
    NEXT_WEEK,
    THIS_WEEK,
    TITLE,
    TODAY,
    TOMORROW,
    as_titled,
    between,
    changed,
    created,
    on,
    rows,
    target,
    without_literals,
)

DONE = frozenset({Status.DONE})
TASK, PROJECT, CHECKPOINT, NOTE = Entity.TASK, Entity.PROJECT, Entity.CHECKPOINT, Entity.NOTE

LISTS: list[tuple[str, Command]] = [
    ("Elenca le mie attività", rows()),
    ("ELENCA LE MIE ATTIVITÀ!!!", rows()),
    ("mi puoi mostrare le mie attività per favore?", rows()),
    ("Quali attività ho?", rows()),
    ("attività", rows()),
    ("le mie attivita'", rows()),
    ("i miei compiti", rows()),
    ("Quante attività ho?", rows()),
    ("mostrami tutte le attività", rows(everything=True)),
    ("quali sono le mie attività aperte?", rows(statuses=OPEN)),
    ("quali attività devo ancora fare", rows(statuses=OPEN)),
    ("quali attività sono in corso", rows(statuses=frozenset({Status.IN_PROGRESS}))),
    ("attività da iniziare", rows(statuses=frozenset({Status.TODO}))),
    ("mostra le attività completate", rows(statuses=DONE)),
    ("conta le attività fatte", rows(statuses=DONE)),
    ("quante attività aperte ho nel progetto Sito?", rows(statuses=OPEN, project="Sito")),
    ("quante attività per stato", rows(shape=Shape.CHART, grouping=Grouping.STATUS)),
    ("mostra un grafico delle attività per priorità", rows(shape=Shape.CHART, grouping=Grouping.PRIORITY)),
    (
        "grafico a torta delle attività per progetto",
        rows(shape=Shape.CHART, chart_type="pie", grouping=Grouping.PROJECT),
    ),
    ("mostra le attività in una tabella", rows(shape=Shape.TABLE)),
    ("tabella delle attività con priorità alta", rows(shape=Shape.TABLE, priority=Priority.HIGH)),
    ("Quali attività scadono oggi?", rows(due=on("2026-11-18"))),
    ("Cosa scade oggi?", rows(due=on("2026-11-18"))),
    ("Cos’è in scadenza oggi?", rows(due=on("2026-11-18"))),
    ("le attività di oggi", rows(due=on("2026-11-18"))),
    ("ho attività in scadenza oggi?", rows(due=on("2026-11-18"))),
    ("cosa devo fare oggi", rows(statuses=OPEN, due=on("2026-11-18"))),
    ("che cosa scade domani", rows(due=TOMORROW)),
    ("qualcosa in scadenza domani?", rows(due=TOMORROW)),
    ("attività di domani", rows(due=TOMORROW)),
    ("attività per venerdì", rows(due=FRIDAY)),
    ("quali attività scadono il 24 dicembre?", rows(due=CHRISTMAS_EVE)),
    ("attività in scadenza questa settimana", rows(due=THIS_WEEK)),
    ("attività della prossima settimana", rows(due=NEXT_WEEK)),
    ("attività in scadenza nei prossimi 3 giorni", rows(due=between("2026-11-18", "2026-11-21", "2026-11-21"))),
    ("cosa è scaduto?", rows(overdue=True)),
    ("mostra le attività scadute", rows(overdue=True)),
    ("attività in ritardo", rows(overdue=True)),
    ("ci sono attività scadute?", rows(overdue=True)),
    ("attività senza scadenza", rows(undated=True)),
    ("elenca le attività con priorità alta", rows(priority=Priority.HIGH)),
    ("attività urgenti", rows(priority=Priority.HIGH)),
    ("attività a bassa priorità non completate", rows(statuses=OPEN, priority=Priority.LOW)),
    ('attività nel progetto "Sito"', rows(project="Sito")),
    ("attività del progetto Sito", rows(project="Sito")),
    (
        "mostrami le attività con priorità alta in scadenza questa settimana nel progetto «Sito»",
        rows(priority=Priority.HIGH, due=THIS_WEEK, project="Sito"),
    ),
    ("attività assegnate ad Anna", rows(assignee="Anna")),
    ("attività di Anna", rows(about="Anna")),
    ("attività che contengono latte", rows(words="latte")),
    ("cerca le attività con «latte»", rows(words="latte")),
    ("elenca i miei progetti", rows(PROJECT)),
    ("vorrei vedere i miei progetti", rows(PROJECT)),
    ("mostra tutti i progetti", rows(PROJECT, everything=True)),
    ("progetti archiviati", rows(PROJECT, archived=True)),
    ("progetti attivi", rows(PROJECT)),
    ("traguardi del progetto Sito", rows(CHECKPOINT, project="Sito")),
    ("quali sono i prossimi traguardi", rows(CHECKPOINT)),
    ("mostra la timeline del progetto Sito", rows(CHECKPOINT, shape=Shape.TIMELINE, project="Sito")),
    ("elenca le mie note", rows(NOTE)),
    ("quali note ho scritto", rows(NOTE)),
    ("i miei appunti", rows(NOTE)),
    ("note del progetto Sito", rows(NOTE, project="Sito")),
]

TITLED: list[tuple[str, Command]] = [
    ("Crea un'attività chiamata {title} con priorità alta", created(priority=Priority.HIGH)),
    ("aggiungi attività {title}", created()),
    ("Aggiungi un’attività: {title}", created()),
    ("per favore aggiungi un'attività per {title}", created()),
    ("nuova attività: {title} domani", created(due=TOMORROW)),
    ("crea l'attività {title} per domani", created(due=TOMORROW)),
    ("crea attività {title} entro venerdì", created(due=FRIDAY)),
    ("aggiungi un'attività urgente {title} per il 24 dicembre", created(priority=Priority.HIGH, due=CHRISTMAS_EVE)),
    (
        "aggiungi attività {title} il 24 dicembre assegnata ad Anna e Marco",
        created(due=CHRISTMAS_EVE, assignees=("Anna", "Marco")),
    ),
    (
        "aggiungi l'attività {title} nel progetto Sito con scadenza 2026-12-01",
        created(project="Sito", due=on("2026-12-01")),
    ),
    ("crea un'attività nel progetto Sito chiamata {title}", created(project="Sito")),
    (
        "Crea un’attività {title} per domani alle 18:00 con priorità bassa assegnata ad Anna nel progetto “Sito”",
        created(due=on("2026-11-19", "18:00"), priority=Priority.LOW, assignees=("Anna",), project="Sito"),
    ),
    ("crea un'attività {title} con la descrizione chiedi a Bob", created(content="chiedi a Bob")),
    ("ricordami di {title} domani", created(due=TOMORROW)),
    ("aggiungi {title} alla lista delle cose da fare", created()),
    ("crea un progetto chiamato {title}", created(PROJECT)),
    ("nuovo progetto {title}", created(PROJECT)),
    (
        "crea un checkpoint {title} nel progetto Sito il 24 dicembre",
        created(CHECKPOINT, project="Sito", due=CHRISTMAS_EVE),
    ),
    (
        "aggiungi una tappa {title} al progetto «Sito» per il 2026-12-24",
        created(CHECKPOINT, project="Sito", due=CHRISTMAS_EVE),
    ),
    ("crea una nota chiamata {title}: dipingere la cucina", created(NOTE, content="dipingere la cucina")),
    ("crea una nota intitolata {title} con contenuto «x»", created(NOTE, content="x")),
    ("scrivi una nota su {title} con scritto dipingerla", created(NOTE, content="dipingerla")),
    ("nota: {title}", created(NOTE, content=TITLE)),
    ("annota che {title}", created(NOTE, content=TITLE)),
    ("prendi nota: {title}", created(NOTE, content=TITLE)),
    ("segna {title} come fatta", changed(status=Status.DONE)),
    ("Segna {title} come completata.", changed(status=Status.DONE)),
    ("completa {title}", changed(status=Status.DONE)),
    ("completa l'attività {title}", changed(status=Status.DONE)),
    ("ho finito {title}", changed(status=Status.DONE)),
    ("ho completato l'attività {title}", changed(status=Status.DONE)),
    ("{title} è fatta", changed(status=Status.DONE)),
    ("fatto: {title}", changed(status=Status.DONE)),
    ("riapri {title}", changed(status=Status.TODO)),
    ("segna {title} come da fare", changed(status=Status.TODO)),
    ("segna {title} come non fatta", changed(status=Status.TODO)),
    ("inizia {title}", changed(status=Status.IN_PROGRESS)),
    ("sto lavorando a {title}", changed(status=Status.IN_PROGRESS)),
    ("metti {title} in corso", changed(status=Status.IN_PROGRESS)),
    ("rinomina l'attività {title} in Altra cosa", changed(title="Altra cosa")),
    ("rinomina {title} in Altra cosa", changed(target(entity=None), title="Altra cosa")),
    ("cambia il titolo di {title} in Altra cosa", changed(target(entity=None), title="Altra cosa")),
    ("rinomina il progetto {title} in Portale", changed(target(entity=PROJECT), title="Portale")),
    ("rinomina la nota {title} in Pensieri", changed(target(entity=NOTE), title="Pensieri")),
    ("imposta la priorità di {title} ad alta", changed(priority=Priority.HIGH)),
    ("imposta la priorità dell'attività {title} su bassa", changed(priority=Priority.LOW)),
    ("metti priorità alta a {title}", changed(priority=Priority.HIGH)),
    ("segna {title} come urgente", changed(priority=Priority.HIGH)),
    ("sposta {title} a domani", changed(due=TOMORROW)),
    ("rimanda {title} a venerdì", changed(due=FRIDAY)),
    ("posticipa {title} alla prossima settimana", changed(due=NEXT_WEEK)),
    ("imposta la scadenza di {title} al 24 dicembre", changed(due=CHRISTMAS_EVE)),
    ("cambia la scadenza di {title} a domani alle 18", changed(due=on("2026-11-19", "18:00"))),
    ("{title} scade venerdì", changed(due=FRIDAY)),
    ("togli la scadenza a {title}", changed(clears=Field.DUE)),
    ("rimuovi le assegnazioni di {title}", changed(clears=Field.ASSIGNEES)),
    ("togli {title} dal suo progetto", changed(target(entity=None), clears=Field.PROJECT)),
    ("assegna {title} ad Anna", changed(assignees=("Anna",))),
    ("assegna l'attività {title} ad Anna, Marco ed Eva", changed(assignees=("Anna", "Marco", "Eva"))),
    ("sposta {title} nel progetto Sito", changed(target(entity=None), project="Sito")),
    ("sposta l'attività {title} al progetto Sito", changed(project="Sito")),
    ("archivia il progetto {title}", changed(target(entity=PROJECT), archived=True)),
    ("archivia {title}", changed(target(entity=PROJECT), archived=True)),
    ("riattiva il progetto {title}", changed(target(entity=PROJECT), archived=False)),
    ("sposta il checkpoint {title} al 1 gennaio", changed(target(entity=CHECKPOINT), due=on("2027-01-01"))),
    ("cambia il testo della nota {title} in «nuovo testo»", changed(target(entity=NOTE), content="nuovo testo")),
    ("cambia la descrizione di {title} in nuovo testo", changed(content="nuovo testo")),
    ("elimina l'attività {title}", DeleteRow(target=target())),
    ("elimina l'attività {title} per favore", DeleteRow(target=target())),
    ("rimuovi il compito {title}", DeleteRow(target=target())),
    ("cancella {title}", DeleteRow(target=target(entity=None))),
    ("elimina il progetto {title}", DeleteRow(target=target(entity=PROJECT))),
    ("elimina il checkpoint {title}", DeleteRow(target=target(entity=CHECKPOINT))),
    ("elimina il traguardo {title} del progetto Sito", DeleteRow(target=target(entity=CHECKPOINT, project="Sito"))),
    ("elimina la nota {title}", DeleteRow(target=target(entity=NOTE))),
    (
        "elimina il commento «chiude» dall'attività {title}",
        DeleteRow(target=target("chiude", Entity.COMMENT, parent=target())),
    ),
    ("commenta {title}: chiude alle sei", AddComment(target=target(), content="chiude alle sei")),
    ("aggiungi un commento a {title}: chiude alle sei", AddComment(target=target(), content="chiude alle sei")),
    ("aggiungi il commento «chiude» all'attività {title}", AddComment(target=target(), content="chiude")),
    (
        "aggiungi un commento a {title}: «chiude» a nome di Anna",
        AddComment(target=target(), content="chiude", author="Anna"),
    ),
    ("mostra i commenti dell'attività {title}", ListComments(target=target())),
    ("commenti su {title}", ListComments(target=target())),
    ("leggi la nota {title}", ShowRow(target=target(entity=NOTE))),
    ("apri la nota {title}", ShowRow(target=target(entity=NOTE))),
    ("mostrami la nota chiamata {title}", ShowRow(target=target(entity=NOTE))),
    ("cosa dice la nota {title}?", ShowRow(target=target(entity=NOTE))),
    ("mostra il progetto {title}", ShowRow(target=target(entity=PROJECT))),
    ("cerca nelle mie note {title}", SearchNotes(query=TITLE)),
    ("Cosa dicono le mie note su {title}?", SearchNotes(query=TITLE)),
    ("trova le note su {title}", SearchNotes(query=TITLE)),
    ("cosa ho scritto su {title}?", SearchNotes(query=TITLE)),
]

OTHERS: list[tuple[str, Command]] = [
    ("Cosa c'è in questa pagina?", ShowPage()),
    ("riassumimi la pagina", ShowPage()),
    ("cosa c'è qui?", ShowPage()),
    ("dove mi trovo?", ShowPage()),
    ("cosa è scaduto qui?", rows(overdue=True)),
    ("cosa dovrei fare adesso?", WhatNext()),
    ("Su cosa dovrei lavorare?", WhatNext()),
    ("da dove comincio?", WhatNext()),
    ("ciao", Talk.GREETING),
    ("Buongiorno Adiuva!", Talk.GREETING),
    ("aiuto", Talk.HELP),
    ("cosa sai fare?", Talk.HELP),
    ("cosa puoi fare per me", Talk.HELP),
    ("grazie mille", Talk.THANKS),
    ("elimina tutte le attività", Talk.ONE_AT_A_TIME),
    ("elimina tutto", Talk.ONE_AT_A_TIME),
    ("completa tutte le mie attività", Talk.ONE_AT_A_TIME),
    ("elimina questa", Incomplete(missing=Missing.WHICH, entity=None)),
    ("segna questa come fatta", Incomplete(missing=Missing.WHICH, entity=TASK)),
    ("elimina il progetto", Incomplete(missing=Missing.WHICH, entity=PROJECT)),
    ("Crea un'attività", Incomplete(missing=Missing.TITLE, entity=TASK)),
    ("crea una nota:", Incomplete(missing=Missing.CONTENT, entity=NOTE)),
]

NOT_UNDERSTOOD = ["raccontami una barzelletta", "che tempo fa oggi", "aggiungi latte", "progetti scaduti", "perché?"]

WORDS = ("Dipingi", "cucina", "Zürich", "bolletta", "fattura", "pane", "Tokyo", "giardino", "pianoforte", "caffè")
plain_titles = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True).map(" ".join)
QUOTES = (("«", "»"), ("“", "”"), ('"', '"'))


def read(message: str) -> tuple[Command, Language]:
    command, language = understand(message, language="it", today=TODAY)
    return without_literals(command), language


@pytest.mark.parametrize(("message", "expected"), LISTS + OTHERS)
def test_sentence_is_understood(message: str, expected: Command) -> None:
    assert read(message) == (expected, Language.ITALIAN)


@pytest.mark.parametrize(("template", "expected"), TITLED)
@given(title=plain_titles)
@settings(max_examples=4, deadline=None)
def test_sentence_is_understood_with_a_plain_title(template: str, expected: Command, title: str) -> None:
    assert read(template.replace(TITLE, title)) == (as_titled(expected, title), Language.ITALIAN)


@pytest.mark.parametrize(("template", "expected"), TITLED)
@given(title=plain_titles, word=st.sampled_from(["in", "fatta", "domani", "nel progetto", "con", "come", ":", "?"]))
@settings(max_examples=8, deadline=None)
def test_sentence_is_understood_with_a_quoted_title_that_holds_its_words(
    template: str, expected: Command, title: str, word: str
) -> None:
    told = f"{title} {word} x"
    for opening, closing in QUOTES:
        message = template.replace(TITLE, f"{opening}{told}{closing}")
        assert read(message) == (as_titled(expected, told), Language.ITALIAN)


@pytest.mark.parametrize("message", NOT_UNDERSTOOD)
def test_sentence_beyond_the_assistant_is_not_guessed_at(message: str) -> None:
    assert read(message) == (Talk.NOT_UNDERSTOOD, Language.ITALIAN)


@pytest.mark.parametrize(
    ("message", "language", "expected"),
    [
        ("Elenca le mie attività", "en", Language.ITALIAN),
        ("List my tasks", "it-IT", Language.ENGLISH),
        ("checkpoint", "it", Language.ITALIAN),
        ("checkpoint", "en-GB", Language.ENGLISH),
        ("checkpoint", "de", Language.ENGLISH),
        ("zzz", "it", Language.ITALIAN),
        ("x" * 5000, "it", Language.ITALIAN),
    ],
)
def test_language_is_that_of_the_words_else_that_of_the_person(message: str, language: str, expected: Language) -> None:
    assert understand(message, language=language, today=TODAY)[1] is expected
