"""Messages as people type them: misspelt, without apostrophes, with corrections."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline import spelling
from agents.offline.commands import ChangeRow, Command, CreateRow, DeleteRow, Filter, ListRows, RowKind, ShowRow, Talk
from agents.offline.grammar import LanguageGrammar, grammars
from agents.offline.reading import Reading, read_utterance
from agents.offline.spelling import corrections
from agents.offline.understanding import understand
from tests.agents.offline.expected import TODAY, TOMORROW, created, rows

EN, IT = "en", "it"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("shw me my taks", rows()),
        ("wich tasks are overdue?", rows(overdue=True)),
        ("qunte attivita ho?", rows()),
        ("mostrmai le attività", rows()),
        ("crate a task called Eggs", created(title="Eggs")),
        ("creat a task called Eggs", created(title="Eggs")),
        ("create a task eggs for tommorow", created(title="eggs", due=TOMORROW)),
    ],
)
def test_misspelt_words_of_commands_are_corrected(message: str, expected: Command) -> None:
    assert understand(message, language=EN, today=TODAY)[0] == expected


def test_cache_of_unknown_words_is_bounded() -> None:
    words = ["z" + "".join(letters) for letters in product("bcdfghjklmnpqrstvwxz", repeat=3)]
    utterance = read_utterance("anything")
    assert utterance is not None
    reading = Reading(grammar=grammars()[0], utterance=utterance, text=" ".join(words), today=TODAY)

    assert list(corrections(reading)) == []
    assert spelling._meant.cache_info().currsize < len(words)


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("crate a task to fnd the keys", "fnd the keys"),
        ("crate a task to shw the taks", "shw the taks"),
        ("create a task to shw the taks", "shw the taks"),
    ],
)
def test_misspelt_words_of_titles_are_kept(message: str, title: str) -> None:
    command, _ = understand(message, language=EN, today=TODAY)
    assert isinstance(command, CreateRow)
    assert command.title == title


@pytest.mark.parametrize(
    ("message", "about"),
    [("shop tasks", "shop"), ("tasks for Doe", "Doe"), ("my milk tasks", "milk"), ("tasks for Takss", "Takss")],
)
def test_names_and_other_words_are_not_corrected(message: str, about: str) -> None:
    assert understand(message, language=EN, today=TODAY)[0] == rows(about=about)


@pytest.mark.parametrize("message", ["archived projects in project Website", "deleted tasks in note X"])
def test_question_is_never_corrected_to_a_command_that_changes(message: str) -> None:
    assert not isinstance(understand(message, language=EN, today=TODAY)[0], ChangeRow | DeleteRow)


@given(st.sampled_from([(each, word) for each in grammars() for word in sorted(each.words)]))
def test_known_words_are_not_corrected(said: tuple[LanguageGrammar, str]) -> None:
    grammar, word = said
    utterance = read_utterance(word)
    assert utterance is not None
    assert not list(corrections(Reading(grammar=grammar, utterance=utterance, text=word, today=TODAY)))


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("hows the Website project going", ShowRow),
        ("whats due today", ListRows),
        ("im done with the report", ChangeRow),
        ("ce qualcosa in ritardo?", ListRows),
        ("a che punto è il progetto Sito?", ShowRow),
        ("oops, delete the task Eggs", DeleteRow),
        ("no aspetta, elimina l'attività Uova", DeleteRow),
    ],
)
def test_informal_beginnings_are_understood(message: str, kind: type[Command]) -> None:
    assert isinstance(understand(message, language=EN, today=TODAY)[0], kind)


@pytest.mark.parametrize(
    ("message", "expected"),
    [("no thanks", Talk.DECLINED), ("no, grazie", Talk.DECLINED), ("No, thanks!", Talk.DECLINED)],
)
def test_refusal_with_thanks_is_recognized(message: str, expected: Talk) -> None:
    assert understand(message, language=EN, today=TODAY)[0] is expected


@pytest.mark.parametrize("message", ["assign the report to me", "what is assigned to me?", "attività assegnate a me"])
def test_me_is_not_name_of_person(message: str) -> None:
    assert understand(message, language=EN, today=TODAY)[0] is Talk.NO_NAME


def test_tasks_for_me_are_all_tasks() -> None:
    assert understand("tasks for me", language=EN, today=TODAY)[0] == ListRows(entity=RowKind.TASK, where=Filter())
