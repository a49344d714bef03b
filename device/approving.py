"""Approving what the assistant would do, at a terminal: shown as a difference, answered with a word."""

import asyncio
import signal
import sys
from contextlib import nullcontext
from typing import Final, Protocol

from rich.text import Text

from device.changes import change_of
from device.frames import ApprovalRequest
from device.overview import row_names
from device.screen import Screen
from device.store import Store
from device.verdicts import Approval, Verdict
from device.wording import one_line


class Words(Protocol):
    """Where a person's answer comes from."""

    async def ask(self, question: str) -> str | None:
        """The line that was written; None when the person would rather stop."""


class Keyboard:
    """Asks at the terminal. What is written on the screen meanwhile appears above the question."""

    async def ask(self, question: str) -> str | None:
        # Not at the top: prompt_toolkit takes long to import, and most answers ask nothing.
        from prompt_toolkit import PromptSession
        from prompt_toolkit.output import create_output
        from prompt_toolkit.patch_stdout import patch_stdout

        # On standard error where the output goes elsewhere.
        session: PromptSession[str] = PromptSession(output=create_output(always_prefer_tty=True))
        with patch_stdout(raw=True) if sys.stdout.isatty() else nullcontext():
            try:
                # Ctrl-C comes as a key here, and the handler that stops an answer is to stay.
                return await session.prompt_async(question, handle_sigint=False)
            except EOFError:
                return ""
            except KeyboardInterrupt:
                return None


def keyboard() -> Words | None:
    """The keyboard of a user who can see the question; None where there is none."""
    return Keyboard() if sys.stdin.isatty() and (sys.stdout.isatty() or sys.stderr.isatty()) else None


_YES: Final = frozenset({"y", "yes", "s", "sì", "si"})
_ALWAYS: Final = frozenset({"a", "always", "sempre"})
_NO: Final = frozenset({"n", "no"})
_RISKY: Final = "destructive"


class TerminalApprover:
    """The ``Approver`` of a terminal. One question at a time is shown."""

    def __init__(self, screen: Screen, store: Store, mode: Approval, words: Words | None) -> None:
        self._screen = screen
        self._store = store
        self._mode = mode
        self._words = words
        self._turn = asyncio.Lock()

    async def __call__(self, request: ApprovalRequest) -> Verdict | None:
        summary = one_line(request.summary)
        if self._mode is Approval.ALWAYS:
            self._screen.notify(f"Approved by --approve always: {summary}")
            return Verdict(approved=True)
        if self._mode is Approval.NEVER:
            self._screen.notify(f"Refused by --approve never: {summary}")
            return Verdict(approved=False, reason="The terminal refuses everything that must ask.")
        if self._words is None:
            self._screen.notify(
                f"Refused, as there is no one at a terminal to ask: {summary} With --approve always it would be done."
            )
            return Verdict(approved=False, reason="There is no one at a terminal to ask.")
        async with self._turn:
            return await self._asked(request, self._words)

    async def _asked(self, request: ApprovalRequest, words: Words) -> Verdict | None:
        with self._screen.questioning():
            self._screen.draw(Text(one_line(request.summary), style="bold"))
            if request.preview is not None:
                names = row_names(self._store)
                self._screen.draw(change_of(request.preview, names, zone=self._screen.zone))
            while True:
                line = await words.ask(_question(request))
                if line is None:
                    # As Ctrl-C during an answer: it stops the answer, and the question with it.
                    signal.raise_signal(signal.SIGINT)
                    return None
                verdict = _verdict(line, may_remember=request.risk != _RISKY)
                if verdict is not None:
                    return verdict
                self._screen.say("Write y or n; after n you may say why.")


def _question(request: ApprovalRequest) -> str:
    choices = "[y]es, [n]o" if request.risk == _RISKY else "[y]es, [n]o, [a]lways"
    return f"May it? {choices}: "


def _verdict(line: str, *, may_remember: bool) -> Verdict | None:
    """What ``line`` says; None when it cannot be told. Nothing at all is no."""
    first, _, rest = line.strip().replace(",", " ").partition(" ")
    word = first.casefold().rstrip(".!")
    if not word or word in _NO:
        return Verdict(approved=False, reason=rest.strip() or None)
    if word in _YES and not rest.strip():
        return Verdict(approved=True)
    if word in _ALWAYS and not rest.strip() and may_remember:
        return Verdict(approved=True, remember=True)
    return None
