"""HTTP that comes too fast: requests of a burst begin one by one, and refusals of too many are late."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from adiuva.server.http_pace import HttpPace
from chat.rates import RequestRate

TOKEN = [(b"authorization", b"Bearer a")]


class Slept:
    """Waits as long as asked, without waiting."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        monkeypatch.setattr("adiuva.server.http_pace.asyncio.sleep", self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> Slept:
    return Slept(monkeypatch)


def _answers(
    status: int, *headers: list[tuple[bytes, bytes]], path: str = "/api/v1/chat", address: str = "192.0.2.1"
) -> list[Mapping[str, Any]]:
    """What is sent for requests with these headers."""
    sent: list[Mapping[str, Any]] = []

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"x"})

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    async def ask() -> None:
        rate, large = RequestRate(per_minute=60), RequestRate(per_minute=15, max_at_once=2)
        paced = HttpPace(application, rate=rate, large=large, refusal_s=1.5)
        for each in headers:
            await paced({"type": "http", "path": path, "client": (address, 1), "headers": each}, None, send)

    asyncio.run(ask())
    return sent


def test_too_many_requests_are_refused_late(slept: Slept) -> None:
    assert [message["type"] for message in _answers(429, [])] == ["http.response.start", "http.response.body"]
    assert slept.seconds == [0, 1.5]


def test_other_answers_are_not_late(slept: Slept) -> None:
    assert len(_answers(401, TOKEN)) == 2
    assert slept.seconds == [0]


def test_a_burst_without_a_token_begins_one_by_one(slept: Slept) -> None:
    _answers(401, [], [], [], [])
    assert slept.seconds == [0, 0, 0, pytest.approx(0.25, abs=0.1)]


def test_pages_and_their_files_come_at_once(slept: Slept) -> None:
    _answers(200, *[[]] * 20, path="/static/app.js")
    assert slept.seconds == []


def test_a_burst_with_one_token_begins_one_by_one(slept: Slept) -> None:
    _answers(200, TOKEN, TOKEN, TOKEN, TOKEN, [(b"authorization", b"Bearer b")])
    assert slept.seconds == [0, 0, 0, pytest.approx(0.25, abs=0.1), 0]


@pytest.mark.parametrize(
    "size",
    [(b"content-length", b"300000"), (b"content-length", b"9" * 5000), (b"transfer-encoding", b"chunked")],
    ids=["large", "absurd", "unknown"],
)
def test_large_bodies_begin_more_slowly(slept: Slept, size: tuple[bytes, bytes]) -> None:
    _answers(413, *[[*TOKEN, size]] * 3)
    _answers(200, *[[*TOKEN, (b"content-length", b"200000")]] * 3)
    assert slept.seconds == [0, 0, pytest.approx(1, abs=0.1), 0, 0, 0]
