from zoneinfo import ZoneInfo

import pytest

from agents.calls import NamedRows, Row, Rows, Table
from chat.formatters.row_blocks import blocks_of_rows

ROME = ZoneInfo("Europe/Rome")
DUE = 1774710000000


def blocks(rows: NamedRows, language: str = "en") -> list[tuple[object, object]]:
    return [(block["block_type"], block["data"]) for block in blocks_of_rows(rows, language, ROME)]


def task(number: int, status: str) -> Row:
    return {"id": f"t{number}", "title": f"Task {number}", "status": status, "dueDate": DUE}


@pytest.mark.parametrize(
    ("table", "entity", "row"),
    [
        (Table.TASKS, "task", {"id": "t1", "title": "Pay the rent", "status": "todo"}),
        (Table.PROJECTS, "project", {"id": "p1", "name": "Website"}),
        (Table.NOTES, "note", {"id": "n1", "title": "Ideas"}),
    ],
)
def test_rows_are_cards(table: Table, entity: str, row: Row) -> None:
    assert blocks({table: Rows(rows=(row,))}) == [("entity_ref", {"entity": entity, "items": [row]})]


def test_tasks_of_several_states_are_a_chart_too() -> None:
    rows = tuple(task(number, status) for number, status in enumerate(("done", "todo", "todo")))
    [(kind, chart), (cards, _)] = blocks({Table.TASKS: Rows(rows=rows)}, "it")
    assert (kind, cards) == ("chart", "entity_ref")
    assert isinstance(chart, dict)
    assert (chart["chartType"], chart["title"]) == ("bar", "Attività per stato")
    assert chart["data"] == [{"name": "da fare", "value": 2}, {"name": "fatta", "value": 1}]
    assert list(chart["config"]) == ["value"]


@pytest.mark.parametrize("states", [("todo", "done"), ("todo", "todo", "todo"), ("todo", "todo", "odd")])
def test_what_is_seen_at_a_glance_is_no_chart(states: tuple[str, ...]) -> None:
    rows = tuple(task(number, status) for number, status in enumerate(states))
    assert [kind for kind, _ in blocks({Table.TASKS: Rows(rows=rows)})] == ["entity_ref"]


def test_checkpoints_are_a_timeline_without_those_that_have_no_date() -> None:
    rows: tuple[Row, ...] = (
        {"id": "k1", "title": "Beta", "date": DUE, "projectId": "p1"},
        {"id": "k2", "title": "Later"},
    )
    assert blocks({Table.CHECKPOINTS: Rows(rows=rows)}) == [
        ("timeline", {"checkpoints": [{"id": "k1", "title": "Beta", "date": DUE}]})
    ]


@pytest.mark.parametrize("odd", [10**18, -(10**18)])
def test_a_date_that_no_calendar_has_costs_the_others_nothing(odd: int) -> None:
    rows: tuple[Row, ...] = ({"id": "k1", "title": "Beta", "date": DUE}, {"id": "k2", "title": "Never", "date": odd})
    assert blocks({Table.CHECKPOINTS: Rows(rows=rows)}) == [
        ("timeline", {"checkpoints": [{"id": "k1", "title": "Beta", "date": DUE}]})
    ]


def test_a_date_with_a_fraction_is_one() -> None:
    rows: tuple[Row, ...] = ({"id": "k1", "title": "Beta", "date": DUE + 0.5},)
    assert blocks({Table.CHECKPOINTS: Rows(rows=rows)}) == [
        ("timeline", {"checkpoints": [{"id": "k1", "title": "Beta", "date": DUE}]})
    ]


def test_comments_are_a_table_in_the_users_time_zone() -> None:
    rows: tuple[Row, ...] = (
        {"id": "c1", "author": "Anna", "content": "By Friday", "createdAt": DUE},
        {"id": "c2", "author": "Me", "content": "Yes"},
    )
    assert blocks({Table.TASK_COMMENTS: Rows(rows=rows)}) == [
        (
            "table",
            {
                "headers": ["Author", "Comment", "Date"],
                "rows": [["Anna", "By Friday", "2026-03-28 16:00"], ["Me", "Yes", ""]],
            },
        )
    ]


def test_other_parts_and_empty_ones_are_none() -> None:
    assert blocks({"Overdue": Rows(rows=(task(1, "todo"),)), Table.TASKS: Rows(), Table.CLIENTS: Rows()}) == []


def test_a_date_that_no_client_can_show_is_no_timeline() -> None:
    assert blocks({Table.CHECKPOINTS: Rows(rows=({"id": "k1", "title": "Beta", "date": 10**18},))}) == []
