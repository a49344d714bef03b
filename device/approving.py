"""Approving what the assistant would do, at a terminal: shown as a difference, answered with a word."""

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
    """Asks at the terminal. What is written on the screen meanwhile appears above the question.

    A prompt that is there makes way, and comes back with what was typed.
    """

    async def ask(self, question: str) -> str | None:
        # Not at the top: prompt_toolkit takes long to import, and most answers ask nothing.
        from prompt_toolkit import PromptSession
        from prompt_toolkit.application import in_terminal
        from prompt_toolkit.output import create_output
        from prompt_toolkit.patch_stdout import patch_stdout

        # On standard error where the output goes elsewhere.
        session: PromptSession[str] = PromptSession(output=create_output(always_prefer_tty=True), enable_suspend=True)
        try:
            async with in_terminal():
                with patch_stdout(raw=True) if sys.stdout.isatty() else nullcontext():
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
_YES_TO_ALL: Final = frozenset({"all", "tutti", "tutte"})
_NO_TO_ALL: Final = frozenset({"none", "nessuno", "nessuna"})
_RISKY: Final = "destructive"


class TerminalApprover:
    """The ``Approver`` of a terminal. One question at a time is shown, and of others in its group the sentence.

    An answer to all holds for those of the group that are on the screen.
    """

    def __init__(self, screen: Screen, store: Store, mode: Approval, words: Words | None) -> None:
        self._screen = screen
        self._store = store
        self._mode = mode
        self._words = words
        self._waiting: dict[str, ApprovalRequest] = {}
        self._asked_now: ApprovalRequest | None = None
        self._answered: dict[str, Verdict] = {}
        """The verdicts on those that wait, by an answer to all."""

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
        self._waiting[request.id] = request
        if self._asked_now is not None and _are_together(request, self._asked_now):
            self._draw_beside(request)
        try:
            async with self._screen.asking:
                if request.id in self._answered:
                    return self._answered[request.id]
                return await self._asked(request, self._words)
        finally:
            self._waiting.pop(request.id, None)
            self._answered.pop(request.id, None)

    async def _asked(self, request: ApprovalRequest, words: Words) -> Verdict | None:
        self._asked_now = request
        try:
            with self._screen.questioning():
                self._draw(request)
                return await self._answer(request, words)
        finally:
            self._asked_now = None

    async def _answer(self, request: ApprovalRequest, words: Words) -> Verdict | None:
        while True:
            line = await words.ask(_question(request))
            if line is None:
                # As Ctrl-C during an answer: it stops the answer, and the question with it.
                signal.raise_signal(signal.SIGINT)
                return None
            if request.group is not None and (to_all := _verdict_on_all(line)) is not None:
                self._answered.update((each.id, to_all) for each in self._beside(request))
                return to_all
            verdict = _verdict(line, may_remember=_may_remember(request))
            if verdict is not None:
                return verdict
            self._screen.say("Write y or n; after n you may say why.")

    def _draw(self, request: ApprovalRequest) -> None:
        self._screen.draw(Text(one_line(request.summary), style="bold"))
        if request.source is not None:
            self._screen.draw(Text(f"{one_line(request.source.name)}: {one_line(request.source.text)}", style="dim"))
        if request.preview is not None:
            names = row_names(self._store)
            self._screen.draw(change_of(request.preview, names, zone=self._screen.zone))
        for other in self._beside(request):
            self._draw_beside(other)

    def _draw_beside(self, request: ApprovalRequest) -> None:
        self._screen.draw(Text(f"Asked at the same time: {one_line(request.summary)}"))

    def _beside(self, request: ApprovalRequest) -> list[ApprovalRequest]:
        """Those that wait and were asked at the same time."""
        return [each for each in self._waiting.values() if each.id != request.id and _are_together(each, request)]


def _are_together(one: ApprovalRequest, other: ApprovalRequest) -> bool:
    return one.group is not None and one.group == other.group


def _may_remember(request: ApprovalRequest) -> bool:
    """Whether the server keeps an answer for later calls: not if it destroys, nor if a text led to it."""
    return request.risk != _RISKY and request.source is None


def _question(request: ApprovalRequest) -> str:
    choices = ["[y]es", "[n]o", *(["[a]lways"] if _may_remember(request) else [])]
    to_all = ["yes to [all]", "no to all: [none]"] if request.group is not None else []
    return f"May it? {', '.join([*choices, *to_all])}: "


def _verdict_on_all(line: str) -> Verdict | None:
    word = line.strip().casefold()
    if word in _YES_TO_ALL | _NO_TO_ALL:
        return Verdict(approved=word in _YES_TO_ALL)
    return None


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
