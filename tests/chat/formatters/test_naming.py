"""Cards of the rows that an answer names."""

from collections.abc import Mapping

import pytest

from chat.formatters.blocks import BlockPart, Entity, Row
from chat.formatters.formatter import Formatter
from chat.formatters.naming import named_rows
from tests.chat.formatters.writing import ROWS, home, parts_of
from tests.costs import calls_of

MILK: Row = {"id": "t1", "title": "Buy milk"}
OAT_MILK: Row = {"id": "t2", "title": "Buy oat milk"}
TEA: Row = {"id": "t3", "title": "Tea"}
TEA_AGAIN: Row = {"id": "t4", "title": "tea "}
SHORT: Row = {"id": "t5", "title": "Ok"}
ALL = [MILK, OAT_MILK, TEA, TEA_AGAIN, SHORT]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("“Buy milk” is due today.", [MILK]),
        ("First **buy  MILK**, then\n- Buy oat\nmilk", [MILK, OAT_MILK]),
        ("Buy oat milk, then buy milk.", [OAT_MILK, MILK]),
        ("Tea it is.", [TEA, TEA_AGAIN]),
        ("A steady team.", []),
        ("Ok, you have 5 tasks.", []),
        ("", []),
    ],
)
def test_rows_are_named_by_whole_titles(text: str, named: list[Row]) -> None:
    assert named_rows(text, ALL, ()) == named


def test_words_of_a_longer_title_name_no_shorter_one() -> None:
    report, draft = {"id": "1", "title": "Report"}, {"id": "2", "title": "Report draft"}
    assert named_rows("The Report draft is late.", [report, draft], ()) == [draft]
    assert named_rows("The Report draft is late, the report is not.", [report, draft], ()) == [draft, report]


def test_changed_rows_come_after_those_named_and_once() -> None:
    assert named_rows("Done: buy milk.", ALL, ["t3", "t1"]) == [MILK, TEA]


def test_cost_of_many_rows_grows_with_their_number_only() -> None:
    def cost(count: int) -> int:
        rows: list[Row] = [{"id": str(number), "title": f"Task number {number}"} for number in range(count)]
        return calls_of(lambda: named_rows("Nothing of it. " * 200, rows, ()))

    assert cost(400) < 6 * cost(100) + 1_000


def cards(written: str, *, changed: tuple[str, ...] = ()) -> list[Mapping[str, object]]:
    formatter = home()
    parts_of(formatter, [written])
    return [part.data for part in formatter.cards(changed) if isinstance(part, BlockPart)]


def test_answer_shows_cards_of_the_rows_that_it_names() -> None:
    assert cards("Buy milk is open.") == [{"entity": "task", "items": ROWS[Entity.TASK][:1]}]
    assert cards("It is done.", changed=("t2",)) == [{"entity": "task", "items": ROWS[Entity.TASK][1:]}]
    assert cards("Nothing is open.") == []


def test_project_is_shown_where_nothing_else_is_named() -> None:
    assert cards("Garden is active.") == [{"entity": "project", "items": ROWS[Entity.PROJECT]}]
    assert [card["entity"] for card in cards("Buy milk is in Garden.")] == ["task"]


def test_cards_that_the_model_wrote_are_enough() -> None:
    assert cards('Buy milk is open. {"type":"entity_ref","entity":"project"}') == []


def test_popup_has_no_cards() -> None:
    formatter = Formatter(lambda _: None, shows_blocks=False)
    parts_of(formatter, ["Buy milk"])
    assert formatter.cards(["t1"]) == []
