import pytest

from device.errors import UsageError
from device.places import Place, find_row, place_words, read_place, scope_of
from device.store import Store
from device.tables import TableName


@pytest.fixture
def website(store: Store) -> str:
    """A project with two tasks and a note."""
    row_id = str(store.insert(TableName.PROJECTS, {"name": "Website"})["id"])
    for title in ("Write", "Draw"):
        store.insert(TableName.TASKS, {"title": title, "projectId": row_id})
    store.insert(TableName.NOTES, {"title": "Ideas", "content": "paint", "projectId": row_id})
    return row_id


@pytest.mark.parametrize(
    ("words", "page", "said"),
    [
        ("tasks", "tasks", "the list of tasks"),
        ("timeline", "timeline", "the timeline"),
        ("projects", "projects-list", "the list of projects"),
        ("notes", "notes-list", "the list of notes"),
    ],
)
def test_a_list_is_a_place(store: Store, words: str, page: str, said: str) -> None:
    place = read_place(store, words)

    assert scope_of(store, place) == {"page": page, "entityType": None}
    assert place_words(store, place) == said


def test_a_place_is_said_on_one_line(store: Store) -> None:
    store.insert(TableName.PROJECTS, {"name": "Web\nsite\x1b[2J"})
    assert place_words(store, read_place(store, "project web")) == "the project “Web site[2J”"


def test_a_project_is_a_place_with_what_it_holds_now(store: Store, website: str) -> None:
    place = read_place(store, "project website")
    store.insert(TableName.CHECKPOINTS, {"title": "Beta", "projectId": website, "date": 1})

    assert scope_of(store, place) == {
        "page": "project",
        "entityType": "project",
        "entityId": website,
        "entityName": "Website",
        "counts": {"tasks": 2, "notes": 1, "milestones": 1},
    }
    assert place_words(store, place) == "the project “Website”"


def test_a_note_is_a_place(store: Store, website: str) -> None:
    scope = scope_of(store, read_place(store, "note Ideas"))

    assert {name: value for name, value in scope.items() if name != "entityId"} == {
        "page": "note",
        "entityType": "note",
        "entityName": "Ideas",
        "projectId": website,
        "charCount": 5,
    }


@pytest.mark.parametrize("words", ["songs", "project", "tasks all", "project "])
def test_what_is_no_place_is_said(store: Store, words: str) -> None:
    with pytest.raises(UsageError, match="Write /page PLACE, with PLACE one of tasks, timeline, projects, notes, pro"):
        read_place(store, words)


def test_a_row_that_is_gone_is_no_place_any_more(store: Store, website: str) -> None:
    store.delete(TableName.PROJECTS, website)

    with pytest.raises(UsageError, match="The project is gone"):
        scope_of(store, Place(kind="project", row_id=website))


def test_a_row_is_found_by_its_id_its_title_or_a_part_of_it(store: Store) -> None:
    rows = {title: store.insert(TableName.TASKS, {"title": title}) for title in ("Écrire", "Buy milk", "Buy milk now")}

    assert find_row(store, TableName.TASKS, "écrire") == rows["Écrire"]
    assert find_row(store, TableName.TASKS, "buy MILK") == rows["Buy milk"]
    assert find_row(store, TableName.TASKS, "now") == rows["Buy milk now"]
    assert find_row(store, TableName.TASKS, str(rows["Buy milk"]["id"])) == rows["Buy milk"]
    with pytest.raises(UsageError, match="2 tasks could be meant by buy"):
        find_row(store, TableName.TASKS, "buy")
    with pytest.raises(UsageError, match="no task called fly"):
        find_row(store, TableName.TASKS, "fly")
