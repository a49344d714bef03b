"""An experiment: many turns over sockets that are cut at random bytes. It counts what was lost or duplicated."""

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue

from chat.cluster.node import ClusterPorts, single_process_ports
from chat.turns.supervisor import Turn
from device.addresses import server_address
from device.entries import Answer
from device.errors import DeviceError
from device.executor import MAX_ANSWER_BYTES, Executor
from device.hello import Hello
from device.link import Account, Backoff, Link
from device.resuming import LastingAnswer
from device.store import Store, new_uuid
from tests.chat.accounts import ALICE
from tests.chat.sockets import ALICES_TOKEN, Server
from tests.chat.uvicorn_server import serving
from tests.faults.judging import Outcome, Taken, judged_answer, judged_rows
from tests.faults.producing import ProducingModel, Share, asking
from tests.faults.proxy import FaultProxy, fault_proxy
from tests.faults.spreading import spread_over

_TURNS_AT_ONCE: Final = 4
"""Of one device."""
_FARTHEST_BYTES: Final = 600
"""A cut comes at most this many bytes after its trigger."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The size of the experiment. ``cuts_in_writes`` cuts are triggered by a write that arrives at the device."""

    turns: int
    share: Share
    cuts: int
    cuts_in_writes: int
    seed: int

    @property
    def devices(self) -> int:
        return max(1, self.turns // _TURNS_AT_ONCE)


async def cut_sockets(
    plan: Plan,
    *,
    folder: Path,
    processes: Sequence[ClusterPorts] = (),
    patience_s: float = 120.0,
) -> Outcome:
    """Run ``plan`` with the device package, and the real server on uvicorn.

    With ``processes`` there are as many servers, which share only these ports; a device reconnects to
    another one each time.
    """
    servers = [_server(plan, ports) for ports in processes or [single_process_ports()]]
    async with asyncio.timeout(patience_s), AsyncExitStack() as entered:
        addresses = [await entered.enter_async_context(serving(server)) for server in servers]
        port = await entered.enter_async_context(spread_over([urlsplit(each).port or 0 for each in addresses]))
        devices = [
            await entered.enter_async_context(_device(number, plan, servers, port, folder))
            for number in range(plan.devices)
        ]
        async with asyncio.TaskGroup() as taking:
            for turn in range(plan.turns):
                taking.create_task(devices[turn % plan.devices].take(turn))
        return sum([await _judged(plan, servers, device) for device in devices], Outcome())


def _server(plan: Plan, ports: ClusterPorts) -> Server:
    server = Server(call_timeout_s=30.0, per_minute=1_000_000, ports=ports)
    server.run_with(adapter=ProducingModel(share=plan.share))
    server.reopen()
    return server


class _Cuts:
    """The triggers of a device's cuts, drawn in advance: a number of frames or writes, and then some more bytes."""

    def __init__(self, plan: Plan, number: int) -> None:
        drawn = random.Random(f"{plan.seed} {number}")
        turns = len(range(number, plan.turns, plan.devices))
        in_writes, cuts = _part(plan.cuts_in_writes, number, plan), _part(plan.cuts, number, plan)
        # Not in the last quarter, where too few bytes might follow.
        self.at_writes = _drawn(drawn, in_writes, turns * plan.share.writes * 3 // 4)
        self.at_frames = _drawn(drawn, cuts - in_writes, turns * plan.share.frames * 3 // 4)


def _part(whole: int, number: int, plan: Plan) -> int:
    return len(range(number, whole, plan.devices))


def _drawn(drawn: random.Random, count: int, until: int) -> Mapping[int, int]:
    return {at: drawn.randint(1, _FARTHEST_BYTES) for at in drawn.sample(range(1, until + 1), count)}


class _CuttingExecutor(Executor):
    """Triggers cuts when a write arrives, before it is applied; a repeated write does not count."""

    def __init__(self, store: Store, cut_at: Mapping[int, int], proxy: FaultProxy) -> None:
        super().__init__(store)
        self._cut_at = cut_at
        self._proxy = proxy
        self._loop = asyncio.get_running_loop()
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def execute(self, frame: Mapping[str, JsonValue], *, max_bytes: int = MAX_ANSWER_BYTES) -> Answer:
        with self._lock:
            if frame["action"] == "insert" and frame["id"] not in self._seen:
                self._seen.add(str(frame["id"]))
                if len(self._seen) in self._cut_at:
                    self._loop.call_soon_threadsafe(self._proxy.cut_after, self._cut_at[len(self._seen)])
        return super().execute(frame, max_bytes=max_bytes)


@dataclass(kw_only=True)
class _Device:
    """One device behind its own proxy, and the answers it received."""

    link: Link
    store: Store
    proxy: FaultProxy
    cut_at: Mapping[int, int]
    pending_writes: Callable[[], bool]
    taken: dict[int, Taken] = field(default_factory=dict)
    frames: int = 0
    cuts_in_writes: int = 0

    def note_cut(self) -> None:
        """Record, at the moment of a cut, whether the server waits for the answer to a write."""
        self.cuts_in_writes += self.pending_writes()

    async def take(self, turn: int) -> None:
        """Request a turn and receive its answer."""
        taken = self.taken[turn] = Taken(request_id=new_uuid())
        answer = LastingAnswer(
            self.link,
            lambda client, request_id: client.home(asking(turn), request_id=request_id),
            request_id=taken.request_id,
            on_lost=lambda: None,
        )
        try:
            async for frame in answer.frames():
                taken.frames.append(frame)
                self.frames += 1
                if self.frames in self.cut_at:
                    self.proxy.cut_after(self.cut_at[self.frames])
        except DeviceError as error:
            taken.complaint = str(error)


@asynccontextmanager
async def _device(
    number: int, plan: Plan, servers: Sequence[Server], port: int, folder: Path
) -> AsyncIterator[_Device]:
    device_id, cuts = f"device-{number}", _Cuts(plan, number)
    async with fault_proxy(port) as proxy:
        with closing(Store(folder / f"{device_id}.sqlite3")) as store:
            # Every insert has a line here; the table itself has no constraint that would reject a duplicate.
            store.run("CREATE TABLE written (title TEXT)")
            store.run("CREATE TRIGGER writes AFTER INSERT ON tasks BEGIN INSERT INTO written VALUES (new.title); END")
            account = Account(server_address(f"http://127.0.0.1:{proxy.port}"), email="", password="")
            async with Link(
                account,
                ALICES_TOKEN,
                executor=_CuttingExecutor(store, cuts.at_writes, proxy),
                hello=Hello(device_id=device_id),
                backoff=Backoff(first_s=0.01, most_s=0.1),
            ) as link:
                device = _Device(
                    link=link,
                    store=store,
                    proxy=proxy,
                    cut_at=cuts.at_frames,
                    pending_writes=lambda: _waits_for_a_write(servers, device_id),
                )
                proxy.on_cut = device.note_cut
                yield device


def _waits_for_a_write(servers: Sequence[Server], device_id: str) -> bool:
    links = [server.services.connections.link((ALICE, device_id)) for server in servers]
    pending = [each for link in links for each in link._pending.values()]
    return any(each.call.is_write and each.sent and each.answer is None for each in pending)


def _known(servers: Sequence[Server], request_id: str) -> Turn | None:
    """The turn, as stored by a process that wrote or copied it."""
    key = (ALICE, request_id)
    found = [server.services.supervisor.find(key) for server in servers]
    return next((turn for turn in found if turn is not None), None)


async def _judged(plan: Plan, servers: Sequence[Server], device: _Device) -> Outcome:
    """The outcome of one device."""
    outcome = Outcome(
        cuts=device.proxy.cuts, cuts_in_writes=device.cuts_in_writes, connections=device.proxy.connections
    )
    for turn, taken in device.taken.items():
        known = _known(servers, taken.request_id)
        log = [] if known is None else [frame async for batch in known.log.read() for frame in batch]
        outcome += judged_answer(plan.share, turn, taken, log)
    return outcome + judged_rows(plan.share, device.taken, device.store.run("SELECT title FROM written"))
