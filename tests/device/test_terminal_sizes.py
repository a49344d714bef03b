"""Answers on terminals that are narrow or wide, and without colours or letters."""

import re
from pathlib import Path

from tests.device.running import COMMAND, AtTerminal, as_alice, listing, run_command
from tests.device.scripted_server import END, Peer, scripted_server, text_part


async def test_terminal_without_colours_has_none(at_terminal: AtTerminal) -> None:
    async with at_terminal(listing, "What?", NO_COLOR="1") as terminal:
        await terminal.wait_for("Changed on this device")
        assert await terminal.ended() == 0
    assert re.findall("\x1b\\[[0-9;]*3[0-9][0-9;]*m", terminal.seen) == []


async def test_letters_that_the_output_does_not_have_are_replaced(data_file: Path) -> None:
    async with scripted_server(listing) as server:
        command = [*COMMAND, *as_alice(server, data_file, "What?")]
        code, out, _ = await run_command(command, PYTHONIOENCODING="ascii")
    assert (code, out.splitlines()[0]) == (0, "You have 0 tasks, ? vero.")


_SENTENCE = "The roses on the balcony are watered in the evening, the peonies at dawn."


async def test_words_of_an_answer_stay_whole_when_the_window_becomes_narrower(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        pieces = [text_part(_SENTENCE[at : at + 5]) for at in range(0, len(_SENTENCE), 5)]
        await peer.stream(await peer.asked(), *pieces, END)
        await peer.stream(await peer.receive("home_request"), *pieces, END)

    async with at_terminal(script) as terminal:
        await terminal.say("What?")
        await terminal.wait_for(f"{_SENTENCE}\r\n")
        terminal.resize(rows=24, columns=30)
        await terminal.say("And now?")
        await terminal.wait_for("The roses on the balcony are \r\nwatered in the evening, the \r\npeonies at dawn.\r\n")
        await terminal.leave()
