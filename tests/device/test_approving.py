"""What the terminal shows before an approval, and the answers it accepts."""

import asyncio
import signal
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from device.approving import TerminalApprover, Words
from device.frames import ApprovalRequest, Preview, Source
from device.screen import Screen
from device.store import Store
from device.tables import TableName
from device.verdicts import Approval, Verdict
from tests.device.drawing import console, written


class _ScriptedUser:
    """Answers with one line after the other; records the questions."""

    def __init__(self, *lines: str | None) -> None:
        self.lines = list(lines)
        self.questions: list[str] = []

    async def ask(self, question: str) -> str | None:
        self.questions.append(question)
        return self.lines.pop(0)


def _request(risk: str = "destructive", preview: Preview | None = None) -> ApprovalRequest:
    return ApprovalRequest(
        id="a", request_id="r", tool="t", summary="Delete\x1b[2J the task “Roses” for good.", risk=risk, preview=preview
    )


def _screen() -> Screen:
    return Screen(console(width=200), console(width=200), zone=ZoneInfo("Europe/Rome"))


async def _verdict(store: Store, words: Words, *, risk: str = "destructive") -> Verdict | None:
    return await TerminalApprover(_screen(), store, Approval.ASK, words)(_request(risk))


@pytest.mark.parametrize(
    ("line", "risk", "verdict"),
    [
        ("y", "destructive", Verdict(approved=True)),
        (" Yes! ", "write", Verdict(approved=True)),
        ("sì", "destructive", Verdict(approved=True)),
        ("n", "write", Verdict(approved=False)),
        ("", "destructive", Verdict(approved=False)),
        ("No, I still need it", "destructive", Verdict(approved=False, reason="I still need it")),
        ("always", "write", Verdict(approved=True, remember=True)),
        ("a", "read", Verdict(approved=True, remember=True)),
    ],
)
async def test_answer_is_a_word(store: Store, line: str, risk: str, verdict: Verdict) -> None:
    assert await _verdict(store, _ScriptedUser(line), risk=risk) == verdict


@pytest.mark.parametrize("line", ["always", "perhaps", "yes but not now", "nobody"])
async def test_what_is_no_answer_is_asked_again(store: Store, line: str) -> None:
    person = _ScriptedUser(line, "n")

    assert await _verdict(store, person) == Verdict(approved=False)
    assert person.questions == ["May it? [y]es, [n]o: "] * 2


async def test_always_is_offered_for_what_does_not_destroy(store: Store) -> None:
    person = _ScriptedUser("y")
    await _verdict(store, person, risk="write")

    assert person.questions == ["May it? [y]es, [n]o, [a]lways: "]


async def test_what_would_change_is_shown_before_the_question(store: Store) -> None:
    project = store.insert(TableName.PROJECTS, {"name": "Garden"})
    screen = _screen()
    preview = Preview(before={"id": "t1", "title": "Roses", "projectId": project["id"]}, after=None)
    await TerminalApprover(screen, store, Approval.ASK, _ScriptedUser("n"))(_request(preview=preview))

    shown = [line.rstrip() for line in written(screen.out).splitlines()]
    assert shown == ["Delete[2J the task “Roses” for good.", "- title   Roses", "- project Garden"]


@pytest.mark.parametrize(
    ("mode", "verdict", "said"),
    [
        (
            Approval.ALWAYS,
            Verdict(approved=True),
            "Approved by --approve always: Delete[2J the task “Roses” for good.\n",
        ),
        (
            Approval.NEVER,
            Verdict(approved=False, reason="The terminal refuses everything that must ask."),
            "Refused by --approve never: Delete[2J the task “Roses” for good.\n",
        ),
        (
            Approval.ASK,
            Verdict(approved=False, reason="There is no one at a terminal to ask."),
            (
                "Refused, as there is no one at a terminal to ask: Delete[2J the task “Roses” for good. "
                "With --approve always it would be done.\n"
            ),
        ),
    ],
)
async def test_where_no_one_is_asked_it_is_said_what_was_answered(
    store: Store, mode: Approval, verdict: Verdict, said: str
) -> None:
    screen = _screen()

    assert await TerminalApprover(screen, store, mode, None)(_request()) == verdict
    assert (written(screen.out), written(screen.err)) == ("", said)


async def test_ctrl_c_at_the_question_stops_the_answer(store: Store) -> None:
    interrupted = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted.set)
    try:
        assert await _verdict(store, _ScriptedUser(None)) is None
        async with asyncio.timeout(5):
            await interrupted.wait()
    finally:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)


async def test_questions_come_one_after_the_other(store: Store) -> None:
    class Slow(_ScriptedUser):
        asking = 0

        async def ask(self, question: str) -> str | None:
            self.asking += 1
            assert self.asking == 1
            await asyncio.sleep(0)
            self.asking -= 1
            return await super().ask(question)

    person = Slow("y", "n")
    approver = TerminalApprover(_screen(), store, Approval.ASK, person)
    verdicts = await asyncio.gather(approver(_request()), approver(_request()))

    assert [*verdicts] == [Verdict(approved=True), Verdict(approved=False)]


async def test_the_text_that_led_to_a_question_is_shown_and_no_answer_to_it_is_remembered(store: Store) -> None:
    screen, person = _screen(), _ScriptedUser("always", "n")
    source = Source(name="the note “Minutes\x1b[2J”", text="Delete\nall of it")
    await TerminalApprover(screen, store, Approval.ASK, person)(replace(_request("write"), source=source))

    assert person.questions == ["May it? [y]es, [n]o: "] * 2
    assert "the note “Minutes[2J”: Delete all of it" in written(screen.out)


class _Three:
    """Answers once all three questions of a group have been asked."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.questions: list[str] = []
        self.all_asked = asyncio.Event()

    async def ask(self, question: str) -> str | None:
        self.questions.append(question)
        await self.all_asked.wait()
        return self.lines.pop(0)


async def _verdicts_on_three(store: Store, screen: Screen, person: _Three) -> list[Verdict | None]:
    approve = TerminalApprover(screen, store, Approval.ASK, person)
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        questions = [
            replace(_request(), id=name, group="g", summary=f"Delete the task “{name}” for good.") for name in "abc"
        ]
        answering = [tasks.create_task(approve(question)) for question in questions]
        # Each of them has run once when this does.
        asyncio.get_running_loop().call_soon(person.all_asked.set)
    return [task.result() for task in answering]


@pytest.mark.parametrize(
    ("lines", "approved"),
    [
        (["all"], [True, True, True]),
        (["none"], [False, False, False]),
        (["y", "n", "y"], [True, False, True]),
        (["n", "tutte"], [False, True, True]),
    ],
)
async def test_questions_of_a_group_are_answered_together_or_one_by_one(
    store: Store, lines: list[str], approved: list[bool]
) -> None:
    screen, person = _screen(), _Three(*lines)
    verdicts = await _verdicts_on_three(store, screen, person)

    assert verdicts == [Verdict(approved=each) for each in approved]
    assert person.lines == []
    assert set(person.questions) == {"May it? [y]es, [n]o, yes to [all], no to all: [none]: "}
    assert written(screen.out).count("Asked at the same time: Delete the task “c” for good.") >= 1
