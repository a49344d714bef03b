"""Arguments in the forms in which models write them."""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from agents.errors import ModelRetry
from agents.tools.arguments import (
    AnyPriority,
    AnyProjectStatus,
    AnyTaskOrder,
    AnyTaskStatus,
    moment_ms,
    null_in,
)
from agents.tools.rows import date_in, to_iso, to_ms

ROME = ZoneInfo("Europe/Rome")
TUESDAY = date(2026, 11, 24)

CHOICES: list[tuple[Any, str, str]] = [
    (AnyTaskStatus, "Done", "done"),
    (AnyTaskStatus, "completed", "done"),
    (AnyTaskStatus, "in progress", "in_progress"),
    (AnyTaskStatus, "In-Progress", "in_progress"),
    (AnyTaskStatus, "to do", "todo"),
    (AnyTaskStatus, "TODO", "todo"),
    (AnyTaskStatus, "da fare", "todo"),
    (AnyTaskStatus, "completata", "done"),
    (AnyPriority, "Urgent", "high"),
    (AnyPriority, "normale", "medium"),
    (AnyPriority, "LOW", "low"),
    (AnyProjectStatus, "Archive", "archived"),
    (AnyProjectStatus, "open", "active"),
    (AnyTaskOrder, "dueDate", "dueDate"),
    (AnyTaskOrder, "-dueDate", "-dueDate"),
    (AnyTaskOrder, "due_date", "dueDate"),
    (AnyTaskOrder, "due date desc", "-dueDate"),
    (AnyTaskOrder, "Priority descending", "-priority"),
    (AnyTaskOrder, "created_at:asc", "createdAt"),
]


@pytest.mark.parametrize(("kind", "written", "meant"), CHOICES)
def test_synonym_of_choice_is_accepted(kind: Any, written: str, meant: str) -> None:
    assert TypeAdapter(kind).validate_python(written) == meant


@pytest.mark.parametrize(
    ("kind", "written"),
    [(AnyTaskStatus, "blocked"), (AnyPriority, "7"), (AnyPriority, 1), (AnyTaskOrder, "id"), (AnyTaskOrder, 3)],
)
def test_unknown_choice_is_refused(kind: Any, written: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(written)


def test_schema_lists_choices_without_synonyms() -> None:
    assert TypeAdapter(AnyTaskStatus).json_schema() == {"enum": ["todo", "in_progress", "done"], "type": "string"}


@pytest.mark.parametrize(("written", "meant"), [("null", None), (" None ", None), ("", None), ("no", "no"), (0, 0)])
def test_text_null_is_read_as_null(written: object, meant: object) -> None:
    assert null_in(written) == meant


DATES = [
    ("2026-11-27", "2026-11-27"),
    ("2026-11-27T18:00", "2026-11-27 18:00"),
    ("2026-11-27T18:00:00+00:00", "2026-11-27 19:00"),
    ("Fri 2026-11-27", "2026-11-27"),
    ("Friday 2026-11-27 18:00", "2026-11-27 18:00"),
    ("2026/11/7", "2026-11-07"),
    ("27.11.2026", "2026-11-27"),
    ("27/11/2026", "2026-11-27"),
    ("27 November 2026", "2026-11-27"),
    ("Nov 27th, 2026", "2026-11-27"),
    ("mar 3 2026", "2026-03-03"),
    ("27 novembre 2026 alle 9:30", "2026-11-27 09:30"),
    ("today", "2026-11-24"),
    ("Tomorrow at 18:00", "2026-11-25 18:00"),
    ("domani", "2026-11-25"),
    ("Friday", "2026-11-27"),
    ("venerdì", "2026-11-27"),
    ("monday 8:00", "2026-11-30 08:00"),
    ("Friday next week", "2026-12-04"),
    ("lunedì della prossima settimana alle 9:30", "2026-11-30 09:30"),
    ("18 March", "2027-03-18"),
    ("1st of December at 15:00", "2026-12-01 15:00"),
    ("dicembre 24", "2026-12-24"),
    ("24 October", "2026-10-24"),
    ("23 October", "2027-10-23"),
    ("29 February", "2028-02-29"),
]


@pytest.mark.parametrize(("written", "meant"), DATES)
def test_unambiguous_date_is_read(written: str, meant: str) -> None:
    assert to_iso(moment_ms(written, TUESDAY, ROME), ROME) == meant


@pytest.mark.parametrize(
    "written",
    ["03/04/2026", "Tuesday", "soon", "31.02.2026", "24 Foo 2026", "31 April", "24 Foo", "", "18:00", "next week"],
)
def test_ambiguous_or_invalid_date_is_refused(written: str) -> None:
    with pytest.raises(ModelRetry, match="is not a date"):
        moment_ms(written, TUESDAY, ROME)


@given(day=st.dates(date(1990, 1, 1), date(2200, 1, 1)), minutes=st.integers(0, 24 * 60 - 1))
def test_date_as_shown_in_rows_is_read_back(day: date, minutes: int) -> None:
    ms = to_ms(f"{day.isoformat()}T{minutes // 60:02}:{minutes % 60:02}", ROME)
    shown = date_in({"dueDate": ms}, "dueDate", ROME)

    assert to_iso(moment_ms(shown, TUESDAY, ROME), ROME) == to_iso(ms, ROME)
    assert shown[:4] == f"{datetime.fromtimestamp(ms / 1000, ROME):%a} "
