"""The link to a device compared with a simple model of it: both behave the same for any order of events."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from agents.errors import ClientAbsent, ClientSilent
from chat.devices.links import CALL_TIMEOUT_S, Attachment, DeviceLink
from chat.errors import SocketClosed
from chat.protocol.frames.client import Answer
from chat.protocol.frames.vocabulary import Capability
from tests.chat.accounts import ALICE
from tests.effort import tries

REQUEST_ID = "0e6b8a3c-1f2d-4c5b-9a7e-3d2c1b0a9f8e"

_A_MOMENT_S = 4e-10
"""Below the loop's clock resolution, so that timers this far apart are due together, in this order."""


class ControlledLoop(asyncio.SelectorEventLoop):
    """A loop whose time a test controls."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def settle(self) -> None:
        """Run every task that can run now."""

        async def turns() -> None:
            for _ in range(20):
                await asyncio.sleep(0)

        self.run_until_complete(turns())


@dataclass(eq=False)
class Socket:
    """Records what the server sent; a ``closing`` one accepts nothing more."""

    closing: bool = False
    sent: list[str] = field(default_factory=list)

    async def put(self, frame: str) -> None:
        if self.closing:
            raise SocketClosed
        self.sent.append(json.loads(frame)["id"])


class State(Enum):
    WAITING = "waiting"
    ANSWERED = "answered"
    SILENT = "silent"
    ABSENT = "absent"
    CANCELLED = "cancelled"


@dataclass(eq=False)
class Known:
    """One call as the model knows it."""

    call: ClientCall
    task: "asyncio.Task[ClientAnswer]"
    deadline: float
    state: State = State.WAITING
    on: list[Socket] = field(default_factory=list)
    """The sockets on which it should have been sent."""
    answer: ClientAnswer | None = None
    late: list[ClientAnswer] = field(default_factory=list)
    told_late: list[ClientAnswer] = field(default_factory=list)
    forgotten: bool = False


def _waiting(machine: "LinkMachine") -> bool:
    return any(each.state is State.WAITING for each in machine.calls)


def _sent(machine: "LinkMachine") -> bool:
    return any(each.on for each in machine.calls)


class LinkMachine(RuleBasedStateMachine):
    """Calls, drops, returns and answers of one device."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = ControlledLoop()
        self.link = DeviceLink(device=(ALICE, "laptop"))
        self.calls: list[Known] = []
        self.sockets: list[tuple[Socket, Attachment]] = []
        self.attached: tuple[Socket, Attachment] | None = None
        self.ledger = False
        self.numbers = 0

    @initialize(ledger=st.booleans())
    def begin(self, ledger: bool) -> None:
        self.ledger = ledger
        self.link.hold(REQUEST_ID)

    @rule(action=st.sampled_from([CallAction.SELECT, CallAction.INSERT, CallAction.VECTOR_UPSERT]))
    def send(self, action: CallAction) -> None:
        call = ClientCall(id=f"call-{len(self.calls)}", action=action, table=Table.TASKS)
        late: list[ClientAnswer] = []
        task = self.loop.create_task(self.link.for_turn(REQUEST_ID).execute(call, on_late=late.append))
        known = Known(call, task, self.loop.now + CALL_TIMEOUT_S, told_late=late)
        self.calls.append(known)
        self._goes_out(known)
        self.loop.settle()

    @rule()
    def come_back(self) -> None:
        """With a new socket, whether or not the server knows that the older one is gone."""
        socket = Socket()
        capabilities = frozenset({Capability.LEDGER} if self.ledger else ())
        self.attached = (socket, Attachment(sink=socket, capabilities=capabilities))
        self.sockets.append(self.attached)
        self.link.attach(self.attached[1])
        for known in self.calls:
            if known.state is State.WAITING:
                self._goes_out(known)
        self.loop.settle()

    @precondition(lambda self: self.attached is not None)
    @rule()
    def drop(self) -> None:
        assert self.attached is not None
        self.link.detach(self.attached[1])
        self.attached = None

    @precondition(lambda self: self.attached is not None)
    @rule()
    def begin_to_close(self) -> None:
        """The socket accepts nothing more, and its end has not been noticed."""
        assert self.attached is not None
        self.attached[0].closing = True

    @precondition(lambda self: len(self.sockets) > 1)
    @rule(data=st.data())
    def notice_an_older_sockets_end(self, data: st.DataObject) -> None:
        older = data.draw(st.sampled_from(self.sockets[:-1]))
        self.link.detach(older[1])

    @precondition(_sent)
    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        """The first answer to a call, a second one, a late one, or one to an unknown call."""
        self._answered(data.draw(st.sampled_from([each for each in self.calls if each.on])))
        self.loop.settle()

    @precondition(lambda self: any(each.on and each.state is State.WAITING for each in self.calls))
    @rule(data=st.data())
    def answer_at_the_last_moment(self, data: st.DataObject) -> None:
        """In the same iteration of the loop in which the time runs out, and after it has."""
        known = data.draw(st.sampled_from([each for each in self.calls if each.on and each.state is State.WAITING]))
        self.loop.call_at(known.deadline + _A_MOMENT_S, self._answered, known)
        self._pass_until(known.deadline, but_for=known)
        self.loop.settle()

    @rule()
    def answer_what_was_never_asked(self) -> None:
        self.link.answer(Answer(id="never asked", rows=[{"id": "evil"}]))

    @precondition(_waiting)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        known = data.draw(st.sampled_from([each for each in self.calls if each.state is State.WAITING]))
        known.task.cancel()
        known.state = State.CANCELLED
        self.loop.settle()

    @rule(seconds=st.sampled_from([1.0, 10.0, 29.0, 30.0]))
    def let_time_pass(self, seconds: float) -> None:
        self._pass_until(self.loop.now + seconds)
        self.loop.settle()

    @precondition(lambda self: not _waiting(self))
    @rule()
    def end_the_turn(self) -> None:
        self.link.forget(REQUEST_ID)
        for known in self.calls:
            known.forgotten = True
        assert self.link.idle == (self.attached is None)
        self.link.hold(REQUEST_ID)

    @invariant()
    def what_went_out_is_what_should_have(self) -> None:
        for socket, _ in self.sockets:
            assert sorted(socket.sent) == sorted(each.call.id for each in self.calls if socket in each.on)

    @invariant()
    def a_write_goes_to_a_device_without_a_ledger_once(self) -> None:
        assert all(len(each.on) <= 1 for each in self.calls if each.call.is_write and not self.ledger)

    @invariant()
    def calls_ended_as_they_should_have(self) -> None:
        for known in self.calls:
            assert known.task.done() == (known.state is not State.WAITING)
            assert known.told_late == known.late
            match known.state:
                case State.ANSWERED:
                    assert known.task.result() == known.answer
                case State.SILENT:
                    assert isinstance(known.task.exception(), ClientSilent)
                case State.ABSENT:
                    assert isinstance(known.task.exception(), ClientAbsent)
                case State.CANCELLED:
                    assert known.task.cancelled()

    def teardown(self) -> None:
        for known in self.calls:
            known.task.cancel()

        async def ended() -> None:
            await asyncio.gather(*(known.task for known in self.calls), return_exceptions=True)

        self.loop.run_until_complete(ended())
        self.loop.close()

    def _goes_out(self, known: Known) -> None:
        if self.attached is None or (known.on and known.call.is_write and not self.ledger):
            return
        if self.attached[0].closing:
            self.attached = None  # the link notices by trying
            return
        known.on.append(self.attached[0])

    def _answered(self, known: Known) -> None:
        self.numbers += 1
        given, content = self._content(known.call)
        self.link.answer(given)
        if known.state is State.WAITING:
            known.state, known.answer = State.ANSWERED, content
        elif known.state is State.SILENT and not known.forgotten and not known.late:
            known.late.append(content)

    def _content(self, call: ClientCall) -> tuple[Answer, ClientAnswer]:
        row = {"id": f"row-{self.numbers}"}
        make: dict[CallAction, Callable[[], tuple[Answer, ClientAnswer]]] = {
            CallAction.SELECT: lambda: (Answer(id=call.id, rows=[dict(row)]), ClientAnswer(rows=(row,))),
            CallAction.INSERT: lambda: (Answer(id=call.id, row=dict(row)), ClientAnswer(row=row)),
            CallAction.VECTOR_UPSERT: lambda: (Answer(id=call.id, ok=True), ClientAnswer()),
        }
        return make[call.action]()

    def _pass_until(self, moment: float, *, but_for: Known | None = None) -> None:
        self.loop.now = moment
        for known in self.calls:
            if known is not but_for and known.state is State.WAITING and known.deadline <= moment:
                known.state = State.SILENT if known.on else State.ABSENT


TestLink = LinkMachine.TestCase
TestLink.settings = settings(max_examples=tries(40, long=1_000), stateful_step_count=40)
