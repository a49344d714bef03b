import io
import signal
from itertools import count

import pytest
from django.core.management.base import CommandError

from accounts.progress import Lines, resumable, shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_are_written_every_few_seconds_and_at_end() -> None:
    said = io.StringIO()
    seconds = count(step=2.0)
    lines = Lines("Rows", said, clock=lambda: next(seconds))
    lines.expect(4000)
    for _ in range(5):
        lines.advance(700)
    lines.end()
    assert said.getvalue().splitlines() == ["Rows: 2,100 of 4,000", "Rows: 3,500 of 4,000"]


def test_final_line_is_written_once() -> None:
    said = io.StringIO()
    with shown("Rows", stream=said) as progress:
        progress.expect(2)
        progress.advance(1)
        progress.advance(1)
    assert said.getvalue() == "Rows: 2 of 2\n"


def test_no_line_is_written_without_expected_work() -> None:
    said = io.StringIO()
    with shown("Rows", stream=said):
        pass
    assert said.getvalue() == ""


def test_line_shows_progress_when_work_fails() -> None:
    said = io.StringIO()

    def fail_half_way() -> None:
        with shown("Rows", stream=said) as progress:
            progress.expect(3)
            progress.advance(1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert said.getvalue() == "Rows: 1 of 3\n"


def test_progress_bar_is_drawn_on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    said = Terminal()
    with shown("Rows", stream=said) as progress:
        progress.expect(2)
        progress.advance(2)
    assert "2/2" in said.getvalue()
    assert "━" in said.getvalue()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_stops_resumable_command_with_advice_and_exit_code(number: signal.Signals, code: int) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(CommandError, match="run the command again") as stopped, resumable():
        signal.raise_signal(number)
    assert stopped.value.returncode == code
    assert signal.getsignal(signal.SIGTERM) is before
