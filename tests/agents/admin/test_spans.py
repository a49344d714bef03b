from datetime import timedelta

import pytest

from agents.admin.jobs import span_text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "under 1 s"),
        (0.4, "under 1 s"),
        (1, "1 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (125, "2 min 5 s"),
        (3_600, "1 h"),
        (3_605, "1 h"),
        (5_580, "1 h 33 min"),
        (86_400 * 3 + 7_200, "3 d 2 h"),
    ],
)
def test_span_is_written_in_its_two_largest_units(seconds: float, words: str) -> None:
    assert span_text(timedelta(seconds=seconds)).replace("\N{NO-BREAK SPACE}", " ") == words
