"""How the commands are listed."""

import pytest

from device.help import COMMANDS, command_help
from tests.device.drawing import drawn


@pytest.mark.parametrize("width", [40, 80, 200])
def test_help_wraps_between_words_and_beside_the_commands(width: int) -> None:
    lines = drawn(command_help(), width=width)
    listed = [line for line in lines if line.startswith("/")]
    assert [line[:19].rstrip() for line in listed] == [command for command, _ in COMMANDS]
    assert max(map(len, lines)) <= width
    words = " ".join(line[19:] for line in lines[lines.index(listed[0]) :]).split()
    assert words == " ".join(meaning for _, meaning in COMMANDS).split()
