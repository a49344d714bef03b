"""The exact output of an answer, in a pipe and in a terminal."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console
from rich.text import Text

from device.frames import (
    Mutation,
    PopupDomain,
    StreamBlock,
    StreamEnd,
    StreamStart,
    StreamStatus,
    StreamText,
    TurnError,
    TurnFrame,
)
from device.screen import Screen
from tests.device.drawing import console, written

_CLEAR = "\r\x1b[2K"


def _shown(*frames: TurnFrame, terminal: bool = False) -> tuple[str, str]:
    out, err = console(terminal=terminal), console(terminal=terminal)
    screen = Screen(out, err, zone=ZoneInfo("Europe/Rome"))
    for frame in frames:
        screen.show(frame)
    return written(out), written(err)


def _start() -> StreamStart:
    return StreamStart(request_id="r", seq=0, kind="home")


def _text(chunk: str) -> StreamText:
    return StreamText(request_id="r", seq=0, chunk=chunk)


def _status(state: str = "calling_tool", **fields: Any) -> StreamStatus:
    return StreamStatus(request_id="r", seq=0, state=state, **fields)


def _block() -> StreamBlock:
    return StreamBlock(request_id="r", seq=0, block_type="table", data={"headers": ["A"], "rows": [["b"]]})


def _end(**fields: Any) -> StreamEnd:
    return StreamEnd(**{"request_id": "r", "seq": 0, "finish_reason": "done", **fields})


def test_answer_in_a_pipe_is_plain_text() -> None:
    frames: list[TurnFrame] = [
        _start(),
        _status(label="Looking"),
        _text("Two tas"),
        _text("ks."),
        _block(),
        _text("Done. \n"),
        _end(),
    ]
    assert _shown(*frames) == ("Two tasks.\nA\n─\nb\nDone. \n", "")


def test_text_is_written_as_it_comes() -> None:
    out = console()
    screen = Screen(out, console(), zone=ZoneInfo("UTC"))
    seen = []
    for chunk in ("[bold]Two", " tasks", " :smile:\n", ""):
        screen.show(_text(chunk))
        seen.append(written(out))
    assert seen == ["[bold]Two", "[bold]Two tasks", "[bold]Two tasks :smile:\n", "[bold]Two tasks :smile:\n"]


def test_text_cannot_speak_to_the_terminal() -> None:
    assert _shown(_text("\x1b[2Jgone\x07\r"), _end(), terminal=True) == ("[2Jgone\n", "")


def test_progress_on_a_terminal_goes_when_something_is_shown() -> None:
    frames: list[TurnFrame] = [_start(), _status(label="Looking up tasks"), _text("Two.\n"), _end()]
    assert _shown(*frames, terminal=True) == (
        f"\x1b[2mThinking…\x1b[0m{_CLEAR}\x1b[2mLooking up tasks…\x1b[0m{_CLEAR}Two.\n",
        "",
    )


def test_progress_in_the_middle_of_a_line_begins_a_new_one() -> None:
    assert _shown(_text("Let me look."), _status(label="Looking"), _text("Two."), _end(), terminal=True) == (
        f"Let me look.\n\x1b[2mLooking…\x1b[0m{_CLEAR}Two.\n",
        "",
    )


def test_progress_never_takes_more_than_a_line() -> None:
    out, _ = _shown(_status(label="Looking at\n" + "everything " * 20), terminal=True)
    assert out == "\x1b[2mLooking at everything everything everything every…\x1b[0m"


@pytest.mark.parametrize(
    ("status", "label"),
    [
        (_status("thinking"), "Thinking"),
        (_status("waiting_approval"), "Waiting for approval"),
        (_status("queued"), "Queued"),
        (_status("calling_tool", tool="list_tasks"), "list_tasks"),
        (_status("dreaming"), "Working"),
    ],
)
def test_progress_without_a_label_says_the_state(status: StreamStatus, label: str) -> None:
    assert _shown(status, terminal=True) == (f"\x1b[2m{label}…\x1b[0m", "")


def test_popup_shows_progress_until_its_text_comes() -> None:
    domain = PopupDomain(request_id="r", seq=0, domain="tasks")
    assert _shown(domain, _text("Two."), _end(), terminal=True) == (f"\x1b[2mThinking…\x1b[0m{_CLEAR}Two.\n", "")


def test_dumb_terminal_gets_no_progress() -> None:
    out = Console(file=console().file, width=50, force_terminal=True, _environ={"TERM": "dumb"}, legacy_windows=False)
    screen = Screen(out, console(), zone=ZoneInfo("UTC"))
    screen.show(_start())
    screen.show(_text("Two."))
    assert written(out) == "Two."


def test_unknown_block_is_passed_over() -> None:
    assert _shown(_text("Two."), StreamBlock(request_id="r", seq=0, block_type="new", data={}), _end()) == (
        "Two.\n",
        "",
    )


def test_changes_are_counted_at_the_end() -> None:
    mutations = tuple(
        Mutation(action=action, table=table, id="x")
        for action, table in [
            ("insert", "tasks"),
            ("update", "notes"),
            ("insert", "tasks"),
            ("delete", "taskComments"),
            ("merge", "meetings"),
        ]
    )
    assert _shown(_text("Done."), _end(mutations=mutations)) == (
        "Done.\nChanged on this device: 2 tasks added, 1 note changed, 1 comment deleted, 1 row changed.\n",
        "",
    )


@pytest.mark.parametrize(
    ("end", "complaint"),
    [
        (_end(finish_reason="cancelled"), "Stopped.\n"),
        (_end(finish_reason="error"), "The answer broke off.\n"),
        (
            _end(finish_reason="error", error=TurnError(code="c", message="No model.", retryable=True)),
            "The answer broke off: No model. Asking again may help.\n",
        ),
        (
            _end(finish_reason="error", error=TurnError(code="c", message="It \x1brefused.")),
            "The answer broke off: It refused.\n",
        ),
    ],
)
def test_answer_that_does_not_end_well_says_so_apart(end: StreamEnd, complaint: str) -> None:
    assert _shown(_text("Well"), end) == ("Well\n", complaint)


def test_sentences_of_the_terminal_do_not_break_into_a_line() -> None:
    out, err = console(), console()
    screen = Screen(out, err, zone=ZoneInfo("UTC"))
    screen.show(_text("Two"))
    screen.say("Said.")
    screen.notify("Noted.")
    screen.complain("Alas.")
    screen.draw("Drawn.")
    assert (written(out), written(err)) == ("Two\nSaid.\nDrawn.\n", "Noted.\nAlas.\n")


def test_sentences_that_name_rows_cannot_speak_to_the_terminal() -> None:
    out, err = console(terminal=True), console(terminal=True)
    screen = Screen(out, err, zone=ZoneInfo("UTC"))
    for show in (screen.say, screen.notify, screen.interject, screen.complain):
        show("On “\x1b]0;mine\x07Web\u202esite”.")
    assert written(out) == "\x1b[2mOn “]0;mineWebsite”.\x1b[0m\n"
    assert written(err) == "\x1b[2mOn “]0;mineWebsite”.\x1b[0m\n" * 2 + "\x1b[31mOn “]0;mineWebsite”.\x1b[0m\n"


def test_answer_that_came_whole_is_written_as_one_that_streams() -> None:
    out = console(width=10)
    screen = Screen(out, console(), zone=ZoneInfo("UTC"))
    screen.show(_text("Well"))
    screen.tell("# [bold]Two\x1b[2J tasks and no break in the line")
    screen.tell("Done.\n")
    assert written(out) == "Well\n# [bold]Two[2J tasks and no break in the line\nDone.\n"


def test_lines_stand_until_something_else_is_shown() -> None:
    out = console(width=12, terminal=True)
    screen = Screen(out, console(), zone=ZoneInfo("UTC"))
    screen.watch([Text("one"), Text("two, which is long")])
    screen.watch([Text("three")])
    screen.watch([])
    screen.tell("Done.")
    assert written(out) == f"one\ntwo, which …{_CLEAR}\x1b[1A\x1b[2Kthree{_CLEAR}Done.\n"


def test_status_lines_are_not_drawn_in_a_pipe_or_during_a_question() -> None:
    pipe, terminal = console(), console(terminal=True)
    Screen(pipe, console(), zone=ZoneInfo("UTC")).watch([Text("one")])
    screen = Screen(terminal, console(), zone=ZoneInfo("UTC"))
    with screen.questioning():
        screen.watch([Text("one")])
    assert (written(pipe), written(terminal)) == ("", "")


def test_lines_are_drawn_for_another_writer() -> None:
    out = console(width=12, terminal=True)
    lines = [Text("one", style="dim"), Text("two, which is long")]
    assert Screen(out, console(), zone=ZoneInfo("UTC")).drawn(lines) == "\x1b[2mone\x1b[0m\ntwo, which …\n"
    assert written(out) == ""


def test_text_beside_a_question_comes_in_whole_lines() -> None:
    out = console(terminal=True)
    screen = Screen(out, console(), zone=ZoneInfo("UTC"))
    with screen.questioning():
        screen.show(_text("Well, "))
        assert written(out) == ""
        screen.show(_text("yes.\nAnd "))
        assert written(out) == "Well, yes.\n"
        screen.show(_text("no."))
    assert written(out) == "Well, yes.\nAnd no."
    screen.say("So.")
    assert written(out) == "Well, yes.\nAnd no.\n\x1b[2mSo.\x1b[0m\n"
