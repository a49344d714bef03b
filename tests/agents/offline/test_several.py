"""Sentences that create several rows."""

import pytest

from agents.offline.commands import CreateRow, CreateRows, Incomplete, Missing, RowKind, Talk
from agents.offline.understanding import understand
from tests.agents.offline.expected import FRIDAY, TODAY, TOMORROW, created
from tests.agents.offline.world import World, say

EN, IT = "en", "it"
TASK, NOTE, PROJECT = RowKind.TASK, RowKind.NOTE, RowKind.PROJECT


@pytest.mark.parametrize(
    ("language", "message", "expected"),
    [
        (EN, "create two tasks: “Chairs” and “Tables”", [created(TASK, "Chairs"), created(TASK, "Tables")]),
        (EN, "add tasks: eggs, flour", [created(TASK, "eggs"), created(TASK, "flour")]),
        (EN, "add eggs and flour as two tasks", [created(TASK, "eggs"), created(TASK, "flour")]),
        (EN, "add these tasks:\n- eggs\n- flour and salt", [created(TASK, "eggs"), created(TASK, "flour and salt")]),
        (
            EN,
            "create tasks “Eggs” and “Flour” for tomorrow",
            [created(TASK, "Eggs", due=TOMORROW), created(TASK, "Flour", due=TOMORROW)],
        ),
        (
            EN,
            "create two tasks for tomorrow: eggs by Friday and flour",
            [created(TASK, "eggs by Friday", due=TOMORROW), created(TASK, "flour", due=TOMORROW)],
        ),
        (
            EN,
            "create two tasks call Bob and call Eve for Friday",
            [created(TASK, "call Bob", due=FRIDAY), created(TASK, "call Eve", due=FRIDAY)],
        ),
        (
            EN,
            "add three tasks to project Website: texts, photos and links",
            [created(TASK, title, project="Website") for title in ("texts", "photos", "links")],
        ),
        (EN, "add two tasks: salt and pepper, bread", [created(TASK, "salt and pepper"), created(TASK, "bread")]),
        (EN, "create a task “Eggs” and a note “Ideas”", [created(TASK, "Eggs"), created(NOTE, "Ideas")]),
        (
            EN,
            "create a task “Eggs” for tomorrow, a project called Spring and a note called Ideas",
            [created(TASK, "Eggs", due=TOMORROW), created(PROJECT, "Spring"), created(NOTE, "Ideas")],
        ),
        (EN, "create a task call Bob and create a note ideas", [created(TASK, "call Bob"), created(NOTE, "ideas")]),
        (IT, "crea due attività: uova e farina", [created(TASK, "uova"), created(TASK, "farina")]),
        (IT, "aggiungi uova e farina come due attività", [created(TASK, "uova"), created(TASK, "farina")]),
        (IT, "nuove note: fornitori, orari", [created(NOTE, "fornitori"), created(NOTE, "orari")]),
        (
            IT,
            "crea un'attività «Uova» per domani e una nota «Idee»",
            [created(TASK, "Uova", due=TOMORROW), created(NOTE, "Idee")],
        ),
    ],
)
def test_rows_are_created_together(language: str, message: str, expected: list[CreateRow]) -> None:
    assert understand(message, language=language, today=TODAY) == (CreateRows(rows=tuple(expected)), language)


@pytest.mark.parametrize(
    "message",
    [
        "create a task buy eggs and a note recipe ideas",
        "crea un'attività comprare uova e una nota idee",
        "add two tasks: eggs, flour, salt",
        "add two tasks buy eggs",
        "add some tasks",
        "aggiungi uova e farina come attività",
    ],
)
def test_unclear_division_into_titles_creates_nothing(message: str) -> None:
    assert understand(message, language=EN, today=TODAY)[0] is Talk.ONE_OR_SEVERAL


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("add a task buy eggs and flour", created(TASK, "buy eggs and flour")),
        ("add a task to write a letter and a note for Eve", created(TASK, "write a letter and a note for Eve")),
        ("add a task to call Bob and note his answer", created(TASK, "call Bob and note his answer")),
        ("create a task “Eggs” and assign it to Bob", created(TASK, "Eggs", assignees=("Bob",))),
        ("add buy eggs as a task", created(TASK, "buy eggs")),
        ("create a note Ideas: eggs and a note on flour", created(NOTE, "Ideas", content="eggs and a note on flour")),
    ],
)
def test_single_title_is_not_split(message: str, expected: CreateRow) -> None:
    assert understand(message, language=EN, today=TODAY)[0] == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("add dentist tomorrow", created(TASK, "dentist", due=TOMORROW)),
        ("aggiungi dentista per domani", created(TASK, "dentista", due=TOMORROW)),
        ("add eggs", Incomplete(missing=Missing.KIND, entity=None, title="eggs")),
        ("aggiungi uova", Incomplete(missing=Missing.KIND, entity=None, title="uova")),
        ("add them", Talk.NOT_UNDERSTOOD),
        ("add eggs?", Talk.NOT_UNDERSTOOD),
    ],
)
def test_row_without_kind_is_task_if_it_has_date(message: str, expected: object) -> None:
    assert understand(message, language=EN, today=TODAY)[0] == expected


async def test_created_rows_are_reported_with_their_details() -> None:
    world = World()
    world.project("Website")
    said = await say(world, "create a task “Eggs” for tomorrow and a note “Ideas” in project Website")
    assert said.text == "I created:\n- task “Eggs” (due tomorrow)\n- note “Ideas” (Sun 1 Nov)"
    assert world.writes() == ["create_task", "create_note"]
    assert [row["project_id"] for row in world.notes.values()] == list(world.projects)


async def test_row_that_could_not_be_created_is_reported_with_others() -> None:
    world = World(failing={"create_note": "The device is locked."})
    said = await say(world, "create a task “Eggs” and a note “Ideas”")
    assert said.text == "I created:\n- task “Eggs”\n“Ideas”: That did not work. The device is locked."


async def test_nothing_is_created_if_one_row_is_incomplete() -> None:
    world = World()
    said = await say(world, "create a task “Eggs” and a checkpoint “Beta”")
    assert said.text.startswith("Which project does the checkpoint belong to?")
    assert world.writes() == []
