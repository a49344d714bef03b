"""What a user types at a prompt; ``test_terminal_prompt`` tests the same in a terminal."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from device.approving import Keyboard
from device.prompt import Prompt


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


async def test_prompt_gives_what_was_written_until_ctrl_c_and_keeps_it(keys: PipeInput, tmp_path: Path) -> None:
    history = tmp_path / "history"
    prompt = Prompt(history, above=lambda: "Week (queued)\n", asking=asyncio.Lock())
    prompt.refresh()
    keys.send_text("What?\r")
    assert await prompt.next() == "What?"
    keys.send_text("\x03")
    assert await prompt.next() is None
    assert history.read_text().splitlines()[-1] == "+What?"
    assert history.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("pressed", "answer"), [("no, later\r", "no, later"), ("\x04", ""), ("\x03", None)])
async def test_keyboard_gives_the_line_that_answers_a_question(
    keys: PipeInput, pressed: str, answer: str | None
) -> None:
    keys.send_text(pressed)
    assert await Keyboard().ask("May it? ") == answer


async def test_ctrl_z_suspends_the_terminal_and_is_no_part_of_what_is_typed(
    keys: PipeInput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspended = list[None]()
    monkeypatch.setattr(Application, "suspend_to_background", lambda _: suspended.append(None))
    keys.send_text("Wh\x1aat?\r")
    assert await Prompt(tmp_path / "history", above=str, asking=asyncio.Lock()).next() == "What?"
    keys.send_text("n\x1ao\r")
    assert await Keyboard().ask("May it? ") == "no"
    assert len(suspended) == 2
