"""``python -m benchmarks.attackers KIND URL TOKEN SECONDS``: one user who sends the worst input of a kind for a while.

Prints a line when it is ready, and begins when it reads one. At the end it prints as JSON how much was sent and by
which refusals it was answered. It only ever talks to this machine.
"""

import asyncio
import json
import os
import sys
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import repeat
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidStatus

_SOCKETS: Final = 10
"""Of an attacker at a time."""
_SLOW: Final = 200
"""Connections of an attacker that sends a byte now and then."""
_PAUSE_S: Final = 0.05
"""Before it connects again, so that the attack is not one on the attacker's own processor."""


@dataclass(kw_only=True)
class Attack:
    """Where to, for how long, and what became of it."""

    url: str
    token: str
    ends_at: float
    sent: int = 0
    refusals: Counter[str] = field(default_factory=Counter)
    open_calls: list[str] = field(default_factory=list)
    holds_calls: bool = False
    """Calls get no answer."""

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.ends_at

    @property
    def headers(self) -> dict[str, str]:
        # In production a proxy on this machine takes the secure connections, and says so.
        return {"X-Forwarded-Proto": "https", "Authorization": f"Bearer {self.token}"}


def _wide(_attack: Attack) -> Iterator[str]:
    yield from repeat(_frame("home_request", message="x", conversation_history=[0] * 100_000))


def _largest(_attack: Attack) -> Iterator[str]:
    yield from repeat(_frame("home_request", message="x", conversation_history=[0] * 2_000_000))


def _deep(_attack: Attack) -> Iterator[str]:
    yield from repeat('{"type": "home_request", "context": ' + "[" * 60_000 + "]" * 60_000 + "}")


def _invalid(_attack: Attack) -> Iterator[str]:
    yield from repeat(_frame("home_request", conversation_history=[{"role": n, "content": n} for n in range(4_000)]))


def _answers(_attack: Attack) -> Iterator[str]:
    rows = [{"id": n, "title": "x" * 40} for n in range(55_000)]
    yield from repeat(_frame("tool_result", id="no-such-call", rows=rows))


def _cancellations(_attack: Attack) -> Iterator[str]:
    while True:
        yield _frame("cancel_request", request_id=str(uuid.uuid4()))


def _approvals(_attack: Attack) -> Iterator[str]:
    while True:
        yield _frame("approval_response", id=str(uuid.uuid4()), approved=True)


def _tokens(_attack: Attack) -> Iterator[str]:
    yield from repeat(_frame("authenticate", token="x" * 4_000))


def _resumptions(_attack: Attack) -> Iterator[str]:
    while True:
        yield _frame("resume_request", request_id=str(uuid.uuid4()), after_seq=-1)


def _requests(_attack: Attack) -> Iterator[str]:
    while True:
        yield _frame("home_request", message="List my tasks, plan words.", request_id=str(uuid.uuid4()))


def _garbage(_attack: Attack) -> Iterator[str]:
    yield from repeat("not JSON")


def _disguised(attack: Attack) -> Iterator[str]:
    """Costly frames with the id of a call that the server waits for."""
    attack.holds_calls = True
    while True:
        if attack.open_calls:
            pairs = [{"role": n, "content": n} for n in range(4_000)]
            yield _frame("home_request", id=attack.open_calls[-1], conversation_history=pairs)
        else:
            yield _frame("home_request", message="List my tasks, plan words.", request_id=str(uuid.uuid4()))


def _frame(kind: str, **members: object) -> str:
    return json.dumps({"type": kind, **members}, separators=(",", ":"))


FRAMES: Final[Mapping[str, Callable[[Attack], Iterator[str]]]] = MappingProxyType(
    {
        "a frame of 100,000 values": _wide,
        "a frame of 2,000,000 values": _largest,
        "a frame nested 60,000 deep": _deep,
        "a request with 8,000 errors": _invalid,
        "answers of 4 MB to no call": _answers,
        "8,000 errors as the answer to a call": _disguised,
        "cancellations": _cancellations,
        "approvals": _approvals,
        "tokens": _tokens,
        "resumptions": _resumptions,
        "requests": _requests,
        "garbage": _garbage,
    }
)


async def _flood(attack: Attack, texts: Callable[[Attack], Iterator[str]]) -> None:
    """Send without a pause over one socket after another."""
    device_id = str(uuid.uuid4())
    while not attack.is_over:
        with _counting_refusals(attack):
            async with _greeted(attack, device_id) as socket:
                await asyncio.gather(_send(socket, attack, texts(attack)), _read(socket, attack))
        await asyncio.sleep(_PAUSE_S)


async def _send(socket: ClientConnection, attack: Attack, texts: Iterator[str]) -> None:
    with suppress(ConnectionClosed):
        for text in texts:
            await socket.send(text)
            attack.sent += 1
            await asyncio.sleep(0)


async def _reconnect(attack: Attack) -> None:
    """Connect as ever another device, and leave again."""
    while not attack.is_over:
        attack.sent += 1
        with _counting_refusals(attack):
            async with _greeted(attack, str(uuid.uuid4())) as socket:
                frame = json.loads(await socket.recv())
                if frame["type"] == "error":
                    attack.refusals[frame["code"]] += 1
                    await socket.recv()


@contextmanager
def _counting_refusals(attack: Attack) -> Iterator[None]:
    """Counts how the server ends the block early."""
    try:
        yield
    except ConnectionClosed as closed:
        attack.refusals[f"closed {closed.rcvd.code if closed.rcvd else 'abruptly'}"] += 1
    except InvalidStatus as refused:
        attack.refusals[f"handshake {refused.response.status_code}"] += 1
    except (InvalidHandshake, InvalidMessage, OSError) as error:
        attack.refusals[type(error).__name__] += 1


@asynccontextmanager
async def _greeted(attack: Attack, device_id: str) -> AsyncIterator[ClientConnection]:
    """A socket that has said hello. Raises as ``websockets.connect``."""
    async with connect(
        attack.url, additional_headers=attack.headers, proxy=None, compression=None, max_size=None, close_timeout=1
    ) as socket:
        await socket.send(_frame("device_hello", device_id=device_id, capabilities=[]))
        yield socket


async def _read(socket: ClientConnection, attack: Attack) -> None:
    """Read until the socket is closed, which it raises; calls get an answer."""
    while True:
        frame = json.loads(await socket.recv())
        if frame["type"] == "error":
            attack.refusals[frame["code"]] += 1
        elif frame["type"] == "tool_call":
            attack.open_calls.append(frame["id"])
            if attack.holds_calls:
                continue
            await socket.send(_frame("tool_result", id=frame["id"], rows=[]))


async def _trickle(attack: Attack) -> None:
    """Hold a connection with the head of a request, a byte every 5 s."""
    where = urlsplit(attack.url)
    while not attack.is_over:
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        attack.sent += 1
        try:
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            while not attack.is_over and not reader.at_eof():
                writer.write(b"x")
                await writer.drain()
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(5.0, max(0.1, attack.ends_at - time.monotonic()))):
                        answer = await reader.read(200)
                        attack.refusals[answer[:12].decode("latin-1") or "closed"] += 1
                        break
        except OSError:
            attack.refusals["closed abruptly"] += 1
        finally:
            writer.close()


async def _post(attack: Attack, path: str, body: Callable[[], bytes]) -> None:
    """Ask over REST, again and again."""
    where = urlsplit(attack.url)
    async with httpx.AsyncClient(base_url=f"http://{where.netloc}", trust_env=False, timeout=30) as client:
        while not attack.is_over:
            attack.sent += 1
            try:
                answer = await client.post(
                    path, content=body(), headers={**attack.headers, "Content-Type": "application/json"}
                )
                attack.refusals[str(answer.status_code)] += 1
            except httpx.HTTPError as error:
                attack.refusals[type(error).__name__] += 1


def _login() -> bytes:
    return json.dumps({"email": f"{uuid.uuid4().hex}@example.com", "password": "wrong"}).encode()


def _large_chat() -> bytes:
    return json.dumps({"message": "x", "conversation_history": [0] * 1_000_000}).encode()


async def _wait(attack: Attack) -> None:
    await asyncio.sleep(attack.ends_at - time.monotonic())


_SLOW_HEADERS: Final = "requests of a byte every 5 s"
OTHERS: Final[Mapping[str, Callable[[Attack], Awaitable[None]]]] = MappingProxyType(
    {
        "reconnections": _reconnect,
        "sign-ins": lambda attack: _post(attack, "/api/v1/auth/token", _login),
        "chats of 3 MB over REST": lambda attack: _post(attack, "/api/v1/chat", _large_chat),
        _SLOW_HEADERS: _trickle,
        # Shows what the machine's own noise costs the others.
        "no attack": _wait,
    }
)
KINDS: Final = (*FRAMES, *OTHERS)


async def attacked(kind: str, attack: Attack) -> None:
    """Attack until ``attack.ends_at``."""
    texts = FRAMES.get(kind)
    attacker = OTHERS[kind] if texts is None else lambda attack: _flood(attack, texts)
    number = _SLOW if kind == _SLOW_HEADERS else _SOCKETS
    with suppress(TimeoutError):
        async with asyncio.timeout(attack.ends_at - time.monotonic()):
            await asyncio.gather(*(attacker(attack) for _ in range(number)))


def main() -> None:
    kind, url, token, seconds = sys.argv[1:]
    _run_when_idle()
    print("ready", flush=True)
    sys.stdin.readline()
    attack = Attack(url=url, token=token, ends_at=time.monotonic() + float(seconds))
    asyncio.run(attacked(kind, attack))
    print(json.dumps({"sent": attack.sent, "refusals": attack.refusals}))


def _run_when_idle() -> None:
    """Take no processor from the server: an attacker is on a machine of its own."""
    if sys.platform == "linux":
        # At the lowest priority it would still hold a processor for some milliseconds while the server waits.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(19)


if __name__ == "__main__":
    main()
