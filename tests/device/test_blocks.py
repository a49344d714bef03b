"""The blocks of a home answer in text, exactly."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.blocks import block_of
from tests.device.drawing import drawn

_ROME = ZoneInfo("Europe/Rome")
_DUE = 1_795_341_600_000  # 22 Nov 2026 11:00 in Rome


def _lines(block_type: str, data: dict[str, Any], **how: Any) -> list[str]:
    block = block_of(block_type, data, _ROME)
    assert block is not None
    return drawn(block, **how)


def test_table_aligns_numbers_to_the_right() -> None:
    data = {
        "headers": ["Task", "Hours", "Done"],
        "rows": [["Roof", 12, True], ["Door\n\x1b[31m", None, False], ["Windows", 2.5, None]],
    }
    assert _lines("table", data) == [
        "Task        Hours   Done",
        "────────────────────────",
        "Roof           12   yes",
        "Door [31m           no",
        "Windows       2.5",
    ]


def test_table_folds_what_is_too_long() -> None:
    assert _lines("table", {"headers": ["Task"], "rows": [["Everything about the roof"]]}, width=12) == [
        "Task",
        "────────────",
        "Everything",
        "about the",
        "roof",
    ]


def test_entities_are_cards_in_a_frame_on_a_terminal() -> None:
    items = [{"id": "t", "title": "Buy milk", "status": "todo", "priority": "high", "dueDate": _DUE}]
    assert _lines("entity_ref", {"entity": "task", "items": items}, terminal=True) == [
        "╭─ 1 task ───────────────────────────────────────╮",
        "│ ○ \x1b[1mBuy milk\x1b[0m                                     │",
        "│ \x1b[2m  todo · high priority · due 22 Nov 2026 11:00\x1b[0m │",
        "╰────────────────────────────────────────────────╯",
    ]


@pytest.mark.parametrize(
    ("entity", "item", "lines"),
    [
        (
            "task",
            {
                "title": "Buy milk",
                "status": "in_progress",
                "priority": "low",
                "assignee": '["Anna", "Marco"]',
                "isAiSuggested": 1,
                "isApproved": 0,
            },
            ["1 task:", "◐ Buy milk", "  in progress · low priority · Anna, Marco · suggested"],
        ),
        ("task", {"title": "Done", "status": "done", "assignee": "Anna"}, ["1 task:", "● Done", "  done · Anna"]),
        ("task", {"title": "", "assignee": '{"a": 1}'}, ["1 task:", "• Untitled", '  {"a": 1}']),
        ("task", {"title": "Old", "assignee": "[1]", "dueDate": "?"}, ["1 task:", "• Old"]),
        ("project", {"name": "House", "status": "active"}, ["1 project:", "▸ House", "  active"]),
        ("note", {"title": "Ideas", "createdAt": _DUE}, ["1 note:", "• Ideas", "  written 22 Nov 2026 11:00"]),
        ("note", {"title": "Ideas"}, ["1 note:", "• Ideas"]),
        (
            "checkpoint",
            {"title": "Beta", "date": _DUE, "isAiSuggested": 1, "isApproved": 1},
            ["1 checkpoint:", "• Beta", "  22 Nov 2026 11:00"],
        ),
        ("meeting", {"title": "Lunch", "status": "soon"}, ["1 meeting:", "• Lunch"]),
    ],
)
def test_entity_says_what_there_is_to_know(entity: str, item: dict[str, Any], lines: list[str]) -> None:
    assert _lines("entity_ref", {"entity": entity, "items": [item]}) == lines


def test_entities_in_a_pipe_are_not_wrapped() -> None:
    title = "A title that is much longer than the fifty cells that a line of this console has"
    items = [{"title": title}, {"title": "Buy milk"}]
    assert _lines("entity_ref", {"entity": "task", "items": items}) == ["2 tasks:", f"• {title}", "• Buy milk"]


def test_block_of_an_unknown_type_is_nothing() -> None:
    assert block_of("hologram", {}, _ROME) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_FIELDS = ["entity", "items", "headers", "rows", "checkpoints", "title", "data", "config", "status", "dueDate", "date"]


@settings(deadline=None)
@given(
    block_type=st.sampled_from(["chart", "table", "timeline", "entity_ref"]),
    data=st.dictionaries(
        st.sampled_from(_FIELDS),
        _JSON | st.lists(st.dictionaries(st.sampled_from(_FIELDS), _JSON, max_size=4), max_size=3),
        max_size=6,
    ),
    terminal=st.booleans(),
)
def test_block_of_any_data_can_be_drawn(block_type: str, data: dict[str, Any], terminal: bool) -> None:
    assert isinstance(_lines(block_type, data, terminal=terminal), list)
