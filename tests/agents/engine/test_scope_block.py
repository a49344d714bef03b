from zoneinfo import ZoneInfo

import pytest

from agents.calls import Row
from agents.engine.glances import Glance
from agents.engine.scope_block import page_words, render_scope_block
from agents.scopes import ListScope, NoteScope, PageScope, ProjectCounts, ProjectScope

ROME = ZoneInfo("Europe/Rome")


def project(name: str = "Website", *, tasks: int = 0, notes: int = 1, milestones: int = 2) -> ProjectScope:
    return ProjectScope(
        page="project",
        entityType="project",
        entityId="p1",
        entityName=name,
        counts=ProjectCounts(tasks=tasks, notes=notes, milestones=milestones),
    )


def test_a_project_is_told_with_its_counts() -> None:
    assert page_words(project()) == ('the project "Website" [id p1], which holds no tasks, 1 note and 2 milestones')


def test_what_is_overdue_is_told_and_what_is_not_known_is_not() -> None:
    late = tuple({"id": f"t{number}", "title": f"Late {number}", "status": "todo"} for number in range(7))

    def told(glance: Glance) -> str:
        return render_scope_block(project(), glance, ROME).partition("milestones.")[2]

    assert told(Glance()) == ""
    assert told(Glance(overdue=())) == " No task on it is overdue."
    assert told(Glance(overdue=late[:1])) == ' 1 task on it is overdue: "Late 0" (todo) [id t0].'
    assert told(Glance(overdue=late)).startswith(' 7 tasks on it are overdue: "Late 0" (todo) [id t0]; ')
    assert told(Glance(overdue=late)).endswith("[id t4]; and 2 more.")


def test_the_notes_of_a_list_are_told() -> None:
    notes: tuple[Row, ...] = ({"id": "n1", "title": "Ideas", "content": "secret", "createdAt": 0, "updatedAt": 0},)

    assert render_scope_block(ListScope(page="notes-list"), Glance(notes=notes), ROME) == (
        "The user is looking at the list of all notes. "
        'There is 1 note on it, the latest first: "Ideas" (created 1970-01-01 01:00) [id n1].'
    )


LONG = "x\n" * 100_000


@pytest.mark.parametrize(
    "scope",
    [
        project(LONG),
        ListScope(page="tasks", filters={"search": LONG}),
        NoteScope(page="note", entityType="note", entityId=LONG, entityName=LONG, projectId=LONG, charCount=1),
    ],
)
def test_it_is_one_paragraph_and_bounded_whatever_the_client_says(scope: PageScope) -> None:
    rows = tuple({"id": "t", "title": LONG} for _ in range(500))
    told = render_scope_block(scope, Glance(overdue=rows, notes=rows), ROME)

    assert "\n" not in told
    assert len(told) < 2000
