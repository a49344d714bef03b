"""What makes a block valid, and what the server fills in."""

import json
from collections.abc import Mapping
from zoneinfo import ZoneInfo

import pytest

from chat.formatters.blocks import (
    COLUMNS,
    MAX_ITEMS,
    UTC,
    BlockPart,
    BlockType,
    Entity,
    InvalidBlock,
    Row,
    RowSource,
    make_block,
)
from chat.formatters.repair import repaired_value

CHART = {
    "type": "chart",
    "chartType": "bar",
    "title": "Open tasks",
    "data": [{"project": "Garden", "open": 3}, {"project": "House", "open": 1.5}],
    "config": {"open": {"label": "Open", "color": "#3366cc"}},
}
TABLE = {"type": "table", "headers": ["Task", "Due"], "rows": [["Buy milk", None], ["Call Anna", 3], ["Paint", True]]}
TIMELINE = {"type": "timeline", "checkpoints": [{"id": "c1", "title": "Launch", "date": 1_790_000_000_000}]}


def returned(*rows: Row) -> RowSource:
    return lambda _: rows


NOTHING = returned()


def parsed(
    block_type: BlockType, source: str, timezone: ZoneInfo = UTC, *, rows: RowSource = NOTHING
) -> BlockPart | InvalidBlock:
    """The block of type ``block_type`` that ``source`` is."""
    fields = repaired_value(source)
    assert isinstance(fields, dict)
    return make_block(block_type, fields, rows, timezone)


def made(block: Mapping[str, object], rows: RowSource = NOTHING) -> BlockPart | InvalidBlock:
    return parsed(BlockType(str(block["type"])), json.dumps(block), rows=rows)


def items(rows: RowSource, **ref: object) -> object:
    part = made({"type": "entity_ref", "entity": "task", **ref}, rows)
    assert isinstance(part, BlockPart)
    assert part.data["entity"] in ("task", ref.get("entity"))
    return part.data["items"]


@pytest.mark.parametrize("block", [CHART, TABLE, TIMELINE])
def test_valid_block_carries_its_fields(block: dict[str, object]) -> None:
    fields = {key: value for key, value in block.items() if key != "type"}
    assert made(block) == BlockPart(block_type=BlockType(str(block["type"])), data=fields)


@pytest.mark.parametrize("kind", ["area", "bar", "line", "pie", "radar", "radial"])
def test_chart_of_every_type_is_valid(kind: str) -> None:
    assert isinstance(made({**CHART, "chartType": kind}), BlockPart)


def test_unknown_keys_are_left_out() -> None:
    assert made({**TABLE, "comment": "mine"}) == made(TABLE)


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ({**CHART, "chartType": "gantt"}, "chartType: literal_error"),
        ({**CHART, "title": 5}, "title: string_type"),
        ({**CHART, "data": "none"}, "data: list_type"),
        ({**CHART, "data": ["a"]}, "data: dict_type"),
        ({"type": "chart"}, "data: list_type"),
        ({**TABLE, "rows": "none"}, "rows: list_type"),
        ({"type": "timeline", "checkpoints": [{"id": "c1", "title": "Launch"}]}, "checkpoints: int_type"),
        ({"type": "timeline"}, "checkpoints: missing"),
        ({"type": "entity_ref"}, "entity: enum"),
        ({"type": "entity_ref", "entity": "invoice"}, "entity: enum"),
        ({"type": "entity_ref", "entity": "task"}, "no tool returned such rows"),
    ],
)
def test_block_that_cannot_be_repaired_says_why(block: dict[str, object], reason: str) -> None:
    assert made(block) == InvalidBlock(reason=reason)


VALUE = {"value": {"label": "Value", "color": "#4f7cff"}}


@pytest.mark.parametrize(
    ("fields", "repaired"),
    [
        ({"chart_type": "Bar Chart"}, {"chartType": "bar"}),
        ({"chartType": "donut"}, {"chartType": "pie"}),
        ({"chartType": "column"}, {"chartType": "bar"}),
        ({"title": None, "name": "Mine"}, {"title": "Mine"}),
        ({"config": None}, {"config": {"open": {"label": "Open", "color": "#4f7cff"}}}),
        ({"config": {"open": "Offen"}}, {"config": {"open": {"label": "Offen", "color": "#4f7cff"}}}),
        (
            {"config": {"open": {"label": "Open", "color": 5}}},
            {"config": {"open": {"label": "Open", "color": "#4f7cff"}}},
        ),
        ({"data": {"a": 1}, "config": None}, {"data": [{"name": "a", "value": 1}], "config": VALUE}),
        ({"data": [["a", "2"]], "config": {}}, {"data": [{"name": "a", "value": 2}], "config": VALUE}),
        ({"data": [3], "labels": ["a"], "config": {}}, {"data": [{"name": "a", "value": 3}], "config": VALUE}),
        (
            {"data": {"labels": ["a"], "datasets": [{"data": [1.5]}]}, "config": {}},
            {"data": [{"name": "a", "value": 1.5}], "config": VALUE},
        ),
        ({"data": [{"name": "a", "open": "12"}]}, {"data": [{"name": "a", "open": 12}]}),
    ],
)
def test_chart_is_repaired(fields: dict[str, object], repaired: dict[str, object]) -> None:
    part = made({**CHART, **fields})
    assert isinstance(part, BlockPart), part
    assert {**part.data, **repaired} == part.data


STATES = returned(
    *({"id": f"t{number}", "status": "todo", "priority": "high" if number else "low"} for number in range(7)),
    {"id": "t7", "status": "done", "priority": "low"},
    {"id": "t8", "status": "in_progress", "priority": "low"},
)


@pytest.mark.parametrize(
    ("told", "right"),
    [
        ({"To do": 9, "Done": 1, "In Progress": 1}, {"To do": 7, "Done": 1, "In Progress": 1}),
        # Something else may be meant: hours, some of the tasks, or those of one list of several.
        ({"Todo": 12, "Done": 4, "In progress": 1}, {"Todo": 12, "Done": 4, "In progress": 1}),
        ({"Todo": 7, "Done": 2}, {"Todo": 7, "Done": 2}),
        ({"high": 6, "low": 9}, {"high": 6, "low": 9}),
        ({"Todo": 9, "Done": 1, "Blocked": 1}, {"Todo": 9, "Done": 1, "Blocked": 1}),
    ],
)
def test_chart_that_counts_tasks_has_the_right_numbers(told: dict[str, int], right: dict[str, int]) -> None:
    block = made({"type": "chart", "chartType": "pie", "data": told}, STATES)

    assert isinstance(block, BlockPart)
    assert block.data["data"] == [{"name": name, "value": count} for name, count in right.items()]


@pytest.mark.parametrize("series", [{"this week": 9, "later": 1}, {"hours": 9}])
def test_chart_of_something_else_is_not_counted(series: dict[str, int]) -> None:
    data = [
        {"name": "todo", **series},
        *({"name": name, **dict.fromkeys(series, 1)} for name in ("done", "in progress")),
    ]
    block = made({"type": "chart", "chartType": "bar", "data": data}, STATES)

    assert isinstance(block, BlockPart)
    assert block.data["data"] == data


@pytest.mark.parametrize(
    ("fields", "headers", "rows"),
    [
        ({"headers": ["a", "b"], "rows": [["1"], ["2", 3, 4]]}, ["a", "b", ""], [["1", None, None], ["2", 3, 4]]),
        ({"headers": [1, {"label": "B"}], "rows": [[1, 2]]}, ["1", "B"], [[1, 2]]),
        ({"columns": ["a"], "data": [[{"x": "y"}]]}, ["a"], [["x: y"]]),
        ({"rows": [{"a": 1}, {"b": 2}]}, ["a", "b"], [[1, None], [None, 2]]),
        ({"headers": ["a"], "rows": []}, ["a"], []),
    ],
)
def test_table_is_repaired(fields: dict[str, object], headers: list[str], rows: list[object]) -> None:
    assert made({"type": "table", **fields}) == BlockPart(
        block_type=BlockType.TABLE, data={"headers": headers, "rows": rows}
    )


LAUNCH = {"id": "c1", "title": "Launch", "date": 1_790_000_000_000}


@pytest.mark.parametrize(
    "fields",
    [
        {"checkpoints": ["c1"]},
        {"checkpoints": ["Launch"]},
        {"ids": ["c1"]},
        {"milestones": [{"id": "c1", "title": "Invented", "date": 5}]},
        {"items": [{"title": "Launch"}]},
    ],
)
def test_timeline_is_filled_from_the_rows(fields: dict[str, object]) -> None:
    rows = returned({**LAUNCH, "projectId": "p1"})
    assert made({"type": "timeline", **fields}, rows) == BlockPart(
        block_type=BlockType.TIMELINE, data={"checkpoints": [LAUNCH]}
    )


@pytest.mark.parametrize(
    ("date", "milliseconds"),
    [
        ("2026-11-21", 1_795_215_600_000),
        ("2026-11-21T12:00:00Z", 1_795_262_400_000),
        (1_795_262_400, 1_795_262_400_000),
    ],
)
def test_dates_of_a_timeline_are_milliseconds_in_the_users_time_zone(date: object, milliseconds: int) -> None:
    source = json.dumps({"checkpoints": [{"id": "c1", "title": "Launch", "date": date}]})
    part = parsed(BlockType.TIMELINE, source, ZoneInfo("Europe/Rome"))
    assert isinstance(part, BlockPart)
    assert part.data == {"checkpoints": [{"id": "c1", "title": "Launch", "date": milliseconds}]}


@pytest.mark.parametrize("date", ["soon", 1.5, True, None, 10**17])
def test_timeline_with_a_date_that_is_none_is_invalid(date: object) -> None:
    part = made({"type": "timeline", "checkpoints": [{"id": "c1", "title": "Launch", "date": date}]})
    assert isinstance(part, InvalidBlock)


@pytest.mark.parametrize("said", ["task", "tasks", "Task", "task-list", "todo"])
def test_entity_is_known_by_its_other_names(said: str) -> None:
    assert items(returned({"id": "t1"}), entity=said) == [{"id": "t1"}]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_number_that_no_client_can_read_is_invalid(number: str) -> None:
    source = f'{{"type":"table","headers":["a"],"rows":[[{number}]]}}'
    assert repaired_value(source) is None


def test_reason_quotes_nothing_of_the_model() -> None:
    part = made({**CHART, "data": [{"salary of Bob": ["secret"]}]})
    assert part == InvalidBlock(reason="data: string_type")


def test_strings_of_a_block_read_like_text() -> None:
    source = r'{"type":"table","headers":["50\% \\ \n"],"rows":[["\ud83d"],["\ud83d\ude00"],["\\ud83d"]]}'
    part = parsed(BlockType.TABLE, source.replace(r"\n", "\n"))
    assert isinstance(part, BlockPart)
    assert part.data == {"headers": ["50\\% \\ \n"], "rows": [["\ufffd"], ["😀"], [r"\ud83d"]]}


@pytest.mark.parametrize("entity", Entity)
def test_entity_ref_shows_exactly_its_columns(entity: Entity) -> None:
    row = {column: f"the {column}" for column in (*COLUMNS[entity], "description", "content", "aiSummary")}
    assert items(returned(row), entity=entity.value) == [{column: row[column] for column in COLUMNS[entity]}]


def test_entity_ref_asks_for_its_entity_and_believes_no_item_of_the_model() -> None:
    asked: list[Entity] = []

    def rows(entity: Entity) -> list[Row]:
        asked.append(entity)
        return [{"id": "p1", "name": "Garden"}]

    assert items(rows, entity="project", items=[{"id": "p2", "name": "Invented"}]) == [{"id": "p1", "name": "Garden"}]
    assert asked == [Entity.PROJECT]


def test_entity_ref_shows_each_row_once_where_it_came_last_with_its_last_values() -> None:
    rows = returned(
        {"id": "t1", "title": "Buy milk", "status": "todo"},
        {"id": "t2", "title": "Call Anna"},
        {"id": "t1", "status": "done"},
    )
    assert items(rows) == [{"id": "t2", "title": "Call Anna"}, {"id": "t1", "title": "Buy milk", "status": "done"}]


def test_entity_ref_with_an_id_shows_only_that_row() -> None:
    rows = returned({"id": "t1"}, {"id": "t2"}, {"id": 3})
    assert items(rows, id="t2") == [{"id": "t2"}]
    assert items(rows, id=3) == [{"id": 3}]
    assert items(rows, id=None) == [{"id": "t1"}, {"id": "t2"}, {"id": 3}]
    assert isinstance(made({"type": "entity_ref", "entity": "task", "id": "t9"}, rows), InvalidBlock)


def test_entity_ref_leaves_out_rows_without_an_id() -> None:
    assert items(returned({"title": "Nobody"}, {"id": None}, {"id": "t1"})) == [{"id": "t1"}]


def test_entity_ref_shows_the_first_of_too_many_rows() -> None:
    rows = [{"id": f"t{number}"} for number in range(MAX_ITEMS + 1)]
    assert items(returned(*rows)) == rows[:MAX_ITEMS]
