"""Text that is safe to print, and the format of dates and numbers."""

from zoneinfo import ZoneInfo

import pytest

from device.wording import counted, one_line, printable, said_date

_ROME = ZoneInfo("Europe/Rome")


def test_printable_keeps_text_and_drops_what_speaks_to_the_terminal() -> None:
    assert (
        printable("a\tb\nc \x1b[31mred\x1b]0;title\x07\r\x00\x7f\x9b5m è 日本 🙂")
        == "a\tb\nc [31mred]0;title5m è 日本 🙂"
    )


def test_printable_drops_what_turns_the_text_around_it() -> None:
    assert printable("yes \u202eon\u202c \u2067no\u2069 שלום") == "yes on no שלום"


@pytest.mark.parametrize(("value", "said"), [(None, ""), (3, "3"), (" a\n\tb \x1b[2J", "a b [2J"), ("", "")])
def test_one_line_is_one_line(value: object, said: str) -> None:
    assert one_line(value) == said


@pytest.mark.parametrize(
    ("moment_ms", "said"),
    [
        (1_795_302_000_000, "22 Nov 2026"),
        (1_795_302_060_000, "22 Nov 2026 00:01"),
        (1_795_341_600_000.0, "22 Nov 2026 11:00"),
        (-1, "1 Jan 1970 00:59"),
        (None, ""),
        ("tomorrow", ""),
        (10**30, ""),
    ],
)
def test_date_is_said_in_the_zone(moment_ms: object, said: str) -> None:
    assert said_date(moment_ms, _ROME) == said


def test_numbers_are_counted_with_their_noun() -> None:
    assert [counted(0, "task"), counted(1, "task"), counted(2, "task")] == ["0 tasks", "1 task", "2 tasks"]
