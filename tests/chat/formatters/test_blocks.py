"""What makes a block valid, and what the server fills in."""

import json
from collections.abc import Mapping

import pytest

from chat.formatters.formatter import (
    COLUMNS,
    MAX_ITEMS,
    BlockPart,
    BlockType,
    Entity,
    InvalidBlock,
    Row,
    RowSource,
    block_part,
)

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


def made(block: Mapping[str, object], rows: RowSource = NOTHING) -> BlockPart | InvalidBlock:
    return block_part(BlockType(str(block["type"])), json.dumps(block), rows)


def items(rows: RowSource, **ref: object) -> object:
    part = made({"type": "entity_ref", "entity": "task", **ref}, rows)
    assert isinstance(part, BlockPart)
    assert part.data["entity"] == ref.get("entity", "task")
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
        ({**CHART, "chartType": "donut"}, "chartType: literal_error"),
        ({**CHART, "title": 5}, "title: string_type"),
        ({**CHART, "data": {"a": 1}}, "data: list_type"),
        ({**CHART, "data": [1]}, "data: dict_type"),
        ({**CHART, "config": {"open": "Open"}}, "config: model_type"),
        ({**CHART, "config": {"open": {"label": "Open"}}}, "config: missing"),
        ({**CHART, "config": {"open": {"label": "Open", "color": 5}}}, "config: string_type"),
        ({"type": "chart"}, "chartType: missing"),
        ({**TABLE, "rows": [["Buy milk"]]}, "rows: value_error"),
        ({**TABLE, "rows": [["Buy milk", 1, 2]]}, "rows: value_error"),
        ({**TABLE, "rows": "none"}, "rows: list_type"),
        ({**TABLE, "headers": [1, 2]}, "headers: string_type"),
        ({"type": "timeline", "checkpoints": [{"id": "c1", "title": "Launch"}]}, "checkpoints: missing"),
        ({"type": "entity_ref"}, "entity: missing"),
        ({"type": "entity_ref", "entity": "invoice"}, "entity: enum"),
        ({"type": "entity_ref", "entity": "task"}, "no tool returned such rows"),
    ],
)
def test_invalid_block_says_why(block: dict[str, object], reason: str) -> None:
    assert made(block) == InvalidBlock(reason=reason)


@pytest.mark.parametrize("date", ["2026-11-21", 1.5, True, None, 10**17])
def test_timeline_with_a_date_that_is_no_millisecond_is_invalid(date: object) -> None:
    part = made({"type": "timeline", "checkpoints": [{"id": "c1", "title": "Launch", "date": date}]})
    assert isinstance(part, InvalidBlock)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_number_that_no_client_can_read_is_invalid(number: str) -> None:
    source = f'{{"type":"table","headers":["a"],"rows":[[{number}]]}}'
    assert block_part(BlockType.TABLE, source, NOTHING) == InvalidBlock(reason="a number is not finite or too long")


def test_reason_quotes_nothing_of_the_model() -> None:
    part = made({**CHART, "config": {"salary of Bob": {"label": 5, "color": "secret"}}})
    assert part == InvalidBlock(reason="config: string_type")


def test_strings_of_a_block_read_like_text() -> None:
    source = r'{"type":"table","headers":["50\% \\ \n"],"rows":[["\ud83d"],["\ud83d\ude00"],["\\ud83d"]]}'
    part = block_part(BlockType.TABLE, source.replace(r"\n", "\n"), NOTHING)
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
