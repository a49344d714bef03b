"""A conversation at a terminal: its prompt, what is typed there, and Ctrl-C."""

from pathlib import Path

from tests.device.running import AtTerminal
from tests.device.scripted_server import Peer, text_part


async def test_conversation_at_a_terminal(at_terminal: AtTerminal, data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        status = {"state": "calling_tool", "label": "Looking up tasks"}
        await peer.stream(request, ("stream_status", status), text_part("Well, let me "))
        assert (await peer.receive("cancel_request"))["request_id"] == request["request_id"]
        await peer.stream(request, ("stream_end", {"finish_reason": "cancelled", "mutations": []}), first=2)
        await peer.answer(await peer.receive("home_request"), "Seven.")

    async with at_terminal(script, forked=False) as terminal:
        await terminal.wait_for("Ask anything")
        await terminal.say("What?")
        await terminal.wait_for("Looking up tasks…")
        await terminal.wait_for("Well, let me ")
        terminal.press("\x03")
        await terminal.wait_for("Stopped.")
        await terminal.say("And now?")
        await terminal.wait_for("Seven.")
        await terminal.wait_for("›")
        terminal.press("\x03")
        await terminal.wait_for("Goodbye.")
        assert await terminal.ended() == 0
    history = data_file.with_suffix(".history")
    assert [line for line in history.read_text().splitlines() if line.startswith("+")] == ["+What?", "+And now?"]
    assert history.stat().st_mode & 0o777 == 0o600


async def test_conversation_does_without_a_history_that_cannot_be_written(
    at_terminal: AtTerminal, data_file: Path
) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.answer(await peer.receive("home_request"), "Seven.")

    history = data_file.with_suffix(".history")
    async with at_terminal(script) as terminal:
        await terminal.wait_for("›")
        history.unlink()
        history.symlink_to(data_file.parent / "missing" / "history")
        terminal.press("What?\r")
        await terminal.wait_for("Seven.")
        await terminal.say("/quit")
        await terminal.wait_for("Goodbye.")
        assert await terminal.ended() == 0
    assert "Traceback" not in terminal.seen
    assert "Unhandled" not in terminal.seen


async def test_interrupt_of_a_single_answer_stops_it(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        await peer.stream(request, text_part("Well, let me "))
        await peer.receive("cancel_request")
        await peer.stream(request, ("stream_end", {"finish_reason": "cancelled", "mutations": []}), first=1)

    async with at_terminal(script, "What?") as terminal:
        await terminal.wait_for("Well, let me ")
        terminal.press("\x03")
        await terminal.wait_for("Stopped.")
        assert await terminal.ended() == 1


async def test_second_interrupt_ends_the_terminal(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        await peer.stream(request, text_part("Well, let me "))
        await peer.receive("cancel_request")
        await peer.stream(request, text_part("see."), first=1)
        await peer.wait_closed()

    async with at_terminal(script, "What?") as terminal:
        await terminal.wait_for("Well, let me ")
        terminal.press("\x03")
        await terminal.wait_for("see.")
        terminal.press("\x03")
        assert await terminal.ended() == 130


async def test_lines_that_are_pasted_are_one_question(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        await peer.answer(await peer.asked(), "Seven.")

    async with at_terminal(script) as terminal:
        await terminal.say("\x1b[200~Which of these is due?\r\n- roses\n\n- Pfingstrosen\x1b[201~")
        await terminal.wait_for("Seven.")
        await terminal.leave()
    assert terminal.server.received[-1]["message"] == "Which of these is due?\n- roses\n\n- Pfingstrosen"
    assert "^J" not in terminal.seen
